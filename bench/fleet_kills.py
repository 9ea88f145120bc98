"""SIGKILL while two files become one, and while transcripts become shards: what is lost, and what is there twice.

`python -m bench fleet_kills [--kills N] [--seed S]`. Two fifths hit `file merge` and two fifths `file fleet import`, as
`kills` does it: the command is killed, looked at, given again and compared with runs that nobody disturbed. The last
fifth hits a worker of a Dask cluster in the middle of an import, which has to end well all the same, with the rows of
an import that nobody disturbed; then once more, which may add none.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import yaml

from bench import kills as commands
from bench.fleet import client_of
from bench.kill_cases import CASES
from bench.kill_states import Rows, broken, is_log, told_by
from bench.material import NOW
from memory_db.fleet import Fleet, import_transcripts, read_catalogue
from memory_db.fleet.engine import Engine, open_engine
from memory_db.sample.build import SESSIONS, write_history
from memory_db.store import settings
from memory_db.store.schema import open_database

KILLS = 200

KILLED = ("merge", "fleet import")

SHARDS, DIALOGUES = 3, 2
"""Shards that workers import into, and sessions of each."""


def measured(kills: int = KILLS, seed: int = 1) -> dict[str, Any]:
    """Kills and faults, of commands and of workers."""
    of_workers = kills // 5
    cases = tuple(case for case in CASES if case.name in KILLED)
    return {
        "kills": kills,
        "commands": commands.measured(kills - of_workers, seed, cases),
        "workers": in_workers(of_workers, seed),
    }


def in_workers(kills: int, seed: int = 1) -> dict[str, Any]:
    """Imports of which a worker is killed: how many, and what is wrong with the shards afterwards."""
    chance = random.Random(seed)
    faults: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for number in range(SHARDS):
            write_history(folder / f"history-{number}", sorted(SESSIONS.glob("*.yaml"))[number::SHARDS][:DIALOGUES])
        with open_engine(workers=2) as engine:
            started = time.perf_counter()
            calm = imported(folder, "calm", engine)
            took_s = time.perf_counter() - started
        done = tries = 0
        while done < kills and tries < kills * commands.ATTEMPTS:
            tries += 1
            name = f"killed-{tries}"
            with open_engine(workers=2) as engine:  # a new one: on a busy machine a worker may take minutes to be back
                was_killed = killed(engine, chance.uniform(0, took_s), chance)
                found = imported(folder, name, engine)
                if not was_killed():
                    continue
                again = imported(folder, name, engine)
            done += 1
            for sort, what in (*faults_of(found, calm), *faults_of(again, calm)):
                faults[sort] += 1
                print(f"kill {done} of a worker: {sort}: {what}", file=sys.stderr)
    return {"kills": done, "ended_before_their_moment": tries - done, "faults": {sort: faults[sort] for sort in SORTS}}


SORTS = ("shards that were left", "files that are damaged", "rows lost", "rows twice or other rows")


def killed(engine: Engine, moment_s: float, chance: random.Random) -> Any:
    """Kills a worker after so many seconds; gives whether that came before it was asked."""
    pid = chance.choice(sorted(client_of(engine).run(os.getpid).values()))
    is_over, hit = threading.Event(), list[int]()

    def wait() -> None:
        if not is_over.wait(moment_s):
            os.kill(pid, signal.SIGKILL)
            hit.append(pid)

    thread = threading.Thread(target=wait)
    thread.start()

    def was_killed() -> bool:
        is_over.set()
        thread.join()
        return bool(hit)

    return was_killed


def imported(folder: Path, name: str, engine: Engine) -> dict[str, Any]:
    """What a folder of shards has after an import into it: why shards were left, and of each what is wrong and its
    rows."""
    (folder / name).mkdir(exist_ok=True)
    rows = [
        {"address": f"{name}/shard-{number}.db", "person": f"p{number}", "transcripts": f"history-{number}"}
        for number in range(SHARDS)
    ]
    catalogue = folder / f"{name}.yml"
    catalogue.write_text(yaml.safe_dump({"shards": rows}), "utf-8")
    shards = read_catalogue(catalogue)
    for shard in shards:
        with closing(open_database(Path(shard.address), now=NOW)) as db:
            settings.put(db, "embedding_model", "none", now=NOW)
    with contextlib.redirect_stderr(io.StringIO()):
        done = import_transcripts(Fleet(shards, engine), now=NOW)
    paths = [Path(shard.address) for shard in shards]
    return {
        "left": [str(each) for each in done.missing],
        "broken": "; ".join(filter(None, map(broken, paths))),
        "shards": [told_by(path) for path in paths],
    }


def faults_of(found: dict[str, Any], calm: dict[str, Any]) -> list[tuple[str, str]]:
    """What is wrong with shards, beside those of an import that nobody disturbed."""
    faults = [(SORTS[0], each) for each in found["left"]]
    if found["broken"]:
        faults.append((SORTS[1], found["broken"]))
    for (rows, counts), (wanted, wanted_counts) in zip(found["shards"], calm["shards"], strict=True):
        faults += [(SORTS[2], each) for each in differing(wanted, rows)]
        faults += [(SORTS[3], each) for each in differing(rows, wanted)]
        faults += [
            (SORTS[3], f"{name} has {counts.get(name)} rows, not {count}")
            for name, count in wanted_counts.items()
            if not is_log(name) and counts.get(name) != count
        ]
    return faults


def differing(more: Rows, fewer: Rows) -> list[str]:
    """The tables of which one has rows that the other has not, each with the first of them."""
    return [
        f"{name}: {next(iter(over))[:200]} and {over.total() - 1} more"
        for name, rows in more.items()
        if (over := rows - fewer.get(name, Counter()))
    ]
