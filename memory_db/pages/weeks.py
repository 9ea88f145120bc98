"""What happened in the last week, beside the week before: changes of memories, recalls, hooks, money.

In: a connection that reads, a moment. Out: plain dicts. Invariants: a week is the seven days to now, or, where nothing
happened in them, the seven days to the last time something did, which `is_current` says; each query follows an index
on time, so that what a file gathered in years costs nothing here.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from memory_db.store.dates import parse_utc, utc_text

WEEK = timedelta(days=7)

CHART_DAYS = 14
"""Days of a chart: this week and the one before."""

CHANGES = ("added", "corrected", "superseded", "retired", "restored", "reworded", "changed")
"""What the view `memory_changes` tells of, in the order in which a page counts it."""

SIGNS = ("cited", "used", "wrong")
"""Kinds of evidence that tell what came of showing a memory."""


@dataclass(slots=True, frozen=True)
class Week:
    """Seven days and the seven before: `before` <= the one < `since` <= the other <= `until`. Moments as stored."""

    before: str
    since: str
    until: str
    is_current: bool

    def as_dict(self) -> dict[str, Any]:
        """The week as pages and JSON have it."""
        return {"since": self.since, "until": self.until, "is_current": self.is_current}


LAST = {
    "changes": "select max(recorded_from) from memory_versions where recorded_from <= ?",
    "recalls": "select max(asked_at) from recalls where asked_at <= ?",
    "hooks": "select max(started_at) from hook_runs where started_at <= ?",
    "calls": "select max(created_at) from api_calls where created_at <= ?",
}
"""When something happened last, by what happens; each is the end of an index."""

CHANGED = """
select what, count(*) as changes from memory_changes where changed_at >= :since and changed_at <= :until group by what
"""

RECALLED = """
with asked as materialized (
    select id, abstained, shown_tokens, asked_at >= :since as is_now from recalls
    where asked_at >= :before and asked_at <= :until
), told as materialized (
    select e.recall_id, e.memory_id, max(e.kind = 'cited') as cited, max(e.kind = 'used') as used,
        max(e.kind = 'wrong') as wrong
    from asked a join evidence e on e.recall_id = a.id where e.withdrawn_at is null group by e.recall_id, e.memory_id
), signs as materialized (
    select recall_id, sum(cited) as cited, sum(used) as used, sum(wrong) as wrong from told group by recall_id
), found as materialized (
    select h.recall_id, count(h.memory_version_id) as memories
    from asked a join hits h on h.recall_id = a.id and h.rank is not null group by h.recall_id
)
select a.is_now, count(*) as recalls, sum(1 - a.abstained) as shown, sum(a.abstained) as silent,
    sum(a.shown_tokens) as shown_tokens, coalesce(sum(f.memories), 0) as shown_memories,
    coalesce(sum(s.cited), 0) as cited, coalesce(sum(s.used), 0) as used, coalesce(sum(s.wrong), 0) as wrong
from asked a left join found f on f.recall_id = a.id left join signs s on s.recall_id = a.id
group by a.is_now
"""

DAYS = """
select substr(asked_at, 1, 10) as day, sum(1 - abstained) as shown, sum(abstained) as silent
from recalls where asked_at >= :before and asked_at <= :until group by day
"""

HOOKED = """
with timed as (
    select started_at >= :since as is_now, duration_ms,
        row_number() over (partition by started_at >= :since order by duration_ms) as place,
        count(*) over (partition by started_at >= :since) as runs
    from hook_runs
    where hook = 'user-prompt' and outcome in ('shown', 'silent') and duration_ms is not null
        and started_at >= :before and started_at <= :until
)
select is_now, max(runs) as runs, round(min(case when place >= 0.5 * runs then duration_ms end), 1) as p50_ms,
    round(min(case when place >= 0.95 * runs then duration_ms end), 1) as p95_ms
from timed group by is_now
"""

SPENT = """
select coalesce(sum(cost_nanocents), 0) as cost_nanocents, count(*) as calls, coalesce(sum(cost_nanocents is null), 0)
    as calls_without_price, coalesce(sum(input_tokens + output_tokens + cache_write_5m_tokens + cache_write_1h_tokens
    + cache_read_tokens), 0) as tokens
from call_costs where created_at >= ? and created_at < ?
"""

OWN = """
select coalesce(sum(cost_nanocents), 0) as cost_nanocents, count(*) as calls, coalesce(sum(cost_nanocents is null), 0)
    as calls_without_price, coalesce(sum(input_tokens + output_tokens), 0) as tokens
from model_call_costs where created_at >= ? and created_at < ?
"""

BRIEFED = "select coalesce(sum(shown_tokens), 0) from recalls where asked_at >= ? and asked_at < ?"

NO_RECALLS = dict.fromkeys(
    ("recalls", "shown", "silent", "shown_tokens", "shown_memories", "cited", "used", "wrong"), 0
)


def week_of(db: sqlite3.Connection, what: str, now: datetime) -> Week:
    """The week of something in `LAST`: to now, or to when it last happened; current where it never did."""
    end, is_current = now, True
    last = db.execute(LAST[what], [utc_text(now)]).fetchone()[0]
    if last and last < utc_text(now - WEEK):
        end, is_current = parse_utc(last), False
    return Week(utc_text(end - 2 * WEEK), utc_text(end - WEEK), utc_text(end), is_current)


def bounds(week: Week) -> dict[str, str]:
    """The week as the parameters of a query."""
    return {"before": week.before, "since": week.since, "until": week.until}


def changes(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
    """How many memories were added, corrected and so on in the week; `week`, `counts` by what, `total`."""
    week = week_of(db, "changes", now)
    found = {row["what"]: row["changes"] for row in db.execute(CHANGED, bounds(week))}
    counts = [{"what": what, "changes": found.get(what, 0)} for what in CHANGES]
    return {"week": week.as_dict(), "counts": counts, "total": sum(found.values())}


def recalls(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
    """Recalls of the `week` and those `before`, with what came of them and the hook's speed; `days` for a chart."""
    week = week_of(db, "recalls", now)
    found = {row["is_now"]: dict(row) for row in db.execute(RECALLED, bounds(week))}
    speeds = {row["is_now"]: row for row in db.execute(HOOKED, bounds(week))}
    weeks = []
    for is_now in (1, 0):
        counted = {**NO_RECALLS, **found.get(is_now, {})}
        counted.pop("is_now", None)
        shown = counted["shown_memories"]
        for sign in SIGNS:
            counted[f"{sign}_share"] = round(counted[sign] / shown, 3) if shown else None
        speed = speeds.get(is_now)
        counted.update(hook_runs=speed["runs"] if speed else 0, hook_p50_ms=speed["p50_ms"] if speed else None,
                       hook_p95_ms=speed["p95_ms"] if speed else None)  # fmt: skip
        weeks.append(counted)
    return {"week": week.as_dict(), "this_week": weeks[0], "week_before": weeks[1], "days": days(db, week)}


def days(db: sqlite3.Connection, week: Week) -> list[dict[str, Any]]:
    """Shown and silent recalls of each of `CHART_DAYS` days, the oldest first; days without any too."""
    found = {row["day"]: row for row in db.execute(DAYS, bounds(week))}
    counted = [(name, found.get(name)) for name in chart_days(week)]
    return [{"day": name, "shown": row["shown"] if row else 0, "silent": row["silent"] if row else 0}
            for name, row in counted]  # fmt: skip


def chart_days(week: Week) -> list[str]:
    """The days that a chart of this week and the one before has."""
    last = parse_utc(week.until)
    return [utc_text(last - timedelta(days=ago))[:10] for ago in range(CHART_DAYS - 1, -1, -1)]


def spending(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
    """What agents cost on the `week`'s last day and in it, what the week before; `own` is memory's own share of it."""
    week = week_of(db, "calls", now)
    day, after = week.until[:10], week.until + "~"  # ~ is behind every character of a moment

    def sums(sql: str, since: str, until: str) -> dict[str, Any]:
        return dict(db.execute(sql, [since, until]).fetchone())

    return {
        "week": week.as_dict(),
        "day": {"day": day, **sums(SPENT, day, after)},
        "this_week": sums(SPENT, week.since, after),
        "week_before": sums(SPENT, week.before, week.since),
        "own": {**sums(OWN, week.since, after), "brief_tokens": db.execute(BRIEFED, [week.since, after]).fetchone()[0]},
    }
