"""How fast transcripts become shards, on one Dask worker and on two: MB/s by the clock, and processor time.

In: so many megabytes of the sample history with fresh ids for each of a few people. Out: figures. Invariant: both ways
begin with no file, and read the same transcripts.
"""

from __future__ import annotations

import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import yaml

from bench.import_speed import MEGABYTE, repeat_history
from bench.material import NOW
from memory_db.fleet import Fleet, import_transcripts, read_catalogue
from memory_db.fleet.engine import OnDask, open_engine
from memory_db.store import settings
from memory_db.store.connection import connect
from memory_db.store.schema import open_database

PERSONS = 4
"""Shards that are imported: more than workers, so that none waits at the end for long."""

WORKERS = {"one_worker": 1, "two_workers": 2}
"""The ways, by name."""

TURNS = 3
"""How often both ways are gone: the turn in the middle is told, for anything else on the machine slows two down."""

MEGABYTES = 2.0
"""Of each person: enough that what a worker loads before it begins is a small part."""


def imported(persons: int = PERSONS, megabytes: float = MEGABYTES, turns: int = TURNS) -> dict[str, Any]:
    """MB/s of the whole pipeline, without embeddings, on one worker and on two; how many times as fast two are.

    `times_as_fast` is by the clock, and by processor time what the one worker took to what the busier of two did: so
    many times as fast two are where nothing else wants the processors. All figures are of the turn in the middle by
    `times_as_fast`; `in_turns` has that of each.
    """
    found = sorted((one_turn(persons, megabytes) for _ in range(turns)), key=lambda turn: turn["times_as_fast"])
    return {**found[turns // 2], "in_turns": [turn["times_as_fast"] for turn in found]}


def one_turn(persons: int, megabytes: float) -> dict[str, Any]:
    """The figures of one turn: one worker, then two, from no file."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        size = sum(repeat_history(folder / f"history-{number}", megabytes) for number in range(persons))
        found = {name: gone_through(folder, persons, workers, size) for name, workers in WORKERS.items()}
    one, two = (found[name] for name in WORKERS)
    times = one["clock_s"] / two["clock_s"]
    return {
        "megabytes": round(size / MEGABYTE, 1), "shards": persons, **found, "times_as_fast": round(times, 2),
        "times_as_fast_by_processor": round(one["processor_s"] / two["busiest_processor_s"], 2),
        "efficiency": round(times / 2, 2), "work_of_two_to_one": round(two["processor_s"] / one["processor_s"], 2),
    }  # fmt: skip


def gone_through(folder: Path, persons: int, workers: int, size: int) -> dict[str, float]:
    """The rate of one way, and the processor seconds that its workers took."""
    rows = [
        {"address": f"{workers}/shard-{number}.db", "person": f"p{number}", "transcripts": f"history-{number}"}
        for number in range(persons)
    ]
    catalogue = folder / f"import-{workers}.yml"
    catalogue.write_text(yaml.safe_dump({"shards": rows}), "utf-8")
    shards = read_catalogue(catalogue)
    (folder / str(workers)).mkdir()
    for shard in shards:
        with closing(open_database(Path(shard.address), now=NOW)) as db:
            settings.put(db, "embedding_model", "none", now=NOW)
    with open_engine(workers=workers) as engine:
        assert isinstance(engine, OnDask)
        before = engine.client.run(time.process_time)
        started = time.perf_counter()
        done = import_transcripts(Fleet(shards, engine), now=NOW)
        taken_s = time.perf_counter() - started
        busy_s = [after_s - before[worker] for worker, after_s in engine.client.run(time.process_time).items()]
    assert not done.missing, done.missing
    entries = sum(count_of(Path(shard.address)) for shard in shards)
    return {
        "entries": entries, "mb_s": round(size / MEGABYTE / taken_s, 2), "clock_s": round(taken_s, 1),
        "processor_s": round(sum(busy_s), 1), "busiest_processor_s": round(max(busy_s), 1),
    }  # fmt: skip


def count_of(path: Path) -> int:
    """How many entries a file has."""
    with closing(connect(path)) as db:
        return int(db.execute("select count(*) from entries").fetchone()[0])
