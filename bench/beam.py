"""How well profiles find the turns that questions about very long chats with an assistant hang on.

`python -m bench beam --data DIR` reads the chats of BEAM in DIR or below (mohammadtavakoli78/BEAM, which this project
neither holds nor fetches). Each chat is a file of its own and each turn an entry; the weights of `fitted` come from the
other chats.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench import public_sets
from memory_db.evaluation.datasets import beam


def measured(folder: Path) -> dict[str, Any]:
    """What `memory-db evaluate --json` prints, by set; a line that says so where there is none."""
    return public_sets.measured(folder, "beam", (beam.CHAT, beam.QUESTIONS), depth=1, by="conversation")
