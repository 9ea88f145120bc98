"""Answers that take long to find, kept by the server's process until what they rest on has changed.

In: a query, and another one, fast, whose row changes whenever the first could answer otherwise. Out: the rows of the
first. Invariants: what is kept holds no text of the file, only uids and numbers, so that what was taken out of a file
is told by nobody; a kept answer is of the same file and the same state.
"""

from __future__ import annotations

import sqlite3
from typing import Any

FILE = "select file from pragma_database_list where name = 'main'"


class Remembered:
    """A query whose answer is kept for each file; `state` gives the row that tells whether it still holds."""

    def __init__(self, query: str, state: str) -> None:
        self.query, self.state = query, state
        self.kept: dict[str, tuple[tuple[Any, ...], list[dict[str, Any]]]] = {}

    def rows(self, db: sqlite3.Connection) -> list[dict[str, Any]]:
        """The rows as dicts of one's own, read anew only where the state has changed."""
        file = str(db.execute(FILE).fetchone()[0])
        state = tuple(db.execute(self.state).fetchone())
        kept = self.kept.get(file)
        if kept is None or kept[0] != state:
            kept = (state, [dict(row) for row in db.execute(self.query)])
            self.kept[file] = kept
        return [dict(row) for row in kept[1]]
