"""What two files made of one memory, each in its own way: the later holds, and a person is asked.

In: changes of both files to one thing, and memories with which each replaced the same one. Out: rows of `proposals` and
`contradictions` in the review queue. Invariants: what is asked follows from what both files say, not from which came
first; what was asked once, and decided, is not asked again.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from memory_db.gate.contradictions.pairs import open_contradiction
from memory_db.knowledge import proposals
from memory_db.knowledge.succession import PERSON
from memory_db.store.connection import tuples
from memory_db.store.dates import parse_utc
from memory_db.upkeep.merge.histories import Conflict

BY = "merge"
"""Who asks."""

UID_DIGITS = 12

KINDS = {("status", "retired"): "retire", ("lock_level", "user"): "lock", ("lock_level", "none"): "unlock"}
"""The proposal that would make what was lost hold; words are put back by a rewording."""

EDGES = """
select n.uid, o.uid, e.created_at from {schema}.edges e join {schema}.memories n on n.id = e.from_memory_id
join {schema}.memories o on o.id = e.to_memory_id where e.kind = 'supersedes' and e.ended_at is null
"""

STILL_DRAWN = """
select e.id, n.id, n.uid, o.id, o.uid, v.recorded_from from edges e join memories n on n.id = e.from_memory_id
join memories o on o.id = e.to_memory_id join memory_versions v on v.memory_id = o.id and v.recorded_to is null
where e.kind = 'supersedes' and e.ended_at is null and o.status = 'active' and o.id in ({ids})
"""
"""Edges to memories that hold again, by a later word than the one that drew the edge."""

UNLED = """
select id, updated_at from memories where status = 'superseded' and id in ({ids}) and id not in (
    select to_memory_id from edges where kind = 'supersedes' and ended_at is null)
"""

CIRCLE = """
with recursive after(start, id) as (
    select to_memory_id, from_memory_id from edges where kind = 'supersedes' and ended_at is null
    union select a.start, e.from_memory_id from after a
    join edges e on e.to_memory_id = a.id and e.kind = 'supersedes' and e.ended_at is null
)
select e.id, e.to_memory_id, e.created_at from edges e
where e.kind = 'supersedes' and e.ended_at is null and exists (
    select 1 from after a where a.start = e.from_memory_id and a.id = e.to_memory_id)
order by e.created_at, e.id limit 1
"""
"""The oldest edge of those that go round in a circle."""

SAME_WORDS = """
select o.uid, m.uid, max(m.created_at, o.created_at), m.id, o.id from memories m
join memories o on o.content_hash = m.content_hash
    and o.scope = m.scope and o.project_id is m.project_id and o.status = 'active'
    and (m.created_at, m.uid) < (o.created_at, o.uid)
where m.status = 'active' and (m.id in ({ids}) or o.id in ({ids}))
"""
"""Two memories that say the same in the same place, which one machine would have kept as one; the later one first."""

Edge = tuple[str, str]
"""Uids of a memory and of the one that it replaces."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What waits now for a person because of a merge: what, about which memory, and the two sides in words."""

    kind: str
    memory: str
    said: str


def replacing(db: sqlite3.Connection, schema: str) -> dict[Edge, str]:
    """Which memories replace which in a file, and since when."""
    return {(row[0], row[1]): row[2] for row in tuples(db, EDGES.format(schema=schema), ())}


def ask_about_changes(db: sqlite3.Connection, conflicts: Iterable[Conflict]) -> list[Asked]:
    """Puts before a person what one file's person said and no longer holds."""
    asked = []
    for each in conflicts:
        kind = "rewrite" if each.column == "text" else KINDS.get((each.column, each.lost))
        if kind is None or each.lost_by != PERSON:
            continue
        reason = (
            f"two files changed its {each.column.removesuffix('_level')}: {each.lost_at} and, later, {each.held_at}"
        )
        text = each.lost if kind == "rewrite" else ""
        if propose(db, kind, each.uid, None, reason=reason, text=text, at=each.held_at, by_what=each.lost_at):
            asked.append(Asked(kind, each.uid, reason))
    return asked


def propose(
    db: sqlite3.Connection, kind: str, memory: str, other: str | None, *, reason: str, at: str, text: str = "",
    by_what: str = "",
) -> bool:  # fmt: skip
    """Puts a change before a person as of a moment; whether it is new."""
    ids = dict(tuples(db, "select uid, id from main.memories where uid in (?, ?)", [memory, other]))
    key = "|".join((BY, kind, memory, other or "", text, by_what))
    uid = "p" + sha256(key.encode("utf-8", "replace")).hexdigest()[:UID_DIGITS]
    number = proposals.propose(
        db, kind, ids[memory], other_memory_id=ids.get(other or ""), reason=reason, by=BY, now=parse_utc(at), text=text,
        uid=uid,
    )  # fmt: skip
    return number is not None


def ask_about_successors(db: sqlite3.Connection, own: Mapping[Edge, str], other: Mapping[Edge, str]) -> list[Asked]:
    """Puts before a person memories with which each file replaced the same one: both stand, the later is recalled."""
    sides: dict[str, tuple[dict[str, str], dict[str, str]]] = defaultdict(lambda: ({}, {}))
    for side, edges in enumerate((own, other)):
        for (uid, replaced), at in edges.items():
            sides[replaced][side][uid] = at
    asked = []
    for replaced, (ours, theirs) in sorted(sides.items()):
        for one, since in ours.items():
            for two, until in theirs.items():
                if one in theirs or two in ours:
                    continue
                reason = f"two files replaced {replaced}, each by another memory"
                if oppose(db, one, two, reason, max(since, until)):
                    asked.append(Asked("contradiction", min(one, two), reason))
    return asked


def oppose(db: sqlite3.Connection, one: str, two: str, reason: str, at: str) -> bool:
    """Opens a contradiction as of a moment; whether it is new."""
    ids = tuples(db, "select id from main.memories where uid in (?, ?)", [one, two])
    if len(ids) < 2:
        return False
    number = open_contradiction(db, ids[0][0], ids[1][0], found_by=BY, reason=reason, score=1.0, now=parse_utc(at))
    return number is not None


def settle_edges(db: sqlite3.Connection, ids: str) -> list[Asked]:
    """Lets edges and statuses agree again for some memories, whose ids are listed."""
    asked = []
    for edge, _, newer, _, older, since in tuples(db, STILL_DRAWN.format(ids=ids), ()):
        db.execute("update main.edges set ended_at = max(created_at, ?) where id = ?", [since, edge])
        reason = f"one file replaced it by {newer}, the other one changed it later"
        if propose(db, "supersede", older, newer, reason=reason, at=since):
            asked.append(Asked("supersede", older, reason))
    while circle := db.execute(CIRCLE).fetchone():
        db.execute("update main.edges set ended_at = created_at where id = ?", [circle[0]])
        settle_unled(db, str(circle[1]), circle[2])
    settle_unled(db, ids)
    return asked


def settle_unled(db: sqlite3.Connection, ids: str, at: str = "") -> None:
    """Lets hold again what is superseded and leads to nothing any more."""
    for number, updated_at in tuples(db, UNLED.format(ids=ids), ()):
        db.execute(
            "update main.memories set status = 'active', valid_to = null, changed_by = ?, updated_at = ?,"
            " change_reason = 'what replaced it was taken back in the other file' where id = ?",
            [BY, max(updated_at, at), number],
        )


def ask_about_same_words(db: sqlite3.Connection, ids: str) -> list[Asked]:
    """Proposes to make one of two memories that say the same in the same place."""
    asked = []
    for later, earlier, at, _, _ in tuples(db, SAME_WORDS.format(ids=ids), ()):
        reason = f"{earlier} says the same, known to another machine"
        if propose(db, "merge", later, earlier, reason=reason, at=at):
            asked.append(Asked("merge", later, reason))
    return asked
