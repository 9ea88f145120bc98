"""Names that two files gave to two things: one of the two gets a longer one.

In: two files. Out: in the attached one, names of recalls, memories and checkpoints that say something else here made
longer; of checkpoints the earlier one's, in either file. Invariants: nothing is lost because a short name was taken;
the longer name follows from what it names, so that a second merge finds it.
"""

from __future__ import annotations

import sqlite3
from hashlib import sha256

from memory_db.store.connection import tuples
from memory_db.text.normalise import normalised
from memory_db.text.scrubbing import FORGOTTEN
from memory_db.upkeep.merge.choice import REDACTED
from memory_db.upkeep.merge.rows import OTHER

MORE_DIGITS = 8
"""Hexadecimal digits that a longer name has more. Source: ours; with eight before them, no two of a million meet."""

RECALLS = f"""
select o.id, o.uid, o.asked_at || o.query from {OTHER}.recalls o join main.recalls m on m.uid = o.uid
where o.asked_at <> m.asked_at
"""

MEMORIES = f"""
select o.id, o.uid, ov.text, mv.text from {OTHER}.memories o join main.memories m on m.uid = o.uid
join {OTHER}.memory_versions ov on ov.memory_id = o.id and ov.version = 1
join main.memory_versions mv on mv.memory_id = m.id and mv.version = 1 where ov.text <> mv.text
"""

CHECKPOINTS = f"""
select o.id, o.created_at, m.id, m.created_at from {OTHER}.checkpoints o join main.checkpoints m on m.name = o.name
where o.created_at <> m.created_at
"""


def part_names(db: sqlite3.Connection) -> None:
    """Lets no name stand for two things."""
    for number, uid, says in tuples(db, RECALLS, ()):
        db.execute(f"update {OTHER}.recalls set uid = ? where id = ?", [longer(uid, says), number])
    for number, uid, theirs, ours in tuples(db, MEMORIES, ()):
        if normalised(theirs) != normalised(ours) and not {FORGOTTEN, REDACTED} & marks_in(theirs + ours):
            db.execute(f"update {OTHER}.memories set uid = ? where id = ?", [longer(uid, normalised(theirs)), number])
    for theirs, since, ours, until in tuples(db, CHECKPOINTS, ()):
        schema, number, at = (OTHER, theirs, since) if since < until else ("main", ours, until)
        db.execute(f"update {schema}.checkpoints set name = name || ' of ' || ? where id = ?", [at, number])


TWO_NAMES = f"""
select distinct o.id, o.uid, m.id, m.uid from {OTHER}.memory_sources os
join {OTHER}.candidates oc on oc.id = os.candidate_id join main.candidates mc on mc.uid = oc.uid
join main.memory_sources ms on ms.candidate_id = mc.id
join main.memories m on m.id = ms.memory_id join {OTHER}.memories o on o.id = os.memory_id
join {OTHER}.memory_versions ov on ov.memory_id = o.id and ov.version = 1
join main.memory_versions mv on mv.memory_id = m.id and mv.version = 1
where o.uid <> m.uid and o.scope = m.scope and ov.text = mv.text
    and m.project_id is (select own_id from temp.map_projects where other_id = o.project_id)
    and not exists (select 1 from main.memories where uid = o.uid)
    and not exists (select 1 from {OTHER}.memories where uid = m.uid)
order by o.uid, m.uid
"""
"""Memories that both files made of one candidate, in one project that they knew by different paths."""


def join_names(db: sqlite3.Connection) -> None:
    """Gives a memory that both files made of one candidate one name, the smaller of the two, once projects are one."""
    seen: set[int] = set()
    for theirs, their_uid, ours, our_uid in tuples(db, TWO_NAMES, ()):
        if {-theirs, ours} & seen:
            continue
        seen |= {-theirs, ours}
        kept, gone = sorted((their_uid, our_uid))
        schema, number = ("main", ours) if gone == our_uid else (OTHER, theirs)
        db.execute(f"update {schema}.memories set uid = ? where id = ?", [kept, number])
        for table in ("decisions", "proposals", "contradictions"):
            db.execute(
                f"update {schema}.{table} set effects = replace(effects, ?, ?) where instr(effects, ?)",
                [f'"{gone}"', f'"{kept}"', f'"{gone}"'],
            )


OF_RULES = f"""
delete from main.edges where created_by = 'rules' and ended_at is null and exists (
    select 1 from {OTHER}.edges o join temp.map_memories f on f.other_id = o.from_memory_id
    join temp.map_memories t on t.other_id = o.to_memory_id
    where o.created_by <> 'rules' and o.ended_at is null and o.kind = edges.kind
        and f.own_id = edges.from_memory_id and t.own_id = edges.to_memory_id)
"""


def make_room(db: sqlite3.Connection) -> None:
    """Lets edges that rules drew make room for those that somebody drew in the other file."""
    db.execute(OF_RULES)


def longer(uid: str, says: str) -> str:
    """A name with more digits, which follow from what it names."""
    return uid + sha256(says.encode("utf-8", "replace")).hexdigest()[:MORE_DIGITS]


def marks_in(text: str) -> set[str]:
    """The marks of what was taken out that stand in a text."""
    return {mark for mark in (FORGOTTEN, REDACTED) if mark in text}
