"""Answers that take long, kept for as long as the file is as it was.

In: a file, a key, and what makes the answer. Out: the answer. Invariant: an answer that was made before anybody wrote
to the file, or put another in its place, is never given afterwards.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from memory_db.pages.web.connections import opened

T = TypeVar("T")

Stamp = tuple[int, int, int]
"""Which file it is, and how often SQLite saw another connection write to it."""

MOST_ANSWERS = 32
"""Answers kept of a file, the last ones."""

MOST_FILES = 4


@dataclass(slots=True)
class Watched:
    """A file, the connection that notices changes of it, and the answers it gave."""

    db: sqlite3.Connection
    file: tuple[int, int]
    answers: OrderedDict[Hashable, tuple[Stamp, object]] = field(default_factory=OrderedDict)

    def stamp(self) -> Stamp:
        """What tells one state of the file from any other."""
        return (*self.file, int(self.db.execute("pragma data_version").fetchone()[0]))


WATCHED: OrderedDict[Path, Watched] = OrderedDict()

LOCK = threading.Lock()


def answer(path: Path, key: Hashable, make: Callable[[sqlite3.Connection], T]) -> T:
    """What `make` gives of the file, or gave before and still would: nobody has written since.

    The key must name all that the answer depends on besides the file, and who is given it must not change it.
    Raises: what opening and `make` raise.
    """
    with LOCK:
        watched, stamp = state(path)
        if watched is not None and key in watched.answers:
            made_at, kept = watched.answers[key]
            if made_at == stamp:
                watched.answers.move_to_end(key)
                return kept  # type: ignore[return-value]  # it is what `make` of the same key gave
    with opened(path) as db:
        made = make(db)
    if watched is not None:
        with LOCK:
            watched.answers[key] = (stamp, made)  # where somebody wrote meanwhile the stamp is of the past
            while len(watched.answers) > MOST_ANSWERS:
                watched.answers.popitem(last=False)
    return made


def state(path: Path) -> tuple[Watched | None, Stamp]:
    """The file as it is watched, and its stamp; nothing where it cannot be watched: then nothing is kept."""
    try:
        watched = watched_file(path)
        return watched, watched.stamp()
    except (OSError, sqlite3.Error):
        return None, (0, 0, 0)


def watched_file(path: Path) -> Watched:
    """The file with its connection, opened anew where another file is at its path."""
    found = path.stat()
    file = (found.st_dev, found.st_ino)
    watched = WATCHED.get(path)
    if watched is None or watched.file != file:
        if watched is not None:
            watched.db.close()
        watched = WATCHED[path] = Watched(watching(path), file)
    WATCHED.move_to_end(path)
    while len(WATCHED) > MOST_FILES:
        WATCHED.popitem(last=False)[1].db.close()
    return watched


def watching(path: Path) -> sqlite3.Connection:
    """A connection that any thread may use, under the lock, and that reads nothing but whether others wrote."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)
