"""Decisions of the gate taken back, one or many, each exactly or not at all.

In: decisions, by number, extraction run, prompt version or rule. Out: rows of `decisions` that revert them, and lines
that say what was undone. Invariants: a decision is reverted once, and a revert is not reverted; the newest go first, so
that what was built on an older one is gone before it; what changed since is told and left as it is.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_db.errors import ConflictError, InputError, NotFoundError
from memory_db.gate.apply import write
from memory_db.gate.doubts import RESTORE
from memory_db.knowledge.effects import take_back
from memory_db.knowledge.succession import PERSON
from memory_db.store.connection import transaction

REVERTIBLE = ("add", "merge", "supersede", "duplicate", "contradicts", "propose")
"""Actions that changed something, or that left a candidate waiting."""

STANDING = f"""
select d.id from decisions d
join candidates c on c.id = d.candidate_id
join extraction_runs r on r.id = c.extraction_run_id
where d.action in ({", ".join(f"'{action}'" for action in REVERTIBLE)})
    and d.id = (select max(id) from decisions where candidate_id = d.candidate_id)
    and coalesce(json_extract(d.effects, '$.would'), '') <> '{RESTORE}' and {{which}}
order by d.id desc
"""
"""The decisions that stand, one a candidate at most, the newest first; but for what a model's doubt retired, which is
out of use already."""


@dataclass(slots=True, frozen=True)
class Reverted:
    """What came of taking one decision back: lines of what was undone, or why it was left."""

    decision_id: int
    told: Sequence[str]
    left: str = ""


def revert(db: sqlite3.Connection, decision_id: int, *, now: datetime, by: str = PERSON) -> list[str]:
    """Takes one decision back, all of it or nothing; a line for each thing that was undone.

    Raises: NotFoundError; InputError for a revert, and for what changed nothing; ConflictError where it was reverted,
    where its candidate was decided again, or where what it changed has changed since.
    """
    with transaction(db):
        row = db.execute("select * from decisions where id = ?", [decision_id]).fetchone()
        if row is None:
            raise NotFoundError(f"There is no decision {decision_id}. The view decision_log lists them.")
        check(db, row)
        undone = take_back(db, json.loads(row["effects"]), reason=f"reverted decision {decision_id}", by=by, now=now)
        reason = f"reverts decision {decision_id} ({row['action']})"
        write(
            db, row["candidate_id"], "revert", row["memory_id"], reason, {}, by=by, now=now, reverts_id=decision_id
        )  # fmt: skip
    return undone or ["it waits no more"]


def check(db: sqlite3.Connection, row: sqlite3.Row) -> None:
    """Refuses what cannot be reverted. Raises: InputError, ConflictError."""
    number, candidate = row["id"], row["candidate_id"]
    if row["action"] == "revert":
        raise InputError(f"Decision {number} is a revert. `memory-db review accept c{candidate}` does it again.")
    if row["action"] not in REVERTIBLE:
        raise InputError(f"Decision {number} ({row['action']}) changed nothing. There is nothing to revert.")
    if db.execute("select 1 from decisions where reverts_id = ?", [number]).fetchone():
        raise ConflictError(f"Decision {number} is reverted already. There is nothing left to revert.")
    later = db.execute(
        "select id from decisions where candidate_id = ? and id > ? order by id desc limit 1", [candidate, number]
    ).fetchone()
    if later:
        raise ConflictError(f"Decision {number} is followed by decision {later['id']} on c{candidate}. Revert that.")


def standing(
    db: sqlite3.Connection, *, run: int | None = None, prompt: str | None = None, rule: str | None = None
) -> list[int]:
    """Numbers of the decisions that stand of an extraction run, a prompt (`NAME@VERSION`) or a rule, the newest first.

    Raises: NotFoundError where there is no such run, prompt or rule; InputError where not exactly one is named.
    """
    ways: dict[str, tuple[object, str, str]] = {
        "extraction run": (run, "c.extraction_run_id = ?", "select 1 from extraction_runs where id = ?"),
        "prompt": (
            prompt, "r.method || '@' || r.version = ?",
            "select 1 from extraction_runs where method || '@' || version = ?",
        ),
        "rule": (rule, "c.rule = ?", "select 1 from candidates where rule = ? limit 1"),
    }  # fmt: skip
    named = [(what, *way) for what, way in ways.items() if way[0] is not None]
    if len(named) != 1:
        raise InputError("Name one thing to revert: a decision, --run N, --prompt NAME@VERSION or --rule NAME.")
    what, value, which, exists = named[0]
    if db.execute(exists, [value]).fetchone() is None:
        raise NotFoundError(
            f"There is no {what} {value!r}. The view decision_log has the prompt, rule and run of each decision."
        )
    return [row[0] for row in db.execute(STANDING.format(which=which), [value])]


def revert_all(
    db: sqlite3.Connection, decision_ids: Sequence[int], *, now: datetime, by: str = PERSON
) -> list[Reverted]:
    """Takes many decisions back, one transaction each: what changed since is left, and the rest goes on."""
    found = []
    for number in decision_ids:
        try:
            found.append(Reverted(number, revert(db, number, now=now, by=by)))
        except InputError as reason:  # a ConflictError is one
            found.append(Reverted(number, (), str(reason)))
    return found
