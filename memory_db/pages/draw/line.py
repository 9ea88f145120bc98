"""A line chart as the points of an SVG path: confidence over time.

In: (moment, value from 0 to 1) in order. Out: the `d` of a path in a box of `WIDTH` by `HEIGHT`. A value holds until
the next one: the line goes in steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

WIDTH, HEIGHT = 600, 120


def steps(points: Sequence[tuple[datetime, float]], until: datetime) -> str:
    """The path of a value that changes at moments; empty for no points. It ends at `until`."""
    if not points:
        return ""
    first, last = points[0][0], max(until, points[-1][0])

    def x(moment: datetime) -> float:
        return place(moment, first, last)

    def y(value: float) -> str:
        return f"{(1 - min(1.0, max(0.0, value))) * HEIGHT:.1f}"

    parts = [f"M{x(first)} {y(points[0][1])}"]
    parts += [f"H{x(moment)}V{y(value)}" for moment, value in points[1:]]
    return "".join([*parts, f"H{x(last)}"])


def place(moment: datetime, first: datetime, last: datetime) -> float:
    """How far from the left a moment stands."""
    return round((moment - first).total_seconds() / ((last - first).total_seconds() or 1.0) * WIDTH, 1)
