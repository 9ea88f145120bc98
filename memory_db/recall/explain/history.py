"""What happened to a memory, from its first version to the last recall that showed it.

In: a uid. Out: `MemoryEvent`s in the order in which they were recorded. Invariants: nothing is written; each row that
tells of the memory is one event, or two where it ended; what was shown is counted by day.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from memory_db.knowledge.succession import memory_row
from memory_db.records import dataclass, field
from memory_db.store.versions import VERSIONED


@dataclass(slots=True, frozen=True)
class MemoryEvent:
    """One thing that happened to a memory.

    `recorded_at` is when the file learned of it, `valid_at` when it was so; `detail` tells it, `by` who did it and
    `why` with which reason. `changes` has old and new value by column.
    """

    recorded_at: str
    what: str
    detail: str
    by: str
    why: str
    valid_at: str
    changes: dict[str, tuple[Any, Any]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The event as JSON has it."""
        return {name: getattr(self, name) for name in self.__slots__}


EVENTS = (
    """select iif(e.recorded_at = '', e.created_at, e.recorded_at), 'evidence ' || e.direction,
        e.kind || ', weight ' || e.weight, e.source, coalesce(e.note, ''), e.created_at from evidence e
    where e.memory_id = :id""",
    """select e.withdrawn_at, 'evidence withdrawn', e.kind || ', weight ' || e.weight, e.source, coalesce(e.note, ''),
        e.created_at from evidence e where e.memory_id = :id and e.withdrawn_at is not null""",
    """select iif(s.recorded_at = '', s.created_at, s.recorded_at), 'source', 'entry ' || coalesce(e.uid, 'gone'), '',
        s.quote, s.created_at from memory_sources s left join entries e on e.id = s.entry_id where s.memory_id = :id""",
    """select r.removed_at, r.part || ' taken off',
        iif(r.part = 'source', 'its quote: ' || (case r.part when 'source' then r.value ->> 'quote' end), r.value),
        '', '', r.removed_at from removed_parts r where r.memory_id = :id""",
    """select d.decided_at, 'decision', d.action || ', candidate ' || c.uid, d.decided_by, d.reason, c.created_at
    from decisions d join candidates c on c.id = d.candidate_id where d.memory_id = :id""",
    """select p.created_at, 'proposal ' || p.uid, p.kind || coalesce(' with ' || o.uid, ''), p.proposed_by, p.reason,
        p.created_at from proposals p left join memories o on o.id = iif(p.memory_id = :id, p.other_memory_id,
        p.memory_id) where p.memory_id = :id or p.other_memory_id = :id""",
    """select p.decided_at, 'proposal ' || p.uid, p.state, coalesce(p.decided_by, ''), p.reason, p.decided_at
    from proposals p where (p.memory_id = :id or p.other_memory_id = :id) and p.decided_at is not null""",
    """select c.found_at, 'contradiction', 'with ' || o.uid, c.found_by, c.reason, c.found_at from contradictions c
    join memories o on o.id = iif(c.memory_id = :id, c.other_memory_id, c.memory_id)
    where c.memory_id = :id or c.other_memory_id = :id""",
    """select c.resolved_at, 'contradiction resolved', 'with ' || o.uid || ', held: ' || case
            when c.resolution in ('both', 'neither') then c.resolution
            when (c.resolution = 'first') = (c.memory_id = :id) then 'this one' else o.uid end,
        coalesce(c.resolved_by, ''), coalesce(c.note, ''), c.resolved_at from contradictions c
    join memories o on o.id = iif(c.memory_id = :id, c.other_memory_id, c.memory_id)
    where (c.memory_id = :id or c.other_memory_id = :id) and c.resolved_at is not null""",
    """select e.created_at, 'edge', iif(e.from_memory_id = :id, e.kind || ' ' || o.uid, o.uid || ' ' || e.kind ||
        ' it'), e.created_by, e.reason, e.created_at from edges e
    join memories o on o.id = iif(e.from_memory_id = :id, e.to_memory_id, e.from_memory_id)
    where e.from_memory_id = :id or e.to_memory_id = :id""",
    """select e.ended_at, 'edge taken back', iif(e.from_memory_id = :id, e.kind || ' ' || o.uid, o.uid || ' ' || e.kind
        || ' it'), '', '', e.created_at from edges e
    join memories o on o.id = iif(e.from_memory_id = :id, e.to_memory_id, e.from_memory_id)
    where (e.from_memory_id = :id or e.to_memory_id = :id) and e.ended_at is not null""",
    """select s.created_at, 'suppressed', s.pattern, s.created_by, s.reason, s.created_at from suppressions s
    where s.memory_id = :id""",
    """select s.ended_at, 'suppression ended', s.pattern, s.created_by, s.reason, s.created_at from suppressions s
    where s.memory_id = :id and s.ended_at is not null""",
    """select c.created_at, 'rule on commands', c.decision || ' ' || c.pattern, c.created_by, '', c.created_at
    from command_rules c where c.memory_id = :id""",
    """select c.ended_at, 'rule on commands ended', c.decision || ' ' || c.pattern, '', '', c.created_at
    from command_rules c where c.memory_id = :id and c.ended_at is not null""",
    """select max(r.asked_at), 'shown', count(*) || iif(count(*) = 1, ' time', ' times'),
        group_concat(distinct r.surface), '', min(r.asked_at) from memory_versions v
    join hits h on h.memory_version_id = v.id and h.rank is not null join recalls r on r.id = h.recall_id
    where v.memory_id = :id group by substr(r.asked_at, 1, 10)""",
)
"""Each gives (recorded_at, what, detail, by, why, valid_at) of one sort of rows that tell of a memory."""


def history(db: sqlite3.Connection, uid: str) -> list[MemoryEvent]:
    """All that happened to a memory, in the order in which it was recorded. Raises: NotFoundError."""
    memory_id = memory_row(db, uid)["id"]
    events = versions(db, memory_id)
    for sql in EVENTS:
        events += [MemoryEvent(*row) for row in db.execute(sql, {"id": memory_id}).fetchall()]
    return sorted(events, key=lambda event: event.recorded_at)


def versions(db: sqlite3.Connection, memory_id: int) -> list[MemoryEvent]:
    """The versions of a memory as events: the first made it, each later one changed something."""
    events: list[MemoryEvent] = []
    before: sqlite3.Row | None = None
    rows = db.execute("select * from memory_versions where memory_id = ? order by version", [memory_id])
    for row in rows.fetchall():
        changes = changed(before, row) if before is not None else {}
        what = "made" if before is None else "changed"
        if "status" in changes:
            what = {"active": "restored"}.get(row["status"], row["status"])
        detail = f"version {row['version']}" + (f": {', '.join(changes)}" if changes else "")
        valid_at = (row["valid_to"] if row["status"] == "superseded" else None) or row["valid_from"]
        event = MemoryEvent(
            row["recorded_from"], what, detail, row["changed_by"], row["change_reason"], valid_at, changes
        )
        events.append(event)
        before = row
    return events


def changed(old: sqlite3.Row, new: sqlite3.Row) -> dict[str, tuple[Any, Any]]:
    """Old and new value of every column that two versions differ in."""
    differing = {name: (old[name], new[name]) for name in VERSIONED if old[name] != new[name]}
    if "keys" in differing:
        differing["keys"] = (json.loads(old["keys"]), json.loads(new["keys"]))
    return differing
