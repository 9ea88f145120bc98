"""What becomes of memories that a model would not keep: rules made them, and the model read the whole conversation.

In: evidence of the kind `doubted` from models. Out: the decisions that made such a memory taken back, and its candidate
before a person, with what the model said. Invariants: only what rules alone made of one session and nobody touched
since; all of it or nothing; what cannot be taken back stays, with the doubt as evidence; what a model would only say
better is not lost where its words were not kept.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_db.errors import InputError
from memory_db.extract.model.answers import WHY_DOUBTED
from memory_db.extract.model.doubts import BY_MODEL, DOUBTED
from memory_db.gate.apply import CANDIDATE, carry_out, write
from memory_db.gate.change_rules import IS_IT_SO
from memory_db.gate.claims import A_PERSON, Decision
from memory_db.gate.revert import REVERTIBLE, revert
from memory_db.knowledge.succession import PERSON
from memory_db.store.connection import transaction

SOURCE = f"{BY_MODEL}%"

OPEN = f"""
select m.id, e.note, e.source from evidence e join memories m on m.id = e.memory_id
where e.kind = '{DOUBTED}' and e.source like '{SOURCE}' and e.withdrawn_at is null
    and m.status = 'active' and m.origin = 'rules' and m.lock_level = 'none'
    and not exists (select 1 from memory_versions v where v.memory_id = m.id and v.changed_by = '{PERSON}')
    and not exists (select 1 from evidence c
        where c.memory_id = m.id and c.kind = 'confirmed' and c.withdrawn_at is null)
    and not exists (select 1 from memory_sources s left join candidates c on c.id = s.candidate_id
        left join extraction_runs r on r.id = c.extraction_run_id
        where s.memory_id = m.id and r.method is not 'rules')
group by m.id order by m.id
"""
"""Memories with a doubt about which nothing was done."""

MADE_BY = """
select d.id, d.candidate_id, d.action from decisions d
where d.memory_id = ? and d.action in (select value from json_each(?)) and d.decided_by = ?
    and d.id = (select max(l.id) from decisions l where l.candidate_id = d.candidate_id)
order by d.id desc
"""
"""What was decided about a memory and stands, the newest first."""

DOUBTED_HERE = f"""
select m.id from memory_sources s join memories m on m.id = s.memory_id
join evidence e on e.memory_id = m.id and e.kind = '{DOUBTED}' and e.source like '{SOURCE}'
where s.entry_id = ? and m.status = 'retired' and m.changed_by <> '{PERSON}'
"""
"""Memories from the words of an entry that a model's doubt took back."""


IS_SAID_BETTER = """
select 1 from memory_sources s join memories m on m.id = s.memory_id join candidates c on c.id = s.candidate_id
join extraction_runs r on r.id = c.extraction_run_id
where s.entry_id = ? and m.status = 'active' and r.method <> 'rules'
"""
"""Whether a model's proposal from the words of an entry became a memory, or bears one out."""


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A candidate that waits again, and whether only because a model would say it better."""

    candidate_id: int
    is_for_words: bool


def take_doubted_back(db: sqlite3.Connection, *, by: str, now: datetime) -> list[TakenBack]:
    """Lets what a model would not keep wait for a person."""
    found = []
    for row in db.execute(OPEN).fetchall():
        with transaction(db):
            reason = f"{row['source'].split()[-1]}, which read the conversation, would not keep it: {row['note']}"
            candidate_id = let_wait(db, row["id"], reason + IS_IT_SO, by, now)
        if candidate_id is not None:
            found.append(TakenBack(candidate_id, row["note"] == WHY_DOUBTED["empty"]))
    return found


def let_wait(db: sqlite3.Connection, memory_id: int, reason: str, by: str, now: datetime) -> int | None:
    """Takes back what made a memory and puts its candidate before a person; that one, None where it cannot be done."""
    decisions: Sequence[sqlite3.Row] = db.execute(MADE_BY, [memory_id, json.dumps(REVERTIBLE), by]).fetchall()
    if not decisions:
        return None
    db.execute("savepoint doubting")
    try:
        for decision in decisions:
            revert(db, decision["id"], now=now, by=by)
    except InputError:  # what changed since stays as it is
        db.execute("rollback to doubting")
        return None
    finally:
        db.execute("release doubting")
    first = decisions[-1]
    effects = {"would": "add", "waits_for": A_PERSON}
    write(db, first["candidate_id"], "propose", None, reason, effects, by=by, now=now)
    return int(first["candidate_id"])


def keep_what_was_not_said_better(
    db: sqlite3.Connection, taken: Sequence[TakenBack], *, by: str, now: datetime
) -> int:  # fmt: skip
    """Keeps the rules' words after all where the model's own were not kept; how many that were."""
    kept = 0
    for each in taken:
        with transaction(db):
            candidate = db.execute(f"{CANDIDATE} where c.id = ?", [each.candidate_id]).fetchone()
            if each.is_for_words and not db.execute(IS_SAID_BETTER, [candidate["entry_id"]]).fetchone():
                decision = Decision("add", None, "the model's own words for it were not kept")
                carry_out(db, candidate, decision, by=by, now=now)
                kept += 1
    return kept
