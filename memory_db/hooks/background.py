"""Work that a hook leaves to another process: transcripts to take in, and the worker that does so.

In: the path of a transcript, as an agent named it. Out: a row of `jobs`, and a process of its own that works on what is
due. Invariants: a hook reads no transcript, it only looks whether one may be read; what is asked for while a worker
runs is done by that worker or by the next, never by nobody; the worker keeps nothing of the hook open, so that the
agent does not wait for it.

A hook loads this: the standard library alone. What works on the jobs is `transcript_jobs`.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from datetime import datetime

from memory_db import packed
from memory_db.errors import SourceError
from memory_db.hooks.run import OWN_AGENT
from memory_db.redact.clean import clean
from memory_db.store import jobs
from memory_db.store.connection import file_of, transaction
from memory_db.transcripts.links import LEADS_OUT, link_out

TRANSCRIPT = "transcript"
"""Kind of the job that takes in one transcript; its key is the path."""

ENDING = ".jsonl"

MOST_BYTES = 2**30
"""A larger file is left to `memory-db import`. Source: ours; a hundred times the longest session seen."""

PATH_CHARACTERS = 4_096
"""A longer path is none. Source: PATH_MAX of Linux."""


def enqueue_transcript(db: sqlite3.Connection, path: str, session_uid: str, *, now: datetime) -> bool:
    """Makes a transcript due to be taken in; False where it was due already as the file is now.

    What is being taken in becomes due again if the file has changed since, and so does what was given up.
    Raises: SourceError for what may not be read, with the reason.
    """
    found = look_at(path, database_of(db))
    payload = {
        "path": path, "session_uid": clean(session_uid)[0], "size_bytes": found.st_size, "mtime_ns": found.st_mtime_ns,
    }  # fmt: skip
    with transaction(db):
        row = db.execute(
            "select id, payload from jobs where kind = ? and key = ? and state = 'dead'", [TRANSCRIPT, path]
        ).fetchone()
        if row is not None and row["payload"] != jobs.payload_text(payload):
            jobs.revive(db, row["id"], now)
            jobs.set_payload(db, row["id"], payload, now)
            return True
        return jobs.enqueue(db, TRANSCRIPT, path, payload, now)


def look_at(path: str, database: str) -> os.stat_result:
    """What the disk says of a transcript that may be read: the user's own plain file of JSON lines.

    A link is none, and neither is what lies in a folder that is a link out of the one around it: it could lead
    anywhere, and what it leads to can be named itself.
    Raises: SourceError, with the reason.
    """
    named = f"{path[:200]!r}"
    if not os.path.isabs(path) or len(path) > PATH_CHARACTERS or not path.isprintable():
        raise SourceError(f"No full path of a transcript: {named}. Name it from the root on.")
    if not path.endswith(ENDING):
        raise SourceError(f"No transcript, for its name does not end in {ENDING}: {named}. Name one that does.")
    if clean(path)[0] != path:
        raise SourceError("The path of a transcript looks like a secret. `memory-db run` takes it in without the path.")
    try:
        found = os.lstat(path)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise SourceError(f"No transcript there ({why}): {named}. Name one that is there.") from error
    if not stat.S_ISREG(found.st_mode):
        raise SourceError(f"A link, a folder or a device, no transcript: {named}. Name the file itself.")
    if link_out(path, os.path.dirname(os.path.dirname(path))):
        raise SourceError(f"Behind {LEADS_OUT}: {named}. Name the file itself.")
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():  # Windows has no such number
        raise SourceError(f"Another user's file, which is not read: {named}. Name one of your own.")
    if found.st_size > MOST_BYTES:
        raise SourceError(f"Too large to be taken in unasked: {named}. Use `memory-db import claude-code`.")
    if is_ours(path, database):
        raise SourceError(f"A file of memory-db itself, no transcript: {named}. Name another.")
    return found


def is_ours(path: str, database: str) -> bool:
    """Whether a path is the database, or one of the files beside it that begin with its name."""
    real = os.path.realpath(path)
    return bool(database) and (real == database or real.startswith(f"{database}.") or real.startswith(f"{database}-"))


def database_of(db: sqlite3.Connection) -> str:
    """The path of the file that a connection is to, with links followed."""
    path = file_of(db)
    return os.path.realpath(path) if path else ""


def start_worker(path: str) -> None:
    """Starts `memory-db work --once` as a process that outlives this one and keeps nothing of it open.

    It does not see this process's folder, in which anybody's package of our name could lie, and the hooks of whatever
    agent it may start do nothing.
    Raises: OSError.
    """
    file = os.path.abspath(path)
    leave_to("-m", "memory_db", "-d", file, "work", "--once", folder=os.path.dirname(file))


def start_packing() -> None:
    """Starts what writes the pack of a hook's modules, as `start_worker` does, where it can be written.

    Raises: OSError.
    """
    folder = os.path.dirname(os.path.dirname(packed.PATH))
    if os.access(folder, os.W_OK):
        leave_to("-S", os.path.join(folder, "hooks", "pack.py"), folder=folder)


def leave_to(*arguments: str, folder: str) -> None:
    """Starts an interpreter that outlives this process and keeps nothing of it open. Raises: OSError."""
    import subprocess  # noqa: PLC0415  # start-up: only a hook that leaves work behind needs it

    process = subprocess.Popen(
        [sys.executable, "-I", *arguments],
        cwd=folder,
        env={**os.environ, OWN_AGENT: "1"},  # noqa: TID251  # what a child is given, no setting
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        close_fds=True,
        start_new_session=True,
    )
    process.returncode = 0  # nobody waits for it, which subprocess would complain of
