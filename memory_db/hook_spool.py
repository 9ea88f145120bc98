"""A line beside the file for what a hook could not write into it; `spool` takes such lines in later.

In: why there was no row. Out: one line of JSON in `FILE.spool.jsonl`. Invariants: no word of what was asked; whoever
takes the spool in meanwhile, the line is in one file that will be read.

A hook loads this only in trouble.
"""

from __future__ import annotations

import fcntl
import json
import os
from datetime import datetime

from memory_db.dates import utc_text

SPOOL_BYTES = 1_000_000
"""A spool that nobody takes in stops growing here."""


def spool(
    path: str, hook: str, error: str, reason: str, *, now: datetime, duration_ms: float | None = None,
    session_uid: str = "",
) -> None:  # fmt: skip
    """Notes why a hook has no row; where even that cannot be written, nothing is left to do."""
    if not path:
        return
    values: dict[str, object] = {"at": utc_text(now), "hook": hook, "error": error, "reason": reason}
    if duration_ms is not None:
        values["duration_ms"] = round(duration_ms, 2)
    if session_uid:
        values["session_uid"] = session_uid
    try:
        while not append(f"{path}.spool.jsonl", f"{json.dumps(values)}\n".encode()):
            pass  # it was taken in meanwhile: there is a new one to begin
    except (OSError, ValueError):
        return


def append(spool_path: str, line: bytes) -> bool:
    """Adds a line to a spool unless that is full; False where it was renamed before the lock was had.

    Raises: OSError.
    """
    handle = os.open(spool_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        found = os.fstat(handle)
        if not found.st_nlink or not same_file(spool_path, found):
            return False
        if found.st_size < SPOOL_BYTES:
            os.write(handle, line)
        return True
    finally:
        os.close(handle)


def same_file(path: str, found: os.stat_result) -> bool:
    """Whether a path still leads to a file that was opened."""
    try:
        return os.path.samestat(os.stat(path), found)
    except FileNotFoundError:
        return False
