"""The order of entries in sessions that two files know.

In: a session's entries with their places in both files. Out: rows of `session_entries`. Invariants: what both have in
the same place stays there; from the first place on where they differ, for the session went on on two machines, entries
stand in the order in which they were said; no two stand in one place.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from memory_db.store.connection import tuples
from memory_db.upkeep.merge.rows import OTHER, Counts

PLACES = f"""
create temp table other_places as
select s.own_id as session_id, e.own_id as entry_id, o.position from {OTHER}.session_entries o
join temp.map_sessions s on s.other_id = o.session_id join temp.map_entries e on e.other_id = o.entry_id
"""

DIFFER = """
select session_id, min(place) from (
    select x.session_id, min(x.position, m.position) as place from temp.other_places x
    cross join main.session_entries m on m.session_id = x.session_id and m.entry_id = x.entry_id
    where m.position <> x.position
    union all
    select x.session_id, x.position from temp.other_places x
    cross join main.session_entries m on m.session_id = x.session_id and m.position = x.position
    where m.entry_id <> x.entry_id
) group by session_id
"""
"""Sessions in which the two files differ, and the first place where they do."""

TAIL = """
select e.created_at, min(p.position), e.uid, e.id from (
    select entry_id, position from main.session_entries where session_id = :session
    union all select entry_id, position from temp.other_places where session_id = :session
) p join main.entries e on e.id = p.entry_id
group by e.id having min(p.position) >= :place order by 1, 2, 3
"""


class Fork(NamedTuple):
    """A session that went on on two machines, and the first place where its order is another one."""

    session_id: int
    place: int


def bring_places(db: sqlite3.Connection, counts: Counts) -> list[Fork]:
    """Brings which entries a session shows, once sessions and entries are there; sessions that went two ways."""
    db.execute("drop table if exists temp.other_places")
    db.execute(PLACES)
    forks = [Fork(*row) for row in tuples(db, DIFFER, ())]
    tails = {fork: tuples(db, TAIL, {"session": fork.session_id, "place": fork.place}) for fork in forks}
    added = db.execute(
        "insert into main.session_entries (session_id, entry_id, position)"
        " select session_id, entry_id, position from temp.other_places where true on conflict do nothing"
    ).rowcount
    counts.add("session_entries", new=added)
    for fork, tail in tails.items():
        db.executemany(
            "update main.session_entries set position = ? where session_id = ? and entry_id = ? and position <> ?",
            [(place, fork.session_id, row[3], place) for place, row in enumerate(tail, start=fork.place)],
        )
    return forks
