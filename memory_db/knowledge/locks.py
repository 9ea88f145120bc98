"""Locks and layers: which memories a machine may not change, and how near to a session's beginning one stands.

In: a memory, and who wants it locked or not. Out: its lock level, as a new version with the reason; and, from the view
`lock_suggestions`, proposals that wait for a person. Invariants: only a person sets or takes away the level `user`;
evidence alone changes no lock; what was proposed once, whatever became of it, is not proposed again; without a
person's word the view `layers` decides, so that no layer can be out of date.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime

from memory_db.errors import InputError
from memory_db.knowledge.proposals import Proposal, propose
from memory_db.knowledge.succession import PERSON, memory_row
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

PROPOSED_BY = "beliefs"

SET_LEVEL = """
update memories set lock_level = :level, changed_by = :by, change_reason = :reason, updated_at = :now
where id = :id and lock_level <> :level
"""


def lock(db: sqlite3.Connection, uid: str, *, by: str, reason: str, now: datetime, level: str = "user") -> bool:
    """Locks a memory; whether that changed anything. `promoted` is the level that evidence can lead to.

    Raises: NotFoundError; InputError where it does not hold any more, and for level `user` by anybody but a person.
    """
    with transaction(db):
        row = memory_row(db, uid)
        if level not in ("promoted", "user"):
            raise InputError(f"No lock level {level!r}. There are: promoted, user.")
        if by != PERSON and "user" in (level, row["lock_level"]):
            raise InputError(f"Only a person may lock memory {uid} so: `memory-db memory lock {uid}`.")
        if row["status"] != "active":
            raise InputError(f"Memory {uid} is {row['status']}. Lock one that holds.")
        return set_level(db, row, level, by, reason, now)


def unlock(db: sqlite3.Connection, uid: str, *, by: str, reason: str, now: datetime) -> bool:
    """Takes the lock of a memory away; whether it had one.

    Raises: NotFoundError; InputError for a lock of level `user` where `by` is no person.
    """
    with transaction(db):
        row = memory_row(db, uid)
        if by != PERSON and row["lock_level"] == "user":
            raise InputError(f"Memory {uid} is locked by the user. Only a person may unlock it.")
        return set_level(db, row, "none", by, reason, now)


def set_level(db: sqlite3.Connection, row: sqlite3.Row, level: str, by: str, reason: str, now: datetime) -> bool:
    """Gives a memory a lock level, with the reason; whether it had another one."""
    values = {
        "id": row["id"], "level": level, "by": clean(by)[0], "reason": clean(reason)[0], "now": utc_text(now),
    }  # fmt: skip
    return db.execute(SET_LEVEL, values).rowcount > 0


def propose_locks(db: sqlite3.Connection, *, now: datetime) -> dict[str, int]:
    """Proposes what `lock_suggestions` lists: counts of `locks_proposed` and `unlocks_proposed`, new ones alone."""
    counts = {"locks_proposed": 0, "unlocks_proposed": 0}
    for row in db.execute("select memory_id, proposal, reason from lock_suggestions order by memory_id").fetchall():
        new = propose(db, row["proposal"], row["memory_id"], reason=row["reason"], by=PROPOSED_BY, now=now)
        counts[f"{row['proposal']}s_proposed"] += new is not None
    return counts


def accept_lock(db: sqlite3.Connection, proposal: Proposal, now: datetime, by: str) -> None:
    """Promotes a memory, as was proposed; one that a person locked stays so. Raises: InputError."""
    if memory_row(db, proposal.memory)["lock_level"] != "user":
        lock(db, proposal.memory, by=by, reason=f"proposed: {proposal.reason}", now=now, level="promoted")


def accept_unlock(db: sqlite3.Connection, proposal: Proposal, now: datetime, by: str) -> None:
    """Takes a promotion back, as was proposed; what a person locked since stays locked. Raises: InputError."""
    if memory_row(db, proposal.memory)["lock_level"] == "promoted":
        unlock(db, proposal.memory, by=by, reason=f"proposed: {proposal.reason}", now=now)


LAYERS = (0, 1, 2, 3)


SET_LAYER = """
update memories set layer_override = ?, changed_by = ?, change_reason = ?, updated_at = ?
where id = ? and layer_override is not ?
"""


def set_layer(db: sqlite3.Connection, uid: str, layer: int | None, *, by: str, now: datetime) -> bool:
    """Puts a memory into a layer, or with None back to where the rules put it; whether that changed anything.

    Raises: NotFoundError, InputError for a layer that there is not, and for a memory that is not active.
    """
    if layer is not None and layer not in LAYERS:
        raise InputError(f"No layer {layer}. There are: {', '.join(map(str, LAYERS))}.")
    with transaction(db):
        memory = memory_row(db, uid)
        if memory["status"] != "active":
            raise InputError(f"Memory {uid} is {memory['status']}: it is in no layer. Name one that is active.")
        reason = "back to the rules of layers" if layer is None else f"put into layer {layer}"
        values = [layer, clean(by)[0], reason, utc_text(now), memory["id"], layer]
        return db.execute(SET_LAYER, values).rowcount > 0


def layer_of(db: sqlite3.Connection, uid: str) -> sqlite3.Row:
    """Where an active memory stands: uid, layer, reason, tokens, project. Raises: NotFoundError, InputError."""
    row: sqlite3.Row | None = db.execute("select * from layers where uid = ?", [uid]).fetchone()
    if row is None:
        raise InputError(f"Memory {memory_row(db, uid)['uid']} is not active: it is in no layer.")
    return row
