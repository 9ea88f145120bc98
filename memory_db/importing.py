"""What was read, how far, and what came of it.

In: folders and files of transcripts. Out: rows of `sources`, `sessions`,
`entries`, `actions` and `api_calls`, and counts. Invariants: a batch and how
far it brought its source are one transaction, so a killed import loses
nothing and repeats nothing; memory does not grow with a file; a file that
cannot be read is a row that says why.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memory_db.connection import transaction
from memory_db.dates import utc_text
from memory_db.errors import SourceError
from memory_db.transcripts.claude_code import FORMAT, ClaudeCodeReader, ReaderState
from memory_db.transcripts.lines import LIMITS, Limits, Line, is_finished, read_lines, reading_order, sample_hash
from memory_db.transcripts.records import Item, Problem
from memory_db.transcripts.writer import ImportCounts, Origin, write_items

__all__ = ["ImportCounts", "Limits", "find_transcripts", "import_claude_code"]

Progress = Callable[[str, int, int | None], None]

UNFINISHED = "the last line is not finished"
"""`state_reason` of a source whose last line waits for its end."""

NOT_LINES = "a JSON file, not a transcript of JSON lines"
ELSEWHERE = "JSON lines at a place where Claude Code keeps no transcripts: expected FOLDER/PROJECT/SESSION.jsonl"

OWN_FILES = ("sessions-index.json", ".meta.json")
"""Names (or ends of names) of files that Claude Code keeps beside transcripts and that hold no conversation."""

UPDATE_SOURCE = """
update sources set size_bytes = ?, mtime_ns = ?, read_bytes = ?, read_lines = ?, head_hash = ?, cursor = ?, state = ?,
    state_reason = ?, read_at = ?
where id = ?
"""


@dataclass(slots=True)
class Reading:
    """One file on its way: the row of `sources`, what is on the disk, and how far it is read."""

    path: Path
    origin: Origin
    size_bytes: int
    mtime_ns: int
    offset: int
    lines: int
    state: ReaderState
    is_rewritten: bool = False
    was_bytes: int = 0


def find_transcripts(folders: Iterable[Path]) -> list[Path]:
    """The transcripts below these folders, sorted: `<project>/<session>.jsonl` and those of subagents.

    A folder of one project and a single file will do, too.
    Raises: SourceError for a folder that is not there.
    """
    found: set[Path] = set()
    for folder in folders:
        if folder.is_file():
            found.add(folder)
            continue
        if not folder.is_dir():
            raise SourceError(
                f"No folder {folder}. Name the one that holds the transcripts, such as ~/.claude/projects."
            )
        for pattern in ("*.jsonl", "*/*.jsonl", "*/subagents/**/agent-*.jsonl", "*/*/subagents/**/agent-*.jsonl"):
            found.update(folder.glob(pattern))
    return sorted(found)


def find_others(folders: Iterable[Path], transcripts: Iterable[Path]) -> list[Path]:
    """Files below these folders that look like transcripts but are not where those are kept."""
    known = set(transcripts)
    found = {path for folder in folders for end in ("json", "jsonl") for path in folder.rglob(f"*.{end}")}
    return sorted(path for path in found - known if not path.name.endswith(OWN_FILES) and path.is_file())


def import_claude_code(
    db: sqlite3.Connection,
    folders: Sequence[Path],
    *,
    now: datetime,
    progress: Progress | None = None,
    limits: Limits = LIMITS,
) -> ImportCounts:
    """Takes in what is new below these folders since the last time; counts of what was found and done.

    Raises: SourceError for a folder that is not there.
    """
    counts = ImportCounts()
    folders = [Path(folder).absolute() for folder in folders]
    paths = find_transcripts(folders)
    others = find_others(folders, paths)
    counts.files_found = len(paths) + len(others)
    with transaction(db):
        note_missing(db, folders, {path_text(path) for path in (*paths, *others)}, counts)
        for path in others:
            reason = NOT_LINES if path.suffix == ".json" else ELSEWHERE
            note_unreadable(db, path, reason, counts, now)
        pending = [reading for path in paths if (reading := open_source(db, path, counts, now))]
    pending = in_reading_order(db, pending, counts, now)
    total = sum(max(0, reading.size_bytes - reading.offset) for reading in pending)
    for reading in pending:
        try:
            read_file(db, reading, counts, now, progress, total, limits)
        except OSError as error:
            note_unreadable(db, reading.path, error.strerror or str(error), counts, now)
    return counts


def in_reading_order(
    db: sqlite3.Connection, pending: list[Reading], counts: ImportCounts, now: datetime
) -> list[Reading]:
    """The files to read, originals before the sessions that repeat them; those that cannot be opened are noted."""
    ordered = []
    for reading in pending:
        try:
            ordered.append((reading_order(reading.path), reading))
        except OSError as error:
            note_unreadable(db, reading.path, error.strerror or str(error), counts, now)
    return [reading for _, reading in sorted(ordered, key=lambda pair: pair[0])]


def open_source(db: sqlite3.Connection, path: Path, counts: ImportCounts, now: datetime) -> Reading | None:
    """What is to be read of a file; None where nothing is, or where it cannot be."""
    try:
        stat = path.stat()
    except OSError as error:
        note_unreadable(db, path, error.strerror or str(error), counts, now)
        return None
    if not path.is_file():
        note_unreadable(db, path, "not a file", counts, now)
        return None
    row = db.execute("select * from sources where path = ?", [path_text(path)]).fetchone()
    if row is None:
        made = db.execute(
            "insert into sources (path, format, size_bytes, mtime_ns, state, found_at) values (?, ?, ?, ?, 'found', ?)",
            [path_text(path), FORMAT, stat.st_size, stat.st_mtime_ns, utc_text(now)],
        )
        origin = Origin(int(made.lastrowid or 0), path_text(path), FORMAT)
        return Reading(path, origin, stat.st_size, stat.st_mtime_ns, 0, 0, ReaderState())
    if row["state"] in ("read", "partial") and (row["size_bytes"], row["mtime_ns"]) == (stat.st_size, stat.st_mtime_ns):
        counts.files_unchanged += 1
        return None
    origin = Origin(row["id"], row["path"], FORMAT)
    state = ReaderState.of(row["cursor"])
    reading = Reading(path, origin, stat.st_size, stat.st_mtime_ns, row["read_bytes"], row["read_lines"], state)
    return reading if is_grown(reading, row["head_hash"]) else from_the_start(reading)


def is_grown(reading: Reading, head_hash: str | None) -> bool:
    """Whether what was read of a file still stands in it."""
    if head_hash is None or reading.offset == 0:
        return True
    try:
        return reading.size_bytes >= reading.offset and sample_hash(reading.path, reading.offset) == head_hash
    except OSError:
        return True


def from_the_start(reading: Reading) -> Reading:
    """A file that was truncated or written anew is read again; its entries find themselves by their uids."""
    return Reading(
        reading.path, reading.origin, reading.size_bytes, reading.mtime_ns, 0, 0, ReaderState(), True, reading.offset
    )


def read_file(
    db: sqlite3.Connection,
    reading: Reading,
    counts: ImportCounts,
    now: datetime,
    progress: Progress | None,
    total: int,
    limits: Limits,
) -> None:
    """Reads a file from where it was left, batch by batch."""
    reader = ClaudeCodeReader(reading.path, reading.state, file_time(reading.mtime_ns))
    first = reading.offset
    with reading.path.open("rb") as handle:
        handle.seek(first)
        for lines, unfinished, is_last in batches(read_lines(handle, reading.lines, limits), limits):
            items = [reader.item(line) for line in lines]
            if reading.is_rewritten and reading.was_bytes:
                reason = f"rewritten: {reading.was_bytes} bytes of it had been read; read again from the start"
                items.append(Item(0, skipped="rewritten", problems=[Problem(0, reason)]))
            with transaction(db):
                write_items(db, reading.origin, items, counts, now)
                done = lines[-1].end if lines else reading.offset
                counts.bytes_read += done - reading.offset
                reading.offset, reading.lines = done, lines[-1].number if lines else reading.lines
                save_reading(db, reading, unfinished, is_last, now)
            if reading.is_rewritten and reading.was_bytes:
                counts.files_rewritten += 1
                counts.lines, counts.lines_skipped = counts.lines - 1, counts.lines_skipped - 1
                reading.was_bytes = 0
            if progress:
                progress("import", counts.bytes_read, total)
    counts.files_read += 1


def batches(lines: Iterator[Line], limits: Limits) -> Iterator[tuple[list[Line], bool, bool]]:
    """Lines in groups of bounded size: (lines, whether one more is there but not finished, whether it is the last)."""
    batch: list[Line] = []
    size = 0
    for line in lines:
        if not is_finished(line):
            yield batch, True, True
            return
        if len(batch) >= limits.batch_lines or (batch and size + len(line.data) > limits.batch_bytes):
            yield batch, False, False
            batch, size = [], 0
        batch.append(line)
        size += len(line.data)
    yield batch, False, True


def save_reading(db: sqlite3.Connection, reading: Reading, unfinished: bool, is_last: bool, now: datetime) -> None:
    """Writes down how far a file is read. Until its last batch it counts as found, not as read."""
    state = "partial" if unfinished else "read" if is_last else "found"
    db.execute(
        UPDATE_SOURCE,
        [
            reading.size_bytes,
            reading.mtime_ns,
            reading.offset,
            reading.lines,
            sample_hash(reading.path, reading.offset),
            reading.state.text(),
            state,
            UNFINISHED if unfinished else None,
            utc_text(now),
            reading.origin.source_id,
        ],
    )


def note_unreadable(db: sqlite3.Connection, path: Path, reason: str, counts: ImportCounts, now: datetime) -> None:
    """Keeps a row for a file that cannot be read, with the reason; nothing changes where it says so already."""
    counts.files_unreadable += 1
    try:
        stat = path.stat()
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
        [path_text(path), FORMAT, size, mtime, reason, utc_text(now)],
    )


def note_missing(db: sqlite3.Connection, folders: list[Path], found: set[str], counts: ImportCounts) -> None:
    """Marks files below these folders that were there once and are not any more."""
    for row in db.execute("select id, path from sources where format = ? and state <> 'missing'", [FORMAT]).fetchall():
        path = Path(row["path"])
        if row["path"] not in found and any(folder == path or folder in path.parents for folder in folders):
            counts.files_missing += 1
            db.execute(
                "update sources set state = 'missing', state_reason = 'not there any more' where id = ?", [row["id"]]
            )


def path_text(path: Path) -> str:
    """A path as text that can be stored, whatever bytes it is made of."""
    return os.fsencode(path).decode("utf-8", "replace")


def file_time(mtime_ns: int) -> str:
    """When a file was last changed, as the file keeps times."""
    return utc_text(datetime.fromtimestamp(mtime_ns / 1e9, UTC))
