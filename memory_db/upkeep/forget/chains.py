"""What a forgotten memory had replaced: it is replaced by what replaced that one, or else it holds no more.

In: a connection with a transaction open, and the ids of the memories that go. Out: edges and retired memories.
"""

from __future__ import annotations

import sqlite3


def close_chains(db: sqlite3.Connection, memories: str, now: str) -> None:
    """Lets what a forgotten memory replaced be replaced by what replaced that, or else retires it: it holds no more."""
    while db.execute(JOIN_CHAIN.format(memories=memories), {"now": now}).rowcount:
        pass
    db.execute(RETIRE_ORPHANS.format(memories=memories), {"now": now})


JOIN_CHAIN = """
insert or ignore into edges (from_memory_id, to_memory_id, kind, score, reason, created_by, created_at)
select n.from_memory_id, o.to_memory_id, 'supersedes', o.score, 'what stood between was forgotten', 'user', :now
from edges o join edges n on n.to_memory_id = o.from_memory_id and n.kind = 'supersedes' and n.ended_at is null
where o.kind = 'supersedes' and o.ended_at is null and o.from_memory_id in ({memories})
"""
"""An edge from each successor of a forgotten memory to what that had replaced."""

RETIRE_ORPHANS = """
update memories set status = 'retired', changed_by = 'user', updated_at = :now,
    change_reason = 'what replaced it was forgotten'
where status = 'superseded' and id not in ({memories})
    and id in (select to_memory_id from edges where kind = 'supersedes' and from_memory_id in ({memories}))
    and not exists (select 1 from edges e where e.to_memory_id = memories.id and e.kind = 'supersedes'
        and e.ended_at is null and e.from_memory_id not in ({memories}))
"""
