"""What was measured, kept: a small JSON file a table, so that one can be measured again alone.

In: a name, figures and the time they took. Out: `Result`, and its file in bench/results. Invariant: a result says when
and under which conditions it was measured, and names no machine, no person and no path.
"""

from __future__ import annotations

import json
import os
import platform
import sqlite3
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "results"

DEPTH = 4
"""Levels of a result that have a line each; what lies deeper stands on one line."""


@dataclass(slots=True, frozen=True)
class Result:
    """One measured table: when, how, in how many seconds, and its figures."""

    name: str
    measured_on: str
    command: str
    conditions: dict[str, Any]
    took_s: float
    figures: dict[str, Any]


def conditions() -> dict[str, Any]:
    """What the figures depend on apart from the code: processor cores, system, Python and SQLite."""
    return {
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
    }


def write(result: Result, folder: Path = FOLDER) -> Path:
    """Keeps a result, in place of the last of its name; gives its file."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{result.name}.json"
    path.write_text(lines(asdict(result)) + "\n", "utf-8")
    return path


def read_all(folder: Path = FOLDER) -> dict[str, Result]:
    """Every stored result by its name."""
    found = (json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json")))
    return {each["name"]: Result(**each) for each in found}


def lines(value: Any, depth: int = 0) -> str:
    """A value as JSON that is short and can still be read line by line in a difference."""
    if not isinstance(value, dict) or not value or depth == DEPTH:
        return json.dumps(value, ensure_ascii=False)
    pad = " " * (depth + 1)
    inner = (f"{pad}{json.dumps(key, ensure_ascii=False)}: {lines(each, depth + 1)}" for key, each in value.items())
    return "{\n" + ",\n".join(inner) + "\n" + " " * depth + "}"
