"""How well the tests of relations tell duplicates, supersessions and contradictions: `python -m bench relations`.

On the labelled pairs of bench/data/pairs, those of each writer apart: precision and recall of each label, and how many
near misses were taken for one. With cosines of the full model, of static vectors, and without any.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from memory_db.models.embedders import MINILM, load_embedder
from memory_db.text import static_vectors
from memory_db.text.relations import RELATED, Relation, Similarity, Statement, relation
from memory_db.text.statements import jaccard, reading

PAIRS = Path(__file__).parent / "data" / "pairs" / "pairs.jsonl"

NEAR_MISS = "near-miss"
"""The label of pairs that only look alike."""

LABELS = ("duplicate", "extends", "supersedes", "contradicts")
BY = ("writer", "later", "reader", "second", "wordings", "aside", "spoken", "overheard")
"""Who wrote a pair; `later` is the writer, once the tests had been improved on the first pairs. Nothing was improved on
`overheard`; `wordings` and `aside` are changes of a value in other words, and look-alikes that are none; `spoken` and
`overheard` the same as people say it in ten fields of work."""

EARLIER, LATER = "2026-03-01T09:00:00Z", "2026-06-01T09:00:00Z"


@dataclass(slots=True, frozen=True)
class LabelledPair:
    """A pair as somebody labelled it."""

    id: str
    old: str
    new: str
    kind: str
    same_place: bool
    label: str
    by: str


def read_pairs() -> list[LabelledPair]:
    """All labelled pairs."""
    names = LabelledPair.__slots__
    lines = PAIRS.read_text("utf-8").splitlines()
    return [LabelledPair(**{name: row[name] for name in names}) for row in map(json.loads, lines)]


def relation_of(pair: LabelledPair, cosine: float | None = None) -> Relation | None:
    """What the tests say of a pair."""
    old = Statement(pair.old, pair.kind, "project", 1, EARLIER, by_user=True)
    new = Statement(pair.new, pair.kind, "project", 1 if pair.same_place else 2, LATER, by_user=True)
    return relation(new, old, Similarity(jaccard(reading(pair.new).terms, reading(pair.old).terms), cosine))


def labelled_as(found: Relation | None) -> str:
    """A relation as a label: what is merely related is a near miss."""
    return NEAR_MISS if found is None or found.kind == RELATED else found.kind


def figures(pairs: Sequence[LabelledPair], cosines: Iterable[float | None]) -> dict[str, Any]:
    """Precision and recall by label, and the number of near misses that were taken for one."""
    said = Counter(
        (pair.label, labelled_as(relation_of(pair, cosine))) for pair, cosine in zip(pairs, cosines, strict=True)
    )
    rows: dict[str, Any] = {}
    for label in LABELS:
        right = said[label, label]
        given = sum(count for (_, got), count in said.items() if got == label)
        wanted = sum(count for (real, _), count in said.items() if real == label)
        rows[label] = {
            "pairs": wanted,
            "precision": round(right / given, 3) if given else None,
            "recall": round(right / wanted, 3) if wanted else None,
            "near_misses_taken_for_it": said[NEAR_MISS, label],
        }
    rows["near_misses"] = sum(count for (real, _), count in said.items() if real == NEAR_MISS)
    return rows


def static_cosines(pairs: Iterable[LabelledPair]) -> list[float | None]:
    """Cosines by static vectors."""
    found: list[float | None] = []
    for pair in pairs:
        old, new = static_vectors.text_vector(pair.old), static_vectors.text_vector(pair.new)
        found.append(static_vectors.cosine(static_vectors.numbers(new), old) if old and new else None)
    return found


def full_cosines(pairs: Sequence[LabelledPair]) -> list[float | None]:
    """Cosines by the full model."""
    texts = [text for pair in pairs for text in (pair.old, pair.new)]
    vectors = np.asarray(load_embedder(MINILM).embed(texts), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return [float(old @ new) for old, new in zip(vectors[::2], vectors[1::2], strict=True)]


def similarity_by_label(pairs: Sequence[LabelledPair]) -> dict[str, Any]:
    """Of the pairs of each label, how alike the least, the middle and the most alike are, by either sort of vectors."""
    rows: dict[str, Any] = {}
    for sort, cosines in (("full", full_cosines(pairs)), ("static", static_cosines(pairs))):
        for label in (*LABELS, NEAR_MISS):
            own = [
                cosine
                for pair, cosine in zip(pairs, cosines, strict=True)
                if pair.label == label and cosine is not None
            ]
            least, middle, most = np.quantile(np.asarray(own), [0.0, 0.5, 1.0]).tolist()
            measured = {f"{sort} least": least, f"{sort} median": middle, f"{sort} most": most}
            rows.setdefault(label, {}).update({name: round(value, 2) for name, value in measured.items()})
    return rows


def measured() -> dict[str, Any]:
    """Figures by who wrote the pairs and by way of similarity."""
    every = read_pairs()
    found: dict[str, Any] = {}
    for name in BY:
        pairs = [pair for pair in every if pair.by == name]
        if pairs:
            found[name] = {
                "full": figures(pairs, full_cosines(pairs)),
                "static": figures(pairs, static_cosines(pairs)),
                "words": figures(pairs, [None] * len(pairs)),
            }
    if found:
        found["likeness"] = similarity_by_label(every)
    return found or {"skipped": "no labelled pairs"}


if __name__ == "__main__":
    print(json.dumps(measured(), indent=2))
