"""What stands around a memory: the entries that it was made from, and their neighbours.

In: versions of memories. Out: rows that name each entry with its distance. A hook loads this: the standard library
alone.
"""

from __future__ import annotations

import sqlite3

from memory_db.knowledge.attributes import sources_sql
from memory_db.recall.similarity import NEIGHBOUR_SHARE
from memory_db.store.connection import id_list, tuples

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Iterable

Around = list[tuple[int, int, int, int]]
"""(memory version or entry, entry, distance, session): what stands around each."""

REACH = 1
"""How far around an entry static vectors are looked up, in entries. Source: ours; further ones count a half or less and
are two thirds of the vectors, which in a large file are what a hook's time goes into."""


SOURCES_AROUND = """
select v.id, b.entry_id, abs(b.position - a.position), a.session_id
from memory_versions v
join ({sources}) q on q.memory_id = v.memory_id
join session_entries a on a.entry_id = q.entry_id
join session_entries b on b.session_id = a.session_id and b.position between a.position - :reach and a.position + :reach
where v.id in ({ids})
"""


def sources_around(
    db: sqlite3.Connection, version_ids: Iterable[int], as_of: str | None = None
) -> list[tuple[int, int, int, int]]:
    """(memory version, entry, distance, session) for the entries that a memory was made from, at 0, and around them."""
    sql = SOURCES_AROUND.format(ids=id_list(version_ids), sources=sources_sql(as_of))
    return tuples(db, sql, {"reach": max(NEIGHBOUR_SHARE)})
