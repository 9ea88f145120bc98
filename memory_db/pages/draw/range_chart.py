"""Amounts of money as points and ranges on one scale.

In: rows with a lower and an upper amount. Out: where each stands on a scale from 0 to 1000, and round ticks. Invariant:
nought is on the scale, and every row has the same one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

WIDE = 1000
"""Units of the scale."""

TICKS = 5
"""About how many ticks it has."""


def chart(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The rows with `x` and `width`, and the ticks (`x`, `nanocents`); rows have `low_nanocents`, `high_nanocents`."""
    found = list(rows)
    ends = [0, *(row[name] for row in found for name in ("low_nanocents", "high_nanocents"))]
    ticks = round_ticks(min(ends), max(ends))
    low, wide = ticks[0], max(1, ticks[-1] - ticks[0])

    def place(nanocents: int) -> float:
        return round(WIDE * (nanocents - low) / wide, 1)

    return {
        "rows": [
            {**row, "x": place(row["low_nanocents"]),
             "width": round(place(row["high_nanocents"]) - place(row["low_nanocents"]), 1)}
            for row in found
        ],
        "ticks": [{"x": place(tick), "nanocents": tick} for tick in ticks],
        "nought": place(0),
    }  # fmt: skip


def round_ticks(low: int, high: int) -> Sequence[int]:
    """Round amounts from at most the lowest to at least the highest one."""
    wide = max(1, high - low)
    step = 10 ** math.floor(math.log10(wide / TICKS)) if wide > TICKS else 1
    step = next(round(step * each) for each in (1, 2, 5, 10) if wide / (step * each) <= TICKS)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [step * place for place in range(first, max(last, first + 1) + 1)]
