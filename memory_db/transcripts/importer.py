"""What was read, how far, and what came of it.

In: folders and files of transcripts. Out: rows of `sources`, `sessions`,
`entries`, `actions` and `api_calls`, and counts. Invariants: a batch and how
far it brought its source are one transaction, so a killed import loses
nothing and repeats nothing; memory does not grow with a file; a file that
cannot be read is a row that says why.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory_db.errors import InputError, SourceError
from memory_db.helpers import ALONE, Helpers
from memory_db.store.connection import file_of, transaction
from memory_db.store.dates import utc_text
from memory_db.store.ignored import ignored_folders, why_ignored
from memory_db.transcripts import claude_ai, claude_code, llm_logs, text
from memory_db.transcripts.left_out import OWN_SESSION, ignored_place, is_own_session, note_ignored
from memory_db.transcripts.lines import LIMITS, ReadLimits, reading_order
from memory_db.transcripts.links import LEADS_OUT, link_out
from memory_db.transcripts.llm_logs import Cursor, LlmLog
from memory_db.transcripts.project_names import named_folder
from memory_db.transcripts.reading import Batch, ReadingAhead, read_ahead
from memory_db.transcripts.records import Item, Problem
from memory_db.transcripts.reported_usage import main_file, settle
from memory_db.transcripts.sources import (
    SourceReading,
    file_time,
    note_missing,
    note_unreadable,
    open_source,
    path_text,
    save_reading,
    unread_reasons,
)
from memory_db.transcripts.writer import ImportCounts, write_items, write_problems

__all__ = [
    "ImportCounts",
    "ReadLimits",
    "find_transcripts",
    "import_claude_ai",
    "import_claude_code",
    "import_llm_logs",
    "import_text",
    "unread_reasons",
]

Progress = Callable[[str, int, int | None], None]
"""Called with (what, bytes or messages done, how many there are in all where that is known)."""

NOT_LINES = "a JSON file, not a transcript of JSON lines"
ELSEWHERE = "JSON lines at a place where Claude Code keeps no transcripts: expected FOLDER/PROJECT/SESSION.jsonl"
"""Why files below a folder of transcripts are not read."""

OWN_FILES = ("sessions-index.json", ".meta.json")
"""Names (or ends of names) of files that Claude Code keeps beside transcripts and that hold no conversation."""

BATCH_ITEMS = 200
"""How many messages of an export are stored in one transaction."""


def find_transcripts(folders: Iterable[Path]) -> list[Path]:
    """The transcripts below these folders, sorted: `<project>/<session>.jsonl` and those of subagents.

    A folder of one project and a single file will do, too. What only a link that leads out of its folder leads to is
    not among them.
    Raises: SourceError for a folder that is not there.
    """
    return transcripts_and_links(folders)[0]


def transcripts_and_links(folders: Iterable[Path]) -> tuple[list[Path], list[Path]]:
    """The transcripts below these folders, and the links there that lead out, which are not followed; both sorted.

    Raises: SourceError for a folder that is not there.
    """
    found: set[Path] = set()
    links: set[Path] = set()
    for folder in folders:
        if folder.is_file():
            found.add(folder)
            continue
        if not folder.is_dir():
            raise SourceError(
                f"No folder {folder}. Name the one that holds the transcripts, such as ~/.claude/projects."
            )
        for pattern in ("*.jsonl", "*/*.jsonl", "*/subagents/**/agent-*.jsonl", "*/*/subagents/**/agent-*.jsonl"):
            for path in folder.glob(pattern):
                link = link_out(path, folder)
                (links if link else found).add(Path(link or path))
    return sorted(found), sorted(links)


def find_others(folders: Iterable[Path], known: Iterable[Path]) -> dict[Path, str]:
    """Files below these folders that look like transcripts and are not read, each with the reason, in order."""
    known = set(known)
    why: dict[Path, str] = {}
    for folder in folders:
        for path in (*folder.rglob("*.json"), *folder.rglob("*.jsonl")):
            if path in known or path.name.endswith(OWN_FILES):
                continue
            if link_out(path, folder):
                why[path] = LEADS_OUT
            elif path.is_file():
                why[path] = NOT_LINES if path.suffix == ".json" else ELSEWHERE
    return dict(sorted(why.items()))


@dataclass(slots=True)
class NewFiles:
    """Files with something new in their order, which helpers read already where they are many."""

    counts: ImportCounts
    readings: ReadingAhead
    total_bytes: int


def import_claude_code(
    db: sqlite3.Connection,
    folders: Sequence[Path],
    *,
    now: datetime,
    progress: Progress | None = None,
    limits: ReadLimits = LIMITS,
    helpers: Helpers = ALONE,
) -> ImportCounts:
    """Takes in what is new below these folders since the last time; counts of what was found and done.

    Helpers read and redact ahead, where there are any and much is new.
    Raises: SourceError for a folder that is not there.
    """
    return store_new(db, find_new(db, folders, now=now, limits=limits, helpers=helpers), now=now, progress=progress)


def find_new(
    db: sqlite3.Connection,
    folders: Sequence[Path],
    *,
    now: datetime,
    limits: ReadLimits = LIMITS,
    helpers: Helpers = ALONE,
) -> NewFiles:
    """What is new below these folders, each file a row of `sources`, to be stored soon, before somebody else does.

    Raises: SourceError for a folder that is not there.
    """
    counts = ImportCounts()
    folders = [Path(folder).absolute() for folder in folders]
    paths, links = transcripts_and_links(folders)
    others = find_others(folders, paths) | dict.fromkeys(links, LEADS_OUT)
    counts.files_found = len(paths) + len(others)
    note_missing(db, folders, claude_code.FORMAT, {path_text(path) for path in (*paths, *others)}, counts)
    with transaction(db) as lock:
        for path, reason in others.items():
            lock.let_others()
            note_unreadable(db, path, claude_code.FORMAT, reason, counts, now)
    pending = [reading for path in paths if (reading := open_source(db, path, claude_code.FORMAT, counts, now))]
    pending = in_reading_order(db, pending, counts, now)
    total_bytes = sum(max(0, reading.size_bytes - reading.offset) for reading in pending)
    return NewFiles(counts, read_ahead(pending, helpers, limits), total_bytes)


def store_new(
    db: sqlite3.Connection, new: NewFiles, *, now: datetime, progress: Progress | None = None
) -> ImportCounts:
    """Stores what was found to be new, file by file; what cannot be read is noted with its reason."""
    counts = new.counts

    def report() -> None:
        if progress:
            progress("import", counts.bytes_read, new.total_bytes)

    for reading, batches in new.readings:
        try:
            store_file(db, reading, batches, counts, now, report)
        except OSError as error:
            note_unreadable(db, reading.path, claude_code.FORMAT, error.strerror or str(error), counts, now)
    return counts


def in_reading_order(
    db: sqlite3.Connection, pending: list[SourceReading], counts: ImportCounts, now: datetime
) -> list[SourceReading]:
    """The files to read, originals before the sessions that repeat them; those that cannot be opened are noted."""
    ordered = []
    ignored = ignored_folders(db)
    for reading in pending:
        try:
            if place := ignored_place(reading.path, ignored):
                note_ignored(db, reading.path, claude_code.FORMAT, place, counts, now)
                continue
            if is_own_session(reading.path):
                note_unreadable(db, reading.path, claude_code.FORMAT, OWN_SESSION, counts, now)
                continue
            ordered.append((reading_order(reading.path), reading))
        except OSError as error:
            note_unreadable(db, reading.path, claude_code.FORMAT, error.strerror or str(error), counts, now)
    return [reading for _, reading in sorted(ordered, key=lambda pair: pair[0])]


def store_file(
    db: sqlite3.Connection,
    reading: SourceReading,
    batches: Iterator[Batch],
    counts: ImportCounts,
    now: datetime,
    report: Callable[[], None],
) -> None:
    """Stores a file from where it was left, batch by batch. Raises: OSError."""
    for batch in batches:
        reading.hash.up_to(reading.path, reading.offset if batch.end is None else batch.end)
        with transaction(db):
            note_rewritten(db, reading, counts, now)
            write_items(db, reading.origin, batch.items, counts, now)
            if batch.end is not None and batch.number is not None:
                counts.bytes_read += batch.end - reading.offset
                reading.offset, reading.lines = batch.end, batch.number
            reading.cursor = batch.cursor
            save_reading(db, reading, batch.is_unfinished, batch.is_last, now)
            if batch.is_last and (main := main_file(reading.path)):
                settle(db, path_text(main))
        report()
    counts.files_read += 1


def note_rewritten(db: sqlite3.Connection, reading: SourceReading, counts: ImportCounts, now: datetime) -> None:
    """Keeps a row that says that a file was truncated or written anew, once."""
    if reading.rewritten_bytes:
        reason = f"rewritten: {reading.rewritten_bytes} bytes of it had been read; read again from the start"
        item = Item(0, problems=[Problem(0, reason)])
        counts.problems += write_problems(db, reading.origin.source_id, [item], utc_text(now))
        db.execute("delete from skipped_records where source_id = ?", [reading.origin.source_id])
        counts.files_rewritten += 1
        reading.rewritten_bytes = 0


def import_claude_ai(
    db: sqlite3.Connection, path: Path, *, now: datetime, progress: Progress | None = None
) -> ImportCounts:
    """Takes in an export of claude.ai: `conversations.json`, its folder, or the ZIP.

    Raises: SourceError for a file that is no such export.
    """
    counts = ImportCounts()
    path = Path(path).absolute()
    if not path.exists():
        raise SourceError(f"No file {path}. Give the ZIP that claude.ai sent, or the conversations.json in it.")
    if path.is_dir():
        folder, path = path, path / claude_ai.MEMBER
        if link_out(path, folder):
            note_unreadable(db, path, claude_ai.FORMAT, LEADS_OUT, counts, now)
            raise SourceError(f"{path} is {LEADS_OUT}. Name the file itself.")
        if not path.is_file():
            raise SourceError(f"No file {path}. Name the folder of an export from claude.ai, or the ZIP that it sent.")
    reading = open_whole(db, path, claude_ai.FORMAT, counts, now)
    refuse_unread(db, [path], counts)
    if reading is not None:
        items = claude_ai.read_export(reading.path, file_time(reading.mtime_ns))
        read_whole(db, reading, items, counts, now, progress)
    return counts


def import_text(
    db: sqlite3.Connection, paths: Sequence[Path], *, now: datetime, progress: Progress | None = None,
    project: str | None = None,
) -> ImportCounts:  # fmt: skip
    """Takes in Markdown and text files, named or below the folders named; a document is a session of its pieces.

    They belong to `project` (a name or a folder), those too that were read before; else to the git repository or the
    known project that they are in.
    Raises: SourceError for a path that is not there, or where no file could be read; NotFoundError for a name that no
    project has, InputError for one that several have.
    """
    counts = ImportCounts()
    folder = named_folder(db, project) if project else None
    documents, links = text.find_documents([Path(path).absolute() for path in paths])
    for path in links:
        counts.files_found += 1
        note_unreadable(db, path, text.FORMAT, LEADS_OUT, counts, now)
    for path in documents:
        reading = open_whole(db, path, text.FORMAT, counts, now)
        if place := why_ignored(folder or str(path.parent), ignored_folders(db)):
            if reading is not None:
                note_ignored(db, path, text.FORMAT, place, counts, now)
            continue
        uid = f"text:{path_text(path)}"
        if folder:
            counts.sessions_moved += text.move(db, uid, folder, now)
        if reading is None:
            continue
        try:
            cwd = folder or text.folder_of(db, path)
            items = list(text.read_document(path, uid, cwd, file_time(reading.mtime_ns)))
            text.place_anew(db, items)
            read_whole(db, reading, iter(items), counts, now, progress)
        except (OSError, SourceError) as error:
            note_unreadable(db, path, text.FORMAT, str(error), counts, now)
    refuse_unread(db, [*documents, *links], counts)
    return counts


def refuse_unread(db: sqlite3.Connection, paths: Sequence[Path], counts: ImportCounts) -> None:
    """Raises: SourceError with the first reason, where none of these files could be read."""
    if counts.files_unreadable and not counts.files_read + counts.files_unchanged:
        reasons = unread_reasons(db, paths)
        more = f" Others that cannot be read: {len(reasons) - 1}; the table sources has the reason of each."
        raise SourceError(reasons[0] + (more if len(reasons) > 1 else ""))


def import_llm_logs(
    db: sqlite3.Connection, path: Path, *, now: datetime, progress: Progress | None = None
) -> ImportCounts:
    """Takes in what the `llm` command has logged since the last time.

    Raises: SourceError for a file that is no log of llm; InputError for our own
    file, whose log is of our own calls and no conversation.
    """
    counts = ImportCounts()
    path = Path(path).absolute()
    if not path.is_file():
        raise SourceError(f"No file {path}. `llm logs path` prints where llm keeps its log.")
    own = file_of(db)
    if own and path.resolve() == Path(own).resolve():
        raise InputError(f"{path} is the memory database itself. Name the log of llm: `llm logs path` prints it.")
    log = LlmLog(path)
    try:
        counts.files_found = 1
        stored = db.execute("select cursor, state from sources where path = ?", [path_text(path)]).fetchone()
        newest = log.newest()
        if stored is not None and stored["state"] == "read" and Cursor.of(stored["cursor"]) == newest:
            counts.files_unchanged = 1
            return counts
        if stored is not None:
            db.execute("update sources set state = 'found' where path = ?", [path_text(path)])
        reading = open_source(db, path, llm_logs.FORMAT, counts, now)
        if reading is not None:
            items = log.items(Cursor.of(stored["cursor"] if stored else None))
            read_whole(db, reading, items, counts, now, progress, cursor=newest.text())
    finally:
        log.close()
    return counts


def open_whole(
    db: sqlite3.Connection, path: Path, format_name: str, counts: ImportCounts, now: datetime
) -> SourceReading | None:
    """A file that is always read as a whole; None where it has not changed or cannot be read."""
    counts.files_found += 1
    reading = open_source(db, path, format_name, counts, now)
    if reading is not None:
        reading.offset = reading.lines = 0
        reading.rewritten_bytes = 0
    return reading


def item_batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Items in groups of bounded number and size."""
    batch: list[Item] = []
    size = 0
    for item in items:
        batch.append(item)
        size += len(item.entry.text) if item.entry else 0
        if len(batch) >= BATCH_ITEMS or size >= LIMITS.batch_bytes:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def read_whole(
    db: sqlite3.Connection,
    reading: SourceReading,
    items: Iterator[Item],
    counts: ImportCounts,
    now: datetime,
    progress: Progress | None,
    cursor: str | None = None,
) -> None:
    """Stores all items of a source. It counts as read, and its cursor moves, only with the last of them."""
    done = 0
    for batch in item_batches(items):
        with transaction(db):
            write_items(db, reading.origin, batch, counts, now)
        done += len(batch)
        if progress:
            progress("import", done, None)
    reading.hash.up_to(reading.path, reading.size_bytes)
    with transaction(db):
        reading.offset, reading.lines, reading.cursor = reading.size_bytes, done, cursor
        save_reading(db, reading, is_unfinished=False, is_last=True, now=now)
    counts.bytes_read += reading.size_bytes
    counts.files_read += 1
