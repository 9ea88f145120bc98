"""What ends a run before all is read: a budget that the next call would go over, and a model that keeps failing.

In: the calls that were made, and what a person allows. Out: why the next call is not made, in one line. Invariant: both
are derived from `model_calls`, so that they hold across processes, and after a kill.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime

from memory_db.redact.clean import clean
from memory_db.store import settings
from memory_db.store.dates import utc_text
from memory_db.store.money import NANOCENTS_PER_CENT, dollars

SPENT_SINCE = "select coalesce(sum(cost_nanocents), 0) from model_calls where created_at >= ?"
SPENT_IN_RUN = "select coalesce(sum(cost_nanocents), 0) from model_calls where extraction_run_id = ?"


@dataclass(frozen=True, slots=True)
class Health:
    """How a model is doing: how many of its last calls failed in a row, the last error, until when it is left alone."""

    failures_in_row: int
    last_error: str
    open_until: str | None

    def is_open(self, now: datetime) -> bool:
        """Whether the model is left alone now."""
        return self.open_until is not None and utc_text(now) < self.open_until


def health(db: sqlite3.Connection, model_id: str) -> Health:
    """How a model is doing."""
    row = db.execute(
        "select failures_in_row, last_error, open_until from model_health where model = ?", [model_id]
    ).fetchone()
    if row is None:
        return Health(0, "", None)
    return Health(row["failures_in_row"], row["last_error"] or "", row["open_until"])


def open_breaker(db: sqlite3.Connection, model_id: str, now: datetime) -> str:
    """Why a model is not asked now, in one line; empty where it may be."""
    found = health(db, model_id)
    if not found.is_open(now):
        return ""
    return (
        f"{found.failures_in_row} calls of {model_id} in a row failed, so it is left alone until {found.open_until}; "
        f"the last error: {' '.join(clean(found.last_error)[0].split())[:200]}"
    )


def over_budget(
    db: sqlite3.Connection, *, run_id: int | None, budget_nanocents: int | None, most: int, reserved: int, now: datetime
) -> str:
    """Why a call that may cost `most` is not made, in one line with the figures; empty where it may be made.

    Args:
        budget_nanocents: what this run may cost; None for no limit of its own.
        reserved: what the calls under way may cost.
    """
    day = utc_text(now)[:10]
    today = int(db.execute(SPENT_SINCE, [day]).fetchone()[0]) + reserved
    limit = settings.get_integer(db, "model_budget_cents") * NANOCENTS_PER_CENT
    if most and today + most > limit:
        return (
            f"Calls of models may cost {money(limit)} a day: {money(today)} are spent on {day}, and the next may cost"
            f" {money(most)}. Allow more with `memory-db settings model_budget_cents N`"
        )
    if budget_nanocents is None or not most:
        return ""
    spent = int(db.execute(SPENT_IN_RUN, [run_id]).fetchone()[0]) + reserved
    if spent + most > budget_nanocents:
        return (
            f"This run may cost {money(budget_nanocents)}: {money(spent)} are spent, and the next call may cost"
            f" {money(most)}. Allow more with --budget"
        )
    return ""


def money(nanocents: int) -> str:
    """An amount as a person reads it."""
    return dollars(nanocents)
