"""The tables of docs/scale.md, from the kept figures of the fleet's bench.

In: bench/results/fleet.json. Out: Markdown, the same at every call.
"""

from __future__ import annotations

import json
from pathlib import Path

from generate import table

from memory_db.evaluation.scale import Row, Wanted, extrapolated, shown

KEPT = Path(__file__).parents[2] / "bench" / "results" / "fleet.json"


def scale() -> str:
    """What 500 people and 100 million entries take: assumptions, then what follows."""
    if not KEPT.is_file():
        return "No figures of the fleet are kept: `python -m bench fleet` measures them.\n"
    size = Wanted()
    assumed, follows = map(rows_as_table, extrapolated(json.loads(KEPT.read_text("utf-8"))["figures"], size))
    title = f"{size.persons:,} people, {size.entries:,} entries, {size.cores} cores"
    return f"\n## What is assumed\n{assumed}## What follows: {title}\n{follows}"


def rows_as_table(rows: list[Row]) -> str:
    """Rows as a Markdown table."""
    return table(
        ("", "Value", "Unit", "From", "How"),
        [(row.what, shown(row.value), row.unit, row.source, row.how) for row in rows],
    )
