"""What is left of a hook's run once it has answered: a row with its recall, or a line in the spool.

In: a run and what came of it. Out: rows, written in one transaction within a few milliseconds; where the file is busy,
cannot be written or is of an earlier schema, the same as a line beside the file, which the next command that writes
takes in. Invariant: the agent has its answer already; nothing here changes it, or holds it up for longer than that.
"""

from __future__ import annotations

import os
import sqlite3

from memory_db import packed
from memory_db.hooks.trouble import TROUBLES
from memory_db.recall.brief.log import insert_record, record_of
from memory_db.store.connection import LOG_BUSY_MS, transaction
from memory_db.store.dates import utc_text

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from typing import Any

    from memory_db.hooks.run import HookOutcome, HookRun

WAL_BYTES = 1_000_000
"""Size of the write-ahead log at which a hook moves it into the file: each process reads it when it opens the file."""

SURFACES = {"user-prompt": "hook"}
"""How recalls of hooks are named in the log, where not as the hook itself."""

INSERT_RUN = """
insert into hook_runs
    (hook, started_at, duration_ms, outcome, reason, session_uid, recall_id, shown_tokens, answered_by)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

INSERT_LOT = "insert or ignore into holdouts (session_uid, is_held_out, share, decided_at) values (?, ?, ?, ?)"


def log_run(db: sqlite3.Connection, run: HookRun, outcome: HookOutcome) -> None:
    """Logs the recall with its hits, and the run, in one transaction; what cannot be written is left in the spool."""
    answer, now = outcome.answer, run.now
    record: Any = None
    if answer and answer.recall_uid:
        surface = SURFACES.get(run.hook, run.hook)
        record = record_of(answer, answer.recall_uid, answer.text, answer.tokens, surface=surface, now=now)
    tokens, moment = answer.tokens if answer else 0, utc_text(now)
    took_ms, session = run.duration_ms(), run.session_uid or None
    try:
        if not run.is_older:
            db.execute("pragma query_only = off")
            db.execute(f"pragma busy_timeout = {LOG_BUSY_MS}")
            with transaction(db):
                recall_id = insert_record(db, record) if record else None
                row = [run.hook, moment, took_ms, outcome.outcome, outcome.reason, session, recall_id, tokens]
                db.execute(INSERT_RUN, [*row, run.answered_by])
                if run.lot:
                    db.execute(INSERT_LOT, [session, int(run.lot[0]), run.lot[1], moment])
            return
    except TROUBLES:
        pass  # the spool takes it
    spool_run(run, outcome, record, tokens, took_ms)


def spool_run(run: HookRun, outcome: HookOutcome, record: Any, tokens: int, took_ms: float) -> None:
    """Leaves what would have been the rows of a run as a line beside the file."""
    from memory_db.store.spool_line import spool_answered  # noqa: PLC0415  # start-up: only where no row could be written

    values: dict[str, object] = {
        "at": utc_text(run.now), "hook": run.hook, "outcome": outcome.outcome, "reason": outcome.reason,
        "duration_ms": round(took_ms, 2), "shown_tokens": tokens, "answered_by": run.answered_by,
    }  # fmt: skip
    if run.session_uid:
        values["session_uid"] = run.session_uid
    if run.lot:
        values["holdout"] = {"is_held_out": run.lot[0], "share": run.lot[1]}
    spool_answered(run.path, values, record)


def tidy_up(run: HookRun) -> None:
    """What a run does for the next ones: the log is moved, and at the start of a session modules are packed.

    Raises: OSError, sqlite3.Error.
    """
    if run.db and not run.is_older:
        move_log(run.db, run.path)
    if run.hook == "session-start" and packed.IS_LACKING and not run.is_dry:
        from memory_db.hooks.background import start_packing  # noqa: PLC0415  # start-up: once an upgrade

        start_packing()


def move_log(db: sqlite3.Connection, path: str) -> None:
    """Moves the write-ahead log into the file once it is long, unless somebody reads from it.

    SQLite would do so by itself after each commit from then on: a process that ends without closing leaves no word of
    what was moved already. Closing would do so at each prompt, and wait for the disk.
    """
    wal = f"{path}-wal"
    if os.path.exists(wal) and os.path.getsize(wal) > WAL_BYTES:
        db.execute("pragma busy_timeout = 0")
        db.execute("pragma wal_checkpoint(truncate)")
