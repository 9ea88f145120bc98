"""What waits for a person, and what comes of it: accepted, declined, resolved.

In: items such as c12 (a candidate), p3 (a proposal), x4 (a contradiction). Out: decisions by a person, which do what
the machine would have done. Invariants: nothing that waits is ever recalled; an item is decided wholly or not at all;
what a person accepts may reach what is locked; what would steer an agent nobody can accept.
"""

from __future__ import annotations

import dataclasses
import json
import re
import sqlite3
from datetime import datetime
from typing import Any, NamedTuple

from memory_db.errors import ConflictError, InputError, NotFoundError
from memory_db.gate.apply import CANDIDATE, carry_out, write
from memory_db.gate.claims import Decision, Neighbour, Seen, compare, is_older
from memory_db.gate.contradictions import pairs as contradictions
from memory_db.gate.doubts import RESTORE
from memory_db.gate.review.proposal_kinds import HANDLERS
from memory_db.gate.rules import injection, secret
from memory_db.gate.search import claim_of, neighbour
from memory_db.gate.thresholds import DEFAULT
from memory_db.index.neighbours import rows_of
from memory_db.knowledge import proposals
from memory_db.knowledge.memories import find_same
from memory_db.knowledge.succession import ENDS, PERSON, memory_row
from memory_db.store.connection import transaction

ITEM = re.compile(r"([cpx])([0-9]{1,18})")

PENDING = ("propose", "quarantine")

OVERRULED = ("reject", "revert")
"""Last decisions on a candidate that does not wait, and that a person may still want kept."""


class ReviewItem(NamedTuple):
    """What waits: its letter and number."""

    letter: str
    number: int


def item_of(text: str) -> ReviewItem:
    """An item by its name. Raises: InputError."""
    found = ITEM.fullmatch(text.strip().lower())
    if found is None:
        raise InputError(f"{text[:40]!r} is no item. `memory-db review` lists them, such as c12, p3 or x4.")
    return ReviewItem(found[1], int(found[2]))


def queue(db: sqlite3.Connection) -> list[dict[str, Any]]:
    """All that waits, what a person must decide first, then the oldest."""
    rows = db.execute("select * from review_queue order by waits_for <> 'a person', waiting_since, item")
    return [dict(row) for row in rows]


def waiting(db: sqlite3.Connection) -> list[dict[str, Any]]:
    """How many of each sort wait for a person, and for how long the oldest does."""
    return [dict(row) for row in db.execute("select * from review_waiting order by sort")]


def show(db: sqlite3.Connection, text: str) -> dict[str, Any]:
    """One item with all that is known of it: its row in the queue, if it waits, and what was decided.

    Raises: InputError, NotFoundError.
    """
    item = item_of(text)
    row = db.execute("select * from review_queue where item = ?", [f"{item.letter}{item.number}"]).fetchone()
    if item.letter == "c":
        candidate_row(db, item.number)
        log = db.execute("select * from decision_log where candidate_id = ? order by decision_id", [item.number])
        return {"waits": dict(row) if row else None, "decisions": [dict(each) for each in log]}
    if item.letter == "p":
        found = dataclasses.asdict(proposals.find(db, item.number))
    else:
        found = dataclasses.asdict(contradictions.get(db, item.number))
    return {"waits": dict(row) if row else None, "item": found}


def accept(db: sqlite3.Connection, text: str, *, now: datetime) -> dict[str, Any]:
    """Does what the item proposes; what that changed, by `action`, `memory` and `effects`.

    Raises: NotFoundError; ConflictError where it was decided already; InputError where it cannot be done.
    """
    item = item_of(text)
    if item.letter == "x":
        raise InputError(f"{text} is a contradiction. `memory-db review resolve {text} first|second|both|neither`.")
    if item.letter == "p":
        effects = proposals.accept(db, item.number, HANDLERS, now=now)
        kind = proposals.find(db, item.number)
        return {"item": text, "action": kind.kind, "memory": kind.memory, "effects": effects}
    return accept_candidate(db, item.number, now)


def accept_candidate(db: sqlite3.Connection, number: int, now: datetime) -> dict[str, Any]:
    """Keeps a candidate as the gate would have: as a new memory, in the place of another, or as more of one.

    Raises: NotFoundError, ConflictError, InputError.
    """
    with transaction(db):
        candidate = candidate_row(db, number)
        decision = meant(db, candidate)
        memory_id, decision_id = carry_out(db, candidate, decision, by=PERSON, now=now)
        row = db.execute(
            "select m.uid, d.effects from decisions d left join memories m on m.id = ? where d.id = ?",
            [memory_id, decision_id],
        ).fetchone()
    return {
        "item": f"c{number}", "action": decision.action, "memory": row["uid"], "decision": decision_id,
        "effects": json.loads(row["effects"]),
    }  # fmt: skip


def meant(db: sqlite3.Connection, candidate: sqlite3.Row) -> Decision:
    """What would be done if a person accepted a candidate now. `candidate` is a row of CANDIDATE; nothing is written.

    Raises: ConflictError where it is decided; InputError for what may not be kept.
    """
    number = candidate["id"]
    last = last_decision(db, number)
    if last["action"] not in (*PENDING, *OVERRULED):
        raise ConflictError(
            f"c{number} is decided ({last['action']}). `memory-db review revert {last['id']}` undoes it."
        )
    claim = claim_of(candidate)
    blocked = secret(claim, Seen()) or injection(claim, Seen())
    if blocked:
        raise InputError(
            f"c{number} cannot be kept ({blocked.reason}). If it is a rule of your own, say it in other words."
        )
    return accepted(db, candidate, last)


def accepted(db: sqlite3.Connection, candidate: sqlite3.Row, last: sqlite3.Row) -> Decision:
    """What a person's yes to a candidate means: what the gate would have done, as far as it can be done now."""
    would = json.loads(last["effects"]).get("would") or "add"
    reason = f"accepted: {last['reason']}"
    target = target_of(db, last["memory_id"])
    doubted = db.execute(RETIRED_FOR_DOUBT, [candidate["id"]]).fetchone()
    if doubted is not None:
        return brought_back(db, candidate, doubted["memory_id"], reason)
    if would == "duplicate" and last["memory_id"] is not None:
        return Decision("duplicate", last["memory_id"], reason)
    if would not in ("merge", "supersede", "contradicts") or target is None:
        claim = claim_of(candidate)
        same = find_same(db, claim.text, scope=claim.scope, project_id=claim.project_id)
        return Decision("duplicate", memory_row(db, same)["id"], reason) if same else Decision("add", None, reason)
    claim = claim_of(candidate)
    relation = compare(claim, target, DEFAULT).relation
    if would == "contradicts" and relation is None:
        return Decision("add", None, reason)
    if would == "merge" and is_older(claim, target):
        return Decision("duplicate", target.id, f"{reason}; {target.uid} was said again since, and its words hold")
    return Decision(would, target.id, reason, relation=relation)


RETIRED_FOR_DOUBT = f"""
select memory_id from decisions where candidate_id = ? and json_extract(effects, '$.would') = '{RESTORE}'
order by id desc limit 1
"""
"""The memory of a candidate that a model's doubt retired."""


def brought_back(db: sqlite3.Connection, candidate: sqlite3.Row, memory_id: int | None, reason: str) -> Decision:
    """What a yes to a memory means that a doubt retired: it holds again, unless something else says the same by now."""
    claim = claim_of(candidate)
    if same := find_same(db, claim.text, scope=claim.scope, project_id=claim.project_id):
        return Decision("duplicate", memory_row(db, same)["id"], reason)
    row = db.execute("select status from memories where id = ?", [memory_id]).fetchone()
    status = row["status"] if row is not None else ""
    if status == "active":
        return Decision("duplicate", memory_id, reason)
    return Decision("add", memory_id, reason, restores=True) if status == "retired" else Decision("add", None, reason)


def target_of(db: sqlite3.Connection, memory_id: int | None) -> Neighbour | None:
    """The memory that a decision is about, while it holds; where it was replaced since, the one that holds now."""
    ends = db.execute(ENDS, {"id": memory_id}).fetchall() if memory_id is not None else []
    if len(ends) == 1:
        memory_id = memory_row(db, ends[0]["uid"])["id"]
    row = rows_of(db, [memory_id]).get(memory_id) if memory_id is not None else None
    return neighbour(row, None) if row is not None and row["status"] == "active" else None


def decline(db: sqlite3.Connection, text: str, *, now: datetime) -> None:
    """Leaves an item as it is, for good. Raises: NotFoundError, ConflictError, InputError."""
    item = item_of(text)
    if item.letter == "x":
        raise InputError(f"{text} is a contradiction. `memory-db review resolve {text} both` says that both hold.")
    if item.letter == "p":
        proposals.decline(db, item.number, now=now)
        return
    with transaction(db):
        candidate_row(db, item.number)
        last = last_decision(db, item.number)
        if last["action"] not in PENDING:
            raise ConflictError(f"{text} does not wait ({last['action']}). `memory-db review` lists what does.")
        reason = f"declined: {last['reason']}"
        write(db, item.number, "reject", None, reason, {}, by=PERSON, now=now)


def resolve(db: sqlite3.Connection, text: str, resolution: str, *, note: str = "", now: datetime) -> dict[str, Any]:
    """Says which memory of a contradiction holds; what that changed.

    Raises: NotFoundError, ConflictError, InputError.
    """
    item = item_of(text)
    if item.letter != "x":
        raise InputError(f"{text} is no contradiction. `memory-db review accept {text}` or `decline {text}`.")
    return contradictions.resolve(db, item.number, resolution, by=PERSON, note=note, now=now)


def candidate_row(db: sqlite3.Connection, number: int) -> sqlite3.Row:
    """A candidate by its number. Raises: NotFoundError."""
    row: sqlite3.Row | None = db.execute(f"{CANDIDATE} where c.id = ?", [number]).fetchone()
    if row is None:
        raise NotFoundError(f"There is no candidate c{number}. `memory-db review` lists what waits.")
    return row


def last_decision(db: sqlite3.Connection, number: int) -> sqlite3.Row:
    """The latest decision on a candidate. Raises: ConflictError where the gate has not seen it."""
    row: sqlite3.Row | None = db.execute(
        "select * from decisions where candidate_id = ? order by id desc limit 1", [number]
    ).fetchone()
    if row is None:
        raise ConflictError(f"c{number} has not been through the gate. `memory-db extract` decides on it.")
    return row


def take_back_item(db: sqlite3.Connection, text: str, *, now: datetime) -> list[str]:
    """Takes back what was decided on a proposal or a contradiction; a line for each thing that was undone.

    Raises: InputError, NotFoundError, ConflictError.
    """
    item = item_of(text)
    if item.letter == "p":
        return proposals.revert(db, item.number, now=now)
    if item.letter == "x":
        return contradictions.reopen(db, item.number, by=PERSON, now=now)
    last = last_decision(db, candidate_row(db, item.number)["id"])
    raise InputError(f"{text} is a candidate. `memory-db review revert {last['id']}` takes its last decision back.")
