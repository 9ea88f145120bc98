"""Costs by day, week or month as stacked columns.

In: sums by day and source. Out: columns of segments with their heights as shares of the highest one, and the table
that says the same. Invariant: the segments of a column add up to what its row in the table says.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any

SERIES = {"sessions": "words-0", "subagents": "meaning-0", "memory itself": "trust-0"}
"""What a column is made of, from below, each with its colour."""

OWN = {"session": "sessions", "subagent": "subagents"}
"""Sources by their series; every other source is a call that memory made."""

MOST_DAYS = 92
"""Days that have a column each; more are put together by week. Source: a quarter."""

MOST_WEEKS = 105
"""Weeks that have a column each; more are put together by month. Source: two years."""


FAR_ABOVE = 3
"""How many times the next highest column one must be to be cut off, so that the others can be read. Source: ours."""

CUT_AT = 1.25
"""Where it is cut off, in heights of the next highest one."""


def chart(
    by_day: Iterable[dict[str, Any]], since: str | None, until: str | None, marked: Iterable[str] = ()
) -> dict[str, Any]:
    """The columns of a span; days without any call have an empty one.

    `marked` are days that stand out: their columns have `is_marked`. One far above all others is cut off (`is_cut`):
    then `most_nanocents` is where.
    """
    rows = list(by_day)
    days = [row["day"] for row in rows]
    if not days:
        return {"unit": "day", "columns": [], "most_nanocents": 0, "series": series_of([])}
    days_marked = set(marked)
    first, last = date.fromisoformat(min([since or days[0], *days])), date.fromisoformat(max([until or days[0], *days]))
    unit = unit_of(first, last)
    found: dict[str, dict[str, Any]] = {name: empty(name) for name in names(first, last, unit)}
    for row in rows:
        column = found[name_of(date.fromisoformat(row["day"]), unit)]
        series = OWN.get(row["source"], "memory itself")
        column["costs"][series] += row["cost_nanocents"] or 0
        column["calls"] += row["calls"]
        column["calls_without_price"] += row["calls_without_price"]
    for column in found.values():
        column["cost_nanocents"] = sum(column["costs"].values())
    most = highest_shown([column["cost_nanocents"] for column in found.values()])
    names_marked = {name_of(date.fromisoformat(day), unit) for day in days_marked}
    for name, column in found.items():
        column["is_marked"], column["is_cut"] = name in names_marked, column["cost_nanocents"] > most
        column["segments"] = segments(column["costs"], max(most, column["cost_nanocents"]))
    return {"unit": unit, "columns": list(found.values()), "most_nanocents": most, "series": series_of(found.values())}


def highest_shown(costs: Iterable[int]) -> int:
    """How much the highest column stands for: the most of all, unless that is far above the next."""
    most, next_most = [*sorted(costs, reverse=True), 0][:2]
    return round(CUT_AT * next_most) if next_most and most > FAR_ABOVE * next_most else most


def unit_of(first: date, last: date) -> str:
    """How long a column is: a day, a week or a month."""
    days = (last - first).days + 1
    return "day" if days <= MOST_DAYS else "week" if days <= MOST_WEEKS * 7 else "month"


def name_of(day: date, unit: str) -> str:
    """The column of a day: its own name, that of the Monday before it, or its month."""
    if unit == "month":
        return day.isoformat()[:7]
    return (day - timedelta(days=day.weekday() if unit == "week" else 0)).isoformat()


def names(first: date, last: date, unit: str) -> list[str]:
    """The columns from the first to the last day, none left out."""
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    return list(dict.fromkeys(name_of(day, unit) for day in days))


def empty(name: str) -> dict[str, Any]:
    """A column of which nothing is known yet."""
    return {"name": name, "costs": dict.fromkeys(SERIES, 0), "calls": 0, "calls_without_price": 0}


def segments(parts: dict[str, int], most: int) -> list[dict[str, Any]]:
    """The parts of a column from below, as shares of the highest one; those of nothing are left out."""
    found, below = [], 0.0
    for series, nanocents in parts.items():
        height = nanocents / most if most else 0.0
        if nanocents > 0:
            found.append({"series": series, "colour": SERIES[series], "y": below, "height": height})
        below += height
    return found


def series_of(found: Iterable[dict[str, Any]]) -> list[dict[str, str]]:
    """The series that any column has, with their colours."""
    used = {name for column in found for name, nanocents in column["costs"].items() if nanocents > 0}
    return [{"name": name, "colour": colour} for name, colour in SERIES.items() if name in used]
