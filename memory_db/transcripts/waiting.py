"""Which transcripts wait to be read, and how much of each: the newest sessions first, in portions.

In: folders, and the rows of `sources`. Out: portions of files. Invariants: nothing is read but names, sizes and the
first and last lines; a session, its subagents and those that repeat its entries stand in one portion, so that it is
read as if all were read at once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.transcripts import claude_code
from memory_db.transcripts.importer import find_transcripts
from memory_db.transcripts.lines import first_entry
from memory_db.transcripts.reported_usage import main_file
from memory_db.transcripts.sources import path_text

KNOWN = "select path, size_bytes, mtime_ns, read_bytes, state from sources where format = ?"

FOUND = """
insert into sources (path, format, size_bytes, mtime_ns, state, found_at) values (?, ?, ?, ?, 'found', ?)
on conflict (path) do nothing
"""


@dataclass(frozen=True, slots=True)
class WaitingFile:
    """A transcript with something new in it: how much, its size, when it was last written, whether it has a row."""

    path: Path
    left_bytes: int
    size_bytes: int
    mtime_ns: int
    is_known: bool = False


@dataclass(frozen=True, slots=True)
class Portion:
    """Transcripts that are read together, and how much of them is new."""

    paths: tuple[Path, ...]
    left_bytes: int


def waiting_files(db: sqlite3.Connection, folders: Sequence[Path]) -> list[WaitingFile]:
    """The transcripts below these folders that were not read as far as they go. Raises: SourceError for no folder."""
    known = {row["path"]: row for row in db.execute(KNOWN, [claude_code.FORMAT])}
    found = []
    for path in find_transcripts([Path(folder).absolute() for folder in folders]):
        try:
            stat = path.stat()
        except OSError:
            continue  # the import says why
        row = known.get(path_text(path))
        is_same = row is not None and (row["size_bytes"], row["mtime_ns"]) == (stat.st_size, stat.st_mtime_ns)
        if not is_same or (row is not None and row["state"] == "found"):
            read = min(stat.st_size, row["read_bytes"]) if row is not None else 0
            found.append(WaitingFile(path, stat.st_size - read, stat.st_size, stat.st_mtime_ns, row is not None))
    return found


def note_found(db: sqlite3.Connection, files: Iterable[WaitingFile], now: datetime) -> None:
    """Makes the rows of files that have none, so that whoever looks at the file sees how much waits."""
    rows = [
        (path_text(each.path), claude_code.FORMAT, each.size_bytes, each.mtime_ns, utc_text(now))
        for each in files
        if not each.is_known
    ]
    with transaction(db):
        db.executemany(FOUND, rows)


def portions(files: Sequence[WaitingFile], first_bytes: int, later_bytes: int) -> list[Portion]:
    """The files in portions, the newest sessions first: the first portion of about so many bytes, then the others.

    A session that is larger than a portion is one by itself.
    """
    made: list[Portion] = []
    paths: list[Path] = []
    size = 0
    for group in groups(files):
        paths += [each.path for each in group]
        size += sum(each.left_bytes for each in group)
        if size >= (later_bytes if made else first_bytes):
            made.append(Portion(tuple(paths), size))
            paths, size = [], 0
    return [*made, Portion(tuple(paths), size)] if paths else made


def groups(files: Sequence[WaitingFile]) -> list[list[WaitingFile]]:
    """What is read together, the group that was written last first: a session that repeats another begins with it."""
    found: dict[object, list[WaitingFile]] = {}
    for each in files:
        main = main_file(each.path) or each.path
        found.setdefault(begin_of(main) or main, []).append(each)
    return sorted(found.values(), key=lambda group: (-max(each.mtime_ns for each in group), str(group[0].path)))


def begin_of(path: Path) -> str:
    """The entry that a transcript begins with; '' where that is not told."""
    try:
        return first_entry(path)
    except OSError:
        return ""
