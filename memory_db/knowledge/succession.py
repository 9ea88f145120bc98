"""Which memory replaces which: the edge from a successor to the outdated one.

In: two memories. Out: the old one closed and an edge `supersedes` from the new one to it, in one transaction; and, for
a recall, what outdated versions lead to. Invariants: an edge and the status `superseded` go together; following edges
never comes back to where it began; a successor holds wherever the old memory held; nothing is deleted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from datetime import datetime

from memory_db.errors import InputError, NotFoundError
from memory_db.redact.clean import clean
from memory_db.store.connection import id_list, transaction
from memory_db.store.dates import utc_text

SUPERSEDES = "supersedes"
"""The kind of the edge, from the successor to what it replaces."""

PERSON = "user"
"""Who may replace a locked memory. Every other name is a machine's."""

CLOSE = """
update memories set status = 'superseded', valid_to = max(valid_from, :until), changed_by = :by, change_reason = :why,
    updated_at = :now where id = :id
"""

LAST_SAID = """max(m.valid_from,
    coalesce((select max(s.created_at) from memory_sources s where s.memory_id = m.id), ''))"""
"""When a memory `m` was last said, in its own or in other words: what was said before that changes no text of it."""

DRAW = """
insert or ignore into edges (from_memory_id, to_memory_id, kind, score, reason, created_by, created_at)
select :new, :old, :kind, 1.0, :reason, :by, recorded_from from memory_versions
where memory_id = :old and recorded_to is null
"""
"""The edge is as old as the version that says superseded, so that a question as of then sees both or neither."""

AFTER = """
with recursive after(id) as (
    select from_memory_id from edges e where to_memory_id = :id and kind = 'supersedes'{recorded}
    union select e.from_memory_id from after a
    join edges e on e.to_memory_id = a.id and e.kind = 'supersedes'{recorded}
)
select id from after
"""
"""All that follows a memory. `union` ends even where a hand-made edge goes round in a circle."""

SUCCESSORS = """
with recursive after(outdated, memory_id) as (
    select w.id, e.from_memory_id from memory_versions w
    join edges e on e.to_memory_id = w.memory_id and e.kind = 'supersedes'{recorded} where w.id in ({ids})
    union select a.outdated, e.from_memory_id from after a
    join edges e on e.to_memory_id = a.memory_id and e.kind = 'supersedes'{recorded}
)
select a.outdated, v.id from after a join memory_versions v on v.memory_id = a.memory_id where true{where}
order by a.outdated, v.id
"""

DRAWN_BY_THEN = " and e.created_at <= :as_of and (e.ended_at is null or e.ended_at > :as_of)"

DRAWN = " and e.ended_at is null"

ENDS = f"""
select uid from memories where status = 'active' and id in ({AFTER.format(recorded=DRAWN)}) order by id
"""
"""What follows a memory and holds."""

ENDS_THEN = f"""
select m.uid from memories m join memory_versions v on v.memory_id = m.id and v.status = 'active'
    and v.recorded_from <= :as_of and (v.recorded_to is null or v.recorded_to > :as_of)
where m.id in ({AFTER.format(recorded=DRAWN_BY_THEN)}) order by m.id
"""

UNFIT = """
with recursive after(start, id) as (
    select to_memory_id, from_memory_id from edges where kind = 'supersedes' and ended_at is null
    union select a.start, e.from_memory_id from after a
    join edges e on e.to_memory_id = a.id and e.kind = 'supersedes' and e.ended_at is null
)
select 'memory ' || uid, 'is superseded, and no edge says by what; `memory-db memory supersede` draws it' from memories
where status = 'superseded' and id not in (
    select to_memory_id from edges where kind = 'supersedes' and ended_at is null)
union all
select 'edge ' || e.id, 'memory ' || n.uid || ' supersedes ' || o.uid || ', which is ' || o.status
from edges e join memories o on o.id = e.to_memory_id join memories n on n.id = e.from_memory_id
where e.kind = 'supersedes' and e.ended_at is null and o.status = 'active'
union all
select 'edge ' || e.id, 'memory ' || n.uid || ' supersedes ' || o.uid || ', which holds where ' || n.uid || ' does not'
from edges e join memories o on o.id = e.to_memory_id join memories n on n.id = e.from_memory_id
where e.kind = 'supersedes' and e.ended_at is null and n.scope <> 'user'
    and (o.scope = 'user' or o.project_id is not n.project_id)
union all
select 'memory ' || m.uid, 'supersedes itself, by way of others' from after a join memories m on m.id = a.start
where a.start = a.id
"""
"""Places where edges and statuses disagree, as (where, detail)."""


REPLACED_BY = """
select m.uid from edges e join memories m on m.id = e.from_memory_id
where e.kind = 'supersedes' and e.ended_at is null and e.to_memory_id = ? and e.from_memory_id <> ? order by e.id
"""


def supersede(db: sqlite3.Connection, old: str, new: str, *, reason: str, by: str, now: datetime) -> bool:
    """Closes the memory `old` and draws the edge from `new` to it; whether that was new. Both are uids.

    The old one was valid until the new one began. Raises: NotFoundError; InputError for a locked memory where `by` is
    no person, for a retired one, for one that another replaced, for a circle, and where the new one does not hold
    wherever the old one did.
    """
    with transaction(db):
        before, after = memory_row(db, old), memory_row(db, new)
        check_succession(db, before, after, by)
        values = {
            "id": before["id"],
            "old": before["id"],
            "new": after["id"],
            "kind": SUPERSEDES,
            "until": after["valid_from"],
            "by": clean(by)[0],
            "reason": clean(reason)[0],
            "why": f"superseded by {after['uid']}: {clean(reason)[0]}",
            "now": utc_text(now),
        }
        if before["status"] == "active":
            db.execute(CLOSE, values)
        return db.execute(DRAW, values).rowcount > 0


def memory_row(db: sqlite3.Connection, uid: str) -> sqlite3.Row:
    """The row of a memory. Raises: NotFoundError."""
    row: sqlite3.Row | None = db.execute("select * from memories where uid = ?", [uid]).fetchone()
    if row is None:
        raise no_memory(uid)
    return row


def no_memory(uid: str) -> NotFoundError:
    """What is raised for a uid that no memory has."""
    return NotFoundError(f"No memory {uid!r}. `memory-db recall` shows the uids of memories.")


def check_succession(db: sqlite3.Connection, old: sqlite3.Row, new: sqlite3.Row, by: str) -> None:
    """Refuses a succession that cannot be. Raises: InputError."""
    for row in (old, new):
        if row["status"] == "retired":
            raise InputError(f"Memory {row['uid']} is retired. Name one that is kept.")
    if old["lock_level"] != "none" and by != PERSON:
        raise InputError(f"Memory {old['uid']} is locked. Only a person may replace it: `memory-db memory supersede`.")
    others = [row[0] for row in db.execute(REPLACED_BY, [old["id"], new["id"]])]
    if others:
        raise InputError(f"Memory {old['uid']} is replaced by {others[0]} already. Replace that one.")
    if old["id"] == new["id"]:
        raise InputError(f"Memory {old['uid']} cannot replace itself. Name its successor.")
    if old["id"] in {row[0] for row in db.execute(AFTER.format(recorded=DRAWN), {"id": new["id"]})}:
        raise InputError(f"Memory {old['uid']} replaces {new['uid']} already. Name them the other way round.")
    if new["scope"] != "user" and (old["scope"] == "user" or old["project_id"] != new["project_id"]):
        raise InputError(
            f"Memory {new['uid']} holds in one project, {old['uid']} elsewhere too. Name a successor that holds there."
        )


def successors(
    db: sqlite3.Connection, outdated: Iterable[int], where: str, parameters: Mapping[str, object]
) -> list[tuple[int, int]]:
    """(outdated version, version of what came of it) for those versions `v` that a filter lets in.

    Every successor's successor is followed; where the parameters have `as_of`, by edges that were there then.
    """
    ids = id_list(outdated)
    recorded = DRAWN_BY_THEN if "as_of" in parameters else DRAWN
    rows = db.execute(SUCCESSORS.format(ids=ids, recorded=recorded, where=where), dict(parameters)) if ids else ()
    return [(row[0], row[1]) for row in rows]


def describe_succession(db: sqlite3.Connection, uid: str, as_of: str | None = None) -> str | None:
    """What replaced a memory and when, in words; None for one that was not replaced (by then)."""
    direct = db.execute(
        "select n.id, n.uid, date(coalesce(o.valid_to, e.created_at)) as day from edges e"
        " join memories o on o.id = e.to_memory_id join memories n on n.id = e.from_memory_id"
        " where o.uid = :uid and e.kind = 'supersedes' and case when :as_of is null"
        " then o.status = 'superseded' and e.ended_at is null"
        " else e.created_at <= :as_of and (e.ended_at is null or e.ended_at > :as_of) end"
        " order by e.created_at, e.id limit 1",
        {"uid": uid, "as_of": as_of},
    ).fetchone()
    if direct is None:
        return None
    ends = db.execute(ENDS if as_of is None else ENDS_THEN, {"id": direct["id"], "as_of": as_of}).fetchall()
    later = f", and that by {', '.join(row['uid'] for row in ends)}" if ends else ""
    return f"superseded by {direct['uid']} on {direct['day']}{later}"
