"""Times in which hooks keep silent because a person wants it.

In: for how long, for which session or project, or for all. Out: rows of `pauses`; `hooks.silenced` asks whether one is
on. Invariants: a pause ends by its time or by a person, never otherwise; what is paused is what hooks say, not what is
imported.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime, timedelta

from memory_db.errors import InputError
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

UNITS = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
"""Seconds in each unit of a length of time."""

MOST = timedelta(days=366)

LISTED = """
select u.id, u.session_uid, p.name as project, u.created_by, u.created_at, u.ends_at, u.ended_at,
    u.ended_at is null and (u.ends_at is null or u.ends_at > :now) as is_on
from pauses u left join projects p on p.id = u.project_id order by u.id desc limit 100
"""

KNOWN_SESSION = """
select 1 from sessions where uid = :uid union all select 1 from hook_runs where session_uid = :uid limit 1
"""


def pause(
    db: sqlite3.Connection, *, by: str, now: datetime, length: timedelta | None = None, session_uid: str | None = None,
    project_id: int | None = None,
) -> int:  # fmt: skip
    """Begins a pause for all, or for a session or project, and gives its number; without a length it stays until ended.

    One that is on for the same is prolonged or made endless, never two at once.
    Raises: InputError for a uid that looks like a secret.
    """
    if session_uid is not None and clean(session_uid)[0] != session_uid:
        raise InputError("That uid looks like a secret. Give the session's own, as `session_id` of its hooks.")
    ends_at = utc_text(now + length) if length else None
    asked = {"now": utc_text(now), "session_uid": session_uid, "project_id": project_id, "ends_at": ends_at}
    with transaction(db):
        row = db.execute(
            "update pauses set ends_at = :ends_at where id = (select id from pauses where ended_at is null"
            " and (ends_at is null or ends_at > :now) and session_uid is :session_uid and project_id is :project_id)"
            " returning id",
            asked,
        ).fetchone()
        if row is not None:
            return int(row["id"])
        made = db.execute(
            "insert into pauses (session_uid, project_id, created_by, created_at, ends_at) values (?, ?, ?, ?, ?)",
            [session_uid, project_id, by, utc_text(now), ends_at],
        )
    return int(made.lastrowid or 0)


def end_pauses(
    db: sqlite3.Connection, *, now: datetime, session_uid: str | None = None, project_id: int | None = None
) -> int:
    """Ends the pauses of a session or project, without either all that are on; how many there were."""
    asked = {"now": utc_text(now), "session_uid": session_uid, "project_id": project_id}
    with transaction(db):
        return db.execute(
            "update pauses set ended_at = :now where ended_at is null and (ends_at is null or ends_at > :now)"
            " and (:session_uid is null or session_uid = :session_uid)"
            " and (:project_id is null or project_id = :project_id)",
            asked,
        ).rowcount


def list_pauses(db: sqlite3.Connection, *, now: datetime) -> list[dict[str, object]]:
    """The newest pauses with whether they are on."""
    return [dict(row) for row in db.execute(LISTED, {"now": utc_text(now)})]


def is_known(db: sqlite3.Connection, session_uid: str) -> bool:
    """Whether a session was imported, or a hook ran in it."""
    return db.execute(KNOWN_SESSION, {"uid": session_uid}).fetchone() is not None


def read_length(text: str) -> timedelta:
    """A length of time such as `45m`, `2h`, `3d`, `1w`. Raises: InputError."""
    words = text.strip().lower()
    number, unit = words[:-1].strip(), words[-1:]
    if not (number.isascii() and number.isdecimal() and len(number) <= 6) or unit not in UNITS:
        raise InputError(f"{text[:40]!r} is no length of time. Give one such as 45m, 2h, 3d or 1w.")
    length = timedelta(seconds=int(number) * UNITS[unit])
    if not timedelta() < length <= MOST:
        raise InputError(f"{text[:40]!r} is no length of a pause. Give one from 1m to 366d; none stays until ended.")
    return length
