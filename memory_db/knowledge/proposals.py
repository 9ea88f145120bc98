"""Changes to what is known that wait for a person: proposed by a machine, accepted, declined or taken back.

In: what would be done, with which memories, and why. Out: rows of `proposals`. Invariants: the same proposal is one
row, whatever became of it, so that a rerun proposes nothing twice and what was declined is not asked again; nothing is
done before it is accepted; what accepting it changed is recorded, so that it can be taken back.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from memory_db.errors import ConflictError, InputError, NotFoundError
from memory_db.knowledge.effects import as_json, recording, take_back
from memory_db.knowledge.succession import PERSON
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

UID_DIGITS = 12


@dataclass(slots=True, frozen=True)
class Proposal:
    """What would be done. `memory` and `other` are uids; `text` what it needs besides, such as new words."""

    id: int
    uid: str
    kind: str
    memory_id: int
    memory: str
    other_memory_id: int | None
    other: str | None
    text: str
    reason: str
    state: str


Handler = Callable[[sqlite3.Connection, Proposal, datetime, str], None]
"""Does what a proposal says, at a time, for somebody; what it changes is recorded around it. Raises: MemoryDBError."""

SELECT = """
select p.id, p.uid, p.kind, p.memory_id, m.uid as memory, p.other_memory_id, o.uid as other, p.text, p.reason, p.state
from proposals p join memories m on m.id = p.memory_id left join memories o on o.id = p.other_memory_id where p.id = ?
"""


def natural_key(db: sqlite3.Connection, kind: str, memory_id: int, other_memory_id: int | None, text: str) -> str:
    """The uid of a proposal: the same whenever the same is proposed."""
    uids = dict(
        db.execute("select id, uid from memories where id in (?, ?)", [memory_id, other_memory_id or 0]).fetchall()
    )
    said = "|".join((kind, uids[memory_id], uids.get(other_memory_id or 0, ""), text))
    return "p" + sha256(said.encode()).hexdigest()[:UID_DIGITS]


def propose(
    db: sqlite3.Connection,
    kind: str,
    memory_id: int,
    *,
    reason: str,
    by: str,
    now: datetime,
    other_memory_id: int | None = None,
    text: str = "",
    uid: str | None = None,
) -> int | None:
    """Puts a change before a person; its number, or None if it was proposed before, whatever became of it.

    `kind` is one of lock, unlock, retire, merge, supersede, relate, suppress, rewrite; `by` names what proposes it.
    `uid`: what tells the same proposal again, if not its kind, memories and text.
    """
    said = clean(text)[0]
    with transaction(db):
        key = uid or natural_key(db, kind, memory_id, other_memory_id, said)
        cursor = db.execute(
            "insert or ignore into proposals (uid, kind, memory_id, other_memory_id, text, reason, proposed_by,"
            " created_at) values (?, ?, ?, ?, ?, ?, ?, ?)",
            [key, kind, memory_id, other_memory_id, said, clean(reason)[0], clean(by)[0], utc_text(now)],
        )
    return int(cursor.lastrowid or 0) if cursor.rowcount else None


def accept(
    db: sqlite3.Connection, proposal_id: int, handlers: Mapping[str, Handler], *, now: datetime, by: str = PERSON
) -> dict[str, Any]:
    """Does what was proposed, all of it or nothing; what that changed. `handlers` carry proposals out, by their kind.

    Raises: NotFoundError; ConflictError where it was decided already; InputError where it cannot be done.
    """
    with transaction(db):
        proposal = open_proposal(db, proposal_id)
        handler = handlers.get(proposal.kind)
        if handler is None:
            raise InputError(f"Nothing here carries out a proposal to {proposal.kind}. Decline p{proposal_id}.")
        with recording(db, (proposal.memory_id, proposal.other_memory_id)) as effects:
            handler(db, proposal, now, by)
        settle(db, proposal_id, "accepted", effects, now=now, by=by)
    return effects


def decline(db: sqlite3.Connection, proposal_id: int, *, now: datetime, by: str = PERSON) -> None:
    """Leaves everything as it is; the same is not proposed again. Raises: NotFoundError, ConflictError."""
    with transaction(db):
        open_proposal(db, proposal_id)
        settle(db, proposal_id, "declined", {}, now=now, by=by)


def revert(db: sqlite3.Connection, proposal_id: int, *, now: datetime, by: str = PERSON) -> list[str]:
    """Takes an accepted proposal back; a line for each thing that was undone.

    Raises: NotFoundError; ConflictError where it was not accepted, or where what it changed has changed since.
    """
    with transaction(db):
        proposal = find(db, proposal_id)
        if proposal.state != "accepted":
            raise ConflictError(f"Proposal p{proposal_id} is {proposal.state}. Only what was accepted can be reverted.")
        effects = json.loads(db.execute("select effects from proposals where id = ?", [proposal_id]).fetchone()[0])
        lines = take_back(db, effects, reason=f"reverted p{proposal_id}", by=by, now=now)
        settle(db, proposal_id, "reverted", effects, now=now, by=by)
    return lines


def reopen(db: sqlite3.Connection, proposal_id: int, *, now: datetime, by: str = PERSON) -> list[str]:
    """Lets a decided proposal wait again, what it changed taken back; a line for each thing that was undone.

    Raises: NotFoundError; ConflictError where it waits, and where what it changed has changed since.
    """
    with transaction(db):
        state = find(db, proposal_id).state
        if state == "open":
            raise ConflictError(f"Proposal p{proposal_id} waits already. There is nothing to take back.")
        lines = revert(db, proposal_id, now=now, by=by) if state == "accepted" else []
        db.execute(
            "update proposals set state = 'open', effects = '{}', decided_by = null, decided_at = null where id = ?",
            [proposal_id],
        )
    return lines


def find(db: sqlite3.Connection, proposal_id: int) -> Proposal:
    """A proposal by its number. Raises: NotFoundError."""
    row = db.execute(SELECT, [proposal_id]).fetchone()
    if row is None:
        raise NotFoundError(f"There is no proposal p{proposal_id}. `memory-db review` lists what waits.")
    return Proposal(**dict(row))


def open_proposal(db: sqlite3.Connection, proposal_id: int) -> Proposal:
    """A proposal that waits. Raises: NotFoundError; ConflictError for one that was decided."""
    proposal = find(db, proposal_id)
    if proposal.state != "open":
        raise ConflictError(
            f"Proposal p{proposal_id} is {proposal.state} already. `memory-db review` lists what waits."
        )
    return proposal


def settle(
    db: sqlite3.Connection, proposal_id: int, state: str, effects: dict[str, Any], *, now: datetime, by: str
) -> None:
    """Writes what became of a proposal."""
    db.execute(
        "update proposals set state = ?, effects = ?, decided_by = ?, decided_at = ? where id = ?",
        [state, as_json(effects), clean(by)[0], utc_text(now), proposal_id],
    )
