"""Procedures as rows, kept up to date."""

from __future__ import annotations

import sqlite3

import pytest

from memory_db.index import procedures
from memory_db.transcripts.project_merge import merge_projects
from tests.support.session_rows import add_action, add_entry, add_project, add_session


def run_in(db: sqlite3.Connection, session: int, *commands: str, is_error: bool = False, is_sidechain: int = 0) -> None:
    """Commands that an agent ran in a session."""
    for command in commands:
        entry = add_entry(db, session, "assistant", "tool_call", f"Bash: {command}", is_sidechain=is_sidechain)
        result = add_entry(db, session, "tool", "tool_result", "done")
        add_action(db, session, entry, result, "Bash", command, is_error=is_error)


def commands(db: sqlite3.Connection) -> list[tuple[str, str, int]]:
    """Every procedure with its purpose and successes."""
    return [tuple(row) for row in db.execute("select purpose, command, successes from procedures order by 1, 2")]


@pytest.fixture
def session(db: sqlite3.Connection) -> int:
    session = add_session(db, add_project(db))
    run_in(db, session, "uv run alembic upgrade head", "uv run pytest -q")
    assert procedures.refresh(db) == 2
    return session


def dump(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    """Every row that is derived."""
    tables = ("procedures", "procedure_actions", "procedure_progress")
    return [tuple(row) for table in tables for row in db.execute(f"select * from {table}")]


def test_a_second_run_changes_no_row(db: sqlite3.Connection, session: int) -> None:
    before, changes = dump(db), db.total_changes
    assert procedures.refresh(db) == 0
    assert db.total_changes == changes and dump(db) == before


def test_what_is_new_is_added_and_keeps_its_name(db: sqlite3.Connection, session: int) -> None:
    uids = dict(db.execute("select purpose, uid from procedures").fetchall())
    assert all(len(uid) == 9 and uid[0] == "p" for uid in uids.values())
    run_in(db, session, "uv run pytest -q tests/test_a.py")
    assert procedures.refresh(db) == 1
    assert commands(db) == [("migrate", "uv run alembic upgrade head", 1), ("test", "uv run pytest -q", 2)]
    assert dict(db.execute("select purpose, uid from procedures").fetchall()) == uids


def test_the_same_history_gives_the_same_names(db: sqlite3.Connection, session: int) -> None:
    before = {tuple(row) for row in db.execute("select uid, command from procedures")}
    db.execute("delete from procedures")
    assert procedures.refresh(db) == 2
    assert {tuple(row) for row in db.execute("select uid, command from procedures")} == before


def test_what_is_no_longer_there_goes(db: sqlite3.Connection, session: int) -> None:
    db.execute("update actions set target = null where target like '%alembic%'")
    assert procedures.refresh(db) == 1
    assert commands(db) == [("test", "uv run pytest -q", 1)]
    db.execute("update actions set target = '[forgotten] -q'")
    procedures.refresh(db)
    assert commands(db) == []


def test_subagents_and_unknown_outcomes_do_not_count(db: sqlite3.Connection, session: int) -> None:
    run_in(db, session, "make deploy", is_sidechain=1)
    child = add_session(db, 1)
    db.execute("update sessions set parent_session_id = ? where id = ?", [session, child])
    run_in(db, child, "make release")
    entry = add_entry(db, session, "assistant", "tool_call", "Bash: make docs")
    add_action(db, session, entry, None, "Bash", "make docs", is_error=False)
    db.execute("update actions set is_error = null where entry_id = ?", [entry])
    add_action(
        db, session, add_entry(db, session, "assistant", "tool_call", "x"), None, "Read", "make lint", is_error=False
    )
    procedures.refresh(db)
    assert {purpose for purpose, *_ in commands(db)} == {"migrate", "test"}


def test_projects_that_become_one_have_one_of_each(db: sqlite3.Connection, session: int) -> None:
    other = add_project(db, "/home/sam/code/other")
    run_in(db, add_session(db, other), "uv run pytest -q")
    procedures.refresh(db)
    merge_projects(db, 1, other)
    procedures.refresh(db)
    assert commands(db) == [("migrate", "uv run alembic upgrade head", 1), ("test", "uv run pytest -q", 2)]
    assert procedures.refresh(db) == 0


def test_the_sample_has_a_procedure_for_what_its_agents_do(sample_db: sqlite3.Connection) -> None:
    first = "select purpose, command from project_procedures where project = ? and place = 1"
    found = {
        project: dict(sample_db.execute(first, [project]).fetchall())
        for project in ("tidepool", "lanternfish", "quayside")
    }
    assert found["tidepool"]["migrate"] == "uv run alembic upgrade head"
    assert found["tidepool"]["test"] == "uv run pytest -q"
    assert found["lanternfish"]["test"] == "pnpm test" and found["lanternfish"]["add"] == "pnpm add <package>"
    assert found["quayside"]["deploy"] == "go run ./cmd/quay deploy tidepool --env staging"
