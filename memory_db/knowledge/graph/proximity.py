"""How near a memory stands, by edges, to what is in play: memories shown in this session, and memories of its files.

In: memories that are considered, a session, files in play, a moment. Out: a strength from 0 to 1 by memory. It looks at
edges that were there at that moment, and at recalls before it. Invariant: a memory is no neighbour of itself, and the
other memories considered change nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from memory_db.store.connection import id_list
from memory_db.store.dates import utc_text
from memory_db.text.terms import path_matches

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from datetime import datetime

TIES = ("same_topic", "supports", "depends_on", "same_session", "mentions")
"""Kinds of edges that make one memory worth showing where the other is in play, in either direction.

What supersedes is followed by itself (see `succession`), and what contradicts waits for a person.
"""

EDGES = """
select e.from_memory_id, e.to_memory_id, e.score from edges e
where e.from_memory_id in ({ids}) and e.kind in ({ties}) and e.created_at <= :moment
    and (e.ended_at is null or e.ended_at > :moment)
union all
select e.to_memory_id, e.from_memory_id, e.score from edges e
where e.to_memory_id in ({ids}) and e.kind in ({ties}) and e.created_at <= :moment
    and (e.ended_at is null or e.ended_at > :moment)
"""

SHOWN = """
select distinct v.memory_id from recalls r join hits h on h.recall_id = r.id
join memory_versions v on v.id = h.memory_version_id
where r.session_id = :session_id and r.asked_at < :moment and h.rank is not null and v.memory_id in ({ids})
"""


def nearness(
    db: sqlite3.Connection, memory_ids: Iterable[int], session_id: int | None, paths: tuple[str, ...], moment: datetime
) -> dict[int, float]:
    """The strength of the best edge from each memory to one that is in play, for those that have one.

    A memory is fully in play when it was shown in this session or is bound to one of the paths, half when it is bound
    to one near them.
    """
    if session_id is None and not paths:
        return {}
    ties = ", ".join(f"'{kind}'" for kind in TIES)
    values = {"moment": utc_text(moment), "session_id": session_id}
    edges = db.execute(EDGES.format(ids=id_list(memory_ids), ties=ties), values).fetchall()
    if not edges:
        return {}
    others = id_list({other for _, other, _ in edges})
    in_play = path_matches(db.execute(f"select memory_id, path from memory_paths where memory_id in ({others})"), paths)
    if session_id is not None:
        in_play |= {row[0]: 1.0 for row in db.execute(SHOWN.format(ids=others), values)}
    near: dict[int, float] = {}
    for memory_id, other, strength in edges:
        value = strength * in_play.get(other, 0.0)
        if value > near.get(memory_id, 0.0):
            near[memory_id] = value
    return near
