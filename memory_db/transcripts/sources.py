"""How far each source was read: the rows of `sources`.

In: paths. Out: what is to be read of each, and rows that say how far it was
read, or why not. Invariant: a row changes only where the disk or the reading did.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from memory_db.redact.clean import clean
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.transcripts.lines import ReadHash
from memory_db.transcripts.records import digest
from memory_db.transcripts.writer import ImportCounts, Origin

UNFINISHED = "the last line is not finished"
"""`state_reason` of a source whose last line waits for its end."""

HASH_CHARACTERS = 8
"""How much of a hash tells two paths apart that look the same once they are cleaned."""

UPDATE_SOURCE = """
update sources set format = ?, size_bytes = ?, mtime_ns = ?, read_bytes = ?, read_lines = ?, head_hash = ?, cursor = ?,
    state = ?, state_reason = ?, read_at = ?
where id = ?
"""


@dataclass(slots=True)
class SourceReading:
    """One file on its way: the row of `sources`, what is on the disk, and how far it is read."""

    path: Path
    origin: Origin
    size_bytes: int
    mtime_ns: int
    offset: int
    lines: int
    cursor: str | None
    rewritten_bytes: int = 0
    hash: ReadHash = field(default_factory=ReadHash)


def open_source(
    db: sqlite3.Connection, path: Path, format_name: str, counts: ImportCounts, now: datetime
) -> SourceReading | None:
    """What is to be read of a file; None where nothing is, or where it cannot be."""
    try:
        stat = path.stat()
    except OSError as error:
        note_unreadable(db, path, format_name, error.strerror or str(error), counts, now)
        return None
    if not path.is_file():
        note_unreadable(db, path, format_name, "not a file", counts, now)
        return None
    with transaction(db):
        row = db.execute("select * from sources where path = ?", [path_text(path)]).fetchone()
        if row is None:
            made = db.execute(
                "insert into sources (path, format, size_bytes, mtime_ns, state, found_at)"
                " values (?, ?, ?, ?, 'found', ?)",
                [path_text(path), format_name, stat.st_size, stat.st_mtime_ns, utc_text(now)],
            )
            origin = Origin(int(made.lastrowid or 0), path_text(path), format_name)
            return SourceReading(path, origin, stat.st_size, stat.st_mtime_ns, 0, 0, None)
    size, mtime = stat.st_size, stat.st_mtime_ns
    origin = Origin(row["id"], row["path"], format_name)
    if row["format"] != format_name:  # what one reader has read, another one has not
        return SourceReading(path, origin, size, mtime, 0, 0, None)
    if row["state"] in ("read", "partial") and (row["size_bytes"], row["mtime_ns"]) == (size, mtime):
        counts.files_unchanged += 1
        return None
    reading = SourceReading(path, origin, size, mtime, row["read_bytes"], row["read_lines"], row["cursor"])
    return reading if is_grown(reading, row["head_hash"]) else from_the_start(reading)


def is_grown(reading: SourceReading, head_hash: str | None) -> bool:
    """Whether what was read of a file still stands in it."""
    if head_hash is None or reading.offset == 0:
        return True
    try:
        return reading.size_bytes >= reading.offset and reading.hash.up_to(reading.path, reading.offset) == head_hash
    except OSError:
        return True


def from_the_start(reading: SourceReading) -> SourceReading:
    """A file that was truncated or written anew is read again; its entries find themselves by their uids."""
    return SourceReading(
        reading.path, reading.origin, reading.size_bytes, reading.mtime_ns, 0, 0, None, rewritten_bytes=reading.offset
    )


def save_reading(
    db: sqlite3.Connection, reading: SourceReading, is_unfinished: bool, is_last: bool, now: datetime
) -> None:
    """Writes down how far a file is read. Until its last batch it counts as found, not as read."""
    state = "partial" if is_unfinished else "read" if is_last else "found"
    db.execute(
        UPDATE_SOURCE,
        [
            reading.origin.format,
            reading.size_bytes,
            reading.mtime_ns,
            reading.offset,
            reading.lines,
            reading.hash.up_to(reading.path, reading.offset),
            reading.cursor,
            state,
            UNFINISHED if is_unfinished else None,
            utc_text(now),
            reading.origin.source_id,
        ],
    )


def note_unreadable(
    db: sqlite3.Connection, path: Path, format_name: str, reason: str, counts: ImportCounts, now: datetime
) -> None:
    """Keeps a row for a file that cannot be read, with the reason; nothing changes where it says so already."""
    counts.files_unreadable += 1
    try:
        stat = path.lstat()  # of a link that is not followed, nothing of what it leads to
        size, mtime = stat.st_size, stat.st_mtime_ns
    except OSError:
        size, mtime = 0, 0
    db.execute(
        "insert into sources (path, format, size_bytes, mtime_ns, state, state_reason, found_at)"
        " values (?, ?, ?, ?, 'unreadable', ?, ?)"
        " on conflict (path) do update set state = 'unreadable', state_reason = excluded.state_reason,"
        " size_bytes = excluded.size_bytes, mtime_ns = excluded.mtime_ns"
        " where state <> 'unreadable' or state_reason is not excluded.state_reason"
        " or size_bytes <> excluded.size_bytes or mtime_ns <> excluded.mtime_ns",
        [path_text(path), format_name, size, mtime, clean(reason)[0], utc_text(now)],
    )


def unread_reasons(db: sqlite3.Connection, paths: Sequence[Path]) -> list[str]:
    """Of those of these files that cannot be read, the path with the reason, as a line that tells what to do."""
    found = []
    for path in paths:
        row = db.execute(
            "select path, state_reason from sources where path = ? and state = 'unreadable'", [path_text(path)]
        ).fetchone()
        if row:
            reason = str(row["state_reason"])
            found.append(reason if reason[-1:] == "." else f"{row['path']} cannot be read: {reason}. Name another.")
    return found


def note_missing(
    db: sqlite3.Connection, folders: list[Path], format_name: str, found: set[str], counts: ImportCounts
) -> None:
    """Marks files below these folders that were there once and are not any more."""
    named = [path_text(folder) for folder in folders]
    if found.issuperset(named):
        return  # files, all of them there
    tops = set(map(Path, named))
    known = db.execute("select id, path from sources where format = ? and state <> 'missing'", [format_name])
    missing = [
        (row["id"],)
        for row in known.fetchall()
        if row["path"] not in found and not tops.isdisjoint((Path(row["path"]), *Path(row["path"]).parents))
    ]
    counts.files_missing += len(missing)
    if missing:
        with transaction(db):
            db.executemany(
                "update sources set state = 'missing', state_reason = 'not there any more' where id = ?", missing
            )


@lru_cache(maxsize=4096)
def path_text(path: Path) -> str:
    """A path as text that can be stored, whatever bytes it is made of: the name under which a source is found again.

    A part that redaction changes gets a short hash of what it was, so that two files stay two; a part by itself, so
    that what is below a folder has the folder's text before its own.
    """
    text = os.fsencode(path).decode("utf-8", "replace")
    safe = "/".join(name_text(name) for name in text.split("/"))
    cleaned = clean(safe)[0]
    return safe if cleaned == safe else marked(cleaned, text)


@lru_cache(maxsize=4096)
def name_text(name: str) -> str:
    """One part of a path, cleaned; itself where that changes nothing."""
    cleaned = clean(name)[0]
    return name if cleaned == name else marked(cleaned, name)


def marked(cleaned: str, raw: str) -> str:
    """A cleaned text with a short hash of what it was."""
    return f"{cleaned}#{digest(raw.encode('utf-8', 'replace'))[:HASH_CHARACTERS]}"


def file_time(mtime_ns: int) -> str:
    """When a file was last changed, as the file keeps times."""
    return utc_text(datetime.fromtimestamp(mtime_ns / 1e9, UTC))
