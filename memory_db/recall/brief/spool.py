"""What was left beside the file by who could not write into it: each line becomes a row, or a recall with its hits.

In: `FILE.spool.jsonl`, to which who has answered, or failed to, appends one line of JSON. Out: rows of `hook_runs`,
recalls under the name that their brief carried, and no spool. Invariants: no line is lost and none becomes two rows,
whoever is killed when, and however many processes take it in at once; a line that cannot be read or stored is kept as
it is, but for secrets; of a recall those hits are kept whose memory or entry is still there.

    FILE.spool.jsonl --rename--> FILE.spool.NAME.taken --same transaction--> rows under NAME --> removed

A process that dies before its end leaves a file for the next; one that dies after it too, but its NAME and
line numbers are rows already. Hooks append under a lock and look whether the file still has its name
(`hook_spool.append`), so nothing is written to a file that was read.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_db.errors import InputError
from memory_db.recall.brief.log import HIT_COLUMNS, free_uid, insert_record, name_is_taken
from memory_db.redact.clean import clean, redact
from memory_db.store.connection import transaction
from memory_db.store.dates import normal_utc, utc_text

MALFORMED = "MalformedLine"
"""What stands for the error of a line that cannot be read; its reason is the line."""

LINE_CHARACTERS = 2_000
"""How much of a line is kept: a hook writes a tenth of it."""

FIELDS = ("at", "hook", "error", "reason")
"""What a line on a failure says, all of it text; it may add `duration_ms` and `session_uid`."""

OUTCOMES = ("shown", "silent", "skipped", "asked", "denied", "done")
"""What a run may have come to that has answered, and says so in the place of an error."""

ANSWERED = ("at", "hook", "outcome", "reason")
"""What a line on a run says that has answered; it may also add `shown_tokens`, `recall`, `holdout`, `answered_by`."""

COLD, WARM = "cold", "warm"
"""Which process answered: one of its own, or one that has the model loaded."""

INSERT = """
insert into hook_runs (hook, started_at, outcome, error, reason, duration_ms, session_uid, shown_tokens, recall_id,
    answered_by, spool, line_number)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

IS_THERE = "select 1 from hook_runs where spool = ? and line_number = ?"

IS_LOGGED = "select id from recalls where uid = ? and asked_at = ? and query = ?"

INSERT_HIT_THERE = f"""
insert into hits ({", ".join(HIT_COLUMNS)})
with hit ({", ".join(HIT_COLUMNS)}) as (select {", ".join("?" * len(HIT_COLUMNS))})
select * from hit where exists (select 1 from memory_versions v where v.id = hit.memory_version_id)
    or exists (select 1 from entries e where e.id = hit.entry_id)
"""
"""A hit whose memory or entry was forgotten meanwhile is none any more."""

INSERT_HOLDOUT = """
insert or ignore into holdouts (session_uid, is_held_out, share, decided_at) values (?, ?, ?, ?)
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
            with transaction(db):  # first the lock: where the file is busy, the spool stays as it is
                taken = found if is_taken(found, path) else renamed(found, path)
                came = [keep(db, line, taken.name, number, now) for number, line in lines_of(taken)]
        except FileNotFoundError:  # another process was faster
            continue
        taken.unlink(missing_ok=True)
        counts["lines"] += sum(outcome is not None for outcome in came)
        counts["malformed"] += came.count(MALFORMED)
    return counts


def renamed(spool: Path, path: Path) -> Path:
    """The spool under a name that no other part of it ever has: from now on hooks begin a new one."""
    found = spool.stat()
    taken = path.with_name(f"{path.name}.spool.{found.st_mtime_ns}-{found.st_ino}.taken")
    spool.rename(taken)
    return taken


def lines_of(taken: Path) -> Iterator[tuple[int, bytes]]:
    """Each line with its number, once no hook is writing any more."""
    from filelock import lock_descriptor  # noqa: PLC0415  # start-up: only where a spool is taken in

    with taken.open("r+b") as file:  # Windows locks no file that is open for reading alone
        lock_descriptor(file.fileno())
        lines = file.read().splitlines()
    return ((number, line) for number, line in enumerate(lines, start=1) if line.strip())


def keep(db: sqlite3.Connection, line: bytes, spool: str, number: int, now: datetime) -> str | None:
    """Stores a line: what came of it, `MALFORMED` where it cannot be read or stored; None where it was stored before.

    Raises: sqlite3.Error.
    """
    if db.execute(IS_THERE, [spool, number]).fetchone():
        return None
    text = line.decode(errors="backslashreplace").replace("\0", "\\x00")
    try:
        values = json.loads(text)
        if not isinstance(values, dict):
            raise TypeError("a line is no object")
        if "hook" not in values:
            return "logged" if log_record(db, values["recall"])[1] else None
        row = failure(values) if "error" in values else answered(db, values)
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError, InputError):
        row = ["unknown", utc_text(now), "failed", MALFORMED, cleaned(text), None, None, 0, None, COLD]
    db.execute(INSERT, [*row, spool, number])
    return MALFORMED if row[3] == MALFORMED else str(row[2])


def failure(values: dict[str, Any]) -> list[object]:
    """The row of a run that failed.

    Raises: TypeError, KeyError, ValueError, InputError for what is no such line.
    """
    at, hook, error, reason = texts(values, FIELDS)
    return [cleaned(hook), normal_utc(at), "failed", cleaned(error), cleaned(reason), *timed(values), 0, None, COLD]


def answered(db: sqlite3.Connection, values: dict[str, Any]) -> list[object]:
    """The row of a run that has answered, whose recall and lot are stored with it.

    Raises: TypeError, KeyError, ValueError, InputError for what is no such line.
    """
    at, hook, outcome, reason = texts(values, ANSWERED)
    tokens = values.get("shown_tokens", 0)
    if outcome not in OUTCOMES or not isinstance(tokens, int) or not 0 <= tokens < 2**31:
        raise ValueError("no outcome of a run, or no number of tokens")
    by = WARM if values.get("answered_by") == WARM else COLD
    moment, (duration_ms, session_uid) = normal_utc(at), timed(values)
    recall_id = log_record(db, values["recall"])[0] if "recall" in values else None
    if session_uid and isinstance(lot := values.get("holdout"), dict):
        db.execute(INSERT_HOLDOUT, [session_uid, int(bool(lot["is_held_out"])), float(lot["share"]), moment])
    return [cleaned(hook), moment, outcome, None, cleaned(reason), duration_ms, session_uid, tokens, recall_id, by]


def texts(values: dict[str, Any], names: tuple[str, ...]) -> list[str]:
    """The values of these names. Raises: KeyError, TypeError where one is no text."""
    found = [values[name] for name in names]
    if not all(isinstance(each, str) for each in found):
        raise TypeError("a value is no text")
    return found


def timed(values: dict[str, Any]) -> tuple[float | None, str | None]:
    """Duration and session of a line, as far as it has them."""
    took, session = values.get("duration_ms"), values.get("session_uid")
    return (
        float(took) if isinstance(took, int | float) else None,
        cleaned(session) if isinstance(session, str) else None,
    )


def log_record(db: sqlite3.Connection, record: dict[str, Any]) -> tuple[int | None, bool]:
    """Stores a recall as its line has it; its id, and whether it is new. One whose name is taken gets another.

    Raises: TypeError, KeyError, InputError for what is no recall.
    """
    recall = dict(record["recall"])
    uid, query, asked, shown_text = texts(recall, ("uid", "query", "asked_at", "shown_text"))
    asked_at, query = normal_utc(asked), cleaned_whole(query)
    if row := db.execute(IS_LOGGED, [uid, asked_at, query]).fetchone():
        return int(row[0]), False
    if name_is_taken(db, uid):
        uid = free_uid(db, query, asked_at)
    recall |= {"uid": uid, "query": query, "asked_at": asked_at, "shown_text": redact(storable(shown_text))[0]}
    db.execute("savepoint recall")
    try:
        for name, table in (("project_id", "projects"), ("session_id", "sessions")):
            if db.execute(f"select 1 from {table} where id = ?", [recall[name]]).fetchone() is None:
                recall[name] = None
        told = [
            [uid, redact(storable(text))[0], int(tokens), cleaned(reason)]
            for uid, text, tokens, reason in record.get("procedures", ())
        ]
        record = {**record, "recall": recall, "procedures": told}
        return insert_record(db, record, insert_hit=INSERT_HIT_THERE), True
    except UNFIT as error:
        db.execute("rollback to recall")
        raise InputError(f"The recall of a line cannot be stored: {error}.") from error
    finally:
        db.execute("release recall")


UNFIT = (
    sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.InterfaceError, OverflowError, TypeError, ValueError,
    KeyError,
)  # fmt: skip
"""What comes of values that no row can hold."""


def cleaned(text: str) -> str:
    """A text as it may be stored: no secret, not too long, without half characters."""
    return cleaned_whole(text)[:LINE_CHARACTERS]


def cleaned_whole(text: str) -> str:
    """The same of whatever length."""
    return clean(storable(text))[0]


def storable(text: str) -> str:
    """A text that is valid UTF-8 without NUL; a brief stays a brief, which `clean` would take out."""
    return text.encode(errors="backslashreplace").decode().replace("\0", "\\x00")
