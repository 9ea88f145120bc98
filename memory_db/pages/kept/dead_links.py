"""Edges that lead to memories out of use, and sources of memories that are gone: found once and then led on.

In: a connection that reads, perhaps what was found before. Out: `Dead`. Invariant: the edges are those of the view
`graph_dead_links`.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from memory_db.pages.table_marks import Since
from memory_db.store.connection import id_list, tuples
from memory_db.store.narrowed import narrowed

DEAD = """
select e.id, e.from_memory_id, e.to_memory_id from graph_dead_links d join main.edges e on e.id = d.edge_id
"""

LOST = "select count(*) from memory_sources where memory_id not in (select id from memories)"


@dataclass(frozen=True, slots=True)
class Dead:
    """Edges by their id, each with the two memories it joins, and how many sources are `lost`."""

    edges: dict[int, tuple[int, int]]
    lost: int

    def __len__(self) -> int:
        return len(self.edges) + self.lost


def dead(db: sqlite3.Connection) -> Dead:
    """All of them."""
    return Dead(edges(db, DEAD), int(db.execute(LOST).fetchone()[0]))


def dead_on(db: sqlite3.Connection, before: Dead, since: Since) -> Dead | None:
    """The same, where only some memories have to be looked at: a source is lost with its memory alone, which is in the
    books."""
    changed = since.memories(db)
    if changed is None:
        return None
    ids = id_list(sorted(changed))
    begin = narrowed(db, ("graph_dead_links",), {"edges": f"from_memory_id in ({ids}) or to_memory_id in ({ids})"})
    others = {edge: ends for edge, ends in before.edges.items() if changed.isdisjoint(ends)}
    return Dead(others | edges(db, begin + DEAD), before.lost)


def edges(db: sqlite3.Connection, sql: str) -> dict[int, tuple[int, int]]:
    """Edges of a query by their id, with the memories they join."""
    return {edge: (one, other) for edge, one, other in tuples(db, sql, ())}
