"""Projects that belong together: what a session of one says of another, kept as rows."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.index import mentions
from tests.support.session_rows import add_entry, add_project, add_session

ALL = "select project_id, other_project_id, how, literal from project_mentions order by id"


@pytest.fixture
def pair(db: sqlite3.Connection) -> tuple[int, int]:
    """Two projects, and a session in each."""
    found = add_project(db, "/home/ada/src/tallyhouse"), add_project(db, "/home/ada/src/wallboard")
    for project in found:
        add_session(db, project)
    return found


def rows(db: sqlite3.Connection, now: datetime) -> list[tuple[object, ...]]:
    mentions.refresh(db, now=now)
    return [tuple(row) for row in db.execute(ALL)]


@pytest.mark.parametrize(
    ("kind", "text", "how", "literal"),
    [
        ("prompt", "the board reads what Tallyhouse writes", "name", "tallyhouse"),
        ("tool_call", "Read: /home/ada/src/tallyhouse/store.py", "path", "/home/ada/src/tallyhouse/store.py"),
        ("tool_result", 'File "/opt/tallyhouse/tally/run.py", line 3', "path", "/opt/tallyhouse/tally/run.py"),
        ("tool_call", "Bash: ls ../tallyhouse/data", "path", "../tallyhouse/data"),
    ],
)
def test_a_session_names_another_project(
    db: sqlite3.Connection, pair: tuple[int, int], now: datetime, kind: str, text: str, how: str, literal: str
) -> None:
    add_entry(db, 2, "user", kind, text)
    assert rows(db, now) == [(pair[1], pair[0], how, literal)]
    assert mentions.refresh(db, now=now) == 0, "a second run changes no row"


def test_a_file_or_host_that_two_alone_have_is_one_row(
    db: sqlite3.Connection, pair: tuple[int, int], now: datetime
) -> None:
    add_entry(db, 1, "assistant", "tool_call", "Bash: python3 export.py build/counts.db")
    assert rows(db, now) == []
    add_entry(db, 2, "assistant", "tool_result", "db = counts.db\nhost = box7.example")
    assert rows(db, now) == [(pair[1], pair[0], "in both", "counts.db")]
    add_entry(db, 1, "user", "prompt", "box7.example is down, counts.db is on it")
    assert [row[3] for row in rows(db, now)] == ["counts.db", "box7.example"]


def test_what_a_third_project_has_too_ties_nobody(db: sqlite3.Connection, pair: tuple[int, int], now: datetime) -> None:
    add_session(db, add_project(db, "/home/ada/src/harvest"))
    for session in (1, 2, 3):
        add_entry(db, session, "user", "prompt", "open counts.db")
    assert rows(db, now) == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("tool_result", "tallyhouse\nwallboard"),
        ("prompt", "the tallyhouse-ops scripts"),
        ("thinking", "this is as in tallyhouse"),
        ("tool_call", "Read: /home/ada/src/wallboard/page.py"),
    ],
)
def test_what_names_no_other_project(
    db: sqlite3.Connection, pair: tuple[int, int], now: datetime, kind: str, text: str
) -> None:
    add_entry(db, 2, "user", kind, text)
    assert rows(db, now) == []


def test_what_a_project_is_called_names_it_once_both_speak_of_it(
    db: sqlite3.Connection, pair: tuple[int, int], now: datetime
) -> None:
    gate = add_project(db, "/home/ada/src/gatectl")
    there = add_session(db, gate)
    for said in ("the gate sticks", "is the gate on python 3.9", "what does the gate do without a net"):
        add_entry(db, there, "user", "prompt", said)
    add_entry(db, 1, "user", "prompt", "the gate asks for these passes")
    assert rows(db, now) == [], "once is said by chance"
    add_entry(db, 1, "user", "prompt", "when does the new gate software come in")
    assert rows(db, now) == [(pair[0], gate, "name", "the gate")]


def test_a_part_of_a_name_that_is_hardly_said_there_names_nothing(
    db: sqlite3.Connection, pair: tuple[int, int], now: datetime
) -> None:
    for said in ("the house is cold", "in the house again"):
        add_entry(db, 2, "user", "prompt", said)
    assert rows(db, now) == []


@pytest.mark.parametrize(
    ("kind", "text", "literal"),
    [
        ("prompt", "take what the tally repo writes since this morning", "the tally"),
        ("tool_result", '{"server": "http://tally.local:8080"}', "tally.local"),
    ],
)
def test_a_part_that_is_said_to_be_a_project_or_a_host_names_it_at_once(
    db: sqlite3.Connection, pair: tuple[int, int], now: datetime, kind: str, text: str, literal: str
) -> None:
    add_entry(db, 2, "user", kind, text)
    assert rows(db, now) == [(pair[1], pair[0], "name", literal)]


def test_a_list_of_projects_is_about_none(db: sqlite3.Connection, pair: tuple[int, int], now: datetime) -> None:
    for name in ("harvest", "lockstep"):
        add_project(db, f"/home/ada/src/{name}")
    add_entry(db, 2, "user", "prompt", "my repos are tallyhouse, harvest and lockstep")
    assert rows(db, now) == []


def test_a_project_that_came_later_is_found_in_what_was_said_before(
    db: sqlite3.Connection, pair: tuple[int, int], now: datetime
) -> None:
    add_entry(db, 2, "user", "prompt", "harvest reads this too")
    assert rows(db, now) == []
    later = add_project(db, "/home/ada/src/harvest")
    assert rows(db, now) == [(pair[1], later, "name", "harvest")]


def test_an_ordinary_name_is_no_name(db: sqlite3.Connection, pair: tuple[int, int], now: datetime) -> None:
    add_project(db, "/home/ada/src/website")
    add_entry(db, 2, "user", "prompt", "put it on the website")
    assert rows(db, now) == []


def test_both_sides_say_in_words_why(db: sqlite3.Connection, pair: tuple[int, int], now: datetime) -> None:
    add_entry(db, 2, "user", "prompt", "the board reads what tallyhouse writes")
    mentions.refresh(db, now=now)
    sides = db.execute("select project, sister, mentions, reason from sister_projects order by project").fetchall()
    reason = "a session of wallboard names tallyhouse"
    assert [tuple(row) for row in sides] == [
        ("tallyhouse", "wallboard", 1, reason),
        ("wallboard", "tallyhouse", 1, reason),
    ]
