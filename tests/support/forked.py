"""Command lines as processes of their own that begin with their work.

They are forked from a server that has loaded what commands load. So a signal hits the work: loading takes longer than
most of what is stopped, and where a process is started fifty times nearly all of the time.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from pathlib import Path

from memory_db.cli import main
from tests.support.reading_model import ReadingModel, registered

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["tests.support.loaded"])


class Forked:
    """A command under way: what tests ask of a `subprocess.Popen`, with what it says on stderr in a file."""

    def __init__(self, words: list[str], home: Path, *, pause_s: float = 0.0) -> None:
        self.errors = home / "errors.txt"
        self.process = SERVER.Process(target=command_line, args=(words, home, self.errors, pause_s))
        self.process.start()

    def poll(self) -> int | None:
        """The exit code, None while it runs."""
        return self.process.exitcode

    def send_signal(self, number: int) -> None:
        """Sends a signal, unless it has ended."""
        if self.process.pid is not None and self.process.is_alive():
            os.kill(self.process.pid, number)

    def ended(self, timeout_s: float) -> tuple[int, str]:
        """Waits for its end: the exit code, and what it said."""
        self.process.join(timeout_s)
        code = self.process.exitcode
        assert code is not None, "it does not end"
        self.process.close()
        return code, self.errors.read_text("utf-8") if self.errors.exists() else ""


def command_line(words: list[str], home: Path, errors: Path, pause_s: float) -> None:
    """What the process does: memory-db's command line, one thread each, with a model that is named `reader`."""
    os.environ.update({"HOME": str(home), "OMP_NUM_THREADS": "1"})
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts tests in the background ignores it
    for path, number in ((Path(os.devnull), 1), (errors, 2)):
        there = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(there, number)
        os.close(there)
    sys.argv = ["memory-db", *words]
    with registered(ReadingModel(pause_s=pause_s)):
        main()
