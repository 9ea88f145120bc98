"""Which sessions wait to be read by a model, and the jobs that stand for them.

In: a prompt, a model, and what the settings allow. Out: sessions, and rows of `jobs` of the kind `extract-session`, one
a session. Invariant: nothing waits by itself unless the user turned that on; a job says only that somebody asked, what
is unread is found by looking.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory_db.extract.model.prompts import Prompt, load_prompt
from memory_db.models.calls import find_model
from memory_db.store import jobs, settings
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.store.ignored import is_ignored

EXTRACT_SESSION = "extract-session"
"""Kind of the job that reads one session; its key is the prompt, the model and the session's uid."""

NO_MODEL = "none"

PROMPT_OF_WORKERS = "extract"
"""The prompt that is used where nobody named one."""

SETTLE = timedelta(minutes=10)
"""How long the last entry of a session must be past before a worker reads it: one that goes on is read once, not after
each reply. Source: ours; twice the five minutes for which a cached prompt, and with it a talk under way, stays warm."""

WAITING = """
with sizes as (
    select se.session_id, count(*) as entries, min(e.created_at) as began_at, max(e.created_at) as ended_at
    from session_entries se join entries e on e.id = se.entry_id group by se.session_id
)
select s.id, s.uid, z.entries, coalesce(s.cwd, '') as cwd, coalesce(p.canonical_path, '') as canonical_path
from sizes z
join sessions s on s.id = z.session_id
left join projects p on p.id = s.project_id
left join extraction_progress d on d.session_id = s.id and d.method = :method
    and (:any_version or d.version = :version)
where s.format <> 'repository' and z.entries > coalesce(d.entry_count, 0)
    and (:since is null or z.began_at >= :since) and (:until is null or z.ended_at <= :until)
order by z.began_at desc, s.uid
"""


@dataclass(frozen=True, slots=True)
class WaitingSession:
    """A session with entries that a prompt and a model have not read."""

    session_id: int
    uid: str
    entries: int


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the settings let a worker do: a model, and sessions begun at `since` or later, or all of them."""

    model: str
    since: str | None


def allowed(db: sqlite3.Connection) -> Allowed | None:
    """What a worker may read without being asked; None where the user did not turn that on, or named no model.

    Raises: InputError for a setting that holds what it does not accept.
    """
    mode = settings.get_text(db, "model_extraction")
    model = settings.get_text(db, "extraction_model")
    if mode == "off" or model == NO_MODEL:
        return None
    if mode == "all":
        return Allowed(model, None)
    row = db.execute("select changed_at from settings where name = 'model_extraction'").fetchone()
    return Allowed(model, row["changed_at"])


def waiting(
    db: sqlite3.Connection, prompt: Prompt, model_id: str, *, since: str | None = None, until: str | None = None,
    any_version: bool = False,
) -> list[WaitingSession]:  # fmt: skip
    """The sessions that are not read to their end, the newest first, without those of ignored projects.

    Args:
        since, until: only sessions that began, and whose last entry came, within this time (UTC text).
        any_version: what another version of the prompt has read counts as read.
    """
    rows = db.execute(
        WAITING,
        {
            "method": prompt.method(model_id), "version": prompt.version, "any_version": int(any_version),
            "since": since, "until": until,
        },
    )  # fmt: skip
    return [
        WaitingSession(row["id"], row["uid"], row["entries"])
        for row in rows
        if not is_ignored(db, row["cwd"], row["canonical_path"])
    ]


def waiting_by_settings(
    db: sqlite3.Connection, prompt: Prompt, model_id: str, *, now: datetime
) -> list[WaitingSession]:
    """The settled sessions that the settings let a worker read, the newest first.

    An edited prompt does not make them read again: that costs money, and is done by `memory-db extract -m`.
    """
    found = allowed(db)
    if found is None:
        return []
    return waiting(db, prompt, model_id, since=found.since, until=utc_text(now - SETTLE), any_version=True)


def enqueue_by_settings(db: sqlite3.Connection, *, now: datetime) -> dict[str, int]:
    """Makes a job due for each session that the settings let a worker read: counts `sessions_due`, all of them.

    Raises: NotFoundError for a model that llm does not know.
    """
    found = allowed(db)
    if found is None:
        return {"sessions_due": 0}
    prompt, model_id = load_prompt(PROMPT_OF_WORKERS), str(find_model(found.model).model_id)
    sessions = waiting_by_settings(db, prompt, model_id, now=now)
    enqueue_sessions(db, prompt, model_id, sessions, now=now)
    return {"sessions_due": len(sessions)}


def enqueue_sessions(
    db: sqlite3.Connection, prompt: Prompt, model_id: str, sessions: Sequence[WaitingSession], *, now: datetime
) -> int:
    """Makes a job due for each session that has none; how many that changed."""
    with transaction(db):
        return sum(
            jobs.enqueue(
                db, EXTRACT_SESSION, key_of(prompt, model_id, session.uid),
                {"prompt": prompt.name, "model": model_id, "session": session.uid}, now,
            )
            for session in sessions
        )  # fmt: skip


def key_of(prompt: Prompt, model_id: str, session_uid: str) -> str:
    """The key of a session's job."""
    return f"{prompt.name} {model_id} {session_uid}"
