"""Answers that take long to find, kept by the server's process until what they rest on has changed.

In: a query, and another one, fast, whose row changes whenever the first could answer otherwise. Out: the rows of the
first. Invariants: what is kept holds no text of an entry or a memory, only uids, names and numbers, so that what was
taken out of a file is told by nobody; a kept answer is of the same file and the same state.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

MOST_PARTS = 64
"""Parts of pages that are kept, the last ones."""

PARTS: OrderedDict[Hashable, tuple[tuple[Any, ...], Any]] = OrderedDict()

LOCK = threading.Lock()

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


def part(db: sqlite3.Connection, key: Hashable, state: tuple[Any, ...], make: Callable[[], T]) -> T:
    """What `make` gives, or gave before at the same state, which was read before: what is written since makes it old.

    The key names all that the answer depends on besides the file; who is given it must not change it.
    """
    path = str(db.execute(FILE).fetchone()[0])
    found = Path(path).stat()
    place = (path, found.st_dev, found.st_ino, key)
    with LOCK:
        known = PARTS.get(place)
        if known is not None and known[0] == state:
            PARTS.move_to_end(place)
            return known[1]  # type: ignore[no-any-return]  # it is what `make` of the same key gave
    made = make()
    with LOCK:
        PARTS[place] = (state, made)
        while len(PARTS) > MOST_PARTS:
            PARTS.popitem(last=False)
    return made
