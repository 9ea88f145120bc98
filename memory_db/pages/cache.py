"""What the server keeps between requests: open connections, and answers that took long.

In: a file, and perhaps a key and what makes the answer. Out: a connection for as long as a block lasts, or the answer.
Invariants: nobody else has the connection meanwhile, and no transaction outlives its block; a file that was replaced is
opened anew; an answer made before anybody wrote to the file, or put another in its place, is never given afterwards.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from memory_db.errors import DatabaseFileError
from memory_db.pages import table_marks
from memory_db.pages.table_marks import ROWS_MARK, Marks, Since
from memory_db.store.connection import BUSY_MS, check_schema, connect, one_state

T = TypeVar("T")

MOST_FILES = 4
"""Files of which connections and answers are kept, the last ones."""

MOST_IDLE = 3
"""Connections of one sort that a thread keeps: what a page keeps is made within its block, and parts of that within."""

MOST_ANSWERS = 64
"""Answers kept of a file, the last ones."""

File = tuple[int, int]
"""Device and inode: which file is at a path."""

Stamp = tuple[File, int]
"""Which file it is, and how often SQLite saw another connection write to it."""


class IdleConnections(dict[tuple[Path, bool], list[tuple[File, sqlite3.Connection]]]):
    """Idle connections by path and whether they may write, closed when their thread ends."""

    in_any_thread = suppress(sqlite3.ProgrammingError)
    """At the very end it may be another thread, and the names of modules may be gone: so it is kept here."""

    def __del__(self) -> None:
        for idle in self.values():
            for _, db in idle:
                with self.in_any_thread:
                    db.close()


class ConnectionPool(threading.local):
    """The idle connections of a thread, by path and whether they may write: to read the schema anew takes longer than
    many a page."""

    def __init__(self) -> None:
        self.idle = IdleConnections()


POOL = ConnectionPool()

TOLD: ContextVar[Callable[[str], None] | None] = ContextVar("TOLD", default=None)
"""Who is told each statement that a page runs, with its values in it; while somebody is, no answer is taken that was
kept."""


@contextmanager
def telling(listener: Callable[[str], None]) -> Iterator[None]:
    """A block in which the listener is told every statement that runs on a connection of the pool."""
    before = TOLD.set(listener)
    try:
        yield
    finally:
        TOLD.reset(before)


@contextmanager
def pooled(path: Path, *, write: bool = False, busy_ms: int = BUSY_MS) -> Iterator[sqlite3.Connection]:
    """A connection to the file, as `connection.connect` gives it; a block inside another one has another one.

    Raises: what `connect` raises.
    """
    file = file_at(path)  # before it is opened: where another file comes to its place meanwhile, it is not kept
    db = idle_connection(path, write, file) or connect(path, write=write)
    if busy_ms != BUSY_MS:
        db.execute(f"pragma busy_timeout = {busy_ms}")
    with ExitStack() as unless_all_went_well:
        unless_all_went_well.callback(db.close)
        if (listener := TOLD.get()) is not None:
            db.set_trace_callback(listener)
        yield db
        db.set_trace_callback(None)
        if busy_ms != BUSY_MS:
            db.execute(f"pragma busy_timeout = {BUSY_MS}")
        unless_all_went_well.pop_all()
    give_back(path, write, file, db)


def idle_connection(path: Path, write: bool, file: File | None) -> sqlite3.Connection | None:
    """The connection that this thread keeps, where it is of that file and the file is still ours."""
    idle = POOL.idle.get((path, write))
    if not idle:
        return None
    stamp, db = idle.pop()
    try:
        if file is not None and file == stamp:
            check_schema(db, path)
            return db
    except (sqlite3.Error, UnicodeDecodeError, DatabaseFileError):
        pass  # opened anew, it says what is wrong
    db.close()
    return None


def give_back(path: Path, write: bool, file: File | None, db: sqlite3.Connection) -> None:
    """Keeps a connection for the next block, unless there are enough by now.

    Without a write-ahead log beside it the file may have been opened as one that never changes.
    """
    has_log = file_at(path.with_name(path.name + "-wal")) is not None
    idle = POOL.idle.pop((path, write), [])
    POOL.idle[path, write] = idle  # the last used stand last
    if file is None or not has_log or db.in_transaction or len(idle) == MOST_IDLE:
        db.close()
        return
    idle.append((file, db))
    while len({known for known, _ in POOL.idle}) > MOST_FILES:
        for _, other in POOL.idle.pop(next(iter(POOL.idle))):
            other.close()


def file_at(path: Path) -> File | None:
    """Which file is at a path now, if one is."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


# --------------------------------------------------------------------- answers


@dataclass(slots=True)
class Kept:
    """An answer, the state of the file that it is known to hold for, and what the tables that it read were like."""

    stamp: Stamp
    answer: object
    tables: Marks | None


@dataclass(slots=True)
class Watched:
    """A file, the connection that notices changes of it, and the answers it gave."""

    db: sqlite3.Connection
    file: File
    answers: OrderedDict[Hashable, Kept] = field(default_factory=OrderedDict)
    marked: tuple[Stamp | None, dict[str, object]] = (None, {})

    def stamp(self) -> Stamp:
        """What tells one state of the file from any other."""
        return self.file, int(self.db.execute("pragma data_version").fetchone()[0])

    def keep_last(self, key: Hashable, most: int) -> None:
        """Leaves the last answers: so many of those whose key begins like this one, and `MOST_ANSWERS` of all."""
        if isinstance(key, tuple):
            alike = [each for each in self.answers if isinstance(each, tuple) and each[:1] == key[:1]]
            for each in alike[:-most]:
                del self.answers[each]
        while len(self.answers) > MOST_ANSWERS:
            self.answers.popitem(last=False)

    def marks_of(self, stamp: Stamp) -> dict[str, object]:
        """The marks of tables found since the file has had that stamp, for all answers to share.

        One of a moment later, when somebody has written, does no harm: the next stamp begins anew.
        """
        if self.marked[0] != stamp:
            self.marked = (stamp, {})
        return self.marked[1]


WATCHED: OrderedDict[Path, Watched] = OrderedDict()

LOCK = threading.Lock()


def cached(
    path: Path,
    key: Hashable,
    make: Callable[[sqlite3.Connection], T],
    *,
    by_table: bool = False,
    onward: Callable[[sqlite3.Connection, T, Since], T | None] | None = None,
    most: int = MOST_ANSWERS,
) -> T:
    """What `make` gives of the file, or gave before and still would: nobody has written since.

    With `by_table` a write to tables that the answer did not read leaves it as good as before: `make` must then rest on
    nothing but its connection and the key. Where it did read them, `onward` may give what `make` would from the answer
    before and what changed since, or None: then all is made anew. The key must name all that the answer depends on
    besides the file, and who is given it must not change it. Of answers whose key is a tuple that begins alike the last
    `most` are kept. Raises: what opening and `make` raise.
    """
    if TOLD.get() is not None:
        with pooled(path) as db:
            return make(db)
    with LOCK:
        watched, stamp = state(path)
        kept = watched.answers.get(key) if watched is not None else None
        if watched is not None and kept is not None and kept.stamp == stamp:
            watched.answers.move_to_end(key)
            table_marks.note_read(kept.tables)
            return kept.answer  # type: ignore[return-value]  # it is what `make` of the same key gave
        marked = watched.marks_of(stamp) if watched is not None and stamp is not None else {}
    with pooled(path) as db:
        if kept is not None and stamp is not None and still_holds(db, kept, stamp, marked):
            kept.stamp = stamp  # where somebody wrote meanwhile it is of the past
            table_marks.note_read(kept.tables)
            return kept.answer  # type: ignore[return-value]
        further: tuple[T, Marks | None] | None = None
        if kept is not None and stamp is not None and onward is not None and kept.stamp[0] == stamp[0]:
            further = led_onward(db, kept, marked, onward)
            if not is_still(path, stamp):  # then the marks may be of another state than the rows
                further = None
        made, tables = further or (table_marks.made_with(db, make, marked) if by_table else (make(db), None))
    if tables is not None and not is_still(path, stamp):
        tables = None
    table_marks.note_read(tables)
    if watched is not None and stamp is not None:
        with LOCK:
            watched.answers[key] = Kept(stamp, made, tables)
            watched.keep_last(key, most)
    return made


def led_onward(
    db: sqlite3.Connection,
    kept: Kept,
    marked: Mapping[str, object],
    onward: Callable[[sqlite3.Connection, Any, Since], T | None],
) -> tuple[T, Marks] | None:
    """The answer led on from the one that is kept, with the marks of now; None where that cannot be."""
    if not kept.tables or kept.tables.keys() - marked.keys():
        return None
    now = {name: marked[name] for name in kept.tables}
    with one_state(db):
        made = onward(db, kept.answer, Since(kept.tables, now))
    return None if made is None else (made, now)


def is_still(path: Path, stamp: Stamp | None) -> bool:
    """Whether nobody has written to the file since it had that stamp."""
    with LOCK:
        return state(path)[1] == stamp


def still_holds(db: sqlite3.Connection, kept: Kept, stamp: Stamp, marked: dict[str, object]) -> bool:
    """Whether the tables that an answer read are as they were then; `marked` has what is known of them now."""
    if stamp[0] != kept.stamp[0] or not kept.tables:
        return False
    with one_state(db):
        if table_marks.marks_by(db, kept.tables.keys(), marked) is None:
            return False
    return all(name in marked and marked[name] == mark for name, mark in kept.tables.items() if name != ROWS_MARK)


def state(path: Path) -> tuple[Watched | None, Stamp | None]:
    """The file as it is watched, and its stamp; nothing where it cannot be watched: then nothing is cached."""
    try:
        watched = watched_file(path)
        return watched, watched.stamp()
    except (OSError, sqlite3.Error):
        return None, None


def watched_file(path: Path) -> Watched:
    """The file with its connection, opened anew where another file is at its path."""
    found = path.stat()
    file = (found.st_dev, found.st_ino)
    watched = WATCHED.get(path)
    if watched is None or watched.file != file:
        if watched is not None:
            watched.db.close()
        watched = WATCHED[path] = Watched(watching(path), file)
    WATCHED.move_to_end(path)
    while len(WATCHED) > MOST_FILES:
        WATCHED.popitem(last=False)[1].db.close()
    return watched


def watching(path: Path) -> sqlite3.Connection:
    """A connection that any thread may use, under the lock, and that reads nothing but whether others wrote."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)


def rows(
    db: sqlite3.Connection, sql: str, arguments: Sequence[object] | Mapping[str, object] = ()
) -> list[dict[str, Any]]:
    """The rows of a query as dicts."""
    return [dict(row) for row in db.execute(sql, arguments)]
