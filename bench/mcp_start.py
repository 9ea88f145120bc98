"""The MCP reader from the start of its process to its first answers, as an agent starts it.

`python -m bench.mcp_start [ROUNDS]` prints medians in milliseconds, their ratio to an interpreter that loads nothing,
started in turns, and what the time is spent on. The file is the sample history, vectors of the full model included.
The first recall is asked at once, so that it is answered without the model; how long that takes to load is among the
parts.
"""

from __future__ import annotations

import compileall
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import IO

import memory_db
from memory_db.sample.file import ensure_sample

PACKAGE = Path(memory_db.__file__).parent

GOAL = {"initialize": 8, "first recall": 25}
"""How many times as long as a bare interpreter each may take."""

PROTOCOL = "2025-11-25"

HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {
        "protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"},
    },
}  # fmt: skip
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}

QUESTIONS = ("how long are staging logs kept", "which port has the dev server")

WAYS = {
    "python -m memory_db.agents.mcp.server": ("-m", "memory_db.agents.mcp.server"),
    "memory-db mcp": ("-m", "memory_db", "mcp"),
}

PARTS = """
import sys, time
begun = time.perf_counter()
spent = {}
def took(name):
    global begun
    now = time.perf_counter()
    spent[name] = (now - begun) * 1000
    begun = now
import json, threading; took("lines and threads of the standard library")
from memory_db.agents.mcp import server; took("our server")
from pathlib import Path
from datetime import UTC, datetime
from memory_db.agents.reader import reader as mcp_reader; took("what a recall loads")
from memory_db.recall import question_dates
import tzlocal; took("dates in words")
def asked(is_warm):
    Reader = mcp_reader.Reader
    folder = Path("/home/sam/work/quayside")
    Reader(Path(sys.argv[1]), folder, lambda: datetime.now(UTC), is_warm=lambda: is_warm).recall(sys.argv[2])
asked(False); took("a recall without the model, and its log")
from memory_db.index import semantic; took("numpy and the vectors' code")
from memory_db.store.connection import connect
from contextlib import closing
with closing(connect(sys.argv[1])) as db:
    index = semantic.open_semantic(db); took("opening the vectors")
    index and index.search("x", [], [], 1); took("the embedding model")
asked(True); took("a recall with the model, and its log")
import json
print(json.dumps(spent))
"""


def measured(rounds: int = 7) -> dict[str, object]:
    """Medians of the times until each answer, ratios to a bare interpreter, and the parts."""
    compileall.compile_dir(PACKAGE, quiet=1)
    times: dict[str, list[float]] = defaultdict(list)
    parts: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        path = ensure_sample(Path(folder))
        for turn in range(rounds + 1):
            took = {"bare interpreter": bare_ms()}
            for way, arguments in WAYS.items():
                names = ("initialize", "first recall", "second recall")
                took |= {f"{way}, {name}": ms for name, ms in zip(names, answers_ms(arguments, path), strict=True)}
            spent = json.loads(run("-c", PARTS, str(path), QUESTIONS[0]))
            if turn:  # the first turn warms up
                for name, value in took.items():
                    times[name].append(value)
                for name, value in spent.items():
                    parts[name].append(value)
    medians = {name: statistics.median(values) for name, values in times.items()}
    return {
        "runs": rounds,
        "median_ms": {name: round(value, 1) for name, value in medians.items()},
        "ratio": {
            name: round(value / medians["bare interpreter"], 1) for name, value in medians.items() if ", " in name
        },
        "goal": GOAL,
        "parts_ms": {name: round(statistics.median(values), 1) for name, values in parts.items()},
    }


def bare_ms() -> float:
    """How long an interpreter takes that loads nothing."""
    started = time.perf_counter()
    run("-c", "pass")
    return (time.perf_counter() - started) * 1000


def run(*arguments: str) -> str:
    """What a process of this interpreter prints."""
    return subprocess.run([sys.executable, *arguments], capture_output=True, check=True, text=True).stdout


def answers_ms(arguments: Sequence[str], path: Path) -> list[float]:
    """Milliseconds from the start of a server to its answers to `initialize` and a recall, and of a second recall."""
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, *arguments, "-d", str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin and server.stdout
        with closing(server.stdin) as asking:
            say(asking, HELLO)
            server.stdout.readline()
            took = [time.perf_counter() - started]
            say(asking, READY)
            for number, question in enumerate(QUESTIONS, start=2):
                asked = started if number == 2 else time.perf_counter()
                call = {"name": "recall", "arguments": {"query": question, "project": "quayside"}}
                say(asking, {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call})
                answer = json.loads(server.stdout.readline())
                took.append(time.perf_counter() - asked)
                assert "memory-brief" in answer["result"]["content"][0]["text"]
    return [seconds * 1000 for seconds in took]


def say(asking: IO[str], message: Mapping[str, object]) -> None:
    """Sends one message."""
    asking.write(json.dumps(message) + "\n")
    asking.flush()


if __name__ == "__main__":
    print(json.dumps(measured(*map(int, sys.argv[1:2])), indent=2))
