"""Tags, paths and sources of memories, now or as they were recorded at a moment.

In: memories, and a moment of the past or none. Out: SQL that gives what belongs to them. Invariants: without a moment
the tables alone are asked; with one, what was taken off since is there again, and what came later is not; what is taken
off stays known in `removed_parts`, which triggers write, whoever deletes it.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime

from memory_db.store.dates import normal_utc, utc_text

TABLES = {"tag": ("tags", "tag"), "path": ("memory_paths", "path")}

NOW = "select memory_id, {column} as value, recorded_at from {table}"

THEN = """
select memory_id, {column} as value, recorded_at from {table} where recorded_at <= '{moment}'
union all
select memory_id, value, recorded_at from removed_parts
where part = '{part}' and recorded_at <= '{moment}' and removed_at > '{moment}'
"""

SOURCES_NOW = "select id, memory_id, candidate_id, entry_id, quote, created_at, recorded_at from memory_sources"

SOURCES_THEN = """
select id, memory_id, candidate_id, entry_id, quote, created_at, recorded_at from memory_sources
where recorded_at <= '{moment}'
union all
select value ->> 'id', memory_id, value ->> 'candidate_id', value ->> 'entry_id', value ->> 'quote',
    value ->> 'created_at', recorded_at
from removed_parts where part = 'source' and recorded_at <= '{moment}' and removed_at > '{moment}'
"""


def attributes_sql(part: str, as_of: str | None = None) -> str:
    """A query for (memory_id, value, recorded_at) of every tag or path; to be put in brackets. Raises: InputError."""
    table, column = TABLES[part]
    if as_of is None:
        return NOW.format(table=table, column=column)
    return THEN.format(table=table, column=column, part=part, moment=normal_utc(as_of))


def sources_sql(as_of: str | None = None) -> str:
    """A query for the columns of `memory_sources`; to be put in brackets. Raises: InputError."""
    return SOURCES_NOW if as_of is None else SOURCES_THEN.format(moment=normal_utc(as_of))


class removing:  # noqa: N801  # used like a function: `with removing(db, now=now):`
    """What is deleted within was taken off at that moment; without this, a trigger asks the clock."""

    def __init__(self, db: sqlite3.Connection, *, now: datetime) -> None:
        self.db, self.now, self.newest = db, now, 0

    def __enter__(self) -> None:
        self.newest = self.db.execute("select coalesce(max(id), 0) from removed_parts").fetchone()[0]

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        if kind is None:
            self.db.execute("update removed_parts set removed_at = ? where id > ?", [utc_text(self.now), self.newest])
