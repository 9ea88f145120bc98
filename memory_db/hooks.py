"""What happens at an agent's events: the road from a payload to what the agent reads, and the row that tells of it.

    payload -> Event -> file -> pause -> handler -> Outcome -> one transaction (recall, hits, hook_runs) -> stdout

In: a hook's name, the payload of its event, the file, the moment. Out: the agent's own output shape, or nothing.
Each event has a handler, a module that is loaded only when that event comes.

Invariants: nothing but what a handler answered ever reaches stdout; every run is one row of `hook_runs`, or on any
trouble one line in the spool beside the file, without a word of what was asked; the file is never migrated here; no run
outlives its deadline.
"""

from __future__ import annotations

import _thread
import json
import os
import sqlite3
import sys
import time
from datetime import datetime

from memory_db.brief import Answer, log_recall
from memory_db.connection import connect, explain, transaction
from memory_db.dates import utc_text
from memory_db.errors import InputError, MemoryDBError
from memory_db.startup import dataclass, field, replace

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

HANDLERS = {
    "user-prompt": "memory_db.hook_prompt",
    "session-start": "memory_db.hook_start",
    "pre-tool-use": "memory_db.hook_tool",
    "stop": "memory_db.hook_end",
    "session-end": "memory_db.hook_end",
    "pre-compact": "memory_db.hook_end",
}
"""The module of each hook: `handle(db, event, project, *, now) -> Outcome`."""

EVENT_NAMES = {
    "user-prompt": "UserPromptSubmit",
    "session-start": "SessionStart",
    "pre-tool-use": "PreToolUse",
    "stop": "Stop",
    "session-end": "SessionEnd",
    "pre-compact": "PreCompact",
}
"""What the agent calls these events, in `hook_event_name`. Source: Claude Code's documentation of hooks."""

SURFACES = {"user-prompt": "hook"}
"""How recalls of hooks are named in the log, where not as the hook itself."""

OWN_AGENT = "MEMORY_DB_AGENT"
"""Set in the environment of an agent that memory-db itself started: its hooks do nothing, or they would go round."""

DEADLINE_MS = {"user-prompt": 300, "pre-tool-use": 300}
"""How long a hook may take, from its first line to its last: a person waits for it. Source: ours; the eye takes a
third of a second for at once."""

LONG_DEADLINE_MS = 2_000
"""The same for the other hooks, which come once a session or when a reply has ended."""

BUSY_MS = 250
"""How long a hook waits for another writer before it keeps silent."""

MOST_BYTES = 4_000_000
"""A longer payload is not read: it is no event."""

UUID_CHARACTERS, UUID_LETTERS = 36, frozenset("0123456789abcdef-")
"""What an agent names its sessions with; anything else is looked through."""

WAL_BYTES = 1_000_000
"""Size of the write-ahead log at which a hook moves it into the file: each process reads it when it opens the file."""


TROUBLES = (MemoryDBError, sqlite3.Error, OSError, ValueError, RecursionError, MemoryError, ImportError)
"""What may go wrong in a run; each becomes a line in the spool."""


@dataclass(slots=True, frozen=True)
class Event:
    """What came from the agent: which hook, in which session and folder, and the payload itself.

    `silenced` says why nothing may be shown ('paused', 'held out'), empty where something may.
    """

    hook: str
    session_uid: str = ""
    cwd: str = ""
    transcript_path: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    silenced: str = ""

    def text(self, name: str, default: str = "") -> str:
        """A value of the payload if it is a text, else the default."""
        value = self.values.get(name)
        return value if isinstance(value, str) else default


@dataclass(slots=True, frozen=True)
class Outcome:
    """What a handler made of an event.

    `outcome` is 'shown', 'silent', 'skipped', 'asked', 'denied' or 'done'; `answer` a recall to log, whose text goes to
    the agent; `output` what to print instead; `starts_work` starts the worker when all is written and printed.
    """

    outcome: str
    reason: str = ""
    answer: Answer | None = None
    output: dict[str, Any] | None = None
    starts_work: bool = False


@dataclass(slots=True)
class Run:
    """One run of a hook: what is known of it so far, for whoever has to tell why it failed."""

    path: str
    now: datetime
    started: float
    hook: str = "unknown"
    project: str = ""
    deadline_ms: float = 0.0
    session_uid: str = ""
    ending: Any = None  # a lock: whoever has it, the run or its deadline, tells how the run ended
    is_ending: bool = False  # the run has it
    outcome: str = ""
    reason: str = ""
    db: sqlite3.Connection | None = None  # kept open until the process ends: closing would wait for the disk

    def may_end(self) -> bool:
        """Whether it is for the run to tell how it ended; its deadline keeps quiet from now on."""
        self.is_ending = self.is_ending or self.ending is None or self.ending.acquire(blocking=False)
        return self.is_ending

    def duration_ms(self) -> float:
        """How long the run has taken."""
        return (time.perf_counter() - self.started) * 1000


def main(arguments: Sequence[str], *, now: datetime, is_own: bool = False) -> None:
    """Reads a payload from stdin, writes what the agent shall read to stdout, and ends the process with 0.

    The process ends at once: what closing would do (move the log into the file) the next long-lived process does.
    """
    run = Run("", now, time.perf_counter(), ending=_thread.allocate_lock())
    try:
        options(run, arguments)
        _thread.start_new_thread(end_late, (run,))
        text, starts_work = respond(run, sys.stdin.buffer.read(MOST_BYTES + 1), is_own=is_own)
    except TROUBLES as error:
        if run.may_end():
            tell_trouble(run, error)
        else:
            time.sleep(1)  # the deadline is ending the process
    else:
        finish(run, text, starts_work)
    os._exit(0)


def finish(run: Run, text: str, starts_work: bool) -> None:
    """Prints, and starts the worker where there is work. The run is logged: what fails from here on is not told."""
    try:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.flush()
        if starts_work:
            module("memory_db.background").start_worker(run.path)
        if run.db:
            move_log(run.db, run.path)
    except (OSError, sqlite3.Error, ImportError):
        return


def end_late(run: Run) -> None:
    """Ends the process at its deadline with a line in the spool, whatever it is doing; half a transaction is none."""
    time.sleep(max(0.0, run.deadline_ms - run.duration_ms()) / 1000)
    if run.ending.acquire(blocking=False):
        write_spool(run, "DeadlineError", "deadline")
        os._exit(0)


def module(name: str) -> Any:
    """A module of ours, loaded where it is needed (importlib takes as long as a module)."""
    __import__(name)
    return sys.modules[name]


def options(run: Run, arguments: Sequence[str]) -> None:
    """Notes hook, file, project and deadline from `NAME -d FILE` (argparse takes longer than the recall).

    Raises: InputError.
    """
    values = {"-d": "", "--project": "", "--deadline-ms": ""}
    for name, value in zip(arguments[1::2], arguments[2::2], strict=False):
        if name not in values:
            raise InputError(f"No option {name!r}. There are: -d FILE, --project PATH, --deadline-ms NUMBER.")
        values[name] = value
    run.path, run.project = values["-d"], values["--project"]
    if not run.path:
        raise InputError("No database is named. Give one with -d FILE.")
    run.deadline_ms = LONG_DEADLINE_MS
    if arguments[0] not in HANDLERS:
        raise InputError(f"No hook {arguments[0][:40]!r}. There are: {', '.join(HANDLERS)}.")
    run.hook = arguments[0]
    run.deadline_ms = float(values["--deadline-ms"] or DEADLINE_MS.get(run.hook, LONG_DEADLINE_MS))


def respond(run: Run, payload: bytes, *, is_own: bool, takes_text: bool = False) -> tuple[str, bool]:
    """What is printed for a payload, and whether the worker has to start; all of it is logged.

    With `takes_text` a payload that is no JSON object is a prompt, as a person may type one.
    Raises: MemoryDBError, sqlite3.Error, ImportError.
    """
    event, is_json = read_event(run.hook, payload, takes_text=takes_text)
    run.session_uid = event.session_uid
    run.db = db = connect(run.path, write=True, busy_ms=BUSY_MS)
    try:
        db.execute("pragma wal_autocheckpoint = 0")  # see move_log
        outcome = outcome_of(db, event, run, is_own=is_own)
        log_run(db, run, outcome)
        run.outcome, run.reason = outcome.outcome, outcome.reason
    except sqlite3.OperationalError as error:
        raise explain(error, run.path) from error
    return printed(event, outcome, is_json=is_json), outcome.starts_work


def outcome_of(db: sqlite3.Connection, event: Event, run: Run, *, is_own: bool) -> Outcome:
    """What comes of an event: nothing where our own process asked or a person paused, else what its handler says."""
    if is_own or event.values.get("stop_hook_active") is True:
        return Outcome("skipped", "started by memory-db" if is_own else "a stop hook is active")
    if event.hook in SHOWING and (why := silenced(db, event, run)):
        if why == PAUSED and event.hook == "user-prompt":
            return Outcome("skipped", PAUSED)  # the others have more to do than to show something
        event = replace(event, silenced=why)
    outcome: Outcome = module(HANDLERS[event.hook]).handle(db, event, run.project, now=run.now)
    return outcome


SHOWING = ("user-prompt", "session-start", "pre-tool-use")
"""Hooks whose answer an agent reads: these keep silent in a pause and in a session that is held out."""

PAUSED, HELD_OUT = "paused", "held out"

MAY_SILENCE = """
select exists (select 1 from pauses where ended_at is null),
    (select value from settings where name = 'holdout_share')
"""
"""One statement for every run; only where it finds something is more asked."""

PAUSE = """
select 1 from pauses where ended_at is null and (ends_at is null or ends_at > :now)
    and (session_uid is null or session_uid = :session_uid) and (project_id is null or project_id = :project_id)
"""


def silenced(db: sqlite3.Connection, event: Event, run: Run) -> str:
    """Why nothing may be shown: a person paused memory, here or everywhere, or the session is held out."""
    has_pauses, share = db.execute(MAY_SILENCE).fetchone()
    if has_pauses:
        project_id = project_of(db, run.project or event.cwd)
        here = {"now": utc_text(run.now), "session_uid": event.session_uid, "project_id": project_id}
        if db.execute(PAUSE, here).fetchone():
            return PAUSED
    if share not in (None, "0", "0.0") and module("memory_db.holdouts").is_held_out(db, event.session_uid, now=run.now):
        return HELD_OUT
    return ""


def read_event(hook: str, payload: bytes, *, takes_text: bool) -> tuple[Event, bool]:
    """The event in a payload, and whether it was JSON.

    Raises: InputError.
    """
    if len(payload) > MOST_BYTES:
        raise InputError(f"A payload of more than {MOST_BYTES:,} bytes is no event. It was not read.")
    text = payload.decode(errors="replace")
    if not text.lstrip().startswith("{"):
        if hook != "user-prompt" or not takes_text:
            raise InputError(f"The payload of {hook} is no JSON object.")
        return Event(hook, values={"prompt": text}), False
    try:
        values = json.loads(text)
    except ValueError as error:
        raise InputError(f"The payload begins as JSON but is none: {error}.") from error
    named = values.get("hook_event_name", EVENT_NAMES[hook])
    if named != EVENT_NAMES[hook]:
        raise InputError(f"The payload is of another event than {hook} ({EVENT_NAMES[hook]}).")
    event = Event(hook, values=values)
    cwd, transcript_path = map(event.text, ("cwd", "transcript_path"))
    return Event(hook, stored_uid(event.text("session_id")), cwd, transcript_path, values), True


def stored_uid(uid: str) -> str:
    """A session's uid as the importer keeps it: of one that looks like a secret, or is too long, its hash."""
    if not uid or (len(uid) == UUID_CHARACTERS and UUID_LETTERS.issuperset(uid)):
        return uid  # start-up: what reads transcripts takes as long to load as all the rest
    return module("memory_db.transcripts.records").identifier(uid) or ""


def printed(event: Event, outcome: Outcome, *, is_json: bool) -> str:
    """What goes to stdout, in the agent's shape. Source: Claude Code's documentation of hooks, JSON output."""
    output = outcome.output
    if output is None and outcome.answer and outcome.answer.text:
        if not is_json:
            return f"{outcome.answer.text}\n"
        name = EVENT_NAMES[event.hook]
        output = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": outcome.answer.text}}
    return f"{json.dumps(output)}\n" if output else ""


def log_run(db: sqlite3.Connection, run: Run, outcome: Outcome) -> None:
    """Logs the recall with its hits, and the run, in one transaction; from then on the deadline has no say.

    Raises: sqlite3.Error.
    """
    answer = outcome.answer
    with transaction(db):
        if answer:
            log_recall(db, answer, surface=SURFACES.get(run.hook, run.hook), now=run.now)
        db.execute(
            INSERT_RUN,
            [run.hook, utc_text(run.now), run.duration_ms(), outcome.outcome, outcome.reason, run.session_uid or None,
             answer.recall_id if answer else None, answer.tokens if answer else 0],
        )  # fmt: skip
        if not run.may_end():
            time.sleep(1)  # the deadline is ending the process


INSERT_RUN = """
insert into hook_runs (hook, started_at, duration_ms, outcome, reason, session_uid, recall_id, shown_tokens)
values (?, ?, ?, ?, ?, ?, ?, ?)
"""


def move_log(db: sqlite3.Connection, path: str) -> None:
    """Moves the write-ahead log into the file once it is long, unless somebody reads from it.

    SQLite would do so by itself after each commit from then on: a process that ends without closing leaves no word of
    what was moved already. Closing would do so at each prompt, and wait for the disk.
    """
    wal = f"{path}-wal"
    if os.path.exists(wal) and os.path.getsize(wal) > WAL_BYTES:
        db.execute("pragma busy_timeout = 0")
        db.execute("pragma wal_checkpoint(truncate)")


def project_of(db: sqlite3.Connection, folder: str) -> int | None:
    """The project that a folder belongs to: the nearest folder above it that the file knows; None for no project."""
    folders = []
    while folder and folder not in folders:
        folders.append(folder)
        folder = os.path.dirname(folder)
    row = db.execute(
        "select project_id from (select id as project_id, canonical_path as path from projects"
        " union all select project_id, path from project_aliases)"
        " where path in (select value from json_each(?)) order by length(path) desc limit 1",
        [json.dumps(folders)],
    ).fetchone()
    return int(row[0]) if row else None


def session_of(db: sqlite3.Connection, uid: str) -> int | None:
    """The session of that uid, if it was imported already."""
    row = db.execute("select id from sessions where uid = ?", [uid]).fetchone() if uid else None
    return int(row[0]) if row else None


def tell_trouble(run: Run, error: BaseException) -> str:
    """Notes why a run failed, and gives it: our own errors in their words, others by name alone."""
    reason = str(error) if isinstance(error, MemoryDBError) else type(error).__name__
    write_spool(run, type(error).__name__, reason)
    return reason


def write_spool(run: Run, error: str, reason: str) -> None:
    """One line beside the file."""
    from memory_db.hook_spool import spool  # noqa: PLC0415  # start-up: only a hook in trouble needs it

    duration_ms = run.duration_ms()
    spool(run.path, run.hook, error, reason, now=run.now, duration_ms=duration_ms, session_uid=run.session_uid)
