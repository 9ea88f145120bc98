"""The hook's recall as a whole cold process, against an interpreter that only imports sqlite3, in the same run.

`python -m bench.hook_speed [MEMORIES] [ENTRIES] [ROUNDS]` prints medians, their ratios (also to an interpreter that
loads nothing), the parts, and how many of the hooks ended within their own deadline, as JSON. The files are kept in the
temporary folder for the next run.
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
from uuid import uuid4

import memory_db
from bench.material import NOW, fill_entries, fill_memories
from bench.recall_speed import QUERIES
from memory_db.index import signatures
from memory_db.store.schema import open_database

PACKAGE = Path(memory_db.__file__).parent
COLD = (sys.executable, "-I", "-S")

MEMORIES_ANSWER = (
    "how do we deploy to staging",
    "the merge revision is empty, so nothing is applied",
    "the bug is in the query, not just in the page",
    "don't add comments that repeat the code",
)
"""Prompts of which a memory has half of what their words are worth: entries are not asked."""

NOTHING_ANSWERS = ("who won the tennis final yesterday evening", "recipe for lentil soup")
"""Prompts that are of nothing in the file."""

DEADLINE_MS = "30000"
"""Enough for a busy machine: a hook that gives up has not done what is timed here."""

PARTS = """
import sys, time
started = time.perf_counter()
import sqlite3
sys.path.insert(0, sys.argv[1])
imported = time.perf_counter()
from memory_db import packed
packed.use()
from datetime import UTC, datetime
from memory_db.hooks import prompt, run as hooks
from memory_db.recall import gather, measure, search as recall
from memory_db.recall.brief import select as brief
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
    (hooks, ("connect_to_answer",), "open"),
    (brief, ("clean",), "redact"),
    (gather, ("memory_pool", "entry_pool"), "search"),
    (gather, ("admit_nearest",), "nearest"),
    (measure, ("vector_cosines",), "vectors"),
    (recall, ("complete", "measure"), "features"),
    (brief, ("recall",), "scores"),
    (brief, ("choose",), "brief"),
    (hooks, ("log_run",), "log"),
):
    for name in names:
        if hasattr(module, name):
            timed(module, name, part)
run = hooks.HookRun(sys.argv[2], datetime.now(UTC), started, "user-prompt", deadline_ms=30_000)
hooks.respond(run, sys.stdin.buffer.read(), is_own=False)
spent["rest"] = time.perf_counter() - imported - sum(spent.values())
import json, os
print(json.dumps({name: value * 1000 for name, value in spent.items()}), flush=True)
os._exit(0)
"""


def measured(memories: int = 20_000, entries: int = 200_000, rounds: int = 5) -> dict[str, object]:
    """Medians in milliseconds, ratios to the interpreter with sqlite3, and the parts of each kind of prompt."""
    compileall.compile_dir(PACKAGE, quiet=1)
    run_ms(b"", str(PACKAGE / "hooks" / "pack.py"))  # as a first session does
    migrations = sorted(PACKAGE.joinpath("store", "migrations").glob("*.sql"))
    schema = zlib.crc32(b"".join(file.read_bytes() for file in migrations))  # a file of another schema cannot be asked
    folder = Path(tempfile.gettempdir()) / f"memory-db-hook-{schema:08x}"
    folder.mkdir(exist_ok=True)
    large = folder / f"{memories}-{entries}.db"
    files = {
        f"{memories} memories": (made(folder / f"{memories}.db", memories, 0), QUERIES),
        f"{entries} entries too, memories answer": (both := made(large, memories, entries), MEMORIES_ANSWER),
        f"{entries} entries too, both are asked": (both, QUERIES),
        f"{entries} entries too, nothing answers": (both, NOTHING_ANSWERS),
    }
    times: dict[str, list[float]] = defaultdict(list)
    parts: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in files}
    in_time: dict[str, list[bool]] = defaultdict(list)
    for turn in range(rounds + 1):
        for name, (path, queries) in files.items():
            for query in queries:
                alone_ms = run_ms(b"", "-c", "pass")[0]
                base_ms = run_ms(b"", "-c", "import sqlite3")[0]
                hook = [str(PACKAGE / "hook.py"), "user-prompt", "-d", str(path)]
                took_ms = run_ms(payload_of(query), *hook, "--deadline-ms", DEADLINE_MS)[0]
                spent = json.loads(run_ms(payload_of(query), "-c", PARTS, str(PACKAGE.parent), str(path))[1])
                if turn:  # the first turn warms up
                    in_time[name].append(is_in_time(query, *hook))
                    times["interpreter"].append(alone_ms)
                    times["interpreter and sqlite3"].append(base_ms)
                    times[name].append(took_ms)
                    for part, value in spent.items():
                        parts[name][part].append(value)
    base, alone = (statistics.median(times[name]) for name in ("interpreter and sqlite3", "interpreter"))
    return {
        "runs": len(times["interpreter and sqlite3"]),
        "median_ms": {name: round(statistics.median(values), 2) for name, values in times.items()},
        "ratio": {name: round(statistics.median(times[name]) / base, 2) for name in files},
        "ratio_p95": {name: round(p95(times[name]) / p95(times["interpreter and sqlite3"]), 2) for name in files},
        "ratio_to_interpreter": {name: round(statistics.median(times[name]) / alone, 2) for name in files},
        "in_time": {name: round(statistics.mean(values), 3) for name, values in in_time.items()},
        "parts_ms": {
            name: {part: round(statistics.median(values), 2) for part, values in spent.items()}
            for name, spent in parts.items()
        },
    }


def payload_of(query: str) -> bytes:
    """The first prompt of a session."""
    return json.dumps({"prompt": query, "cwd": "/bench", "session_id": str(uuid4())}).encode()


def run_ms(payload: bytes, *arguments: str) -> tuple[float, bytes]:
    """How long a cold process took, and what it printed."""
    started = time.perf_counter()
    ended = subprocess.run([*COLD, *arguments], input=payload, capture_output=True, check=True)
    return (time.perf_counter() - started) * 1000, ended.stdout


def is_in_time(query: str, *arguments: str) -> bool:
    """Whether a hook ends within the deadline that it has on this machine; one that is only tried fails otherwise."""
    ended = subprocess.run(
        [*COLD, *arguments, "--dry-run", "yes"], input=payload_of(query), capture_output=True, check=False
    )
    return ended.returncode == 0


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
