"""What the rows of a made file are drawn from.

In: the time and how many days back it goes. Out: choices, weighted as things are in life, and moments as the file
writes them. Invariant: the same numbers each time.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import accumulate
from typing import TypeVar

from memory_db.store.dates import utc_text

T = TypeVar("T")

STEMS = ("cache", "test", "port", "build", "commit", "branch", "deploy", "lint", "path", "session", "queue", "token")


class Chance(random.Random):
    """A generator that knows the time."""

    def __init__(self, now: datetime, days: int) -> None:
        super().__init__(3)
        self.now = now
        self.days = days
        self.ends: dict[int, list[float]] = {}

    def at(self, hours_ago: float) -> str:
        """So long ago, but never ahead."""
        return utc_text(self.now - timedelta(hours=max(0.0, hours_ago)))

    def weighted(self, shares: Mapping[T, int]) -> T:
        """One of the names, each as often as its share says."""
        return self.choices(list(shares), list(shares.values()))[0]

    def zipf(self, count: int) -> int:
        """A number from 0 up to below `count`: 0 most often, each next one more rarely."""
        if count not in self.ends:
            self.ends[count] = list(accumulate(1 / (number + 1) for number in range(count)))
        return self.choices(range(count), cum_weights=self.ends[count])[0]

    def words(self, count: int) -> list[str]:
        """Different names of things, common and rare."""
        return sorted({f"{self.choice(STEMS)}-{self.zipf(400)}" for _ in range(count)})
