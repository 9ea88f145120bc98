"""Which memories may hold no longer: found once and then led on, by a look at those alone that something came to.

In: a file. Out: ids of memories. Invariant: they are those that the view `stale_memories` lists, but for those that
another contradicts, which are counted as pairs.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from memory_db.pages.cache import cached
from memory_db.pages.table_marks import Since
from memory_db.store.connection import tuples
from memory_db.store.narrowed import narrowed

STALE = "select distinct memory_id from stale_memories where why <> 'contradicted'"

OF_SOME = {
    "memories": "id in (select value from json_each(:ids))",
    "memory_paths": "memory_id in (select value from json_each(:ids))",
    "actions": "exists (select 1 from main.memory_paths where memory_id in (select value from json_each(:ids)))",
}
"""What tells whether some memories are stale, of the tables that tell it of all."""

CONTRADICTED = ("contradictions",)
"""Tables that only those rows of the view rest on that are not counted."""


def stale_memories(path: Path) -> frozenset[int]:
    """The memories that may hold no longer."""
    return cached(path, ("stale",), found, by_table=True, onward=found_on)


def found(db: sqlite3.Connection) -> frozenset[int]:
    """The same from a connection."""
    return frozenset(memory for (memory,) in tuples(db, STALE, ()))


def found_on(db: sqlite3.Connection, before: frozenset[int], since: Since) -> frozenset[int] | None:
    """The same, where only some memories have to be looked at."""
    changed = since.memories(db, besides=CONTRADICTED)
    if changed is None:
        return None
    begin = narrowed(db, ("stale_memories",), OF_SOME)
    again = tuples(db, begin + STALE, {"ids": json.dumps(sorted(changed))})
    return (before - changed) | {memory for (memory,) in again}
