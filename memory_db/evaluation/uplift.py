"""Does memory help? Held-out and briefed sessions compared, with an interval that says how sure that is.

In: rows of the view `holdout_sessions`. Out: for each measure the means of both arms and their difference, with its
95 % interval. Invariant: pure arithmetic on what the view says, the same at each call; with too few sessions in an arm
there is no interval, and that is said.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MEASURES = {
    "corrections": -1,
    "repeated": -1,
    "outcome_score": 1,
    "tokens": -1,
}
"""What is compared: columns of `holdout_sessions`, and whether more of it is better (1) or worse (-1)."""

FEWEST_SESSIONS = 10
"""Sessions that each arm needs before a difference has an interval. Source: ours; resampling fewer says little."""

DRAWS = 2_000
SEED = 7


@dataclass(frozen=True, slots=True)
class Uplift:
    """One measure: the mean of each arm, and briefed minus held out with the middle 95 % of its resamples.

    NaN where there is nothing to take a mean of; `low` and `high` are NaN where an arm has too few sessions.
    """

    measure: str
    briefed: float
    held_out: float
    briefed_sessions: int
    held_out_sessions: int
    difference: float
    low: float
    high: float

    @property
    def helps(self) -> str:
        """yes, no, or unsure where the interval has both signs or there is none."""
        if math.isnan(self.low) or self.low <= 0 <= self.high:
            return "unsure"
        return "yes" if (self.difference > 0) == (MEASURES[self.measure] > 0) else "no"


def uplifts(db: sqlite3.Connection) -> list[Uplift]:
    """Each measure of `MEASURES`; an empty list where no session was ever held out or briefed by lot."""
    columns = ", ".join(MEASURES)
    rows = db.execute(f"select arm, outcome, {columns} from holdout_sessions order by session_id").fetchall()
    if not rows:
        return []
    return [
        uplift(
            measure, *([value(row, measure) for row in rows if row["arm"] == arm] for arm in ("briefed", "held out"))
        )
        for measure in MEASURES
    ]


def value(row: sqlite3.Row, measure: str) -> float:
    """A session's value; NaN where it ended nobody knows how, or used no model that was counted."""
    if measure == "outcome_score" and row["outcome"] in (None, "unknown"):
        return math.nan
    return float(row[measure] or 0) if measure != "tokens" or row["tokens"] else math.nan


def uplift(measure: str, briefed: Sequence[float], held_out: Sequence[float]) -> Uplift:
    """The difference of two arms, briefed minus held out; NaN values are left aside.

    Source: the percentile bootstrap of Efron, each arm resampled by itself.
    """
    ours, others = (
        np.array([each for each in arm if not math.isnan(each)], dtype=float) for arm in (briefed, held_out)
    )
    means = [float(arm.mean()) if len(arm) else math.nan for arm in (ours, others)]
    low = high = math.nan
    if min(len(ours), len(others)) >= FEWEST_SESSIONS:
        rng = np.random.default_rng(SEED)
        draws = [arm[rng.integers(0, len(arm), size=(DRAWS, len(arm)))].mean(axis=1) for arm in (ours, others)]
        low, high = (float(each) for each in np.quantile(draws[0] - draws[1], [0.025, 0.975]))
    return Uplift(measure, means[0], means[1], len(ours), len(others), means[0] - means[1], low, high)
