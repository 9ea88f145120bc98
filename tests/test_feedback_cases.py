"""What moves a belief, on sessions that were judged by reading: nothing false, and most of what is there."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from memory_db import feedback
from tests.feedback_sessions import Session, add_memories

TOLD: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "data" / "feedback_cases.yml").read_text("utf-8"))
CASES = TOLD["cases"]
KINDS = ("cited", "used", "wrong", "confirmed", "repeated")


def outcome(db: sqlite3.Connection, uids: dict[str, str]) -> dict[str, list[str]]:
    names = {uid: name for name, uid in uids.items()}
    rows = db.execute(
        "select e.kind, m.uid from evidence e join memories m on m.id = e.memory_id where e.kind <> 'stated' order by 2"
    )
    found: dict[str, list[str]] = {}
    for kind, uid in rows:
        found.setdefault(kind, []).append(names[uid])
    return {kind: sorted(found[kind]) for kind in sorted(found)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_a_session_moves_what_a_reader_would(db: sqlite3.Connection, now: datetime, case: dict[str, Any]) -> None:
    uids = add_memories(db, TOLD["memories"], now)
    Session(db, "s", now, uids).play(case["events"])
    feedback.run(db, now=now)
    expected = {kind: sorted(names) for kind, names in sorted(case.get("expects", {}).items())}
    assert outcome(db, uids) == expected
