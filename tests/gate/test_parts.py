"""What says a part of what the same words say in full gives way to the whole."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.gate import run as gate
from memory_db.gate.revert import revert
from tests.gate.test_gate import add_candidate
from tests.gate.test_gate import history as history  # the fixture

FIRST, SECOND = "So plates never dry above 40 degrees.", "Ada unlocks the drying room at seven."
WHOLE = f"{FIRST} {SECOND}"


def statuses(db: sqlite3.Connection) -> dict[str, str]:
    return {row["text"]: row["status"] for row in db.execute("select text, status from memories")}


@pytest.fixture
def parted(history: sqlite3.Connection, now: datetime) -> sqlite3.Connection:
    """Two memories of one message."""
    add_candidate(history, "c1", FIRST)
    add_candidate(history, "c2", SECOND)
    gate.run(history, now=now)
    assert statuses(history) == {FIRST: "active", SECOND: "active"}
    return history


def test_parts_of_a_message_give_way_to_the_whole(parted: sqlite3.Connection, now: datetime) -> None:
    add_candidate(parted, "c3", WHOLE)
    gate.run(parted, now=now)
    active = [text for text, status in statuses(parted).items() if status == "active"]
    assert active == [WHOLE]


def test_it_is_taken_back_with_its_decision(parted: sqlite3.Connection, now: datetime) -> None:
    add_candidate(parted, "c3", WHOLE)
    gate.run(parted, now=now)
    number = parted.execute("select max(id) from decisions").fetchone()[0]
    revert(parted, number, now=now)
    found = statuses(parted)
    assert found[FIRST] == found[SECOND] == "active"


def test_what_was_said_elsewhere_too_stays(parted: sqlite3.Connection, now: datetime) -> None:
    add_candidate(parted, "c3", SECOND, entry=3)
    gate.run(parted, now=now)
    add_candidate(parted, "c4", WHOLE)
    gate.run(parted, now=now)
    assert statuses(parted)[SECOND] == "active"


def test_what_is_locked_or_from_a_model_stays(parted: sqlite3.Connection, now: datetime) -> None:
    parted.execute("update memories set lock_level = 'user' where text = ?", [SECOND])
    parted.execute("update memories set origin = 'model' where text = ?", [FIRST])
    add_candidate(parted, "c3", WHOLE)
    gate.run(parted, now=now)
    found = statuses(parted)
    assert found[SECOND] == "active" and "superseded" not in found.values()


def test_a_model_closes_no_parts(parted: sqlite3.Connection, now: datetime) -> None:
    add_candidate(parted, "c3", WHOLE, run=2)
    gate.run(parted, now=now)
    assert "superseded" not in statuses(parted).values()
