"""Fits the weights of `default` and `hook` on every set of labelled questions together.

A set counts by the root of its questions, and twice where it is of developers: a large one says more than a small one,
but chats are not what memory is for.

    python -m bench.fit_profiles [--data DIR] [--cache FOLDER] [--profile default|hook]

`default` is fitted on what the full formula finds, `hook` on what a hook finds, without the model. Prints the weights
rounded to hundredths that sum to 1, ready for `presets`; what weights fitted without each fold reach on that fold; what
the shipped weights reach; and thresholds. A fold is a conversation of a chat with a fifth of each other set.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.questions import Sets, asked
from memory_db.evaluation import tuning
from memory_db.evaluation.abstention import best_scores, best_threshold, best_without_answers, curve_of
from memory_db.evaluation.metrics import Labelled, Ranking, measure, scores
from memory_db.recall.scoring import needs_model
from memory_db.store.presets import PRESETS

FOLDS = 5

WAY = {"default": "full", "hook": "hook"}
"""How the questions are asked that a profile is fitted on."""

OF_DEVELOPERS = ("developer", "sample")
"""Sets that count twice."""

METRICS = ("recall@5", "recall@10", "ceiling")


def signals_of(profile: str) -> list[str]:
    """Signals that may have weight: the model's for `default`, those of static vectors for `hook`."""
    named = [name for name in tuning.OWN_SIGNALS if not needs_model(name)]
    static = [name for name in named if name.startswith("static_")]
    if profile == "hook":
        return [name for name in named if name != "time_window"]  # a hook reads no dates
    return [name for name in tuning.OWN_SIGNALS if name not in static]


def fold_of(each: Labelled, groups: Mapping[str, int]) -> int:
    """The fold of a question: its conversation's where there are several, else by the hash of its uid."""
    if len(groups) > 1:
        return groups[each.group] % FOLDS
    return int.from_bytes(hashlib.blake2b(each.uid.encode(), digest_size=4).digest(), "big") % FOLDS


def crossed(sets: Sets, names: Sequence[str]) -> dict[str, Ranking]:
    """For each set a ranking that scores every question by weights fitted without its fold."""
    folds: dict[str, dict[tuple[str, str], int]] = {}
    for name, questions in sets.items():
        groups = {group: number for number, group in enumerate(sorted({each.group for each in questions}))}
        folds[name] = {(each.group, each.uid): fold_of(each, groups) for each in questions}
    learnt = []
    for fold in range(FOLDS):
        others = [
            [each for each in questions if folds[name][each.group, each.uid] != fold]
            for name, questions in sets.items()
        ]
        learnt.append(tuning.fit_jointly(others, signals=names, says=says(sets)))

    def ranking(name: str) -> Ranking:
        return lambda each: scores(each, learnt[folds[name][each.group, each.uid]])

    return {name: ranking(name) for name in sets}


def says(sets: Sets) -> list[float]:
    """How much each set counts."""
    counts = {name: sum(each.relevant().any() for each in questions) for name, questions in sets.items()}
    return [float(count) ** 0.5 * (2 if name in OF_DEVELOPERS else 1) for name, count in counts.items()]


def rounded(weights: Mapping[str, float]) -> dict[str, float]:
    """The weights in hundredths that sum to 1: the largest remainders are rounded up."""
    hundredths = {name: int(100 * weight) for name, weight in weights.items()}
    by_rest = sorted(weights, key=lambda name: hundredths[name] - 100 * weights[name])
    for name in by_rest[: 100 - sum(hundredths.values())]:
        hundredths[name] += 1
    return {name: value / 100 for name, value in hundredths.items() if value}


def figures(questions: Sequence[Labelled], ranking: Ranking) -> dict[str, float]:
    """Means of a few metrics."""
    measured = measure(questions, ranking)
    return {name: round(float(np.nanmean(measured[name])), 4) for name in METRICS}


def thresholds(sets: Sets, weights: Mapping[str, float]) -> dict[str, Any]:
    """The threshold that best tells answerable questions from others, by set and for all with an equal say.

    Others are the set's own negative questions, and the answerable ones without the hits that answer them.
    """
    found: dict[str, Any] = {}
    known, unknown = [], []
    for name, questions in sets.items():
        answerable, negative = best_scores(questions, weights)
        others = np.concatenate([negative, best_without_answers(questions, weights)])
        at = best_threshold(curve_of(answerable, others))
        found[name] = {"threshold": round(at.threshold, 3), "answerable": round(at.answerable, 3),
                       "negative": round(at.negative, 3)}  # fmt: skip
        places = np.linspace(0, 1, 201)
        known.append(np.quantile(answerable, places))
        unknown.append(np.quantile(others, places))
    at = best_threshold(curve_of(np.concatenate(known), np.concatenate(unknown)))
    found["all"] = {"threshold": round(at.threshold, 3), "answerable": round(at.answerable, 3),
                    "negative": round(at.negative, 3)}  # fmt: skip
    return found


def fitted(profile: str, sets: Sets) -> dict[str, Any]:
    """Weights of a profile with what they reach."""
    names = signals_of(profile)
    weights = rounded(tuning.fit_jointly(list(sets.values()), signals=names, says=says(sets)))
    held_out = crossed(sets, names)
    return {
        "weights": weights,
        "held out": {name: figures(questions, held_out[name]) for name, questions in sets.items()},
        "fitted on all": {name: figures(questions, weights) for name, questions in sets.items()},
        "shipped": {name: figures(questions, PRESETS[profile].weights) for name, questions in sets.items()},
        "thresholds": thresholds(sets, weights),
    }


def main() -> None:
    """Fits what is named and prints it as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.fit_profiles", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, metavar="DIR", help="a folder with public chats")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="keeps what was found, until code changes")
    parser.add_argument("--profile", choices=list(WAY), action="append", help="fit this one alone")
    given = parser.parse_args()
    profiles = given.profile or list(WAY)
    found = asked(tuple(WAY[profile] for profile in profiles), given.data, given.cache)
    for profile in profiles:
        print(json.dumps({profile: fitted(profile, found[WAY[profile]])}, indent=2), flush=True)


if __name__ == "__main__":
    main()
