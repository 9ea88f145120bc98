"""What a decision does to the rows: memories made and changed, their sources, and evidence.

In: a candidate and the decision on it. Out: the memory that it ended in, and what was changed, recorded with the
decision. Invariants: within one transaction of the caller; a candidate's quote stays with the memory that says it.
"""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime

from memory_db.extract.rules.around import Surroundings
from memory_db.extract.rules.backing import Backing
from memory_db.extract.rules.error_fixes import decisive_line
from memory_db.gate.claims import Decision, cleaned
from memory_db.gate.contradictions import pairs as contradictions
from memory_db.gate.parts import close_parts
from memory_db.knowledge import proposals
from memory_db.knowledge.effects import Effects, as_json, change, recording
from memory_db.knowledge.evidence import STATED_WEIGHT, add_evidence
from memory_db.knowledge.memories import (
    NewMemory,
    add_condition,
    add_keys,
    add_paths,
    add_source,
    first_line,
    insert_memory,
)
from memory_db.knowledge.retire import restore
from memory_db.knowledge.succession import PERSON, supersede
from memory_db.models.tokens import count_tokens
from memory_db.store.dates import utc_text

CONTEXT_CHARACTERS = 300
"""How much of the entry before and of the one after is kept as a memory's context."""

CANDIDATE = """
select c.*, e.uid as entry_uid, e.text as entry_text, r.method, r.is_dry_run,
    case when e.kind = 'tool_result' and instr(e.text, 'the user said:' || char(10)) > 0
        and (e.text like 'The user doesn''t want to %' or e.text like 'Error: The user doesn''t want to %')
        and exists (select 1 from actions a where a.result_entry_id = e.id and a.is_error = 1)
        and instr(substr(e.text, instr(e.text, 'the user said:')), c.quote) > 0 then 'user' else e.role end as role
from candidates c
left join entries e on e.id = c.entry_id
join extraction_runs r on r.id = c.extraction_run_id
"""
"""A candidate with what its decision needs to know of its entry and run. A remark with which the user refused a call is
the user's word, though it stands in the call's result."""

AROUND = """
select e.text
from session_entries here
join session_entries se on se.session_id = here.session_id
join entries e on e.id = se.entry_id
where here.entry_id = :entry and here.session_id = :session and e.is_sidechain = 0 and e.kind in ('prompt', 'reply')
    and {side}
limit 1
"""
DONE_BEFORE = """
select a.is_error, r.text
from session_entries here
join session_entries se on se.session_id = here.session_id and se.position < here.position
join entries r on r.id = se.entry_id and r.kind = 'tool_result'
join actions a on a.result_entry_id = r.id
where here.session_id = :session and here.entry_id = :entry
order by se.position desc limit 1
"""
"""The last action before an entry of a session, and its result."""

BEFORE = AROUND.format(side="se.position < here.position order by se.position desc")
AFTER = AROUND.format(side="se.position > here.position order by se.position")


def carry_out(
    db: sqlite3.Connection, candidate: sqlite3.Row, decision: Decision, *, by: str, now: datetime
) -> tuple[int | None, int]:
    """Does what was decided and writes the decision: the memory it ended in, if any, and the decision's number.

    `candidate` is a row of CANDIDATE. Raises: InputError where one memory cannot replace the other.
    """
    with recording(db, [decision.target]) as effects:
        memory_id = do(db, candidate, decision, by, now)
        if memory_id is not None and decision.action in ("add", "merge", "contradicts"):
            close_parts(db, candidate, memory_id, cleaned(candidate["text"]), by=by, now=now)
    said: Effects = {"would": decision.would, "waits_for": decision.waits_for} if decision.waits_for else {}
    if decision.or_sighting:
        said["or_sighting"] = True
    if decision.is_wording:
        said["is_wording"] = True
    number = write(db, candidate["id"], decision.action, memory_id, decision.reason, effects | said, by=by, now=now)
    return memory_id, number


def do(db: sqlite3.Connection, candidate: sqlite3.Row, decision: Decision, by: str, now: datetime) -> int | None:
    """The change of rows that an action means; the memory that says what the candidate says, or the target."""
    target = decision.target
    if decision.restores and target is not None:
        restore(db, uid_of(db, target), by=by, reason=decision.reason, now=now)
        return target
    if decision.action in ("add", "contradicts", "supersede"):
        memory_id = insert_memory(db, memory_of(db, candidate, decision.reason, by), now=now)
        add_sighting(db, memory_id, candidate, "stated", now, decision.backing)
        if decision.keeps and target is not None:
            change(db, uid_of(db, target), in_words(decision.keeps), decision.reason, by, now)
        elif decision.action == "supersede" and target is not None:
            for old in (target, *decision.also):
                supersede(db, uid_of(db, old), uid_of(db, memory_id), reason=decision.reason, by=by, now=now)
        elif decision.action == "contradicts" and target is not None and decision.relation is not None:
            contradictions.open_contradiction(
                db, memory_id, target, found_by=decision.relation.test, reason=decision.relation.reason,
                score=decision.relation.score, now=now,
            )  # fmt: skip
        ask(db, decision, memory_id, by, now)
        if decision.closed_by is not None:
            later = uid_of(db, decision.closed_by)
            supersede(db, uid_of(db, memory_id), later, reason=decision.reason, by=by, now=now)
        return memory_id
    if decision.action == "merge" and target is not None:
        merge(db, candidate, target, decision.reason, by, now)
    if decision.widens and target is not None:
        change(db, uid_of(db, target), {"scope": "user"}, decision.reason, by, now)
    if decision.action in ("merge", "duplicate") and target is not None:
        if by == PERSON or not is_locked(db, target):
            add_paths(db, target, json.loads(candidate["paths"]), now=now)
        add_keys(db, target, [cleaned(key) for key in json.loads(candidate["keys"])], by, now=now)
        add_condition(db, target, cleaned(candidate["condition"]), by, now=now)
        add_sighting(db, target, candidate, "repeated", now, decision.backing)
        ask(db, decision, target, by, now)
    return target


def ask(db: sqlite3.Connection, decision: Decision, memory_id: int, by: str, now: datetime) -> None:
    """Puts before a person which memories may be over by what another one says."""
    for asked in decision.asks:
        old, new = (memory_id, asked.memory_id) if asked.is_later else (asked.memory_id, memory_id)
        proposals.propose(db, "supersede", old, other_memory_id=new, reason=asked.reason, by=by, now=now)


def merge(db: sqlite3.Connection, candidate: sqlite3.Row, target: int, reason: str, by: str, now: datetime) -> None:
    """Gives a memory the text of a candidate that says all of it and more, or says it later in other words."""
    memory = db.execute("select uid, importance from memories where id = ?", [target]).fetchone()
    columns = in_words(candidate["text"], candidate["title"])
    columns["importance"] = max(memory["importance"], candidate["importance"])
    change(db, memory["uid"], columns, reason, by, now)


def in_words(text: str, title: str = "") -> dict[str, object]:
    """The columns of a memory that says this."""
    said = cleaned(text).strip()
    return {"text": said, "title": cleaned(title) or first_line(said), "tokens": count_tokens(said)}


def add_sighting(
    db: sqlite3.Connection,
    memory_id: int,
    candidate: sqlite3.Row,
    kind: str,
    now: datetime,
    backing: Backing | None = None,
) -> None:
    """Ties a memory to the candidate's quote, and counts it and what backs it as evidence for the memory."""
    quote, said_at = cleaned(candidate["quote"]), candidate["created_at"]
    new = add_source(
        db,
        memory_id,
        candidate_id=candidate["id"],
        entry_id=candidate["entry_id"],
        quote=quote,
        created_at=said_at,
        now=now,
    )
    if new:
        weight = STATED_WEIGHT[candidate["role"] or "assistant"]
        source = f"entry {candidate['entry_uid']}" if candidate["entry_uid"] else f"candidate {candidate['uid']}"
        add_evidence(
            db, memory_id, kind, "for", weight, source, created_at=said_at, now=now,
            entry_id=candidate["entry_id"],
        )  # fmt: skip
        if backing is None and is_reply(candidate):
            backing = Surroundings().backing(db, candidate["session_id"], candidate["entry_id"])
        if backing is not None:
            add_evidence(
                db, memory_id, "backed", "for", backing.weight, source, created_at=said_at, now=now,
                entry_id=candidate["entry_id"], note=cleaned(f"{backing.kind}: {backing.note}"),
            )  # fmt: skip


def is_reply(candidate: sqlite3.Row) -> bool:
    """Whether a candidate is the word of an agent."""
    return bool(candidate["role"] == "assistant")


def memory_of(db: sqlite3.Connection, candidate: sqlite3.Row, reason: str, by: str) -> NewMemory:
    """A candidate as the memory that it becomes."""
    text = cleaned(candidate["text"]).strip()
    return NewMemory(
        text=text,
        title=cleaned(candidate["title"]) or first_line(text),
        kind=candidate["kind"],
        scope=candidate["scope"],
        project_id=candidate["project_id"],
        importance=candidate["importance"],
        condition=cleaned(candidate["condition"]),
        keys=[cleaned(key) for key in json.loads(candidate["keys"])],
        paths=json.loads(candidate["paths"]),
        tags=json.loads(candidate["tags"]),
        context=context_of(db, candidate),
        origin="rules" if candidate["method"] == "rules" else "model",
        changed_by=by,
        reason=reason,
        created_at=candidate["created_at"],
    )


def context_of(db: sqlite3.Connection, candidate: sqlite3.Row) -> str:
    """What was said before and after the candidate's entry in its session, cut short, and what had just failed."""
    where = {"entry": candidate["entry_id"], "session": candidate["session_id"]}
    found = (db.execute(side, where).fetchone() for side in (BEFORE, AFTER))
    said = [" ".join(row["text"].split())[:CONTEXT_CHARACTERS] for row in found if row]
    last = db.execute(DONE_BEFORE, where).fetchone()
    failed = decisive_line(last["text"]) if last is not None and last["is_error"] else ""
    return "\n".join([*filter(None, [failed]), *said])


def is_locked(db: sqlite3.Connection, memory_id: int) -> bool:
    """Whether a memory is out of a machine's reach: its words gain sources and evidence, and nothing else changes."""
    return bool(db.execute("select lock_level <> 'none' from memories where id = ?", [memory_id]).fetchone()[0])


def uid_of(db: sqlite3.Connection, memory_id: int) -> str:
    """The uid of a memory."""
    return str(db.execute("select uid from memories where id = ?", [memory_id]).fetchone()["uid"])


def write(
    db: sqlite3.Connection,
    candidate_id: int,
    action: str,
    memory_id: int | None,
    reason: str,
    effects: Effects,
    *,
    by: str,
    now: datetime,
    reverts_id: int | None = None,
) -> int:
    """Adds a row to the log of decisions; its number."""
    cursor = db.execute(
        "insert into decisions (candidate_id, action, memory_id, reverts_id, reason, decided_by, decided_at, effects)"
        " values (?, ?, ?, ?, ?, ?, ?, ?)",
        [candidate_id, action, memory_id, reverts_id, cleaned(reason), cleaned(by), utc_text(now), as_json(effects)],
    )
    return int(cursor.lastrowid or 0)
