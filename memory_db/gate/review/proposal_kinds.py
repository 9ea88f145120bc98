"""Proposals carried out, each kind by a function of its own: `HANDLERS`.

In: a proposal that a person accepted. Out: memories changed as it says. Invariant: a memory that is merged into another
one leaves its quotes, files and evidence there, and leads to it.
"""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime

from memory_db.errors import InputError
from memory_db.gate.review.relate import relate_as_proposed
from memory_db.knowledge.effects import change
from memory_db.knowledge.evidence import add_evidence
from memory_db.knowledge.locks import accept_lock, accept_unlock
from memory_db.knowledge.memories import add_keys, add_paths, add_source, check_steering, first_line
from memory_db.knowledge.proposals import Handler, Proposal
from memory_db.knowledge.retire import retire
from memory_db.knowledge.succession import memory_row, supersede
from memory_db.knowledge.suppressions import suppress
from memory_db.models.tokens import count_tokens
from memory_db.redact.clean import clean


def accept_supersede(db: sqlite3.Connection, proposal: Proposal, now: datetime, by: str) -> None:
    """Lets the other memory replace the first. Raises: InputError."""
    supersede(db, proposal.memory, other_of(proposal), reason=proposal.reason, by=by, now=now)


def accept_merge(db: sqlite3.Connection, proposal: Proposal, now: datetime, by: str) -> None:
    """Brings what the first memory rests on to the other one, which replaces it. Raises: InputError."""
    kept = other_of(proposal)
    supersede(db, proposal.memory, kept, reason=proposal.reason, by=by, now=now)
    old, new = memory_row(db, proposal.memory), memory_row(db, kept)
    for row in db.execute("select * from memory_sources where memory_id = ? order by id", [old["id"]]).fetchall():
        add_source(
            db, new["id"], candidate_id=row["candidate_id"], entry_id=row["entry_id"], quote=row["quote"],
            created_at=row["created_at"], now=now,
        )  # fmt: skip
    paths = [row[0] for row in db.execute("select path from memory_paths where memory_id = ?", [old["id"]])]
    add_paths(db, new["id"], paths, now=now)
    add_keys(db, new["id"], json.loads(old["keys"]), by, now=now)
    for row in db.execute(
        "select * from evidence where memory_id = ? and withdrawn_at is null order by id", [old["id"]]
    ).fetchall():
        add_evidence(
            db, new["id"], "repeated" if row["kind"] == "stated" else row["kind"], row["direction"], row["weight"],
            row["source"], created_at=row["created_at"], now=now, entry_id=row["entry_id"],
            recall_id=row["recall_id"], note=row["note"],
        )  # fmt: skip


def accept_rewrite(db: sqlite3.Connection, proposal: Proposal, now: datetime, by: str) -> None:
    """Gives a memory the words of the proposal. Raises: InputError."""
    text = clean(proposal.text)[0].strip()
    if not text:
        raise InputError(f"Proposal p{proposal.id} has no text. Decline it.")
    check_steering(text)
    row = memory_row(db, proposal.memory)
    title = row["title"] if text.startswith(row["title"].rstrip("…")) else first_line(text)
    columns = {"text": text, "title": title, "tokens": count_tokens(text)}
    change(db, proposal.memory, columns, proposal.reason, by, now)


def accept_retire(db: sqlite3.Connection, proposal: Proposal, now: datetime, by: str) -> None:
    """Retires a memory, as was proposed. Raises: InputError for a locked one where `by` is no person."""
    retire(db, proposal.memory, by=by, reason=proposal.reason, now=now)


def accept_suppress(db: sqlite3.Connection, proposal: Proposal, now: datetime, by: str) -> None:
    """Holds a memory back for questions with the words of the proposal. Raises: InputError."""
    suppress(db, proposal.memory, proposal.text, reason=proposal.reason, by=by, now=now)


def other_of(proposal: Proposal) -> str:
    """The other memory of a proposal. Raises: InputError where it has none."""
    if proposal.other is None:
        raise InputError(f"Proposal p{proposal.id} names no other memory. Decline it.")
    return proposal.other


HANDLERS: dict[str, Handler] = {
    "lock": accept_lock,
    "unlock": accept_unlock,
    "retire": accept_retire,
    "merge": accept_merge,
    "supersede": accept_supersede,
    "relate": relate_as_proposed,
    "suppress": accept_suppress,
    "rewrite": accept_rewrite,
}
"""What carries each kind of proposal out."""
