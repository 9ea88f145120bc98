"""How often agents were shown each memory: counted once, and then on from the last hit, for every recall adds some.

In: a connection that reads, perhaps the count before. Out: a `Showings`. Invariant: what it says is what counting all
anew would say: it begins anew where hits were forgotten.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from memory_db.pages import table_marks
from memory_db.store.connection import tuples
from memory_db.store.periods import BY_AGENTS

TIMES_SHOWN = f"""
select v.memory_id, sum(h.times) as times_shown
from (select memory_version_id, count(*) as times from hits
    where rank is not null and memory_version_id is not null
        and recall_id in (select id from recalls where {BY_AGENTS}) group by memory_version_id) h
join memory_versions v on v.id = h.memory_version_id group by v.memory_id
"""
"""How often agents were shown a memory. Who looks at pages does not make a memory one that is told."""

SHOWN_SINCE = f"""
select v.memory_id, count(*) as times_shown
from hits h not indexed cross join recalls r on r.id = h.recall_id
join memory_versions v on v.id = h.memory_version_id
where h.id > ? and h.rank is not null and {BY_AGENTS} group by v.memory_id
"""
"""The same of what was logged after a hit."""

LAST_HIT = "select coalesce(max(id), 0) from hits"


@dataclass(frozen=True, slots=True)
class Showings:
    """How often each memory was shown up to a hit, and what was `added` since the hit `after` which it counted on."""

    times: Mapping[int, int]
    added: Mapping[int, int]
    after: int
    last_hit: int
    rests_on: object

    def counts_on(self, before: Showings) -> bool:
        """Whether nothing but `added` is other than before."""
        return self.rests_on == before.rests_on and 0 < self.after == before.last_hit


def count_shown(db: sqlite3.Connection, before: Showings | None = None) -> Showings:
    """The count now, on from the one before where that still holds."""
    rests_on = table_marks.books(db)
    last_hit = int(db.execute(LAST_HIT).fetchone()[0])
    if before is None or before.rests_on != rests_on or before.last_hit > last_hit:
        times = dict(tuples(db, TIMES_SHOWN, ()))
        return Showings(times, times, 0, last_hit, rests_on)
    added = dict(tuples(db, SHOWN_SINCE, [before.last_hit]))
    times = {**before.times, **{memory: before.times.get(memory, 0) + more for memory, more in added.items()}}
    return Showings(times, added, before.last_hit, last_hit, rests_on)
