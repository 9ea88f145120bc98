"""Evidence: one reason to believe a memory more or less.

In: a memory and what speaks for or against it. Out: rows of `evidence`; the view `beliefs` adds up those that count.
Invariants: the same memory, kind and source is one row that counts, so that a rerun counts nothing twice; a row is
never changed into another reason, and one that no longer counts says since when.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime

from memory_db.errors import InputError, NotFoundError
from memory_db.knowledge.succession import PERSON, memory_row
from memory_db.redact.clean import clean
from memory_db.store.connection import id_list, transaction
from memory_db.store.dates import utc_text

STATED_WEIGHT = {"user": 1.0, "assistant": 0.3, "tool": 0.3, "system": 0.3}
"""Weight of having been said, by who said it.

Source: agentmemory counts a user's statement fully and an agent's inference at about a third.
"""

SAID = ("stated", "repeated")
"""Kinds of evidence that tell how a memory came to be known; all others tell what came of it: they are feedback."""

FEWEST_OUTCOMES = 30
"""Memories with feedback that a tier needs before its factor is worth fitting.

Source: ours; with 30 outcomes a share of .8 is known to about .14 either way at 95 %.
"""

INSERT_EVIDENCE = """
insert or ignore into evidence (memory_id, kind, direction, weight, source, entry_id, recall_id, note, created_at,
    recorded_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

STEP_ASIDE = """
update evidence set source = source || ' (withdrawn, ' || id || ')'
where memory_id = ? and kind = ? and source = ? and withdrawn_at is not null
"""
"""A withdrawn row makes room for one that counts again, and stays: what counted in between can be told."""

SHOWN_IN = """
select 1 from recalls r join hits h on h.recall_id = r.id join memory_versions v on v.id = h.memory_version_id
where r.id = ? and v.memory_id = ? and h.rank is not null
"""


def add_evidence(
    db: sqlite3.Connection,
    memory_id: int,
    kind: str,
    direction: str | None,
    weight: float | None,
    source: str,
    *,
    created_at: str,
    now: datetime,
    entry_id: int | None = None,
    recall_id: int | None = None,
    note: str | None = None,
) -> bool:
    """Adds one reason unless it is there and counts; whether it was new.

    `direction` is for or against, `weight` what it adds to alpha or beta: None takes that of the row in
    `evidence_kinds`. `source` names where it comes from, such as `entry UID` or `user`;
    `created_at` is when it arose, `now` when it is recorded. One that was withdrawn and is given again counts again.
    Raises: InputError for a kind that is not a row of `evidence_kinds`.
    """
    row = db.execute("select direction, weight from evidence_kinds where name = ?", [kind]).fetchone()
    if row is None:
        raise InputError(f"No kind of evidence {kind!r}. There are: {', '.join(evidence_kinds(db))}.")
    direction = row["direction"] if direction is None else direction
    weight = row["weight"] if weight is None else weight
    values = [memory_id, kind, direction, weight, source, entry_id, recall_id, note, created_at, utc_text(now)]
    with transaction(db):
        db.execute(STEP_ASIDE, [memory_id, kind, source])
        return db.execute(INSERT_EVIDENCE, values).rowcount > 0


def evidence_kinds(db: sqlite3.Connection) -> list[str]:
    """The names of the kinds of evidence that the file knows."""
    return [row[0] for row in db.execute("select name from evidence_kinds order by rowid")]


def give_feedback(
    db: sqlite3.Connection, uid: str, kind: str, *, recall: str | None = None, note: str = "", now: datetime
) -> bool:
    """Counts what a person says came of a memory; whether that was new.

    With `recall` (its uid or number) it is about that one showing of the memory; else the same kind counts once a day
    (UTC).
    Raises: NotFoundError; InputError for a kind that is no feedback, and where that recall did not show the memory.
    """
    if kind in SAID:
        others = ", ".join(name for name in evidence_kinds(db) if name not in SAID)
        raise InputError(f"{kind!r} is counted when something is said, not by hand. Feedback is one of: {others}.")
    with transaction(db):
        memory = memory_row(db, uid)
        shown = shown_in(db, recall, memory) if recall else None
        recall_id = shown["id"] if shown else None
        source = f"recall {shown['uid']}" if shown else f"{PERSON} {utc_text(now)[:10]}"
        return add_evidence(
            db, memory["id"], kind, None, None, source, recall_id=recall_id, note=clean(note)[0] or None,
            created_at=utc_text(now), now=now,
        )  # fmt: skip


def take_back_feedback(
    db: sqlite3.Connection, uid: str, kind: str, *, recall: str | None = None, last: bool = False, now: datetime
) -> int:
    """Withdraws what a person said came of a memory, on whatever day (with `last` on the last one alone), or for one
    recall; how many pieces counted.

    Raises: NotFoundError.
    """
    with transaction(db):
        memory = memory_row(db, uid)
        given = f"recall {recall_named(db, recall)['uid']}" if recall else PERSON
        own = "source = ?" if recall else "source like ? || ' ____-__-__'"
        which = f"memory_id = ? and kind = ? and withdrawn_at is null and {own}"
        found = db.execute(f"select id from evidence where {which} order by source desc", [memory["id"], kind, given])
        ids = [row["id"] for row in found][: 1 if last else None]
        sql = f"update evidence set withdrawn_at = ? where id in ({id_list(ids)})"
        cursor = db.execute(sql, [utc_text(now)])
    return cursor.rowcount


def recall_named(db: sqlite3.Connection, name: str) -> sqlite3.Row:
    """The id and the uid of a recall, by either. Raises: NotFoundError."""
    row: sqlite3.Row | None = db.execute(
        "select id, uid from recalls where uid = :name or cast(id as text) = :name", {"name": name}
    ).fetchone()
    if row is None:
        raise NotFoundError(f"No recall {name!r}. Every brief names the uid of its recall.")
    return row


def shown_in(db: sqlite3.Connection, recall: str, memory: sqlite3.Row) -> sqlite3.Row:
    """The id and the uid of a recall that showed a memory. Raises: NotFoundError, InputError."""
    row = recall_named(db, recall)
    if db.execute(SHOWN_IN, [row["id"], memory["id"]]).fetchone() is None:
        raise InputError(f"Recall {recall} did not show {memory['uid']}. Name one that did, or leave out the recall.")
    return row


def fitting_factors(db: sqlite3.Connection, *, fewest: int = FEWEST_OUTCOMES) -> dict[str, float | None]:
    """For each tier the prior factor under which its memories are believed as often as they held; nothing is changed.

    None where fewer than `fewest` memories of the tier have feedback. A factor lies between 0.01 and 5, found by
    halving: the mean confidence grows with it.
    """
    rows = db.execute("select o.*, f.prior_factor from belief_outcomes o join tiers f on f.name = o.tier").fetchall()
    fitting: dict[str, float | None] = {}
    for (tier,) in db.execute("select name from tiers order by rowid").fetchall():
        known = [row for row in rows if row["tier"] == tier]
        if len(known) < fewest:
            fitting[tier] = None
            continue
        held = sum(row["held"] for row in known) / len(known)
        low, high = 0.01, 5.0
        for _ in range(40):
            factor = (low + high) / 2
            low, high = (factor, high) if mean_confidence(known, factor) < held else (low, factor)
        fitting[tier] = round(factor, 3)
    return fitting


def mean_confidence(rows: list[sqlite3.Row], factor: float) -> float:
    """How surely memories would be believed, feedback left aside, had their tier another factor."""
    total = 0.0
    for row in rows:
        alpha = row["prior_alpha"] / row["prior_factor"] * factor + row["weight_said"]
        total += alpha / (alpha + row["prior_beta"])
    return total / len(rows)


def confirm(db: sqlite3.Connection, uid: str, *, note: str = "", now: datetime) -> bool:
    """Counts that a person says that a memory holds, once a day (UTC); whether that was new. Raises: NotFoundError."""
    return give_feedback(db, uid, "confirmed", note=note, now=now)
