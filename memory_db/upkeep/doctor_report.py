"""What the doctor says, line by line, and about whom.

In: texts. Out: lines on one line each. Invariant: knows of no examination, so that each can stand in a module of its
own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

Level = Literal["fine", "note", "warning", "failure"]

LINE_CHARACTERS = 400

STATUS = {"healthy": "fine", "degraded": "degraded", "failing": "failing"}
"""A report's verdict as pages and their JSON say it."""


@dataclass(frozen=True, slots=True)
class Line:
    """One thing looked at; `fix` is empty where there is nothing to do."""

    level: Level
    what: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """Everything looked at."""

    lines: list[Line]

    @property
    def verdict(self) -> Literal["healthy", "degraded", "failing"]:
        """Failing when something does not work, degraded when something should be done, else healthy."""
        levels = {line.level for line in self.lines}
        return "failing" if "failure" in levels else "degraded" if "warning" in levels else "healthy"


@dataclass(frozen=True, slots=True)
class Patient:
    """What is looked at, and when."""

    path: Path
    db: sqlite3.Connection
    now: datetime
    transcripts: Sequence[Path]


Lines = Iterator[Line]


def one_line(text: str) -> str:
    """A text on one line of bearable length: SQLite quotes whole statements."""
    line = " ".join(text.split())
    return line if len(line) <= LINE_CHARACTERS else line[: LINE_CHARACTERS - 1] + "…"
