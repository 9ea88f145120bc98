"""Taking tags, paths and sources off a memory at a moment that is named.

In: a block that deletes rows. Out: their rows of `removed_parts`, which triggers write. Invariant: what is taken off
stays known, whoever deletes it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from memory_db.store.dates import utc_text


@contextmanager
def removing(db: sqlite3.Connection, *, now: datetime) -> Iterator[None]:
    """What is deleted within was taken off at that moment; without this, a trigger asks the clock."""
    newest = db.execute("select coalesce(max(id), 0) from removed_parts").fetchone()[0]
    yield
    db.execute("update removed_parts set removed_at = ? where id > ?", [utc_text(now), newest])
