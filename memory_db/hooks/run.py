"""What happens at an agent's events: the road from a payload to what the agent reads, and the row that tells of it.

    payload -> HookEvent -> file -> pause -> handler -> HookOutcome -> stdout -> one transaction (recall, hits, run)

In: a hook's name, the payload of its event, the file, the moment. Out: the agent's own output shape, or nothing.
Each event has a handler, a module that is loaded only when that event comes, and only where no warm process answers.

Invariants: nothing but what a handler answered ever reaches stdout; what only reads is answered before anything is
written (`log.py`), whoever else writes; every run is one row of `hook_runs`, or on any trouble one line in the spool
beside the file; the file is never migrated here, one of an earlier schema answers as far as its tables allow; no run
outlives its deadline, which counts from the start of the process.
"""

from __future__ import annotations

import _thread
import os
import sqlite3
import sys
import time
from datetime import datetime

from memory_db.errors import BusyError, InputError, NotFoundError
from memory_db.hooks import clock as hook_clock
from memory_db.hooks import warm
from memory_db.hooks.trouble import TROUBLES, note_lateness, note_trouble
from memory_db.records import dataclass, field, replace
from memory_db.store.connection import SCHEMA_VERSION, connect_to_answer, explain, is_lacking, rows_there
from memory_db.store.dates import utc_text
from memory_db.store.ignored import IGNORED, is_ignored
from memory_db.store.json_text import dumps, loads
from memory_db.store.own_agent import OWN_AGENT

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from memory_db.recall.brief.select import Answer

__all__ = ["OWN_AGENT", "TROUBLES", "HookEvent", "HookOutcome", "HookRun", "finish", "main", "note_trouble", "respond"]

HANDLERS = {
    "user-prompt": "memory_db.hooks.prompt",
    "session-start": "memory_db.hooks.start",
    "pre-tool-use": "memory_db.hooks.tool",
    "stop": "memory_db.hooks.end",
    "session-end": "memory_db.hooks.end",
    "pre-compact": "memory_db.hooks.end",
}
"""The module of each hook: `handle(db, event, project, *, now) -> HookOutcome`."""

EVENT_NAMES = {
    "user-prompt": "UserPromptSubmit",
    "session-start": "SessionStart",
    "pre-tool-use": "PreToolUse",
    "stop": "Stop",
    "session-end": "SessionEnd",
    "pre-compact": "PreCompact",
}
"""What the agent calls these events, in `hook_event_name`. Source: Claude Code's documentation of hooks."""

FOUND_AGAIN = ("stop", "session-end")
"""Hooks that write nothing but what the next session and the import of the transcript find again."""

BUSY = "another process was writing: the next import takes it up"

MOST_BYTES = 4_000_000
"""A longer payload is not read: it is no event."""
UUID_CHARACTERS, UUID_LETTERS = 36, frozenset("0123456789abcdef-")
"""What an agent names its sessions with; anything else is looked through."""

NOT_MIGRATED = "the file waits to be migrated"
"""The reason of a run that an earlier schema kept from its work."""


@dataclass(slots=True, frozen=True)
class HookEvent:
    """What came from the agent: which hook, in which session and folder, and the payload itself.

    `silenced` says why nothing may be shown ('paused', 'held out'), empty where something may. `warm` deepens the
    question where a process with the model answers (`agents.warm`).
    """

    hook: str
    session_uid: str = ""
    cwd: str = ""
    transcript_path: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    silenced: str = ""
    warm: Any = None

    def text(self, name: str, default: str = "") -> str:
        """A value of the payload if it is a text, else the default."""
        value = self.values.get(name)
        return value if isinstance(value, str) else default


@dataclass(slots=True, frozen=True)
class HookOutcome:
    """What a handler made of an event.

    `outcome` is 'shown', 'silent', 'skipped', 'asked', 'denied' or 'done'; `answer` a recall to log, whose text goes to
    the agent; `output` what to print instead; `starts_work` starts the worker when all is written and printed. `later`
    is what else there is to write, once the agent has its answer; it says whether that is work for the worker.
    """

    outcome: str
    reason: str = ""
    answer: Answer | None = None
    output: dict[str, Any] | None = None
    starts_work: bool = False
    later: Callable[[sqlite3.Connection], bool] | None = None


@dataclass(slots=True)
class HookRun:
    """One run of a hook: what is known of it so far, for whoever has to tell why it failed.

    `started` is when its process began, by the performance counter. `lot` is what was drawn for the session, and of
    which share, where that is not stored yet. `is_older` says that the file is of an earlier schema,
    `is_dry` that the hook is only tried: nothing is logged or begun, and a trouble goes to stderr.
    """

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
    lot: tuple[bool, float] | None = None
    is_older: bool = False
    is_dry: bool = False
    warm: Any = None  # as of HookEvent
    db: sqlite3.Connection | None = None  # kept open until the process ends: closing would wait for the disk

    @property
    def answered_by(self) -> str:
        """Which process answers: 'warm' where it has the model loaded, else 'cold'."""
        return "warm" if self.warm else "cold"

    def may_end(self) -> bool:
        """Whether it is for the run to tell how it ended; its deadline keeps quiet from now on."""
        self.is_ending = self.is_ending or self.ending is None or self.ending.acquire(blocking=False)
        return self.is_ending

    def duration_ms(self) -> float:
        """How long the run has taken."""
        return (time.perf_counter() - self.started) * 1000


def main(arguments: Sequence[str], *, now: datetime, began: float, starting_ms: float, is_own: bool) -> None:
    """Reads a payload from stdin, writes what the agent shall read to stdout, and ends the process with 0.

    `began` is when the first line of the process ran, by the performance counter, `starting_ms` the processor's time
    until then. It ends at once: what closing would do (move the log into the file) the next long-lived process does.
    """
    run = HookRun("", now, hook_clock.started_at(began), ending=_thread.allocate_lock())
    try:
        options(run, arguments, starting_ms)
        _thread.start_new_thread(end_late, (run,))
        payload = sys.stdin.buffer.read(MOST_BYTES + 1)
        if not is_own and warm.answer(run, payload, show):
            os._exit(0)
        _, starts_work = respond(run, payload, is_own=is_own, show=show)
    except TROUBLES as error:
        if run.is_dry:
            sys.stderr.write(f"{error}\n")
            sys.stderr.flush()
            os._exit(1)
        if run.may_end():
            note_trouble(run, error)
        else:
            time.sleep(1)  # the deadline is ending the process
    else:
        finish(run, starts_work)
    os._exit(0)


def show(text: str) -> None:
    """Gives the agent its answer. Where nobody reads it any more, the run is logged all the same."""
    try:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.flush()
    except OSError:
        return


def finish(run: HookRun, starts_work: bool) -> None:
    """Starts the worker where there is work. The run is logged: what fails from here on is not told."""
    try:
        if starts_work:
            module("memory_db.hooks.background").start_worker(run.path)
        module("memory_db.hooks.log").tidy_up(run)
    except (OSError, sqlite3.Error, ImportError):
        return


def end_late(run: HookRun) -> None:
    """Ends the process at its deadline with a line in the spool, whatever it is doing; half a transaction is none."""
    while (left_ms := hook_clock.left_ms(run.deadline_ms, run.duration_ms())) > 0:
        time.sleep(max(left_ms, hook_clock.SHORTEST_SLEEP_MS) / 1000)
    if run.ending.acquire(blocking=False):
        note_lateness(run)
        os._exit(0)


def module(name: str) -> Any:
    """A module of ours, loaded where it is needed (importlib takes as long as a module)."""
    __import__(name)
    return sys.modules[name]


def options(run: HookRun, arguments: Sequence[str], starting_ms: float) -> None:
    """Notes hook, file, project and deadline from `NAME -d FILE` (argparse takes longer than the recall).

    Raises: InputError.
    """
    values = {"-d": "", "--project": "", "--deadline-ms": "", "--dry-run": ""}
    for name, value in zip(arguments[1::2], arguments[2::2], strict=False):
        if name not in values:
            known = "-d FILE, --project PATH, --deadline-ms NUMBER, --dry-run yes"
            raise InputError(f"No option {name!r}. There are: {known}.")
        values[name] = value
    run.path, run.project, run.is_dry = values["-d"], values["--project"], values["--dry-run"] == "yes"
    if not run.path:
        raise InputError("No database is named. Give one with -d FILE.")
    run.deadline_ms = hook_clock.LONG_DEADLINE_MS
    if arguments[0] not in HANDLERS:
        raise InputError(f"No hook {arguments[0][:40]!r}. There are: {', '.join(HANDLERS)}.")
    run.hook = arguments[0]
    run.deadline_ms = float(values["--deadline-ms"] or hook_clock.deadline_ms(run.hook, starting_ms))


def respond(
    run: HookRun, payload: bytes, *, is_own: bool, takes_text: bool = False, show: Callable[[str], object] = len
) -> tuple[str, bool]:
    """What is told for a payload, and whether the worker has to start; all of it is logged once `show` had it.

    With `takes_text` a payload that is no JSON object is a prompt, as a person may type one.
    Raises: MemoryDBError, sqlite3.Error, ImportError.
    """
    event, is_json = read_event(run.hook, payload, takes_text=takes_text)
    event = replace(event, warm=run.warm) if run.warm else event
    run.session_uid = event.session_uid
    run.db, schema = connect_to_answer(run.path, busy_ms=hook_clock.busy_ms(is_read=run.hook in SHOWING))
    db, run.is_older = run.db, schema < SCHEMA_VERSION
    try:
        db.execute("pragma wal_autocheckpoint = 0")  # see move_log
        outcome = outcome_of(db, event, run, is_own=is_own)
        if outcome.answer:
            module("memory_db.recall.brief.log").name_recall(db, outcome.answer, now=run.now)
    except sqlite3.OperationalError as error:
        trouble = explain(error, run.path)
        if run.hook not in FOUND_AGAIN or not isinstance(trouble, BusyError):
            raise trouble from error
        outcome = HookOutcome("skipped", BUSY, starts_work=True)
    text = printed(event, outcome, is_json=is_json)
    if not run.may_end():
        time.sleep(1)  # the deadline is ending the process
    show(text)
    if run.is_dry:
        return text, False
    if run.duration_ms() > run.deadline_ms > 0 and not outcome.reason:
        outcome = replace(outcome, reason=hook_clock.LATE)
    run.outcome, run.reason = outcome.outcome, outcome.reason
    module("memory_db.hooks.log").log_run(db, run, outcome)
    return text, do_later(db, run, outcome) or outcome.starts_work


def do_later(db: sqlite3.Connection, run: HookRun, outcome: HookOutcome) -> bool:
    """Writes what else there is to write; what cannot be written now is found again by the next session."""
    try:
        return bool(outcome.later and not run.is_older and outcome.later(db))
    except TROUBLES:
        return False


def outcome_of(db: sqlite3.Connection, event: HookEvent, run: HookRun, *, is_own: bool) -> HookOutcome:
    """What comes of an event: nothing where our own process asked or a person paused, else what its handler says."""
    if is_own or event.values.get("stop_hook_active") is True:
        return HookOutcome("skipped", "started by memory-db" if is_own else "a stop hook is active")
    if is_ignored(db, event.cwd, run.project):
        return HookOutcome("skipped", IGNORED)
    if event.hook not in SHOWING:
        if run.is_older:
            return HookOutcome("skipped", NOT_MIGRATED, starts_work=event.hook != "stop")
        db.execute("pragma query_only = off")
    elif why := silenced(db, event, run):
        if why == PAUSED and event.hook == "user-prompt":
            return HookOutcome("skipped", PAUSED)  # the others have more to do than to show something
        event = replace(event, silenced=why)
    try:
        outcome: HookOutcome = module(HANDLERS[event.hook]).handle(db, event, run.project, now=run.now)
    except (sqlite3.OperationalError, NotFoundError) as error:  # a table or column is not there, or a profile
        if not run.is_older or (isinstance(error, sqlite3.Error) and not is_lacking(error)):
            raise
        return HookOutcome("silent", NOT_MIGRATED)
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


def silenced(db: sqlite3.Connection, event: HookEvent, run: HookRun) -> str:
    """Why nothing may be shown: a person paused memory, here or everywhere, or the session is held out."""
    found = rows_there(db, MAY_SILENCE)
    has_pauses, share = found[0] if found else (0, None)
    if has_pauses:
        project_id = project_of(db, run.project or event.cwd)
        here = {"now": utc_text(run.now), "session_uid": event.session_uid, "project_id": project_id}
        if db.execute(PAUSE, here).fetchone():
            return PAUSED
    if share not in (None, "0", "0.0"):
        is_held_out, run.lot = module("memory_db.evaluation.holdouts").drawn(db, event.session_uid)
        return HELD_OUT if is_held_out else ""
    return ""


def read_event(hook: str, payload: bytes, *, takes_text: bool) -> tuple[HookEvent, bool]:
    """The event in a payload, and whether it was JSON; a plain text is a prompt that was typed in this folder.

    Raises: InputError.
    """
    if len(payload) > MOST_BYTES:
        raise InputError(f"A payload of more than {MOST_BYTES:,} bytes is no event. It was not read.")
    text = payload.decode(errors="replace")
    if not text.lstrip().startswith("{"):
        if hook != "user-prompt" or not takes_text:
            raise InputError(f"The payload of {hook} is no JSON object.")
        return HookEvent(hook, cwd=os.getcwd(), values={"prompt": text}), False
    try:
        values = loads(text)
    except ValueError as error:
        raise InputError(f"The payload begins as JSON but is none: {error}.") from error
    named = values.get("hook_event_name", EVENT_NAMES[hook])
    if named != EVENT_NAMES[hook]:
        raise InputError(f"The payload is of another event than {hook} ({EVENT_NAMES[hook]}).")
    event = HookEvent(hook, values=values)
    cwd, transcript_path = map(event.text, ("cwd", "transcript_path"))
    return HookEvent(hook, stored_uid(event.text("session_id")), cwd, transcript_path, values), True


def stored_uid(uid: str) -> str:
    """A session's uid as the importer keeps it: of one that looks like a secret, or is too long, its hash."""
    if not uid or (len(uid) == UUID_CHARACTERS and UUID_LETTERS.issuperset(uid)):
        return uid  # start-up: what reads transcripts takes as long to load as all the rest
    return module("memory_db.transcripts.records").identifier(uid) or ""


def printed(event: HookEvent, outcome: HookOutcome, *, is_json: bool) -> str:
    """What goes to stdout, in the agent's shape. Source: Claude Code's documentation of hooks, JSON output."""
    output = outcome.output
    if output is None and outcome.answer and outcome.answer.text:
        if not is_json:
            return f"{outcome.answer.text}\n"
        name = EVENT_NAMES[event.hook]
        output = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": outcome.answer.text}}
    return f"{dumps(output)}\n" if output else ""


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
        [dumps(folders)],
    ).fetchone()
    return int(row[0]) if row else None


def session_of(db: sqlite3.Connection, uid: str) -> int | None:
    """The session of that uid, if it was imported already."""
    row = db.execute("select id from sessions where uid = ?", [uid]).fetchone() if uid else None
    return int(row[0]) if row else None
