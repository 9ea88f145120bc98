"""When a profile is silent: best scores of questions that have an answer and of those that have none.

In: `Labelled` questions and what ranks them. Out: what is shown at each threshold, and the threshold that lets no more
than a share of the negatives through. Something is shown where the best hit reaches the threshold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memory_db.evaluation.metrics import Labelled, Numbers, Ranking, scores, shown

MOST_NEGATIVES = 0.15
"""Share of the questions without an answer for which something may be shown at a fitted threshold.

Source: ours; at every seventh question that memory cannot answer a brief is still bearable.
"""


KEPT = 0.8
"""Share of the answerable questions that are still shown something where silence is told.

Source: ours; a memory that says nothing to more than every fifth question it could answer is soon not asked.
"""


@dataclass(frozen=True, slots=True)
class Abstention:
    """At one threshold: the share of answerable and of negative questions for which something is shown."""

    threshold: float
    answerable: float
    negative: float


NO_HIT = -1.0
"""Best score where there is no hit at all: below every threshold."""


def best_scores(labelled: Sequence[Labelled], ranking: Ranking) -> tuple[Numbers, Numbers]:
    """The best score of each answerable question, and of each negative one."""
    values: dict[bool, list[float]] = {True: [], False: []}
    for each in labelled:
        values[each.is_negative].append(float(scores(each, ranking).max(initial=NO_HIT)))
    return np.array(values[False]), np.array(values[True])


def best_without_answers(labelled: Sequence[Labelled], ranking: Ranking) -> Numbers:
    """The best score of each answerable question when its answers are gone.

    Where it was asked without them, that counts. Else what reaches none of them stands for it: then the answer still
    helps its neighbours and still counts among the texts that have a word, and what says the same elsewhere is left.
    """
    values = []
    for each in labelled:
        if not each.is_negative:
            found = scores(each.without, ranking) if each.without else scores(each, ranking)[~each.relevant()]
            values.append(float(found.max(initial=NO_HIT)))
    return np.array(values)


def abstention_curve(labelled: Sequence[Labelled], ranking: Ranking) -> list[Abstention]:
    """What is shown at each threshold that matters, from 0 up: at 0 everything is."""
    return curve_of(*best_scores(labelled, ranking))


def curve_of(answerable: Numbers, negative: Numbers) -> list[Abstention]:
    """What is shown at each threshold, given the best scores of both sorts of questions."""
    thresholds = [0.0, *sorted({value for value in (*answerable.tolist(), *negative.tolist()) if value > 0})]
    return [Abstention(value, share_from(answerable, value), share_from(negative, value)) for value in thresholds]


def share_from(values: Numbers, threshold: float) -> float:
    """The share of values that reach a threshold; 0 where there are none."""
    return float((values >= threshold).mean()) if len(values) else 0.0


def best_threshold(curve: Sequence[Abstention], most_negatives: float = MOST_NEGATIVES) -> Abstention:
    """The lowest point of a curve at which something is shown for at most this share of the negatives.

    Where none is low enough, it is the highest point.
    """
    return next((at for at in curve if at.negative <= most_negatives), curve[-1])


def keeping_threshold(answerable: Numbers, kept: float = KEPT) -> float:
    """The highest threshold at which something is still shown for at least this share of the answerable questions.

    It is 0 where fewer of them have any hit: then what has none is silent by itself.
    """
    needed = max(1, math.ceil(kept * len(answerable) - 1e-9))
    return max(0.0, float(np.sort(answerable)[-needed]))


def precision_from(labelled: Labelled, ranking: Ranking, threshold: float, limit: int = 5) -> float:
    """The share of the first `limit` shown hits from a threshold on that reach an answer; NaN where none is shown."""
    values, answers = scores(labelled, ranking), labelled.relevant()
    rows = [row for row in shown(labelled, values, limit) if values[row] >= threshold]
    return float(answers[rows].mean()) if rows else math.nan
