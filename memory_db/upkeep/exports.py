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


@contextmanager
def remembered(path: Path, target: Path, what: str, *, now: datetime) -> Iterator[list[str]]:
    """Remembers that a file or folder is written at `target`; gives a list that gets why it could not be remembered.

    `path` is the file of memories. Where nothing was written because of an error, nothing is remembered.
    """
    problems: list[str] = []
    try:
        row_id = note(path, target, what, now=now)
    except (sqlite3.Error, DatabaseFileError) as error:
        problems.append(str(error))
        row_id = None
    try:
        yield problems
    except BaseException:
        if row_id is not None:
            finish(path, row_id, None)
        raise
    if row_id is not None:
        finish(path, row_id, target)


def note(path: Path, target: Path, what: str, *, now: datetime) -> int:
    """Remembers what is about to be written; the number of its row. Raises: sqlite3.Error, DatabaseFileError."""
    with closing(connect(path, write=True)) as db, transaction(db):
        return int(
            db.execute(
                "insert into exports (path, what, written_at) values (?, ?, ?)",
                [str(target.absolute()), what, utc_text(now)],
            ).lastrowid
            or 0
        )


def finish(path: Path, row_id: int, target: Path | None) -> None:
    """Says what was written, by its hash; without a target, that nothing was. Raises: sqlite3.Error, OSError."""
    with closing(connect(path, write=True)) as db, transaction(db):
        if target is None or not target.exists():
            db.execute("delete from exports where id = ?", [row_id])
        else:
            db.execute("update exports set sha256 = ? where id = ?", [digest_of(target), row_id])


def known(db: sqlite3.Connection) -> list[Export]:
    """What is remembered, of each place the last, oldest first."""
    rows = db.execute(
        "select id, path, what, sha256, written_at from exports where id in (select max(id) from exports group by path)"
        " order by id"
    )
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
