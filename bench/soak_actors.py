"""Who works on one file at the same time: sessions that write, hooks, an importer, a worker, readers and the rest.

In: a `Ground` (the file and its surroundings) and when to stop. Out: what each did, as a `Log` that all share.
Invariant: everything is a real process of a real command; this one only starts them and notes how they ended.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import memory_db
from bench.material import varied_texts
from bench.recall_speed import QUERIES

HOOK = (sys.executable, "-I", "-S", str(Path(memory_db.__file__).with_name("hook.py")))

COMMAND = (sys.executable, "-m", "memory_db")

FOLDERS = ("/home/sam/code/tidepool", "/home/sam/work/quayside", "/home/sam/code/lanternfish")
"""Where sessions work: projects of the sample."""

AT_ONCE = 8

EVENTS = {
    "user-prompt": "UserPromptSubmit", "pre-tool-use": "PreToolUse", "session-start": "SessionStart", "stop": "Stop",
    "session-end": "SessionEnd",
}  # fmt: skip

TURN = (
    "user-prompt",
    "pre-tool-use",
    "user-prompt",
    "stop",
    "user-prompt",
    "session-start",
    "user-prompt",
    "session-end",
)
"""The hooks of a turn; a shorter turn has the first of them."""

PAGES = (
    "/-/memory", "/-/memory/recalls", "/-/memory/timeline", "/-/memory/graph", "/-/memory/economics",
    "/-/memory/review", "/-/memory/health", "/-/memory/preferences", "/-/memory/stats.json", "/-/memory/memories.json",
    "/-/memory/recall?q=which+port+does+postgres+use", "/-/memory/projects.json",
)  # fmt: skip

LOCKED = re.compile(r"is locked|BusyError")
"""What SQLite says of a lock, and what we make of it. A worker that finds another one says something else."""

LONGEST_S = 1_200
"""How long a command may take: embedding what was written waits for a processor like everybody."""

SESSION_LINES = 120
"""Lines after which a writer begins another session."""


@dataclass(frozen=True, slots=True)
class Ground:
    """A file, its surroundings, and how long the others pause between two commands (short runs hurry)."""

    path: Path
    transcripts: Path
    folder: Path
    seed: int
    pause_s: float
    stop: threading.Event

    def environment(self) -> dict[str, str]:
        """A home of its own, and nothing that names another file."""
        kept = {name: value for name, value in os.environ.items() if name not in ("MEMORY_DB", "CLAUDE_CONFIG_DIR")}
        return {**kept, "HOME": str(self.folder)}


@dataclass(frozen=True, slots=True)
class HookEnd:
    """How one hook ended: which it was, for which session, among how many at once, and what it printed."""

    hook: str
    session_uid: str
    at_once: int
    code: int
    output: bytes
    errors: bytes


@dataclass(slots=True)
class Log:
    """What all did. Appending is safe between threads."""

    hooks: list[HookEnd] = field(default_factory=list)
    commands: Counter[str] = field(default_factory=Counter)
    said: list[str] = field(default_factory=list)
    added: dict[str, str] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)
    statuses: Counter[str] = field(default_factory=Counter)
    troubles: list[str] = field(default_factory=list)

    def ended(self, name: str, done: subprocess.CompletedProcess[str], *codes: int) -> None:
        """Notes how a command ended; another code than these is trouble."""
        self.commands[name] += 1
        self.said.append(done.stderr)
        if done.returncode not in (codes or (0,)):
            self.troubles.append(f"{name}: code {done.returncode}: {done.stderr.strip()[-300:]}")


def run(ground: Ground, *words: str) -> subprocess.CompletedProcess[str]:
    """One command on the file, to its end; what takes too long is ended, and told as trouble by whoever notes it."""
    command = [*COMMAND, "-d", str(ground.path), *words]
    try:
        return subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False, env=ground.environment(),
            cwd=ground.folder, timeout=LONGEST_S, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, -1, "", f"not done after {LONGEST_S} s")


# ------------------------------------------------------------------ sessions that write


def write_sessions(folder: Path, seed: int, stop: Path) -> None:
    """Appends lines to transcripts until a file says stop: each flushed, every other one in two halves."""
    chance = random.Random(seed)
    for number, text in enumerate(varied_texts(1_000_000, seed=seed)):
        if stop.exists():
            return
        session, place = number // SESSION_LINES, FOLDERS[number // SESSION_LINES % len(FOLDERS)]
        uid = str(UUID(int=seed * 10**12 + session))
        path = folder / place.replace("/", "-") / f"{uid}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        role = "user" if number % 2 == 0 else "assistant"
        line = json.dumps({
            "type": role, "uuid": str(UUID(int=seed * 10**12 + 10**9 + number)), "sessionId": uid, "cwd": place,
            "version": "2.0.0", "timestamp": datetime.now(UTC).isoformat(), "message": {"role": role, "content": text},
        }) + "\n"  # fmt: skip
        with path.open("a", encoding="utf-8") as file:
            if number % 2:
                file.write(line[: len(line) // 2])
                file.flush()
                time.sleep(chance.uniform(0.005, 0.05))
                line = line[len(line) // 2 :]
            file.write(line)
        time.sleep(chance.uniform(0.05, 0.4))


# ------------------------------------------------------------------------------- hooks


def hooks(ground: Ground, log: Log) -> None:
    """Turns of hooks at once: eight, and then twice as many as there are processors."""
    chance = random.Random(ground.seed)
    turns = (AT_ONCE, 2 * (os.cpu_count() or 1))
    number = 0
    while not ground.stop.is_set():
        at_once = turns[number % len(turns)]
        started = [start_hook(ground, TURN[each % len(TURN)], chance) for each in range(at_once)]
        for process, _, payload in started:
            assert process.stdin
            process.stdin.write(payload)
            process.stdin.close()
            process.stdin = None
        for process, hook, payload in started:
            output, errors = process.communicate(timeout=120)
            session_uid = json.loads(payload)["session_id"]
            log.hooks.append(HookEnd(hook, session_uid, at_once, process.returncode, output, errors))
        number += 1
        ground.stop.wait(chance.uniform(0.5, 1.5) * ground.pause_s)


def start_hook(ground: Ground, hook: str, chance: random.Random) -> tuple[subprocess.Popen[bytes], str, bytes]:
    """A hook as an agent starts it, with the payload it is to read."""
    known = sorted(ground.transcripts.rglob("*.jsonl"))
    more: dict[str, Any] = {
        "user-prompt": {"prompt": chance.choice(QUERIES)},
        "pre-tool-use": {"tool_name": "Bash", "tool_input": {"command": "git status"}, "tool_use_id": "toolu_01"},
        "session-start": {"source": "startup"},
        "stop": {"last_assistant_message": "The port is 5433.", "stop_hook_active": False},
        "session-end": {"reason": "other"},
    }[hook]
    payload = {
        "session_id": str(UUID(int=chance.getrandbits(128))), "cwd": chance.choice(FOLDERS),
        "permission_mode": "default", "transcript_path": str(chance.choice(known)) if known else "",
        "hook_event_name": EVENTS[hook], **more,
    }  # fmt: skip
    process = subprocess.Popen(
        [*HOOK, hook, "-d", str(ground.path)], env=ground.environment(), cwd=ground.folder,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    return process, hook, json.dumps(payload).encode()


# -------------------------------------------------------------------------- the others


def importer(ground: Ground, log: Log) -> None:
    """The whole pipeline and the import alone, in turns."""
    words: Sequence[tuple[str, ...]] = (("run",), ("import", "claude-code"))
    number = 0
    while not ground.stop.is_set():
        chosen = words[number % len(words)]
        log.ended(" ".join(chosen), run(ground, *chosen, "--dir", str(ground.transcripts)))
        number += 1
        ground.stop.wait(3 * ground.pause_s)


def worker(ground: Ground, log: Log) -> None:
    """What is due; a worker that a hook started may be there already, which is no trouble."""
    while not ground.stop.is_set():
        log.ended("work", run(ground, "work", "--once"))
        ground.stop.wait(4 * ground.pause_s)


def adder(ground: Ground, log: Log) -> None:
    """Adds memories, and forgets every other one of them for good."""
    number = 0
    while not ground.stop.is_set():
        word = "".join(chr(97 + int(digit)) for digit in f"{ground.seed}{number:05}")
        done = run(ground, "add", f"The {word} lantern of pier {number} burns {word} oil.", "--project", "tidepool")
        log.ended("add", done)
        if found := re.search(r"^m[0-9a-f]{8}", done.stdout, re.M):
            log.added[found[0]] = word
            if number % 2:
                gone = run(ground, "memory", "forget", found[0], "--yes")
                # Without an error, 1 says that a copy which is being made still holds it.
                log.ended("forget", gone, 0, 0 if gone.stderr.strip() else 1)
                log.forgotten.add(found[0])
        number += 1
        ground.stop.wait(4 * ground.pause_s)


def asker(ground: Ground, log: Log) -> None:
    """Asks on the command line, which logs what it showed."""
    chance = random.Random(ground.seed + 1)
    while not ground.stop.is_set():
        log.ended("recall", run(ground, "recall", chance.choice(QUERIES)))
        ground.stop.wait(3 * ground.pause_s)


def backups(ground: Ground, log: Log) -> None:
    """Copies of the file, each verified again by another process; the last is kept."""
    number = 0
    while not ground.stop.is_set():
        target = ground.folder / f"copy-{number}.db"
        log.ended("backup", run(ground, "file", "backup", str(target)))
        log.ended("backup --verify", run(ground, "file", "backup", "--verify", str(target)))
        for each in ground.folder.glob(f"copy-{number - 1}.db*"):
            each.unlink()
        number += 1
        ground.stop.wait(10 * ground.pause_s)


def reader(ground: Ground, log: Log, port: int) -> None:
    """Asks the server for pages and JSON."""
    chance = random.Random(ground.seed + 2)
    while not ground.stop.is_set():
        page = chance.choice(PAGES)
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", page)
            answer = connection.getresponse()
            answer.read()
            connection.close()
            status = f"{answer.status // 100}xx"
            if answer.status >= 500:
                log.troubles.append(f"page {page}: status {answer.status}")
        except (OSError, http.client.HTTPException) as error:
            status = type(error).__name__
            log.troubles.append(f"page {page}: {status}")
        log.statuses[status] += 1
        ground.stop.wait(0.5 * ground.pause_s)
