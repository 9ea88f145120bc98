"""What moves a belief, on sessions that were judged by reading: nothing false, and most of what is there."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from memory_db.feedback import run as feedback
from tests.support.feedback_sessions import Session, add_memories

TOLD: dict[str, Any] = yaml.safe_load((Path(__file__).parents[1] / "data" / "feedback_cases.yml").read_text("utf-8"))
SETS = (("memories", "cases"), ("held_out_memories", "held_out_cases"), ("later_memories", "later_cases"))
CASES = [(TOLD[memories], case) for memories, cases in SETS for case in TOLD[cases]]


def moved(db: sqlite3.Connection, uids: dict[str, str]) -> set[tuple[str, str]]:
    """What moved a belief: kind and memory."""
    names = {uid: name for name, uid in uids.items()}
    rows = db.execute("select e.kind, m.uid from evidence e join memories m on m.id = e.memory_id").fetchall()
    found = [(kind, names[uid]) for kind, uid in rows if kind != "stated"]
    assert len(found) == len(set(found)), "each once"
    return set(found)


@pytest.mark.parametrize(("memories", "case"), CASES, ids=[str(case["name"]) for _, case in CASES])
def test_a_session_moves_what_a_reader_would(
    db: sqlite3.Connection, now: datetime, memories: dict[str, Any], case: dict[str, Any]
) -> None:
    uids = add_memories(db, memories, now)
    Session(db, "s", now, uids).play(case["events"])
    feedback.run(db, now=now)
    expected = {(kind, name) for kind, names in case.get("expects", {}).items() for name in names}
    assert moved(db, uids) == (set() if case.get("missed") else expected)
