"""Many files asked as one, beside one file with the same rows: `python -m bench fleet [--entries N] [--shards N]`.

Files of N entries each, written by the tables and triggers that every import uses (see `zipf`), no two rows alike; and
one file that grows with them. For 1, 2, 4 ... of them: how long a question takes in the fleet with two processes and
with one, and in the one file, in turns; what is moved, and the memory of the processes. Beside them import on one and
on two processes, and the full text of DuckDB and PostgreSQL over the rows of the one file (`fleet_beside`).

By the clock, since waiting is part of it; the load of the machine is told, and processor time where it says more.
"""

from __future__ import annotations

import os
import pickle
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from bench import fleet_beside, zipf
from bench.fleet_import import imported
from bench.material import NOW
from memory_db.fleet import Fleet, Question, ask, read_catalogue
from memory_db.fleet.engine import Call, Engine, OnDask, Result, open_engine
from memory_db.index import signatures
from memory_db.recall.brief.select import Answer
from memory_db.recall.brief.select import ask as ask_one
from memory_db.store import settings
from memory_db.store.schema import open_database

ENTRIES = 10_020
"""Entries of a shard: a multiple of a session's, so that no session lies in two files."""

SHARDS = 16

QUESTIONS = 20
"""Questions asked at each size, of words that entries have. Half of them are asked again, once more each."""

WORKERS = (2, 1)
"""Dask workers, a process each."""


def measured(entries: int = ENTRIES, shards: int = SHARDS) -> dict[str, Any]:
    """All figures."""
    entries -= entries % zipf.PER_SESSION
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as temporary, ExitStack() as stack:
        folder = Path(temporary)
        engines = {
            count: stack.enter_context(open_engine(workers=count)) for count in WORKERS
        }  # kept: a process warms up
        one = stack.enter_context(closing(opened(folder / "one.db")))
        steps, texts = [], list[str]()
        for count in doublings(shards):
            done = len(steps) and steps[-1]["shards"]
            texts += [text for number in range(done, count) for text in made(folder, one, number, entries)]
            steps.append(step(folder, one, engines, count, entries, texts))
            say(steps[-1])
        questions = asked_of(texts, steps[-1]["shards"])
        mb_a_shard = (folder / "shard-0.db").stat().st_size / 1e6
        beside = fleet_beside.measured(one, questions, folder)
    return {
        "entries_a_shard": entries,
        "mb_a_shard": round(mb_a_shard, 1),
        "load_of_the_machine": round(load, 1),
        "shards": steps,
        "beside": beside,
        "import": imported(),
    }


def doublings(most: int) -> Iterator[int]:
    """1, 2, 4 and so on."""
    count = 1
    while count <= most:
        yield count
        count *= 2


def opened(path: Path) -> sqlite3.Connection:
    """A new file, without the full model: what it adds is measured elsewhere (`growth`)."""
    db = open_database(path, now=NOW)
    settings.put(db, "embedding_model", "none", now=NOW)
    return db


def made(folder: Path, one: sqlite3.Connection, number: int, entries: int) -> list[str]:
    """Makes a shard, and the same rows in the one file; a text of it for every question that it is asked."""
    first = number * entries + 1
    with closing(opened(folder / f"shard-{number}.db")) as db:
        for each in (db, one):
            zipf.add_sessions(each, zipf.Writer(seed=number), entries, first)
            zipf.add_static(each, range(first, first + entries, 2))
            signatures.refresh(each)
            each.execute("pragma wal_checkpoint(truncate)")
        sql = "select text from entries where id in (select ? + value from json_each(?))"
        places = [entries * place // QUESTIONS for place in range(QUESTIONS)]
        return [row[0] for row in db.execute(sql, [first, str(places)])]


def asked_of(texts: Sequence[str], seed: int) -> list[str]:
    """Questions of the words of some texts, spread over all shards; other ones for each seed."""
    picked = [texts[(place * len(texts)) // QUESTIONS] for place in range(QUESTIONS)]
    return zipf.Writer(seed=1000 + seed).questions(picked)


# ----------------------------------------------------------------------- a step

Way = Callable[[str], Any]
"""How a question is asked; gives the answer."""


def step(
    folder: Path, one: sqlite3.Connection, engines: Mapping[int, Engine], count: int, entries: int, texts: Sequence[str]
) -> dict[str, Any]:
    """The figures of so many shards."""
    catalogue = folder / f"{count}.yml"
    rows = [{"address": f"shard-{number}.db", "person": f"p{number}"} for number in range(count)]
    catalogue.write_text(yaml.safe_dump({"shards": rows}), "utf-8")
    shards = read_catalogue(catalogue)
    ways: dict[str, Way] = {
        "two_workers": in_fleet(Fleet(shards, engines[2])),
        "one_worker": in_fleet(Fleet(shards, engines[1])),
        "one_file": lambda query: ask_one(one, asked(query), surface="bench", now=NOW, log=False),
    }
    for way in ways.values():
        way("warm up")
    questions = asked_of(texts, count)
    new = times_ms(ways, questions)
    again = times_ms({name: ways[name] for name in ("two_workers", "one_file")}, questions)
    others = asked_of(texts, 100 + count)
    total = {name: sum(times) for name, times in new.items()}
    return {
        "shards": count, "entries": count * entries,
        **{f"{name}_p50_ms": quantile(times, 0.5) for name, times in new.items()},
        **{f"{name}_p95_ms": quantile(times, 0.95) for name, times in new.items()},
        **{f"{name}_again_p50_ms": quantile(times, 0.5) for name, times in again.items()},
        "to_one_file": round(total["two_workers"] / total["one_file"], 2),
        "efficiency": round(total["one_worker"] / total["two_workers"] / 2, 2),
        **dict(zip(("asker_processor_ms", "workers_processor_ms"),
                   processor_ms(ways["two_workers"], others, engines[2]), strict=True)),
        "one_file_processor_ms": processor_ms(ways["one_file"], others)[0],
        **moved(Fleet(shards, engines[2]), ways["one_file"], others),
        "largest_worker_mb": round(max(client_of(engines[2]).run(resident_mb).values())),
    }  # fmt: skip


def asked(query: str) -> Question:
    """A question as it is asked of entries."""
    return Question(query, scope="entries")


def in_fleet(fleet: Fleet) -> Way:
    """How a fleet is asked."""
    return lambda query: ask(fleet, asked(query), now=NOW).answer


def times_ms(ways: Mapping[str, Way], questions: Sequence[str]) -> dict[str, list[float]]:
    """Milliseconds of each question; the ways take turns."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for query in questions:
        for name, way in ways.items():
            started = time.perf_counter()
            way(query)
            taken[name].append((time.perf_counter() - started) * 1000)
    return taken


def quantile(values: Sequence[float], share: float) -> float:
    """A quantile, rounded."""
    return round(float(np.quantile(values, share)), 1)


def processor_ms(way: Way, questions: Sequence[str], engine: Engine | None = None) -> tuple[float, float]:
    """Processor time of a question on average, of this process and of an engine's workers.

    What others do on the machine adds nothing to it. This process has Dask's scheduler too.
    """

    def spent() -> tuple[float, float]:
        of_workers = client_of(engine).run(time.process_time).values() if engine else ()
        return time.process_time(), sum(of_workers)

    before = spent()
    for query in questions:
        way(query)
    here, there = (
        round((after - earlier) / len(questions) * 1000, 1) for after, earlier in zip(spent(), before, strict=True)
    )
    return here, there


def client_of(engine: Engine) -> Any:
    """The Dask client of an engine that has one."""
    assert isinstance(engine, OnDask)
    return engine.client


class Counting:
    """An engine that counts what goes to shards and comes back, as it is pickled."""

    dashboard = ""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.there_bytes, self.back_bytes, self.rounds = engine, 0, 0, 0

    def each(self, calls: Mapping[int, Call], deadline_s: float) -> dict[int, Result]:
        """What the engine gives."""
        self.there_bytes += sum(len(pickle.dumps(call)) for call in calls.values())
        found = self.engine.each(calls, deadline_s)
        self.back_bytes += sum(len(pickle.dumps(result)) for result in found.values())
        self.rounds += 1
        return found

    def chains(self, *_: Any) -> None:
        """Not counted. Raises: NotImplementedError."""
        raise NotImplementedError


def moved(fleet: Fleet, in_one: Way, questions: Sequence[str]) -> dict[str, Any]:
    """Kilobytes that a question moves, its rounds, and how many questions have the first hits of the one file."""
    counting = Counting(fleet.engine)
    counted = Fleet(fleet.shards, counting)
    way = in_fleet(counted)
    way("warm up")
    counting.there_bytes = counting.back_bytes = counting.rounds = same = 0
    for query in questions:
        same += first_ten(way(query)) == first_ten(in_one(query))
    return {
        "rounds": round(counting.rounds / len(questions), 1),
        "kb_to_shards": round(counting.there_bytes / len(questions) / 1000, 1),
        "kb_back": round(counting.back_bytes / len(questions) / 1000, 1),
        "questions": len(questions), "same_first_ten": same,
    }  # fmt: skip


def first_ten(answer: Answer) -> list[str]:
    """The first hits of an answer, by names that do not depend on the file."""
    return [hit.uid for hit in answer.shown[:10]]


def resident_mb() -> float:
    """Memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def say(figures: Mapping[str, Any]) -> None:
    """Tells how far it is."""
    print(figures, file=sys.stderr, flush=True)
