"""Why a past recall did not show something, as the why page says it.

In: a connection that reads, a recall, and a uid or words. Out: the answer of `why_not` with what a page draws beside
it. Invariant: nothing is worked out here that the command `memory-db why --not` does not say too.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from memory_db.errors import InputError
from memory_db.index.semantic import find_semantic
from memory_db.pages.draw import stacked_bar as bars
from memory_db.recall.explain.why_not import why_not
from memory_db.recall.search import Semantic

MOST_ASKED = 200
"""Characters of a uid or of words."""

HALF = 100
"""Units from the middle of a difference's bar to either end."""


def missing(db: sqlite3.Connection, recall: str, name: str) -> dict[str, Any] | None:
    """Why the recall did not show what is named by a uid or by words; None where nothing is.

    Raises: NotFoundError, InputError.
    """
    if not name:
        return None
    if len(name) > MOST_ASKED:
        raise InputError(f"{len(name):,} characters were asked for. Give a uid, or at most {MOST_ASKED} characters.")
    answer = why_not(db, recall, name, semantic=lambda: opened(db))
    differences = answer.get("differences") or []
    greatest = max((abs(each["cost"]) for each in differences), default=0.0)
    for each in differences:
        each["colour"] = bars.colour(each["signal"])
        each["width"] = round(HALF * abs(each["cost"]) / greatest, 1)
    return answer


def opened(db: sqlite3.Connection) -> Semantic | None:
    """The full model's index, if there is one."""
    found: Semantic | None = find_semantic(db).index
    return found
