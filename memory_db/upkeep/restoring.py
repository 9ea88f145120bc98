"""Putting a copy in the place of the file.

In: a copy, plain or encrypted, and the place of the file. Out: the file, and where the one that stood there is now.
Invariants: what comes into place was read from end to end; what stood there is put beside it, never deleted, with what
SQLite keeps beside it; nothing changes where the copy is not right.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memory_db.errors import ConflictError, DatabaseFileError, InputError
from memory_db.store import backup
from memory_db.store.connection import open_raw
from memory_db.upkeep.encrypted import readable


@dataclass(frozen=True, slots=True)
class Restored:
    """What stands in the place of the file, or would; where the one that stood there is now."""

    found: backup.Copy
    aside: Path | None


def restore(
    copy: Path, path: Path, *, now: datetime, key_file: Path | None = None, replace: bool = False, dry_run: bool = False
) -> Restored:
    """Verifies a copy and puts what it holds in the place of the file; the copy stays.

    Raises: ConflictError where a file stands there and may not be replaced; MissingFileError, InputError or
    CorruptError for a copy that cannot be read; OSError.
    """
    if os.path.lexists(path) and not replace:
        raise ConflictError(f"There is a file at {path}. Add --replace to put it aside, or name another place with -d.")
    aside = path.with_name(f"{path.name}.before-restore-{now.astimezone(UTC):{backup.MOMENT_FORM}}")
    if os.path.lexists(aside):
        raise ConflictError(f"There is something at {aside} already. Try again in a second.")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"Cannot make {path.parent}: {error.strerror}. Name another place with -d.") from error
    with readable(copy, path, key_file) as plain, backup.plain_beside(path) as new:
        found = backup.verified(plain)
        with closing(backup.opened(plain)) as db:
            backup.copy_verified(db, new)
        backup.write_through(new)
        is_there = os.path.lexists(path)
        if not dry_run:
            put_in_place(new, path, aside)
    return Restored(backup.Copy(path, found.bytes, found.tables, found.rows), aside if is_there else None)


def put_in_place(new: Path, path: Path, aside: Path) -> None:
    """Gives a file the name of another, which is put aside before, with its log. Raises: OSError, ConflictError."""
    if os.path.lexists(path):
        with suppress(DatabaseFileError, sqlite3.Error), closing(open_raw(path, write=True)) as db:
            db.execute("pragma wal_checkpoint(truncate)")
        path.rename(aside)
    for ending in backup.LOGS:
        log = path.with_name(path.name + ending)
        if log.exists():  # it belongs to what stood there, and would spoil what comes
            log.rename(aside.with_name(aside.name + ending))
    try:
        os.link(new, path)  # unlike a renaming it writes over nothing that has come meanwhile
    except FileExistsError as error:
        line = f"Another program has made {path} meanwhile; what stood there is {aside}. Stop it, then try again."
        raise ConflictError(line) from error
    except OSError:  # a disk without links
        new.rename(path)
