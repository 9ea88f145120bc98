"""Why a recall did not show something: every answer, on rows made for it and over the pages."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from memory_db.cli import cli
from memory_db.errors import NotFoundError
from memory_db.knowledge import succession
from memory_db.knowledge.evidence import add_evidence
from memory_db.knowledge.locks import lock
from memory_db.knowledge.memories import add_memory
from memory_db.knowledge.retire import restore, retire
from memory_db.knowledge.suppressions import suppress
from memory_db.pages.draw.diff import GONE, NEW, SAME, word_diff
from memory_db.recall.brief.select import KEPT, ask
from memory_db.recall.explain.why_not import differences, why_not
from memory_db.recall.question import question_of
from memory_db.recall.search import Question
from memory_db.store.backup import back_up, new_target
from memory_db.store.dates import utc_text
from memory_db.store.schema import open_database
from memory_db.upkeep.forget.run import KEPT_WITHOUT, STEPS
from tests.conftest import NOW
from tests.pages.test_pages import PAYLOADS, fill, page
from tests.support.in_process import guest, served, signed_in, text_of

pytestmark = pytest.mark.slow


def remember(db: sqlite3.Connection, now: datetime, text: str, **more: Any) -> str:
    return add_memory(db, **{"text": text, "kind": "convention", "scope": "user", "now": now} | more)


def asked(db: sqlite3.Connection, now: datetime, query: str, **more: Any) -> str:
    """The uid of a recall that is logged."""
    question = question_of(query, {"profile": "keyword_only", "scope": "memories"} | more)
    return str(ask(db, question, surface="test", now=now).recall_uid)


def answer(db: sqlite3.Connection, recall: str, name: str) -> tuple[str, str, dict[str, Any]]:
    """What is answered: the outcome, its sentences, and all of it."""
    found = why_not(db, recall, name)
    return found["outcome"], " ".join(found.get("said", ())), found


def silent_recall(db: sqlite3.Connection) -> str:
    """The uid of a prompt's recall that shows nothing in the end, though some hits found no place before that."""
    bounds = {"profile": "default", "scope": "all", "limit": 1, "project_id": 1, "most_blocks": 4}
    question = question_of("readings_latest", bounds | {"is_unasked": True, "least_evidence": 0.345})
    return str(ask(db, question, surface="test", now=NOW).recall_uid)


# ------------------------------------------------------------------- from the log


def test_what_was_shown_was_shown(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, now, "Deploy to staging with the blue script")
    outcome, said, found = answer(db, asked(db, now, "deploy staging"), uid)
    assert (outcome, said, found["recomputed"]) == ("shown", "It was shown, at rank 1 of 1.", False)


def test_what_the_limit_left_out_is_set_beside_the_last_one_shown(db: sqlite3.Connection, now: datetime) -> None:
    best = remember(db, now, "Deploy staging with the blue script")
    other = remember(db, now, "Staging has its own long page in the wiki that nobody has read for many years")
    recall = asked(db, now, "deploy staging", limit=1)
    outcome, said, found = answer(db, recall, other)
    assert outcome == "left_out" and not found["recomputed"] and found["beside"]["uid"] == best
    gap = found["beside"]["score"] - found["score"]
    assert found["needed"] == pytest.approx(gap) and gap > 0
    assert sum(each["cost"] for each in found["differences"]) == pytest.approx(gap)
    assert f"{gap:.3f} more to reach the hit at rank 1" in said and "At most 1 line is shown" in said
    costs = [each["cost"] for each in found["differences"]]
    assert costs == sorted(costs, reverse=True)


def test_what_was_shown_after_others_is_set_beside_the_first(db: sqlite3.Connection, now: datetime) -> None:
    best = remember(db, now, "Deploy staging with the blue script")
    other = remember(db, now, "Staging has its own long page in the wiki that nobody has read for many years")
    recall = asked(db, now, "deploy staging")
    outcome, said, found = answer(db, recall, other)
    assert outcome == "shown" and found["rank"] == 2 and found["beside"]["uid"] == best
    gap = found["beside"]["score"] - found["score"]
    assert sum(each["cost"] for each in found["differences"]) == pytest.approx(gap) and gap > 0
    assert said.startswith("It was shown, at rank 2 of 2. The hit at rank 1 scores ") and f"{gap:.3f} less" in said
    assert answer(db, recall, best)[2]["differences"] == [], "nothing was shown before it"


def test_what_found_no_place_where_nothing_was_shown_in_the_end_is_told_so(sample_db: sqlite3.Connection) -> None:
    recall = silent_recall(sample_db)
    entry = sample_db.execute(
        "select e.uid from recalls r join hits h on h.recall_id = r.id join entries e on e.id = h.entry_id"
        " where r.uid = ? and r.abstained and h.left_out_reason = 'beyond the limit'", [recall]
    ).fetchone()["uid"]  # fmt: skip
    outcome, said, _ = answer(sample_db, recall, entry)
    assert outcome == "left_out" and "what was only said comes after them" in said
    assert "None of those was shown in the end" in said and "would have needed" not in said


async def test_a_page_without_lines_says_how_many_scored_enough(sample_path: Path) -> None:
    with closing(open_database(sample_path, now=NOW)) as db:
        row = db.execute("select uid, considered_count, left_out from recalls where abstained"
                         " and left_out like '%below the threshold%'").fetchone()  # fmt: skip
    enough = row["considered_count"] - json.loads(row["left_out"])["below the threshold"]
    assert enough > 0
    async with served(sample_path) as datasette:
        text = text_of(page(await datasette.client.get(f"/-/memory/recalls/{row['uid']}")).select_one("section.empty"))
    assert f"{enough} of {row['considered_count']} hits reached the score of 0.200 that the profile needs" in text


def test_what_is_below_the_threshold_would_have_needed_so_much(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, now, "Staging has its own page in the wiki")
    db.execute(
        "insert into profiles (name, version, weights, threshold, description, created_at)"
        " select 'strict', 1, weights, 0.95, description, created_at from profiles where name = 'keyword_only'"
    )
    recall = asked(db, now, "staging deploy zebra quantum lattice", profile="strict")
    _, said, found = answer(db, recall, uid)
    threshold = 0.95
    assert "below the threshold" in said and found["beside"] is None
    assert found["needed"] == pytest.approx(threshold - found["score"])
    assert all(each["other_value"] == 1.0 for each in found["differences"]), "nothing shown: beside the most there is"


def test_what_was_held_back_or_did_not_fit_is_reported(db: sqlite3.Connection, now: datetime) -> None:
    held = remember(db, now, "Deploy to staging with the blue script")
    long = remember(db, now, "Deploy staging: " + "many words of how it is done step by step " * 30)
    suppress(db, held, "staging", reason="only the old cluster", by="user", now=now)
    recall = asked(db, now, "deploy staging", budget_tokens=60)
    assert "only the old cluster" in answer(db, recall, held)[1]
    assert "must not be recalled" in answer(db, recall, held)[1] and answer(db, recall, held)[2]["needed"] is None
    assert "did not fit" in answer(db, recall, long)[1]


def test_the_entry_that_a_shown_memory_was_made_from_stepped_aside(sample_db: sqlite3.Connection) -> None:
    row = sample_db.execute(
        "select h.recall_id, e.uid, h.left_out_reason from hits h join entries e on e.id = h.entry_id"
        " where h.left_out_reason like 'source of %' limit 1"
    ).fetchone()
    outcome, said, found = answer(sample_db, str(row["recall_id"]), row["uid"][:8])
    assert (outcome, found["about"]["uid"]) == ("left_out", row["uid"])
    assert row["left_out_reason"] in said and "made from it" in said


def test_every_logged_hit_of_the_sample_is_answered(sample_db: sqlite3.Connection) -> None:
    rows = sample_db.execute(
        "select h.*, coalesce(m.uid, e.uid) as uid from hits h left join memory_versions v on v.id ="
        " h.memory_version_id left join memories m on m.id = v.memory_id left join entries e on e.id = h.entry_id"
    ).fetchall()
    for row in rows:
        outcome, said, found = answer(sample_db, str(row["recall_id"]), row["uid"])
        assert not found["recomputed"] and outcome == ("shown" if row["rank"] else "left_out")
        assert (row["left_out_reason"] or f"rank {row['rank']}") in said
        assert found["score"] == pytest.approx(row["logged_score"])
        assert len(found["said"]) > 1 or row["rank"], "a reason is explained, not only named"
        assert row["rank"] or found["said"][0].startswith(f"It was at place {row['position']} of ")


# ------------------------------------------------------------------- not in the log


def test_what_was_not_kept_is_asked_again_and_says_so(db: sqlite3.Connection, now: datetime) -> None:
    for number in range(KEPT + 15):
        remember(db, now, f"Deploy staging {number} deploy staging {number}")
    last = remember(db, now, "The staging of the play was blue, and nobody in the theatre knew why it was so")
    recall = asked(db, now, "deploy staging")
    assert not db.execute("select 1 from hits h join memory_versions v on v.id = h.memory_version_id join memories m"
                          " on m.id = v.memory_id where m.uid = ?", [last]).fetchone()  # fmt: skip
    outcome, said, found = answer(db, recall, last)
    assert outcome == "left_out" and found["recomputed"] and "beyond the limit" in said
    assert found["how"].startswith("This recall kept no numbers of it.") and "as of 2026-11-01 12:00" in found["how"]
    assert found["position"] == KEPT + 16 and found["needed"] > 0


def test_what_came_later_was_not_known_then(db: sqlite3.Connection, now: datetime) -> None:
    remember(db, now, "Deploy to staging with the blue script")
    recall = asked(db, now, "deploy staging")
    later = remember(db, now + timedelta(days=2), "Deploy to staging with the red script")
    outcome, said, _ = answer(db, recall, later)
    assert outcome == "not_known" and "recorded on 2026-11-03 12:00" in said


def test_what_was_retired_then_is_reported_though_it_is_back(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, now, "Deploy to staging with the blue script")
    retire(db, uid, by="user", reason="the cluster is gone", now=now + timedelta(days=1))
    recall = asked(db, now + timedelta(days=2), "deploy staging")
    restore(db, uid, by="user", reason="it came back", now=now + timedelta(days=3))
    outcome, said, _ = answer(db, recall, uid)
    assert outcome == "retired" and "since 2026-11-02 12:00" in said and "the cluster is gone" in said


def test_what_was_replaced_names_its_successor(db: sqlite3.Connection, now: datetime) -> None:
    old, new = (remember(db, now, f"Deploy to staging with the {colour} script") for colour in ("blue", "red"))
    succession.supersede(db, old, new, reason="told so", by="user", now=now)
    outcome, said, _ = answer(db, asked(db, now, "deploy staging"), old)
    assert outcome == "superseded" and f"superseded by {new}" in said


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"scope": "entries"}, "put to entries only"),
        ({"kinds": ("fix",)}, "it is of kind convention"),
        ({"tags": ("db",)}, "only the tag db was asked for"),
        ({"since": "2027-01-01"}, "the question asks from 2027-01-01"),
        ({"before": "2020-01-01"}, "the question asks before 2020-01-01"),
    ],
)
def test_what_a_filter_kept_out_is_reported(
    db: sqlite3.Connection, now: datetime, question: dict[str, Any], words: str
) -> None:
    uid = remember(db, now, "Deploy to staging with the blue script")
    outcome, said, found = answer(db, asked(db, now, "deploy staging", **question), uid)
    assert outcome == "not_asked" and words in said and found["score"] is None


def test_what_belongs_to_another_project_is_reported(db: sqlite3.Connection, now: datetime) -> None:
    fill(db, now)
    uid = remember(db, now, "Deploy to staging with the blue script", scope="project", project_id=1)
    recall = asked(db, now, "deploy staging", project_id=2, only_project=True)
    outcome, said, _ = answer(db, recall, uid)
    assert outcome == "not_asked" and "belongs to project shop" in said
    mine = asked(db, now, "deploy staging", project_id=1, only_project=True)
    assert answer(db, mine, uid)[0] == "shown"


def test_what_shares_no_word_was_not_considered(db: sqlite3.Connection, now: datetime) -> None:
    remember(db, now, "Deploy to staging with the blue script")
    uid = remember(db, now, "Fixtures live in one folder")
    outcome, said, _ = answer(db, asked(db, now, "deploy staging"), uid)
    assert outcome == "not_considered" and "shares no word with the question (deploy, staging)" in said


def test_what_shares_a_word_and_was_crowded_out_is_reported(db: sqlite3.Connection, now: datetime) -> None:
    for number in range(4):
        remember(db, now, f"Deploy staging {number} deploy staging {number}")
    uid = remember(db, now, "The staging of the play was blue, and nobody in the theatre knew why it was so")
    recall = asked(db, now, "deploy staging", most_memories=4)
    outcome, said, _ = answer(db, recall, uid)
    assert outcome == "not_considered" and "shares staging" in said and "4 others meet it better" in said


def test_an_entry_said_later_or_of_a_sort_that_is_not_searched(db: sqlite3.Connection, now: datetime) -> None:
    fill(db, now)
    recall = asked(db, now, "migrations", scope="entries")
    for uid, kind, at in (("later-entry", "prompt", now + timedelta(days=1)), ("thought-entry", "other", now)):
        db.execute("insert into entries (uid, session_id, role, kind, text, created_at) values (?, 1, 'user', ?, ?, ?)",
                   [uid, kind, "migrations again", utc_text(at)])  # fmt: skip
    assert "said on 2026-11-02" in answer(db, recall, "later-entry")[1]
    assert "of kind other like it is not searched" in answer(db, recall, "thought-entry")[1]


def test_a_brief_that_asked_nothing_is_not_made_again(sample_db: sqlite3.Connection) -> None:
    number = sample_db.execute("select id from recalls where surface = 'session-start' limit 1").fetchone()[0]
    missed = sample_db.execute(
        "select uid from memories where status = 'active' and id not in (select v.memory_id from hits h join"
        " memory_versions v on v.id = h.memory_version_id where h.recall_id = ?) and valid_from < '2026-10-01'"
        " limit 1", [number]
    ).fetchone()[0]  # fmt: skip
    assert answer(sample_db, str(number), missed)[0] == "no_question"


def test_asking_why_writes_nothing(sample_db: sqlite3.Connection) -> None:
    before = sample_db.total_changes
    for (uid,) in sample_db.execute("select uid from memories limit 20").fetchall():
        why_not(sample_db, "2", uid)
    assert sample_db.total_changes == before


# ------------------------------------------------------------------- words, and the command


def test_words_offer_what_they_meet(db: sqlite3.Connection, now: datetime) -> None:
    shown = remember(db, now, "Deploy to staging with the blue script")
    recall = asked(db, now, "deploy staging")
    remember(db, now, "The blue wall of the office")
    found = why_not(db, recall, "blue")
    assert found["outcome"] == "choose" and len(found["choices"]) == 2
    assert {each["uid"]: each["became"] for each in found["choices"]}[shown] == "shown at 1"
    assert why_not(db, recall, f"[{shown}]")["outcome"] == "shown", "brackets are how briefs write a uid"
    for nothing in ("zebra", "?!"):
        with pytest.raises(NotFoundError):
            why_not(db, recall, nothing)


def test_a_whole_title_or_text_names_its_memory(db: sqlite3.Connection, now: datetime) -> None:
    text = "Deploy to staging with the blue script, and never with the grey one, for that one waits for the night"
    shown = remember(db, now, text)
    recall = asked(db, now, "deploy staging")
    remember(db, now, "The blue wall of staging: deploy with the blue script")
    (title,) = db.execute("select title from memories where uid = ?", [shown]).fetchone()
    for name in (title, title.upper(), f"  {text}. "):
        assert why_not(db, recall, name)["about"]["uid"] == shown
    db.execute("update memories set text = ? where uid <> ?", [text, shown])
    assert len(why_not(db, recall, text)["choices"]) == 2


def test_words_offer_entries_too_and_first_what_was_logged(db: sqlite3.Connection, now: datetime) -> None:
    fill(db, now)
    for number in range(12):
        remember(db, now, f"The blue script, take {number}, is how staging gets deployed")
    entry = db.execute("select uid from entries where text like '%make migrate%' order by id limit 1").fetchone()[0]
    recall = asked(db, now, "make migrate", scope="entries")
    found = answer(db, recall, "migrate")[2]["choices"]
    assert found[0]["became"] != "not logged" and entry in [each["uid"] for each in found]
    remember(db, now, "Always make migrate before the tests")
    sorts = {each["type"] for each in answer(db, recall, "make migrate")[2]["choices"]}
    assert sorts == {"memory", "entry"}, "a memory does not hide the entries that say it"


def test_the_command_says_the_same(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    remember(db, now, "Deploy staging with the blue script")
    other = remember(db, now, "Staging has its own long page in the wiki \x1b[31m that nobody has read for years")
    recall = asked(db, now, "deploy staging", limit=1)
    run = CliRunner().invoke
    found = run(cli, ["-d", str(db_path), "why", recall, "--not", other])
    assert found.exit_code == 0 and "would have needed" in found.stdout and "\x1b" not in found.stdout
    as_json = json.loads(run(cli, ["-d", str(db_path), "why", recall, "--not", other, "--json"]).stdout)
    assert as_json["said"] == why_not(db, recall, other)["said"]
    assert other in run(cli, ["-d", str(db_path), "why", recall, "--not", "wiki page"]).stdout
    assert run(cli, ["-d", str(db_path), "why", recall, other, "--not", other]).exit_code == 1


@given(
    st.dictionaries(st.sampled_from("abcd"), st.floats(0, 1)), st.dictionaries(st.sampled_from("abcd"), st.floats(0, 1))
)
def test_differences_add_up(one: dict[str, float], two: dict[str, float]) -> None:
    weights = {"a": 0.5, "b": 0.3, "c": 0.2, "d": 0.0}
    gap = sum(weight * (two.get(name, 0) - one.get(name, 0)) for name, weight in weights.items())
    assert sum(each["cost"] for each in differences(weights, one, two)) == pytest.approx(gap, abs=1e-6)


@given(st.text(max_size=80), st.text(max_size=80))
def test_a_diff_holds_both_texts(old: str, new: str) -> None:
    parts = word_diff(old, new)
    assert "".join(words for what, words in parts if what in (SAME, GONE)) == old
    assert "".join(words for what, words in parts if what in (SAME, NEW)) == new


# ------------------------------------------------------------------- the pages


@pytest.fixture
def served_file(db: sqlite3.Connection, db_path: Path, now: datetime) -> Path:
    fill(db, now)
    return db_path


async def get(server: Any, path: str, *, root: bool = False) -> Any:
    return await server.client.get(path, cookies=signed_in(server) if root else guest(server))


async def post(server: Any, path: str, *, root: bool = True, **fields: str) -> Any:
    return await server.client.post(
        path, cookies=signed_in(server) if root else guest(server), content=json.dumps(fields),
        headers={"content-type": "application/json", "authorization": "Bearer of-a-plugin"},
    )  # fmt: skip


async def test_the_why_page_answers_and_asks(server: Any, db: sqlite3.Connection, now: datetime) -> None:
    recall = asked(db, now, "migrations", limit=1)
    left = db.execute("select m.uid from hits h join memory_versions v on v.id = h.memory_version_id join memories m"
                      " on m.id = v.memory_id where h.rank is null limit 1").fetchone()[0]  # fmt: skip
    found = page(await get(server, f"/-/memory/recalls/{recall}"))
    assert found.select_one("form.why-not-form input[name=not]") and not found.select_one("#why-not")
    assert found.select_one(f'.others a[href="?not={left}#why-not"]')
    found = page(await get(server, f"/-/memory/recalls/{recall}?not={left}"))
    assert "would have needed" in found.select_one("#why-not").get_text()
    assert found.select(".costs tbody tr") and found.select_one(".why-not-form input")["value"] == left
    data = (await get(server, f"/-/memory/recalls/{recall}.json?not={left}")).json()
    assert data["missing"]["outcome"] == "left_out" and data["missing"]["differences"][0]["cost"] > 0
    for name, status in (("zebra", 404), ("x" * 201, 400)):
        refused = await get(server, f"/-/memory/recalls/{recall}.json?not={name}")
        assert refused.status_code == status and refused.json()["error"]


async def test_hostile_text_stays_text_in_the_answers(server: Any, db: sqlite3.Connection, now: datetime) -> None:
    recall = asked(db, now, PAYLOADS["script"], limit=1)
    paths = [f"/-/memory/recalls/{recall}?not={name}" for name in ("migrations", *(f"m-{key}" for key in PAYLOADS))]
    paths += [f"/-/memory/memories/m-{name}{end}" for name in PAYLOADS for end in ("/forget", f"?recall={recall}")]
    for uid in [f"m-{name}" for name in PAYLOADS]:
        text = PAYLOADS[uid[2:]]
        db.execute("update memories set text = ? || ' changed', change_reason = ?, updated_at = ? where uid = ?",
                   [text, text, utc_text(now), uid])  # fmt: skip
    for path in paths:
        response = await get(server, path, root=True)
        assert response.status_code == 200, path
        assert "<script>alert" not in response.text and "\x1b" not in response.text and "\u202e" not in response.text
        main = page(response).select_one(".memory")
        assert not main.select("img, script, iframe"), path
        assert "m-template" not in path or "{{ 7 * 7 }}" in main.get_text()
        assert not [link for link in main.select("a") if link.get("href", "").startswith(("javascript", "http"))]


async def test_five_thousand_logged_hits_make_no_great_page(server: Any, db: sqlite3.Connection, now: datetime) -> None:
    recall = asked(db, now, "migrations", scope="all")
    row = db.execute("select * from hits where rank is null or rank = 1 limit 1").fetchone()
    number = db.execute("select id from recalls where uid = ?", [recall]).fetchone()[0]
    for index in range(5000):
        entry = db.execute(
            "insert into entries (uid, session_id, role, kind, text, created_at) values (?, 1, 'user', 'prompt', ?, ?)",
            [f"many-{index}", f"migrations {index} " * 40, utc_text(now)],
        ).lastrowid
        db.execute(
            "insert into hits (recall_id, entry_id, position, left_out_reason, logged_score, features, signals)"
            " values (?, ?, ?, 'over the token budget', ?, ?, ?)",
            [number, entry, 100 + index, row["logged_score"], row["features"], row["signals"]],
        )
    response = await get(server, f"/-/memory/recalls/{number}", root=True)
    assert response.status_code == 200 and len(response.content) < 110_000
    found = page(response)
    others = found.select_one(".others")
    assert len(others.select("li")) <= 40 and "of 5,0" in others.parent.get_text()
    assert found.select_one('a[href*="hits?recall_id"]')


async def test_a_recall_list_of_a_session(server: Any, db: sqlite3.Connection, now: datetime) -> None:
    ask(db, Question("migrations", session_uid="shop-session"), surface="hook", now=now)
    ask(db, Question("other"), surface="cli", now=now)
    found = page(await get(server, "/-/memory/recalls?session=shop-session"))
    assert len(found.select("table.recalls tbody tr")) == 1
    assert found.select_one('a[href="/-/memory/sessions/shop-session"]')
    every = page(await get(server, "/-/memory/recalls"))
    assert [link["href"] for link in every.select("table.recalls th a.quiet")] == ["/-/memory/sessions/shop-session"]
    empty = page(await get(server, "/-/memory/recalls?session=site-session"))
    assert "No recalls in this session" in empty.get_text()


# ------------------------------------------------------------------- a memory's edits, and forgetting it


async def test_edits_are_shown_word_by_word(server: Any, db: sqlite3.Connection, now: datetime) -> None:
    db.execute("update memories set text = 'Run migrations with `make upgrade`.', changed_by = 'user', importance = 5,"
               " change_reason = 'renamed', updated_at = ? where uid = 'm1'", [utc_text(now)])  # fmt: skip
    edit = page(await get(server, "/-/memory/memories/m1")).select_one(".edit")
    assert [each.get_text() for each in edit.select("p del")] == ["migrate"]
    assert [each.get_text() for each in edit.select("p ins")] == ["upgrade"]
    assert "renamed" in edit.get_text() and "importance" in edit.select_one(".changes").get_text()


async def test_why_from_the_page_of_a_memory(server: Any, db: sqlite3.Connection, now: datetime) -> None:
    recall = asked(db, now, "zebra quantum")
    found = page(await get(server, f"/-/memory/memories/m1?recall={recall}"))
    assert "shares no word" in found.select_one("#why-not").get_text()
    assert (await get(server, "/-/memory/memories/m1?recall=99999")).status_code == 404
    asked(db, now, "migrations", limit=1)
    found = page(await get(server, "/-/memory/memories/m-lines"))
    assert found.select_one('a[href*="?not=m-lines#why-not"]')


async def test_it_is_held_back_and_released_on_the_page(server: Any, db: sqlite3.Connection, now: datetime) -> None:
    refused = await post(server, "/-/memory/memories/m1/suppress.json", pattern="the of")
    assert refused.status_code == 400 and "no distinctive word" in refused.json()["error"]
    done = await post(server, "/-/memory/memories/m1/suppress.json", pattern="staging deploys", reason="old cluster")
    assert done.status_code == 200
    found = page(await get(server, "/-/memory/memories/m1", root=True))
    number = found.select_one("button[name=suppression]")["value"]
    other = await post(server, "/-/memory/memories/m-lines/unsuppress.json", suppression=number)
    assert other.status_code == 404
    assert (await post(server, "/-/memory/memories/m1/unsuppress.json", suppression=number)).status_code == 200
    assert not page(await get(server, "/-/memory/memories/m1", root=True)).select("button[name=suppression]")


SECRET = "The pangolin sleeps under the seventh bridge until the tide turns again"


async def test_forgetting_shows_first_and_needs_the_uid_typed(
    server: Any, db: sqlite3.Connection, now: datetime
) -> None:
    uid = remember(db, now, SECRET)
    ask(db, Question("pangolin bridge"), surface="cli", now=now)
    path = f"/-/memory/memories/{uid}/forget"
    shown = page(await get(server, path))
    assert "Nothing is deleted yet" in shown.get_text() and not shown.select("form.danger")
    data = (await get(server, f"{path}.json")).json()
    assert data["rows"]["memories"] == 1 and data["rows"]["memory_versions"] == 1 and data["passages"] >= 1
    assert data["places"] == {"recalls.shown_text": 1}
    fate = {"uid": uid, "sort": "memory", "what": "forgotten", "why": "named", "text": SECRET}
    fate |= {"address": f"/-/memory/memories/{uid}"}
    assert data["fates"] == [fate] and SECRET in shown.select("section table")[0].get_text()
    assert page(await get(server, path, root=True)).select_one("form.danger input[name=confirm][required]")
    for confirm, root, status in (("", True, 400), ("yes", True, 400), (uid, False, 403)):
        refused = await post(server, f"{path}.json", root=root, confirm=confirm)
        assert refused.status_code == status, refused.text
    assert db.execute("select 1 from memories where uid = ?", [uid]).fetchone(), "nothing went"
    assert (await get(server, "/-/memory/memories/none/forget")).status_code == 404


async def test_what_is_forgotten_is_gone_with_proof_and_no_trace_in_the_log(
    server: Any, db: sqlite3.Connection, db_path: Path, now: datetime
) -> None:
    uid = remember(db, now, SECRET)
    ask(db, Question("pangolin bridge"), surface="cli", now=now)
    before = (await get(server, f"/-/memory/memories/{uid}/forget.json")).json()
    response = await post(server, f"/-/memory/memories/{uid}/forget.json", confirm=uid)
    done = response.json()
    assert response.status_code == 200 and done["ok"] and done["left"] == [] and "none is left" in done["said"]
    assert {table: before["rows"][table] for table in done["rows"]} == done["rows"], "the preview told what went"
    assert done["repetitions"] == before["places"] and done["bytes_searched"] >= 4096
    assert (await get(server, f"/-/memory/memories/{uid}")).status_code == 404
    assert SECRET[:30].encode() not in db_path.read_bytes()
    rows = db.execute("select action, target, outcome, said from audit_log where action = 'forget'").fetchall()
    assert [row["outcome"] for row in rows] == ["done"] and uid in rows[0]["target"]
    assert not any("pangolin" in str(value) for row in db.execute("select * from audit_log") for value in tuple(row))


async def test_words_are_forgotten_wherever_they_stand(
    server: Any, db: sqlite3.Connection, db_path: Path, now: datetime
) -> None:
    remember(db, now, SECRET)
    other = remember(db, now, "The keeper of the pangolin has a blue lantern on the pier.")
    form = page(await get(server, "/-/memory/words", root=True)).select_one("form.actions")
    assert form["method"] == "post" and form.select_one("input[name=words][required]"), "no address has the words"
    assert (await get(server, "/-/memory/words.json")).status_code == 403
    path = "/-/memory/words"
    told = (await post(server, f"{path}.json", words="keeper of the\n pangolin")).json()
    assert told["thing"]["text"] == "keeper of the pangolin" and told["thing"]["typed"] == "keeper o"
    assert [(fate["uid"], fate["what"]) for fate in told["fates"]] == [(other, "text redacted")]
    for confirm, words, status in (("yes", told["thing"]["text"], 400), ("narwhal", "narwhal", 404), ("x", "x", 400)):
        refused = await post(server, f"{path}/forget.json", words=words, confirm=confirm)
        assert refused.status_code == status, refused.text
    assert (await post(server, f"{path}.json", words="narwhal")).status_code == 404
    dry = (await post(server, f"{path}/forget.json", words="keeper of the pangolin", dry_run="1")).json()
    assert dry["dry_run"] and dry["fates"] == told["fates"]
    done = (await post(server, f"{path}/forget.json", words="keeper of the pangolin", confirm="keeper o")).json()
    assert done["ok"] and done["said"].startswith("Forgot the words: looked for") and "keeper" not in json.dumps(done)
    assert (await get(server, f"/-/memory/memories/{other}.json")).json()["memory"]["text"] == (
        "The [forgotten] has a blue lantern on the pier."
    )
    assert b"keeper of the pangolin" not in db_path.read_bytes()
    log = [str(value) for row in db.execute("select * from audit_log") for value in tuple(row)]
    assert not any(word in value for value in log for word in ("keeper", "narwhal")), "no word in the log"


async def test_the_form_for_words_leads_to_the_preview_and_the_proof(
    server: Any, db: sqlite3.Connection, now: datetime
) -> None:
    remember(db, now, f"{SECRET}. The lantern is blue.")
    form = await get(server, "/-/memory/words", root=True)
    cookies = {**signed_in(server), **dict(form.cookies)}
    sent = {"csrftoken": (page(form).select_one("input[name=csrftoken]") or {}).get("value", ""), "words": SECRET}
    shown = page(await server.client.post("/-/memory/words", cookies=cookies, data=sent))
    assert shown.select_one("form.danger input[name=words]")["value"] == SECRET
    done = await server.client.post("/-/memory/words/forget", cookies=cookies, data={**sent, "confirm": SECRET[:8]})
    proof = await get(server, done.headers["location"], root=True)
    assert page(proof).select_one("h1").get_text() == "The words are gone" and "pangolin" not in proof.text


def test_rows_that_are_said_to_stay_are_only_updated() -> None:
    ways = {table: set[str]() for table, _ in STEPS}
    for table, statement in STEPS:
        if f" {table} " in statement:
            ways[table].add(statement.partition(" ")[0])
    assert set(KEPT_WITHOUT) == {table for table, how in ways.items() if how == {"update"}} - {"evidence"}, (
        "evidence goes with its memory"
    )


async def test_what_is_locked_and_what_was_copied_is_reported_on_the_page(
    server: Any, db: sqlite3.Connection, db_path: Path, now: datetime
) -> None:
    uid, other = remember(db, now, SECRET), remember(db, now, f"Sam says: {SECRET}")
    lock(db, other, by="user", reason="asked", now=now)
    copy = back_up(db, new_target(db_path, now)).path
    path = f"/-/memory/memories/{uid}/forget"
    shown = page(await get(server, path, root=True))
    (row,) = [each.get_text() for each in shown.select("section table")[0].select("tr") if other in each.get_text()]
    assert "kept" in row and "locked" in row and f"Sam says: {SECRET[:40]}" in row
    assert str(copy) in shown.get_text() and shown.select_one("form.danger input[name=backups]")
    assert (await post(server, f"{path}.json", confirm=uid, backups="perhaps")).status_code == 400
    done = (await post(server, f"{path}.json", confirm=uid, backups="yes")).json()
    assert not done["ok"] and done["locked"] == [other] and done["copies"] == [] and not copy.exists()
    assert "STILL HELD by 1 locked memory" in done["said"] and "pangolin" not in json.dumps(done)


async def test_the_form_leads_to_the_proof(server: Any, db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, now, SECRET)
    path = f"/-/memory/memories/{uid}/forget"
    form = await get(server, path, root=True)
    token = (page(form).select_one("input[name=csrftoken]") or {}).get("value", "")
    cookies = {**signed_in(server), **dict(form.cookies)}
    done = await server.client.post(path, cookies=cookies, data={"csrftoken": token, "confirm": uid})
    response = await get(server, done.headers["location"])
    found = page(response)
    assert f"Memory {uid} is gone" in found.select_one("h1").get_text()
    assert [cell.get_text() for cell in found.select("table.fates tbody td")] == ["forgotten", f"memory {uid}", "named"]
    assert "pangolin" not in response.text


@pytest.mark.parametrize("sort", ["session", "entry"])
async def test_a_session_and_an_entry_are_forgotten_from_their_pages(
    server: Any, db: sqlite3.Connection, db_path: Path, sort: str
) -> None:
    session, entry = db.execute(
        "select s.uid, e.uid from entries e join sessions s on s.id = e.session_id where e.text like '%make migrate%'"
    ).fetchone()
    uid, address = (session, f"sessions/{session}") if sort == "session" else (entry, f"entries/{entry}")
    shown = page(await get(server, f"/-/memory/sessions/{session}", root=True))
    path = f"/-/memory/{address}/forget"
    assert shown.select(f'a[href="{path}"]')
    assert not page(await get(server, f"/-/memory/sessions/{session}")).select(f'a[href="{path}"]'), "may not write"
    told = (await get(server, f"{path}.json")).json()
    assert told["thing"]["sort"] == sort and told["rows"]["entries"] >= 1
    assert page(await get(server, path, root=True)).select_one("form.danger input[name=confirm]")
    assert (await post(server, f"{path}.json", confirm="yes")).status_code == 400
    assert told["thing"]["typed"] == uid[:8], "enough to confirm with"
    done = (await post(server, f"{path}.json", confirm=uid[:8])).json()
    assert done["ok"] and done["said"].startswith(f"Forgot {sort} {uid}: looked for")
    assert page(await get(server, done["there"])).select(f'p > a[href="/-/memory/{address}"]'), "the proof leads back"
    assert db.execute("select text from entries where uid = ?", [entry]).fetchone()[0] == "[forgotten]"
    assert (await get(server, "/-/memory/sessions/none/forget")).status_code == 404
    assert (await get(server, "/-/memory/entries/none/forget")).status_code == 404


async def test_a_recall_begins_with_what_the_agent_read(server: Any, db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, now, SECRET)
    asked = ask(db, Question("pangolin bridge"), surface="hook", now=now)
    memory_id = db.execute("select id from memories where uid = ?", [uid]).fetchone()[0]
    add_evidence(
        db, memory_id, "used", "for", 1.0, "test", created_at=utc_text(now), now=now, recall_id=asked.recall_id
    )
    db.commit()
    shown = page(await get(server, f"/-/memory/recalls/{asked.recall_id}"))
    read = shown.select_one("section.read pre")
    [line] = read.select("a")
    assert line.get_text() == "hit 1" and "pangolin" in line.previous_sibling
    assert shown.select_one(f'article[id="{line["href"][1:]}"]') and line["href"] == f"#memory-{uid}"
    assert [came.get_text() for came in read.select("b.came")] == ["used"]
    headings = [each.get_text() for each in shown.select("h2")]
    assert headings[0] == "What the agent read"
