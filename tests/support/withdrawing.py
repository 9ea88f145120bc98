"""Evidence that counts no longer, as taking a run or a word back leaves it."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from memory_db.store.dates import utc_text


def withdraw_evidence(db: sqlite3.Connection, memory_id: int, kind: str, source: str, *, now: datetime) -> bool:
    """Ends that one reason counts; whether it did until now."""
    cursor = db.execute(
        "update evidence set withdrawn_at = ? where memory_id = ? and kind = ? and source = ? and withdrawn_at is null",
        [utc_text(now), memory_id, kind, source],
    )
    return cursor.rowcount > 0
