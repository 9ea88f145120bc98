"""Tags, paths and sources of memories, now or as they were recorded at a moment.

In: memories, and a moment of the past or none. Out: SQL that gives what belongs to them. Invariant: without a moment
the tables alone are asked; with one, what was taken off since is there again, and what came later is not.
"""

from __future__ import annotations

from memory_db.store.dates import normal_utc

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


def parts_sql(part: str, as_of: str | None = None) -> str:
    """A query for (memory_id, value, recorded_at) of every tag or path; to be put in brackets. Raises: InputError."""
    table, column = TABLES[part]
    if as_of is None:
        return NOW.format(table=table, column=column)
    return THEN.format(table=table, column=column, part=part, moment=normal_utc(as_of))


def sources_sql(as_of: str | None = None) -> str:
    """A query for the columns of `memory_sources`; to be put in brackets. Raises: InputError."""
    return SOURCES_NOW if as_of is None else SOURCES_THEN.format(moment=normal_utc(as_of))
