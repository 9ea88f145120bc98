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

L2 = 0.0003
"""How strongly large weights are held back.

Source: of 0.0003, 0.001, 0.003 and 0.01 the best nDCG on held-out halves of the sample's questions (.625, .619, .614
and .616 over six halves, where a search along single weights reached .598).
"""

KNOWN_WORDS = 0.09
"""The weight of `known_words` beside fitted weights.

Source: of 0, 0.05, 0.09, 0.17 and 0.29 a middle one. At cross-fitted thresholds it shows .59 instead of .54 of the
answerable developer questions; more costs those whose answers are deleted from the file.
"""

STEPS = 200
"""Steps of the fit; three times as many move no weight by a hundredth."""

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

    Each pair of an answering hit and another hit of the same question costs log(1 + exp(-difference of scores)); every
    question counts the same. With `l2` above 0 there is one minimum, so `start` only says where to begin.
    Raises: InputError where no question has both sorts of hits, or no signal tells them apart.

    Source: Burges et al., Learning to Rank using Gradient Descent (the cost); Beck and Teboulle, A Fast Iterative
    Shrinkage-Thresholding Algorithm (the steps, projected on weights of 0 or more).
    """
    return fit_jointly([labelled], signals=signals, l2=l2, start=start)


def fit_jointly(
    sets: Sequence[Sequence[Labelled]],
    *,
    signals: Sequence[str] | None = None,
    l2: float = L2,
    start: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """`fit` on several sets of questions, each with the same say however many it has. Raises: InputError."""
    names = tuple(signals or OWN_SIGNALS)
    found = [pairs(labelled, [COLUMN[name] for name in names]) for labelled in sets]
    differences = np.concatenate([rows for rows, _ in found])
    shares = np.concatenate([each / len(found) for _, each in found])
    curvature = np.linalg.eigvalsh((differences * shares[:, None]).T @ differences)[-1] / 4 + 2 * l2
    weights = np.array([(start or {}).get(name, 0.0) for name in names])
    ahead, momentum = weights, 1.0
    for _ in range(STEPS):
        wrong = 1 / (1 + np.exp(np.clip(differences @ ahead, -500, 500)))
        gradient = 2 * l2 * ahead - differences.T @ (shares * wrong)
        stepped = np.maximum(0.0, ahead - gradient / curvature)
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = stepped + (momentum - 1) / following * (stepped - weights)
        weights, momentum = stepped, following
    total = float(weights.sum())
    if total <= 0:
        raise InputError(f"None of {', '.join(names)} separates answers from the rest. Give other signals.")
    return {name: float(weight) / total for name, weight in zip(names, weights, strict=True) if weight > 0}


def pairs(labelled: Sequence[Labelled], columns: Sequence[int]) -> tuple[Numbers, Numbers]:
    """Signals of each answering hit minus those of each other hit of its question, and the share of each such pair.

    The shares of a question's pairs sum to one by the number of questions. Raises: InputError if there is no pair.
    """
    differences: list[Numbers] = []
    for each in labelled:
        answers = each.relevant()
        rows = each.signals[:, columns]
        if answers.any() and not answers.all():
            differences.append((rows[answers][:, None, :] - rows[~answers][None, :, :]).reshape(-1, len(columns)))
    if not differences:
        raise InputError(f"None of {len(labelled)} questions has an answer among its hits. Label some that do.")
    counts: NDArray[np.int64] = np.array([len(rows) for rows in differences])
    return np.concatenate(differences), np.repeat(1 / counts / len(differences), counts)


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
        f"query set {name}, split by {by}: fitted on {len(fit_part)} questions by pairs of answers and other hits,"
        f" {len(test_part)} held out to report on"
    )
