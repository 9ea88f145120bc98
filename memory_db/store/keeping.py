"""Which of many copies are kept: the newest of each of so many days, weeks, months and years.

In: a text such as `7d,4w,12m`, and moments. Out: the moments that are kept, each with why. Invariants: only periods
that have a copy count, so a machine that slept for a month keeps as many; the newest copy of all is always kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from memory_db.errors import InputError

OFF = "off"
"""Instead of numbers: no copies are made by themselves."""

PERIODS = {"d": ("day", "%Y-%m-%d"), "w": ("week", "%G-W%V"), "m": ("month", "%Y-%m"), "y": ("year", "%Y")}
"""The letter of a period, its name, and what two moments of the same one have in common."""

MOST = 1_000
"""Periods of one sort that may be kept. Source: ours; three years of days."""

PART = re.compile(r"([0-9]{1,4})([dwmy])")


@dataclass(frozen=True, slots=True)
class Keep:
    """How many periods of each sort keep their newest copy, by letter."""

    counts: dict[str, int]

    @property
    def text(self) -> str:
        """As it is typed, such as `7d,4w,12m`."""
        return ",".join(f"{count}{letter}" for letter, count in self.counts.items())

    @property
    def most(self) -> int:
        """Copies that are kept at most."""
        return sum(self.counts.values())

    def kept(self, moments: Iterable[datetime]) -> dict[datetime, str]:
        """The moments that are kept, newest first, each with the period whose newest it is."""
        newest_first = sorted(set(moments), reverse=True)
        found = {newest_first[0]: "the newest"} if newest_first else {}
        for letter, count in self.counts.items():
            name, form = PERIODS[letter]
            newest_of: dict[str, datetime] = {}
            for moment in newest_first:
                newest_of.setdefault(moment.strftime(form), moment)
            for moment in list(newest_of.values())[:count]:
                found.setdefault(moment, f"the newest of its {name}")
        return dict(sorted(found.items(), reverse=True))


def keep_in(text: str, refused: str = "--keep cannot be") -> Keep:
    """What a text says is to be kept; `refused` begins the line where it says nothing.

    Raises: InputError.
    """
    counts: dict[str, int] = {}
    for part in text.replace(" ", "").lower().split(","):
        found = PART.fullmatch(part)
        if not found or not 1 <= int(found[1]) <= MOST or found[2] in counts:
            raise InputError(
                f"{refused} {text[:80]!r}. Give days, weeks, months or years, each once and from 1 to {MOST:,}, such as"
                " 7d,4w,12m."
            )
        counts[found[2]] = int(found[1])
    return Keep({letter: counts[letter] for letter in PERIODS if letter in counts})
