"""A hook as an agent starts it: a cold process of its own, the payload on stdin."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from memory_db import hooks
from tests.support.patience import WAIT_S

SCRIPT = Path(hooks.__file__).parents[1] / "hook.py"

COMMAND = [sys.executable, "-I", "-S", str(SCRIPT)]

PATIENT = ("--deadline-ms", "120000")
"""Enough time for a busy machine."""


def fire(name: str, path: Path, payload: bytes, *more: str, **named: Any) -> subprocess.CompletedProcess[bytes]:
    """How the hook of that name ended on a file; `more` goes in the place of its patient deadline."""
    command = [*COMMAND, name, "-d", str(path), *(more or PATIENT)]
    return subprocess.run(command, input=payload, capture_output=True, check=False, timeout=WAIT_S, **named)


def answered(name: str, path: Path, payload: bytes) -> bytes:
    """What the hook printed; it must end well and complain of nothing."""
    ended = fire(name, path, payload)
    assert (ended.returncode, ended.stderr) == (0, b"")
    return ended.stdout


def without_runs(sample_file: Path, folder: Path) -> Path:
    """A copy of the sample's file, in a folder, in which no hook has run yet."""
    path = Path(shutil.copy(sample_file, folder / "sample.db"))
    with closing(sqlite3.connect(path)) as db:
        db.execute("delete from hook_runs")
        db.commit()
    return path
