"""How well profiles find notes for what a developer asks an agent.

`python -m bench developer` measures on bench/data/developer, whose README says how it was made. The weights of
`fitted` come from the questions of the other folds. `memory-db evaluate DIR --format jsonl` measures on other notes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench import rankings

OWN = Path(__file__).parent / "data" / "developer"

FOLDS = 5


def measured() -> dict[str, Any]:
    """What `memory-db evaluate --json` prints; a line that says so where there are no queries."""
    if not (OWN / "queries.jsonl").is_file():
        return {"skipped": f"no queries.jsonl in {OWN.name}"}
    return rankings.measured(OWN, "jsonl", folds=FOLDS)
