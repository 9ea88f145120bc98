"""What happened in a period, beside the days before it: changes of memories, recalls, hooks, money.

In: a connection that reads, a `Period`. Out: plain dicts. Invariants: every figure is of the period, and named so;
what a memory is counts when it was said, not when it was imported; what people ask from a page or a shell is no recall
of an agent, and counted apart; what they did since the last day of an agent counts, and pages say so; each query
follows an index on time, so that what a file gathered in years costs nothing here.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from heapq import nlargest
from operator import itemgetter
from pathlib import Path
from typing import Any

from memory_db.pages.cache import cached
from memory_db.pages.draw.column_chart import name_of, names, unit_of
from memory_db.pages.table_marks import Since
from memory_db.store.connection import id_list, tuples
from memory_db.store.dates import utc_text
from memory_db.store.periods import BY_AGENTS, Period
from memory_db.store.periods import period as period_of

CHANGES = ("added", "corrected", "superseded", "retired", "restored", "reworded", "changed")
"""What the view `memory_changes` tells of, in the order in which a page counts it."""

UNNAMED = "changed"
"""What of these says nothing in a list."""

SIGNS = ("cited", "used", "wrong")
"""Kinds of evidence that tell what came of showing a memory."""


SAID = """
select what, memory_id, version, said_at from (
    select c.what, c.memory_id, c.version,
        min(c.changed_at, case c.what when 'added' then v.valid_from when 'superseded'
            then coalesce(v.valid_to, c.changed_at) else c.changed_at end) as said_at
    from memory_changes c join memory_versions v on v.memory_id = c.memory_id and v.version = c.version
    where c.changed_at >= :since{and_of_memory}
) where said_at >= :since and said_at < :until_now
"""
"""What became of memories, with when that was said: what was said in a period was recorded in it or after."""

CHANGE = """
select changed_at, what, uid, kind, project, title, text, changed_by, change_reason
from memory_changes where memory_id = ? and version = ?
"""

MOST_LATEST = 8

RECALLED = f"""
with asked as materialized (
    select id, abstained, shown_tokens, asked_at >= :since as is_now from recalls
    where asked_at >= :before and asked_at < :until and {BY_AGENTS}
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

EARLIER = """
select exists (select 1 from recalls where asked_at < :since and (id > :last or id in ({ids})))
"""
"""Whether a recall that came, or of which something was told, was before the period."""

DAYS = f"""
select substr(asked_at, 1, 10) as day, sum(1 - abstained) as shown, sum(abstained) as silent
from recalls where asked_at >= :since and asked_at < :until and {BY_AGENTS} group by day
"""

BY_PEOPLE = f"""
select count(*) from recalls where asked_at >= :since and asked_at < :until_now and not ({BY_AGENTS})
"""

HOOKED = """
with timed as (
    select started_at >= :since as is_now, duration_ms,
        row_number() over (partition by started_at >= :since order by duration_ms) as place,
        count(*) over (partition by started_at >= :since) as runs
    from hook_runs
    where hook = 'user-prompt' and outcome in ('shown', 'silent') and duration_ms is not null
        and started_at >= :before and started_at < :until
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

RECALLED_FROM = frozenset({"recalls", "hits", "evidence", "hook_runs"})
"""Tables that only gain rows where agents go on as before."""

NO_RECALLS = dict.fromkeys(
    ("recalls", "shown", "silent", "shown_tokens", "shown_memories", "cited", "used", "wrong"), 0
)


def bounds(period: Period) -> dict[str, str]:
    """The period as the parameters of a query; `before` is where the days begin that it is compared with, `until_now`
    where those end in which people count."""
    return {
        "before": utc_text(period.before or period.since), "since": utc_text(period.since),
        "until": utc_text(period.until), "until_now": utc_text(period.until_now or period.until),
    }  # fmt: skip


Change = tuple[str, int, int, str]
"""What became of a memory, its number, the version, and when that was said."""


def said_in(db: sqlite3.Connection, period: Period, *, of: Iterable[int] | None = None) -> list[Change]:
    """What became of memories in the period, of some or of all."""
    some = "" if of is None else f" and c.memory_id in ({id_list(of)})"
    return tuples(db, SAID.format(and_of_memory=some), bounds(period))


def said_on(db: sqlite3.Connection, before: list[Change], since: Since, *, period: Period) -> list[Change] | None:
    """The same, where only some memories have to be looked at."""
    changed = since.memories(db)
    if changed is None:
        return None
    return [each for each in before if each[1] not in changed] + said_in(db, period, of=changed)


def changes(db: sqlite3.Connection, said: list[Change]) -> dict[str, Any]:
    """How many memories were added, corrected and so on (`counts` by what, `total`), and the `latest` of these changes
    but those without a name, by when they were said, newest first."""
    counts = Counter(what for what, *_ in said)
    named = (each for each in said if each[0] != UNNAMED)
    latest = [
        {"said_at": said_at, **dict(db.execute(CHANGE, [memory_id, version]).fetchone())}
        for _, memory_id, version, said_at in nlargest(MOST_LATEST, named, key=itemgetter(3, 1, 2))
    ]
    return {
        "counts": [{"what": what, "changes": counts[what]} for what in CHANGES],
        "total": len(said),
        "latest": latest,
    }


def known_period(path: Path, word: str, now: datetime) -> Period:
    """The days that a word names, as `store.periods.period` has them; found once until something happens.

    Raises: InputError.
    """
    return cached(path, ("period", word, now.date()), lambda db: period_of(db, word, now), by_table=True)


def recalls(db: sqlite3.Connection, period: Period, *, earlier: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Recalls of agents in the period (`these`) and in as many days `before` (None: not compared), with what came of
    them and the hook's speed; `days` for a chart; `asked_by_people` are the others.

    `earlier` is the side of the days before where that is known.
    """
    ends = bounds(period)
    found = {row["is_now"]: dict(row) for row in db.execute(
        RECALLED, ends if earlier is None else ends | {"before": ends["since"]})}  # fmt: skip
    speeds = {row["is_now"]: row for row in db.execute(HOOKED, ends)}
    if earlier is not None:
        found[0] = {name: earlier[name] for name in NO_RECALLS}
    sides = []
    for is_now in (1, 0):
        counted = {**NO_RECALLS, **found.get(is_now, {})}
        counted.pop("is_now", None)
        shown = counted["shown_memories"]
        for sign in SIGNS:
            counted[f"{sign}_share"] = round(counted[sign] / shown, 3) if shown else None
        speed = speeds.get(is_now)
        counted.update(hook_runs=speed["runs"] if speed else 0, hook_p50_ms=speed["p50_ms"] if speed else None,
                       hook_p95_ms=speed["p95_ms"] if speed else None)  # fmt: skip
        sides.append(counted)
    return {
        "these": sides[0], "before": sides[1] if period.before else None, **days(db, period),
        "asked_by_people": db.execute(BY_PEOPLE, ends).fetchone()[0],
    }  # fmt: skip


def recalls_on(
    db: sqlite3.Connection, before: dict[str, Any], since: Since, *, period: Period
) -> dict[str, Any] | None:
    """The same on from before: as it was where nothing came but evidence that tells of no recall, and counted for the
    period alone where nothing came that tells of the days before it."""
    if since.changed() - RECALLED_FROM or since.is_in_place("evidence"):
        return None
    told = [recall for recall, _, _ in since.evidence(db) if recall is not None]
    if since.changed() == {"evidence"} and not told:
        return before
    sql = EARLIER.format(ids=id_list(told))
    values = {"since": bounds(period)["since"], "last": since.last("recalls")}
    if before["before"] is None or db.execute(sql, values).fetchone()[0]:
        return None
    return recalls(db, period, earlier=before["before"])


def days(db: sqlite3.Connection, period: Period) -> dict[str, Any]:
    """Shown and silent recalls of each day of the period (`unit`: of a long one each week or month), the oldest first;
    those without any too."""
    rows = db.execute(DAYS, bounds(period)).fetchall()
    columns, unit = columns_of(period, [row["day"] for row in rows])
    found = {name: {"day": name, "shown": 0, "silent": 0} for name in columns}
    for row in rows:
        column = found[name_of(date.fromisoformat(row["day"]), unit)]
        column["shown"] += row["shown"]
        column["silent"] += row["silent"]
    return {"days": list(found.values()), "unit": unit}


def columns_of(period: Period, known: list[str]) -> tuple[list[str], str]:
    """The columns of a chart of the period, by name, and how long each is; of all time from the first day known on."""
    first = date.fromisoformat(period.first_day or min(known, default=period.last_day))
    last = date.fromisoformat(period.last_day)
    unit = unit_of(first, last)
    return names(first, last, unit), unit


def spending(db: sqlite3.Connection, period: Period) -> dict[str, Any]:
    """What agents cost in the period (`these`), on its last `day` and in as many days `before` (None: not compared);
    `own` is memory's own share of it."""
    ends = bounds(period)

    def sums(sql: str, since: str, until: str) -> dict[str, Any]:
        return dict(db.execute(sql, [since, until]).fetchone())

    return {
        "day": {"day": period.last_day, **sums(SPENT, period.last_day, ends["until"])},
        "these": sums(SPENT, ends["since"], ends["until"]),
        "before": sums(SPENT, ends["before"], ends["since"]) if period.before else None,
        "own": {**sums(OWN, ends["since"], ends["until"]), "brief_tokens": brief_tokens(db, period)},
    }


def brief_tokens(db: sqlite3.Connection, period: Period) -> int:
    """Tokens of what recalls of the period showed."""
    ends = bounds(period)
    return int(db.execute(BRIEFED, [ends["since"], ends["until"]]).fetchone()[0])


def spending_on(
    db: sqlite3.Connection, before: dict[str, Any], since: Since, *, period: Period
) -> dict[str, Any] | None:
    """The same as before but for what recalls showed, where only recalls came."""
    if since.changed() != {"recalls"}:
        return None
    return {**before, "own": {**before["own"], "brief_tokens": brief_tokens(db, period)}}
