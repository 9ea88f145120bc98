"""The prompt's hook where a warm MCP server answers it, against the same hook cold, as whole processes in turns.

`python -m bench hook_warm [ROUNDS]` prints medians in milliseconds, ratios to an interpreter that only imports sqlite3,
how many prompts were answered warm, and the memory of the server. The file is the sample history with its vectors.
"""

from __future__ import annotations

import compileall
import json
import os
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from bench.hook_speed import COLD, PACKAGE
from memory_db.hooks.warm import FOLDER, SOCKET
from memory_db.sample.file import ensure_sample

PROMPTS = (
    "how long are staging logs kept", "which port has the dev server", "how do we deploy to staging",
    "don't mock the database in tests", "why did the merge revision do nothing", "who won the tennis final yesterday",
)  # fmt: skip

WARM = "select count(*) from hook_runs where session_uid like 'warm-%' and answered_by = 'warm'"

WAIT_S = 60


def measured(rounds: int = 4) -> dict[str, object]:
    """Medians, ratios, the share of warm answers, and the server's resident memory in megabytes."""
    compileall.compile_dir(PACKAGE, quiet=1)
    subprocess.run([*COLD, str(PACKAGE / "hooks" / "pack.py")], check=True)  # as a first session does
    times: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        path = Path(shutil.copy(ensure_sample(folder), folder / "asked.db"))
        warm, cold = ({**os.environ, "HOME": str(folder / name)} for name in ("warm", "cold"))
        socket = Path(FOLDER.replace("~", str(folder / "warm")), SOCKET)
        with server(path, warm) as first, server(path, warm) as process:
            wait_for(socket)
            plain_mb = min(settled_mb(each.pid) or 0.0 for each in (first, process))
        socket.unlink()
        with server(path, warm) as process:
            wait_for(socket)
            for turn in range(rounds + 1):
                for number, prompt in enumerate(PROMPTS):
                    took = {"interpreter and sqlite3": took_ms({}, "", "-c", "import sqlite3")}
                    for name, variables in (("cold", cold), ("warm", warm)):
                        asked = {
                            "prompt": prompt,
                            "cwd": "/home/sam/work/quayside",
                            "session_id": f"{name}-{turn}-{number}",
                        }
                        words = (str(PACKAGE / "hook.py"), "user-prompt", "-d", str(path))
                        took[name] = took_ms(variables, json.dumps(asked), *words)
                    for name, value in took.items() if turn else ():  # the first turn warms up
                        times[name].append(value)
            warm_mb = resident_mb(process.pid)
        with closing(sqlite3.connect(path)) as db:
            answered = db.execute(WARM).fetchone()[0]
    base = statistics.median(times["interpreter and sqlite3"])
    asked_all = (rounds + 1) * len(PROMPTS)
    return {
        "runs": rounds * len(PROMPTS),
        "answered_warm": round(answered / asked_all, 3),
        "server_mb": plain_mb,
        "warm_server_mb": warm_mb,
        "median_ms": {name: round(statistics.median(values), 1) for name, values in times.items()},
        "ratio": {name: round(statistics.median(times[name]) / base, 2) for name in ("cold", "warm")},
    }


@contextmanager
def server(path: Path, variables: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """An MCP server as an agent keeps it running."""
    command = [sys.executable, "-I", "-m", "memory_db", "mcp", "-d", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=variables) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(file: Path) -> None:
    """Waits until a server is warm. Raises: TimeoutError."""
    end = time.monotonic() + WAIT_S
    while not file.exists():
        if time.monotonic() > end:
            raise TimeoutError("no server became warm")
        time.sleep(0.05)


def took_ms(variables: Mapping[str, str], payload: str, *arguments: str) -> float:
    """How long a cold process took."""
    started = time.perf_counter()
    subprocess.run([*COLD, *arguments], input=payload.encode(), capture_output=True, check=True, env=variables or None)
    return (time.perf_counter() - started) * 1000


def settled_mb(process: int) -> float | None:
    """The resident memory of a process once it has loaded what it loads by itself."""
    before, now_mb = -1.0, resident_mb(process)
    while now_mb != before:
        time.sleep(2)
        before, now_mb = now_mb, resident_mb(process)
    return now_mb


def resident_mb(process: int) -> float | None:
    """The resident memory of a process, as Linux tells it; None elsewhere."""
    status = Path(f"/proc/{process}/status")
    found = re.search(r"^VmRSS:\s+(\d+) kB", status.read_text(), re.MULTILINE) if status.exists() else None
    return round(int(found[1]) / 1024, 1) if found else None


if __name__ == "__main__":
    print(json.dumps(measured(*map(int, sys.argv[1:2])), indent=2))
