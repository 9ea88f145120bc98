"""What agents used, as people ask: by session, by five-hour block, by agent and model, and what the cache was worth.

In: the view `call_costs`, a project's name, days from and to which it counts. Out: rows of sums. Invariants: every sum
is of the same calls as `cost_by_source` has of sessions and subagents; money is whole nanocents; without a known price
there is no sum, never 0.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime, timedelta
from typing import Any

from memory_db.store.dates import parse_utc, utc_text

BLOCK = timedelta(hours=5)
"""How long a block of usage lasts. Source: Anthropic's usage limits, which are told for windows of five hours."""

CHOSEN = """
(:since is null or c.created_at >= :since) and (:until is null or c.created_at < :until || '~')
    and (:project is null or p.name = :project)
"""
"""The calls that are looked at; `~` stands behind every moment of the last day."""

SUMS = """
count(*) as calls, sum(c.input_tokens) as input_tokens, sum(c.output_tokens) as output_tokens,
    sum(c.cache_write_5m_tokens) as cache_write_5m_tokens, sum(c.cache_write_1h_tokens) as cache_write_1h_tokens,
    sum(c.cache_read_tokens) as cache_read_tokens, sum(c.cost_nanocents) as cost_nanocents,
    sum(c.cost_nanocents is null) as calls_without_price
"""

SESSIONS = f"""
with spent as materialized (
    select coalesce(s.parent_session_id, s.id) as root_id, min(c.created_at) as began_at, max(c.created_at) as last_at,
        sum(iif(s.parent_session_id is null and s.agent is null, 0, c.cost_nanocents)) as subagent_nanocents,
        count(distinct s.id) as sessions, {SUMS}
    from call_costs c join sessions s on s.id = c.session_id left join projects p on p.id = c.project_id
    where {CHOSEN} group by root_id
)
select r.uid, r.title, p.name as project, x.*, count(*) over () as of
from spent x join sessions r on r.id = x.root_id left join projects p on p.id = r.project_id
order by x.cost_nanocents desc nulls last, x.calls desc, r.uid limit :most
"""

AGENTS = f"""
select s.format as client, s.parent_session_id is not null or s.agent is not null as is_subagent, c.model,
    {SUMS}
from call_costs c join sessions s on s.id = c.session_id left join projects p on p.id = c.project_id
where {CHOSEN} group by client, is_subagent, c.model
order by cost_nanocents desc nulls last, calls desc, client, is_subagent, c.model
"""

CACHE = f"""
select c.model, sum(c.input_tokens) as input_tokens, sum(c.cache_write_5m_tokens + c.cache_write_1h_tokens)
        as cache_write_tokens, sum(c.cache_read_tokens) as cache_read_tokens,
    sum(c.cache_write_5m_tokens * q.cache_write_5m_nanocents + c.cache_write_1h_tokens * q.cache_write_1h_nanocents
        + c.cache_read_tokens * q.cache_read_nanocents) as paid_nanocents,
    sum((c.cache_write_5m_tokens + c.cache_write_1h_tokens + c.cache_read_tokens) * q.input_nanocents)
        as without_nanocents
from api_calls c join sessions s on s.id = c.session_id left join projects p on p.id = s.project_id
left join price_periods q on q.model = c.model and q.holds_from <= c.created_at and c.created_at < q.holds_until
where {CHOSEN} group by c.model order by without_nanocents desc nulls last, c.model
"""

HOURS = f"""
select substr(c.created_at, 1, 13) as hour, substr(c.created_at, 15) = '00:00.000Z' as is_sharp,
    min(c.created_at) as first_at, max(c.created_at) as last_at, {SUMS}
from call_costs c left join projects p on p.id = c.project_id
where {CHOSEN} group by hour, is_sharp order by first_at
"""
"""Calls by hour: blocks begin on the hour, so no block divides one; a call on the hour sharp may end the one before."""

ADDED = (
    "calls", "input_tokens", "output_tokens", "cache_write_5m_tokens", "cache_write_1h_tokens", "cache_read_tokens",
    "cost_nanocents", "calls_without_price",
)  # fmt: skip


def bounds(project: str | None, since: str | None, until: str | None) -> dict[str, Any]:
    """What is chosen as the parameters of a query."""
    return {"project": project, "since": since, "until": until}


def by_session(
    db: sqlite3.Connection, *, project: str | None = None, since: str | None = None, until: str | None = None,
    most: int = 20,
) -> list[dict[str, Any]]:  # fmt: skip
    """Sessions with their subagents, the dearest first; `of` is how many there are, `subagent_nanocents` a share.

    `project` is a name; `since` and `until` are days, both counted.
    """
    return [dict(row) for row in db.execute(SESSIONS, {**bounds(project, since, until), "most": most})]


def by_agent(
    db: sqlite3.Connection, *, project: str | None = None, since: str | None = None, until: str | None = None
) -> list[dict[str, Any]]:
    """Sums by `client` (the agent's program), whether it `is_subagent`, and model, the dearest first."""
    return [dict(row) for row in db.execute(AGENTS, bounds(project, since, until))]


def cache_worth(
    db: sqlite3.Connection, *, project: str | None = None, since: str | None = None, until: str | None = None
) -> list[dict[str, Any]]:
    """By model: what was read from the cache and written to it, what that cost, and what the same had cost as input.

    `read_share` is the share of all that was read which came from the cache, `reads_per_write` how often what was
    written was read again, `saved_nanocents` what the cache was worth (less than nothing where it was not read enough).
    """
    found = []
    for row in db.execute(CACHE, bounds(project, since, until)):
        read = row["input_tokens"] + row["cache_write_tokens"] + row["cache_read_tokens"]
        written, paid = row["cache_write_tokens"], row["paid_nanocents"]
        found.append({
            **dict(row),
            "read_share": row["cache_read_tokens"] / read if read else None,
            "reads_per_write": row["cache_read_tokens"] / written if written else None,
            "saved_nanocents": None if paid is None else row["without_nanocents"] - paid,
        })  # fmt: skip
    return found


def by_block(
    db: sqlite3.Connection, *, project: str | None = None, since: str | None = None, until: str | None = None,
    now: datetime,
) -> list[dict[str, Any]]:  # fmt: skip
    """Five-hour blocks with any usage, the newest first: `began_at`, `ends_at`, `last_at`, whether it `is_open` now.

    A block begins on the hour (UTC) of its first call; the next one begins with the first call more than five hours
    after that, or after the last call. Source: the definition of ccusage.
    """
    blocks: list[dict[str, Any]] = []
    for row in db.execute(HOURS, bounds(project, since, until)):
        first_at = parse_utc(row["first_at"])
        block = blocks[-1] if blocks else None
        if block is None or first_at - block["start"] > BLOCK or first_at - block["last"] > BLOCK:
            start = first_at.replace(minute=0, second=0, microsecond=0)
            block = {"start": start, **dict.fromkeys(ADDED, 0), "cost_nanocents": None}
            blocks.append(block)
        block["last"] = parse_utc(row["last_at"])
        for name in ADDED:
            if row[name] is not None:
                block[name] = (block[name] or 0) + row[name]
    return [
        {
            "began_at": utc_text(each["start"]), "ends_at": utc_text(each["start"] + BLOCK),
            "last_at": utc_text(each["last"]),
            "is_open": now < each["start"] + BLOCK and now - each["last"] < BLOCK,
            **{name: each[name] for name in ADDED},
        }
        for each in reversed(blocks)
    ]  # fmt: skip
