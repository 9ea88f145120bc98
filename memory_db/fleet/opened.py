"""A shard as a process has it open: read only, kept from one question to the next, with the postings of words asked.

In: a shard of the catalogue. Out: `Opened`. Invariants: a shard is only read; what is remembered of a file goes when
the file changes. Where a shard cannot be used `in_shard` gives a `Trouble` in words instead of an error.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import fsspec

from memory_db.errors import MemoryDBError, MissingFileError
from memory_db.fleet.catalogue import Shard
from memory_db.fleet.ranking import Postings, Size, postings, size_of
from memory_db.store.connection import connect, explain

BUSY_MS = 1_000
"""How long a shard that is locked is waited for: the others have answered by then."""

MOST_POSTINGS = 2_000
"""Words of which a process remembers the texts that have them, a shard: some megabytes."""

LOOK_S = 60.0
"""How often a file that is elsewhere is looked at: whether there is another version. Source: ours; looking takes a
round to that place, and a question several."""

NAME_DIGITS = 24
"""Hexadecimal digits of the names that fetched files have here."""

KEPT_OPEN = 64
"""Shards that a process keeps open."""

Given = ParamSpec("Given")
Result = TypeVar("Result")
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a shard did not answer, in one line."""

    reason: str


class Opened:
    """One shard, open in this process and thread."""

    def __init__(self, shard: Shard) -> None:
        self.shard = shard
        self.path = local_path(shard)
        self.db = connect(self.path, busy_ms=BUSY_MS)
        self._inode = self.path.stat().st_ino
        self._looked = time.monotonic()
        self._stamp: tuple[int, ...] = ()
        self._sizes: dict[str, Size] = {}
        self._postings: dict[tuple[str, str], Postings] = {}
        self._known: dict[str, Any] = {}

    def stamp(self) -> tuple[int, ...]:
        """Numbers that change when the file does; what was remembered of it before is forgotten then."""
        now = stamp_of(self.path)
        if now != self._stamp:
            self._stamp = now
            self._sizes, self._postings, self._known = {}, {}, {}
        return now

    def once(self, name: str, find: Callable[[], Found]) -> Found:
        """What is found under a name, remembered as long as the file is as it was."""
        if name not in self._known:
            self._known[name] = find()
        found: Found = self._known[name]
        return found

    def is_stale(self) -> bool:
        """Whether another file lies in the place of the one that is open, or none. Raises: MissingFileError."""
        if not self.shard.is_local and time.monotonic() - self._looked > LOOK_S:
            self._looked = time.monotonic()
            return local_path(self.shard) != self.path
        return not self.path.exists() or self.path.stat().st_ino != self._inode

    def size(self, table: str) -> Size:
        """How large a full text of this shard is."""
        if table not in self._sizes:
            self._sizes[table] = size_of(self.db, table)
        return self._sizes[table]

    def postings(self, table: str, term: str) -> Postings:
        """The texts of this shard that have a word."""
        key = (table, term)
        if key not in self._postings:
            if len(self._postings) >= MOST_POSTINGS:
                del self._postings[next(iter(self._postings))]
            self._postings[key] = postings(self.db, table, term, self.size(table))
        return self._postings[key]

    def close(self) -> None:
        """Closes the file."""
        self.db.close()


def stamp_of(path: Path) -> tuple[int, ...]:
    """Numbers that change when a file or its write-ahead log does. Raises: MissingFileError."""
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise MissingFileError(f"{path} is no longer there. Bring it back, or take it out of the catalogue.") from error
    numbers = [found.st_ino, found.st_size, found.st_mtime_ns]
    try:
        log = Path(f"{path}-wal").stat()
    except FileNotFoundError:
        return (*numbers, 0, 0)
    return (*numbers, log.st_size, log.st_mtime_ns if log.st_size else 0)


def local_path(shard: Shard) -> Path:
    """The file of a shard on this machine; one that is elsewhere is fetched, and again where it changed.

    Raises: MissingFileError.
    """
    gone = f"No file at {shard.address}. Bring it back, or take it out of the catalogue."
    if shard.is_local:
        if not Path(shard.address).exists():
            raise MissingFileError(gone)
        return Path(shard.address)
    try:
        return fetched(shard.address)
    except FileNotFoundError as error:
        raise MissingFileError(gone) from error
    except ImportError as error:
        raise MissingFileError(
            f"{shard.address} cannot be fetched: {in_line(error)}. Do so where shards are asked, or name a copy of it."
        ) from error
    except (OSError, ValueError) as error:
        raise MissingFileError(
            f"{shard.address} cannot be fetched: {in_line(error)}. Mend the address, or name a copy of it."
        ) from error


def fetched(address: str) -> Path:
    """A copy of a file that is elsewhere, as it is now; each version has a name of its own, so that none which is open
    is written over.

    Raises: ImportError, OSError, ValueError.
    """
    files, path = fsspec.url_to_fs(address)
    files.invalidate_cache()
    name, version = (
        hashlib.sha256(text.encode()).hexdigest()[:NAME_DIGITS]
        for text in (address, repr(sorted(files.info(path).items())))
    )
    folder = Path(tempfile.gettempdir()) / f"memory-db-fleet-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder / f"{name}-{version}.db"
    if not found.exists():
        with tempfile.TemporaryDirectory(dir=folder) as beside:
            part = Path(beside, "part.db")
            files.get_file(path, str(part))
            part.chmod(0o600)
            for before in folder.glob(f"{name}-*"):
                before.unlink(missing_ok=True)
            part.replace(found)
    return found


def in_line(error: Exception) -> str:
    """What an error says, in one line without its full stop."""
    return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__


class _Kept(threading.local):
    """The shards that a thread has open: SQLite's connections stay in theirs."""

    def __init__(self) -> None:
        self.shards: dict[Shard, Opened] = {}


_KEPT = _Kept()


def opened(shard: Shard) -> Opened:
    """The shard, opened once a process. Raises: DatabaseFileError."""
    found = _KEPT.shards.pop(shard, None)
    if found is not None and found.is_stale():
        found.close()
        found = None
    if found is None:
        while len(_KEPT.shards) >= KEPT_OPEN:
            _KEPT.shards.pop(next(iter(_KEPT.shards))).close()
        found = Opened(shard)
    _KEPT.shards[shard] = found
    return found


def close_all() -> None:
    """Closes what this thread has open."""
    while _KEPT.shards:
        _KEPT.shards.popitem()[1].close()


def in_shard(
    shard: Shard, function: Callable[Concatenate[Opened, Given], Result], *args: Given.args, **values: Given.kwargs
) -> tuple[tuple[int, ...], Result] | Trouble:
    """What a function finds in a shard, with the stamp of the file; or why it could not be asked."""
    try:
        found = opened(shard)
        stamp = found.stamp()
        return stamp, function(found, *args, **values)
    except MemoryDBError as error:
        return Trouble(str(error))
    except sqlite3.Error as error:
        forget(shard)
        return Trouble(str(explain(error, shard.address)))
    except OSError as error:
        forget(shard)
        return Trouble(f"{shard.address}: {error.strerror or error}. See whether it can be read.")


def forget(shard: Shard) -> None:
    """Closes a shard after an error: the next question opens it anew."""
    found: Any = _KEPT.shards.pop(shard, None)
    if found is not None:
        found.close()
