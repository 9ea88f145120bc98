"""A limit that a prompt goes beyond is told, whatever sort of memory it is and whatever words both share."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.index import build as index
from memory_db.knowledge.memories import add_memory
from memory_db.recall.brief import session_start
from memory_db.transcripts.projects import resolve_project
from tests.recall.test_sister_projects import OF_TALLY, told


@pytest.fixture
def ferry(db: sqlite3.Connection, now: datetime) -> int:
    """A project whose limit is told as an issue."""
    here = resolve_project(db, "/home/ada/src/ferrybook", now=now)
    said = [(text, "environment") for text in OF_TALLY]
    for text, kind in (*said, ("The harbour office says 40 passengers and not one more.", "issue")):
        add_memory(db, text=text, kind=kind, scope="project", project_id=here, now=now, origin="user",
                   changed_by="user", reason="said")  # fmt: skip
    index.run(db, now=now)
    return here


@pytest.mark.parametrize(
    "prompt", ["a choir of 55 wants sunday, 55 singers and 6 kids, can we do that?", "55 people on one trip, set it up"]
)
def test_who_goes_beyond_a_limit_is_told_it(db: sqlite3.Connection, ferry: int, now: datetime, prompt: str) -> None:
    assert "40 passengers" in told(db, prompt, ferry, now).text


@pytest.mark.parametrize("prompt", ["a choir of 30 singers wants sunday", "move the 55 crates", "thanks, bye"])
def test_who_stays_within_it_is_not(db: sqlite3.Connection, ferry: int, now: datetime, prompt: str) -> None:
    assert told(db, prompt, ferry, now).abstained


def test_a_session_begins_with_it_as_a_constraint(db: sqlite3.Connection, ferry: int, now: datetime) -> None:
    text = session_start.block(db, ferry, None, now=now).text
    assert "40 passengers" in text.partition("constraints:")[2].partition("\n\n")[0]
