"""What the user says in two projects holds everywhere; what belongs to a project, or an agent says, does not."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.gate import run as gate
from memory_db.gate.everywhere import is_bound
from memory_db.gate.revert import revert
from tests.support.session_rows import add_entry, add_project, add_session

HERE, THERE = "/home/d/tern", "/home/d/kelp"


@pytest.fixture
def runs(db: sqlite3.Connection) -> sqlite3.Connection:
    """A file with a run of the rules."""
    db.execute("insert into extraction_runs (id, method, version, started_at) values (1, 'rules', '1', '2026-11-01')")
    return db


def say(
    db: sqlite3.Connection, path: str, text: str, now: datetime, *, role: str = "user", kind: str = "convention"
) -> str:
    """Has somebody say a thing in a project and the gate decide on it; the uid of the candidate."""
    row = db.execute("select id from projects where canonical_path = ?", [path]).fetchone()
    project = row["id"] if row else add_project(db, path)
    session = add_session(db, project)
    entry = add_entry(db, session, role, "prompt" if role == "user" else "reply", text)
    uid = f"candidate-{entry}"
    db.execute(
        "insert into candidates (uid, extraction_run_id, entry_id, session_id, project_id, kind, scope, title, text,"
        " quote, keys, paths, tags, importance, rule, created_at) values (?, 1, ?, ?, ?, ?, 'project', ?, ?, ?,"
        " '[]', '[]', '[]', 3, 'test', '2026-11-01T10:00:00.000Z')",
        [uid, entry, session, project, kind, text[:80], text, text],
    )
    gate.run(db, now=now)
    return uid


def kept(db: sqlite3.Connection) -> list[tuple[str, str]]:
    return [tuple(row) for row in db.execute("select scope, text from memories where status = 'active' order by id")]


RULE = "Write the failing test before you touch the code."


def test_what_is_said_in_two_projects_holds_everywhere(runs: sqlite3.Connection, now: datetime) -> None:
    say(runs, HERE, RULE, now)
    assert kept(runs) == [("project", RULE)]
    uid = say(runs, THERE, "write the failing test before you touch the code", now)
    assert kept(runs) == [("user", RULE)]
    row = runs.execute("select d.* from decisions d join candidates c on c.id = d.candidate_id where c.uid = ?",
                       [uid]).fetchone()  # fmt: skip
    assert row["action"] == "duplicate"
    assert row["reason"].startswith("said in two projects, here and as m") and " in tern: " in row["reason"]
    assert runs.execute("select count(*) from evidence where kind = 'repeated'").fetchone()[0] == 1
    third = say(runs, "/home/d/stilt", RULE, now)
    assert kept(runs) == [("user", RULE)]
    assert "said in two projects" not in runs.execute(
        "select reason from decisions d join candidates c on c.id = d.candidate_id where c.uid = ?", [third]
    ).fetchone()[0]  # fmt: skip


def test_it_can_be_reverted(runs: sqlite3.Connection, now: datetime) -> None:
    say(runs, HERE, RULE, now)
    say(runs, THERE, RULE, now)
    number = runs.execute("select max(id) from decisions").fetchone()[0]
    told = revert(runs, number, now=now)
    assert any("scope" in line for line in told)
    assert kept(runs) == [("project", RULE)]
    assert runs.execute("select count(*) from evidence where kind = 'repeated' and withdrawn_at is null"
                        ).fetchone()[0] == 0  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Start the dev server on port 5173, always.",
        "Put the fixtures in tests/data/fixtures and nowhere else.",
        "We run Python 3.12 in every job.",
        "Never push tern to the registry by hand.",
    ],
)
def test_values_of_a_project_stay_in_it(runs: sqlite3.Connection, now: datetime, text: str) -> None:
    say(runs, HERE, text, now)
    say(runs, THERE, text, now)
    assert kept(runs) == [("project", text)] * 2


def test_the_word_of_an_agent_does_not_count(runs: sqlite3.Connection, now: datetime) -> None:
    say(runs, HERE, RULE, now)
    say(runs, THERE, RULE, now, role="assistant")
    assert ("user", RULE) not in kept(runs)


@pytest.mark.parametrize("kind", ["environment", "structure", "domain", "decision"])
def test_how_things_are_in_a_project_stays_there(runs: sqlite3.Connection, now: datetime, kind: str) -> None:
    say(runs, HERE, RULE, now, kind=kind)
    say(runs, THERE, RULE, now, kind=kind)
    assert "user" not in [scope for scope, _ in kept(runs)]


def test_the_same_said_twice_in_one_project_stays_there(runs: sqlite3.Connection, now: datetime) -> None:
    say(runs, HERE, RULE, now)
    say(runs, HERE, RULE, now)
    assert kept(runs) == [("project", RULE)]


def test_a_locked_memory_is_left_alone(runs: sqlite3.Connection, now: datetime) -> None:
    say(runs, HERE, RULE, now)
    runs.execute("update memories set lock_level = 'user'")
    say(runs, THERE, RULE, now)
    assert kept(runs) == [("project", RULE)] * 2


def test_numbers_with_units_and_small_ones_belong_to_no_project() -> None:
    assert not is_bound("Use two spaces and lines of 100 characters.", "tern")
    assert is_bound("The answer is on 8080.", "tern")
    assert not is_bound("Words in pattern do not name it.", "tern")
