"""What the log keeps, and for how long.

In: the setting `hits_days`. Out: fewer rows of `hits`. Invariants: what was shown is kept for ever, for how often a
memory was shown and what came of it is read from there; so is everything of a recall that somebody judged, for weights
are fitted on it; the recall itself stays, with its counts of what was left out.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import datetime, timedelta

from memory_db.store import settings
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

Progress = Callable[[str, int, int | None], None]

PORTION = 5_000
"""Rows in one transaction: others write between them."""

AGED = """
select h.id from recalls r join hits h on h.recall_id = r.id and h.rank is null
where r.asked_at < ? and not exists (select 1 from labelled_queries q where q.recall_id = r.id)
limit ?
"""


def is_due(db: sqlite3.Connection, *, now: datetime) -> bool:
    """Whether a day has passed since hits last aged, and some would."""
    lately = utc_text(now - timedelta(days=1))
    if db.execute("select 1 from runs where stage = 'retention' and started_at > ?", [lately]).fetchone():
        return False
    return db.execute(AGED, [oldest_kept(db, now), 1]).fetchone() is not None


def oldest_kept(db: sqlite3.Connection, now: datetime) -> str:
    """The moment before which hits age, as the file keeps it. Raises: InputError for a setting that holds no number."""
    return utc_text(now - timedelta(days=settings.get_integer(db, "hits_days")))


def would_age(db: sqlite3.Connection, *, now: datetime) -> int:
    """How many hits `run` would delete; nothing is deleted."""
    every = -1  # SQLite's word for no limit
    return int(db.execute(f"select count(*) from ({AGED})", [oldest_kept(db, now), every]).fetchone()[0])


def run(db: sqlite3.Connection, *, now: datetime, progress: Progress | None = None) -> dict[str, int]:
    """Deletes hits that were not shown, that nobody judged, and that are older than `hits_days`; counts `hits_aged`."""
    before = oldest_kept(db, now)
    count = 0
    while True:
        with transaction(db):
            ids = [row[0] for row in db.execute(AGED, [before, PORTION])]
            db.executemany("delete from hits where id = ?", [(each,) for each in ids])
        count += len(ids)
        if progress is not None and ids:
            progress("hits", count, None)
        if len(ids) < PORTION:
            return {"hits_aged": count}
