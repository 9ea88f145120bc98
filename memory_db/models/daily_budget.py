"""What agents spent today, beside what a person allows a day.

In: the file. Out: an amount, or one line where it nears or passes the setting `daily_cost_cents`. Invariants: standard
library only, so that a hook may tell it; without that setting nothing is read; days are those of UTC, as in the views.
"""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime

from memory_db.store.dates import utc_text
from memory_db.store.money import NANOCENTS_PER_CENT, dollars

SETTING = "daily_cost_cents"

NEAR_PERCENT = 80
"""From this share of the day's budget on it is told. Source: ours; a fifth is left to act on it."""

SPENT = """
select coalesce(sum(cost_nanocents), 0), sum(cost_nanocents is null) from call_costs
where created_at >= ? and created_at < ?
"""


def daily_budget(db: sqlite3.Connection) -> int:
    """Nanocents that agents may cost a day before it is told; 0 for no budget."""
    row = db.execute("select value from settings where name = ?", [SETTING]).fetchone()
    try:
        cents = json.loads(row[0]) if row else 0
    except ValueError:
        cents = 0  # edited by hand: `memory-db settings` says so
    return cents * NANOCENTS_PER_CENT if type(cents) is int and cents > 0 else 0


def spent_on(db: sqlite3.Connection, day: str) -> tuple[int, int]:
    """What agents' calls of a day cost, as far as their transcripts are imported: nanocents, calls without a price."""
    spent, unpriced = db.execute(SPENT, [day, day + "~"]).fetchone()  # ~ is behind every time of the day
    return int(spent), int(unpriced or 0)


def budget_line(db: sqlite3.Connection, *, now: datetime) -> str:
    """One line where today's spending nears or passes what a day may cost; else nothing."""
    budget = daily_budget(db)
    if not budget:
        return ""
    spent, unpriced = spent_on(db, utc_text(now)[:10])
    if spent * 100 < budget * NEAR_PERCENT:
        return ""
    is_over = "more than" if spent > budget else "all of" if spent == budget else f"{spent * 100 // budget} % of"
    more = f", {unpriced:,} calls without a price not counted" if unpriced else ""
    return (
        f"Agents have cost {dollars(spent, 2)} today (UTC, what is imported), {is_over} the {dollars(budget, 2)} that"
        f" {SETTING} allows{more}"
    )
