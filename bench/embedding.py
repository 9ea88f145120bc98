"""How fast texts become vectors, and how fast a question is compared with all of them.

`python -m bench.embedding [TEXTS] [ROWS ...]` prints rates and medians as JSON. Texts are the sample's.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from bench.material import NOW, varied_texts
from memory_db.index import semantic
from memory_db.index.build import make_collection
from memory_db.index.texts import ENTRIES
from memory_db.models import embedders
from memory_db.store.schema import open_database
from memory_db.text import static_vectors

DIMENSIONS = 384
QUESTIONS = tuple(f"how do we run test number {number} against the database" for number in range(20))


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of one call: by the clock, and of this process on the processor."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - processor


def rates(texts: Sequence[str], embed: Callable[[Sequence[str]], Iterable[object]]) -> dict[str, float]:
    """Texts a second, by the clock and by the processor."""
    clock, processor = timed(lambda: list(embed(texts)))
    return {"texts_per_s": round(len(texts) / clock, 1), "texts_per_cpu_s": round(len(texts) / processor, 1)}


def embedding_rates(count: int) -> dict[str, object]:
    """How fast both kinds of vectors are made, from cold and warm."""
    texts = list(varied_texts(count))
    static_vectors.text_vector(texts[0])
    load_s, _ = timed(lambda: embedders.load_embedder(embedders.MINILM).embed(["warm"]))
    embed = embedders.load_embedder(embedders.MINILM).embed
    asked_ms = [timed(lambda q=q: semantic.asked_of(embedders.MINILM, q))[0] * 1000 for q in QUESTIONS]
    return {
        "mean_text_chars": round(statistics.mean(map(len, texts))),
        "static": rates(texts, static_vectors.text_vectors),
        "full": rates(texts[: max(1, count // 10)], embed),
        "full_load_ms": round(load_s * 1000),
        "full_question_ms": round(statistics.median(asked_ms), 1),
    }


def search_times(rows: int) -> dict[str, object]:
    """How long it takes to read so many vectors by chance, to ask them, to see that nothing changed, and to add one."""
    with tempfile.TemporaryDirectory() as folder, closing(open_database(Path(folder, "memory.db"), now=NOW)) as db:
        collection = make_collection(db, ENTRIES, embedders.MINILM)
        chance = np.random.default_rng(1)
        db.execute("begin")
        for number in range(1, rows + 1):
            blob = chance.normal(size=DIMENSIONS).astype("<f4").tobytes()
            db.execute(
                "insert into embeddings (collection_id, id, embedding, content_hash, updated) values (?, ?, ?, ?, 0)",
                [collection, str(number), blob, number.to_bytes(16)],
            )
        db.execute("commit")
        index = semantic.EmbeddingIndex(db, embedders.MINILM)
        before_mb = memory_mb()
        read_s, _ = timed(index.refresh)
        held_mb = memory_mb() - before_mb
        pool = range(1, rows, max(1, rows // 300))
        for question in QUESTIONS:
            index.embed_query(question)
        asked_ms = [timed(ask_of(index, question, pool))[0] * 1000 for question in QUESTIONS]
        db.execute("insert into settings values ('touched', 'true', '')")
        looked_s, _ = timed(index.refresh)
        db.execute(
            "insert into embeddings (collection_id, id, embedding, content_hash, updated) values (?, ?, ?, x'00', 0)",
            [collection, str(rows + 1), blob],
        )
        return {
            "rows": rows,
            "read_ms": round(read_s * 1000),
            "search_ms": round(statistics.median(asked_ms), 1),
            "look_for_changes_ms": round(looked_s * 1000, 2),
            "add_one_ms": round(timed(index.refresh)[0] * 1000, 2),
            "memory_mb": round(held_mb),
        }


def ask_of(index: semantic.EmbeddingIndex, question: str, pool: Sequence[int]) -> Callable[[], object]:
    """A search, ready to be called."""
    return lambda: index.search(question, [], pool, 200)


def memory_mb() -> float:
    """The most memory that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(count: int = 2_000, sizes: Sequence[int] = (20_000, 100_000, 300_000)) -> dict[str, object]:
    """Rates of embedding so many texts, and times of searching so many vectors."""
    return {**embedding_rates(count), "search": [search_times(rows) for rows in sizes]}


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    print(json.dumps(measured(*arguments[:1], *([arguments[1:]] if arguments[1:] else [])), indent=2))
