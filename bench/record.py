"""Records a minute with memory-db as an asciinema file: `python -m bench.record docs/pictures/minute.cast`.

Real commands in an empty home, with what they print and when; the typing before each is drawn at a steady pace.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMANDS = (
    "memory-db run --sample",
    "export MEMORY_DB=~/.memory-db/sample.db",
    'memory-db recall "how do we run the migrations" --limit 3',
    "memory-db why 1 | head -20",
    "memory-db review | head -12",
    "memory-db install claude-code --dry-run",
)

TYPED_S = 0.04
"""Between two keys."""

PAUSE_S = 1.5
"""After a command, for reading."""

MOST_S = 60.0

WIDTH, HEIGHT = 110, 32


def record(path: Path) -> float:
    """Writes the recording; how long it plays, in seconds. Raises: ValueError where that is more than a minute."""
    events: list[tuple[float, str]] = []
    now = 0.0
    with tempfile.TemporaryDirectory() as home:
        environment = {
            "HOME": home, "PATH": f"{Path(sys.executable).parent}:{os.defpath}", "COLUMNS": str(WIDTH),
            "LANG": "C.UTF-8",
        }  # fmt: skip
        for command in COMMANDS:
            for key in f"$ {command}\r\n":
                events.append((now, key))
                now += TYPED_S
            named = "" if command is COMMANDS[0] else 'export MEMORY_DB="$HOME/.memory-db/sample.db"; '
            script = named + command
            began = time.monotonic()
            process = subprocess.Popen(
                ["bash", "-c", script], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
            for line in process.stdout or ():
                events.append((now + time.monotonic() - began, line.replace("\n", "\r\n").replace(home, "/home/you")))
            if process.wait() != 0:
                raise ValueError(f"{command} ended with {process.returncode}")
            now += time.monotonic() - began + PAUSE_S
    if now > MOST_S:
        raise ValueError(f"{now:.0f} s are more than a minute. Record on a machine that does nothing else.")
    header = {"version": 2, "width": WIDTH, "height": HEIGHT, "title": "A minute with memory-db"}
    lines = [json.dumps(header), *(json.dumps([round(at, 3), "o", text]) for at, text in events)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return now


if __name__ == "__main__":
    print(f"{record(Path(sys.argv[1])):.0f} s")
