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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from bench import fleet_beside, zipf
from bench.fleet_import import imported
from bench.material import NOW
from memory_db.fleet import Fleet, Question, ask, read_catalogue
from memory_db.fleet.catalogue import Shard
from memory_db.fleet.engine import Call, Engine, OnDask, Result, Step, Told, open_engine
from memory_db.index import signatures
from memory_db.recall.brief.select import ask as ask_one
from memory_db.store import settings
from memory_db.store.schema import open_database

ENTRIES = 100_020
"""Entries of a shard: a multiple of a session's, so that no session lies in two files."""

SHARDS = 16

AT_ONCE = 8
"""Shards at most whose answers are set beside one shard's."""

QUESTIONS = 12
"""Questions asked at each size, of words that entries have, and then once more."""

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
        "beside_one_shard": beside_one(steps),
        "load_of_the_machine": round(load, 1),
        "shards": steps,
        "beside": beside,
        "import": imported(),
    }


def beside_one(steps: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the slow end of answers of so many shards is to that of one, where two cores take turns.

    Of 8 shards each core has 4, one after the other: so 8 may take 4 times what one takes; `to_its_turns` is what they
    take to that, of a fleet of one shard (`shard`) and of the bare file with its rows (`file`). At most 8 shards.
    """
    first, last = steps[0], [step for step in steps if step["shards"] <= AT_ONCE][-1]
    turns = -(-last["shards"] // WORKERS[0])
    p95_ms = {"shard": first["two_workers_p95_ms"], "file": first["one_file_p95_ms"]}
    return {
        "shards": last["shards"], "turns": turns, "p95_ms": last["two_workers_p95_ms"],
        **{f"p95_ms_of_one_{name}": ms for name, ms in p95_ms.items()},
        **{f"to_its_turns_of_a_{name}": round(last["two_workers_p95_ms"] / turns / ms, 2)
           for name, ms in p95_ms.items()},
    }  # fmt: skip


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
    counting = Counting(engines[2])
    ways: dict[str, Way] = {
        "two_workers": in_fleet(Fleet(shards, counting)),
        "one_worker": in_fleet(Fleet(shards, engines[1])),
        "one_file": lambda query: ask_one(one, asked(query), surface="bench", now=NOW, log=False),
    }
    for way in ways.values():
        way("warm up")
    questions = asked_of(texts, count)
    counting.begin()
    new = times_ms(ways, questions, engines[2])
    moved = counting.moved(len(questions))
    again = times_ms({name: ways[name] for name in ("two_workers", "one_file")}, questions, None)
    clock, processor = new.clock_ms, new.processor_ms
    total = {name: sum(times) for name, times in clock.items()}
    return {
        "shards": count, "entries": count * entries, "questions": len(questions),
        **{f"{name}_p50_ms": quantile(times, 0.5) for name, times in clock.items()},
        **{f"{name}_p95_ms": quantile(times, 0.95) for name, times in clock.items()},
        **{f"{name}_again_p50_ms": quantile(times, 0.5) for name, times in again.clock_ms.items()},
        "to_one_file": round(total["two_workers"] / total["one_file"], 2),
        "efficiency": round(total["one_worker"] / total["two_workers"] / 2, 2),
        "asker_processor_ms": mean(processor["two_workers"]), "workers_processor_ms": mean(new.workers_ms),
        "one_file_processor_ms": mean(processor["one_file"]), **moved,
        "largest_worker_mb": round(max(client_of(engines[2]).run(resident_mb).values())),
        "same_first_ten": sum(
            one == other for one, other in zip(again.first_ten["two_workers"], again.first_ten["one_file"], strict=True)
        ),
    }  # fmt: skip


def asked(query: str) -> Question:
    """A question as it is asked of entries."""
    return Question(query, scope="entries")


def in_fleet(fleet: Fleet) -> Way:
    """How a fleet is asked."""
    return lambda query: ask(fleet, asked(query), now=NOW).answer


@dataclass(slots=True)
class Taken:
    """What each question took in each way, and its first ten hits; `workers_ms` is that of `two_workers`.

    Processor time is of this process, which has Dask's scheduler too, or of the workers: what others do on the machine
    adds nothing to it.
    """

    clock_ms: dict[str, list[float]]
    processor_ms: dict[str, list[float]]
    first_ten: dict[str, list[list[str]]]
    workers_ms: list[float]


def times_ms(ways: Mapping[str, Way], questions: Sequence[str], engine: Engine | None) -> Taken:
    """What questions take, the ways in turns; the work of an engine's workers is counted where one is given."""
    taken = Taken(*({name: [] for name in ways} for _ in range(3)), workers_ms=[])
    for query in questions:
        for name, way in ways.items():
            of_workers = engine if name == "two_workers" else None
            before = workers_s(of_workers)
            started = time.perf_counter(), time.process_time()
            answer = way(query)
            ended = time.perf_counter(), time.process_time()
            clock, processor = ((end - start) * 1000 for start, end in zip(started, ended, strict=True))
            taken.clock_ms[name].append(clock)
            taken.processor_ms[name].append(processor)
            taken.first_ten[name].append([hit.uid for hit in answer.shown[:10]])
            if of_workers:
                taken.workers_ms.append((workers_s(of_workers) - before) * 1000)
    return taken


def workers_s(engine: Engine | None) -> float:
    """Seconds of the processor that the workers of an engine have taken so far."""
    return float(sum(client_of(engine).run(time.process_time).values())) if engine else 0.0


def mean(values: Sequence[float]) -> float:
    """The mean, rounded."""
    return round(float(np.mean(values)), 1)


def quantile(values: Sequence[float], share: float) -> float:
    """A quantile, rounded."""
    return round(float(np.quantile(values, share)), 1)


def client_of(engine: Engine) -> Any:
    """The Dask client of an engine that has one."""
    assert isinstance(engine, OnDask)
    return engine.client


class Counting:
    """An engine that keeps what goes to shards and comes back, to be counted as it is pickled."""

    dashboard = ""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.begin()

    def begin(self) -> None:
        """Forgets what was kept."""
        self.there: list[Call] = []
        self.back: list[Result] = []
        self.rounds = 0

    def each(self, calls: Mapping[int, Call], deadline_s: float) -> dict[int, Result]:
        """What the engine gives."""
        found = self.engine.each(calls, deadline_s)
        self.there += calls.values()
        self.back += found.values()
        self.rounds += 1
        return found

    def chains(self, chains: Mapping[Shard, Iterator[Step]], told: Told) -> None:
        """What the engine does, not counted: no question asks for it."""
        self.engine.chains(chains, told)

    def moved(self, questions: int) -> dict[str, float]:
        """Rounds of a question on average, and the kilobytes that it moves to all shards and back."""
        there, back = (sum(len(pickle.dumps(each)) for each in some) for some in (self.there, self.back))
        found = {
            "rounds": round(self.rounds / questions, 1), "kb_to_shards": round(there / questions / 1000, 1),
            "kb_back": round(back / questions / 1000, 1),
        }  # fmt: skip
        self.begin()
        return found


def resident_mb() -> float:
    """Memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def say(figures: Mapping[str, Any]) -> None:
    """Tells how far it is."""
    print(figures, file=sys.stderr, flush=True)
