"""What is done about junk: proposals for a person, or retiring much at once, and taking exactly that back.

In: findings. Out: rows of `proposals`, open ones for the review or accepted ones that belong to a batch. Invariants:
what is locked or the user's explicit word is left alone; what a person declined is not done behind their back; undoing
a batch brings back what it retired, except where somebody changed that since.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from memory_db.errors import ConflictError, NotFoundError
from memory_db.gate.review.junk import JunkFinding
from memory_db.gate.review.proposal_kinds import HANDLERS
from memory_db.knowledge import proposals
from memory_db.knowledge.proposals import natural_key, propose
from memory_db.knowledge.succession import PERSON
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

PROPOSED_BY = "junk audit"

BATCH = "batch "
"""What stands in `proposals.decided_by` after who decided, with the name of the batch."""

IN_BATCH = "select id, memory_id, state from proposals where decided_by = ? order by id desc"


@dataclass(slots=True, frozen=True)
class JunkBatch:
    """What was retired at once: its name, the uids, and what was left alone with the reason."""

    name: str
    retired: tuple[str, ...]
    left: tuple[tuple[str, str], ...]


@dataclass(slots=True, frozen=True)
class Undone:
    """What a batch gave back, and what it could not, with the reason."""

    restored: tuple[str, ...]
    left: tuple[tuple[str, str], ...]


def propose_all(db: sqlite3.Connection, findings: Iterable[JunkFinding], *, now: datetime) -> dict[str, int]:
    """Puts findings before a person: counts of `merge` and `retire` proposals that are new, and of those `known`.

    A duplicate would be merged into what is kept, everything else retired; what is protected is not proposed.
    """
    counts = {"merge": 0, "retire": 0, "known": 0, "protected": 0}
    with transaction(db):
        for each in findings:
            if each.is_protected:
                counts["protected"] += 1
                continue
            kept = number_of(db, each.kept) if each.kept else None
            kind = "merge" if kept else "retire"
            new = propose(
                db, kind, each.memory_id, other_memory_id=kept, reason=reason_of(each), by=PROPOSED_BY, now=now
            )
            counts[kind if new is not None else "known"] += 1
    return counts


def number_of(db: sqlite3.Connection, uid: str) -> int:
    """The number of a memory."""
    return int(db.execute("select id from memories where uid = ?", [uid]).fetchone()[0])


def reason_of(finding: JunkFinding) -> str:
    """A finding as the reason of a proposal."""
    return f"{finding.junk.replace('_', ' ')}: {finding.reason}"


def retire_all(
    db: sqlite3.Connection, findings: Sequence[JunkFinding], *, now: datetime, by: str = PERSON
) -> JunkBatch:
    """Retires what was found, in one transaction and as one batch.

    Left alone: what is protected, what somebody declined to retire, what is retired already.
    """
    name = batch_name(findings, now)
    retired: list[str] = []
    left: list[tuple[str, str]] = []
    with transaction(db):
        for each in findings:
            why_not = reason_to_leave(db, each)
            if why_not:
                left.append((each.uid, why_not))
                continue
            number = proposal_for(db, each, name, now)
            proposals.accept(db, number, HANDLERS, now=now, by=f"{by}, {BATCH}{name}")
            retired.append(each.uid)
    return JunkBatch(name, tuple(retired), tuple(left))


def batch_name(findings: Iterable[JunkFinding], now: datetime) -> str:
    """A name for a batch: j and eight hexadecimal digits."""
    said = "|".join([utc_text(now), *(each.uid for each in findings)])
    return "j" + sha256(said.encode()).hexdigest()[:8]


def reason_to_leave(db: sqlite3.Connection, finding: JunkFinding) -> str | None:
    """Why a memory is not retired in bulk; None where it may be."""
    row = db.execute(
        "select m.status, g.is_protected from memories m join memory_origins g on g.memory_id = m.id where m.id = ?",
        [finding.memory_id],
    ).fetchone()
    if row["is_protected"]:
        return "locked, or your own explicit word"
    if row["status"] != "active":
        return f"it is {row['status']} already"
    declined = db.execute(
        "select 1 from proposals where memory_id = ? and kind in ('retire', 'merge') and state = 'declined'",
        [finding.memory_id],
    ).fetchone()
    return "you declined that before" if declined else None


def proposal_for(db: sqlite3.Connection, finding: JunkFinding, batch: str, now: datetime) -> int:
    """The open proposal to retire a memory, or a new one; one that was taken back before is not used again."""
    key = natural_key(db, "retire", finding.memory_id, None, "")
    known = db.execute("select id, state from proposals where uid = ?", [key]).fetchone()
    if known and known["state"] == "open":
        return int(known["id"])
    uid = f"{key}-{batch}" if known else key
    made = propose(db, "retire", finding.memory_id, reason=reason_of(finding), by=PROPOSED_BY, now=now, uid=uid)
    if made is None:
        raise ConflictError(f"Memory {finding.uid} was retired in this very batch. Run it again in a moment.")
    return made


def undo(db: sqlite3.Connection, name: str, *, now: datetime, by: str = PERSON) -> Undone:
    """Takes a batch back; what somebody changed since is left as it is. A second time there is nothing to undo.

    Raises: NotFoundError.
    """
    restored: list[str] = []
    left: list[tuple[str, str]] = []
    with transaction(db):
        rows = db.execute(IN_BATCH, [f"{by}, {BATCH}{name}"]).fetchall()
        if not rows:
            raise NotFoundError(f"There is no batch {name!r} to undo. `memory-db review lately` lists them.")
        for row in rows:
            uid = str(db.execute("select uid from memories where id = ?", [row["memory_id"]]).fetchone()[0])
            try:
                proposals.revert(db, row["id"], now=now, by=by)
            except ConflictError as error:
                left.append((uid, str(error)))
            else:
                restored.append(uid)
    return Undone(tuple(restored), tuple(left))


def batches(db: sqlite3.Connection, by: str = PERSON) -> list[dict[str, object]]:
    """Batches that can be undone, the newest first: batch, retired_at, memories."""
    rows = db.execute(
        "select substr(decided_by, length(?) + 1) as batch, max(decided_at) as retired_at, count(*) as memories"
        " from proposals where decided_by like ? || '%' and state = 'accepted' group by decided_by order by 2 desc, 1",
        [f"{by}, {BATCH}"] * 2,
    )
    return [dict(row) for row in rows]
