"""What it costs and saves to keep an embedding as a byte and a bit a number in place of a float32.

`python -m bench quantization --data DIR` compares both on LoCoMo's chats in DIR and on the developer set: the share of
answers in the first ten by cosine alone, the nearest that both have in common, and the largest difference of a cosine.
The last part searches vectors by chance, for memory and time alone.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from bench import developer, locomo
from bench.material import NOW
from bench.rankings import CACHE
from memory_db.evaluation.datasets import loading, read_dataset
from memory_db.evaluation.datasets.vector_cache import open_cache
from memory_db.evaluation.metrics import estimate
from memory_db.index.vector_store import Matrix, Vector, coded
from memory_db.models.embedders import MINILM

NEAREST = (10, 75)

SPEED_ROWS = 100_000

Ids = list[int]

QUESTIONS = """
select q.query, coalesce(j.entry_id, v.id) as wanted from labelled_queries q
join judgements j on j.labelled_query_id = q.id and j.relevance = 1
left join memory_versions v on v.memory_id = j.memory_id and v.recorded_to is null
"""

VECTORS = """
select cast(e.id as integer), e.embedding from embeddings e join collections c on c.id = e.collection_id
where c.name = ? order by e.rowid
"""


def measured(folder: Path) -> dict[str, Any]:
    """Loss by data set, and memory and time of searching vectors by chance."""
    paths = {path.stem: path for path in sorted(folder.rglob("*.json")) if locomo.is_locomo(path)}
    found = {name: loss(path, locomo.FORM, "entries") for name, path in paths.items()}
    return {**found, "developer": loss(developer.OWN, "jsonl", "memories"), "speed": speed(SPEED_ROWS)}


def loss(path: Path, form: str, sort: str) -> dict[str, Any]:
    """Both ways of keeping vectors on every question of a data set that has an answer."""
    rows: list[dict[str, float]] = []
    cache = open_cache(CACHE.expanduser())
    with tempfile.TemporaryDirectory() as folder:
        for number, part in enumerate(read_dataset(path, form).parts):
            loaded = loading.load(part, Path(folder, f"{number}.db"), model=MINILM, cache=cache, now=NOW)
            with closing(loaded.db):
                rows += of_part(loaded, sort)
    both = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    difference = estimate(both["recall@10_bytes"] - both["recall@10_float32"])
    return {
        "queries": len(rows),
        **{name: round(float(values.mean()), 4) for name, values in both.items() if name != "cosine_error"},
        "difference": {"mean": difference.value, "low": difference.low, "high": difference.high},
        "largest_cosine_error": round(float(both["cosine_error"].max()), 4),
    }


def of_part(loaded: loading.Loaded, sort: str) -> list[dict[str, float]]:
    """For each question: its share of answers in the first ten by both ways, and how far they agree."""
    stored = loaded.db.execute(VECTORS, [f"{sort}/{MINILM}"]).fetchall()
    ids = np.array([row[0] for row in stored], dtype=np.int64)
    vectors = np.array([np.frombuffer(row[1], dtype="<f4") for row in stored])
    matrix = Matrix().add([(ids, *coded(vectors))])
    wanted: dict[str, set[int]] = {}
    for row in loaded.db.execute(QUESTIONS):
        wanted.setdefault(row["query"], set()).add(row["wanted"])
    index = loaded.cached
    return (
        [] if index is None else [one(ids, vectors, matrix, index.embed_query(q), keys) for q, keys in wanted.items()]
    )


def one(ids: Any, vectors: Vector, matrix: Matrix, question: Vector, wanted: set[int]) -> dict[str, float]:
    """One question."""
    exact = vectors @ question
    order = np.argsort(-exact, kind="stable")
    kept = matrix.cosines(question, [], max(NEAREST))
    by_bytes = sorted(kept, key=kept.__getitem__, reverse=True)
    found = {
        "cosine_error": max(abs(kept[key] - exact[place]) for place, key in enumerate(ids.tolist()) if key in kept)
    }
    for most in NEAREST:
        best = set(ids[order[:most]].tolist())
        found[f"overlap@{most}"] = len(best & set(by_bytes[:most])) / len(best)
    found["recall@10_float32"] = len(wanted & set(ids[order[:10]].tolist())) / len(wanted)
    found["recall@10_bytes"] = len(wanted & set(by_bytes[:10])) / len(wanted)
    return {name: float(value) for name, value in found.items()}


def speed(rows: int) -> dict[str, Any]:
    """Bytes and milliseconds of the processor for the nearest of so many vectors by chance, both ways."""
    chance = np.random.default_rng(1)
    vectors = chance.normal(size=(rows, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    matrix = Matrix().add([(np.arange(rows), *coded(vectors))])
    questions = vectors[:: rows // 20]
    most = max(NEAREST)
    return {
        "rows": rows,
        "float32_mb": round(vectors.nbytes / 1e6, 1),
        "bytes_mb": round(matrix.size_bytes / 1e6, 1),
        "float32_ms": median_ms(lambda question: np.argpartition(vectors @ question, -most)[-most:], questions),
        "bytes_ms": median_ms(lambda question: matrix.cosines(question, [], most), questions),
    }


def median_ms(work: Callable[[Vector], object], questions: Vector) -> float:
    """The median time of the processor, all its cores together."""
    times = []
    for question in questions:
        started = time.process_time()
        work(question)
        times.append((time.process_time() - started) * 1000)
    return round(statistics.median(times), 2)
