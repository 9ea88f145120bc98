"""What happens when a session starts or goes on: what earlier ones left unread is swept up, and memory presents itself.

In: the event session-start, with its source (startup, resume, clear, compact). Out: transcripts as jobs and the word to
start the worker; the session's first brief (`start_block`). Invariants: the brief comes first, the sweep once the agent
has it; no transcript is read here, the disk is only asked for sizes and times, of a bounded number of files; what may
not be read is passed over; a pause and a hold-out keep the brief back, never the sweep.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from datetime import datetime

from memory_db.errors import NotFoundError, SourceError
from memory_db.hooks.background import ENDING, TRANSCRIPT, enqueue_transcript
from memory_db.hooks.run import EVENT_NAMES, NOT_MIGRATED, PAUSED, HookEvent, HookOutcome, project_of
from memory_db.recall.brief.log import EMPTIED
from memory_db.recall.brief.render import UNLOGGED, brief_around
from memory_db.recall.brief.select import Answer, keep_only
from memory_db.recall.brief.session_start import SURFACE, block
from memory_db.records import replace
from memory_db.store.connection import SCHEMA_VERSION, is_lacking, schema_of, transaction

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Collection

MOST_LOOKED_AT = 2_000
"""Files of a folder that are looked at: a tenth of a second on a slow disk."""

MOST_SOURCES = 100
"""Files that were read in part, or lately, and may have grown, in whatever folder."""

MOST_LEFT = 20
"""Transcripts that one start leaves to the worker, the newest; the next start takes the others."""

KNOWN = "select path, size_bytes, mtime_ns, state from sources where path > :folder and path < :after"

UNFINISHED = """
select path, size_bytes, mtime_ns, state from sources
where format = 'claude-code' and state in ('found', 'partial', 'read')
order by state = 'read', mtime_ns desc limit :most
"""

WAITING = "select 1 from jobs where kind = ? and state in ('due', 'running') limit 1"

OLDER = (
    "memory-db: the file has schema {schema}, this version wants {wanted}. It is being migrated now; until that is done"
    " less is remembered here. `memory-db doctor` says more."
)

STARTING = ("startup", "clear")
"""Sources of a session whose own transcript has only just begun."""

SOURCES = ("startup", "resume", *EMPTIED)
"""Why a session starts. Source: Claude Code's documentation of hooks."""


def handle(db: sqlite3.Connection, event: HookEvent, project: str, *, now: datetime) -> HookOutcome:
    """The session's first brief, and whether the worker has something to do.

    Raises: MemoryDBError, sqlite3.Error.
    """
    outcome = presented(db, event, project, now=now)
    if (schema := schema_of(db)) < SCHEMA_VERSION:
        return with_older_schema_note(outcome, schema)
    return replace(outcome, later=lambda writer: sweep(writer, event, now=now))


def presented(db: sqlite3.Connection, event: HookEvent, project: str, *, now: datetime) -> HookOutcome:
    """The session's first brief; of a file of an earlier schema as much as that has. Raises: sqlite3.Error."""
    if event.silenced == PAUSED:
        return HookOutcome("skipped", PAUSED)
    source = event.text("source")
    project_id = project_of(db, project or event.cwd)
    try:
        there = size_and_time(event.transcript_path) if event.transcript_path else None
        answer = block(
            db, project_id, event.session_uid or None, now=now, is_emptied=source in EMPTIED,
            session_bytes=there[0] if there else None,
        )  # fmt: skip
    except (sqlite3.OperationalError, NotFoundError) as error:
        if schema_of(db) >= SCHEMA_VERSION or (isinstance(error, sqlite3.Error) and not is_lacking(error)):
            raise
        return HookOutcome("silent", NOT_MIGRATED)
    if event.silenced:
        keep_locked(answer, event.silenced, now)
    if answer.abstained:
        return HookOutcome("silent", event.silenced or "nothing to show", answer)
    return HookOutcome("shown", event.silenced or (source if source in SOURCES else ""), answer)


def with_older_schema_note(outcome: HookOutcome, schema: int) -> HookOutcome:
    """The same with a line that the file waits for a worker to migrate it, which is started; a pause keeps it back."""
    if outcome.reason == PAUSED:
        return replace(outcome, starts_work=True)
    line = OLDER.format(schema=schema, wanted=SCHEMA_VERSION)
    if outcome.answer and not outcome.answer.abstained:
        outcome.answer.after += (line,)
        return replace(outcome, starts_work=True)
    text = brief_around([line], UNLOGGED)
    output = {"hookSpecificOutput": {"hookEventName": EVENT_NAMES[SURFACE], "additionalContext": text}}
    return HookOutcome("shown", NOT_MIGRATED, outcome.answer, output=output, starts_work=True)


def keep_locked(answer: Answer, why: str, now: datetime) -> None:
    """Takes out of a brief what memory chose: what a person locked is no experiment."""
    keep_only(answer, why, now, lambda hit: hit.features.lock_level == "user")


def sweep(db: sqlite3.Connection, event: HookEvent, *, now: datetime) -> bool:
    """Leaves what earlier sessions left unread to the worker; whether anything waits for it."""
    own = event.transcript_path
    known: dict[str, tuple[int, int]] = {}
    found: dict[str, tuple[int, int]] = {}
    if own and os.path.isabs(own):
        folder = os.path.dirname(own)
        rows = db.execute(KNOWN, {"folder": f"{folder}/", "after": f"{folder}0"})
        known = {row["path"]: read_until(row) for row in rows}
        found = transcripts_in(folder, known)
    for row in db.execute(UNFINISHED, {"most": MOST_SOURCES}).fetchall():
        known[row["path"]] = read_until(row)
        if row["path"] not in found and (now_there := size_and_time(row["path"])):
            found[row["path"]] = now_there
    if event.text("source", "startup") in STARTING:
        found.pop(own, None)
    unread = [path for path, there in found.items() if known.get(path) != there]
    unread.sort(key=lambda path: -found[path][1])
    leave(db, unread, now=now)
    return db.execute(WAITING, [TRANSCRIPT]).fetchone() is not None


def leave(db: sqlite3.Connection, unread: list[str], *, now: datetime) -> None:
    """Makes jobs of the first of these transcripts that may be read."""
    left = 0
    with transaction(db):
        for path in unread:
            if left == MOST_LEFT:
                break
            try:
                left += enqueue_transcript(db, path, os.path.basename(path).removesuffix(ENDING), now=now)
            except SourceError:
                continue


def read_until(row: sqlite3.Row) -> tuple[int, int]:
    """Size and time of a source when it was read; of one that was not read to its end, none that a file can have."""
    return (row["size_bytes"], row["mtime_ns"]) if row["state"] in ("read", "partial") else (-1, -1)


def transcripts_in(folder: str, known: Collection[str]) -> dict[str, tuple[int, int]]:
    """Size and time of the files in a folder that may be transcripts, by path; none where it cannot be read.

    Where there are too many, those that nobody has read come first.
    """
    try:
        paths = [f"{folder}/{name}" for name in os.listdir(folder) if name.endswith(ENDING)]
    except (OSError, ValueError):
        return {}
    paths.sort(key=lambda path: path in known)
    return {path: there for path in paths[:MOST_LOOKED_AT] if (there := size_and_time(path))}


def size_and_time(path: str) -> tuple[int, int] | None:
    """Size and time of a plain file; None for anything else."""
    try:
        there = os.lstat(path)
    except (OSError, ValueError):
        return None
    return (there.st_size, there.st_mtime_ns) if stat.S_ISREG(there.st_mode) else None
