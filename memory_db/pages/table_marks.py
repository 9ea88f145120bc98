"""Which tables an answer read, and whether they are as they were: a write to others leaves it as good as before.

In: a connection that reads, and what makes an answer. Out: the answer with a mark of each table that it read; the marks
of now. Invariants: answer and marks are of one state of the file; a table whose change could not be noticed has no
mark, and then the answer has none. What a stage of the pipeline changes in place in a large table is noticed when the
stage is done, by its row in `runs`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

from memory_db.store.connection import one_state, tuples

T = TypeVar("T")

Marks = Mapping[str, object]
"""By table what tells one state of it from another; `BOOKS_MARK` and `ROWS_MARK` are for what is the same for all."""

BOOKS_MARK, ROWS_MARK = "", "+"
"""Names that no table has: the mark of the books, and how far the rows went that tell which memories changed."""

SMALL = 4_000
"""Rows up to which a table is told by all it holds."""

BOOKS = """
select (select max(id) from runs), (select max(id) from review_batches), (select count(*) from forgotten),
    (select count(*) from projects)
"""
"""What is written whenever rows of large tables are changed in place or deleted: by a stage, a decision on many, by
forgetting, by joining projects."""

APPENDED = (
    "entries", "sessions", "sources", "actions", "api_calls", "recalls", "hits", "hook_runs",
    "model_calls", "memory_versions", "memory_sources", "embeddings", "static_vectors", "condition_vectors",
    "candidates", "decisions", "extraction_runs",
    "entities", "session_outcomes", "weak_labels", "scan_findings", "procedures", "runs",
)  # fmt: skip
"""Large tables to which rows are added; what else happens to them is in the books."""

OTHERS = {
    "memories": "select count(*), (select max(id) from memory_versions) from memories",
    "evidence": "select count(*), total(id), (select count(*) from evidence), (select max(id) from evidence)"
    " from evidence where withdrawn_at is not null",
    "edges": "select count(*), (select count(*) from edges), (select max(id) from edges) from edges"
    " where ended_at is null",
    "tags": "select count(*), (select max(id) from memory_versions) from tags",
    "memory_paths": "select count(*), (select max(id) from decisions) from memory_paths",
    "memory_entities": "select count(*) from memory_entities",
    "session_entries": "select (select max(id) from entries), (select max(id) from sessions)",
    "spans": "select max(id) from entries",
    "entry_fts": "select max(id) from entries",
    "entry_gram_fts": "select max(id) from entries",
    "memory_fts": "select max(id) from memory_versions",
    "memory_gram_fts": "select max(id) from memory_versions",
    "signature_blocks": "select count(*), total(vector_count), total(id_sum) from signature_blocks",
}
"""Large tables of which buttons change rows, and what tells that: each change of a memory makes a version. A full text
is as its texts are."""

OF_FULL_TEXT = ("_data", "_idx", "_docsize", "_config", "_content")
"""How the tables end that SQLite keeps a full text in."""

ROWS = """
select (select max(id) from memory_versions), (select max(id) from decisions), (select max(id) from memory_sources),
    (select max(id) from evidence), (select max(id) from edges)
"""
"""How far the rows go of which each names a memory that something was added to."""

NAMED = """
select memory_id from memory_versions where id > ?
union select memory_id from decisions where id > ? and memory_id is not null
union select memory_id from memory_sources where id > ?
union select memory_id from evidence where id > ?
"""

EVIDENCE = "select recall_id, memory_id, kind from evidence where id > ?"

JOINED = "select from_memory_id from edges where id > :edge union select to_memory_id from edges where id > :edge"

OF_MEMORIES = frozenset({
    "memories", "memory_versions", "tags", "memory_paths", "memory_sources", "evidence", "edges", "memory_fts",
    "memory_gram_fts", "decisions",
})  # fmt: skip
"""Tables of which each new row is of a memory that `NAMED` names: paths and tags come with a version, a source or
evidence of their memory."""

IN_PLACE: Mapping[str, slice] = {"evidence": slice(0, 2), "edges": slice(0, 1)}
"""The part of a mark that tells of rows that were there before: withdrawn evidence, edges that ended."""

MOST_MEMORIES = 500
"""So many memories are looked at one by one; where more changed, all are."""

READING: ContextVar[set[str] | None] = ContextVar("READING", default=None)
"""The tables that the answer which is being made has read."""

UNKNOWN = "?"
"""A name that no table has: what an answer rests on that was kept without marks."""

TABLES = "select name from sqlite_master where type = 'table'"


@dataclass(frozen=True, slots=True)
class Since:
    """What became other since an answer was made, by the marks of the tables that it read: before, and now."""

    before: Marks
    now: Marks

    def changed(self) -> set[str]:
        """The tables that changed."""
        names = self.before.keys() - {ROWS_MARK}
        return {name for name in names if name not in self.now or self.now[name] != self.before[name]}

    def memories(self, db: sqlite3.Connection, *, besides: Iterable[str] = ()) -> set[int] | None:
        """The memories that rows were added to; None where more happened to the tables, `besides` some, than that."""
        changed = self.changed() - set(besides)
        if changed - OF_MEMORIES or any(self.is_in_place(name) for name in changed):
            return None
        rows = self.before[ROWS_MARK]
        assert isinstance(rows, tuple)
        last = [each or 0 for each in rows]
        found = {memory for (memory,) in tuples(db, NAMED, last[:4])}
        if "edges" in changed:
            found.update(memory for (memory,) in tuples(db, JOINED, {"edge": last[4]}))
        return found if len(found) <= MOST_MEMORIES else None

    def is_in_place(self, name: str) -> bool:
        """Whether rows of the table that were there before are known to be others now."""
        part, before, now = IN_PLACE.get(name), self.before[name], self.now.get(name)
        return part is not None and isinstance(before, tuple) and isinstance(now, tuple) and before[part] != now[part]

    def evidence(self, db: sqlite3.Connection) -> list[tuple[int | None, int, str]]:
        """The evidence that came: the recall that it came of, if it did, its memory and its kind."""
        rows = self.before[ROWS_MARK]
        assert isinstance(rows, tuple)
        return tuples(db, EVIDENCE, [rows[3] or 0])

    def last(self, name: str) -> int:
        """The last row of a table of `APPENDED` that was there before."""
        mark = self.before[name]
        assert name in APPENDED and isinstance(mark, tuple)
        return int(mark[0] or 0)


def made_with(
    db: sqlite3.Connection, make: Callable[[sqlite3.Connection], T], marked: dict[str, object] | None = None
) -> tuple[T, Marks | None]:
    """What `make` gives, and the marks of the tables that it read; None where one of them has none.

    `marked` has marks that are known, and is given the others: it must be of the state of the file that is read, or the
    marks be thrown away. Raises: what `make` raises.
    """
    with one_state(db):
        read: set[str] = set()
        before = READING.set(read)

        def notice(action: int, table: str | None, *others: object) -> int:
            if action == sqlite3.SQLITE_READ and table:
                read.add(table)
            return sqlite3.SQLITE_OK

        db.set_authorizer(notice)
        try:
            made = make(db)
        finally:
            db.set_authorizer(None)
            READING.reset(before)
        names = {row[0] for row in db.execute(TABLES)} & read
        return made, None if UNKNOWN in read else marks_by(db, names, {} if marked is None else marked)


def note_read(tables: Marks | None) -> None:
    """Tells whoever makes an answer of another one that was kept what that one rests on."""
    if (read := READING.get()) is not None:
        read.update([UNKNOWN] if tables is None else tables)


def marks_by(db: sqlite3.Connection, names: Iterable[str], marked: dict[str, object]) -> Marks | None:
    """The marks of some tables, taken from those that are known; the others are added to them."""
    wanted = {*names, BOOKS_MARK, ROWS_MARK}
    if unknown := wanted - marked.keys():
        marked.update(marks(db, unknown - {BOOKS_MARK, ROWS_MARK}) or {})
    return None if wanted - marked.keys() else {name: marked[name] for name in wanted}


def marks(db: sqlite3.Connection, names: Iterable[str]) -> Marks | None:
    """The marks of some tables, and that of the books."""
    found: dict[str, object] = {
        BOOKS_MARK: books(db), ROWS_MARK: tuple(db.execute(ROWS).fetchone())
    }  # fmt: skip
    for name in names:
        found[name] = mark(db, name)
        if found[name] is None:
            return None
    return found


def books(db: sqlite3.Connection) -> object:
    """What tells whether rows of large tables may be others than before, or fewer."""
    return tuple(db.execute(BOOKS).fetchone())


def mark(db: sqlite3.Connection, name: str) -> object:
    """What tells this state of a table from another; None where nothing does."""
    for end in OF_FULL_TEXT:
        if (whole := name.removesuffix(end)) != name and whole in OTHERS:
            name = whole
    if name in OTHERS:
        return tuple(db.execute(OTHERS[name]).fetchone())
    if name in APPENDED:
        return tuple(db.execute(f"select max(rowid) from {name}").fetchone())
    rows = db.execute(f'select * from "{name}" limit {SMALL + 1}').fetchall()
    return hash(tuple(map(tuple, rows))) if len(rows) <= SMALL else None
