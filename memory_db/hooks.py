"""What happens at an agent's prompt: a brief where memory has something to say, silence where not.

In: the payload of an event, the file, the moment. Out: the text for the agent. The question, its score, its brief and
its log are those of every other surface; this module says how much a hook may ask for, and keeps it from harm.

Invariants: nothing but a brief ever reaches stdout; on any trouble there is no output and one line in the spool beside
the file, without a word of what was asked; the file is never migrated here.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from datetime import datetime

from memory_db.brief import Answer, ask, log_recall
from memory_db.connection import connect, explain
from memory_db.dates import utc_text
from memory_db.errors import InputError, MemoryDBError, QueryError
from memory_db.recall import Question
from memory_db.redact import Finding, clean
from memory_db.startup import dataclass

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Sequence

SURFACE = "hook"
"""How recalls of hooks are named in the log."""

PROFILE = "hook"
"""The weights for a process that loads no model."""

MOST_TERMS = 8
"""Words of a prompt that are asked for, the rarest: full text takes time for each text that has a word."""

MOST_MEMORIES = 150
"""Memories that full text brings; likeness of meaning brings half as many more."""

LIMIT = 6
"""Hits in a brief nobody asked for. Source: ours; what an agent reads at every prompt must be short."""

BUDGET_TOKENS = 400
"""Tokens of such a brief at most. Source: as above."""

BUSY_MS = 250
"""How long a hook waits for another writer before it keeps silent."""

MOST_BYTES = 4_000_000
"""A longer payload is not read: it is no prompt."""

KEEP = 20
"""Best hits that are logged though not shown: fewer than elsewhere, for each costs every prompt its time."""

WAL_BYTES = 1_000_000
"""Size of the write-ahead log at which a hook moves it into the file: each process reads it when it opens the file."""

HEAD_CHARACTERS, TAIL_CHARACTERS = 3_000, 1_000
"""What is asked of a long prompt: a pasted log stands between its beginning and its end."""

SPOOL_BYTES = 1_000_000
"""A spool that nobody takes in stops growing here."""


@dataclass(slots=True, frozen=True)
class Prompt:
    """What an agent was asked: the text, where it works, and in which session."""

    text: str
    cwd: str = ""
    session_uid: str = ""


def main(arguments: Sequence[str], *, now: datetime) -> None:
    """Reads a payload from stdin, writes the brief to stdout, and ends the process with 0.

    The process ends at once: what closing would do (move the log into the file) the next long-lived process does.
    """
    path, project = "", ""
    try:
        path, project = options(arguments)
        text = brief_for(path, read_prompt(sys.stdin.buffer.read(MOST_BYTES + 1)), project, now=now)
        sys.stdout.buffer.write(f"{text}\n".encode() if text else b"")
        sys.stdout.flush()
    except QueryError:
        pass  # a prompt without a word: nothing to say
    except (MemoryDBError, sqlite3.Error, OSError, ValueError, RecursionError, MemoryError) as error:
        spool(path, error, now)
    os._exit(0)


def options(arguments: Sequence[str]) -> tuple[str, str]:
    """The file and the project's path, from `-d FILE --project PATH` (argparse takes longer than the recall).

    Raises: InputError.
    """
    values = {"-d": "", "--project": ""}
    for name, value in zip(arguments[::2], arguments[1::2], strict=False):
        if name not in values:
            raise InputError(f"No option {name!r}. There are: -d FILE, --project PATH.")
        values[name] = value
    if not values["-d"]:
        raise InputError("No database is named. Give one with -d FILE.")
    return values["-d"], values["--project"]


def read_prompt(payload: bytes) -> Prompt:
    """The prompt in a payload: a JSON object with `prompt`, and perhaps `cwd` and `session_id`; or a plain text.

    Raises: InputError.
    """
    if len(payload) > MOST_BYTES:
        raise InputError(f"A payload of more than {MOST_BYTES:,} bytes is no prompt. It was not read.")
    text = payload.decode(errors="replace")
    if not text.lstrip().startswith("{"):
        return Prompt(text)
    try:
        values = json.loads(text)
    except ValueError as error:
        raise InputError(f"The payload begins as JSON but is none: {error}.") from error
    strings = {name: value for name in ("prompt", "cwd", "session_id") if isinstance(value := values.get(name), str)}
    if "prompt" not in strings:
        raise InputError("The payload has no text called prompt.")
    return Prompt(strings["prompt"], strings.get("cwd", ""), strings.get("session_id", ""))


def brief_for(path: str, prompt: Prompt, project: str = "", *, now: datetime) -> str:
    """The brief for a prompt, logged; empty where nothing reaches the profile's threshold.

    Raises: MemoryDBError, sqlite3.Error.
    """
    db = connect(path, write=True, busy_ms=BUSY_MS)
    try:
        db.execute("pragma wal_autocheckpoint = 0")  # see move_log
        answer = answer_to(db, prompt, project, now=now)
        log_recall(db, answer, surface=SURFACE, now=now)
        move_log(db, path)
    except sqlite3.OperationalError as error:
        raise explain(error, path) from error
    return answer.text


def answer_to(db: sqlite3.Connection, prompt: Prompt, project: str = "", *, now: datetime) -> Answer:
    """The answer to a prompt from memories and entries, not logged yet.

    Raises: QueryError, NotFoundError.
    """
    text, findings = shortened(prompt.text)
    project_id = project_of(db, project or prompt.cwd)
    question = Question(
        text,
        profile=PROFILE,
        project_id=project_id,
        other_projects=project_id is None,
        session_id=session_of(db, prompt.session_uid),
        limit=LIMIT,
        budget_tokens=BUDGET_TOKENS,
        most_terms=MOST_TERMS,
        most_memories=MOST_MEMORIES,
    )
    answer = ask(db, question, surface=SURFACE, now=now, log=False, keep=KEEP)
    answer.findings += findings
    return answer


def move_log(db: sqlite3.Connection, path: str) -> None:
    """Moves the write-ahead log into the file once it is long, unless somebody reads from it.

    SQLite would do so by itself after each commit from then on: a process that ends without closing leaves no word of
    what was moved already. Closing would do so at each prompt, and wait for the disk.
    """
    wal = f"{path}-wal"
    if os.path.exists(wal) and os.path.getsize(wal) > WAL_BYTES:
        db.execute("pragma busy_timeout = 0")
        db.execute("pragma wal_checkpoint(truncate)")


def shortened(text: str) -> tuple[str, list[Finding]]:
    """A prompt's beginning and end. Redacted before it is cut: half a secret looks like none."""
    if len(text) <= HEAD_CHARACTERS + TAIL_CHARACTERS:
        return text, []
    text, findings = clean(text)
    return f"{text[:HEAD_CHARACTERS]}\n{text[-TAIL_CHARACTERS:]}", findings


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


def spool(path: str, error: BaseException, now: datetime) -> None:
    """Notes beside the file why there was no brief; where even that cannot be written, nothing is left to do."""
    if not path:
        return
    reason = str(error) if isinstance(error, MemoryDBError) else type(error).__name__
    line = json.dumps({"at": utc_text(now), "hook": "user-prompt", "error": type(error).__name__, "reason": reason})
    try:
        while not append(f"{path}.spool.jsonl", f"{line}\n".encode()):
            pass  # it was taken in meanwhile: there is a new one to begin
    except (OSError, ValueError):
        return


def append(spool_path: str, line: bytes) -> bool:
    """Adds a line to a spool unless that is full; False where it was renamed before the lock was had.

    Raises: OSError.
    """
    import fcntl  # noqa: PLC0415  # start-up: only a hook in trouble needs it

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
