"""Weights and a threshold from labelled questions.

In: `Labelled` questions, as `evaluate.collect` gives them. Out: weights of 0 or more that sum to 1, and a threshold.
There is no formula of a score here: `scoring` has it, this only turns its weights.

Invariant: the same questions give the same numbers; nothing is drawn by chance.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory_db.errors import InputError
from memory_db.evaluation.abstention import (
    MOST_NEGATIVES,
    Abstention,
    best_scores,
    best_threshold,
    best_without_answers,
    curve_of,
)
from memory_db.evaluation.metrics import COLUMN, Labelled, Numbers
from memory_db.recall.scoring import SIGNALS
from memory_db.store.presets import PRESETS

OWN_SIGNALS = tuple(name for name in SIGNALS if not name.endswith(tuple(f"_{preset}" for preset in PRESETS)))
"""The signals that are fitted unless others are named: all but those made for another system's formula."""

SPLITS: dict[str, Callable[[Labelled], str]] = {
    "hash": lambda each: each.uid,
    "project": lambda each: str(each.project_id),
    "conversation": lambda each: each.group,
}
"""What stays together when questions are split, by the name of the split."""

L2 = 0.0001
"""How strongly large weights are held back.

Source: the rankings `fitted` of `python -m bench`, with this set to 0.0001, 0.0003, 0.001 and 0.003: one of the best on
questions that were not fitted on. recall@10 is .845 on LoCoMo (.844 with .0003, .837 with .003), .605 on BEAM, .909 on
the developer set and .818 on the sample, where the best of the others have .606, .913 and .821.
"""

KNOWN_WORDS = 0.09
"""The weight of `known_words` beside fitted weights.

Source: of 0, 0.05, 0.09, 0.17 and 0.29 a middle one. At cross-fitted thresholds it shows .59 instead of .54 of the
answerable developer questions; more costs those whose answers are deleted from the file.
"""

STEPS = 200
"""Steps of the fit; twice as many change recall on questions that were not fitted on by less than .005."""

ROUNDING = 1e-12
"""What a cost may differ by without being another one."""

STEEPEST = 500.0
"""How far one hit's score may be before another one's: further on the exponential has no number."""

Parts = tuple[list[Labelled], list[Labelled]]


def split(labelled: Sequence[Labelled], *, by: str = "hash", share: float = 0.5) -> Parts:
    """Two parts, one to fit on and one to report on, the same ones each time.

    By `hash` every question goes by itself; by `project` all of a project's questions stay together. Groups go to the
    first part in the order of their hashes until it holds `share` of the questions; the last group never does.
    Raises: InputError for another `by`, a share outside 0 to 1, or fewer than two groups.
    """
    if not 0 < share < 1:
        raise InputError(f"A share of {share} cannot be split off. Give one between 0 and 1.")
    groups = groups_of(labelled, by)
    fit_part: list[Labelled] = []
    test_part: list[Labelled] = []
    for number, members in enumerate(groups, start=1):
        has_room = len(fit_part) < share * len(labelled) and number < len(groups)
        (fit_part if has_room else test_part).extend(labelled[member] for member in members)
    return fit_part, test_part


def folds(labelled: Sequence[Labelled], *, by: str = "hash", count: int | None = None) -> list[list[int]]:
    """Places of the questions in so many folds, the same ones each time; without a count each group is a fold.

    Raises: InputError for another `by`, fewer than two folds, or fewer groups than folds.
    """
    groups = groups_of(labelled, by)
    wanted = len(groups) if count is None else count
    if not 2 <= wanted <= len(groups):
        raise InputError(f"{wanted} folds cannot be made of {len(groups)} groups by {by}. Give 2 to {len(groups)}.")
    found: list[list[int]] = [[] for _ in range(wanted)]
    for number, members in enumerate(groups):
        found[number % wanted].extend(members)
    return [sorted(members) for members in found]


def groups_of(labelled: Sequence[Labelled], by: str) -> list[list[int]]:
    """Places of the questions by what must stay together, in the order of the groups' hashes.

    Raises: InputError for another `by`, or fewer than two groups.
    """
    if by not in SPLITS:
        raise InputError(f"Questions cannot be split by {by!r}. There are: {', '.join(SPLITS)}.")
    groups: dict[str, list[int]] = {}
    for number, each in enumerate(labelled):
        groups.setdefault(SPLITS[by](each), []).append(number)
    if len(groups) < 2:
        raise InputError(f"{len(groups)} group by {by} cannot be split in two. Label more questions.")
    return [groups[name] for name in sorted(groups, key=lambda name: hashlib.sha256(name.encode()).digest())]


def fit(
    labelled: Sequence[Labelled],
    *,
    signals: Sequence[str] | None = None,
    l2: float = L2,
    start: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Weights under which hits that answer outscore those that do not: 0 or more, summing to 1.

    Each answering hit stands in a list with all hits of its question that do not answer, and costs the logarithm of 1 +
    the sum over those of exp(their score - its score): what ranks far below it costs nothing, what ranks near it most.
    Every question counts the same, shared among its answers. With `l2` above 0 there is one minimum, so `start` only
    says where to begin.
    Raises: InputError where no question has both sorts of hits, or no signal tells them apart.

    Source: Cao et al. 2007, "Learning to Rank: From Pairwise Approach to Listwise Approach" (the cost); Beck and
    Teboulle 2009, "A Fast Iterative Shrinkage-Thresholding Algorithm" (the steps, projected on weights of 0 or more).
    Pairs of an answer and another hit, each counted alike, reach a recall@10 of .833 on LoCoMo where lists reach .845.
    """
    return fit_jointly([labelled], signals=signals, l2=l2, start=start)


def fit_jointly(
    sets: Sequence[Sequence[Labelled]],
    *,
    signals: Sequence[str] | None = None,
    l2: float = L2,
    start: Mapping[str, float] | None = None,
    says: Sequence[float] | None = None,
) -> dict[str, float]:
    """`fit` on several sets of questions, each with its say however many it has: all alike without `says`.

    Raises: InputError.
    """
    names = tuple(signals or OWN_SIGNALS)
    found = [lists(labelled, [COLUMN[name] for name in names]) for labelled in sets]
    parts = np.array(says if says is not None else np.ones(len(found)), dtype=float)
    asked = Lists(
        np.concatenate([each.differences for each in found]),
        np.concatenate([each.lengths for each in found]),
        np.concatenate([each.shares * part for each, part in zip(found, parts / parts.sum(), strict=True)]),
    )
    weights = np.array([(start or {}).get(name, 0.0) for name in names])
    weights = lowest(lambda at: cost(asked, at, l2), weights)
    total = float(weights.sum())
    if total <= 0:
        raise InputError(f"None of {', '.join(names)} separates answers from the rest. Give other signals.")
    return {name: float(weight) / total for name, weight in zip(names, weights, strict=True) if weight > 0}


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """Answers, each with the other hits of its question: their signals minus its own, in rows, one list after another.

    `lengths` counts the rows of each list; `shares` is what a list counts, together one for a set of questions.
    """

    differences: Numbers
    lengths: NDArray[np.int64]
    shares: Numbers


def lists(labelled: Sequence[Labelled], columns: Sequence[int]) -> Lists:
    """The list of every answer. Raises: InputError if no question has an answer and another hit."""
    differences: list[Numbers] = []
    shares: list[float] = []
    asked = 0
    for each in labelled:
        answers = each.relevant()
        rows = each.signals[:, columns]
        if answers.any() and not answers.all():
            asked += 1
            differences += [rows[~answers] - answer for answer in rows[answers]]
            shares += [1 / int(answers.sum())] * int(answers.sum())
    if not differences:
        raise InputError(f"None of {len(labelled)} questions has an answer among its hits. Label some that do.")
    lengths: NDArray[np.int64] = np.array([len(rows) for rows in differences])
    return Lists(np.concatenate(differences), lengths, np.array(shares) / asked)


def cost(asked: Lists, weights: Numbers, l2: float) -> tuple[float, Numbers]:
    """What weights cost, and how that changes with each of them."""
    starts = np.cumsum(asked.lengths) - asked.lengths
    ahead = np.exp(np.minimum(asked.differences @ weights, STEEPEST))
    sums = 1 + np.add.reduceat(ahead, starts)
    pulls = ahead * np.repeat(asked.shares / sums, asked.lengths)
    total = float(asked.shares @ np.log(sums) + l2 * weights @ weights)
    return total, asked.differences.T @ pulls + 2 * l2 * weights


def lowest(costs: Callable[[Numbers], tuple[float, Numbers]], weights: Numbers) -> Numbers:
    """Weights of 0 or more that cost least: `STEPS` accelerated steps, each as long as the cost still falls enough."""
    ahead, momentum, curvature = weights, 1.0, 1.0
    for _ in range(STEPS):
        before, gradient = costs(ahead)
        while True:
            stepped = np.maximum(0.0, ahead - gradient / curvature)
            moved = stepped - ahead
            if costs(stepped)[0] <= before + gradient @ moved + curvature / 2 * moved @ moved + ROUNDING:
                break
            curvature *= 2
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = np.maximum(0.0, stepped + (momentum - 1) / following * (stepped - weights))
        weights, momentum = stepped, following
    return weights


def fit_all(labelled: Sequence[Labelled], *, signals: Sequence[str] | None = None) -> dict[str, float]:
    """Weights as `fit` gives them, and that of `known_words` unless other signals are named. Raises: InputError."""
    weights = fit(labelled, signals=signals)
    return weights if signals else with_known_words(weights)


def with_known_words(weights: Mapping[str, float], share: float = KNOWN_WORDS) -> dict[str, float]:
    """These weights with so much for the signal `known_words`: the same order of hits, other scores of questions.

    No pair of hits can tell what it is worth, since it is alike for all hits of a question.
    """
    others = {name: weight for name, weight in weights.items() if name != "known_words"}
    total = sum(others.values())
    return {**{name: weight * (1 - share) / total for name, weight in others.items()}, "known_words": share}


def fit_threshold(
    labelled: Sequence[Labelled],
    weights: Mapping[str, float],
    *,
    most_negatives: float = MOST_NEGATIVES,
    deleted: bool = False,
) -> Abstention:
    """The lowest threshold that shows something for at most that share of the negatives, and the shares shown there.

    With `deleted` the answerable questions with their answers gone are negatives too. Without any negative it is 0.
    """
    answerable, negative = best_scores(labelled, weights)
    gone = best_without_answers(labelled, weights) if deleted else negative[:0]
    return best_threshold(curve_of(answerable, np.concatenate([negative, gone])), most_negatives)


@dataclass(frozen=True, slots=True)
class Tuned:
    """Weights with the questions they were fitted on, those held out to report on, and the threshold that fits both."""

    weights: dict[str, float]
    abstention: Abstention
    fit_part: list[Labelled]
    test_part: list[Labelled]


def tune(labelled: Sequence[Labelled], *, by: str = "hash", signals: Sequence[str] | None = None) -> Tuned:
    """Weights and a threshold from one part of the questions, the other part left to report on.

    Raises: InputError where the questions cannot be split or fitted on.
    """
    fit_part, test_part = split(labelled, by=by)
    weights = fit_all(fit_part, signals=signals)
    return Tuned(weights, fit_threshold(fit_part, weights), fit_part, test_part)


def fitted_on(name: str, fit_part: Sequence[Labelled], test_part: Sequence[Labelled], *, by: str) -> str:
    """What weights were fitted on, in a sentence for `profiles.fitted_on`."""
    return (
        f"query set {name}, split by {by}: fitted on {len(fit_part)} questions by answers against other hits,"
        f" {len(test_part)} held out to report on"
    )
