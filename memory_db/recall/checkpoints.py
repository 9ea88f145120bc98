"""Moments at which the file is looked at again: dates, phrases such as "last week", and checkpoints, which have names.

In: what a person wrote, the present, and the zone in which words are read. Out: a moment as the file keeps it.
Invariants: a span of time means its last millisecond, a moment to come means the present; a checkpoint's name never
reads as a date.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from memory_db.errors import InputError
from memory_db.knowledge.memories import check_steering
from memory_db.recall.question_dates import in_utc, read_window
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction
from memory_db.store.dates import Window, normal_utc, parse_utc, utc_text

NAME_CHARACTERS = 80

FILLING = re.compile(r"\b(?:as|of|in|on|at|by|during|the|end)\b|[\s,.]+", re.IGNORECASE)
"""What may stand beside the words that name a time."""

ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
HAS_CLOCK = re.compile(r"\d[T ]\d")

TODAY = "today"
"""The word that no question is read as naming a time by: "what is the port today" asks for what holds."""

INSERT = """
insert into checkpoints (name, kind, note, session_id, created_by, created_at) values (?, ?, ?, ?, ?, ?)
"""


def read_moment(db: sqlite3.Connection, text: str, *, now: datetime, zone: ZoneInfo) -> str:
    """The moment that a text means: a date or time, a phrase (the end of its span), or the name of a checkpoint.

    Raises: InputError, with what can be written.
    """
    words = text.strip()
    if exact := exact_moment(db, words, now):
        return exact
    if words.casefold() == TODAY or day_begins(words, zone) > utc_text(now):
        return utc_text(now)
    window = window_meant(words, now, zone)
    if window is None or window.end is None:
        raise no_moment(db, words)
    end = parse_utc(window.end) - timedelta(milliseconds=1)
    return utc_text(min(end, now))


def read_first_moment(db: sqlite3.Connection, text: str, *, now: datetime, zone: ZoneInfo) -> str:
    """The moment from which on a text means: of a date or a phrase the beginning of its span, else as `read_moment`.

    Raises: InputError, with what can be written, and for a day that is still to come.
    """
    words = text.strip()
    if exact := exact_moment(db, words, now):
        return exact
    begins = today_begins(now, zone) if words.casefold() == TODAY else day_begins(words, zone)
    if begins > utc_text(now):
        raise InputError(f"{words} is still to come. Name a day that has begun.")
    window = None if begins else window_meant(words, now, zone)
    return begins or (window.start if window and window.start else read_moment(db, words, now=now, zone=zone))


def exact_moment(db: sqlite3.Connection, words: str, now: datetime) -> str:
    """The moment of a checkpoint, of a time or of the present; empty where the words name none of these."""
    row = db.execute("select created_at from checkpoints where name = ?", [words]).fetchone()
    if row is not None:
        return str(row["created_at"])
    if HAS_CLOCK.search(words):
        return normal_utc(words)
    return utc_text(now) if words.casefold() == "now" else ""


def day_begins(words: str, zone: ZoneInfo) -> str:
    """When the day begins that is named by its date (2026-03-01); empty where none is. Raises: InputError."""
    if not ISO_DAY.fullmatch(words):
        return ""
    parse_utc(words)  # the library of words would take 2026-13-01 for a day in January
    with suppress(OverflowError):
        return utc_text(in_utc(datetime.fromisoformat(words), zone))
    return ""


def today_begins(now: datetime, zone: ZoneInfo) -> str:
    """When this day began."""
    return utc_text(now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0))


def window_meant(words: str, now: datetime, zone: ZoneInfo) -> Window | None:
    """The time that words name which name nothing else."""
    window = read_window(words, now, zone)
    return None if window is None or FILLING.sub("", words.replace(window.words, "", 1)) else window


def no_moment(db: sqlite3.Connection, words: str) -> InputError:
    """What is raised for words that name no moment."""
    known = ", ".join(found["name"] for found in checkpoints(db)[:5])
    return InputError(
        f"{words[:80]!r} names no moment. Write a date (2026-03-01 or 2026-03-01T09:30), words such as"
        f" 'last week' or 'in March', or a checkpoint ({known or 'there is none yet'})."
    )


def read_start(text: str, *, now: datetime, zone: ZoneInfo) -> str:
    """The moment at which a date, or the time that words name, begins; a date may be to come. Raises: InputError."""
    words = text.strip()
    if HAS_CLOCK.search(words):
        return normal_utc(words)
    if words.casefold() in (TODAY, "now"):
        return today_begins(now, zone) if words.casefold() == TODAY else utc_text(now)
    if begins := day_begins(words, zone):
        return begins
    window = read_window(words, now, zone)
    if window is None or window.start is None:
        raise InputError(f"{words[:60]!r} names no date. Write one such as 2026-03-01, or words such as 'last week'.")
    return window.start


def set_checkpoint(
    db: sqlite3.Connection,
    name: str = "",
    *,
    note: str = "",
    by: str,
    now: datetime,
    kind: str = "user",
    session_id: int | None = None,
) -> str:
    """Names the present, so that it can be asked for and compared later; the name, made up where none is given.

    Raises: InputError for a name that is taken, reads as a time, or would steer an agent.
    """
    cleaned, said = clean(name)[0].strip(), clean(note)[0].strip()
    check_steering(f"{cleaned}\n{said}")
    if len(cleaned) > NAME_CHARACTERS or not cleaned.isprintable():
        raise InputError(f"The name of a checkpoint is one line of at most {NAME_CHARACTERS} characters.")
    if HAS_CLOCK.search(cleaned) or cleaned.casefold() in ("now", TODAY) or read_window(cleaned, now, ZoneInfo("UTC")):
        raise InputError(f"{cleaned!r} reads as a time. Name the checkpoint after what happened then.")
    with transaction(db):
        if not cleaned:
            number = int(db.execute("select coalesce(max(id), 0) + 1 from checkpoints").fetchone()[0])
            cleaned = f"checkpoint {number}"
        if db.execute("select 1 from checkpoints where name = ?", [cleaned]).fetchone():
            raise InputError(f"There is a checkpoint {cleaned!r} already. Choose another name.")
        db.execute(INSERT, [cleaned, kind, said, session_id, clean(by)[0], utc_text(now)])
    return cleaned


def checkpoints(db: sqlite3.Connection) -> list[dict[str, Any]]:
    """All checkpoints, the newest first: name, kind, note, session, who set it and when."""
    rows = db.execute(
        "select c.name, c.kind, c.note, s.uid as session, c.created_by, c.created_at from checkpoints c"
        " left join sessions s on s.id = c.session_id order by c.created_at desc, c.id desc"
    )
    return [dict(row) for row in rows]
