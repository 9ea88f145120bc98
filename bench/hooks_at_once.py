"""Eight hooks at once while an import and an extraction write: what became of each run, and how long it took.

`python -m bench.hooks_at_once [ROUNDS] [COPIES]` prints outcomes and durations as the file itself tells them, and for
how long the write lock was away from somebody who asked for it all the time. Nothing here passes or fails.
"""

from __future__ import annotations

import json
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import memory_db
from bench.material import NOW
from bench.recall_speed import QUERIES
from memory_db import spool
from memory_db.db import open_database
from memory_db.sample.build import write_history
from memory_db.samples import ensure_sample

HOOK = Path(memory_db.__file__).with_name("hook.py")

AT_ONCE = 8

OUTCOMES = "select outcome, reason, count(*) from hook_runs group by outcome, reason order by 3 desc"


def copied_history(folder: Path, copies: int) -> Path:
    """The sample history as often as wanted, each time as other sessions of other records."""
    write_history(folder / "0")
    for number in range(1, copies + 1):
        for path in sorted((folder / "0").rglob("*.jsonl")):
            target = folder / "copies" / str(number) / path.relative_to(folder / "0")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("".join(renamed(line, number) for line in path.read_text("utf-8").splitlines()), "utf-8")
    return folder / "copies"


def renamed(line: str, number: int) -> str:
    """A record of a transcript under other names; what is no record stays as it is."""
    try:
        record = json.loads(line)
    except ValueError:
        return f"{line}\n"
    for name in ("uuid", "parentUuid", "sessionId", "leafUuid", "requestId"):
        if isinstance(record, dict) and isinstance(record.get(name), str):
            record[name] = f"{record[name][:-3]}{number:03d}"
    return f"{json.dumps(record)}\n"


def hooks_at_once(
    path: Path, commands: Sequence[Sequence[str]], rounds: int, deadline_ms: int = 300
) -> list[tuple[int, bytes, bytes]]:
    """Runs the commands, and eight hooks at a time until they have ended, at least so many rounds.

    Gives code, output and errors of each hook. Raises: CalledProcessError where a command fails.
    """
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for command in commands]
    ended: list[tuple[int, bytes, bytes]] = []
    turn = 0
    while turn < rounds or any(each.poll() is None for each in running):
        hooks = []
        for number in range(AT_ONCE):
            hook = subprocess.Popen(
                [sys.executable, "-I", "-S", str(HOOK), "user-prompt", "-d", str(path), "--deadline-ms", str(deadline_ms)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
            hooks.append((hook, {"prompt": QUERIES[number % len(QUERIES)], "session_id": f"at-once-{turn}-{number}"}))
        for hook, payload in hooks:
            output, errors = hook.communicate(json.dumps(payload).encode())
            ended.append((hook.returncode, output, errors))
        turn += 1
    for each in running:
        _, errors = each.communicate()
        if each.returncode:
            raise subprocess.CalledProcessError(each.returncode, each.args, stderr=errors)
    return ended


def writing(path: Path, folder: Path) -> list[list[str]]:
    """The commands that write meanwhile: an import of these transcripts, and what finds memories in them."""
    command = [sys.executable, "-m", "memory_db"]
    folders = [part for each in sorted(folder.iterdir()) for part in ("--dir", str(each))]
    return [
        [*command, "import", "claude-code", *folders, "-d", str(path)],
        [*command, "extract", "-d", str(path)],
    ]


def lock_waits(path: Path, seconds: float) -> list[float]:
    """How long in milliseconds each of many attempts had to wait for the write lock."""
    waits = []
    until = time.perf_counter() + seconds
    with closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as db:
        while time.perf_counter() < until:
            started = time.perf_counter()
            db.execute("begin immediate")
            waits.append((time.perf_counter() - started) * 1000)
            db.execute("rollback")
            time.sleep(0.005)
    return waits


def measured(rounds: int = 10, copies: int = 20) -> dict[str, object]:
    """Outcomes by reason, durations of the runs, and the longest waits for the write lock."""
    with tempfile.TemporaryDirectory() as folder:
        path = ensure_sample(Path(folder), now=NOW)
        history = copied_history(Path(folder) / "history", copies)
        commands = writing(path, history)
        watch = [sys.executable, "-m", "bench.hooks_at_once", "--watch", str(path)]
        watcher = subprocess.Popen(watch, stdout=subprocess.PIPE)
        ended = hooks_at_once(path, commands, rounds)
        watcher.terminate()
        with closing(open_database(path, now=NOW)) as db:
            spool.take_in(db, path, now=datetime.now(UTC))
            outcomes = {f"{row[0]} {row[1]}".strip(): row[2] for row in db.execute(OUTCOMES)}
            took = [row[0] for row in db.execute("select duration_ms from hook_runs where duration_ms is not null")]
    return {
        "runs": len(ended),
        "runs that tell of themselves": sum(outcomes.values()),
        "outcomes": outcomes,
        "duration_ms": {"p50": statistics.median(took), "p95": statistics.quantiles(took, n=20)[-1], "max": max(took)},
    }


if __name__ == "__main__":
    print(json.dumps(measured(*map(int, sys.argv[1:3])), indent=2))
