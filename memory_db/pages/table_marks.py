"""Which tables an answer read, and whether they are as they were: a write to others leaves it as good as before.

In: a connection that reads, and what makes an answer. Out: the answer with a mark of each table that it read; the marks
of now. Invariants: answer and marks are of one state of the file; a table whose change could not be noticed has no
mark, and then the answer has none. What a stage of the pipeline changes in place in a large table is noticed when the
stage is done, by its row in `runs`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from memory_db.store.connection import one_state

T = TypeVar("T")

Marks = Mapping[str, object]
"""By table what tells one state of it from another; \"\" is for what is the same for all."""

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

TABLES = "select name from sqlite_master where type = 'table'"


def made_with(db: sqlite3.Connection, make: Callable[[sqlite3.Connection], T]) -> tuple[T, Marks | None]:
    """What `make` gives, and the marks of the tables that it read; None where one of them has none.

    Raises: what `make` raises.
    """
    with one_state(db):
        read: set[str] = set()

        def notice(action: int, table: str | None, *others: object) -> int:
            if action == sqlite3.SQLITE_READ and table:
                read.add(table)
            return sqlite3.SQLITE_OK

        db.set_authorizer(notice)
        try:
            made = make(db)
        finally:
            db.set_authorizer(None)
        known = {row[0] for row in db.execute(TABLES)}
        return made, marks(db, read & known)


def of_tables(db: sqlite3.Connection, names: Iterable[str]) -> Marks | None:
    """The marks of those tables now; None where one has none."""
    with one_state(db):
        return marks(db, [name for name in names if name])


def marks(db: sqlite3.Connection, names: Iterable[str]) -> Marks | None:
    """The marks of some tables, and that of the books."""
    found: dict[str, object] = {"": tuple(db.execute(BOOKS).fetchone())}
    for name in names:
        found[name] = mark(db, name)
        if found[name] is None:
            return None
    return found


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
