"""A copy of the file that is known to be good.

In: a connection and a place. Out: a file that only its owner may read,
verified before it takes its name. Invariant: what stands at the place is
either nothing or a whole, verified copy.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from memory_db.connection import connect, explain
from memory_db.errors import CorruptError, InputError, MemoryDBError


def back_up(db: sqlite3.Connection, target: Path) -> int:
    """Copies the file to a new place and verifies the copy; the number of tables in it.

    Others may write meanwhile: the copy is of one moment.
    Raises: InputError if something stands there or cannot be made there, CorruptError if the copy is not right.
    """
    if target.exists():
        raise InputError(f"There is something at {target} already. Name a new file, or move that one away.")
    partial = target.with_name(target.name + ".partial")
    try:
        # vacuum fills an empty file, so that the copy is private from its first byte.
        partial.unlink(missing_ok=True)
        partial.touch(mode=0o600)
    except OSError as error:
        raise InputError(f"Cannot make {partial}: {error.strerror}. Name a place that can be written.") from error
    try:
        before = row_counts(db)
        db.execute("vacuum into ?", [str(partial)])
        verify(partial, before, row_counts(db))
        partial.rename(target)
    except sqlite3.Error as error:
        raise explain(error, partial) from error
    finally:
        partial.unlink(missing_ok=True)
    return len(before)


def verify(copy: Path, before: dict[str, int], after: dict[str, int]) -> None:
    """Opens a copy and compares it with the counts of rows before and after it was made.

    Raises: CorruptError.
    """
    try:
        with closing(connect(copy, write=True)) as db:
            state = db.execute("pragma integrity_check(1)").fetchone()[0]
            copied = row_counts(db)
            # A vacuumed copy forgets this, and readers beside a writer need it once it is put to use.
            db.execute("pragma journal_mode = wal")
    except (sqlite3.Error, MemoryDBError) as error:
        raise CorruptError(f"The copy cannot be read: {error}. Run `memory-db doctor`, then try again.") from error
    if state != "ok":
        raise CorruptError(f"The copy is damaged ({state}). Run `memory-db doctor`, then try again.")
    for table in before.keys() | copied.keys():
        bounds = sorted((before.get(table, 0), after.get(table, 0)))
        if not bounds[0] <= copied.get(table, -1) <= bounds[1]:
            raise CorruptError(
                f"The copy has {copied.get(table, 'no')} rows of {table}, the file {bounds[1]:,}. Try again."
            )


def row_counts(db: sqlite3.Connection) -> dict[str, int]:
    """Rows of every ordinary table: not of views, full text or SQLite's own."""
    tables = [
        row["name"]
        for row in db.execute("select name from pragma_table_list where schema = 'main' and type = 'table'")
        if not row["name"].startswith("sqlite_")
    ]
    return {table: int(db.execute(f"select count(*) from [{table}]").fetchone()[0]) for table in tables}
