"""Later sessions in which somebody took up again what a conversation had come to, and said it otherwise.

In: a conversation as a part of a session. Out: places in later sessions of the same project, the oldest first, of what
a memory was made that is in the place of one of this conversation, or stands against one until a person decides; and
what of its entries is over for one of them. Reads only.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import sqlite3

from memory_db.records import dataclass
from memory_db.store.connection import id_list, tuples

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MOST_SESSIONS = 2
"""Later sessions that are read, the newest ones. Source: ours; what was settled is seldom changed more often."""

HERE = "from session_entries h where h.session_id = :session and h.position between :first and :last"

OF_PART = f"select memory_id from memory_sources where entry_id in (select h.entry_id {HERE})"

OTHERWISE = f"""
select other_memory_id from contradictions where state = 'open' and memory_id in ({OF_PART})
union select memory_id from contradictions where state = 'open' and other_memory_id in ({OF_PART})
union select from_memory_id from edges
    where kind = 'supersedes' and ended_at is null and to_memory_id in ({OF_PART})
"""

LATER = f"""
select e.id, e.session_id, s.position
from memories m cross join memory_sources q on q.memory_id = m.id cross join entries e on e.id = q.entry_id
join session_entries s on s.entry_id = e.id and s.session_id = e.session_id
cross join sessions o on o.id = e.session_id
where m.id in ({OTHERWISE}) and m.status = 'active' and e.kind in ('prompt', 'queue')
    and e.session_id not in (:session, :asking)
    and o.project_id is (select project_id from sessions where id = :session)
    and e.created_at > (select max(l.created_at) from entries l where l.id in (select h.entry_id {HERE}))
order by e.created_at, e.id
"""
"""The cross joins make SQLite begin with those few memories, and not with all entries of the project since."""

MADE_HERE = "select memory_id from memory_sources where entry_id in ({ids})"

SINCE = f"""
select m.text from memories m join edges g on g.to_memory_id = m.id and g.kind = 'supersedes' and g.ended_at is null
where m.id in ({MADE_HERE}) and not exists (select 1 from memory_sources q join entries e on e.id = q.entry_id
    where q.memory_id = g.from_memory_id and e.id in ({{ids}}) and e.created_at <= :moment)
union select m.text from memories m
join contradictions c on c.state = 'open' and m.id in (c.memory_id, c.other_memory_id)
join memories n on n.id in (c.memory_id, c.other_memory_id) and n.id <> m.id and n.status = 'active'
where m.id in ({MADE_HERE}) and m.status = 'active' and :moment < (select max(e.created_at)
    from memory_sources q join entries e on e.id = q.entry_id
    where q.memory_id = n.id and e.kind in ('prompt', 'queue'))
"""


@dataclass(slots=True, frozen=True)
class TakenUp:
    """Where in a later session: the session, the place of the last such entry in it, and those entries."""

    session_id: int
    position: int
    entries: frozenset[int]


def taken_up(db: sqlite3.Connection, part: Mapping[str, int], asking: int | None) -> list[TakenUp]:
    """The newest sessions that said otherwise what a part of a session had come to, the oldest of them first.

    The part is a `session`, and its `first` and `last` position there.
    """
    found: dict[int, TakenUp] = {}
    for entry, later, position in tuples(db, LATER, {**part, "asking": asking or 0}):
        known = found.pop(later).entries if later in found else frozenset()
        found[later] = TakenUp(later, position, known | {entry})
    return list(found.values())[-MOST_SESSIONS:]


def over_since(db: sqlite3.Connection, entries: Iterable[int], entry: int) -> list[str]:
    """The memories made of these entries that are over, or stand against what the user said since one of the entries.

    What these entries themselves replaced before that one is left out: it was said with that in mind.
    """
    (moment,) = db.execute("select created_at from entries where id = ?", [entry]).fetchone()
    return [row[0] for row in tuples(db, SINCE.format(ids=id_list(entries)), {"moment": moment})]
