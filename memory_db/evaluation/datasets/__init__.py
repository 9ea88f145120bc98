"""Sets of labelled questions that come from outside: public ones, and anybody's own.

In: a file or folder in one of `FORMATS`. Out: a `Dataset`, and from it temporary memory-db files that are thrown away
(`loading`). Invariant: no file of the user's is opened here, and what cannot be used is counted or refused by name.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memory_db.errors import InputError
from memory_db.evaluation.datasets import beam, beir, locomo, notes, precisionmembench, sde_bench
from memory_db.evaluation.datasets.records import Dataset, Part

__all__ = ["FORMATS", "Dataset", "Part", "read_dataset"]

FORMATS: dict[str, Callable[[Path], Dataset]] = {
    "locomo": locomo.read,
    "beir": beir.read,
    "jsonl": notes.read,
    "beam": beam.read,
    "sde-bench": sde_bench.read,
    "precisionmembench": precisionmembench.read,
}
"""How each format is read."""


def read_dataset(path: Path, form: str) -> Dataset:
    """The data set of a file or folder. Raises: InputError, SourceError."""
    if form not in FORMATS:
        raise InputError(f"No format {form!r}. There are: {', '.join(FORMATS)}.")
    dataset = FORMATS[form](path)
    if not any(part.questions for part in dataset.parts):
        raise InputError(f"{path} holds no question. Check that it is in the format {form}.")
    return dataset
