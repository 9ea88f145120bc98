"""Supersession: the rows, the guards, and an old hit that brings its successor."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner

from memory_db.cli.group import cli
from memory_db.cli.recall.recall import print_answer
from memory_db.errors import InputError, NotFoundError
from memory_db.index import build as index
from memory_db.index import signatures
from memory_db.index.semantic import open_semantic
from memory_db.knowledge.memories import add_memory, correct
from memory_db.knowledge.succession import describe_succession, supersede
from memory_db.recall.answer import hit_data
from memory_db.recall.brief.select import ask
from memory_db.recall.explain import why
from memory_db.recall.explain.lookup import look_up
from memory_db.recall.question_dates import with_window
from memory_db.recall.search import Filters, Question, recall
from memory_db.store import settings
from memory_db.store.dates import utc_text
from memory_db.transcripts.projects import make_project
from memory_db.upkeep.check import check

OLD = "Runserver listens on port 8000 beside Mailpit."
NEW = "The development machine answers at 8040."
NEWEST = "Nothing runs locally any more, use the cluster."


def add(
    db: sqlite3.Connection, text: str, now: datetime, project: int | None = None, *, said_at: str | None = None
) -> str:
    scope = "user" if project is None else "project"
    return add_memory(db, text=text, kind="environment", scope=scope, project_id=project, now=now, created_at=said_at)


def replaced(db: sqlite3.Connection, old: str, new: str, now: datetime, by: str = "user") -> bool:
    return supersede(db, old, new, reason="moved", by=by, now=now)


def texts(db: sqlite3.Connection, question: Question, now: datetime) -> list[str]:
    return [hit.text for hit in ask(db, question, surface="test", now=now).shown]


def complaints(db: sqlite3.Connection) -> list[tuple[str, str]]:
    return [(found.where, found.detail) for found in check(db) if found.what == "what is superseded has a successor"]


# ------------------------------------------------------------------------ the rows


def test_superseding_closes_the_old_one_and_draws_the_edge(db: sqlite3.Connection, now: datetime, project: int) -> None:
    old = add(db, OLD, now, project, said_at="2026-02-01")
    new = add(db, NEW, now, project, said_at="2026-05-01")
    assert replaced(db, old, new, now + timedelta(hours=1)) is True
    row = db.execute("select * from memories where uid = ?", [old]).fetchone()
    assert (row["status"], row["valid_to"], row["changed_by"]) == ("superseded", "2026-05-01T00:00:00.000Z", "user")
    versions = db.execute(
        "select version, status, recorded_from from memory_versions where memory_id = ? order by version", [row["id"]]
    ).fetchall()
    assert [(version["version"], version["status"]) for version in versions] == [(1, "active"), (2, "superseded")]
    edge = db.execute("select * from edges").fetchone()
    assert (edge["kind"], edge["reason"], edge["created_by"]) == ("supersedes", "moved", "user")
    assert edge["created_at"] == versions[1]["recorded_from"]
    assert [look_up(db, old)["replaced_by"][0]["uid"], look_up(db, new)["replaces"][0]["uid"]] == [new, old]
    assert complaints(db) == []


def test_superseding_again_changes_nothing(db: sqlite3.Connection, now: datetime) -> None:
    old, new = add(db, OLD, now), add(db, NEW, now)
    replaced(db, old, new, now + timedelta(hours=1))
    before = list(db.iterdump())
    assert replaced(db, old, new, now + timedelta(hours=2)) is False
    assert list(db.iterdump()) == before


def test_a_successor_that_was_said_earlier_does_not_turn_time_round(db: sqlite3.Connection, now: datetime) -> None:
    old, new = add(db, OLD, now, said_at="2026-05-01"), add(db, NEW, now, said_at="2026-02-01")
    replaced(db, old, new, now)
    row = db.execute("select valid_from, valid_to from memories where uid = ?", [old]).fetchone()
    assert row["valid_to"] == row["valid_from"]


def test_only_a_person_replaces_what_is_locked(db: sqlite3.Connection, now: datetime) -> None:
    old, new = add(db, OLD, now), add(db, NEW, now)
    db.execute("update memories set lock_level = 'user' where uid = ?", [old])
    with pytest.raises(InputError, match="is locked"):
        replaced(db, old, new, now, by="gate")
    assert replaced(db, old, new, now) is True


def test_no_circle(db: sqlite3.Connection, now: datetime) -> None:
    one, two, three = add(db, OLD, now), add(db, NEW, now), add(db, NEWEST, now)
    replaced(db, one, two, now)
    replaced(db, two, three, now)
    for old, new in ((three, one), (two, one), (one, one)):
        with pytest.raises(InputError):
            replaced(db, old, new, now)
    assert db.execute("select status from memories where uid = ?", [three]).fetchone()[0] == "active"


def test_a_successor_holds_wherever_the_old_one_did(db: sqlite3.Connection, now: datetime, project: int) -> None:
    other = make_project(db, "/home/d/ferry", None, now)
    here, everywhere = add(db, OLD, now, project), add(db, NEW, now)
    for old, new in ((here, add(db, NEWEST, now, other)), (everywhere, here)):
        with pytest.raises(InputError, match="Name a successor that holds there"):
            replaced(db, old, new, now)
    assert replaced(db, here, everywhere, now) is True


def test_what_is_retired_or_unknown_takes_no_part(db: sqlite3.Connection, now: datetime) -> None:
    old, new = add(db, OLD, now), add(db, NEW, now)
    db.execute("update memories set status = 'retired' where uid = ?", [new])
    with pytest.raises(InputError, match="is retired"):
        replaced(db, old, new, now)
    with pytest.raises(NotFoundError):
        replaced(db, old, "m00000000", now)
    assert db.in_transaction is False


def test_a_correction_takes_the_place_of_the_old_memory(db: sqlite3.Connection, now: datetime, project: int) -> None:
    old = add_memory(
        db, text=OLD, kind="environment", scope="project", project_id=project, tags=["ports"], paths=["compose.yml"],
        importance=5, now=now,
    )  # fmt: skip
    db.execute("update memories set lock_level = 'user' where uid = ?", [old])
    with pytest.raises(InputError, match="says this already"):
        correct(db, old, OLD, reason="wrong", by="user", now=now)
    uid = correct(db, old, NEW, reason="wrong", by="user", now=now)
    found = look_up(db, uid)
    assert (found["kind"], found["importance"], found["project"], found["lock_level"]) == (
        "environment", 5, "quay", "user",
    )  # fmt: skip
    assert (found["tags"], found["paths"]) == (["ports"], ["compose.yml"])
    assert look_up(db, old)["status"] == "superseded"
    assert complaints(db) == []


# ---------------------------------------------------------------------- the recall


@pytest.mark.parametrize("profile", ["default", "hook", "keyword_only"])
def test_an_old_hit_brings_its_successor(db: sqlite3.Connection, now: datetime, profile: str) -> None:
    replaced(db, add(db, OLD, now), add(db, NEW, now), now)
    index.run(db, now=now)
    hits = recall(db, Question("runserver mailpit", profile=profile), now=now).hits
    db_texts = {row["id"]: row["text"] for row in db.execute("select id, text from memory_versions")}
    assert [db_texts[hit.memory_version_id or 0] for hit in hits] == [NEW]
    assert hits[0].features.bm25 == 0.0
    assert (hits[0].features.outdated_bm25 or 0) > 0


def test_the_chain_is_followed_to_its_end(db: sqlite3.Connection, now: datetime) -> None:
    one, two, three = add(db, OLD, now), add(db, NEW, now), add(db, NEWEST, now)
    replaced(db, two, three, now)
    replaced(db, one, two, now)
    assert texts(db, Question("runserver mailpit"), now) == [NEWEST]
    assert look_up(db, one)["replaced_by"][0]["uid"] == two


def test_meaning_finds_the_old_one_too(db: sqlite3.Connection, now: datetime) -> None:
    old = add(db, "Cats and dogs sleep in the kitchen.", now)
    replaced(db, old, add(db, NEWEST, now), now)
    index.run(db, now=now)
    semantic = open_semantic(db)
    assert semantic is not None
    recalled = recall(db, Question("where do our pets rest at night"), now=now, semantic=semantic)
    assert len(recalled.hits) == 1
    hit = recalled.hits[0]
    assert (hit.features.outdated_cosine or 0) > 0.3 > (hit.features.cosine or 0)


@pytest.mark.slow
def test_static_vectors_find_the_old_one_in_a_hook(db: sqlite3.Connection, now: datetime) -> None:
    settings.put(db, "embedding_model", "none", now=now)
    replaced(db, add(db, "Cats and dogs sleep in the kitchen.", now), add(db, NEWEST, now), now)
    for number in range(200):
        add(db, f"Invoice number {number} is rounded to cents.", now)
    index.run(db, now=now)
    signatures.refresh(db)
    assert NEWEST in {hit.text for hit in ask(
        db, Question("pets", profile="hook", limit=50), surface="test", now=now).hits}  # fmt: skip


def test_an_outdated_text_is_never_shown(db: sqlite3.Connection, now: datetime) -> None:
    replaced(db, add(db, OLD, now), add(db, f"{OLD} No: 8040.", now), now)
    assert texts(db, Question("runserver port mailpit"), now) == [f"{OLD} No: 8040."]


def test_a_brief_says_what_was_replaced_where_that_was_asked_for(db: sqlite3.Connection, now: datetime) -> None:
    old = add(db, OLD, now, said_at="2026-02-01")
    replaced(db, old, add(db, NEW, now, said_at="2026-05-01"), now)
    line = ask(db, Question("runserver mailpit"), surface="test", now=now).text.splitlines()[2]
    assert "replaces: Runserver listens on port 8000 beside Mailpit, until 2026-05-01)" in line
    assert "replaces" not in ask(db, Question("development machine"), surface="test", now=now).text


def test_as_of_follows_the_chain_as_it_was_recorded_then(db: sqlite3.Connection, now: datetime) -> None:
    days = [now + timedelta(days=number) for number in range(4)]
    one, two, three = add(db, OLD, now), add(db, NEW, now), add(db, NEWEST, now)
    replaced(db, one, two, days[1])
    replaced(db, two, three, days[2])

    def shown(day: datetime) -> list[str]:
        return texts(db, Question("runserver", filters=Filters(as_of=(day + timedelta(hours=1)).isoformat())), days[3])

    assert [shown(day) for day in days] == [[OLD], [NEW], [NEWEST], [NEWEST]]


def test_before_a_date_what_held_then_is_shown(db: sqlite3.Connection, now: datetime) -> None:
    old = add(db, OLD, now, said_at="2026-02-01")
    replaced(db, old, add(db, NEW, now, said_at="2026-05-01"), now)
    answer = ask(db, Question("runserver", filters=Filters(before="2026-03-01")), surface="test", now=now)
    assert [hit.text for hit in answer.shown] == [OLD]
    assert ", the user, 1 Feb, until 2026-05-01)" in answer.text
    assert texts(db, Question("runserver", filters=Filters(before="2026-06-01")), now) == [NEW]
    assert texts(db, Question("runserver", filters=Filters(since="2026-04-01")), now) == [NEW]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("how did we start the runserver in March 2026", OLD),
        ("how did we start the runserver before 2026-04-01", OLD),
        ("how did we start the runserver in June 2026", NEW),
        ("how have we started the runserver since March 2026", NEW),
        ("how do we start the runserver", NEW),
    ],
)
def test_a_time_in_words_brings_what_held_at_its_end(
    db: sqlite3.Connection, now: datetime, query: str, first: str
) -> None:
    old = add(db, OLD, now, said_at="2026-02-01")
    replaced(db, old, add(db, NEW, now, said_at="2026-05-01"), now)
    question = with_window(db, Question(query, scope="memories"), now, ZoneInfo("UTC"))
    answer = ask(db, question, surface="test", now=now)
    assert answer.shown[0].text == first
    assert (OLD in [hit.text for hit in answer.shown]) == (first == OLD)
    assert f"{OLD} (environment, any project, the user, 1 Feb, until 2026-05-01)" in answer.text or first != OLD


def test_the_command_line_says_until_when_it_held(
    db: sqlite3.Connection, now: datetime, capsys: pytest.CaptureFixture[str]
) -> None:
    old = add(db, OLD, now, said_at="2026-02-01")
    replaced(db, old, add(db, NEW, now, said_at="2026-05-01"), now)
    for before, until in (("2026-03-01", "2026-05-01T00:00:00.000Z"), ("2026-06-01", None)):
        answer = ask(db, Question("runserver", filters=Filters(before=before)), surface="test", now=now)
        print_answer(answer, explain=False)
        assert until is None or "· until 2026-05-01" in capsys.readouterr().out
        assert [hit_data(hit)["valid_to"] for hit in answer.shown] == [until]


def test_filters_hold_for_the_successor(db: sqlite3.Connection, now: datetime, project: int) -> None:
    replaced(db, add(db, OLD, now, project), add(db, NEW, now, project), now)
    other = make_project(db, "/home/d/ferry", None, now)
    assert texts(db, Question("runserver", project_id=project, filters=Filters(only_project=True)), now) == [NEW]
    assert texts(db, Question("runserver", project_id=other, filters=Filters(only_project=True)), now) == []
    assert texts(db, Question("runserver", filters=Filters(kinds=("fix",))), now) == []


def test_a_retired_successor_is_not_brought(db: sqlite3.Connection, now: datetime) -> None:
    old, new = add(db, OLD, now), add(db, NEW, now)
    replaced(db, old, new, now)
    db.execute("update memories set status = 'retired' where uid = ?", [new])
    assert texts(db, Question("runserver"), now) == []


def test_why_not_names_the_successor(db: sqlite3.Connection, now: datetime) -> None:
    one, two, three = add(db, OLD, now), add(db, NEW, now), add(db, NEWEST, now)
    replaced(db, one, two, now)
    replaced(db, two, three, now)
    answer = ask(db, Question("runserver"), surface="test", now=now + timedelta(days=1))
    explained = why.explain_hit(db, answer.recall_uid or "", one)
    assert explained["outcome"].startswith(f"not shown: superseded by {two} on 2026-11-01, and that by {three};")
    assert explained["score"] is None


def test_why_not_as_of_a_moment_names_no_later_successor(db: sqlite3.Connection, now: datetime) -> None:
    one, two = add(db, OLD, now), add(db, NEW, now)
    replaced(db, one, two, now)
    between, later = utc_text(now + timedelta(hours=1)), now + timedelta(days=1)
    three = add(db, NEWEST, later)
    replaced(db, two, three, later)
    assert describe_succession(db, one, between) == f"superseded by {two} on 2026-11-01"
    assert describe_succession(db, one, utc_text(later)) == f"superseded by {two} on 2026-11-01, and that by {three}"


def test_signals_follow_from_what_is_logged(db: sqlite3.Connection, now: datetime) -> None:
    replaced(db, add(db, OLD, now), add(db, NEW, now), now)
    index.run(db, now=now)
    ask(db, Question("runserver mailpit"), surface="test", now=now, semantic=open_semantic(db))
    features = json.loads(db.execute("select features from hits").fetchone()[0])
    assert features["outdated_bm25"] > 0 and features["outdated_cosine"] > 0
    assert [found for found in check(db) if "logged" in found.what] == []


# ----------------------------------------------------------------------- the checks


def test_check_finds_what_does_not_fit(db: sqlite3.Connection, now: datetime, project: int) -> None:
    one, two, three = add(db, OLD, now), add(db, NEW, now), add(db, NEWEST, now, project)
    replaced(db, one, two, now)
    assert complaints(db) == []
    ids = dict(db.execute("select uid, id from memories").fetchall())
    draw = (
        "insert into edges (from_memory_id, to_memory_id, kind, reason, created_by, created_at)"
        " values (?, ?, 'supersedes', 'by hand', 'me', '2026-11-01T00:00:00.000Z')"
    )
    db.execute(draw, [ids[one], ids[two]])
    db.execute("update memories set status = 'superseded' where uid = ?", [three])
    db.execute(draw, [ids[three], ids[one]])
    found = [f"{where} {detail}" for where, detail in complaints(db)]
    for part in (
        f"memory {three} is superseded, and no edge says by what",
        f"memory {one} supersedes {two}, which is active",
        f"memory {three} supersedes {one}, which holds where {three} does not",
        f"memory {one} supersedes itself",
    ):
        assert any(part in line for line in found), part
    assert texts(db, Question("runserver"), now) == [NEW]  # a circle ends


# ---------------------------------------------------------------- the command line


def test_the_commands(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    settings.put(db, "embedding_model", "none", now=now)
    old, new = add(db, OLD, now), add(db, NEW, now)

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(cli, ["-d", str(db_path), *arguments])
        assert result.exit_code == 0, result.output
        return result.output

    assert run("memory", "supersede", old, new, "--dry-run") == f"{new} replaces {old} (not kept: dry run)\n"
    assert db.execute("select count(*) from edges").fetchone()[0] == 0
    way_back = f"To take it back: memory-db memory restore {old}\n"
    assert run("memory", "supersede", old, new) == f"{new} replaces {old}\n{way_back}"
    assert run("memory", "supersede", old, new) == f"{new} replaces {old} already\n"
    data = json.loads(run("memory", "correct", NEWEST, "--replaces", new, "--json"))
    assert (data["replaces"], data["is_new"]) == (new, True)
    assert "replaces: " in run("recall", "runserver mailpit")
    refused = CliRunner().invoke(cli, ["-d", str(db_path), "memory", "supersede", data["uid"], old])
    assert refused.exit_code == 1 and "the other way round" in refused.output


def test_what_was_replaced_is_not_replaced_by_another(db: sqlite3.Connection, now: datetime) -> None:
    one, two = add(db, OLD, now), add(db, NEW, now)
    replaced(db, one, two, now)
    before = db.total_changes
    with pytest.raises(InputError, match=f"is replaced by {two} already"):
        replaced(db, one, add(db, NEWEST, now), now)
    with pytest.raises(InputError, match="already"):
        correct(db, one, "Something else listens there.", reason="test", by="user", now=now)
    assert db.execute("select count(*) from edges").fetchone()[0] == 1
    assert db.execute("select count(*) from memories").fetchone()[0] == 3 and db.total_changes > before
