"""How well profiles find the decision that a bug's right fix hangs on, and whether a brief says it.

`python -m bench sde_bench --data DIR` reads the tasks and decoys of SDE-bench in DIR or below (vectorize-io/sde-bench,
which this project neither holds nor fetches). All chats are one history. Nothing is fitted: there are too few tasks.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench import public_sets
from memory_db.evaluation.datasets import sde_bench


def measured(folder: Path) -> dict[str, Any]:
    """What `memory-db evaluate --json` prints, by set; a line that says so where there is none."""
    return public_sets.measured(folder, "sde-bench", (sde_bench.TASKS, sde_bench.DECOYS))
