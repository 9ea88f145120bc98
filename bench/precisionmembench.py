"""Whether profiles bring back the beliefs that a question is about, and little else.

`python -m bench precisionmembench --data DIR` reads the beliefs and cases of PrecisionMemBench in DIR or below
(tenurehq/precisionmembench, which this project neither holds nor fetches). Nothing is fitted: there are too few cases.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench import public_sets
from memory_db.evaluation.datasets import precisionmembench


def measured(folder: Path) -> dict[str, Any]:
    """What `memory-db evaluate --json` prints, by set; a line that says so where there is none."""
    files = (precisionmembench.CASES, precisionmembench.BELIEFS)
    return public_sets.measured(folder, "precisionmembench", files)
