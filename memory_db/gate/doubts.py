"""What becomes of memories that a model would not keep: rules made them, and the model read the whole conversation.

In: evidence of the kind `doubted` from models. Out: such a memory retired, and its candidate before a person with what
the model said; or, where the model only has better words for it, those words in it. Invariants: only what rules made of
one quote and nothing has borne out since; what replaced another memory, or stands against one, is left to a person
whole; one word of a person brings it back as it was.
"""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Iterable
from datetime import datetime

from memory_db.extract.model.doubts import BY_MODEL, DOUBTED, EMPTY, UNTOUCHED
from memory_db.gate.apply import write
from memory_db.gate.claims import A_PERSON, DECIDED_BY, Claim, Decision, same_quote
from memory_db.knowledge import proposals
from memory_db.knowledge.effects import Effects, recording
from memory_db.knowledge.retire import retire
from memory_db.store.connection import id_list, transaction
from memory_db.text.statements import reading

RESTORE = "restore"
"""What is done with a memory that was retired for a doubt, once a person wants to keep it."""

IS_DOUBT = f"e.kind = '{DOUBTED}' and e.source like '{BY_MODEL}%' and e.withdrawn_at is null"

OPEN = f"""
select m.id, m.uid, e.source, e.note, s.candidate_id from evidence e join memories m on m.id = e.memory_id
join memory_sources s on s.memory_id = m.id
where {IS_DOUBT} and e.note <> '{EMPTY}' and {UNTOUCHED} and s.candidate_id is not null and (m.id = :id or :id is null)
group by m.id order by m.id
"""
"""Memories that a model would not keep at all, and of which nothing came yet; or one, if it is such a one."""

STANDS_ALONE = """
select not exists (select 1 from edges g where :id in (g.from_memory_id, g.to_memory_id)
        and g.kind in ('supersedes', 'contradicts') and g.ended_at is null)
    and not exists (select 1 from contradictions x where :id in (x.memory_id, x.other_memory_id))
    and not exists (select 1 from proposals p where :id in (p.memory_id, p.other_memory_id))
    and (select d.action from decisions d where d.candidate_id = :candidate order by d.id desc limit 1) = 'add'
    and not exists (select 1 from decisions d where d.memory_id = :id and d.candidate_id <> :candidate
        and d.action in ('add', 'merge', 'supersede', 'contradicts', 'duplicate')
        and d.id = (select max(l.id) from decisions l where l.candidate_id = d.candidate_id))
"""
"""Whether nothing else was decided with a memory: it was added, and that is all."""

BADLY_SAID = f"""
select m.id, m.uid, m.text, m.scope, m.project_id, s.quote from evidence e join memories m on m.id = e.memory_id
join memory_sources s on s.memory_id = m.id
where s.entry_id = ? and {IS_DOUBT} and e.note = '{EMPTY}' and {UNTOUCHED} order by m.id
"""
"""Memories from the words of an entry for which a model has better ones."""

TAKEN_OUT = f"""
select m.id from memories m join decisions d on d.memory_id = m.id and json_extract(d.effects, '$.would') = '{RESTORE}'
where m.status = 'retired' and m.id in ({{ids}})
    and d.id = (select max(l.id) from decisions l where l.candidate_id = d.candidate_id)
    and not (:by_rules and exists (select 1 from memory_sources s where s.memory_id = m.id and s.entry_id = :entry))
"""
"""Of some memories those that a doubt retired, about which no person has decided since."""


def retire_doubted(db: sqlite3.Connection, *, now: datetime) -> int:
    """Lets what a model would not keep wait for a person; how many memories that were."""
    done = 0
    for number, *_ in db.execute(OPEN, {"id": None}).fetchall():
        with transaction(db):
            row = db.execute(OPEN, {"id": number}).fetchone()  # somebody may have changed it meanwhile
            done += row is not None and take_out(db, row, now)
    return done


def take_out(db: sqlite3.Connection, row: sqlite3.Row, now: datetime) -> bool:
    """Retires one memory and puts its candidate before a person, or the question alone where it is tied to others."""
    reason = f"{row['source'].split()[-1]} read the conversation and would not keep it: {row['note']}"
    own = {"id": row["id"], "candidate": row["candidate_id"]}
    if not db.execute(STANDS_ALONE, own).fetchone()[0]:
        return proposals.propose(db, "retire", row["id"], reason=reason, by=DECIDED_BY, now=now) is not None
    with recording(db, [row["id"]]) as effects:
        retire(db, row["uid"], by=DECIDED_BY, reason=reason, now=now)
    waits: Effects = {"would": RESTORE, "waits_for": A_PERSON}
    asked = f"{reason}; keep it all the same?"
    write(db, row["candidate_id"], "propose", row["id"], asked, effects | waits, by=DECIDED_BY, now=now)
    return True


def in_better_words(db: sqlite3.Connection, claim: Claim, decision: Decision) -> Decision:
    """A decision on a model's claim, or that its words take the place of the rules' own for the same quote."""
    can_word = claim.is_by_model and claim.kind != "episode" and claim.entry_id is not None
    if not can_word or decision.graduates is not None or decision.action not in ("add", "duplicate", "merge"):
        return decision
    terms = reading(claim.text).terms
    for row in db.execute(BADLY_SAID, [claim.entry_id]).fetchall():
        is_here = row["scope"] == claim.scope and row["project_id"] == claim.project_id
        is_same = same_quote((claim.entry_id, claim.quote), (claim.entry_id, row["quote"]))
        is_about_it = not terms.isdisjoint(reading(row["text"]).terms)
        if is_here and is_same and is_about_it and decision.target in (None, row["id"]):
            reason = f"says {row['uid']} so that it can be understood alone"
            return dataclasses.replace(decision, action="merge", target=row["id"], reason=reason, is_wording=True)
    return decision


def out_of_the_way(db: sqlite3.Connection, memory_ids: Iterable[int], claim: Claim) -> set[int]:
    """Of some memories those that a doubt retired: said anew they are new. What rules find again in the same entry is
    not."""
    given = {"by_rules": not claim.is_by_model, "entry": claim.entry_id}
    return {row[0] for row in db.execute(TAKEN_OUT.format(ids=id_list(memory_ids)), given)}
