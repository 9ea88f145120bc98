"""Pairs of memories that cannot both hold: found, kept with both quotes, decided by a person.

In: active memories. Out: rows of `contradictions`, and proposals where one memory itself says that another is over.
Invariants: nothing is overwritten by finding; a pair is one row, its first memory the older row; a pair on which a
person decided is opened again only if one of the texts changed since; what a decision changed can be taken back.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_db.errors import ConflictError, InputError, NotFoundError
from memory_db.gate.contradictions.candidates import Found, pairs
from memory_db.knowledge import proposals
from memory_db.knowledge.effects import as_json, change, recording, take_back
from memory_db.knowledge.evidence import add_evidence
from memory_db.knowledge.succession import PERSON, supersede
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.text.relations import CONTRADICTS

FOUND_BY = "contradictions"
"""Who proposes what is found here."""

RESOLUTIONS = ("first", "second", "both", "neither")
"""Which of the two holds on."""

PLACE = "contradictions"
"""The row of `scan_progress` that says how far the versions of memories have been looked through."""

RULES_VERSION = 13
"""Raise it when the tests of relations change: then all memories are looked through again."""

BATCH = 100
"""Memories between two commits: a second's work."""

Progress = Callable[[str, int, int | None], None]

CHANGED = """
select v.id as version_id, v.memory_id from memory_versions v join memories m on m.id = v.memory_id
where v.recorded_to is null and m.status = 'active' and v.id > ? order by v.id limit ?
"""

CURRENT = """
select v.memory_id, v.id from memory_versions v join memories m on m.id = v.memory_id
where v.recorded_to is null and m.status = 'active' and m.id = ?
"""

QUOTE = """
select coalesce((select quote from memory_sources where memory_id = m.id and quote <> '' order by id desc limit 1),
    m.text) as quote
from memories m where m.id = ?
"""

TEXT_CHANGED = """
select 1 from memory_versions v join memory_versions before on before.memory_id = v.memory_id
    and before.version = v.version - 1
where v.memory_id in (?, ?) and v.recorded_from > ? and v.text <> before.text limit 1
"""

SELECT = """
select c.*, m.uid as first, o.uid as second, m.status as first_status, o.status as second_status
from contradictions c join memories m on m.id = c.memory_id join memories o on o.id = c.other_memory_id where c.id = ?
"""


@dataclass(slots=True, frozen=True)
class Contradiction:
    """A pair: `first` and `second` are uids."""

    id: int
    first: str
    second: str
    first_id: int
    second_id: int
    state: str
    resolution: str | None
    note: str | None
    effects: dict[str, Any]


def find(db: sqlite3.Connection, *, now: datetime, progress: Progress | None = None) -> dict[str, int]:
    """Looks through what changed since it was last looked through: numbers of memories, contradictions, proposals.

    Every memory that is new or changed is compared with its neighbours among all active ones; a second run finds
    nothing more. Killed, it goes on with the batch where it stopped.
    """
    counts = {"memories": 0, "contradictions": 0, "proposals": 0}
    row = db.execute("select last_id, rules_version from scan_progress where place = ?", [PLACE]).fetchone()
    last = int(row["last_id"]) if row and row["rules_version"] == RULES_VERSION else 0
    while batch := db.execute(CHANGED, [last, BATCH]).fetchall():
        found = list(pairs(db, [(row["memory_id"], row["version_id"]) for row in batch]))
        with transaction(db) as lock:
            for pair in found:
                lock.let_others()
                keep(db, pair, counts, now)
            last = int(batch[-1]["version_id"])
            counts["memories"] += len(batch)
            note_progress(db, last, len(batch), now)
        if progress is not None:
            progress(PLACE, counts["memories"], None)
    return counts


def find_of(db: sqlite3.Connection, memory_id: int, *, now: datetime) -> int:
    """Looks through one memory alone, which a person just added: how many contradictions that opened.

    What else changed, and how far that was looked through, is left to `find`, to which these pairs are known.
    """
    counts = {"contradictions": 0, "proposals": 0}
    with transaction(db):
        version = db.execute(CURRENT, [memory_id]).fetchone()
        for pair in list(pairs(db, [tuple(version)])) if version else ():
            keep(db, pair, counts, now)
    return counts["contradictions"]


def keep(db: sqlite3.Connection, found: Found, counts: dict[str, int], now: datetime) -> None:
    """Keeps one pair that was found, as a contradiction or as a proposal."""
    relation = found.relation
    if relation.kind == CONTRADICTS:
        opened = open_contradiction(
            db, found.newer_id, found.older_id, found_by=relation.test, reason=relation.reason, score=relation.score,
            now=now,
        )  # fmt: skip
        counts["contradictions"] += opened is not None
    else:
        proposed = proposals.propose(
            db, "supersede", found.older_id, other_memory_id=found.newer_id, reason=relation.reason, by=FOUND_BY,
            now=now,
        )  # fmt: skip
        counts["proposals"] += proposed is not None


def note_progress(db: sqlite3.Connection, last: int, scanned: int, now: datetime) -> None:
    """Writes how far the versions have been looked through."""
    db.execute(
        "insert into scan_progress (place, rules_version, last_id, texts_scanned, texts_changed, started_at,"
        " finished_at) values (:place, :version, :last, :scanned, 0, :now, :now)"
        " on conflict (place) do update set rules_version = :version, last_id = :last,"
        " texts_scanned = texts_scanned + :scanned, finished_at = :now",
        {"place": PLACE, "version": RULES_VERSION, "last": last, "scanned": scanned, "now": utc_text(now)},
    )


def open_contradiction(
    db: sqlite3.Connection, one_id: int, other_id: int, *, found_by: str, reason: str, score: float, now: datetime
) -> int | None:
    """Puts a pair before a person, with both quotes; its number, or None where it is known.

    A pair that was decided is opened again if one of its texts changed since.
    """
    first, second = sorted((one_id, other_id))
    values = {
        "first": first,
        "second": second,
        "found_by": clean(found_by)[0],
        "reason": clean(reason)[0],
        "score": min(1.0, max(0.0, score)),
        "quote": quote_of(db, first),
        "other_quote": quote_of(db, second),
        "now": utc_text(now),
    }
    with transaction(db):
        known = db.execute(
            "select * from contradictions where memory_id = ? and other_memory_id = ?", [first, second]
        ).fetchone()
        if known is None:
            cursor = db.execute(
                "insert into contradictions (memory_id, other_memory_id, found_by, reason, score, quote, other_quote,"
                " found_at) values (:first, :second, :found_by, :reason, :score, :quote, :other_quote, :now)",
                values,
            )
            return int(cursor.lastrowid or 0)
        if known["state"] == "open" or not text_changed(db, known):
            return None
        db.execute(
            "update contradictions set state = 'open', resolution = null, resolved_by = null, resolved_at = null,"
            " effects = '{}', found_by = :found_by, reason = :reason, score = :score, quote = :quote,"
            " other_quote = :other_quote, found_at = :now, note = :note where id = :id",
            values | {"id": known["id"], "note": earlier_decision_note(known)},
        )
    return int(known["id"])


def quote_of(db: sqlite3.Connection, memory_id: int) -> str:
    """The words that a memory comes from, else its text. Raises: NotFoundError."""
    row = db.execute(QUOTE, [memory_id]).fetchone()
    if row is None:
        raise NotFoundError(f"No memory with the number {memory_id}.")
    return str(row["quote"])


def text_changed(db: sqlite3.Connection, known: sqlite3.Row) -> bool:
    """Whether one of the two says something else since the pair was decided."""
    ids = [known["memory_id"], known["other_memory_id"], known["resolved_at"]]
    return db.execute(TEXT_CHANGED, ids).fetchone() is not None


def earlier_decision_note(known: sqlite3.Row) -> str:
    """An earlier decision as a note, when a pair is opened again."""
    note = f": {known['note']}" if known["note"] else ""
    return f"was resolved as {known['resolution']} on {str(known['resolved_at'])[:10]}{note}"


def resolve(
    db: sqlite3.Connection, contradiction_id: int, resolution: str, *, by: str, note: str = "", now: datetime
) -> dict[str, Any]:
    """Decides on a pair; what that changed, as it is kept to be taken back.

    `first` or `second` holds on: the other is superseded by it, with evidence against it. `both` hold: only noted.
    `neither` does: both are retired.
    Raises: NotFoundError; ConflictError where it was decided already; InputError for another word, for anybody but a
    person, and where one cannot replace the other.
    """
    if resolution not in RESOLUTIONS:
        raise InputError(f"No resolution {resolution!r}. There are: {', '.join(RESOLUTIONS)}.")
    if by != PERSON:
        raise InputError(f"{by!r} cannot decide on a contradiction. Only a person may: `memory-db review`.")
    with transaction(db):
        pair = get(db, contradiction_id)
        if pair.state != "open":
            raise ConflictError(f"Contradiction x{pair.id} is resolved already. `memory-db review` lists what waits.")
        with recording(db, (pair.first_id, pair.second_id)) as effects:
            do(db, pair, resolution, note=note, by=by, now=now)
        effects["note_before"] = pair.note
        db.execute(
            "update contradictions set state = 'resolved', resolution = ?, note = coalesce(?, note),"
            " resolved_by = ?, resolved_at = ?, effects = ? where id = ?",
            [resolution, clean(note)[0] or None, clean(by)[0], utc_text(now), as_json(effects), pair.id],
        )
    return effects


def do(db: sqlite3.Connection, pair: Contradiction, resolution: str, *, note: str, by: str, now: datetime) -> None:
    """What a decision does to the two memories. Within a transaction of the caller."""
    why = f"contradicts {{}}: {note}" if note else "contradicts {}"
    if resolution in ("first", "second"):
        (winner, _), (loser, loser_id) = [(pair.first, pair.first_id), (pair.second, pair.second_id)][
            :: 1 if resolution == "first" else -1
        ]
        supersede(db, loser, winner, reason=why.format(winner), by=by, now=now)
        add_evidence(
            db, loser_id, "contradicted", None, None, f"memory {winner}", created_at=utc_text(now), now=now,
            note=note or None,
        )  # fmt: skip
    elif resolution == "neither":
        for uid, other in ((pair.first, pair.second), (pair.second, pair.first)):
            change(db, uid, {"status": "retired"}, why.format(other), by, now)


def reopen(db: sqlite3.Connection, contradiction_id: int, *, by: str, now: datetime) -> list[str]:
    """Takes a decision back exactly, so that the pair waits again; a line for each thing that was undone.

    Raises: NotFoundError; ConflictError where it is open, or where what was changed has changed since.
    """
    with transaction(db):
        pair = get(db, contradiction_id)
        if pair.state != "resolved":
            raise ConflictError(f"Contradiction x{pair.id} is open. There is nothing to take back.")
        undone = take_back(db, pair.effects, reason=f"reopened x{pair.id}", by=by, now=now)
        db.execute(
            "update contradictions set state = 'open', resolution = null, note = ?, resolved_by = null,"
            " resolved_at = null, effects = '{}' where id = ?",
            [pair.effects.get("note_before"), pair.id],
        )
    return undone


def get(db: sqlite3.Connection, contradiction_id: int) -> Contradiction:
    """A pair by its number. Raises: NotFoundError."""
    row = db.execute(SELECT, [contradiction_id]).fetchone()
    if row is None:
        raise NotFoundError(f"No contradiction x{contradiction_id}. `memory-db memory contradictions` lists them.")
    return Contradiction(
        row["id"], row["first"], row["second"], row["memory_id"], row["other_memory_id"], row["state"],
        row["resolution"], row["note"], json.loads(row["effects"]),
    )  # fmt: skip
