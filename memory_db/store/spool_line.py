"""A line beside the file for what could not be written into it in time; `spool` takes such lines in later.

In: why a hook has no row; or the row that it would have, and a recall that was answered already, with all its hits.
Out: one line of JSON in `FILE.spool.jsonl`. Invariants: what was asked stands there redacted, as the row would hold it,
and nowhere else; a line is there whole or not at all; whoever takes the spool in meanwhile, it is in one file that will
be read.

Loaded only where the file could not be written.
"""

from __future__ import annotations

import errno
import os
from datetime import datetime

from memory_db.store.dates import utc_text
from memory_db.store.json_text import dumps

try:
    import fcntl
except ImportError:  # Windows, where no hook is installed: nothing is spooled there
    fcntl = None  # type: ignore[assignment]

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Mapping

SPOOL_BYTES = 10_000_000
"""A spool that nobody takes in stops growing here. Source: ours; a recall with its hits takes 20,000 to 80,000."""

NOT_KEPT = "the recall could not be kept"
"""The reason of a run that told something, of which there was no room for more than that."""


def spool(
    path: str, hook: str, error: str, reason: str, *, now: datetime, duration_ms: float | None = None,
    session_uid: str = "",
) -> None:  # fmt: skip
    """Notes why a hook has no row; where even that cannot be written, nothing is left to do."""
    values: dict[str, object] = {"at": utc_text(now), "hook": hook, "error": error, "reason": reason}
    if duration_ms is not None:
        values["duration_ms"] = round(duration_ms, 2)
    if session_uid:
        values["session_uid"] = session_uid
    put(path, values)


def spool_answered(path: str, values: Mapping[str, object], record: Mapping[str, object] | None) -> bool:
    """Leaves a run that has answered, as `values` tell it, with its recall; whether one of them found room.

    `values` are the columns of `hook_runs`, with `at`; without a `hook` there is a recall alone.
    """
    if record is None or put(path, {**values, "recall": record}):
        return record is not None or put(path, values)
    return "hook" in values and put(path, {**values, "reason": values["reason"] or NOT_KEPT})


def put(path: str, values: Mapping[str, object]) -> bool:
    """Adds a line of JSON; whether that could be done."""
    if not path:
        return False
    line = f"{dumps(values)}\n".encode()
    try:
        while not append(f"{path}.spool.jsonl", line):
            pass  # it was taken in meanwhile: there is a new one to begin
    except (OSError, ValueError):
        return False
    return True


def append(spool_path: str, line: bytes) -> bool:
    """Adds a line to a spool; False where it was renamed before the lock was had.

    Raises: OSError, also where the spool is full.
    """
    if fcntl is None:
        raise OSError(errno.ENOSYS, "this system has no locks of files that a hook can load in time")
    handle = os.open(spool_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        found = os.fstat(handle)
        if not found.st_nlink or not same_file(spool_path, found):
            return False
        if found.st_size + len(line) > SPOOL_BYTES:
            raise OSError(errno.ENOSPC, "the spool is full")
        if os.write(handle, line) < len(line):
            os.ftruncate(handle, found.st_size)
            raise OSError(errno.ENOSPC, "there is room for a part alone")
        return True
    finally:
        os.close(handle)


def same_file(path: str, found: os.stat_result) -> bool:
    """Whether a path still leads to a file that was opened."""
    try:
        return os.path.samestat(os.stat(path), found)
    except FileNotFoundError:
        return False
