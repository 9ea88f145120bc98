"""What happens when a reply or a session ends, or its context is about to be compacted.

In: the events stop, session-end and pre-compact. Out: citations of the reply as evidence; the transcript as a job, and
the word to start the worker; before a compaction a checkpoint, which names the moment. Invariant: the agent is shown
nothing and held up by nothing.
"""

from __future__ import annotations

import re
import sqlite3
from datetime import datetime

from memory_db.errors import SourceError
from memory_db.feedback.citations import citations_in
from memory_db.hooks.background import enqueue_transcript
from memory_db.hooks.run import HookEvent, HookOutcome, session_of
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

BEFORE_COMPACTION = "pre-compact"
"""Kind of the checkpoint, and the beginning of its name."""

BY = "hook"

SESSION_CHARACTERS = 8
"""How much of a session's uid stands in a checkpoint's name, as git shortens a commit."""

TRIGGERS = ("auto", "manual")
"""Who asks for a compaction. Source: Claude Code's documentation of hooks."""

CHECKPOINT = """
insert or ignore into checkpoints (name, kind, note, session_id, created_by, created_at) values (?, ?, ?, ?, ?, ?)
"""


def handle(db: sqlite3.Connection, event: HookEvent, project: str, *, now: datetime) -> HookOutcome:
    """What was done at the end of something; nothing is shown.

    Raises: sqlite3.Error.
    """
    if event.hook == "stop":
        return read_reply(db, event, now=now)
    with transaction(db):
        outcome = leave_transcript(db, event, now=now)
        if event.hook == "pre-compact":
            set_checkpoint(db, event, now=now)
    return outcome


def read_reply(db: sqlite3.Connection, event: HookEvent, *, now: datetime) -> HookOutcome:
    """Counts what a reply cites of what its session was shown."""
    if event.values.get("stop_hook_active") is True:
        return HookOutcome("skipped", "a stop hook is active")
    if not (text := event.text("last_assistant_message")):
        return HookOutcome("skipped", "no reply in the payload")
    cited = citations_in(db, text, event.session_uid, now=now)
    return HookOutcome("done", f"cited {cited}" if cited else "nothing cited")


def leave_transcript(db: sqlite3.Connection, event: HookEvent, *, now: datetime) -> HookOutcome:
    """Leaves the transcript to the worker; where that may not be, the reason is that of the run."""
    if not event.transcript_path:
        return HookOutcome("skipped", "no transcript in the payload")
    try:
        is_new = enqueue_transcript(db, event.transcript_path, event.session_uid, now=now)
    except SourceError as error:
        return HookOutcome("skipped", str(error))
    return HookOutcome("done", "transcript due" if is_new else "transcript was due", starts_work=True)


def set_checkpoint(db: sqlite3.Connection, event: HookEvent, *, now: datetime) -> None:
    """Names the moment before a compaction after the session and the time, once a second."""
    session = re.sub(r"[^0-9A-Za-z]", "", event.session_uid)[:SESSION_CHARACTERS] or "unknown"
    at = utc_text(now)
    second = re.sub(r"[^0-9]", "", at)[:14]
    name = f"{BEFORE_COMPACTION}-{session}-{second[:8]}-{second[8:]}"
    trigger = event.text("trigger")
    note = trigger if trigger in TRIGGERS else ""
    db.execute(CHECKPOINT, [name, BEFORE_COMPACTION, note, session_of(db, event.session_uid), BY, at])
