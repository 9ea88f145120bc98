"""Ctrl-C while modules are still imported: one line, as at any other moment."""

from __future__ import annotations

import subprocess
import sys

import pytest

STOPPED = "Stopped. The same command goes on where this one ended.\n"

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

STOPPED_WHILE_IT_LOADS = """
import os, signal, sys
from memory_db.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts tests in the background has it ignored

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
main()
"""


def ended(doing: str, script: str = STOPPED_WHILE_A_CLASS_IS_MADE) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", script, doing], capture_output=True, text=True, check=False)


def test_an_interruption_of_an_import_is_told_in_one_line() -> None:
    stopped = ended("make a class")
    assert stopped.returncode == 1
    assert stopped.stderr == STOPPED


@pytest.mark.parametrize("module", ["memory_db.cli.recall.quick", "memory_db.cli.group", "click"])
def test_so_is_one_before_there_is_a_command(module: str) -> None:
    stopped = ended(module, STOPPED_WHILE_IT_LOADS)
    assert stopped.returncode == 1
    assert stopped.stderr == STOPPED


def test_a_fault_of_ours_keeps_its_traceback() -> None:
    assert "RuntimeError: a fault of ours" in ended("fail").stderr
