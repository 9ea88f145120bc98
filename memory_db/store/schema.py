"""Making the file, and keeping its schema in step with this code.

In: a path. Out: a connection to a file with every migration applied, our
views and triggers as `views/` and `triggers.sql` say, and the seeded rows and
shipped profiles present. Invariant: opening a file that is already in step
writes nothing; only what `schema_objects` records as ours is ever dropped.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from sqlite_utils import Database

from memory_db.errors import DatabaseFileError, MemoryDBError, MigrationError, ReadOnlyError
from memory_db.redact.clean import RULES_VERSION
from memory_db.store.connection import (
    APPLICATION_ID,
    BUSY_MS,
    SCHEMA_VERSION,
    check_schema,
    explain,
    identity,
    is_file,
    open_raw,
    transaction,
)
from memory_db.store.dates import utc_text
from memory_db.store.earlier_shapes import mend_shape
from memory_db.store.migrations import migrations
from memory_db.store.presets import PRESETS
from memory_db.store.seeds import SEEDS, Seed
from memory_db.store.versions import with_columns

SHIPPED = "shipped"
"""`profiles.fitted_on` of a profile that comes with the package begins with this word."""

BEGUN = """
insert or ignore into scan_progress (place, rules_version, last_id, started_at, finished_at) values ('file', ?, 0, ?, ?)
"""
"""By which rules all that a new file will hold is scanned when it is written."""

CREATE = re.compile(r"^create (view|trigger) (\w+)", re.MULTILINE)


def open_database(path: Path, *, now: datetime, busy_ms: int = BUSY_MS) -> sqlite3.Connection:
    """A connection for writing, to a file that is made or migrated first where needed.

    Raises: NotADatabaseError, NewerSchemaError, MigrationError, BusyError, ReadOnlyError, CorruptError.
    """
    make_private_file(path)
    connection = open_raw(path, write=True, busy_ms=busy_ms)
    try:
        version = version_to_migrate(connection, path)
        if version < SCHEMA_VERSION:
            migrate(connection, path, version)
        if version == 0:
            connection.execute(BEGUN, [RULES_VERSION, utc_text(now), utc_text(now)])
        if not in_step(connection):
            bring_in_step(connection, now, is_new=version == 0)
    except sqlite3.Error as error:
        connection.close()
        raise explain(error, path) from error
    except OSError as error:
        connection.close()
        raise ReadOnlyError(f"{path} cannot be migrated: {error.strerror}. Make its folder writable.") from error
    except MemoryDBError:
        connection.close()
        raise
    return connection


def version_to_migrate(connection: sqlite3.Connection, path: Path) -> int:
    """The schema version of a file of ours, 0 for an empty one, which may become ours.

    Raises: NotADatabaseError, NewerSchemaError.
    """
    application_id, version, tables = identity(connection)
    if application_id == 0 and tables == 0:
        return 0
    if application_id != APPLICATION_ID or version > SCHEMA_VERSION:
        check_schema(connection, path)
    return version


def make_private_file(path: Path) -> None:
    """Makes an empty file that only its owner may read, with its folder, unless it is there."""
    if is_file(path):
        return
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600, exist_ok=True)
    except OSError as error:
        raise DatabaseFileError(f"Cannot make {path}: {error.strerror}. Name another place with -d.") from error


def migrate(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """Applies what is pending in one transaction, one process at a time, after a copy of a file with rows."""
    with migration_lock(path):
        if identity(connection)[1] == SCHEMA_VERSION:
            return
        if version > 0:
            back_up_before_migration(connection, path, version)
        connection.execute("pragma journal_mode = wal")
        with transaction(connection):
            try:
                apply_pending(connection, version)
            except sqlite3.Error as error:
                if error.sqlite_errorcode & PRIMARY_CODE not in UNFIT_CODES:
                    raise
                raise not_migrated(connection, path, version, error) from error
            connection.execute(f"pragma application_id = {APPLICATION_ID}")
            connection.execute(f"pragma user_version = {SCHEMA_VERSION}")


PRIMARY_CODE = 0xFF
"""SQLite's error code without its extension. Source: SQLite's documentation of extended result codes."""

UNFIT_CODES = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH)
"""What SQLite says where a migration and a file do not fit; anything else is about the disk, a lock or damage."""

FULL_TEXT_SCHEMA = 5
"""The schema that brought full text: what was there before it is indexed now."""


def apply_pending(connection: sqlite3.Connection, version: int) -> None:
    """Applies the migrations that a file lacks. Raises: sqlite3.Error."""
    if version > 0:
        mend_shape(connection)
    migrations.apply(Database(connection, execute_plugins=False))
    if 0 < version < FULL_TEXT_SCHEMA:
        connection.execute("insert into entry_fts(entry_fts) values ('rebuild')")


def not_migrated(connection: sqlite3.Connection, path: Path, version: int, error: sqlite3.Error) -> MigrationError:
    """What failed, that the file is as it was, and what to do now."""
    waiting = migrations.pending(Database(connection, execute_plugins=False))
    step = f"migration {waiting[0].name}" if waiting else "what follows the migrations"
    return MigrationError(
        f"{path} cannot be migrated from schema {version} to {SCHEMA_VERSION}: {step} failed ({error}). The file was"
        f" left as it was, and {copy_before(path, version)} is a copy of it: put that back if anything is amiss. Go on"
        " with the memory-db that made the file, and report this line to its authors."
    )


def copy_before(path: Path, version: int) -> Path:
    """Where the copy lies that is made of a file of some schema before it is migrated to this one."""
    return path.with_name(f"{path.name}.before-schema-{SCHEMA_VERSION}-from-{version}")


def back_up_before_migration(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """Copies the file as it is beside itself, once per schema version."""
    copy = copy_before(path, version)
    if copy.exists():
        return
    partial = copy.with_name(copy.name + ".partial")
    partial.unlink(missing_ok=True)
    # vacuum fills an empty file, so that the copy is private from its first byte.
    partial.touch(mode=0o600)
    connection.execute("vacuum into ?", [str(partial)])
    partial.rename(copy)


@contextmanager
def migration_lock(path: Path) -> Iterator[None]:
    """Holds an advisory lock beside the file: two processes must not migrate at once."""
    from filelock import FileLock  # noqa: PLC0415  # start-up: only a migration needs it

    lock_path = path.with_name(path.name + ".migrating")
    with FileLock(lock_path):
        yield
        # Taken away while it is held: who waits for it sees that, and makes another. Windows removes no open file.
        with suppress(OSError):
            lock_path.unlink()


@cache  # a page that asks the doctor asks for them every time
def wanted_objects() -> Mapping[str, tuple[str, str]]:
    """Our views and triggers in the order they must be made: name -> (type, SQL)."""
    folder = files("memory_db.store")
    views = sorted(folder.joinpath("views").iterdir(), key=lambda file: file.name)
    text = "".join(file.read_text("utf-8") for file in (*views, folder.joinpath("triggers.sql")))
    objects = {}
    for statement in split_statements(with_columns(text)):
        match = CREATE.search(statement)
        if match:
            objects[match[2]] = (match[1], statement[match.start() :].rstrip().rstrip(";"))
    return MappingProxyType(objects)


def split_statements(text: str) -> Iterator[str]:
    """The SQL statements of a script, one by one; SQLite itself tells where one ends."""
    statement = ""
    for line in text.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def in_step(connection: sqlite3.Connection) -> bool:
    """Whether views, triggers, seeded rows and shipped profiles are as this code wants them."""
    recorded = {row["name"]: (row["type"], row["sql"]) for row in connection.execute("select * from schema_objects")}
    return recorded == wanted_objects() and not missing_seeds(connection) and not stale_presets(connection)


def bring_in_step(connection: sqlite3.Connection, now: datetime, *, is_new: bool = False) -> None:
    """Replaces our views and triggers and adds missing rows and profiles, in one transaction.

    A new file has no other shape that would have to be mended.
    """
    wanted = wanted_objects()
    with transaction(connection):
        if not is_new:
            mend_shape(connection)
        recorded = list(connection.execute("select name, type from schema_objects order by rowid desc"))
        for row in recorded:
            connection.execute(f"drop {row['type']} if exists [{row['name']}]")
        connection.execute("delete from schema_objects")
        for name, (kind, sql) in wanted.items():
            connection.execute(sql)
            connection.execute("insert into schema_objects (name, type, sql) values (?, ?, ?)", [name, kind, sql])
        for table, row in missing_seeds(connection):
            columns = ", ".join(f":{column}" for column in row._fields)
            connection.execute(f"insert into {table} ({', '.join(row._fields)}) values ({columns})", row._asdict())
        for name in stale_presets(connection):
            preset = PRESETS[name]
            connection.execute(
                "insert into profiles (name, version, weights, threshold, description, leaves_out, fitted_on,"
                " created_at) values (?, (select coalesce(max(version), 0) + 1 from profiles where name = ?),"
                " ?, ?, ?, ?, ?, ?)",
                [name, name, weights_json(preset.weights), preset.threshold, preset.description,
                 preset.leaves_out, f"{SHIPPED}: {preset.source}", utc_text(now)],
            )  # fmt: skip


def missing_seeds(connection: sqlite3.Connection) -> list[tuple[str, Seed]]:
    """Rows that every file begins with and this one lacks, as (table, row); edited ones are left as they are."""
    return [
        (table, row)
        for table, rows in SEEDS.items()
        for row, known in ((row, {name for (name,) in connection.execute(f"select name from {table}")}) for row in rows)
        if row.name not in known
    ]


def stale_presets(connection: sqlite3.Connection) -> list[str]:
    """Shipped profiles whose newest row is missing, or is a shipped one that says something else."""
    newest = {
        row["name"]: row
        for row in connection.execute(
            "select name, weights, threshold, fitted_on, max(version) as version from profiles group by name"
        )
    }
    stale = []
    for name, preset in PRESETS.items():
        row = newest.get(name)
        if row is None or (
            (row["fitted_on"] or "").startswith(SHIPPED)
            and (row["weights"] != weights_json(preset.weights) or row["threshold"] != preset.threshold)
        ):
            stale.append(name)
    return stale


def weights_json(weights: dict[str, float]) -> str:
    """Weights as they are stored: JSON by name of signal, in that order."""
    return json.dumps(weights, sort_keys=True)
