"""What the user says in one project of a thing of another one waits before them there."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.gate import run as gate
from memory_db.gate.review import queue as review
from tests.support.candidates import RULES, add_runs, propose
from tests.support.session_rows import add_entry, add_project, add_session

OLD = "`rows` has to go, the laboratory puts its own `rows` into that file. call the table platelets."
NEW = "forget platelets. the laboratory people have a view of that name in the file already, so well_rows it is."

WAITS = """
select c.id, c.project_id, m.text as target, c.text from decisions d join candidates c on c.id = d.candidate_id
join memories m on m.id = d.memory_id
where d.action = 'propose' and d.id = (select max(id) from decisions where candidate_id = c.id)
"""


@pytest.fixture
def projects(db: sqlite3.Connection) -> tuple[int, int]:
    """A tool that writes a table, and the page that shows it."""
    add_runs(db)
    return add_project(db, "/home/sam/code/platecheck"), add_project(db, "/home/sam/code/plateboard")


def say(db: sqlite3.Connection, uid: str, text: str, project: int, now: datetime) -> None:
    entry = add_entry(db, add_session(db, project), "user", "prompt", text)
    propose(db, uid, text, entry, by=RULES)
    gate.run(db, now=now)


def test_a_rare_name_that_is_over_elsewhere_waits_there(
    db: sqlite3.Connection, projects: tuple[int, int], now: datetime
) -> None:
    tool, page = projects
    say(db, "old", OLD, tool, now)
    say(db, "new", NEW, page, now)
    found = db.execute(WAITS).fetchall()
    assert [(row["project_id"], row["target"], row["text"]) for row in found] == [(tool, OLD, NEW)]
    assert db.execute("select count(*) from memories where status = 'active'").fetchone()[0] == 2
    review.accept(db, f"c{found[0]['id']}", now=now)
    assert db.execute("select count(*) from memories where project_id = ? and text = ?", [tool, NEW]).fetchone()[0] == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The limit of the plates goes to 15 percent.", "In both projects the limit of the plates is 12 now, not 15."),
        ("Releases of platecheck go out on thursdays.", "platecheck goes out on mondays now, no longer on thursdays."),
    ],
)
def test_what_is_said_of_both_or_of_a_named_project_waits_there(
    db: sqlite3.Connection, projects: tuple[int, int], now: datetime, old: str, new: str
) -> None:
    tool, page = projects
    say(db, "old", old, tool, now)
    say(db, "new", new, page, now)
    assert [(row["project_id"], row["target"]) for row in db.execute(WAITS)] == [(tool, old)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Tests use jest in this repo.", "We moved from jest to vitest here."),
        ("The dashboard shows the totals of a month.", "forget the dashboard, nobody looks at it."),
        ("The port of the page is 8080.", "The port is 8127 now, not 8080."),
    ],
)
def test_what_another_project_may_have_too_asks_nothing(
    db: sqlite3.Connection, projects: tuple[int, int], now: datetime, old: str, new: str
) -> None:
    tool, page = projects
    say(db, "old", old, tool, now)
    say(db, "new", new, page, now)
    assert db.execute(WAITS).fetchall() == []


def test_it_is_asked_once(db: sqlite3.Connection, projects: tuple[int, int], now: datetime) -> None:
    tool, page = projects
    say(db, "old", OLD, tool, now)
    say(db, "new", NEW, page, now)
    say(db, "again", NEW, page, now)
    assert len(db.execute(WAITS).fetchall()) == 1
