"""Ways of ranking that profiles are compared with: every preset, cosine alone, and rank fusions of bm25 and cosine."""

from __future__ import annotations

import os
import tempfile
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from bench.material import NOW
from memory_db import contest, eval_runs
from memory_db.datasets import read_dataset
from memory_db.datasets.vector_cache import open_cache
from memory_db.embedders import MINILM
from memory_db.evaluate import COLUMN, Labelled, Numbers, Ranking
from memory_db.presets import PRESETS
from memory_db.recall import Profile

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
