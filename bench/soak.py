"""One file, and everybody at once for a given time: what was lost, what was locked out, what failed.

`python -m bench soak [--minutes M] [--seed S]`. Two sessions write transcripts while they are read; hooks come eight at
once and twice as many as there are processors; an importer, a worker (and those that hooks start), a server with two
readers, `recall`, `add` with `memory forget`, and `file backup` work on the same file, all as processes of the real
commands. In the end everything is taken in, and compared with what was written, answered and added.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from bench import soak_actors as actors
from bench.hooks_at_once import spread
from bench.soak_actors import LOCKED, Ground, Log, run
from memory_db.hooks.clock import LATE
from memory_db.sample.build import write_history
from memory_db.store.connection import connect
from memory_db.upkeep.check import check
from memory_db.upkeep.worker import WorkerBusyError, only_worker

WRITERS = 2

RUN_OF = "select outcome, reason, error, duration_ms, recall_id from hook_runs where session_uid = ?"

TRACEBACK = "Traceback (most recent"

WAITS_S = 180
"""How long those that hooks started may take in the end."""


def measured(minutes: float = 30, seed: int = 1, *, with_model: bool = True) -> dict[str, Any]:
    """Counts of what ran, and of what was lost, locked and broken. `with_model` embeds, as it ships."""
    load = [round(os.getloadavg()[0], 1)]
    log = Log()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "transcripts").mkdir()
        ground = Ground(
            home / "memory.db", home / "transcripts", home, seed, 1.0 if minutes >= 1 else 0.2, threading.Event()
        )
        if not with_model:
            run(ground, "settings", "embedding_model", "none")
        write_history(home / "history")
        log.ended("run", run(ground, "run", "--dir", str(home / "history")))
        with writers(ground, log), server(ground, log) as port:
            others = (actors.hooks, actors.importer, actors.worker, actors.adder, actors.asker, actors.backups)
            threads = [threading.Thread(target=each, args=(ground, log)) for each in others]
            threads += [threading.Thread(target=actors.reader, args=(ground, log, port)) for _ in range(2)]
            for each in threads:
                each.start()
            for _ in range(max(1, round(minutes * 2))):
                time.sleep(min(30, minutes * 60))
                load.append(round(os.getloadavg()[0], 1))
            ground.stop.set()
            for each in threads:
                each.join()
        settle(ground, log)
        return figures(ground, log, minutes, load)


@contextlib.contextmanager
def writers(ground: Ground, log: Log) -> Iterator[None]:
    """Two processes that write transcripts, for as long as a block lasts."""
    stop = ground.folder / "stop"
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "bench.soak", "--write", str(ground.transcripts), str(ground.seed * 10 + number),
             str(stop)],
            stderr=subprocess.PIPE, text=True,
        )
        for number in range(WRITERS)
    ]  # fmt: skip
    try:
        yield
    finally:
        stop.touch()
        for each in processes:
            _, errors = each.communicate(timeout=60)
            log.said.append(errors)
            if each.returncode:
                log.troubles.append(f"a writer ended with {each.returncode}")


@contextlib.contextmanager
def server(ground: Ground, log: Log) -> Iterator[int]:
    """`memory-db serve` for as long as a block lasts; its port."""
    with (ground.folder / "server").open("w+") as errors:
        process = subprocess.Popen(
            [*actors.COMMAND, "-d", str(ground.path), "serve", "--port", "0", "--open-to-this-machine"],
            stdout=subprocess.PIPE, stderr=errors, text=True, env=ground.environment(), cwd=ground.folder,
        )  # fmt: skip
        assert process.stdout
        found = None
        while found is None and (line := process.stdout.readline()):
            found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        try:
            yield int(found[1]) if found else 0
        finally:
            if process.poll() is not None:
                log.troubles.append(f"the server ended with {process.returncode}")
            process.terminate()
            process.wait(60)
            process.stdout.close()
            errors.seek(0)
            log.said.append(errors.read())


def settle(ground: Ground, log: Log) -> None:
    """Waits for the workers that hooks started, then takes in what was written last, and what waits beside the file."""
    time.sleep(2)  # one that was just started has the lock by then
    until = time.monotonic() + WAITS_S
    while time.monotonic() < until:
        with contextlib.suppress(WorkerBusyError), only_worker(ground.path):
            break
        time.sleep(0.2)
    log.ended("run", run(ground, "run", "--dir", str(ground.transcripts)))
    log.ended("work", run(ground, "work", "--once"))


def figures(ground: Ground, log: Log, minutes: float, load: list[float]) -> dict[str, Any]:
    """What everybody did, and what is wrong."""
    written = written_lines(ground.transcripts)
    with closing(connect(ground.path, write=True)) as db:
        lines = lines_lost(db, written)
        hooks, rows_of_hooks = hooks_told(db, log)
        gone = [uid for uid in log.added if uid not in log.forgotten
                and not db.execute("select 1 from memories where uid = ?", [uid]).fetchone()]  # fmt: skip
        there = [uid for uid in log.forgotten if db.execute("select 1 from memories where uid = ?", [uid]).fetchone()]
        logged = [str(row[0]) for row in db.execute("select error from runs where error is not null union all"
                  " select coalesce(reason, '') || ' ' || error from hook_runs where error is not null union all"
                  " select last_error from jobs where last_error is not null")]  # fmt: skip
        integrity = [row[0] for row in db.execute("pragma integrity_check(5)")]
        disagreements = check(db)
    everything = [*log.said, *(each.errors.decode(errors="replace") for each in log.hooks)]
    locked = sum(bool(LOCKED.search(text)) for text in everything)
    tracebacks = sum(text.count(TRACEBACK) for text in everything)
    printed = [each.errors.decode(errors="replace")[-1500:] for each in log.hooks if each.errors]
    printed += [text[text.index(TRACEBACK) :][:5000] for text in log.said if TRACEBACK in text]
    for each in [*log.troubles, *printed, *(str(each) for each in disagreements), *lines["examples"]][:40]:
        print(each, file=sys.stderr)
    return {
        "minutes": minutes,
        "seed": ground.seed,
        "lost": {
            "lines written": len(written), "lines not in the file": lines["lost"],
            "lines with another text": lines["other"],
            "recalls shown by hooks, not logged": rows_of_hooks["recalls lost"],
            "hooks that answered, without a row": rows_of_hooks["rows lost"],
            "memories added": len(log.added), "memories lost": len(gone),
            "memories forgotten": len(log.forgotten), "forgotten, still there": len(there),
        },
        "wrong": {
            "commands locked out": locked,
            "runs and hooks that logged a lock": sum(bool(LOCKED.search(text)) for text in logged),
            "tracebacks": tracebacks,
            "hooks with errors or another code": sum(bool(each.errors or each.code) for each in log.hooks),
            "commands that failed, pages that did": len(log.troubles),
            "integrity": integrity[0] if len(integrity) == 1 else len(integrity),
            "file check, disagreements": len(disagreements),
        },
        "hooks": hooks,
        "ran": {**dict(sorted(log.commands.items())), **{f"pages {name}": log.statuses[name] for name in log.statuses}},
        "load": {"first": load[0], **spread(load[1:] * 2)},
    }  # fmt: skip


def written_lines(folder: Path) -> dict[str, str]:
    """The text of every line that was written, by its uuid."""
    found = {}
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            record = json.loads(line)
            found[record["uuid"]] = record["message"]["content"]
    return found


def lines_lost(db: sqlite3.Connection, written: dict[str, str]) -> dict[str, Any]:
    """How many lines are not in the file, or with another text."""
    stored = {row["uid"]: row["text"] for row in db.execute("select uid, text from entries")}
    lost = [uid for uid in written if uid not in stored]
    other = [uid for uid, text in written.items() if uid in stored and stored[uid].split() != text.split()]
    examples = [f"lost: {uid}" for uid in lost[:3]]
    examples += [f"{written[uid][:150]!r} is stored as {stored[uid][:150]!r}" for uid in other[:3]]
    return {"lost": len(lost), "other": len(other), "examples": examples}


def hooks_told(db: sqlite3.Connection, log: Log) -> tuple[dict[str, Any], Counter[str]]:
    """What became of hooks by how many came at once, as their rows tell; and which answered ones have no row."""
    lost: Counter[str] = Counter()
    told: dict[str, Any] = {}
    for at_once in sorted({each.at_once for each in log.hooks}):
        outcomes: Counter[str] = Counter()
        durations = []
        ended = [each for each in log.hooks if each.at_once == at_once]
        for each in ended:
            row = db.execute(RUN_OF, [each.session_uid]).fetchone()
            if each.output and row is None:
                lost["rows lost"] += 1
            shown = re.search(rb'recall=\\"(r[0-9a-f]{8})', each.output)
            if shown and not db.execute("select 1 from recalls where uid = ?", [shown[1].decode()]).fetchone():
                lost["recalls lost"] += 1
            if row is None:
                outcomes["without a row"] += 1
                continue
            outcomes[f"{row['outcome']}: {row['error'] or 'late'}" if row["outcome"] == "failed" else
                     f"late, {row['outcome']}" if row["reason"] == LATE else row["outcome"]] += 1  # fmt: skip
            durations.append(row["duration_ms"] or 0.0)
        answered = sum(number for name, number in outcomes.items() if not name.startswith(("failed", "without")))
        told[f"{at_once} at once"] = {
            "started": len(ended), "answered": answered, "answered share": round(answered / max(1, len(ended)), 3),
            "shown something": sum(bool(each.output) for each in ended),
            "late": sum(number for name, number in outcomes.items() if name.startswith("late")),
            **{f"outcome {name}": number for name, number in sorted(outcomes.items())},
            "duration ms p50": spread(durations)["p50"] if len(durations) > 1 else 0,
            "duration ms p95": spread(durations)["p95"] if len(durations) > 1 else 0,
        }  # fmt: skip
    return told, lost


if __name__ == "__main__" and sys.argv[1:2] == ["--write"]:
    actors.write_sessions(Path(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
