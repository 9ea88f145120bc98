"""Labels by hand, query sets made of recalls, and the compare page: what they write, refuse and show."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_db.errors import InputError, NotFoundError
from memory_db.evaluation import judgements as labelling
from memory_db.evaluation import metrics as evaluate
from memory_db.evaluation.judgements import asked_in, asked_now, gather, judge_hits, verdicts_on
from memory_db.pages import compare, evaluations
from memory_db.pages.web import compat
from memory_db.pages.web import respond as web
from memory_db.pages.web.serve import metadata_for
from memory_db.recall.brief import select as brief
from memory_db.recall.search import Question
from memory_db.store.dates import utc_text
from tests.support.in_process import made
from tests.support.in_process import soup as page

pytestmark = pytest.mark.slow

HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script> migrations \x1b[31m'

NOTES = [
    ("m1", "Run migrations with `make migrate`, never by hand."),
    ("m2", "Migrations of the shop wait for the nightly backup."),
    ("m3", "The migrations table is called schema_log."),
    ("m4", HOSTILE),
    ("m5", "Deploys go through the quay, on Tuesdays."),
]

QUESTION = "how do migrations run"


@pytest.fixture
def filled(db: sqlite3.Connection, db_path: Path, now: datetime) -> Path:
    """Five memories and an entry that one of them was made from; three recalls, two of the same question."""
    at = [utc_text(now - timedelta(days=days)) for days in (40, 2)]
    db.execute("insert into projects (name, canonical_path, created_at) values ('shop', '/home/dev/shop', ?)", [at[0]])
    db.execute("insert into sessions (uid, format, project_id, title) values ('s1', 'claude-code', 1, 'Work')")
    db.execute(
        "insert into entries (uid, session_id, role, kind, text, created_at)"
        " values ('e1', 1, 'user', 'prompt', 'Please run migrations with make migrate.', ?)",
        [at[0]],
    )
    db.execute("insert into session_entries values (1, 1, 0)")
    for number, (uid, text) in enumerate(NOTES):
        db.execute(
            "insert into memories (uid, kind, scope, project_id, title, text, tokens, origin, content_hash, valid_from,"
            " importance, changed_by, change_reason, created_at, updated_at)"
            " values (?, 'convention', 'project', 1, ?, ?, 9, 'user', ?, ?, ?, 'user', 'added', ?, ?)",
            [uid, text[:40], text, uid, at[number % 2], 1 + number, at[0], at[0]],
        )
    db.execute("insert into memory_sources (memory_id, entry_id, quote, created_at) values (1, 1, 'run', ?)", [at[0]])
    brief.ask(db, Question(QUESTION, project_id=1), surface="hook", now=now - timedelta(hours=2))
    brief.ask(db, Question("zebra quantum"), surface="cli", now=now - timedelta(hours=1))
    brief.ask(db, Question(QUESTION, project_id=1, limit=2), surface="datasette", now=now)
    return db_path


def make(path: Path, **plugin_settings: Any) -> Any:
    metadata = metadata_for(path)
    metadata.setdefault("plugins", {})["memory-db"] = plugin_settings
    return made(path, metadata)


@pytest.fixture
async def server(filled: Path) -> AsyncIterator[Any]:
    datasette = make(filled)
    await datasette.invoke_startup()
    compat.sign_in_path(datasette)
    yield datasette
    for database in datasette.databases.values():
        database.close()


def cookies_of(datasette: Any, actor: str = "root") -> dict[str, str]:
    return {"ds_actor": datasette.sign({"a": {"id": actor}}, "actor")}


async def get(server: Any, path: str, *, actor: str | None = None) -> Any:
    return await server.client.get(path, cookies=cookies_of(server, actor) if actor else None)


async def post(server: Any, path: str, fields: dict[str, Any], *, start: str = "/-/memory/recalls/1") -> Any:
    """Sends a form as a browser would: with the token and the cookie of the page that has it."""
    cookies = cookies_of(server)
    response = await server.client.get(start, cookies=cookies)
    token = page(response).select_one("input[name=csrftoken]")
    if "ds_csrftoken" in response.cookies:
        cookies["ds_csrftoken"] = response.cookies["ds_csrftoken"]
    return await server.client.post(path, data={"csrftoken": token["value"], **fields}, cookies=cookies)


async def send(server: Any, path: str, body: Any, *, actor: str | None = "root") -> Any:
    """Sends JSON as a program does: with a bearer token, which a browser never adds by itself."""
    return await server.client.post(
        path,
        content=body if isinstance(body, str) else json.dumps(body),
        headers={"content-type": "application/json", "authorization": "Bearer of-a-plugin"},
        cookies=cookies_of(server, actor) if actor else None,
    )


def judgements(db: sqlite3.Connection, name: str = "own") -> list[tuple[Any, ...]]:
    rows = db.execute(
        "select q.query, coalesce(m.uid, e.uid), j.relevance, j.judged_by from judgements j"
        " join labelled_queries q on q.id = j.labelled_query_id join query_sets s on s.id = q.query_set_id"
        " left join memories m on m.id = j.memory_id left join entries e on e.id = j.entry_id"
        " where s.name = ? order by 1, 2",
        [name],
    )
    return [tuple(row) for row in rows]


# ---------------------------------------------------------------- labels as rows


def test_a_question_asked_twice_is_judged_once(filled: Path, db: sqlite3.Connection, now: datetime) -> None:
    first, again = asked_in(db, "1"), asked_in(db, "3")
    assert first.uid == again.uid
    judge_hits(db, first, {("memory", "m1"): 1, ("entry", "e1"): 1}, judged_by="root", now=now)
    judge_hits(db, again, {("memory", "m2"): 0}, judged_by="root", now=now)
    row = db.execute("select * from labelled_queries").fetchall()
    assert len(row) == 1
    assert (row[0]["recall_id"], row[0]["asked_at"], row[0]["project_id"]) == (3, again.asked_at, 1)
    assert judgements(db) == [(QUESTION, "e1", 1, "root"), (QUESTION, "m1", 1, "root"), (QUESTION, "m2", 0, "root")]
    before = judgements(db)
    judge_hits(db, again, {("memory", "m2"): 0}, judged_by="somebody else", now=now)
    assert judgements(db) == before
    labelled = evaluate.collect(db, "own")
    assert labelled[0].wanted == {("memory", 1), ("entry", 1)}
    assert labelled[0].barred == {("memory", 2)}


def test_taking_back_the_last_verdict_takes_back_the_question(
    filled: Path, db: sqlite3.Connection, now: datetime
) -> None:
    asked = asked_in(db, "1")
    judge_hits(db, asked, {("memory", "m1"): 1, ("memory", "m2"): 0}, judged_by="root", now=now)
    counts = judge_hits(db, asked, {("memory", "m1"): None}, judged_by="root", now=now)
    assert counts == {"judged": 0, "taken_back": 1}
    assert judgements(db) == [(QUESTION, "m2", 0, "root")]
    judge_hits(db, asked, {("memory", "m2"): None}, judged_by="root", now=now)
    assert db.execute("select count(*) from labelled_queries").fetchone()[0] == 0


def test_what_is_not_there_changes_nothing(filled: Path, db: sqlite3.Connection, now: datetime) -> None:
    asked = asked_in(db, "1")
    with pytest.raises(NotFoundError, match="No memory 'nope'"):
        judge_hits(db, asked, {("memory", "m1"): 1, ("memory", "nope"): 1}, judged_by="root", now=now)
    with pytest.raises(InputError, match="cannot be judged"):
        judge_hits(db, asked, {("table", "m1"): 1}, judged_by="root", now=now)
    with pytest.raises(NotFoundError, match="No recall '99'"):
        asked_in(db, "99")
    with pytest.raises(InputError, match="No question"):
        asked_now("  ", None, now=now)
    assert db.execute("select count(*) from query_sets").fetchone()[0] == 0


def test_recalls_become_a_query_set(filled: Path, db: sqlite3.Connection, now: datetime) -> None:
    judge_hits(db, asked_in(db, "1"), {("memory", "m1"): 1, ("memory", "m2"): 0}, judged_by="root", now=now)
    db.execute(
        "insert into evidence (memory_id, kind, direction, weight, source, recall_id, created_at)"
        " values (3, 'cited', 'for', 1, 'answer', 3, ?)",
        [utc_text(now)],
    )
    counts = gather(db, "week-45", ["1", "2", "3"], now=now)
    assert counts == {"queries": 1, "judgements": 3, "negatives": 0, "waiting": 1}
    assert judgements(db, "week-45") == [
        (QUESTION, "m1", 1, "root"), (QUESTION, "m2", 0, "root"), (QUESTION, "m3", 1, "citation"),
    ]  # fmt: skip
    assert gather(db, "week-45", ["1", "2", "3"], now=now) == counts
    row = db.execute("select recall_id, style from labelled_queries where query_set_id = 2").fetchall()
    assert [tuple(each) for each in row] == [(3, "question")]
    assert gather(db, "week-45", ["2"], keep_unjudged=True, now=now)["negatives"] == 1
    assert sorted(each.is_negative for each in evaluate.collect(db, "week-45")) == [False, True]


def test_a_later_verdict_reaches_every_set(filled: Path, db: sqlite3.Connection, now: datetime) -> None:
    gather(db, "hopeless", ["2"], keep_unjudged=True, now=now)
    asked = asked_in(db, "2")
    judge_hits(db, asked, {("memory", "m5"): None}, judged_by="root", now=now)
    assert db.execute("select style from labelled_queries").fetchone()[0] == "negative"
    judge_hits(db, asked, {("memory", "m5"): 1}, judged_by="root", now=now)
    assert judgements(db, "hopeless") == judgements(db) == [("zebra quantum", "m5", 1, "root")]
    assert {row[0] for row in db.execute("select style from labelled_queries")} == {"question"}
    assert verdicts_on(db, "zebra quantum", None)["memory", "m5"].by_hand


@pytest.mark.parametrize("name", ["own", "sample", "", "a b", "x" * 61, "<b>"])
def test_names_that_a_set_cannot_have(filled: Path, db: sqlite3.Connection, now: datetime, name: str) -> None:
    with pytest.raises(InputError):
        gather(db, name, ["1"], now=now)
    with pytest.raises(InputError, match="No recalls were selected"):
        gather(db, "good", [], now=now)


# ------------------------------------------------------------- judging on a page


async def test_a_form_judges_and_leads_back_to_the_hit(server: Any, db: sqlite3.Connection) -> None:
    response = await post(server, "/-/memory/judge", {"recall": "1", "relevant": "memory:m1"})
    assert response.status_code == 303
    assert response.headers["location"] == "/-/memory/recalls/1#memory-m1"
    await post(server, "/-/memory/judge", {"recall": "3", "not_relevant": "memory:m2"})
    assert judgements(db) == [(QUESTION, "m1", 1, "root"), (QUESTION, "m2", 0, "root")]
    for path in ("/-/memory/recalls/1", "/-/memory/recalls/3", "/-/memory/recall?q=how+do+migrations+run&project=shop"):
        soup = page(await get(server, path, actor="root"))
        pressed = [button["value"] for button in soup.select("button[aria-pressed=true]")]
        assert sorted(pressed) == ["memory:m1", "memory:m2"], path
        assert "2 hits judged" in soup.select_one("#judging-status").get_text()
        assert soup.select_one('[id="memory-m1"] button[name=undo]')
    await post(server, "/-/memory/judge", {"recall": "1", "undo": "memory:m1"})
    assert judgements(db) == [(QUESTION, "m2", 0, "root")]


async def test_every_hit_has_its_buttons_and_the_keys_are_reported(server: Any) -> None:
    for path in ("/-/memory/recalls/3", "/-/memory/recall?q=migrations&limit=1"):
        soup = page(await get(server, path, actor="root"))
        hits = soup.select("[data-hit]")
        assert len(hits) > len(soup.select("article.hit")) > 0
        assert all(len(hit.select("button[form=judging]")) == 2 for hit in hits)
        assert {key.get_text() for key in soup.select("#judging-keys kbd")} == {"j", "k", "r", "n", "u"}
        form = soup.select_one("form#judging")
        assert (form["method"], form["action"]) == ("post", "/-/memory/judge")
        assert soup.select("head script[src='/assets/judge.js']")
    assert (await get(server, "/assets/judge.js")).status_code == 200


async def test_who_is_not_signed_in_sees_why_not(filled: Path, db: sqlite3.Connection, now: datetime) -> None:
    server = make(filled, open_to_this_machine=True)
    judge_hits(db, asked_in(db, "1"), {("memory", "m1"): 1}, judged_by="root", now=now)
    for path in ("/-/memory/recalls/1", "/-/memory/recall?q=how+do+migrations+run&project=shop"):
        soup = page(await server.client.get(path, cookies={}))
        assert not soup.select("button[form=judging], form#judging, input[name=csrftoken]")
        assert "To judge hits, open the signed-in link" in soup.get_text()
        assert "✓ relevant by root" in " ".join(soup.get_text().split())
    other = page(await get(server, "/-/memory/recalls/1", actor="guest"))
    assert "You can read but not judge" in other.get_text()
    assert not page(await server.client.get("/-/memory/recalls", cookies={})).select("input[type=checkbox]")


async def test_a_program_judges_by_json(server: Any, db: sqlite3.Connection) -> None:
    body = {"recall": 1, "relevant": ["memory:m1", "entry:e1"], "not_relevant": "memory:m3"}
    answer = await send(server, "/-/memory/judge.json", body)
    assert answer.status_code == 200
    data = answer.json()
    assert (data["ok"], data["judged"], data["query_set"]) == (True, 3, "own")
    assert [(hit["hit"], hit["relevance"]) for hit in data["hits"]] == [
        ("entry:e1", 1), ("memory:m1", 1), ("memory:m3", 0),
    ]  # fmt: skip
    words = await send(
        server, "/-/memory/judge.json", {"q": "when do we deploy", "project": "shop", "relevant": "memory:m5"}
    )
    assert words.json()["recall"] is None
    assert judgements(db)[-1] == ("when do we deploy", "m5", 1, "root")


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"recall": 1}, 400, "0 hits are named"),
        ({"recall": 99, "relevant": "memory:m1"}, 404, "No recall '99'"),
        ({"recall": 1, "relevant": "memory:nope"}, 404, "No memory 'nope'"),
        ({"recall": 1, "relevant": "m1"}, 400, "'m1' cannot be judged"),
        ({"recall": 1, "relevant": "memory:m1", "undo": "memory:m1"}, 400, "is judged in two ways"),
        ({"relevant": "memory:m1"}, 400, "No question to judge for"),
        ({"q": "x", "project": "nope", "relevant": "memory:m1"}, 404, "No project 'nope'"),
        ([1, 2], 400, "no JSON object"),
        ("{", 400, "cannot be read"),
        ("[" * 90_000, 400, "cannot be read"),
        ("\x00", 400, "cannot be read"),
        ('{"recall": 1, "relevant": "' + "x" * 100_000 + '"}', 400, "bytes were sent, at most"),
    ],
)
async def test_bad_judgements_are_refused_in_one_line(
    server: Any, db: sqlite3.Connection, body: Any, status: int, words: str
) -> None:
    answer = await send(server, "/-/memory/judge.json", body)
    assert answer.status_code == status
    assert words in answer.json()["error"]
    assert "\n" not in answer.json()["error"]
    assert judgements(db) == []


async def test_only_who_may_write_writes(server: Any, filled: Path, db: sqlite3.Connection) -> None:
    body = {"recall": 1, "relevant": "memory:m1"}
    for path, sent in (
        ("/-/memory/judge.json", body),
        ("/-/memory/query-sets.json", {"name": "x", "recall": [2], "unjudged": "negative"}),
    ):
        for actor in (None, "guest"):
            refused = await send(server, path, sent, actor=actor)
            assert refused.status_code == (403 if actor else 401)
            assert "may write" in refused.json()["error"] or not actor
        assert (await get(server, path, actor="root")).status_code == 405
    assert db.execute("select count(*) from query_sets").fetchone()[0] == 0
    opened = make(filled, may_write={"id": ["root", "guest"]})
    await opened.invoke_startup()
    assert (await send(opened, "/-/memory/judge.json", body, actor="guest")).status_code == 200
    assert judgements(db) == [(QUESTION, "m1", 1, "guest")]


async def test_another_site_cannot_judge(server: Any, db: sqlite3.Connection) -> None:
    headers = {"origin": "http://evil.example", "sec-fetch-site": "cross-site"}
    fields = {"recall": "1", "relevant": "memory:m1", "csrftoken": "guessed"}
    for path in ("/-/memory/judge", "/-/memory/judge.json", "/-/memory/query-sets"):
        refused = await server.client.post(path, data=fields, cookies=cookies_of(server), headers=headers)
        assert refused.status_code == 403
    assert judgements(db) == []


async def test_selected_recalls_become_a_set(server: Any, db: sqlite3.Connection) -> None:
    soup = page(await get(server, "/-/memory/recalls?who=all", actor="root"))
    assert [box["value"] for box in soup.select("input[name=recall]")] == ["3", "2", "1"]
    start = "/-/memory/recalls"
    everybody = "/-/memory/recalls.json?who=all"
    assert [row["judged"] for row in (await get(server, everybody)).json()["recalls"]] == [0, 0, 0]
    nothing = await post(server, "/-/memory/query-sets", {"name": "mine", "recall": ["1", "2"]}, start=start)
    assert nothing.headers["location"] == "/-/memory/recalls"
    assert db.execute("select count(*) from query_sets").fetchone()[0] == 0
    await post(server, "/-/memory/judge", {"recall": "1", "relevant": "memory:m1"})
    assert [row["judged"] for row in (await get(server, everybody)).json()["recalls"]] == [1, 0, 1]
    made = await post(server, "/-/memory/query-sets", {"name": "mine", "recall": ["1", "2"]}, start=start)
    assert made.status_code == 303
    assert made.headers["location"] == "/-/memory/compare?set=mine"
    assert judgements(db, "mine") == [(QUESTION, "m1", 1, "root")]
    as_json = await send(server, "/-/memory/query-sets.json", {"name": "mine", "recall": [2], "unjudged": "negative"})
    assert (as_json.json()["queries"], as_json.json()["negatives"]) == (1, 1)
    bad = await send(server, "/-/memory/query-sets.json", {"name": "own", "recall": [1]})
    assert bad.status_code == 400


def test_bodies_are_read_as_lists_of_text() -> None:
    assert web.posted(b"a=1&a=2&b=", "application/x-www-form-urlencoded") == {"a": ["1", "2"], "b": [""]}
    assert web.posted(b'{"a": [1, "x"], "b": null, "c": 2}', "application/json; charset=utf-8") == {
        "a": ["1", "x"],
        "b": [],
        "c": ["2"],
    }
    assert evaluations.verdicts_in({"relevant": ["memory:a:b"]}) == {("memory", "a:b"): 1}


# ---------------------------------------------------------------- the compare page


async def test_sides_are_what_each_profile_would_show(server: Any, db: sqlite3.Connection, now: datetime) -> None:
    names = ["default", "keyword_only", "memem"]
    query = "&".join(["q=how+do+migrations+run&project=shop&limit=3", *(f"profile={name}" for name in names)])
    before = db.execute("select count(*) from recalls").fetchone()[0]
    data = (await get(server, f"/-/memory/compare.json?{query}", actor="root")).json()
    assert [profile["name"] for profile in data["profiles"]] == names
    uids = {hit["number"]: hit["uid"] for hit in data["sides"]["hits"]}
    for side, name in enumerate(names):
        question = Question(QUESTION, project_id=1, limit=3, profile=name)
        answer = brief.ask(db, question, surface="cli", now=datetime.now(now.tzinfo), log=False)
        shown = [row["cells"][side] for row in data["sides"]["rows"]]
        assert [uids[cell["hit"]] for cell in shown if cell] == [hit.uid for hit in answer.shown], name
        for cell, hit in zip(shown, answer.shown, strict=False):
            assert cell["score"] == pytest.approx(hit.score, abs=1e-4)
    assert db.execute("select count(*) from recalls").fetchone()[0] == before


async def test_a_logged_recall_is_ranked_by_what_was_logged(server: Any, db: sqlite3.Connection) -> None:
    data = (await get(server, "/-/memory/compare.json?recall=1")).json()
    names = [profile["name"] for profile in data["profiles"]]
    assert names == list(compare.USUAL)
    logged = {
        (row["profile"], row["uid"]): row["score"]
        for row in db.execute(
            "select s.profile, coalesce(m.uid, e.uid) as uid, s.score from profile_scores s"
            " join hits h on h.id = s.hit_id left join memory_versions v on v.id = h.memory_version_id"
            " left join memories m on m.id = v.memory_id left join entries e on e.id = h.entry_id"
            " where s.recall_id = 1"
        )
    }
    uids = {hit["number"]: hit["uid"] for hit in data["sides"]["hits"]}
    for side, name in enumerate(names):
        scores = [row["cells"][side]["score"] for row in data["sides"]["rows"] if row["cells"][side]]
        assert scores == sorted(scores, reverse=True)
        for row in data["sides"]["rows"]:
            if cell := row["cells"][side]:
                assert cell["score"] == pytest.approx(logged[name, uids[cell["hit"]]], abs=1e-12)
    shown = [row["uid"] for row in (await get(server, "/-/memory/recalls/1.json")).json()["hits"]]
    assert [uids[row["cells"][0]["hit"]] for row in data["sides"]["rows"]][: len(shown)] == shown


async def test_what_only_one_shows_is_marked_and_verdicts_are_seen(
    server: Any, db: sqlite3.Connection, now: datetime
) -> None:
    judge_hits(db, asked_in(db, "1"), {("memory", "m1"): 1, ("memory", "m2"): 0}, judged_by="root", now=now)
    path = "/-/memory/compare?recall=1&profile=keyword_only&profile=memlayer&limit=1"
    data = (await get(server, path.replace("?", ".json?"))).json()
    for hit in data["sides"]["hits"]:
        showing = [place for place, found in enumerate(hit["places"]) if found]
        assert hit["only"] == (showing[0] if len(showing) == 1 else None)
    soup = page(await get(server, path))
    only = [hit for hit in data["sides"]["hits"] if hit["only"] is not None]
    assert len(soup.select("td.only")) == len(only)
    assert "✓ relevant" in soup.select_one("table.sides").get_text()
    assert "1 judged relevant" in soup.select_one("table.sides thead").get_text()


def test_what_says_the_same_and_sources_of_shown_memories_are_passed_over() -> None:
    def hit(text: str, number: int, entry_id: int | None = None, sources: tuple[int, ...] = ()) -> dict[str, Any]:
        return {"text": text, "entry_id": entry_id, "sources": set(sources), "order": (number,)}

    hits = [hit("A  b", 0), hit("a B", 1), hit("c", 2, sources=(7,)), hit("said", 3, entry_id=7), hit("d", 4)]
    assert compare.shown(hits, [0.5, 0.9, 0.5, 0.4, 0.1], 0.0, 10) == [1, 2, 4]
    assert compare.shown(hits, [0.5, 0.9, 0.5, 0.4, 0.1], 0.5, 10) == [1, 2]
    assert compare.shown(hits, [0.5, 0.9, 0.5, 0.4, 0.1], 0.0, 1) == [1]


async def test_totals_over_a_set_are_those_of_evaluate(server: Any, db: sqlite3.Connection, now: datetime) -> None:
    judge_hits(db, asked_in(db, "1"), {("memory", "m1"): 1}, judged_by="root", now=now)
    gather(db, "mine", ["1", "2"], keep_unjudged=True, now=now)
    data = (await get(server, "/-/memory/compare.json?set=mine&profile=default&profile=memlayer")).json()
    totals = data["totals"]
    assert (totals["questions"], totals["answerable"], data["sides"]) == (2, 1, None)
    labelled = evaluate.collect(db, "mine", semantic=compare.find_semantic(db).index)
    for row, profile in zip(totals["profiles"], data["profiles"], strict=True):
        expected = evaluate.evaluate(labelled, profile["weights"])
        assert row["mrr"]["value"] == pytest.approx(expected["mrr"].value)
        assert row["recall@10"]["low"] <= row["recall@10"]["value"] <= row["recall@10"]["high"]
    assert totals["profiles"][0]["difference"] is None
    assert totals["profiles"][1]["difference"]["low"] <= totals["profiles"][1]["difference"]["high"]
    soup = page(await get(server, "/-/memory/compare?set=mine"))
    assert len(soup.select("table.totals tbody tr")) == len(compare.USUAL)
    gather(db, "hopeless", ["2"], keep_unjudged=True, now=now)
    none = await get(server, "/-/memory/compare?set=hopeless")
    assert none.status_code == 200
    assert "there is nothing to measure" in none.text


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("recall=99", 404, "No recall '99'"),
        ("q=x&profile=nope", 404, "No profile 'nope'"),
        ("set=nope", 404, "No query set 'nope'"),
        ("q=x&limit=0", 400, "limit '0' cannot be used"),
        ("&".join(f"profile=default@{number}" for number in range(9)), 400, "do not fit side by side"),
    ],
)
async def test_bad_comparisons_get_one_line(server: Any, query: str, status: int, words: str) -> None:
    response = await get(server, f"/-/memory/compare?{query}")
    assert response.status_code == status
    assert words in page(response).select_one("[role=alert]").get_text()
    assert words in (await get(server, f"/-/memory/compare.json?{query}")).json()["error"]


async def test_what_evaluations_measured_is_shown_by_data_set(server: Any, db: sqlite3.Connection) -> None:
    empty = page(await get(server, "/-/memory/compare"))
    assert "memory-db evaluate locomo10.json --format locomo" in empty.select_one("section pre").get_text()
    found = {"mean": 0.5, "low": 0.4, "high": 0.6}
    measured = {
        "queries": 10,
        "recall@10": found,
        "difference": {"against": "keyword_only", "recall@10": {**found, "mean": 0.45}},
    }
    worse = {"recall@10": {**found, "mean": 0.1}}
    runs = [
        ("chats", "old", 9, "default", measured),  # of another state of the data set
        ("chats", "new", 12, "default", {"recall@10": found}),  # measured again below
        ("chats", "new", 12, "keyword_only", worse),
        ("chats", "new", 12, "default", measured),
        ("<b>", None, 3, "memem", ["no figures"]),
    ]
    db.executemany(
        "insert into eval_runs (dataset, format, file_hash, query_count, profile, profile_version, weights, metrics,"
        " started_at, duration_ms) values (?, 'locomo', ?, ?, ?, 1, '{}', ?, '2026-11-01T09:00:00.000Z', 1)",
        [(*run[:-1], json.dumps(run[-1])) for run in runs],
    )
    db.execute("commit") if db.in_transaction else None
    data = (await get(server, "/-/memory/compare.json")).json()["data_sets"]
    assert [(each["name"], each["queries"], each["against"]) for each in data] == [
        ("<b>", 3, None), ("chats", 12, "keyword_only")]  # fmt: skip
    best, other = data[1]["runs"]
    assert (best["profile"], best["recall@10"]["value"], best["difference"]["value"]) == ("default", 0.5, 0.45)
    assert (other["profile"], other["difference"], other["recall@5"]) == ("keyword_only", None, None)
    soup = page(await get(server, "/-/memory/compare"))
    assert [each.get_text() for each in soup.select("section h3")] == ["<b>", "chats"]
    assert "in the first 10, against keyword_only" in soup.get_text()
    assert data[0]["verdict"] is None and data[1]["verdict"]["what"] == "better"
    said = "default finds the answer among the first 10 hits in about 4 more of the 10 questions than keyword_only"
    assert said in soup.get_text()
    assert "+0.450 +0.400 to +0.600" in " ".join(soup.select("table.totals")[1].get_text().split())
    assert soup.select_one("table.totals a")["href"].endswith("/eval_runs/5")


async def test_pages_link_to_the_comparison(server: Any) -> None:
    asked = page(await get(server, "/-/memory/recall?q=migrations&project=shop"))
    link = asked.select_one(".memory a[href^='/-/memory/compare?q=']")["href"]
    assert "project=shop" in link
    assert (await get(server, link)).status_code == 200
    why = page(await get(server, "/-/memory/recalls/1"))
    assert why.select("a[href='/-/memory/compare?recall=1']")
    empty = await get(server, "/-/memory/compare")
    assert empty.status_code == 200
    assert "Write a question; or choose a query set" in empty.text


@pytest.mark.parametrize(
    "path", ["/-/memory/recalls/1", "/-/memory/recalls", "/-/memory/compare?recall=1", "/-/memory/compare?q=migrations"]
)
async def test_text_of_the_file_is_never_markup(server: Any, path: str) -> None:
    response = await get(server, path, actor="root")
    main = page(response).select_one(".memory")
    assert not main.select("script, img, iframe, object, embed, [onerror], [onclick], [style]")
    assert "\x1b" not in response.text
    assert len(response.content) < 150_000


def test_reserved_sets_are_those_that_fill_themselves() -> None:
    assert labelling.RESERVED == ("own", "sample")
