"""The other file of a merge: looked at, copied, and brought into step as a copy.

In: a path. Out: a copy of it in a private temporary folder, of today's schema and cleaned by today's rules. Invariants:
the file itself is only read; what is no file of ours, or is newer, is refused in one line before anything is done.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from memory_db.errors import DatabaseFileError, InputError, MissingFileError
from memory_db.store.connection import check_schema, explain, is_file, open_raw
from memory_db.store.schema import open_database
from memory_db.transcripts import spans
from memory_db.upkeep import scan as scanning


@contextmanager
def copy_of(other: Path, own: Path, *, now: datetime) -> Iterator[Path]:
    """A copy of the other file, in step with this version.

    Raises: InputError where it is the own file; MissingFileError, NotADatabaseError, NewerSchemaError, MigrationError,
    BusyError, CorruptError.
    """
    look_at(other, own)
    with tempfile.TemporaryDirectory(prefix="memory-db-") as folder:
        copy = Path(folder) / "other.db"
        copy.touch(mode=0o600)
        try:
            with closing(open_raw(other, write=False)) as source, closing(sqlite3.connect(copy)) as target:
                source.backup(target)
            with closing(open_database(copy, now=now)) as db:
                spans.complete(db)
                if scanning.is_due(db):
                    scanning.scan(db, now=now)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise explain(error, other) from error
        except DatabaseFileError as error:
            raise type(error)(str(error).replace(str(copy), str(other))) from error
        yield copy


def look_at(other: Path, own: Path) -> None:
    """Refuses a file that cannot be merged into the own one.

    Raises: InputError, MissingFileError, NotADatabaseError, NewerSchemaError, BusyError.
    """
    if os.path.realpath(other) == os.path.realpath(own) or (own.exists() and other.exists() and own.samefile(other)):
        raise InputError(f"{other} is the file itself. Name the file of the other machine.")
    if not is_file(other):
        raise MissingFileError(f"No file at {other}. Name the memory-db file that is to be merged into {own}.")
    try:
        with closing(open_raw(other, write=False)) as db:
            check_schema(db, other, may_be_older=True)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise explain(error, other) from error
