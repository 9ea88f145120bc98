"""What models cost, added up: by project, day, model and source.

In: the view `cost_by_source`, a project's name, and days from and to which it counts. Out: rows of sums. Invariants:
whole nanocents; what is part of another source (briefs) is told apart by `part_of` and never added to it; without a
known price there is no sum, never 0.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from memory_db.store.narrowed import narrowed

COST_BY = ("project", "day", "model", "source")
"""What costs can be added up by: columns of `cost_by_source`."""

TOKEN_COLUMNS = (
    "input_tokens",
    "output_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "cache_read_tokens",
)

ADDED = ("calls", *TOKEN_COLUMNS, "cost_nanocents", "cost_with_rereads_nanocents", "calls_without_price")
"""The columns of sums."""

SUMS = f"""
select {{columns}}, {", ".join(f"sum({column}) as {column}" for column in ADDED)}
from cost_by_source
where (:is_whole is null or (part_of = '') = :is_whole)
    and (:project is null or project = :project) and (:since is null or day >= :since)
    and (:until is null or day <= :until)
group by {{columns}} order by {{columns}}
"""


SINCE = {
    "recalls": "asked_at >= :since", "call_costs": "created_at >= :since", "model_call_costs": "created_at >= :since",
}  # fmt: skip
"""What the costs of a span rest on: each row costs what it costs, whatever came before."""


def sums(
    db: sqlite3.Connection,
    columns: Sequence[str],
    *,
    project: str | None = None,
    since: str | None = None,
    until: str | None = None,
    is_whole: bool | None = None,
    after: int | None = None,
) -> list[dict[str, Any]]:
    """Sums by these columns, of COST_BY and `part_of`; each row has them and those of ADDED.

    `project` is a name; `since` and `until` are days, both counted. `is_whole` chooses what adds up (True) or what is
    a share of something else (False). Of recalls those `after` one are counted, or all.
    """
    chosen = {"project": project, "since": since, "until": until, "is_whole": is_whole, "after": after}
    conditions = dict(SINCE) if since else {}
    if after is not None:
        conditions["recalls"] = " and ".join((*filter(None, [conditions.get("recalls")]), "id > :after"))
    begin = narrowed(db, ("brief_costs", "cost_by_source"), conditions) if conditions else ""
    return [dict(row) for row in db.execute(begin + SUMS.format(columns=", ".join(columns)), chosen)]


def added(rows: Iterable[dict[str, Any]], columns: Sequence[str]) -> list[dict[str, Any]]:
    """Rows of `sums` added up further, by fewer columns: the same as `sums` gives for those."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        key = tuple(row[column] for column in columns)
        so_far = found.setdefault(key, dict.fromkeys(ADDED) | dict(zip(columns, key, strict=True)))
        for name in ADDED:
            if row[name] is not None:
                so_far[name] = (so_far[name] or 0) + row[name]
    ordered = sorted(found, key=lambda key: [(value is not None, value) for value in key])
    return [{column: found[key][column] for column in (*columns, *ADDED)} for key in ordered]
