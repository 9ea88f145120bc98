"""Connections that pages ask by, kept open between requests: to read the schema anew takes longer than many a page.

In: a file. Out: a connection of ours, for as long as a block. Invariants: nobody else has it meanwhile; no transaction
and no lock outlives the block; a file that was replaced, or is no longer of our schema, is opened anew.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from memory_db.errors import DatabaseFileError
from memory_db.store.connection import check_schema, connect

MOST_FILES = 2
"""Files of which a thread keeps connections, the last ones."""

File = tuple[int, int]
"""Device and inode: which file is at a path."""


class Idle(threading.local):
    """What a thread keeps open, by path and whether it may write."""

    def __init__(self) -> None:
        self.kept: dict[tuple[Path, bool], tuple[File, sqlite3.Connection]] = {}


IDLE = Idle()


@contextmanager
def opened(path: Path, *, write: bool = False) -> Iterator[sqlite3.Connection]:
    """A connection to the file, as `connection.connect` gives it; a block inside another one has another one.

    Raises: what `connect` raises.
    """
    file = file_at(path)  # before it is opened: where another file comes to its place meanwhile, it is not kept
    db = taken(path, write, file) or connect(path, write=write)
    with ExitStack() as unless_all_went_well:
        unless_all_went_well.callback(db.close)
        yield db
        unless_all_went_well.pop_all()
    give_back(path, write, file, db)


def taken(path: Path, write: bool, file: File | None) -> sqlite3.Connection | None:
    """The connection that this thread keeps, where it is of that file and the file is still ours."""
    kept = IDLE.kept.pop((path, write), None)
    if kept is None:
        return None
    kept_of, db = kept
    try:
        if file is not None and file == kept_of:
            check_schema(db, path)
            return db
    except (sqlite3.Error, UnicodeDecodeError, DatabaseFileError):
        pass  # opened anew, it says what is wrong
    db.close()
    return None


def give_back(path: Path, write: bool, file: File | None, db: sqlite3.Connection) -> None:
    """Keeps a connection for the next block, unless there is one by now.

    Without a write-ahead log beside it the file may have been opened as one that never changes.
    """
    has_log = file_at(path.with_name(path.name + "-wal")) is not None
    if file is None or not has_log or db.in_transaction or (path, write) in IDLE.kept:
        db.close()
        return
    IDLE.kept[path, write] = (file, db)
    while len({known for known, _ in IDLE.kept}) > MOST_FILES:
        IDLE.kept.pop(next(iter(IDLE.kept)))[1].close()


def file_at(path: Path) -> File | None:
    """Which file is at a path now, if one is."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino
