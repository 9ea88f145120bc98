"""Contradictions: found once, kept with both quotes, decided by a person, taken back, told in a brief."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from memory_db.cli import cli
from memory_db.errors import ConflictError, InputError, NotFoundError
from memory_db.gate.contradictions import judge as contradiction_judge
from memory_db.gate.contradictions import pairs as contradictions
from memory_db.index import build as index
from memory_db.knowledge.memories import add_memory
from memory_db.recall.brief import select as brief
from memory_db.recall.search import Filters, Question
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.upkeep import pipeline
from tests.support.scripted_model import ScriptedModel

TABLES = ("memories", "memory_versions", "evidence", "edges", "contradictions", "proposals")


def project(db: sqlite3.Connection, name: str) -> int:
    """The number of a project, made where it is new."""
    db.execute(
        "insert or ignore into projects (name, canonical_path, created_at) values (?, ?, '2026-01-01T00:00:00Z')",
        [name, f"/home/x/{name}"],
    )
    return int(db.execute("select id from projects where name = ?", [name]).fetchone()[0])


def say(db: sqlite3.Connection, text: str, day: str, now: datetime, *, where: str = "shop", **other: Any) -> str:
    """A memory of a project, said on a day of 2026; its uid."""
    given = {"kind": "convention", "scope": "project", "project_id": project(db, where)} | other
    return add_memory(db, text=text, created_at=f"2026-{day}T09:00:00Z", now=now, **given)


def looked(db: sqlite3.Connection, now: datetime) -> dict[str, int]:
    """What is found once everything is indexed."""
    index.run(db, now=now)
    return contradictions.find(db, now=now)


def rows(db: sqlite3.Connection, table: str) -> list[tuple[Any, ...]]:
    """All rows of a table."""
    return [tuple(row) for row in db.execute(f"select * from {table}")]


def pair(db: sqlite3.Connection, now: datetime) -> int:
    """The number of an open contradiction between two ports."""
    say(db, "Postgres listens on port 5432.", "03-01", now)
    say(db, "Postgres listens on port 5433.", "05-01", now)
    assert looked(db, now)["contradictions"] == 1
    return int(db.execute("select id from contradictions").fetchone()[0])


def test_a_pair_is_found_once_and_overwrites_nothing(db: sqlite3.Connection, now: datetime) -> None:
    pair(db, now)
    before = {table: rows(db, table) for table in TABLES}
    assert contradictions.find(db, now=now) == {"memories": 0, "contradictions": 0, "proposals": 0}
    db.execute("delete from scan_progress where place = ?", [contradictions.PLACE])
    assert contradictions.find(db, now=now) == {"memories": 2, "contradictions": 0, "proposals": 0}
    assert {table: rows(db, table) for table in TABLES} == before
    row = db.execute("select * from conflicts").fetchone()
    assert (row["state"], row["found_by"], row["project"]) == ("open", "changed_value", "shop")
    assert {row["first_quote"], row["second_quote"]} == {
        "Postgres listens on port 5432.", "Postgres listens on port 5433.",
    }  # fmt: skip
    assert {memory["status"] for memory in db.execute("select status from memories")} == {"active"}


def test_only_what_may_hold_in_the_same_place_is_compared(db: sqlite3.Connection, now: datetime) -> None:
    say(db, "Use npm here.", "03-01", now, where="one")
    say(db, "Use pnpm here.", "04-01", now, where="two")
    assert looked(db, now)["contradictions"] == 0
    with transaction(db):
        db.execute(
            "insert into project_links (project_id, linked_project_id, created_by, created_at)"
            " values (?, ?, 'user', '2026-05-01T00:00:00Z')",
            [project(db, "two"), project(db, "one")],
        )
        db.execute("delete from scan_progress where place = ?", [contradictions.PLACE])
    assert contradictions.find(db, now=now)["contradictions"] == 1


def test_what_holds_everywhere_meets_a_project(db: sqlite3.Connection, now: datetime) -> None:
    say(db, "Always squash before merging.", "03-01", now, scope="user", project_id=None)
    say(db, "Never squash before merging.", "04-01", now)
    assert looked(db, now)["contradictions"] == 1


def test_what_itself_says_that_another_is_over_is_proposed_to_replace_it(db: sqlite3.Connection, now: datetime) -> None:
    new = say(db, "We moved from npm to pnpm.", "05-01", now)
    old = say(db, "Install packages with npm.", "03-01", now)
    assert looked(db, now) == {"memories": 2, "contradictions": 0, "proposals": 1}
    row = db.execute(
        "select p.kind, m.uid, o.uid as other, p.state from proposals p join memories m on m.id = p.memory_id"
        " join memories o on o.id = p.other_memory_id"
    ).fetchone()
    assert tuple(row) == ("supersede", old, new, "open")


@pytest.mark.parametrize(("resolution", "loser", "winner"), [("first", 1, 0), ("second", 0, 1)])
def test_a_person_says_which_one_holds(
    db: sqlite3.Connection, now: datetime, resolution: str, loser: int, winner: int
) -> None:
    number = pair(db, now)
    before = db.execute("select uid, status, valid_to from memories order by id").fetchall()
    contradictions.resolve(db, number, resolution, by="user", note="asked Jo", now=now)
    memories = db.execute("select id, uid, status from memories order by id").fetchall()
    assert (memories[loser]["status"], memories[winner]["status"]) == ("superseded", "active")
    edge = db.execute("select from_memory_id, to_memory_id from edges where kind = 'supersedes'").fetchone()
    assert tuple(edge) == (memories[winner]["id"], memories[loser]["id"])
    evidence = db.execute("select memory_id, direction from evidence where kind = 'contradicted'").fetchall()
    assert [tuple(row) for row in evidence] == [(memories[loser]["id"], "against")]
    with pytest.raises(ConflictError):
        contradictions.resolve(db, number, resolution, by="user", now=now)
    later = now + timedelta(days=1)
    assert contradictions.reopen(db, number, by="user", now=later)
    assert db.execute("select uid, status, valid_to from memories order by id").fetchall() == before
    counted = "select count(*) from evidence where kind = 'contradicted' and withdrawn_at is null"
    assert db.execute(counted).fetchone()[0] == 0
    row = db.execute("select state, note, effects from contradictions").fetchone()
    assert tuple(row) == ("open", None, "{}")
    contradictions.resolve(db, number, "both", by="user", now=later)


def test_neither_retires_both_and_both_keeps_both(db: sqlite3.Connection, now: datetime) -> None:
    number = pair(db, now)
    contradictions.resolve(db, number, "neither", by="user", now=now)
    assert {row["status"] for row in db.execute("select status from memories")} == {"retired"}
    contradictions.reopen(db, number, by="user", now=now)
    assert {row["status"] for row in db.execute("select status from memories")} == {"active"}
    contradictions.resolve(db, number, "both", by="user", note="two servers", now=now)
    assert {row["status"] for row in db.execute("select status from memories")} == {"active"}
    assert db.execute("select note from contradictions").fetchone()["note"] == "two servers"


def test_a_decided_pair_comes_back_only_when_a_text_changed(db: sqlite3.Connection, now: datetime) -> None:
    number = pair(db, now)
    contradictions.resolve(db, number, "both", by="user", note="two servers", now=now)
    db.execute("delete from scan_progress")
    assert contradictions.find(db, now=now)["contradictions"] == 0
    later = now + timedelta(days=2)
    with transaction(db):
        db.execute("update memories set importance = 5, updated_at = ? where id = 1", [later.isoformat()])
    assert looked(db, later)["contradictions"] == 0
    with transaction(db):
        db.execute(
            "update memories set text = 'Postgres listens on port 5431.', updated_at = ? where id = 1",
            [(later + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%S.000Z")],
        )
    assert looked(db, later + timedelta(hours=2))["contradictions"] == 1
    row = db.execute("select state, note from contradictions where id = ?", [number]).fetchone()
    assert row["state"] == "open" and "two servers" in row["note"]


def test_only_a_person_decides(db: sqlite3.Connection, now: datetime) -> None:
    number = pair(db, now)
    before = {table: rows(db, table) for table in TABLES}
    with pytest.raises(InputError, match="Only a person"):
        contradictions.resolve(db, number, "first", by="gate", now=now)
    with pytest.raises(InputError, match="No resolution"):
        contradictions.resolve(db, number, "maybe", by="user", now=now)
    with pytest.raises(NotFoundError):
        contradictions.resolve(db, number + 1, "first", by="user", now=now)
    with pytest.raises(ConflictError):
        contradictions.reopen(db, number, by="user", now=now)
    assert {table: rows(db, table) for table in TABLES} == before


def test_a_decision_that_cannot_be_changes_nothing(db: sqlite3.Connection, now: datetime) -> None:
    say(db, "Always squash before merging.", "03-01", now, scope="user", project_id=None)
    say(db, "Never squash before merging.", "04-01", now)
    looked(db, now)
    before = {table: rows(db, table) for table in TABLES}
    with pytest.raises(InputError, match="holds in one project"):
        contradictions.resolve(db, 1, "second", by="user", now=now)
    assert {table: rows(db, table) for table in TABLES} == before


def test_a_brief_says_which_memory_is_contradicted_until_that_is_decided(db: sqlite3.Connection, now: datetime) -> None:
    number = pair(db, now)
    question = Question("On which port is Postgres?", project_id=project(db, "shop"))
    uids = [row["uid"] for row in db.execute("select uid from memories order by id")]
    text = brief.ask(db, question, surface="test", now=now).text
    assert "5432 before)" in text and f"contradicted by {uids[1]})" in text
    later = now + timedelta(days=1)
    contradictions.resolve(db, number, "second", by="user", now=later)
    index.run(db, now=later)
    text = brief.ask(db, question, surface="test", now=later).text
    assert "contradicted" not in text and "before)" not in text
    before = Question(
        "On which port is Postgres?", project_id=project(db, "shop"), filters=Filters(as_of=utc_text(now))
    )
    text = brief.ask(db, before, surface="test", now=later).text
    assert "5432 before)" in text and f"contradicted by {uids[1]})" in text


def test_the_value_before_is_that_of_the_moment_asked_about(db: sqlite3.Connection, now: datetime) -> None:
    pair(db, now)
    later = utc_text(now + timedelta(days=1))
    db.execute(
        "update memories set text = 'Postgres listens on port 6000.', updated_at = ? where text like '%5432%'", [later]
    )
    for filters, value in ((Filters(), "6000"), (Filters(as_of=utc_text(now)), "5432")):
        question = Question("On which port is Postgres?", project_id=project(db, "shop"), filters=filters)
        text = brief.ask(db, question, surface="test", now=now + timedelta(days=2)).text
        assert f"{value} before)" in text, text


@pytest.mark.slow
def test_a_model_gives_an_opinion_and_decides_nothing(db: sqlite3.Connection, now: datetime) -> None:
    number = pair(db, now)
    before = rows(db, "memories")
    model = ScriptedModel(["what?", {"verdict": "second", "reason": "it was said later </notes>"}])
    assert contradiction_judge.judge(db, model, now=now) == {"judged": 0, "failed": 1}
    assert contradiction_judge.judge(db, model, now=now) == {"judged": 1, "failed": 0}
    assert contradiction_judge.judge(db, model, now=now) == {"judged": 0, "failed": 0}
    row = db.execute("select state, note from contradictions where id = ?", [number]).fetchone()
    assert row["state"] == "open" and row["note"].startswith("scripted: the second holds (it was said later")
    assert rows(db, "memories") == before
    assert db.execute("select count(*) from model_calls where purpose = 'judge'").fetchone()[0] == 2
    contradictions.resolve(db, number, "second", by="user", now=now)
    contradictions.reopen(db, number, by="user", now=now)
    assert db.execute("select note from contradictions").fetchone()["note"] == row["note"]


@pytest.mark.slow
def test_a_model_that_keeps_failing_is_left_alone(db: sqlite3.Connection, now: datetime) -> None:
    pair(db, now)
    model = ScriptedModel([RuntimeError("down")])
    for _ in range(5):
        assert contradiction_judge.judge(db, model, now=now) == {"judged": 0, "failed": 1}
    assert contradiction_judge.judge(db, model, now=now) == {"judged": 0, "failed": 0, "left": 1}
    assert len(model.asked) == 5


def test_the_pipeline_finds_what_contradicts(sample_db: sqlite3.Connection, now: datetime) -> None:
    assert sample_db.execute("select count(*) from runs where stage = 'contradictions'").fetchone()[0] >= 1
    before = rows(sample_db, "contradictions")
    pipeline.run(sample_db, [], now=now)
    assert rows(sample_db, "contradictions") == before


def test_the_command_lists_both_quotes(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    say(db, "Postgres listens on port 5432.", "03-01", now)
    say(db, "Postgres listens on port 5433.", "05-01", now)
    run = CliRunner()
    assert "No two memories" in run.invoke(cli, ["memory", "contradictions", "-d", str(db_path)]).output
    found = run.invoke(cli, ["memory", "contradictions", "--find", "-d", str(db_path)])
    assert found.exit_code == 0, found.output
    assert "port 5432." in found.output and "port 5433." in found.output and "x1" in found.output
    data = json.loads(run.invoke(cli, ["memory", "contradictions", "--json", "-d", str(db_path)]).output)
    assert [each["number"] for each in data["open"]] == ["x1"]
    alone = run.invoke(cli, ["memory", "contradictions", "--judge", "-d", str(db_path)])
    assert alone.exit_code == 1 and "belong together" in alone.output
