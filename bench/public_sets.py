"""Public data sets that somebody brings: where they lie below a folder, and each as a contest.

In: a folder, and the names of two files by which a set is known. Out: the figures of every set found, by its name.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench import rankings


def measured(
    folder: Path, form: str, files: tuple[str, str], *, depth: int = 0, by: str | None = None
) -> dict[str, Any]:
    """Every contender on each set below a folder; a line that says so where there is none.

    A set is the folder with both files, or lies `depth` folders above them (at most the folder that was given).
    """
    found = sets(folder, files, depth)
    if not found:
        return {"skipped": f"no {files[0]} with {files[1]} in {folder.name}"}
    return {path.name: rankings.measured(path, form, by=by) for path in found}


def sets(folder: Path, files: tuple[str, str], depth: int) -> list[Path]:
    """The folders of sets, in the order of their names."""
    folder = folder.resolve()
    homes = [path.parent for path in folder.rglob(files[0]) if next(path.parent.rglob(files[1]), None)]
    return sorted({home.parents[depth - 1] if depth and home != folder else home for home in homes})
