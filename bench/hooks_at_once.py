"""Eight hooks at once, alone and while an import and two extractions write: what became of each, how long it took.

`python -m bench.hooks_at_once [ROUNDS] [COPIES]` prints as JSON, for both: how many hooks ran, which share answered,
and how many told of themselves, in the file or beside it; outcomes and durations as they told them, with the share that
was late; and, where others write, for how long the write lock was away from another process that asked for it all the
time. `load` is how many processes waited for a processor when it began and when it ended. `--watch FILE` is that other
process, `--extract FILE` the one whose model answers at once. Nothing here passes or fails.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import llm

import memory_db
from bench.material import NOW
from bench.recall_speed import QUERIES
from memory_db.extract.model.jobs import PROMPT_OF_WORKERS, waiting
from memory_db.extract.model.prompts import load_prompt
from memory_db.extract.model.runs import ExtractionOrder, read_sessions
from memory_db.hooks.clock import LATE
from memory_db.recall.brief import spool
from memory_db.sample.build import write_history
from memory_db.sample.file import ensure_sample
from memory_db.store.connection import connect, transaction
from memory_db.store.schema import open_database

HOOK = (sys.executable, "-I", "-S", str(Path(memory_db.__file__).with_name("hook.py")), "user-prompt")

PROMPTS = ("commit this and push", *QUERIES)
"""What is asked: first what a rule that holds everywhere answers, for these hooks come from no project."""

AT_ONCE = 8


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
    path: Path, commands: Sequence[Sequence[str]], rounds: int, deadline_ms: int | None = None
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
                [*HOOK, "-d", str(path), *(["--deadline-ms", str(deadline_ms)] if deadline_ms else [])],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
            hooks.append((hook, {"prompt": PROMPTS[number % len(PROMPTS)], "session_id": str(uuid4())}))
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


class Answering(llm.Model):
    """A model that answers at once, with the first lines that it was given as memories; it reads small portions."""

    model_id = "answering"
    can_stream = False
    supports_schema = True
    portion_tokens = 600

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any) -> Iterator[str]:
        """An answer of ten memories, whose quotes need not stand in what was read."""
        memories = [
            {"kind": "fact", "scope": "project", "title": "", "text": f"It was said: {line[:200]}", "quote": line[:80],
             "entry": 1, "keys": [], "importance": 3, "condition": "", "supersedes": ""}
            for line in prompt.prompt.splitlines()[:10]
        ]  # fmt: skip
        yield json.dumps({"memories": memories, "episode": {"asked": "", "learned": "", "done": "", "next": ""}})


def extract(path: Path) -> None:
    """Reads every session of a file by that model, two at a time."""
    prompt, model = load_prompt(PROMPT_OF_WORKERS), Answering()
    with closing(connect(path)) as db:
        sessions = waiting(db, prompt, model.model_id)
    order = ExtractionOrder(prompt, model, sessions, workers=2)
    read_sessions(path, order, clock=lambda: datetime.now(UTC), stop=threading.Event())


def watch(path: Path) -> None:
    """Asks for the write lock as a hook does, until it is ended; prints how many milliseconds it waited each time."""
    with closing(connect(path, write=True, busy_ms=60_000)) as db:
        while True:
            started = time.perf_counter()
            with transaction(db):
                waited_ms = (time.perf_counter() - started) * 1000
            print(waited_ms, flush=True)
            time.sleep(0.005)


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, 95th percentile and maximum."""
    return {
        "p50": round(statistics.median(values), 1),
        "p95": round(statistics.quantiles(values, n=20)[-1], 1),
        "max": round(max(values), 1),
    }


def measured(rounds: int = 10, copies: int = 20) -> dict[str, Any]:
    """Shares, outcomes by reason and durations of the runs, alone and while others write."""
    with tempfile.TemporaryDirectory() as folder:
        path = ensure_sample(Path(folder), now=NOW)
        load = [round(os.getloadavg()[0], 1)]
        alone = run_and_collect(path, lambda: hooks_at_once(path, [], rounds))
        own = [sys.executable, "-m", "bench.hooks_at_once"]
        commands = [*writing(path, copied_history(Path(folder) / "history", copies)), [*own, "--extract", str(path)]]
        with (Path(folder) / "waits").open("w+") as output:
            watcher = subprocess.Popen([*own, "--watch", str(path)], stdout=output)
            try:
                busy = run_and_collect(path, lambda: hooks_at_once(path, commands, rounds))
            finally:
                watcher.kill()
                watcher.wait()
            output.seek(0)
            waits = [float(line) for line in output if line.endswith("\n")]
        load.append(round(os.getloadavg()[0], 1))
    return {
        "processors": os.cpu_count(),
        "load": load,
        "alone": alone,
        "while others write": {**busy, "asked_for_the_lock": len(waits), "wait_ms": spread(waits)},
    }


def run_and_collect(path: Path, run: Callable[[], list[tuple[int, bytes, bytes]]]) -> dict[str, Any]:
    """Runs hooks, and gives what they answered and told of themselves."""
    with closing(open_database(path, now=NOW)) as db:
        before = db.execute("select coalesce(max(id), 0) from hook_runs").fetchone()[0]
    ended = run()
    with closing(open_database(path, now=NOW)) as db:
        spooled = spool.take_in(db, path, now=datetime.now(UTC))["lines"]
        runs = db.execute("select * from hook_runs where id > ?", [before]).fetchall()
    outcomes = Counter(f"{row['outcome']} {row['reason']}".strip() for row in runs)
    return {
        "runs": len(ended),
        "answered_share": round(sum(bool(output) for _, output, _ in ended) / len(ended), 3),
        "ended_by_deadline_share": round(sum(row["error"] == "DeadlineError" for row in runs) / len(ended), 3),
        "late_share": round(sum(row["reason"] == LATE for row in runs) / len(ended), 3),
        "with_another_exit_code_or_errors": sum(bool(code or errors) for code, _, errors in ended),
        "told_of_themselves": len(runs),
        "beside_the_file_until_the_end": spooled,
        "outcomes": dict(outcomes.most_common()),
        "duration_ms": spread([row["duration_ms"] for row in runs if row["duration_ms"] is not None]),
    }


if __name__ == "__main__":
    if sys.argv[1:2] == ["--watch"]:
        watch(Path(sys.argv[2]))
    elif sys.argv[1:2] == ["--extract"]:
        extract(Path(sys.argv[2]))
    else:
        print(json.dumps(measured(*map(int, sys.argv[1:3])), indent=2))
