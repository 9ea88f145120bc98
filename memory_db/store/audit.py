"""Who changed what through the server: a row before anything changes, finished with how it ended.

In: a path, who acts, what is done to what. Out: rows of `audit_log`. Invariant: no change through the server is without
its row, since the row is committed before the change begins; the fields that were sent are not kept, for they may be
private and stand in the rows that they changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from memory_db.errors import MemoryDBError
from memory_db.redact.clean import redact
from memory_db.store.connection import connect, transaction
from memory_db.store.dates import utc_text

MOST_TARGET, MOST_SAID = 300, 500
"""Characters kept of a request's path and of its answer."""

Result = TypeVar("Result")


def recorded(
    path: Path, actor: str, action: str, target: str, work: Callable[[], Result], *,
    said: Callable[[Result], str], clock: Callable[[], datetime],
) -> Result:  # fmt: skip
    """Does the work between the two halves of its row; gives what the work gives.

    `said` puts the result into a line. What the work raises is raised on, after the row says refused or failed.

    Raises: DatabaseFileError, and what the work raises.
    """
    row_id = begin(path, actor, action, target, now=clock())
    try:
        result = work()
    except (MemoryDBError, sqlite3.Error) as error:
        outcome = "refused" if isinstance(error, MemoryDBError) else "failed"
        finish(path, row_id, outcome, str(error), now=clock())
        raise
    finish(path, row_id, "done", said(result), now=clock())
    return result


def begin(path: Path, actor: str, action: str, target: str, *, now: datetime) -> int:
    """The id of a new row whose work has not ended."""
    with closing(connect(path, write=True)) as db, transaction(db):
        cursor = db.execute(
            "insert into audit_log (actor, action, target, started_at) values (?, ?, ?, ?) returning id",
            [clean(actor, 100), clean(action, 100), clean(target, MOST_TARGET), utc_text(now)],
        )
        return int(cursor.fetchone()[0])


def finish(path: Path, row_id: int, outcome: str, said: str, *, now: datetime) -> None:
    """Writes how it ended."""
    with closing(connect(path, write=True)) as db, transaction(db):
        db.execute(
            "update audit_log set outcome = ?, said = ?, finished_at = ? where id = ?",
            [outcome, clean(said, MOST_SAID), utc_text(now), row_id],
        )


def clean(text: str, most: int) -> str:
    """A text without secrets, cut."""
    return redact(text)[0][:most]
