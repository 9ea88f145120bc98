"""Which agent, which model: what sessions cost and how they went, by who did most of the work in them.

In: a connection that reads. Out: for each agent and model its measures, each with a 95 % interval. Invariants: a
session is one unit with its subagents, and counts for the model that cost most of it; the same rows give the same
numbers. It is no experiment: who was given the harder work is not known.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from memory_db.evaluation.replay import interval

WORK = """
with spent as materialized (
    select coalesce(s.parent_session_id, s.id) as root_id, c.model, sum(c.cost_nanocents) as cost_nanocents,
        sum(c.cost_nanocents is null) as without_price, count(*) as calls
    from call_costs c join sessions s on s.id = c.session_id group by root_id, c.model
), ranked as (
    select *, row_number() over (
            partition by root_id order by coalesce(cost_nanocents, 0) desc, calls desc, model) as place,
        sum(cost_nanocents) over (partition by root_id) as session_nanocents,
        sum(without_price) over (partition by root_id) as session_without_price
    from spent
)
select s.uid as session_uid, s.format as agent, r.model,
    iif(r.session_without_price, null, r.session_nanocents) as cost_nanocents,
    v.prompts, v.actions, v.errors, o.outcome, o.score,
    (select count(distinct c.entry_id) from candidates c join entries n on n.id = c.entry_id and n.role = 'user'
        where c.session_id = s.id and c.kind = 'correction') as corrections
from ranked r
join sessions s on s.id = r.root_id
join session_summaries v on v.session_id = s.id
left join session_outcomes o on o.session_id = s.id
where r.place = 1
order by s.id
"""

MEASURES: Mapping[str, str] = {
    "cost": "cost of a session, its subagents counted, in nanocents",
    "good": "share of the sessions with a known outcome that ended well",
    "corrections": "corrections for each prompt",
    "failed": "share of the tool calls that failed",
}
"""What is compared, by name, with what it is: sums over sums of sessions."""

LOWER_IS_BETTER = ("cost", "corrections", "failed")


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure of one agent and model: `value` with its interval, over `sessions` that have something of it.

    `low` and `high` are None for fewer sessions than an interval takes.
    """

    agent: str
    model: str
    measure: str
    sessions: int
    value: float
    low: float | None
    high: float | None


def measured(db: sqlite3.Connection) -> list[Measured]:
    """Every measure of each agent and model, those with most sessions first.

    Source: percentiles of 2,000 resamplings of sessions (`replay.interval`), ratios as sums over sums.
    """
    groups: dict[tuple[str, str], list[sqlite3.Row]] = {}
    for row in db.execute(WORK):
        groups.setdefault((row["agent"], row["model"]), []).append(row)
    found = []
    for (agent, model), rows in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
        for name in MEASURES:
            pairs = [pair for row in rows if (pair := counted(name, row)) is not None]
            if total := sum(of for _, of in pairs):
                value = sum(count for count, _ in pairs) / total
                found.append(Measured(agent, model, name, len(pairs), value, *interval(pairs)))
    return found


def counted(name: str, row: sqlite3.Row) -> tuple[float, int] | None:
    """What a session adds to a measure: a count, and of how many; None where it has nothing of it."""
    if name == "cost":
        return None if row["cost_nanocents"] is None else (float(row["cost_nanocents"]), 1)
    if name == "good":
        return None if row["outcome"] in (None, "unknown") else (float(row["outcome"] == "good"), 1)
    count, of = (row["corrections"], row["prompts"]) if name == "corrections" else (row["errors"], row["actions"])
    return (float(count), int(of)) if of else None


def differ(one: Measured, other: Measured) -> bool:
    """Whether their intervals do not touch; never where one has none. Two that touch may differ all the same."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return False
    return one.high < other.low or other.high < one.low
