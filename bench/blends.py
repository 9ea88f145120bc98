"""Ways to put the signals together, each measured on questions that it was not fitted on, against the hand weights.

`python -m bench blends --data DIR` asks LoCoMo's conversations (each by weights from the others), the developer set and
the sample's questions (five folds). All but `small network` are weighted sums, with weights of 0 or more; the network
shows what the signals hold that no weighted sum gets out of them, and is no ranking of ours: nobody could read it.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import developer, locomo, rankings, sample
from bench.material import NOW
from memory_db.evaluation import tuning
from memory_db.evaluation.contest import estimate_data
from memory_db.evaluation.datasets import loading, read_dataset
from memory_db.evaluation.datasets.vector_cache import open_cache
from memory_db.evaluation.metrics import COLUMN, Labelled, Numbers, Ranking, collect, estimate, measure, scores
from memory_db.index.semantic import open_semantic
from memory_db.models.embedders import MINILM
from memory_db.sample.file import SAMPLE_MOMENT, ensure_sample
from memory_db.store.presets import PRESETS
from memory_db.store.schema import open_database

METRICS = ("recall@5", "recall@10", "ndcg@10", "evidence@2500")

HAND = "hand weights"

FEW = (3, 5, 8)
"""Numbers of signals that a fit is cut down to, the heaviest first."""

STEPS = 300
"""Steps of the fits that are only compared here."""

CANDIDATES = 100
"""Hits of a question that the network learns from: the best by hand weights."""

NDArrayInt = NDArray[np.int64]

Fit = Callable[[Sequence[Labelled]], Ranking]


def measured(folder: Path | None = None) -> dict[str, Any]:
    """For each data set, each way's metrics and their difference to the hand weights."""
    found: dict[str, Any] = {"developer": compared(asked(developer.OWN, "jsonl"), by="hash", count=developer.FOLDS)}
    with tempfile.TemporaryDirectory() as place, closing(open_sample(Path(place))) as db:
        labelled = collect(db, sample.QUERY_SET, semantic=open_semantic(db))
    found["sample"] = compared(labelled, by="hash", count=sample.FOLDS)
    for path in sorted(folder.rglob("*.json")) if folder else ():
        if locomo.is_locomo(path):
            found[path.stem] = compared(asked(path, locomo.FORM), by="conversation", count=None)
    return found


def open_sample(folder: Path) -> sqlite3.Connection:
    """The sample's file, made in a folder."""
    return open_database(ensure_sample(folder), now=SAMPLE_MOMENT)


def asked(path: Path, form: str) -> list[Labelled]:
    """Every question of a data set with its hits, by the full model."""
    cache = open_cache(rankings.CACHE.expanduser())
    labelled: list[Labelled] = []
    with tempfile.TemporaryDirectory() as place:
        for number, part in enumerate(read_dataset(path, form).parts):
            loaded = loading.load(part, Path(place) / f"{number}.db", model=MINILM, cache=cache, now=NOW)
            with closing(loaded.db):
                labelled += loaded.questions(with_model=True)
    return labelled


def compared(labelled: Sequence[Labelled], *, by: str, count: int | None) -> dict[str, Any]:
    """Each way on the questions of each fold, fitted on the others."""
    labelled = [each for each in labelled if each.wanted]
    folds = tuning.folds(labelled, by=by, count=count)
    values = {name: held_out(labelled, folds, fit) for name, fit in WAYS.items()}
    return {
        name: {
            **{metric: estimate_data(estimate(found[metric])) for metric in METRICS},
            "difference": {metric: estimate_data(estimate(found[metric] - values[HAND][metric])) for metric in METRICS},
        }
        for name, found in values.items()
    }


def held_out(labelled: Sequence[Labelled], folds: Sequence[Sequence[int]], fit: Fit) -> Mapping[str, Numbers]:
    """The metrics of each question, ranked by what the questions of the other folds gave."""
    rankings_of: dict[int, Ranking] = {}
    for fold in folds:
        held = set(fold)
        ranking = fit([each for number, each in enumerate(labelled) if number not in held])
        rankings_of |= {id(labelled[number]): ranking for number in fold}
    return measure(labelled, lambda each: scores(each, rankings_of[id(each)]))


# ------------------------------------------------------------------ the ways


def even(labelled: Sequence[Labelled]) -> Ranking:
    """Every signal of ours alike."""
    return dict.fromkeys(tuning.OWN_SIGNALS, 1 / len(tuning.OWN_SIGNALS))


def few(number: int) -> Fit:
    """The pairwise fit, cut down to its heaviest signals and fitted again with these."""

    def fit(labelled: Sequence[Labelled]) -> Ranking:
        weights = tuning.fit(labelled)
        return tuning.fit(labelled, signals=sorted(weights, key=lambda name: -weights[name])[:number])

    return fit


def single_search(labelled: Sequence[Labelled]) -> Ranking:
    """From the hand weights on, one weight at a time is made less or more where that raises nDCG at 10."""
    names, rows, answers, starts = stacked(labelled)
    weights = np.array([PRESETS["default"].weights.get(name, 0.0) for name in names])
    best = mean_ndcg(rows @ weights, answers, starts)
    for step in (0.1, 0.04):
        for column in range(len(names)):
            for change in (-step, step):
                tried = weights.copy()
                tried[column] = max(0.0, tried[column] + change)
                if (value := mean_ndcg(rows @ tried, answers, starts)) > best:
                    weights, best = tried, value
    return named(names, weights)


def pointwise_logistic(labelled: Sequence[Labelled]) -> Ranking:
    """Whether a hit is an answer, by logistic regression with weights of 0 or more."""
    return pointwise(labelled, lambda raw, answers: 1 / (1 + np.exp(-np.clip(raw, -50, 50))) - answers, 0.25)


def least_squares(labelled: Sequence[Labelled]) -> Ranking:
    """Whether a hit is an answer, by least squares with weights of 0 or more."""
    return pointwise(labelled, lambda raw, answers: raw - answers, 1.0)


def pointwise(
    labelled: Sequence[Labelled], slope: Callable[[Numbers, Numbers], Numbers], curvature: float
) -> Mapping[str, float]:
    """Projected gradient steps on each hit alone; answers and other hits of a question weigh the same together."""
    names, rows, answers, starts = stacked(labelled)
    rows = np.column_stack([rows, np.ones(len(rows))])
    shares = np.concatenate([balanced(part) for part in np.split(answers, starts[1:])])
    shares /= shares.sum()
    step = 1 / (curvature * np.linalg.eigvalsh((rows * shares[:, None]).T @ rows)[-1])
    weights = ahead = np.zeros(rows.shape[1])
    momentum = 1.0
    for _ in range(STEPS):
        stepped = ahead - step * (rows.T @ (shares * slope(rows @ ahead, answers)))
        stepped[:-1] = np.maximum(0.0, stepped[:-1])
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = stepped + (momentum - 1) / following * (stepped - weights)
        weights, momentum = stepped, following
    return named(names, weights[:-1])


def network(labelled: Sequence[Labelled]) -> Ranking:
    """A network of 12 units over the signals, fitted to put the answers of each question first (softmax over its hits).

    Source: Cao et al. 2007, Learning to Rank: From Pairwise Approach to Listwise Approach (the cost); Kingma and Ba,
    Adam (the steps).
    """
    hand = PRESETS["default"].weights
    columns = [COLUMN[name] for name in tuning.OWN_SIGNALS]
    lists = []
    for each in labelled:
        kept = np.argsort(-scores(each, hand), kind="stable")[:CANDIDATES]
        answers = each.relevant()[kept]
        if answers.any() and not answers.all():
            lists.append((each.signals[kept][:, columns], answers / answers.sum()))
    rows = np.concatenate([rows for rows, _ in lists])
    wanted = np.concatenate([answers for _, answers in lists]) / len(lists)
    starts = np.cumsum([0, *(len(answers) for _, answers in lists[:-1])])
    lengths = np.diff([*starts, len(rows)])
    draw = np.random.default_rng(0)
    parts = [draw.normal(0, 0.3, (len(columns), 12)), np.zeros(12), draw.normal(0, 0.3, 12)]
    first, second = [np.zeros_like(part) for part in parts], [np.zeros_like(part) for part in parts]
    for step in range(1, STEPS + 1):
        units = np.tanh(rows @ parts[0] + parts[1])
        raw = units @ parts[2]
        raised = np.exp(raw - np.repeat(np.maximum.reduceat(raw, starts), lengths))
        error = raised / np.repeat(np.add.reduceat(raised, starts), lengths) / len(lists) - wanted
        inner = np.outer(error, parts[2]) * (1 - units**2)
        slopes = [rows.T @ inner, inner.sum(axis=0), units.T @ error]
        for number, slope in enumerate(slopes):
            slope = slope + 1e-4 * parts[number]
            first[number] = 0.9 * first[number] + 0.1 * slope
            second[number] = 0.999 * second[number] + 0.001 * slope**2
            moved = first[number] / (1 - 0.9**step) / (np.sqrt(second[number] / (1 - 0.999**step)) + 1e-8)
            parts[number] = parts[number] - 0.02 * moved

    def ranking(each: Labelled) -> Numbers:
        raw: Numbers = np.tanh(each.signals[:, columns] @ parts[0] + parts[1]) @ parts[2]
        return raw

    return ranking


WAYS: dict[str, Fit] = {
    HAND: lambda _: PRESETS["default"].weights,
    "even weights": even,
    "keyword alone": lambda _: {"keyword": 1.0},
    "search along single weights": single_search,
    "answers against others": lambda labelled: tuning.fit(labelled),
    "pointwise logistic": pointwise_logistic,
    "least squares": least_squares,
    **{f"answers against others, {number} signals": few(number) for number in FEW},
    "small network": network,
}
"""Each way by name: what the questions it is fitted on give."""


# ---------------------------------------------------------------------- parts


def stacked(labelled: Sequence[Labelled]) -> tuple[tuple[str, ...], Numbers, Numbers, NDArrayInt]:
    """Signals of all hits of the questions that have answers and others among them, which answer, where each begins."""
    kept = [each for each in labelled if each.relevant().any() and not each.relevant().all()]
    columns = [COLUMN[name] for name in tuning.OWN_SIGNALS]
    rows = np.concatenate([each.signals[:, columns] for each in kept])
    answers = np.concatenate([each.relevant() for each in kept]).astype(float)
    return tuning.OWN_SIGNALS, rows, answers, np.cumsum([0, *(len(each.signals) for each in kept[:-1])])


def balanced(answers: Numbers) -> Numbers:
    """Shares of one question's hits: one half to its answers, one half to the rest."""
    shares: Numbers = np.where(answers > 0, 0.5 / answers.sum(), 0.5 / (len(answers) - answers.sum()))
    return shares


def mean_ndcg(values: Numbers, answers: Numbers, starts: NDArrayInt) -> float:
    """The mean nDCG at 10 over questions, each hit by itself."""
    discounts = 1 / np.log2(np.arange(2, 12))
    total = 0.0
    for scored, wanted in zip(np.split(values, starts[1:]), np.split(answers, starts[1:]), strict=True):
        gains = wanted[np.argsort(-scored, kind="stable")[:10]]
        total += gains @ discounts[: len(gains)] / discounts[: min(10, int(wanted.sum()))].sum()
    return float(total / len(starts))


def named(names: Sequence[str], weights: Numbers) -> dict[str, float]:
    """Weights by signal, those of 0 left out, summing to 1."""
    total = float(weights.sum())
    return {name: float(weight) / total for name, weight in zip(names, weights, strict=True) if weight > 0}
