"""How often what is written moves from the log beside the file into the file.

In: a connection. Out: fewer checkpoints for as long as somebody writes much. Invariant: nothing is less safe for it:
what is committed stands in the log.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress

MANY_PAGES = 4_000
"""Pages of the log (16 MB) between two checkpoints of somebody who writes much; SQLite's own is 1,000. Source: ours."""


@contextmanager
def fewer_checkpoints(db: sqlite3.Connection) -> Iterator[None]:
    """What is written meanwhile waits longer in the log: for thousands of short transactions.

    Each checkpoint waits for the disk, and so does who writes. After a kill the log is read once more by who opens the
    file next, so it stays short enough for a hook.
    """
    before = int(db.execute("pragma wal_autocheckpoint").fetchone()[0])
    db.execute(f"pragma wal_autocheckpoint = {MANY_PAGES}")
    try:
        yield
    finally:
        with suppress(sqlite3.ProgrammingError):  # who is stopped in the middle may have closed it
            db.execute(f"pragma wal_autocheckpoint = {before}")
