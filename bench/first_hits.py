"""Fits the abstainer's weights and the constants of evidence on every set of labelled questions.

`python -m bench.evidence --fit [--data DIR] [--cache FOLDER]`: the developer's notes, the sample, and PrecisionMemBench
and BEAM where DIR has them, each question asked as a hook asks and with the full model, and once more with its answers
away. Prints weights for `recall.abstainer.SHIPPED` and constants for `recall.evidence_of_hit`; and by set what weights
reach that were fitted on all, without the question's project or conversation, and without the whole set.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from bench.developer import OWN
from bench.material import NOW
from bench.public_sets import sets as sets_below
from bench.questions import vectors
from memory_db.evaluation import query_sets as judging
from memory_db.evaluation.abstention import keeping_threshold
from memory_db.evaluation.datasets import beam, loading, precisionmembench, read_dataset
from memory_db.evaluation.first_hits import Example, chances_of, crossed, examples, fit, silence
from memory_db.index.semantic import open_semantic
from memory_db.models.embedders import MINILM
from memory_db.recall.abstainer import COLD, MODEL, SHIPPED
from memory_db.sample.file import ensure_sample
from memory_db.store.connection import connect

FITTED_ON = ("developer", "sample", "precisionmembench")
"""Sets that weights come from.

BEAM is measured only: its questions without an answer ask for details of what was talked about at length, so their
first hits have more evidence than those of its other questions, and weights that silence them silence what is best
known everywhere else.
"""

CONSTANTS = {COLD: "LEAST", MODEL: "LEAST_WITH_MODEL"}

Sets = dict[str, list[Example]]


def fitted(data: Path | None, kept: Path | None) -> dict[str, Any]:
    """Weights, constants and figures by way of asking."""
    found: dict[str, Sets] = {COLD: {}, MODEL: {}}
    for name, source in sources(data).items():
        for way, questions in asked(name, source, kept).items():
            found[way][name] = questions
    return {way: figures(way, sets) for way, sets in found.items()}


def sources(data: Path | None) -> dict[str, tuple[Path, str] | None]:
    """Where each set is and in which form, by its name; the sample is made."""
    found: dict[str, tuple[Path, str] | None] = {"developer": (OWN, "jsonl"), "sample": None}
    if data:
        for path in sets_below(data, (precisionmembench.CASES, precisionmembench.BELIEFS), 0)[:1]:
            found["precisionmembench"] = (path, "precisionmembench")
        for path in sets_below(data, (beam.CHAT, beam.QUESTIONS), 1)[:1]:
            found["beam"] = (path, "beam")
    return found


def asked(name: str, source: tuple[Path, str] | None, kept: Path | None) -> Sets:
    """The examples of a set by way, from the folder `kept` where they are there."""
    path = kept / f"first-hits-{name}.json" if kept else None
    if path and path.is_file():
        return {way: [Example(**each) for each in found] for way, found in json.loads(path.read_text()).items()}
    found: Sets = {COLD: [], MODEL: []}
    with tempfile.TemporaryDirectory() as folder:
        if source is None:
            with closing(connect(ensure_sample(Path(folder), now=NOW), write=True)) as db:
                for way in found:
                    found[way] = examples(db, judging.SAMPLE_SET, way, semantic=open_semantic(db))
        else:
            parts = read_dataset(*source).parts
            with vectors() as cache:
                for number, part in enumerate(parts):
                    loaded = loading.load(part, Path(folder) / f"{number}.db", model=MINILM, cache=cache, now=NOW)  # type: ignore[arg-type]
                    group = part.name if len(parts) > 1 else ""
                    with closing(loaded.db) as db:
                        for way in found:
                            found[way] += examples(db, loading.QUERY_SET, way, semantic=loaded.cached, group=group)
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({way: [asdict(each) for each in own] for way, own in found.items()}))
    return found


def figures(way: str, sets: Sets) -> dict[str, Any]:
    """What is fitted on the sets of `FITTED_ON`, and what it reaches on each set."""
    fit_on = {name: questions for name, questions in sets.items() if name in FITTED_ON}
    weights = fit(list(fit_on.values()))
    found: dict[str, Any] = {
        "weights": weights.as_dict(),
        CONSTANTS[way]: {name: evidence_kept(questions) for name, questions in fit_on.items()},
        "sets": {},
    }
    for name, questions in sets.items():
        others = {other: each for other, each in fit_on.items() if other != name}
        unseen = fit(list(others.values()))
        told: dict[str, Any] = {
            "evidence alone": told_of(questions, np.array([each.numbers["evidence"] for each in questions])),
            "in sample": told_of(questions, chances_of(weights, questions)),
            "without the set": told_of(questions, chances_of(unseen, questions)),
            "shipped, at its own least chance": asdict(
                silence(questions, chances_of(SHIPPED[way], questions), SHIPPED[way].least)
            ),
            "without the set, at the least chance of the others": asdict(
                silence(questions, chances_of(unseen, questions), unseen.least)
            ),
        }
        if name in fit_on:
            told["without the group"] = told_of(questions, crossed(fit_on, name))
        found["sets"][name] = told
    return found


def evidence_kept(questions: Sequence[Example]) -> float:
    """The evidence that four fifths of the answerable questions reach."""
    return round(keeping_threshold(np.array([each.numbers["evidence"] for each in questions if each.is_answerable])), 3)


def told_of(questions: Sequence[Example], chances: np.ndarray) -> dict[str, float]:
    """Silence at the chance that keeps four fifths of the answerable questions, and the area under the curve."""
    told: Mapping[str, float] = asdict(silence(questions, chances))
    one = chances[[each.is_answerable for each in questions]]
    other = chances[[not each.is_answerable and not each.is_deleted for each in questions]]
    area = float((one[:, None] > other[None, :]).mean()) if len(one) and len(other) else float("nan")
    return {name: round(value, 3) for name, value in {**told, "area": area}.items()}
