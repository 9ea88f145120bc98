"""A change through the server that is kept, or that with `dry_run` is done and taken back.

In: a path and whether it is a dry run. Out: a connection to change the file by. Invariant: a dry run leaves every row
as it was, and tells what was done by then: what would happen.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from memory_db.index import build as index
from memory_db.store.connection import connect, transaction

DRY_RUN = "Dry run: nothing was changed."
"""What ends the line about a change that was taken back."""


@contextmanager
def changing(path: Path, *, dry_run: bool) -> Iterator[sqlite3.Connection]:
    """A connection inside one transaction, which a dry run takes back."""
    with closing(connect(path, write=True)) as db:
        if not dry_run:
            with transaction(db):
                yield db
            return
        db.execute("begin immediate")
        try:
            yield db
        finally:
            db.rollback()


def bring_index_up_to_date(path: Path, now: datetime, *, dry_run: bool) -> None:
    """Vectors of what is new, after the change is kept."""
    if not dry_run:
        with closing(connect(path, write=True)) as db:
            index.run(db, now=now, entries=False)


def told(said: str, dry_run: bool) -> str:
    """What was done in a sentence, or would be."""
    return f"{said} {DRY_RUN}" if dry_run else said
