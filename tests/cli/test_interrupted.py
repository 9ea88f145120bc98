"""An interruption that comes where Python cannot raise it."""

from __future__ import annotations

import subprocess
import sys

LOST = """
import sys, time
from memory_db.cli import send_again

class Lost:
    def __del__(self):
        raise {error}

sys.unraisablehook = send_again
try:
    Lost()
    time.sleep({seconds})
except KeyboardInterrupt:
    print("stopped")
"""


def run(error: str, seconds: int) -> subprocess.CompletedProcess[str]:
    code = LOST.format(error=error, seconds=seconds)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)


def test_an_interruption_that_was_lost_comes_again() -> None:
    done = run("KeyboardInterrupt", 50)
    assert (done.stdout, done.stderr) == ("stopped\n", "")


def test_another_error_that_was_lost_is_told() -> None:
    done = run("ValueError('of a file')", 0)
    assert done.stdout == "" and "of a file" in done.stderr
