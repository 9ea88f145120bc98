"""How well profiles find the answers to the labelled questions of the sample history.

`python -m bench sample` makes the sample in a temporary folder and asks it. The weights of `fitted` come from the
questions of the other folds.
"""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from bench import rankings
from memory_db.sample.file import SAMPLE_MOMENT, ensure_sample
from memory_db.store.schema import open_database

QUERY_SET = "sample"

FOLDS = 5


def measured() -> dict[str, Any]:
    """What `memory-db evaluate --own --json` prints, with every baseline."""
    with tempfile.TemporaryDirectory() as folder:
        path = ensure_sample(Path(folder))
        with closing(open_database(path, now=SAMPLE_MOMENT)) as db:
            return rankings.measured_own(db, QUERY_SET, folds=FOLDS)
