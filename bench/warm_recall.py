"""Recall with the full model beside a plain fusion of full text and the same model, in turns on the same chats.

`python -m bench warm_recall --data DIR` reads LoCoMo's and BEAM's files in DIR. What both take once is done before: the
model is loaded, vectors are in memory. A question's embedding is made anew by each.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bench import public_sets
from bench.locomo import is_locomo
from bench.material import NOW
from bench.quantization import VECTORS
from bench.rankings import CACHE
from bench.recall_speed import medians_ms
from memory_db.evaluation.datasets import beam, loading, read_dataset
from memory_db.evaluation.datasets.records import Part
from memory_db.evaluation.datasets.vector_cache import open_cache
from memory_db.index.semantic import EmbeddingIndex, asked_of, collection_name
from memory_db.models.embedders import MINILM
from memory_db.recall.brief.select import ask
from memory_db.recall.question import HOOK_EFFORT
from memory_db.recall.search import Question
from memory_db.text.terms import match_any, query_terms

ENTRIES = 5_900
"""As many as all conversations of LoCoMo have."""

QUESTIONS = 24
DEEP, TOLD, K = 100, 10, 60
"""How many of each ranking the fusion adds up, how many it gives, and its constant.

Source: Cormack, Clarke and Büttcher 2009, Reciprocal Rank Fusion outperforms Condorcet.
"""

BY_WORDS = "select rowid from entry_fts where entry_fts match ? order by rank limit ?"
TEXTS = "select id, text from entries where id in ({})"


def measured(folder: Path) -> dict[str, Any]:
    """Medians in milliseconds and their ratios to the fusion; a line that says so where there are no chats."""
    parts = list(chats(folder))
    if not parts:
        return {"skipped": f"neither LoCoMo nor BEAM in {folder.name}"}
    together, queries = joined(parts)
    cache = open_cache(CACHE.expanduser())
    with tempfile.TemporaryDirectory() as name, closing(cache) if cache else nullcontext():
        loaded = loading.load(together, Path(name) / "chats.db", model=MINILM, cache=cache, now=NOW)
        with closing(loaded.db):
            index = EmbeddingIndex(loaded.db, MINILM)
            return {"entries": len(together.turns), "questions": len(queries), **compared(index, queries)}


def chats(folder: Path) -> Iterator[Part]:
    """The conversations of both sets."""
    for path in sorted(folder.rglob("*.json")):
        if is_locomo(path):
            yield from read_dataset(path, "locomo").parts
    for path in public_sets.sets(folder, (beam.CHAT, beam.QUESTIONS), 1):
        yield from read_dataset(path, "beam").parts


def joined(parts: list[Part]) -> tuple[Part, list[str]]:
    """One part of the first turns of all, and questions of each in turn."""
    turns = [
        replace(turn, uid=f"{part.name}/{turn.uid}", session=f"{part.name}/{turn.session}")
        for part in parts
        for turn in part.turns
    ][:ENTRIES]
    each = -(-QUESTIONS // len(parts))
    queries = [question.query for part in parts for question in part.questions[:each]]
    return Part("chats", (), tuple(turns)), queries[:QUESTIONS]


def compared(index: EmbeddingIndex, queries: list[str], rounds: int = 5) -> dict[str, Any]:
    """The fusion, and recalls of the default profile and of the hook's, with the model and without."""
    db = index.db
    index.refresh()
    rows = db.execute(VECTORS, [collection_name("entries", MINILM)]).fetchall()
    ids = np.array([row[0] for row in rows])
    vectors = np.array([np.frombuffer(row[1], "<f4") for row in rows])

    def fusion(query: str) -> object:
        asked_of.cache_clear()
        cosines = vectors @ index.embed_query(query)
        nearest = ids[np.argsort(-cosines)[:DEEP]].tolist()
        by_words = [row[0] for row in db.execute(BY_WORDS, [match_any(query_terms(query)), DEEP])]
        scores: dict[int, float] = {}
        for ranking in (by_words, nearest):
            for place, identifier in enumerate(ranking, 1):
                scores[identifier] = scores.get(identifier, 0.0) + 1 / (K + place)
        best = sorted(scores, key=lambda each: -scores[each])[:TOLD]
        return db.execute(TEXTS.format(", ".join(map(str, best)))).fetchall()

    def recall(query: str) -> object:
        asked_of.cache_clear()
        return ask(db, Question(query, limit=TOLD), surface="bench", now=NOW, semantic=index, log=False)

    def without_model(query: str) -> object:
        return ask(db, Question(query, limit=TOLD), surface="bench", now=NOW, log=False)

    def as_a_hook(query: str) -> object:
        question = Question(query, limit=TOLD, profile="hook", effort=HOOK_EFFORT)
        return ask(db, question, surface="bench", now=NOW, log=False)

    names = ("plain fusion", "recall", "recall without the model", "recall as by a hook")
    found = medians_ms(rounds, fusion, recall, without_model, as_a_hook, queries=queries)
    return {
        name: {"median_ms": round(took, 2), "ratio": round(took / found[0], 2)}
        for name, took in zip(names, found, strict=True)
    }


if __name__ == "__main__":
    print(json.dumps(measured(Path(sys.argv[1])), indent=2))
