"""The hook's recall as a whole cold process, against an interpreter that only imports sqlite3, in the same run.

`python -m bench.hook_speed [MEMORIES] [ENTRIES] [ROUNDS]` prints medians, their ratios and the parts as JSON. The files
are kept in the temporary folder for the next run. Each prompt searches both memories and entries.
"""

from __future__ import annotations

import compileall
import json
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections import defaultdict
from contextlib import closing
from pathlib import Path

import memory_db
from bench.material import NOW, fill_entries, fill_memories
from bench.recall_speed import QUERIES
from memory_db import signatures
from memory_db.db import open_database

PACKAGE = Path(memory_db.__file__).parent
COLD = (sys.executable, "-I", "-S")

PARTS = """
import sys, time
started = time.perf_counter()
import sqlite3
sys.path.insert(0, sys.argv[1])
imported = time.perf_counter()
from datetime import UTC, datetime
from memory_db import brief, hook_prompt, hooks, recall
spent = {"imports": time.perf_counter() - imported}

def timed(module, name, part):
    function = getattr(module, name)
    def wrapped(*args, **named):
        before, inner = time.perf_counter(), sum(spent.values())
        try:
            return function(*args, **named)
        finally:
            within = sum(spent.values()) - inner
            spent[part] = spent.get(part, 0.0) + time.perf_counter() - before - within
    setattr(module, name, wrapped)

for module, names, part in (
    (hooks, ("connect",), "open"),
    (brief, ("clean",), "redact"),
    (recall, ("memory_pool", "entry_pool"), "search"),
    (recall, ("memory_hits", "entry_hits", "look_around"), "features"),
    (recall, ("admit_alike",), "nearest"),
    (recall, ("add_static",), "vectors"),
    (brief, ("recall",), "scores"),
    (brief, ("choose",), "brief"),
    (hooks, ("log_recall",), "log"),
):
    for name in names:
        if hasattr(module, name):
            timed(module, name, part)
run = hooks.Run(sys.argv[2], datetime.now(UTC), started, "user-prompt")
hooks.respond(run, sys.stdin.buffer.read(), is_own=False)
spent["rest"] = time.perf_counter() - imported - sum(spent.values())
import json, os
print(json.dumps({name: value * 1000 for name, value in spent.items()}), flush=True)
os._exit(0)
"""


def measured(memories: int = 20_000, entries: int = 200_000, rounds: int = 5) -> dict[str, object]:
    """Medians in milliseconds, ratios to the interpreter with sqlite3, and the parts of each kind of prompt."""
    compileall.compile_dir(PACKAGE, quiet=1)
    schema = zlib.crc32((PACKAGE / "migrations.py").read_bytes())  # a file of another schema cannot be asked
    folder = Path(tempfile.gettempdir()) / f"memory-db-hook-{schema:08x}"
    folder.mkdir(exist_ok=True)
    files = {
        f"{memories} memories": made(folder / f"{memories}.db", memories, 0),
        f"{entries} entries": made(folder / f"{memories}-{entries}.db", memories, entries),
    }
    times: dict[str, list[float]] = defaultdict(list)
    parts: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in files}
    for turn in range(rounds + 1):
        for query in QUERIES:
            payload = json.dumps({"prompt": query, "cwd": "/bench", "session_id": "none"}).encode()
            took = {"interpreter and sqlite3": run_ms(b"", "-c", "import sqlite3")[0]}
            for name, path in files.items():
                took[name] = run_ms(payload, str(PACKAGE / "hook.py"), "user-prompt", "-d", str(path))[0]
                spent = json.loads(run_ms(payload, "-c", PARTS, str(PACKAGE.parent), str(path))[1])
                for part, value in spent.items() if turn else ():
                    parts[name][part].append(value)
            for name, value in took.items() if turn else ():  # the first turn warms up
                times[name].append(value)
    base = statistics.median(times["interpreter and sqlite3"])
    return {
        "runs": rounds * len(QUERIES),
        "median_ms": {name: round(statistics.median(values), 2) for name, values in times.items()},
        "ratio": {name: round(statistics.median(times[name]) / base, 2) for name in files},
        "ratio_p95": {name: round(p95(times[name]) / p95(times["interpreter and sqlite3"]), 2) for name in files},
        "parts_ms": {
            name: {part: round(statistics.median(values), 2) for part, values in spent.items()}
            for name, spent in parts.items()
        },
    }


def run_ms(payload: bytes, *arguments: str) -> tuple[float, bytes]:
    """How long a cold process took, and what it printed."""
    started = time.perf_counter()
    ended = subprocess.run([*COLD, *arguments], input=payload, capture_output=True, check=True)
    return (time.perf_counter() - started) * 1000, ended.stdout


def p95(values: list[float]) -> float:
    """The time that 95 of 100 runs keep to."""
    return statistics.quantiles(values, n=20)[-1]


def made(path: Path, memories: int, entries: int) -> Path:
    """A file of that size, made unless an earlier run left it."""
    if not path.exists():
        unfinished = path.with_suffix(".unfinished")
        unfinished.unlink(missing_ok=True)
        with closing(open_database(unfinished, now=NOW)) as db:
            fill_memories(db, memories)
            fill_entries(db, entries)
            signatures.refresh(db)
        unfinished.rename(path)
    return path


if __name__ == "__main__":
    print(json.dumps(measured(*map(int, sys.argv[1:4])), indent=2))
