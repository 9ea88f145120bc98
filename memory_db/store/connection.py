"""Opening the file, with the standard library alone.

In: a path and whether to write. Out: a connection with our pragmas, in
autocommit mode, rows by name. Invariant: a file that is not ours, is newer
than this code, or is missing is refused before anything is written.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time

from memory_db.errors import (
    BusyError,
    CorruptError,
    DatabaseFileError,
    MissingFileError,
    NewerSchemaError,
    NotADatabaseError,
    OlderSchemaError,
    ReadOnlyError,
)
from memory_db.redact import wanted
from memory_db.store.missing import missing_file

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Any

APPLICATION_ID = 0x6D656D64
"""`PRAGMA application_id` of our files: "memd" in ASCII."""

SCHEMA_VERSION = 21
"""`PRAGMA user_version` of a file with every migration applied: their number."""

URI_BYTES = frozenset(b"/-._~abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
"""What stands for itself in a URI; anything else is escaped. Source: RFC 3986, unreserved characters."""

BUSY_MS, LOG_BUSY_MS = 5000, 25
"""How long a command waits for another writer; and a hook that has answered, before it leaves its row in the spool: the
agent waits as long."""

HOLD_MS, PAUSE_MS = 80, 12
"""How long a process keeps the write lock, in one transaction or many, before it leaves it to others for a while.

Source: who waits asks again after at most 10 ms (see `ASKED_OFTEN_MS`), and so finds the lock free in a pause; a hook,
which waits for 250 ms, has two of them.
"""

ASKED_OFTEN_MS = 18
"""How long SQLite, waiting for the lock, asks again after at most 10 ms. Source: its `sqliteDefaultBusyCallback`, which
asks after 1, 2, 5 and 10 ms and ever more seldom afterwards; so we let it begin anew."""


def connect(path: Path | str, *, write: bool = False, busy_ms: int = BUSY_MS) -> sqlite3.Connection:
    """A connection to an existing, current memory-db file.

    Raises: MissingFileError, NotADatabaseError, NewerSchemaError,
    OlderSchemaError, BusyError, ReadOnlyError, CorruptError.
    """
    connection = open_raw(path, write=write, busy_ms=busy_ms)
    try:
        check_schema(connection, path)
    except DatabaseFileError:
        connection.close()
        raise
    except (sqlite3.Error, UnicodeDecodeError) as error:
        connection.close()
        raise explain(error, path) from error
    return connection


def connect_to_answer(path: Path | str, *, busy_ms: int = BUSY_MS) -> tuple[sqlite3.Connection, int]:
    """A connection that can only read, to a file of this schema or an earlier one, and which schema that is.

    It may be bound to reading by `query_only` alone, so that who has answered may lift that and log: to open the file
    once more would take a sixth of a hook's time. Reading waits for no writer either way.
    Raises: MissingFileError, NotADatabaseError, NewerSchemaError, BusyError, ReadOnlyError, CorruptError.
    """
    is_file(path)
    try:
        connection = open_mode(path, "rw", busy_ms)
    except sqlite3.Error:
        connection = open_raw(path, write=False, busy_ms=busy_ms)
    try:
        connection.execute("pragma query_only = on")
        return connection, check_schema(connection, path, may_be_older=True)
    except DatabaseFileError:
        connection.close()
        raise
    except (sqlite3.Error, UnicodeDecodeError) as error:
        connection.close()
        raise explain(error, path) from error


def rows_there(db: sqlite3.Connection, sql: str, values: Sequence[object] | Mapping[str, object] = ()) -> list[Any]:
    """The rows of a question; none where the file is of an earlier schema that lacks a table or column of it.

    An index that the question names is a matter of speed: without it the same is found.
    Raises: sqlite3.Error.
    """
    try:
        return db.execute(sql, values).fetchall()
    except sqlite3.OperationalError as error:
        if str(error).startswith("no such index"):
            words = sql.split(" indexed by ")
            return rows_there(db, " ".join([words[0], *(each.partition(" ")[2] for each in words[1:])]), values)
        if not is_lacking(error) or schema_of(db) >= SCHEMA_VERSION:
            raise
        return []


def is_lacking(error: sqlite3.Error) -> bool:
    """Whether a question failed because the file has not what it asks for. Source: SQLite's words."""
    return str(error).startswith(("no such table", "no such column"))


def schema_of(db: sqlite3.Connection) -> int:
    """The schema version that a file says it has."""
    return int(db.execute("pragma user_version").fetchone()[0])


def open_raw(path: Path | str, *, write: bool, busy_ms: int = BUSY_MS, create: bool = False) -> sqlite3.Connection:
    """A connection with our pragmas, whatever schema the file has.

    Raises: MissingFileError, NotADatabaseError, BusyError, ReadOnlyError, CorruptError.
    """
    if not is_file(path) and not create:
        raise missing_file(path)
    mode = "rwc" if create else "rw" if write else "ro"
    try:
        return open_mode(path, mode, busy_ms)
    except sqlite3.Error as error:
        if write or not may_be_frozen(error, path):
            raise explain(error, path) from error
    try:
        return open_mode(path, "ro&immutable=1", busy_ms)
    except sqlite3.Error as error:
        raise explain(error, path) from error


def open_mode(path: Path | str, mode: str, busy_ms: int) -> sqlite3.Connection:
    """A connection with our pragmas in one of SQLite's modes, once the file has answered.

    Raises: sqlite3.Error.
    """
    uri = f"{file_uri(path)}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, timeout=busy_ms / 1000, isolation_level=None)
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("pragma foreign_keys = on")
        connection.execute("pragma schema_version").fetchone()
        if mode != "ro":
            connection.execute("pragma synchronous = normal")
        ask_for_personal(connection)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def file_of(db: sqlite3.Connection) -> str:
    """The path of the connection's file, also where its name is no text; '' for a database in memory."""
    row = db.execute("select cast(file as blob) from pragma_database_list where name = 'main'").fetchone()
    return os.fsdecode(row[0]) if row and row[0] else ""


def ask_for_personal(db: sqlite3.Connection) -> None:
    """Has personal data taken out of texts from now on, or no more, as the file's setting says.

    Raises: sqlite3.Error.
    """
    path = file_of(db)
    try:
        row = db.execute("select value from settings where name = ?", [wanted.SETTING]).fetchone()
    except sqlite3.OperationalError as error:
        if not is_lacking(error):
            raise
        row = None  # a new file, or one of an earlier schema
    wanted.ask(path, row is not None and row[0] == "true")


def file_uri(path: Path | str) -> str:
    """The address of a file as SQLite reads it, whatever characters its name has."""
    plain = os.fsencode(os.path.realpath(path).replace(os.sep, "/").lstrip("/"))
    return "file:///" + "".join([chr(byte) if byte in URI_BYTES else f"%{byte:02X}" for byte in plain])


def may_be_frozen(error: sqlite3.Error, path: Path | str) -> bool:
    """Whether a file could not be read only because SQLite may not make its helper files beside it.

    Without a write-ahead log all is in the file itself, and it can be read as one that does not change.
    """
    return "readonly" in str(error) and not os.path.exists(f"{path}-wal")


def is_file(path: Path | str) -> bool:
    """Whether a file is there, or nothing.

    Raises: NotADatabaseError for a folder, a pipe or a device; MissingFileError where no file can be.
    """
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise MissingFileError(f"{str(path)[:80]!r} cannot be reached: {reason}. Name another with -d.") from error
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "a pipe or device"
        raise NotADatabaseError(f"{path} is {what}, not a database file. Name a file with -d.")
    return True


def check_schema(connection: sqlite3.Connection, path: Path | str, *, may_be_older: bool = False) -> int:
    """Refuses a file that this code cannot read as its own; else gives its schema.

    Raises: NotADatabaseError, NewerSchemaError, OlderSchemaError.
    """
    application_id, version, tables = identity(connection)
    if application_id != APPLICATION_ID:
        what = "an empty database" if tables == 0 else "an SQLite file of another program"
        raise NotADatabaseError(f"{path} is {what}, not a memory-db file. Nothing was changed; name another with -d.")
    if version > SCHEMA_VERSION:
        raise NewerSchemaError(
            f"{path} has schema {version}, newer than this memory-db knows ({SCHEMA_VERSION}). Upgrade memory-db."
        )
    if version < SCHEMA_VERSION and not may_be_older:
        raise OlderSchemaError(
            f"{path} has schema {version}, this memory-db wants {SCHEMA_VERSION}. Run `memory-db doctor` to migrate it."
        )
    return version


def identity(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """What the file says it is: application id, schema version, number of tables."""
    row = connection.execute(
        "select (select application_id from pragma_application_id),"
        " (select user_version from pragma_user_version),"
        " (select count(*) from sqlite_master where type = 'table')"
    ).fetchone()
    return int(row[0]), int(row[1]), int(row[2])


class Turns:
    """How long this process has held the write lock since it last left it to others for a whole pause.

    Short transactions that follow each other at once starve who waits, for SQLite wakes nobody: it asks now and then.
    """

    def __init__(self) -> None:
        self.held_ms = 0.0
        self.left_at = 0.0

    def await_turn(self) -> None:
        """Waits until others had theirs, if it was held for long."""
        free_ms = (time.perf_counter() - self.left_at) * 1000
        if free_ms < PAUSE_MS and self.held_ms >= HOLD_MS:
            time.sleep((PAUSE_MS - free_ms) / 1000)
            free_ms = PAUSE_MS
        if free_ms >= PAUSE_MS:
            self.held_ms = 0.0

    def leave(self, began: float) -> None:
        """Notes that the lock, held since a moment, is free."""
        self.left_at = time.perf_counter()
        self.held_ms += (self.left_at - began) * 1000


TURNS = Turns()


class one_state:  # noqa: N801  # used like a function: `with one_state(db):`
    """One state of the file for all that is read within it, whatever others write meanwhile; nothing is written here.

    Inside a transaction already under way it adds nothing.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.is_inner = connection.in_transaction

    def __enter__(self) -> one_state:
        if not self.is_inner:
            self.connection.execute("begin")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if not self.is_inner and self.connection.in_transaction:
            self.connection.rollback()


class transaction:  # noqa: N801  # used like a function: `with transaction(db):`
    """One atomic write: the lock is taken at once, so a read before a write cannot go stale.

    Inside a transaction already under way it adds nothing: the outer one decides. Who wrote for long waits for a moment
    before the next one, so that others get their turn.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.is_inner = connection.in_transaction
        self.began = 0.0

    def __enter__(self) -> transaction:
        if not self.is_inner:
            self.begin()
        return self

    def begin(self) -> None:
        """Takes the lock when it is this process's turn, for as long as the connection has patience."""
        TURNS.await_turn()
        patience_ms = self.connection.execute("pragma busy_timeout").fetchone()[0]
        last = time.perf_counter() + (patience_ms - ASKED_OFTEN_MS) / 1000
        while time.perf_counter() < last and not self.has_begun(patience_ms):
            pass
        if not self.connection.in_transaction:
            self.connection.execute("begin immediate")
        self.began = time.perf_counter()

    def has_begun(self, patience_ms: int) -> bool:
        """Asks for the lock for as long as SQLite asks often; whether it was free."""
        self.connection.execute(f"pragma busy_timeout = {ASKED_OFTEN_MS}")
        try:
            self.connection.execute("begin immediate")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            return False
        finally:
            self.connection.execute(f"pragma busy_timeout = {patience_ms}")
        return True

    def is_long(self) -> bool:
        """Whether the lock was held for so long that others should have it now."""
        return not self.is_inner and TURNS.held_ms + (time.perf_counter() - self.began) * 1000 >= HOLD_MS

    def let_others(self) -> None:
        """Commits what is done and lets other writers in for a moment, once the lock was held for long.

        For a loop whose steps stand each for itself: what comes after a failure is rolled back, what came before stays.
        """
        if not self.is_long():
            return
        self.connection.commit()
        TURNS.leave(self.began)
        self.begin()

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if self.is_inner:
            return
        if kind is None:
            self.connection.commit()
        else:
            self.connection.rollback()
        TURNS.leave(self.began)


def explain(error: sqlite3.Error | UnicodeDecodeError, path: Path | str) -> DatabaseFileError:
    """SQLite's error as one of ours, in words that say what to do."""
    text = str(error).lower()
    if isinstance(error, UnicodeDecodeError):
        text = "malformed"
    if "not a database" in text:
        return NotADatabaseError(f"{path} is not an SQLite database. Nothing was changed; name another file with -d.")
    if "locked" in text or "busy" in text:
        return BusyError(f"{path} is locked by another process. Wait for it to finish, then run the command again.")
    if "readonly" in text or "read-only" in text:
        return ReadOnlyError(f"{path} cannot be written. Make the file and its folder writable, or copy it elsewhere.")
    if "malformed" in text or "corrupt" in text:
        name = os.path.basename(path)
        return CorruptError(f"{path} is damaged ({error}). Restore a backup, or try `sqlite3 {name} .recover`.")
    if "disk is full" in text:
        return DatabaseFileError(f"No room on the disk of {path}. Free some space, then run the command again.")
    if "unable to open" in text:
        return ReadOnlyError(f"{path} cannot be opened here. Check that the folder exists and may be written.")
    return DatabaseFileError(f"{path}: SQLite says: {error}. Run `memory-db doctor`.")


def id_list(ids: Iterable[int]) -> str:
    """Ids as SQL lists them, for `in (...)`: whole numbers alone, so nothing else can be said with them."""
    return ",".join(map(str, map(int, ids)))


def select_in(db: sqlite3.Connection, sql: str, ids: Iterable[int]) -> list[sqlite3.Row]:
    """Rows of `sql` (which ends in a column's name) where that column is one of the ids."""
    wanted = id_list(ids)
    return db.execute(f"{sql} in ({wanted})").fetchall() if wanted else []


def tuples(db: sqlite3.Connection, sql: str, parameters: Mapping[str, object] | Sequence[object]) -> list[Any]:
    """Rows as plain tuples: of thousands, those with names take three times as long."""
    cursor = db.cursor()
    cursor.row_factory = None
    return cursor.execute(sql, parameters).fetchall()
