"""What may go wrong in a hook's run, and the line beside the file that says so.

In: a run and its error. Out: a line in the spool, which the next command that writes takes in. Invariant: nothing here
needs the file, or what a recall loads: a run that has loaded nothing yet may be in trouble too.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import sqlite3
import sys

from memory_db.errors import MemoryDBError

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from memory_db.hooks.run import HookRun

TROUBLES = (MemoryDBError, sqlite3.Error, OSError, ValueError, RecursionError, MemoryError, ImportError)
"""What may go wrong in a run; each becomes a line in the spool."""

GAVE_UP = "it gave up at its deadline"
"""How a hook that is only tried begins to tell that it was too slow."""


def note_trouble(run: HookRun, error: BaseException) -> str:
    """Notes why a run failed, and gives it: our own errors in their words, others by name alone."""
    reason = str(error) if isinstance(error, MemoryDBError) else type(error).__name__
    write_spool(run, type(error).__name__, reason)
    return reason


def note_lateness(run: HookRun) -> None:
    """Notes that a run gave up at its deadline; one that is only tried tells who tries it, and leaves no line."""
    if run.is_dry:
        sys.stderr.write(f"{GAVE_UP} of {run.deadline_ms:g} ms\n")
        sys.stderr.flush()
    else:
        write_spool(run, "DeadlineError", "deadline")


def write_spool(run: HookRun, error: str, reason: str) -> None:
    """One line beside the file."""
    from memory_db.store.spool_line import spool  # noqa: PLC0415  # start-up: only a hook in trouble needs it

    duration_ms = run.duration_ms()
    spool(run.path, run.hook, error, reason, now=run.now, duration_ms=duration_ms, session_uid=run.session_uid)
