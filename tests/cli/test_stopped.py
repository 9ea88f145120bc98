"""Ctrl-C while modules are still imported: one line, as at any other moment."""

from __future__ import annotations

import subprocess
import sys

STOPPED_WHILE_A_CLASS_IS_MADE = """
import sys
from memory_db.cli import group

class Interrupted:
    def __set_name__(self, owner, name):
        raise KeyboardInterrupt

def make_a_class(database):
    type("Half", (), {"field": Interrupted()})

def fail(database):
    raise RuntimeError("a fault of ours")

group.cli.callback = {"make a class": make_a_class, "fail": fail}[sys.argv[1]]
sys.argv = ["memory-db"]
group.main()
"""


def ended(doing: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", STOPPED_WHILE_A_CLASS_IS_MADE, doing], capture_output=True, text=True, check=False
    )


def test_an_interruption_of_an_import_is_told_in_one_line() -> None:
    stopped = ended("make a class")
    assert stopped.returncode == 1
    assert stopped.stderr == "Stopped. The same command goes on where this one ended.\n"


def test_a_fault_of_ours_keeps_its_traceback() -> None:
    assert "RuntimeError: a fault of ours" in ended("fail").stderr
