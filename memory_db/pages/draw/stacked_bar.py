"""A score as a stacked bar: one segment for each signal that counts.

In: a profile's weights and a hit's signals. Out: segments with their place in
a bar of `WIDTH` units. Invariant: the widths of the segments add up to the
score, in the same scale for every hit of a page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memory_db.recall import scoring

WIDTH = 1000
"""Units from 0 to the end of the scale, in every bar."""

LEAST = 0.4
"""No bar is stretched beyond this scale: a weak answer has to look weak."""

FAMILIES: dict[str, tuple[tuple[str, ...], ...]] = {
    "words": (("keyword",), ("context_keyword",), ("session_keyword",), ("literal",)),
    "meaning": (
        ("semantic", "static_semantic"),
        ("context_semantic", "static_context_semantic"),
        ("session_semantic", "static_session_semantic"),
        ("interaction", "static_interaction"),
        ("context_interaction",),
        ("session_interaction", "static_session_interaction"),
    ),
    "time": (("recency",), ("time_window",), ("recency_memem",), ("recency_memlayer", "recency_agentmemory")),
    "trust": (("confidence",), ("usage", "usage_memem"), ("importance",), ("lock",)),
    "place": (("scope",), ("path",), ("condition",), ("entity", "graph")),
    "sort": (("memory",), ("type_agentmemory",), ("source_agentmemory",)),
    "other": (("association",), ("known_words",)),
}
"""Signals that say the same sort of thing share a hue, each with a shade of its own; those of one shade measure the
same in two ways, and no profile that comes with memory-db weighs both."""

SHADE = {name: (family, shade) for family, shades in FAMILIES.items() for shade, names in enumerate(shades)
         for name in names}  # fmt: skip

PLACES = {name: place for place, name in enumerate(SHADE)}


@dataclass(frozen=True, slots=True)
class Segment:
    """One signal of one hit: what it is worth, and where it stands in the bar."""

    signal: str
    colour: str
    value: float
    weight: float
    contribution: float
    x: float
    width: float

    def as_dict(self) -> dict[str, object]:
        """The segment as a row of JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def colour(signal: str) -> str:
    """The style class of a signal: its family and its shade; a signal of no family is `other-0`."""
    family, shade = SHADE.get(signal, ("other", 0))
    return f"{family}-{shade}"


def order(signal: str) -> int:
    """Where a signal stands in a bar: families in their order, unknown ones last."""
    return PLACES.get(signal, len(PLACES))


def segments(weights: Mapping[str, float], signals: Mapping[str, float], scale: float) -> list[Segment]:
    """Every weighed signal of a hit, in the order of the bar; `scale` is the score that fills it."""
    made = []
    x = 0.0
    for name in sorted(weights, key=order):
        value, weight = signals.get(name, 0.0), weights[name]
        width = max(0.0, value * weight) / scale * WIDTH if scale > 0 else 0.0
        made.append(Segment(name, colour(name), value, weight, value * weight, round(x, 2), round(width, 2)))
        x += width
    return made


def scale_for(scores: Iterable[float]) -> float:
    """The score at the right end of every bar: the best, rounded up to the next twentieth, and at least `LEAST`."""
    best = max([LEAST, *scores])
    return math.ceil(best * 20 - 1e-9) / 20


def legend(weights: Mapping[str, float]) -> list[dict[str, object]]:
    """Each weighed signal with its colour, its weight and what it means, in the order of the bar."""
    return [
        {"signal": name, "colour": colour(name), "weight": weights[name], "meaning": meaning(name)}
        for name in sorted(weights, key=order)
    ]


def meaning(signal: str) -> str:
    """The first line of what a signal says about itself."""
    function = scoring.SIGNALS.get(signal)
    return ((function.__doc__ if function else None) or "not known to this version").splitlines()[0]
