"""Evidence: one reason to believe a memory more or less.

In: a memory and what speaks for or against it. Out: rows of `evidence`; the
view `beliefs` adds them up. Invariant: the same memory, kind and source is one
row, so that a rerun counts nothing twice.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime

from memory_db.dates import utc_text

STATED_WEIGHT = {"user": 1.0, "assistant": 0.3, "tool": 0.3, "system": 0.3}
"""Weight of having been said, by who said it.

Source: agentmemory counts a user's statement fully and an agent's inference at about a third.
"""

INSERT_EVIDENCE = """
insert or ignore into evidence (memory_id, kind, direction, weight, source, entry_id, recall_id, note, created_at,
    recorded_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def add_evidence(
    db: sqlite3.Connection,
    memory_id: int,
    kind: str,
    direction: str,
    weight: float,
    source: str,
    *,
    created_at: str,
    now: datetime,
    entry_id: int | None = None,
    recall_id: int | None = None,
    note: str | None = None,
) -> bool:
    """Adds one reason unless it is there; whether it was new.

    `direction` is for or against, `weight` what it adds to alpha or beta,
    `source` names where it comes from, such as `entry UID` or `user`;
    `created_at` is when it arose, `now` when it is recorded.
    """
    values = [memory_id, kind, direction, weight, source, entry_id, recall_id, note, created_at, utc_text(now)]
    return db.execute(INSERT_EVIDENCE, values).rowcount > 0
