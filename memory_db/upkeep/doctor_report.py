"""What the doctor says, line by line, and about whom.

In: texts. Out: lines on one line each. Invariant: knows of no examination, so that each can stand in a module of its
own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from memory_db.errors import MemoryDBError
from memory_db.store.connection import explain

Level = Literal["fine", "note", "warning", "failure"]

LINE_CHARACTERS = 400

STATUS = {"healthy": "fine", "degraded": "degraded", "failing": "failing"}
"""A report's verdict as pages and their JSON say it."""


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing looked at; `fix` is empty where there is nothing to do."""

    level: Level
    what: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """Everything looked at."""

    lines: list[Advice]

    @property
    def verdict(self) -> Literal["healthy", "degraded", "failing"]:
        """Failing when something does not work, degraded when something should be done, else healthy."""
        levels = {line.level for line in self.lines}
        return "failing" if "failure" in levels else "degraded" if "warning" in levels else "healthy"


@dataclass(frozen=True, slots=True)
class DoctorContext:
    """What is looked at, and when; `plugin` is where Claude Code looks for what is installed for every session."""

    path: Path
    db: sqlite3.Connection
    now: datetime
    transcripts: Sequence[Path]
    plugin: Path | None = None


Advices = Iterator[Advice]


def one_line(text: str) -> str:
    """A text on one line of bearable length: SQLite quotes whole statements."""
    line = " ".join(text.split())
    return line if len(line) <= LINE_CHARACTERS else line[: LINE_CHARACTERS - 1] + "…"


def look(context: DoctorContext, examinations: Sequence[Callable[[DoctorContext], Advices]]) -> Report:
    """What some examinations find in a file that is open; nothing is written."""
    return Report([line for function in examinations for line in examined(context, function)])


def examined(context: DoctorContext, function: Callable[[DoctorContext], Advices]) -> list[Advice]:
    """The lines of one examination; what keeps it from being made is a line too."""
    lines: list[Advice] = []
    try:
        lines.extend(function(context))
    except (sqlite3.Error, UnicodeDecodeError) as error:
        lines.append(damage(error, context.path))
    except MemoryDBError as error:
        lines.append(failure_of(error, context.path))
    except OSError as error:
        lines.append(Advice("warning", f"{error.filename} cannot be read: {error.strerror}", "Make it readable."))
    return lines


def damage(error: sqlite3.Error | UnicodeDecodeError, path: Path) -> Advice:
    """What SQLite says as a line; in a damaged file even its messages can be unreadable."""
    if isinstance(error, UnicodeDecodeError):
        error = sqlite3.DatabaseError("malformed: names in it are not text")
    return failure_of(explain(error, path), path)


def failure_of(error: MemoryDBError, path: Path) -> Advice:
    """An error as a line: its first sentence says what is wrong, the rest what to do."""
    hidden = str(error).replace(str(path), "\0")
    what, _, fix = (part.replace("\0", str(path)) for part in hidden.partition(". "))
    if SEE_DOCTOR in fix:
        fix = "Run `memory-db file check`, and report this line to the authors of memory-db with what that finds."
    return Advice("failure", one_line(what), one_line(fix))


SEE_DOCTOR = "memory-db doctor"
"""What other commands say to run where they know nothing better; here it is running."""
