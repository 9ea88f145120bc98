"""A copy of the file that is known to be good.

In: a connection and a place. Out: a file that only its owner may read,
verified before it takes its name. Invariant: what stands at the place is
either nothing or a whole, verified copy.
"""

from __future__ import annotations

import os
import re
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memory_db.errors import CorruptError, DatabaseFileError, InputError, MemoryDBError, MissingFileError
from memory_db.store.connection import APPLICATION_ID, check_schema, explain, file_of, open_raw
from memory_db.store.encryption import encrypted_bytes, is_encrypted
from memory_db.store.ordinary_tables import ordinary_tables

FOLDER = "backups"
"""The folder beside a file in which its copies stand where nobody names another place."""


MOMENT, MOMENT_FORM = re.compile(r"[0-9]{8}-[0-9]{6}"), "%Y%m%d-%H%M%S"
"""The moment in the name of a copy, in UTC."""

HEAD_BYTES, PAGE_SIZE, PAGES, APPLICATION = 100, slice(16, 18), slice(28, 32), slice(68, 72)
"""Where SQLite writes how large a page is, how many there are, and whose file it is.
Source: SQLite's documentation of its file format, section 1.3."""

LARGEST_PAGE = 65_536
"""Size of a page that does not fit into its two bytes, which say 1 then."""

PARTIAL = ".partial"
"""Ending of a copy that is being made."""

PLAIN, ENCRYPTED = ".db", ".db.enc"
"""Endings of copies."""

LOGS = ("-wal", "-shm", "-journal")
"""Endings of what SQLite leaves beside a file."""


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


def new_target(path: Path, now: datetime, ending: str = PLAIN) -> Path:
    """A place for a copy of this moment, in a folder that is made where it is missing, for its owner alone.

    Raises: InputError if the folder cannot be made.
    """
    folder = folder_of(path)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise InputError(f"Cannot make {folder}: {error.strerror}. Name another place.") from error
    return folder / f"{stem_of(path)}-{now.astimezone(UTC):{MOMENT_FORM}}{ending}"


def stem_of(path: Path) -> str:
    """What the names of a file's copies begin with; that of `memory.sqlite` differs from that of `memory.db`."""
    return path.stem if path.suffix == ".db" else path.name


def latest(path: Path) -> Path | None:
    """The newest copy of a file in its folder, by its name; None where there is none."""
    found = made_here(path)
    return found[-1] if found else None


def made_here(path: Path) -> list[Path]:
    """The copies of a file in its folder that memory-db made, oldest first.

    What only has such a name, and is no file of ours from its first bytes on, is somebody else's.
    """
    try:
        found = [each for each in folder_of(path).iterdir() if moment_of(each.name, path)]
    except OSError:
        return []
    return sorted(each for each in found if not each.is_symlink() and each.is_file() and is_ours(each))


def moment_of(name: str, path: Path) -> datetime | None:
    """When a copy of this file was made, by its name as `new_target` gives it; None for any other name."""
    beginning = f"{stem_of(path)}-"
    moment = name.removeprefix(beginning).removesuffix(ENCRYPTED).removesuffix(PLAIN)
    if not MOMENT.fullmatch(moment) or name not in (f"{beginning}{moment}{PLAIN}", f"{beginning}{moment}{ENCRYPTED}"):
        return None
    try:
        return datetime.strptime(moment, MOMENT_FORM).replace(tzinfo=UTC)
    except ValueError:
        return None


def is_ours(copy: Path) -> bool:
    """Whether a file begins as one of ours does."""
    head = head_of(copy)
    return is_encrypted(head) or (len(head) == HEAD_BYTES and int.from_bytes(head[APPLICATION]) == APPLICATION_ID)


def is_whole(copy: Path) -> bool:
    """Whether a copy has the length that it says it has: what only a look at its first bytes can tell."""
    head = head_of(copy)
    if is_encrypted(head):
        return copy.stat().st_size == encrypted_bytes(head)
    page = int.from_bytes(head[PAGE_SIZE])
    return copy.stat().st_size == int.from_bytes(head[PAGES]) * (LARGEST_PAGE if page == 1 else page)


def head_of(copy: Path) -> bytes:
    """The first bytes of a file; none where it cannot be read."""
    try:
        with copy.open("rb") as handle:
            return handle.read(HEAD_BYTES)
    except OSError:
        return b""


def delete(copy: Path) -> None:
    """Deletes a copy with what SQLite left beside it. Raises: OSError."""
    for each in (copy, *(copy.with_name(copy.name + ending) for ending in LOGS)):
        each.unlink(missing_ok=True)


def verified(copy: Path) -> Copy:
    """A copy made before, of this schema or an earlier one, read from end to end.

    Raises: CorruptError; MissingFileError if there is none.
    """
    try:
        with closing(opened(copy)) as db:
            state = db.execute("pragma integrity_check(1)").fetchone()[0]
            counts = row_counts(db)
    except MissingFileError:
        raise
    except (sqlite3.Error, UnicodeDecodeError, MemoryDBError) as error:
        raise CorruptError(f"The copy cannot be read: {error}. Make another one.") from error
    if state != "ok":
        raise CorruptError(f"The copy {copy} is damaged ({state}). Make another one.")
    return Copy(copy, copy.stat().st_size, len(counts), sum(counts.values()))


def opened(copy: Path) -> sqlite3.Connection:
    """A connection to a copy, whichever schema it has. Raises: DatabaseFileError, sqlite3.Error."""
    # Nothing is written: but a reader that may not write leaves its -wal and -shm beside the copy.
    db = open_raw(copy, write=True)
    try:
        check_schema(db, copy, may_be_older=True)
    except (DatabaseFileError, sqlite3.Error):
        db.close()
        raise
    return db


def back_up(db: sqlite3.Connection, target: Path, *, encrypt: Callable[[Path, Path], None] | None = None) -> Copy:
    """Copies the file to a new place and verifies the copy.

    Others may write meanwhile: the copy is of one moment. `encrypt` writes a verified copy, encrypted and compared, to
    a place that it is told; what it reads stands beside the file, so that nothing readable touches the disk of the
    target.
    Raises: InputError if something stands there or cannot be made there, CorruptError if the copy is not right.
    """
    if target.exists():
        raise InputError(f"There is something at {target} already. Name a new file, or move that one away.")
    partial = target.with_name(target.name + PARTIAL)
    try:
        # vacuum fills an empty file, so that the copy is private from its first byte.
        partial.unlink(missing_ok=True)
        partial.touch(mode=0o600)
    except OSError as error:
        raise InputError(f"Cannot make {partial}: {error.strerror}. Name a place that can be written.") from error
    try:
        if encrypt is None:
            copied = copy_verified(db, partial)
        else:
            with plain_beside(Path(file_of(db))) as plain:
                copied = copy_verified(db, plain)
                encrypt(plain, partial)
        write_through(partial)
        partial.rename(target)
    except (sqlite3.Error, UnicodeDecodeError) as error:
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


@contextmanager
def plain_beside(path: Path) -> Iterator[Path]:
    """An empty private file beside another, for what is not encrypted yet or no longer; it is gone in the end.

    Raises: InputError where none can be made.
    """
    try:
        handle, name = tempfile.mkstemp(prefix=plain_prefix(path), dir=path.parent)
    except OSError as error:
        raise InputError(f"Cannot write into {path.parent}: {error.strerror}. Make it writable.") from error
    os.close(handle)
    try:
        yield Path(name)
    finally:
        delete(Path(name))


def plain_prefix(path: Path) -> str:
    """What the names of such files begin with."""
    return f".{path.name}.plain-"


def write_through(path: Path) -> None:
    """Waits until a file is on the disk: older ones may be deleted for it. Raises: OSError."""
    with path.open("rb+") as handle:
        os.fsync(handle.fileno())


def verify(copy: Path, before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """Opens a copy and compares it with the counts of rows before and after it was made; gives its own.

    Raises: CorruptError.
    """
    try:
        with closing(opened(copy)) as db:
            state = db.execute("pragma integrity_check(1)").fetchone()[0]
            copied = row_counts(db)
            # A vacuumed copy forgets this, and readers beside a writer need it once it is put to use.
            db.execute("pragma journal_mode = wal")
    except (sqlite3.Error, UnicodeDecodeError, MemoryDBError) as error:
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
    return {table: int(db.execute(f"select count(*) from [{table}]").fetchone()[0]) for table in ordinary_tables(db)}
