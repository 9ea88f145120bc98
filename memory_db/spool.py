"""What hooks left beside the file when they could not write into it: each line becomes a row of `hook_runs`.

In: `FILE.spool.jsonl`, to which a hook appends one line of JSON. Out: rows, and no spool. Invariants: no line is lost
and none becomes two rows, whoever is killed when, and however many processes take it in at once; a line that cannot be
read is kept as it is, but for secrets.

    FILE.spool.jsonl --rename--> FILE.spool.NAME.taken --one transaction--> rows under NAME --> removed

A process that dies before the transaction leaves a file for the next; one that dies after it too, but its NAME and
line numbers are rows already. Hooks append under a lock and look whether the file still has its name
(`hook_spool.append`), so nothing is written to a file that was read.
"""

from __future__ import annotations

import fcntl
import json
import sqlite3
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from memory_db.connection import transaction
from memory_db.dates import normal_utc, utc_text
from memory_db.errors import InputError
from memory_db.redact import clean

MALFORMED = "MalformedLine"
"""What stands for the error of a line that cannot be read; its reason is the line."""

LINE_CHARACTERS = 2_000
"""How much of a line is kept: a hook writes a tenth of it."""

FIELDS = ("at", "hook", "error", "reason")
"""What a line says, all of it text; it may add `duration_ms` and `session_uid`."""

INSERT = """
insert or ignore into hook_runs (hook, started_at, outcome, error, reason, duration_ms, session_uid, spool, line_number)
values (?, ?, 'failed', ?, ?, ?, ?, ?, ?)
"""


def spool_path(path: Path) -> Path:
    """Where hooks append."""
    return path.with_name(f"{path.name}.spool.jsonl")


def waiting(path: Path) -> list[Path]:
    """The spool, and what a process that was killed had taken of it, as far as they are there."""
    taken = sorted(each for each in path.parent.iterdir() if is_taken(each, path))
    return [each for each in (*taken, spool_path(path)) if each.is_file()]


def is_taken(candidate: Path, path: Path) -> bool:
    """Whether a file is a part of this file's spool that was renamed to be taken in."""
    return candidate.name.startswith(f"{path.name}.spool.") and candidate.suffix == ".taken"


def take_in(db: sqlite3.Connection, path: Path, *, now: datetime) -> dict[str, int]:
    """Takes in whatever waits beside a file: counts of `lines`, and of `malformed` ones among them.

    Raises: OSError where a spool cannot be read or renamed, sqlite3.Error.
    """
    counts = {"lines": 0, "malformed": 0}
    for found in waiting(path):
        try:
            taken = found if is_taken(found, path) else renamed(found, path)
            rows = list(rows_of(taken, now))
        except FileNotFoundError:  # another process was faster
            continue
        with transaction(db):
            before = db.total_changes
            db.executemany(INSERT, rows)
            added = db.total_changes - before
        taken.unlink(missing_ok=True)
        counts["lines"] += added
        counts["malformed"] += sum(row[2] == MALFORMED for row in rows) if added else 0
    return counts


def renamed(spool: Path, path: Path) -> Path:
    """The spool under a name that no other part of it ever has: from now on hooks begin a new one."""
    found = spool.stat()
    taken = path.with_name(f"{path.name}.spool.{found.st_mtime_ns}-{found.st_ino}.taken")
    spool.rename(taken)
    return taken


def rows_of(taken: Path, now: datetime) -> Iterator[tuple[object, ...]]:
    """A row for each line, once no hook is writing any more."""
    with taken.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        lines = file.read().splitlines()
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield (*parsed(line, now), taken.name, number)


def parsed(line: bytes, now: datetime) -> tuple[str, str, str, str, float | None, str | None]:
    """Hook, moment, error, reason, duration and session of a line; of one that cannot be read, itself as the reason."""
    text = line.decode(errors="backslashreplace").replace("\0", "\\x00")
    try:
        values = json.loads(text)
        at, hook, error, reason = (values[name] for name in FIELDS)
        if not all(isinstance(each, str) for each in (at, hook, error, reason)):
            raise TypeError("a value is no text")
        took, session = values.get("duration_ms"), values.get("session_uid")
        duration_ms = float(took) if isinstance(took, int | float) else None
        session_uid = cleaned(session) if isinstance(session, str) else None
        return cleaned(hook), normal_utc(at), cleaned(error), cleaned(reason), duration_ms, session_uid
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError, InputError):
        return "unknown", utc_text(now), MALFORMED, cleaned(text), None, None


def cleaned(text: str) -> str:
    """A text as it may be stored: no secret, not too long, without half characters."""
    whole = text.encode(errors="backslashreplace").decode().replace("\0", "\\x00")
    return clean(whole)[0][:LINE_CHARACTERS]
