"""What is said where there is no file.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import os

from memory_db.errors import MissingFileError

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from pathlib import Path

SAMPLE = "sample.db"
"""What the file of the sample history is called, beside the user's own."""


def missing_file(path: Path | str) -> MissingFileError:
    """The error for a path where there is no file; it names the sample where that is beside it."""
    sample = os.path.join(os.path.dirname(path), SAMPLE)
    is_there = os.path.basename(path) != SAMPLE and os.path.isfile(sample)
    other = f" The sample history is in {sample}." if is_there else ""
    return MissingFileError(f"No database at {path}. Run `memory-db run` to make it, or name another with -d.{other}")
