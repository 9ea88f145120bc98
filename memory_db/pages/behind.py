"""The SQL behind a page: the page is made once more, and every query that runs is told with its values.

In: what makes a page. Out: its queries as plain data, in their order, each once. Invariants: nothing is logged or
written; what is told is what ran, so it gives the rows that the page was made of as long as nobody writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from memory_db.pages.cache import telling

QUERY = re.compile(r"\s*(?:with|select)\b", re.I)

FROM = re.compile(r"\b(?:from|join)\s+([a-z_]+)", re.I)

MOST_QUERIES = 150
"""Queries that are listed; a page that follows many links runs more."""

MOST_CHARACTERS = 6_000
"""Of a query that an address can carry; a longer one is shown, without a link."""


def behind(make: Callable[[], object]) -> dict[str, Any]:
    """The queries of a page. Of each in `ran` its `sql`, the first tables and views that it reads `from`, whether it
    `fits` into an address, and how many `times` it ran; `more` counts those that are not listed.

    Raises: what `make` raises.
    """
    ran: list[str] = []
    with telling(ran.append):
        make()
    times: dict[str, int] = {}
    for sql in ran:
        if QUERY.match(sql):
            times[sql.strip()] = times.get(sql.strip(), 0) + 1
    listed = list(times)[:MOST_QUERIES]
    return {
        "ran": [
            {
                "sql": sql, "from": list(dict.fromkeys(FROM.findall(sql)))[:4], "fits": len(sql) <= MOST_CHARACTERS,
                "times": times[sql],
            }
            for sql in listed
        ],
        "more": len(times) - len(listed),
    }  # fmt: skip
