"""Files that were written for others, remembered so that forgetting can look into them.

In: the file whose words they have, a path. Out: rows of `exports`. Invariants: a row is there before the file is, so
that none is unknown whose writer was killed; one that was not written leaves no row; no word of the file is in a row.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory_db.errors import DatabaseFileError
from memory_db.store.connection import connect, transaction
from memory_db.store.dates import utc_text

MEMORIES, COPY, DECRYPTED, PORTRAIT, SITE = "memories", "copy", "decrypted", "portrait", "site"
"""What a file is: an export of memories, a copy of the whole file, what was decrypted, a block in a user's file, the
pages as files."""

READ_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class Export:
    """A remembered file or folder. `sha256` is of what was written; None where nobody knows whether it was."""

    id: int
    path: Path
    what: str
    sha256: str | None
    written_at: str


Before = tuple[str, str, str | None]
"""What a row said of a place before: what stood there, since when, and its hash."""


@contextmanager
def remembered(path: Path, target: Path, what: str, *, now: datetime) -> Iterator[list[str]]:
    """Remembers that a file or folder is written at `target`; gives a list that gets why it could not be remembered.

    `path` is the file of memories. Where nothing was written because of an error, nothing is remembered of that.
    """
    problems: list[str] = []
    noted: tuple[int, Before | None] | None = None
    try:
        noted = note(path, target, what, now=now)
    except (sqlite3.Error, DatabaseFileError) as error:
        problems.append(str(error))
    try:
        yield problems
    except BaseException:
        if noted is not None:
            take_back(path, *noted)
        raise
    if noted is not None:
        finish(path, noted[0], target)


def note(path: Path, target: Path, what: str, *, now: datetime) -> tuple[int, Before | None]:
    """Remembers what is about to be written, in the row of what stood there: its number, and what it said before.

    Raises: sqlite3.Error, DatabaseFileError.
    """
    place, moment = str(target.absolute()), utc_text(now)
    with closing(connect(path, write=True)) as db, transaction(db):
        row = db.execute("select id, what, written_at, sha256 from exports where path = ?", [place]).fetchone()
        if row is not None:
            changed = "update exports set what = ?, written_at = ?, sha256 = null where id = ?"
            db.execute(changed, [what, moment, row[0]])
            return int(row[0]), (row[1], row[2], row[3])
        made = db.execute("insert into exports (path, what, written_at) values (?, ?, ?)", [place, what, moment])
        return int(made.lastrowid or 0), None


def take_back(path: Path, row_id: int, before: Before | None) -> None:
    """Has a row say what it said before, where nothing was written. Raises: sqlite3.Error."""
    with closing(connect(path, write=True)) as db, transaction(db):
        if before is None:
            db.execute("delete from exports where id = ?", [row_id])
        else:
            db.execute("update exports set what = ?, written_at = ?, sha256 = ? where id = ?", [*before, row_id])


def finish(path: Path, row_id: int, target: Path) -> None:
    """Says what was written, by its hash, or that nothing was. Raises: sqlite3.Error, OSError."""
    with closing(connect(path, write=True)) as db, transaction(db):
        if not target.exists():
            db.execute("delete from exports where id = ?", [row_id])
        else:
            db.execute("update exports set sha256 = ? where id = ?", [digest_of(target), row_id])


def known(db: sqlite3.Connection) -> list[Export]:
    """What is remembered, oldest first; a place has one row."""
    rows = db.execute("select id, path, what, sha256, written_at from exports order by id")
    return [Export(row[0], Path(row[1]), row[2], row[3], row[4]) for row in rows]


def digest_of(target: Path) -> str:
    """The hash of a file, or of the names and hashes of all files of a folder. Raises: OSError."""
    if not target.is_dir():
        return sha256_of(target)
    found = hashlib.sha256()
    for each in files_of(target):
        found.update(f"{each.relative_to(target)} {sha256_of(each)}\n".encode("utf-8", "surrogateescape"))
    return found.hexdigest()


def files_of(target: Path) -> list[Path]:
    """A file itself, or the files below a folder, by name; links are not followed."""
    if not target.is_dir():
        return [target]
    return sorted(each for each in target.rglob("*") if each.is_file() and not each.is_symlink())


def sha256_of(path: Path) -> str:
    """The hash of a file. Raises: OSError."""
    found = hashlib.sha256()
    with path.open("rb") as handle:
        while data := handle.read(READ_BYTES):
            found.update(data)
    return found.hexdigest()
