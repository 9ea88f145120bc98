"""Memories that say a part of what another one says in full, of the same words.

In: a memory, and the candidate that it says. Out: the parts closed by it. Invariants: within one transaction of the
caller; what a person locked, edited or said in another place stays.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime

from memory_db.knowledge.succession import PERSON, supersede

REASON = "the same words are told in full, with what stands beside them"

PARTS = """
select m.uid from memories m
where m.id in (select o.memory_id from memory_sources o where o.entry_id = :entry) and m.id <> :whole
    and m.status = 'active' and m.origin = 'rules' and m.lock_level = 'none' and m.changed_by <> :person
    and m.scope = :scope and m.project_id is :project
    and not exists (select 1 from memory_sources o where o.memory_id = m.id
        and (o.entry_id is not :entry or o.quote = :quote or instr(:quote, o.quote) = 0))
order by m.id
"""
"""Memories all of whose quotes stand within one, in the same entry."""

WHOLE = "select uid, text, scope, project_id from memories where id = ? and status = 'active'"


def close_parts(
    db: sqlite3.Connection, candidate: sqlite3.Row, memory_id: int, said: str, *, by: str, now: datetime
) -> int:
    """Closes what says a part of a memory that the rules made; how many. `said` is the text of its candidate.

    Nothing is closed where the memory kept other words than its candidate's.
    """
    whole = db.execute(WHOLE, [memory_id]).fetchone()
    if candidate["method"] != "rules" or candidate["entry_id"] is None or whole is None or whole["text"] != said:
        return 0
    values = {
        "entry": candidate["entry_id"],
        "quote": candidate["quote"],
        "whole": memory_id,
        "scope": whole["scope"],
        "project": whole["project_id"],
        "person": PERSON,
    }
    parts = [row["uid"] for row in db.execute(PARTS, values)]
    for part in parts:
        supersede(db, part, whole["uid"], reason=REASON, by=by, now=now)
    return len(parts)
