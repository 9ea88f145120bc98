"""What prompts came to and what memories are bound to, as rows."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.index import association
from memory_db.index import build as index
from memory_db.knowledge.memories import add_memory
from memory_db.transcripts.project_merge import merge_projects
from tests.support.session_rows import add_action, add_entry, add_project, add_session

TABLES = ("prompt_vectors", "prompt_ties", "memory_ties", "tie_progress", "memory_tie_progress")


def dump(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    """Every row that is derived, without the numbers that rows get as they are made."""
    columns = {"prompt_vectors": "entry_id, model, vector"}
    sql = "select '{0}', {1} from {0} order by 2, 3"
    return [tuple(row) for name in TABLES for row in db.execute(sql.format(name, columns.get(name, "*")))]


def work(db: sqlite3.Connection, session: int, prompt: str, *targets: str, tool: str = "Edit") -> int:
    """A prompt and what was done for it; the prompt's entry."""
    entry = add_entry(db, session, "user", "prompt", prompt)
    for target in targets:
        call = add_entry(db, session, "assistant", "tool_call", f"{tool}: {target}")
        add_action(db, session, call, None, tool, target, is_error=False)
    return entry


def names(db: sqlite3.Connection, entry: int, memory_uid: str) -> list[str]:
    (memory_id,) = db.execute("select id from memories where uid = ?", [memory_uid]).fetchone()
    return association.names_between(db, entry, memory_id)


@pytest.fixture
def session(db: sqlite3.Connection, now: datetime) -> int:
    project = add_project(db)
    session = add_session(db, project)
    work(db, session, "the yearly statement should be there as a file", "/home/sam/code/tidepool/src/export/csv.py")
    work(db, session, "and let them save the report", "/home/sam/code/tidepool/src/export/xlsx.py")
    work(db, session, "ship it please", "uv run alembic upgrade head", tool="Bash")
    text = "Whatever leaves the house carries the licence line."
    paths = ["src/export/*.py"]
    add_memory(db, text=text, kind="convention", scope="project", project_id=project, paths=paths, now=now)
    index.run(db, now=now)
    return session


def test_a_prompt_is_tied_to_what_a_memory_is_bound_to(db: sqlite3.Connection, session: int) -> None:
    (uid,) = db.execute("select uid from memories").fetchone()
    first, second, third = [row[0] for row in db.execute("select entry_id from prompt_vectors order by entry_id")]
    assert names(db, first, uid) == names(db, second, uid) == ["folder src/export"]
    assert names(db, third, uid) == []


def test_a_second_run_changes_no_row(db: sqlite3.Connection, session: int, now: datetime) -> None:
    before, changes = dump(db), db.total_changes
    assert association.refresh(db) == 0
    assert db.total_changes == changes and dump(db) == before


def test_what_is_new_is_read_and_gives_the_rows_of_a_new_file(
    db: sqlite3.Connection, session: int, now: datetime
) -> None:
    work(db, session, "a button for the report", "/home/sam/code/tidepool/src/export/pdf.py")
    index.run(db, now=now)
    grown = dump(db)
    for name in TABLES:
        db.execute(f"delete from {name}")
    assert association.refresh(db) > 0
    assert dump(db) == grown


def test_a_run_that_was_killed_goes_on(db: sqlite3.Connection, session: int, now: datetime) -> None:
    other = add_session(db, add_project(db, "/home/sam/code/quayside"))
    work(db, other, "one more command line flag", "/home/sam/code/quayside/src/cli.py")
    index.run(db, now=now)
    whole = dump(db)
    for name in ("prompt_ties", "tie_progress", "memory_tie_progress"):
        column = "memory_id > 0" if name.startswith("memory") else f"session_id = {other}"
        db.execute(f"delete from {name} where {column}")
    association.refresh(db)
    assert dump(db) == whole


def test_a_memory_that_goes_leaves_no_tie_to_its_number(db: sqlite3.Connection, session: int) -> None:
    (memory_id,) = db.execute("select id from memories").fetchone()
    (entry,) = db.execute("select min(entry_id) from prompt_vectors").fetchone()
    db.execute(
        "insert into prompt_ties (tie, session_id, entry_id, weight) values (?, ?, ?, 1)", [memory_id, session, entry]
    )
    db.execute("delete from memories where id = ?", [memory_id])
    assert db.execute("select count(*) from prompt_ties where tie < ?", [association.FIRST_NAME]).fetchone()[0] == 0
    assert db.execute("select count(*) from memory_ties").fetchone()[0] == 0


def test_words_that_change_take_their_vector_and_ties_with_them(
    db: sqlite3.Connection, session: int, now: datetime
) -> None:
    (entry,) = db.execute("select min(entry_id) from prompt_vectors").fetchone()
    db.execute("update entries set text = 'something else' where id = ?", [entry])
    for table in ("prompt_vectors", "prompt_ties"):
        assert db.execute(f"select count(*) from {table} where entry_id = ?", [entry]).fetchone()[0] == 0
    index.run(db, now=now)
    assert db.execute("select count(*) from prompt_ties where entry_id = ?", [entry]).fetchone()[0]


def test_dropping_leaves_nothing_of_a_session_until_it_is_read_again(db: sqlite3.Connection, session: int) -> None:
    before = dump(db)
    (entry,) = db.execute("select min(entry_id) from prompt_vectors").fetchone()
    association.drop(db, [entry])
    for table in ("prompt_vectors", "prompt_ties", "tie_progress"):
        assert db.execute(f"select count(*) from {table}").fetchone()[0] == 0
    association.refresh(db)
    assert dump(db) == before


def test_projects_that_become_one_keep_what_was_done_in_both(
    db: sqlite3.Connection, session: int, now: datetime
) -> None:
    other = add_project(db, "/home/sam/tidepool-old")
    entry = work(db, add_session(db, other), "write the yearly file", "/home/sam/tidepool-old/src/export/old.py")
    index.run(db, now=now)
    (uid,) = db.execute("select uid from memories").fetchone()
    assert names(db, entry, uid) == []
    (into,) = db.execute("select id from projects where name = 'tidepool'").fetchone()
    merge_projects(db, into, other)
    association.refresh(db)
    assert names(db, entry, uid) == ["folder src/export"]
