"""How fast a long history goes through every stage, in one process and with helpers, and how fast texts are embedded.

`python -m bench.pipeline_speed [MEGABYTES]` repeats the sample history with fresh ids and prints JSON: MB/s of each
stage and of all, without embeddings, by the clock; seconds of processor time of the process that writes and of its
helpers; whether both files hold the same rows; and milliseconds a text of embedding in batches of 32, as before, and as
now. What others do on the machine meanwhile slows the clock, not the processor time.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np

from bench.import_speed import MEGABYTE, repeat_history
from bench.material import NOW, varied_texts
from bench.same_rows import rows_of
from memory_db.models.embedders import BuiltInEmbedder
from memory_db.models.minilm import MiniLM, together, unit_means
from memory_db.store import settings
from memory_db.store.schema import open_database
from memory_db.upkeep import history

BATCH_BEFORE = 32
"""How many texts shared a batch before batches were measured in tokens."""

HELPERS = 2


def measured(megabytes: float = 20, texts: int = 200) -> dict[str, object]:
    """Both ways through the pipeline over so much history, and both ways of embedding so many texts."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "projects")
        size = repeat_history(folder, megabytes)
        paths = [Path(temporary, f"{count}.db") for count in (0, HELPERS)]
        alone, helped = (gone_through(path, folder, count) for path, count in zip(paths, (0, HELPERS), strict=True))
        same = rows_of(paths[0]) == rows_of(paths[1])
    return {
        "megabytes": round(size / MEGABYTE, 1),
        "load_of_the_machine": round(os.getloadavg()[0], 1),
        "alone": rates(size, alone),
        "with_helpers": rates(size, helped),
        "times_as_fast": round(alone["clock_s"] / helped["clock_s"], 2),
        "same_rows": same,
        "embedding": embedding(texts),
    }


def gone_through(path: Path, folder: Path, helpers: int) -> dict[str, float]:
    """Seconds of each stage, of all, and of the processor, over a history read in portions into a new file."""
    seconds: Counter[str] = Counter()
    with closing(open_database(path, now=NOW)) as db:
        settings.put(db, "embedding_model", "none", now=NOW)
        waiting = history.plan(db, [folder], now=NOW)
        clock, writer, others = time.perf_counter(), time.process_time(), of_helpers()
        for stages, _ in history.run_portions(db, waiting, clock=lambda: NOW, helper_count=helpers):
            for stage in stages:
                seconds[stage.name] += stage.duration_ms / 1000
        clock_s = time.perf_counter() - clock
        writer_s = time.process_time() - writer
    return {**seconds, "clock_s": clock_s, "writer_s": writer_s, "helpers_s": of_helpers() - others}


def of_helpers() -> float:
    """Seconds of the processor that processes took which were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def rates(size_bytes: int, seconds: dict[str, float]) -> dict[str, object]:
    """MB/s of each stage and of all, by the clock, and seconds of the processor."""
    stages = {name: took for name, took in seconds.items() if not name.endswith("_s")}
    return {
        "mb_s": round(size_bytes / MEGABYTE / seconds["clock_s"], 2),
        "mb_s_by_stage": {name: round(size_bytes / MEGABYTE / took, 1) for name, took in stages.items()},
        "processor_s": {name: round(seconds[f"{name}_s"], 1) for name in ("writer", "helpers")},
    }


def embedding(count: int) -> dict[str, object]:
    """Milliseconds a text in batches of so many texts, as before, and as now, twice each in turn; the better counts."""
    texts = list(varied_texts(count))
    model = BuiltInEmbedder()
    before = MiniLM(threads=max(1, (os.cpu_count() or 1) // 2))
    model.embed(["warm"]), before.embed(["warm"])
    then, now = [], []
    for _ in range(2):
        then.append(timed(count, lambda: as_before(before, texts)))
        now.append(timed(count, lambda: model.embed(texts)))
    best = {name: dict(zip(("clock", "processor"), map(min, zip(*each, strict=True)), strict=True))
            for name, each in (("before", then), ("now", now))}  # fmt: skip
    largest = float(np.abs(as_before(before, texts) - model.embed(texts)).max())
    return {
        "ms_a_text": {name: {key: round(value, 2) for key, value in each.items()} for name, each in best.items()},
        "now_to_before": {key: round(best["now"][key] / best["before"][key], 2) for key in ("clock", "processor")},
        "largest_difference_of_a_number": largest,
    }


def as_before(model: MiniLM, texts: list[str]) -> np.ndarray:
    """Vectors made in batches of so many texts of like length, one after the other."""
    vectors = np.zeros((len(texts), 384), dtype=np.float32)
    by_length = sorted(range(len(texts)), key=lambda position: len(texts[position]))
    for start in range(0, len(by_length), BATCH_BEFORE):
        batch = by_length[start : start + BATCH_BEFORE]
        ids, mask = together(model.tokenizer.encode_batch([texts[position] for position in batch]))
        vectors[batch] = unit_means(model.last_layer(ids, mask), mask)
    return vectors


def timed(count: int, work: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds a text, by the clock and of the processor."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return (time.perf_counter() - clock) * 1000 / count, (time.process_time() - processor) * 1000 / count


if __name__ == "__main__":
    print(json.dumps(measured(*map(float, sys.argv[1:2])), indent=2))
