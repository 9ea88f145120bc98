"""What was taken off a memory: tags, paths and sources of two files.

In: rows of `removed_parts`. Out: the same with those of the other file; and what one file took off, and the other still
has from before, is off. Invariant: what was put on again since stays.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from memory_db.store.connection import tuples
from memory_db.upkeep.merge.rows import OTHER, Counts

ROWS = """
select m.uid, r.part, r.value, r.recorded_at, r.removed_at from {schema}.removed_parts r
join {schema}.memories m on m.id = r.memory_id order by r.id
"""

TAKE_OFF = """
delete from main.{table} where exists (select 1 from main.removed_parts r where r.memory_id = {table}.memory_id
    and r.part = '{part}' and r.value = {table}.{column} and r.removed_at > {table}.recorded_at)
"""

TAKE_OFF_SOURCE = """
delete from main.memory_sources where memory_id = (select id from main.memories where uid = :uid) and quote = :quote
    and entry_id is (select id from main.entries where uid = :entry)
    and candidate_id is (select id from main.candidates where uid = :candidate) and recorded_at < :removed_at
"""

Removed = tuple[str, str, str, str, str]
"""Uid of the memory, part, value (of a source: JSON that names candidate and entry), when it came and when it went."""


def bring_removed(db: sqlite3.Connection, counts: Counts) -> None:
    """Brings what was taken off, once memories, sources, tags and paths are there."""
    known = set(removed_in(db, "main"))
    new = [row for row in dict.fromkeys(removed_in(db, OTHER)) if row not in known]
    for uid, part, value, recorded_at, removed_at in new:
        db.execute(
            "insert into main.removed_parts (memory_id, part, value, recorded_at, removed_at)"
            " values ((select id from main.memories where uid = ?), ?, ?, ?, ?)",
            [uid, part, as_here(db, value) if part == "source" else value, recorded_at, removed_at],
        )
    counts.add("removed_parts", new=len(new))
    for table, part, column in (("tags", "tag", "tag"), ("memory_paths", "path", "path")):
        db.execute(TAKE_OFF.format(table=table, part=part, column=column))
    for uid, part, value, _, removed_at in (*known, *new):
        if part == "source":
            db.execute(TAKE_OFF_SOURCE, json.loads(value) | {"uid": uid, "removed_at": removed_at})


def removed_in(db: sqlite3.Connection, schema: str) -> list[Removed]:
    """What a file says was taken off."""
    rows = tuples(db, ROWS.format(schema=schema), ())
    return [(*row[:2], named(db, schema, row[2]) if row[1] == "source" else row[2], *row[3:]) for row in rows]


def named(db: sqlite3.Connection, schema: str, value: str) -> str:
    """A source that was taken off, by names."""
    said = json.loads(value)
    names = {sort: uid_of(db, f"{schema}.{table}", said.get(f"{sort}_id"))
             for sort, table in (("candidate", "candidates"), ("entry", "entries"))}  # fmt: skip
    return json.dumps({"quote": said.get("quote"), "created_at": said.get("created_at"), **names}, ensure_ascii=False)


def as_here(db: sqlite3.Connection, value: str) -> str:
    """A source by names as the file keeps it: by numbers."""
    said = json.loads(value)
    numbers: dict[str, Any] = {"id": None, "quote": said["quote"], "created_at": said["created_at"]}
    for sort, table in (("candidate", "candidates"), ("entry", "entries")):
        row = db.execute(f"select id from main.{table} where uid = ?", [said[sort]]).fetchone()
        numbers[f"{sort}_id"] = row[0] if row else None
    return json.dumps(numbers, ensure_ascii=False)


def uid_of(db: sqlite3.Connection, table: str, number: int | None) -> str | None:
    """The uid of a row; None where there is none."""
    row = db.execute(f"select uid from {table} where id = ?", [number]).fetchone()
    return str(row[0]) if row else None
