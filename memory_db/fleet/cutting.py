"""The rows that a brief reads of some hits, cut out of a shard, and put into a small file of their own.

In: a shard, and versions of memories and entries of it. Out: rows by table, their ids those of the fleet. Invariant: a
brief of a small file is that of one file with all rows, as far as it looks: at hits, their history, their exchanges.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from memory_db.fleet.numbers import shifted
from memory_db.fleet.opened import Opened
from memory_db.recall.brief.exchange import REACH
from memory_db.store.connection import id_list, tuples
from memory_db.store.schema import open_database
from memory_db.upkeep.merge.run import VERSION_TRIGGERS

Rows = tuple[tuple[str, ...], list[tuple[object, ...]]]
"""The columns of a table, and rows of it."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What was cut out of a shard, by table in the order in which it is put in."""

    tables: Mapping[str, Rows]


MEMORIES = """
select memory_id from memory_versions where id in ({versions})
union select other_memory_id from contradictions where memory_id in
    (select memory_id from memory_versions where id in ({versions}))
union select memory_id from contradictions where other_memory_id in
    (select memory_id from memory_versions where id in ({versions}))
union select memory_id from suppressions where ended_at is null
"""

ENTRIES = """
select id from entries where id in ({entries})
union select entry_id from memory_sources where entry_id is not null and memory_id in ({memories})
"""

AROUND = f"""
union select near.entry_id from session_entries own join session_entries near on near.session_id = own.session_id
    and near.position between own.position - {REACH} and own.position + {REACH} where own.entry_id in ({{entries}})
"""
"""The exchange of each entry, which a model reads in its place."""

WANTED = {
    "projects": "true",
    "project_aliases": "true",
    "sessions": "id in (select session_id from entries where id in ({entries}))",
    "entries": "id in ({entries})",
    "session_entries": "entry_id in ({entries})",
    "spans": "entry_id in ({entries})",
    "actions": "entry_id in ({entries})",
    "memories": "id in ({memories})",
    "memory_versions": "memory_id in ({memories})",
    "memory_sources": "memory_id in ({memories}) or entry_id in ({entries})",
    "memory_paths": "memory_id in ({memories})",
    "tags": "memory_id in ({memories})",
    "evidence": "memory_id in ({memories})",
    "contradictions": "memory_id in ({memories}) and other_memory_id in ({memories})",
    "suppressions": "true",
    "procedures": "project_id = {project}",
}
"""What of each table a brief may read."""


def cut_out(
    shard: Opened, versions: Sequence[int], entries: Sequence[int], project: int | None, projects: Mapping[int, int],
    with_exchanges: bool,
) -> Cut:  # fmt: skip
    """The rows of some hits, with ids of the fleet; `projects` has the fleet's number of each project of the shard."""
    db = shard.db
    memories = [row[0] for row in tuples(db, MEMORIES.format(versions=id_list(versions)), ())]
    sql = (ENTRIES + AROUND if with_exchanges else ENTRIES).format(
        entries=id_list(entries), memories=id_list(memories)
    )  # fmt: skip
    ids = [row[0] for row in tuples(db, sql, ())]
    values = {"memories": id_list(memories), "entries": id_list(ids), "project": -1 if project is None else project}
    return Cut({table: rows_of(shard, table, where.format(**values), projects) for table, where in WANTED.items()})


BY_NAME = {"project_id": "projects", "memory_id": "memories", "entry_id": "entries", "session_id": "sessions"}
"""Columns of versions, which refer to rows that may be gone, and so by name alone."""


def rows_of(shard: Opened, table: str, where: str, projects: Mapping[int, int]) -> Rows:
    """Some rows of a table, what is an id in them shifted to the fleet's."""
    place = shard.shard.number
    columns, refers = shard.once(f"columns of {table}", lambda: columns_of(shard.db, table))

    def moved(column: str, value: object) -> object:
        if column not in refers or not isinstance(value, int):
            return value
        return projects.get(value) if refers[column] == "projects" else shifted(place, value)

    rows = tuples(shard.db, f"select {', '.join(columns)} from {table} where {where}", ())
    return columns, [tuple(moved(column, value) for column, value in zip(columns, row, strict=True)) for row in rows]


def columns_of(db: sqlite3.Connection, table: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """The columns of a table, and of those that are ids the table that they are ids of."""
    columns = tuple(row[1] for row in db.execute(f"pragma table_info({table})"))
    refers = {row[3]: row[2] for row in db.execute(f"pragma foreign_key_list({table})") if row[2] in WANTED}
    refers |= {column: target for column, target in BY_NAME.items() if column in columns}
    return columns, refers | ({"id": table} if "id" in columns else {})


FULL_TEXT_TRIGGERS = ("entries_after_insert", "memory_versions_after_insert", "memory_now_after_insert")

FULL_TEXTS = (
    "insert into entry_fts (rowid, text) select id, text from entry_texts where id in ({entries})",
    "insert into memory_fts (rowid, title, text, keys, context, condition)"
    " select id, title, text, keys, context, condition from memory_versions where id in ({versions})",
)
"""Of hits alone: what words stand in them is asked, of what stands around them nothing is."""


@lru_cache(maxsize=1)
def empty_file() -> bytes:
    """A file without rows of its own, in which nothing makes versions and full texts by itself."""
    with tempfile.TemporaryDirectory(prefix="memory-db-") as folder:
        path = Path(folder) / "small.db"
        with closing(open_database(path, now=datetime.fromtimestamp(0, UTC))) as db:
            for name in (*VERSION_TRIGGERS, *FULL_TEXT_TRIGGERS):
                db.execute(f"drop trigger {name}")
            db.execute("pragma wal_checkpoint(truncate)")
            db.execute("pragma journal_mode = delete")
        return path.read_bytes()


@contextmanager
def small_file(cuts: Iterable[Cut], versions: Iterable[int], entries: Iterable[int]) -> Iterator[sqlite3.Connection]:
    """A file in memory of what was cut out of shards, with the full text of some versions and entries.

    A name that two of them have goes to the first.
    """
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        db.deserialize(empty_file())
        db.row_factory = sqlite3.Row
        db.execute("pragma foreign_keys = off")
        db.execute("begin")
        for cut in cuts:
            for table, (columns, rows) in filter(lambda each: each[1][1], cut.tables.items()):
                marks = ", ".join("?" * len(columns))
                db.executemany(f"insert or ignore into {table} ({', '.join(columns)}) values ({marks})", rows)
        for sql in FULL_TEXTS:
            db.execute(sql.format(versions=id_list(versions), entries=id_list(entries)))
        db.execute("commit")
        yield db
