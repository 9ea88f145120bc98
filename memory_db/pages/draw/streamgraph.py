"""A streamgraph: counts over time, stacked around a middle line, as paths of an SVG.

In: the first and the last day, and counts by bin and layer. Out: bins of equal sort (day, week, month and longer), and
a path for each layer. Invariants: the bins cover every day of the span once; at the middle of a bin the layers are as
wide as their counts, in one scale, and touch without a gap; between two bins a width goes from one count to the other
and never beyond. Pure: no file, no clock, no chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

MOST_BINS = 56
"""Bins of a streamgraph at most. Source: ours; a bin of a phone's width is then wide enough to be seen, and a page of
fifteen layers needs some 20 kB for its paths."""

BIN_WIDTH, HEIGHT = 16, 1000
"""Units of a bin and of the streamgraph's height; the picture is stretched to its frame."""

YEARS = {"year": 1, "decade": 10, "century": 100}

STEPS = ("day", "week", "month", "quarter", *YEARS)


@dataclass(slots=True, frozen=True)
class Bin:
    """Days from `first` to `last`, both of them inside."""

    first: date
    last: date
    label: str


def bins_between(first: date, last: date) -> tuple[str, list[Bin]]:
    """The shortest step that needs at most `MOST_BINS` bins for these days, and its bins in order."""
    first, last = min(first, last), max(first, last)
    for step in STEPS:
        found = bins_of(first, last, step)
        if len(found) <= MOST_BINS:
            break
    return step, found


def bins_of(first: date, last: date, step: str) -> list[Bin]:
    """Bins of one step that cover two days and all between them; one more than `MOST_BINS` where they are too many."""
    found: list[Bin] = []
    start = start_of(first, step)
    while start <= last:
        following = next_start(start, step)
        end = following - timedelta(days=1) if following else date.max
        found.append(Bin(start, end, label_of(start, step)))
        if following is None or (len(found) > MOST_BINS and step != STEPS[-1]):
            break
        start = following
    return found


def start_of(day: date, step: str) -> date:
    """The first day of the bin that a day is in."""
    if step == "day":
        return day
    if step == "week":
        return day - timedelta(days=day.weekday())
    if step == "month":
        return day.replace(day=1)
    if step == "quarter":
        return date(day.year, (day.month - 1) // 3 * 3 + 1, 1)
    return date(max(1, day.year // YEARS[step] * YEARS[step]), 1, 1)


def next_start(start: date, step: str) -> date | None:
    """The first day of the next bin; None where the calendar ends."""
    try:
        if step in ("day", "week"):
            return start + timedelta(days=1 if step == "day" else 7)
        if step in ("month", "quarter"):
            months = start.month - 1 + (1 if step == "month" else 3)
            return date(start.year + months // 12, months % 12 + 1, 1)
        return date(start.year // YEARS[step] * YEARS[step] + YEARS[step], 1, 1)
    except (OverflowError, ValueError):
        return None


def label_of(start: date, step: str) -> str:
    """A bin in a few characters, such as '3 Sep 2026' or 'Q3 2026'."""
    if step in ("day", "week"):
        return f"{start.day} {start:%b} {start.year}"
    if step == "month":
        return f"{start:%b} {start.year}"
    if step == "quarter":
        return f"Q{(start.month + 2) // 3} {start.year}"
    return f"{start.year}s" if step == "decade" else f"{start.year}"


def scale_of(counts: Sequence[Sequence[int]]) -> float:
    """Units for each counted thing, so that the widest bin fills the height. `counts` has a row for each bin."""
    return HEIGHT / max((sum(row) for row in counts), default=0) if any(map(any, counts)) else 0.0


def boundaries(counts: Sequence[Sequence[int]]) -> list[list[float]]:
    """The lines between layers, from top to bottom, with a height for every bin: one more than there are layers."""
    scale = scale_of(counts)
    layers = len(counts[0]) if counts else 0
    lines: list[list[float]] = [[] for _ in range(layers + 1)]
    for row in counts:
        height = (HEIGHT - sum(row) * scale) / 2
        lines[0].append(height)
        for layer, count in enumerate(row):
            height += count * scale
            lines[layer + 1].append(height)
    return lines


def paths(counts: Sequence[Sequence[int]]) -> list[str]:
    """The path of each layer in a box of `len(counts) * BIN_WIDTH` by `HEIGHT`; empty for a layer without a count."""
    lines = [[round(height) for height in line] for line in boundaries(counts)]
    return [
        "".join(stretch(top, bottom, start, end) for start, end in stretches([row[layer] for row in counts]))
        for layer, (top, bottom) in enumerate(pairwise(lines))
    ]


def stretches(layer: Sequence[int]) -> list[tuple[int, int]]:
    """Where a layer is to be drawn: from one bin to another, with the empty bins beside those that have a count."""
    found: list[tuple[int, int]] = []
    for place, count in enumerate(layer):
        if not count:
            continue
        start, end = max(0, place - 1), min(len(layer) - 1, place + 1)
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def stretch(top: Sequence[int], bottom: Sequence[int], start: int, end: int) -> str:
    """One closed piece of a layer: along its top, back along its bottom. At the streamgraph's ends it goes on
    straight."""
    half = BIN_WIDTH // 2
    left = start * BIN_WIDTH + (0 if start == 0 else half)
    right = (end + 1) * BIN_WIDTH - (0 if end == len(top) - 1 else half)
    over = [height - before for before, height in zip(top[start:end], top[start + 1 : end + 1], strict=True)]
    under = [after - height for after, height in zip(bottom[start:end], bottom[start + 1 : end + 1], strict=True)]
    return (
        f"M{left} {top[start]}H{start * BIN_WIDTH + half}{curve(over, BIN_WIDTH)}H{right}V{bottom[end]}"
        f"H{end * BIN_WIDTH + half}{curve(under[::-1], -BIN_WIDTH)}H{left}Z"
    )


def curve(rises: Sequence[int], width: int) -> str:
    """Steps to the next heights, level at both ends: one shape for every line, so that none crosses another."""
    half = width // 2
    drawn = [f"c{half} 0 {half} {rises[0]} {width} {rises[0]}"] if rises else []
    return "".join([*drawn, *(f"s{half} {rise} {width} {rise}" for rise in rises[1:])])
