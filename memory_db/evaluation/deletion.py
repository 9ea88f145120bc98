"""A file as if some of its items had never been there.

In: a file that may be written to, and items. Out: the same file without them for as long as it is asked. Invariant:
they are back when it ends.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager

TABLES = (
    ("memory_versions", "memory_id", "memory"),
    ("memory_sources", "memory_id", "memory"),
    ("edges", "from_memory_id", "memory"),
    ("edges", "to_memory_id", "memory"),
    ("memories", "id", "memory"),
    ("session_entries", "entry_id", "entry"),
    ("actions", "entry_id", "entry"),
    ("entries", "id", "entry"),
)
"""What recall reads of memories and entries: the table, its column, and what that column names."""


MADE_FROM = """
select distinct memory_id, entry_id from memory_sources
where entry_id in (select value from json_each(:entries)) or memory_id in (select value from json_each(:memories))
"""


@contextmanager
def held_out(db: sqlite3.Connection, items: Collection[tuple[str, int]]) -> Iterator[None]:
    """Asks a file that never had these items: (`memory` or `entry`, id). They are back when it ends.

    With an entry go the memories that were made from it, with a memory the entries that it was made from. Not within a
    transaction: foreign keys cannot be left aside there.
    """
    ids = {kind: {number for sort, number in items if sort == kind} for kind in ("memory", "entry")}
    given = {"memories": json.dumps(sorted(ids["memory"])), "entries": json.dumps(sorted(ids["entry"]))}
    for memory_id, entry_id in db.execute(MADE_FROM, given).fetchall():
        ids["memory"].add(memory_id)
        ids["entry"] |= {entry_id} - {None}
    db.execute("pragma foreign_keys = off")
    db.execute("begin immediate")
    try:
        for table, column, kind in TABLES:
            wanted = json.dumps(sorted(ids[kind]))
            db.execute(f"delete from {table} where {column} in (select value from json_each(?))", [wanted])
        yield
    finally:
        db.execute("rollback")
        db.execute("pragma foreign_keys = on")
