"""Which file a notebook speaks of, and where its pages are.

In: a path, or nothing for the file that the command line uses. Out: a connection, which only reads unless it is told
otherwise. Invariant: what is asked without naming a connection goes to the one that was made last.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from memory_db.errors import InputError
from memory_db.store import connection as store

DEFAULT = Path("~/.memory-db/memory.db")
"""The file of the command line, unless MEMORY_DB names another."""

SERVED_AT = "http://127.0.0.1:8001"
"""Where `memory-db serve` shows the pages unless it is given another port."""


@dataclass(slots=True)
class Place:
    """The connection made last, and the address of the pages."""

    db: sqlite3.Connection | None = None
    address: str = SERVED_AT


PLACE = Place()


def connect(path: Path | str | None = None, *, write: bool = False) -> sqlite3.Connection:
    """A connection to a memory-db file, which only reads unless `write` is true; rows have names.

    Without a path it is the file that MEMORY_DB names, else `~/.memory-db/memory.db`. What is asked afterwards without
    a connection asks this one. Raises: DatabaseFileError.
    """
    PLACE.db = store.connect(chosen(path), write=write)
    return PLACE.db


def use(db: sqlite3.Connection) -> sqlite3.Connection:
    """Has what is asked afterwards asked of a connection that was made elsewhere."""
    PLACE.db = db
    return db


def chosen(path: Path | str | None) -> Path:
    """A path as it was given, or that of the user's own file."""
    return Path(path or os.environ.get("MEMORY_DB") or DEFAULT).expanduser()


def links_to(address: str) -> None:
    """Has links lead to pages at another address than `http://127.0.0.1:8001`. Raises: InputError."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise InputError(f"{address[:100]!r} is no address of pages. Give one such as {SERVED_AT!r}.")
    PLACE.address = address.rstrip("/")


def current() -> sqlite3.Connection:
    """The connection made last; where there is none, one to the user's own file. Raises: DatabaseFileError."""
    return PLACE.db or connect()


def path_of(db: sqlite3.Connection) -> Path | None:
    """The file of a connection; None for one that is in memory alone."""
    name = store.file_of(db)
    return Path(name) if name else None


@contextmanager
def writing(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """A connection that may write to the file of another one, for as long as a block; of a file in memory the same one.

    Raises: DatabaseFileError.
    """
    path = path_of(db)
    if path is None:
        yield db
        return
    other = store.connect(path, write=True)
    try:
        yield other
    finally:
        other.close()
