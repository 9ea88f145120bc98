"""Ways of ranking that profiles are compared with: every preset, cosine alone, and rank fusions of bm25 and cosine.

In: a data set, or a query set of a file. Out: a contest as `memory-db evaluate --json` prints it, and `kept`, the part
of it that is stored.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from bench.material import NOW
from memory_db.evaluation import contest
from memory_db.evaluation import runs as eval_runs
from memory_db.evaluation.datasets import read_dataset
from memory_db.evaluation.datasets.vector_cache import open_cache
from memory_db.evaluation.metrics import COLUMN, Labelled, Numbers, Ranking
from memory_db.evaluation.outcomes import METRICS
from memory_db.models.embedders import MINILM
from memory_db.recall.profiles import save_profile
from memory_db.recall.search import Profile
from memory_db.store.presets import PRESETS

FUSED = ("keyword", "semantic")
"""The rankings that are fused: plain full text, and the cosine of the full model."""

FUSIONS = (60, 5)
"""Values of k: that of the paper, and one that trusts the first places more."""

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "memory-db" / "eval-vectors.db"
"""Where `memory-db evaluate` keeps vectors of data sets too."""


def fusion(k: int) -> Ranking:
    """The sum of 1 / (k + place) over both rankings; what a ranking does not have gets nothing from it.

    Source: Cormack, Clarke and Büttcher 2009, Reciprocal Rank Fusion outperforms Condorcet.
    """

    def scores(labelled: Labelled) -> Numbers:
        total = np.zeros(len(labelled.signals))
        for name in FUSED:
            values = labelled.signals[:, COLUMN[name]]
            places = np.empty(len(values))
            places[np.argsort(-values, kind="stable")] = np.arange(1, len(values) + 1)
            total += np.where(values > 0, 1 / (k + places), 0.0)
        return total

    return scores


def contenders() -> list[contest.Contender]:
    """Every preset, cosine alone, and the fusions."""
    profiles = {name: Profile(0, name, 1, preset.weights, preset.threshold) for name, preset in PRESETS.items()}
    profiles["cosine"] = Profile(0, "cosine", 1, {"semantic": 1.0}, 0.0)
    found = [contest.contender(name, profile) for name, profile in profiles.items()]
    return found + [contest.Contender(f"rank fusion, k={k}", fusion(k)) for k in FUSIONS]


def measured(path: Path, form: str, *, by: str | None = None, folds: int | None = None) -> dict[str, Any]:
    """Every contender on a data set, with fitted weights by those folds; as `memory-db evaluate --json` prints it."""
    dataset = read_dataset(path, form)
    options = contest.Options(by=by, folds=folds, deleted=True)
    cache = open_cache(CACHE.expanduser())
    with tempfile.TemporaryDirectory() as folder, closing(cache) if cache else nullcontext():
        found = eval_runs.of_dataset(
            dataset, contenders(), Path(folder), options=options, model=MINILM, cache=cache, now=NOW
        )
    return found.as_dict()


def measured_own(db: sqlite3.Connection, name: str, *, folds: int) -> dict[str, Any]:
    """Every contender on a query set of a file that may be written to."""
    for each in (found := contenders()):
        if each.profile and each.name not in PRESETS:
            save_profile(db, each.name, each.weights, description=each.name, fitted_on="", now=NOW)
    options = contest.Options(folds=folds, deleted=True)
    return eval_runs.of_query_set(db, name, found, options=options).as_dict()


# ------------------------------------------------------------------ what is kept

DIFFERENCES = ("recall@1", "recall@5", "recall@10", "ndcg@10", "mrr", "evidence@2500")
"""Metrics whose difference to the baseline is kept."""

PARTS = ("recall@5", "recall@10")
"""Metrics that are kept for parts of the questions."""

ANSWERED = (0.95, 0.9, 0.8, 0.7, 0.5)
"""Shares of the answerable questions at which a curve of abstaining is kept."""

DIGITS = 4


def stored_contest(found: Mapping[str, Any]) -> dict[str, Any]:
    """A contest as it is stored: each estimate as [mean, low, high], curves at a few points."""
    apart = ("profiles", "file_hash")
    profiles = {name: stored_figures(figures) for name, figures in found["profiles"].items()}
    told = {
        way: {name: estimate(each) for name, each in figures.items()} for way, figures in found.get("told", {}).items()
    }
    kept = {name: value for name, value in found.items() if name not in apart}
    return {**kept, **({"told": told} if told else {}), "profiles": profiles}


def stored_figures(figures: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of one contender as they are stored."""
    stored: dict[str, Any] = {name: estimate(figures[name]) for name in METRICS if name in figures}
    difference = figures.get("difference", {})
    stored["difference"] = {name: estimate(difference[name]) for name in DIFFERENCES if name in difference}
    for part in ("by_style", "by_overlap"):
        stored[part] = {
            name: {"queries": group["queries"], **{metric: estimate(group[metric]) for metric in PARTS}}
            for name, group in figures[part].items()
        }
    stored["abstention"] = stored_abstention(figures["abstention"])
    stored["weights"] = {name: round(weight, 3) for name, weight in figures["weights"].items()}
    for name in ("threshold", "median_ms", "p95_ms"):
        stored[name] = figures.get(name)
    return stored


def stored_abstention(abstention: Mapping[str, Any]) -> dict[str, Any]:
    """The highest thresholds that still show something for each share of the answerable questions, and fitted ones."""
    curve = abstention.get("curve", ())
    stored: dict[str, Any] = {"points": [point for share in ANSWERED if (point := point_at(curve, share))]}
    if silence := abstention.get("silence"):
        stored["silence"] = {
            name: estimate(value) if isinstance(value, Mapping) else round(value, DIGITS)
            for name, value in silence.items()
        }
    if fitted := abstention.get("at_fitted_thresholds"):
        stored["at_fitted_thresholds"] = {
            name: estimate(figure) for name, figure in fitted.items() if name != "thresholds"
        }
    return stored


def point_at(curve: Sequence[Mapping[str, float]], share: float) -> dict[str, float] | None:
    """The highest point of a curve at which at least so many of the answerable questions are shown something."""
    points = [point for point in curve if point["answerable"] >= share]
    if not points:
        return None
    best = max(points, key=lambda point: point["threshold"])
    return {"at_least": share, **{name: round(value, DIGITS) for name, value in best.items()}}


def estimate(figure: Mapping[str, float] | None) -> list[float] | None:
    """A mean with its interval as [mean, low, high]."""
    return None if figure is None else [round(figure[name], DIGITS) for name in ("mean", "low", "high")]
