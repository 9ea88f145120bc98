"""Labels that readers wrote, kept as JSON lines in a fixed order, and the shares that are made of them."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines, none where there is no such file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Writes rows down, a line each, as they come."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def share(part: int, whole: int) -> float:
    """A part of a whole, 0 where there is none."""
    return round(part / whole, 3) if whole else 0.0


def mean(values: Iterable[float]) -> float:
    """A mean, 0 where there is nothing."""
    return round(statistics.mean(map(float, found)), 3) if (found := list(values)) else 0.0
