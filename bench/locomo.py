"""How well profiles find the evidence for questions about long chats.

`python -m bench locomo --data DIR` reads LoCoMo's JSON files in DIR or one below (snap-research/locomo, which this
project neither holds nor fetches). Each conversation is a file of its own and each turn an entry; the weights of
`fitted` come from the other conversations.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench import rankings

FORM = "locomo"


def measured(folder: Path) -> dict[str, Any]:
    """What `memory-db evaluate --json` prints, by file; a line that says so where there is none."""
    paths = [path for path in sorted(folder.rglob("*.json")) if is_locomo(path)]
    if not paths:
        return {"skipped": f"no file of LoCoMo in {folder.name}"}
    return {path.stem: rankings.measured(path, FORM, by="conversation") for path in paths}


def is_locomo(path: Path) -> bool:
    """Whether a file is a list of conversations with questions."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return (
        isinstance(value, list)
        and bool(value)
        and isinstance(value[0], dict)
        and {"conversation", "qa"} <= set(value[0])
    )
