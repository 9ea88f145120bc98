"""A copy of the file that is known to be good.

In: a connection and a place. Out: a file that only its owner may read,
verified before it takes its name. Invariant: what stands at the place is
either nothing or a whole, verified copy.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory_db.errors import CorruptError, InputError, MemoryDBError, MissingFileError
from memory_db.store.connection import connect, explain

FOLDER = "backups"
"""The folder beside a file in which its copies stand where nobody names another place."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A verified copy: where it is, how large, and how many tables and rows it has."""

    path: Path
    bytes: int
    tables: int
    rows: int


def folder_of(path: Path) -> Path:
    """Where copies of a file stand."""
    return path.parent / FOLDER


def new_target(path: Path, now: datetime) -> Path:
    """A place for a copy of this moment, in a folder that is made where it is missing, for its owner alone.

    Raises: InputError if the folder cannot be made.
    """
    folder = folder_of(path)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise InputError(f"Cannot make {folder}: {error.strerror}. Name another place.") from error
    return folder / f"{path.stem}-{now:%Y%m%d-%H%M%S}.db"


def latest(path: Path) -> Path | None:
    """The newest copy of a file in its folder, by its name; None where there is none."""
    try:
        found = sorted(each for each in folder_of(path).iterdir() if is_copy(each.name, path))
    except OSError:
        return None
    return found[-1] if found else None


def is_copy(name: str, path: Path) -> bool:
    """Whether a file of that name is a copy of this one, as `new_target` names them."""
    moment = name.removeprefix(f"{path.stem}-").removesuffix(".db")
    return name == f"{path.stem}-{moment}.db" and len(moment) == 15 and moment.replace("-", "", 1).isdecimal()


def verified(copy: Path) -> Copy:
    """A copy made before, read from end to end.

    Raises: CorruptError; MissingFileError if there is none.
    """
    try:
        # Nothing is written: but a reader that may not write leaves its -wal and -shm beside the copy.
        with closing(connect(copy, write=True)) as db:
            state = db.execute("pragma integrity_check(1)").fetchone()[0]
            counts = row_counts(db)
    except MissingFileError:
        raise
    except (sqlite3.Error, MemoryDBError) as error:
        raise CorruptError(f"The copy cannot be read: {error}. Make another one.") from error
    if state != "ok":
        raise CorruptError(f"The copy {copy} is damaged ({state}). Make another one.")
    return Copy(copy, copy.stat().st_size, len(counts), sum(counts.values()))


def back_up(db: sqlite3.Connection, target: Path) -> Copy:
    """Copies the file to a new place and verifies the copy.

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
        copied = copy_verified(db, partial)
        partial.rename(target)
    except sqlite3.Error as error:
        raise explain(error, partial) from error
    finally:
        partial.unlink(missing_ok=True)
    return Copy(target, target.stat().st_size, len(copied), sum(copied.values()))


ATTEMPTS = 5
"""How often a copy is made anew whose counts lie outside those before and after it: others added and removed rows."""


def copy_verified(db: sqlite3.Connection, partial: Path) -> dict[str, int]:
    """Copies the file to a place where an empty one stands, and verifies the copy; gives its counts.

    Raises: CorruptError, sqlite3.Error.
    """
    for attempt in range(1, ATTEMPTS + 1):
        version = db.execute("pragma data_version").fetchone()[0]
        before = row_counts(db)
        db.execute("vacuum into ?", [str(partial)])
        after = row_counts(db)
        is_still = db.execute("pragma data_version").fetchone()[0] == version
        try:
            return verify(partial, before, after)
        except CorruptError:
            if is_still or attempt == ATTEMPTS:
                raise
            for each in partial.parent.glob(f"{partial.name}*"):
                each.unlink()
            partial.touch(mode=0o600)
    raise AssertionError("the last attempt returns or raises")


def verify(copy: Path, before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """Opens a copy and compares it with the counts of rows before and after it was made; gives its own.

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
    return copied


def row_counts(db: sqlite3.Connection) -> dict[str, int]:
    """Rows of every ordinary table: not of views, full text or SQLite's own."""
    tables = [
        row["name"]
        for row in db.execute("select name from pragma_table_list where schema = 'main' and type = 'table'")
        if not row["name"].startswith("sqlite_")
    ]
    return {table: int(db.execute(f"select count(*) from [{table}]").fetchone()[0]) for table in tables}
