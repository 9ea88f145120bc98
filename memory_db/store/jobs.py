"""Work that may wait: rows of `jobs`, done by whoever leases them.

In: `enqueue` puts a row there. Out: `work_once` leases one, does a portion of
it and says what came of it. Invariants: a job is leased by one worker at a
time; a killed worker's job is due again when its lease ends; three failures
or deaths make a job dead, with its last error kept, until it is revived.

    due --lease--> running --finish--> done --enqueue--> due
     ^                |  |
     |   fail, release|  +--third failure--> dead --revive--> due
     |   give_back    |
     +----------------+

What is enqueued with another payload while it runs is due again when it ends.
A handler does its work in portions that can be repeated: it keeps its
progress in the tables that it fills, never in the job.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta

from memory_db.errors import MemoryDBError, NotFoundError
from memory_db.records import dataclass
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

Progress = Callable[[str, int, int | None], None]

LEASE = timedelta(minutes=10)
"""How long a worker may be silent before its job is due again: many times what a portion takes."""

RETRY_AFTER = timedelta(minutes=1)
"""How long a failed job rests, times the number of its failures."""

MAX_ATTEMPTS = 3
"""Failures or deaths in a row after which a job is dead."""

WORKER_DIED = "its worker ended without a word"


@dataclass(frozen=True, slots=True)
class Job:
    """A leased piece of work. `attempts` counts this lease and those since it last succeeded."""

    id: int
    kind: str
    key: str
    payload: Mapping[str, object]
    attempts: int


Handler = Callable[[sqlite3.Connection, Job, datetime, Progress | None], bool]
"""Does one portion of a job; True when nothing of it is left. Raises: MemoryDBError."""

HANDLERS: dict[str, Handler] = {}
"""What can be worked on, by kind of job: modules register theirs with `handles` when they are imported."""


def handles(kind: str) -> Callable[[Handler], Handler]:
    """Registers a function as what works on a kind of job."""

    def register(handler: Handler) -> Handler:
        HANDLERS[kind] = handler
        return handler

    return register


def enqueue(db: sqlite3.Connection, kind: str, key: str, payload: Mapping[str, object], now: datetime) -> bool:
    """Makes a job due unless it waits or is dead already; True if that changed anything.

    One that runs keeps running; with another payload than it runs with it will be due again when it ends.
    """
    with transaction(db):
        changed = db.execute(ENQUEUE, [kind, key, payload_text(payload), utc_text(now), utc_text(now)])
    return changed.rowcount > 0


ENQUEUE = """
insert into jobs (kind, key, payload, created_at, changed_at) values (?, ?, ?, ?, ?)
on conflict (kind, key) do update set payload = excluded.payload, changed_at = excluded.changed_at,
    state = iif(state = 'done', 'due', state), leased_until = iif(state = 'done', null, leased_until)
where state = 'done' or state = 'running' and payload <> excluded.payload
"""


def payload_text(payload: Mapping[str, object]) -> str:
    """What a job needs to know, as it is stored."""
    return json.dumps(payload, sort_keys=True)


def set_payload(db: sqlite3.Connection, job_id: int, payload: Mapping[str, object], now: datetime) -> None:
    """Tells a job something else."""
    with transaction(db):
        db.execute(
            "update jobs set payload = ?, changed_at = ? where id = ?", [payload_text(payload), utc_text(now), job_id]
        )


def is_due(db: sqlite3.Connection, now: datetime, *, kind: str | None = None) -> bool:
    """Whether a job could be leased, of that kind or of any that has a handler; changes nothing."""
    wanted = leasable(now, [kind] if kind else sorted(HANDLERS), None)
    return db.execute(f"select 1 from jobs where {LEASABLE} limit 1", wanted).fetchone() is not None


LEASABLE = """
state in ('due', 'running') and (leased_until is null or leased_until <= :now)
    and kind in (select value from json_each(:kinds)) and (:keys is null or key in (select value from json_each(:keys)))
    and coalesce(json_extract(payload, '$.paused'), 0) = 0
"""


def leasable(now: datetime, kinds: Collection[str], keys: Collection[str] | None) -> dict[str, str | None]:
    """The values of `LEASABLE`."""
    wanted = None if keys is None else json.dumps(list(keys))
    return {"now": utc_text(now), "kinds": json.dumps(list(kinds)), "keys": wanted}


def lease(
    db: sqlite3.Connection, now: datetime, *, kind: str | None = None, keys: Collection[str] | None = None
) -> Job | None:
    """The oldest job that is due, now leased to the caller; None if there is none.

    Args:
        kind: of this kind alone; else of any kind that has a handler.
        keys: one of these alone.
    """
    kinds = [kind] if kind else sorted(HANDLERS)
    with transaction(db):
        bury(db, now)
        wanted = leasable(now, kinds, keys)
        row = db.execute(f"select * from jobs where {LEASABLE} order by id limit 1", wanted).fetchone()
        if row is None:
            return None
        db.execute(
            "update jobs set state = 'running', attempts = attempts + 1, leased_until = ?, changed_at = ? where id = ?",
            [utc_text(now + LEASE), utc_text(now), row["id"]],
        )
    return Job(row["id"], row["kind"], row["key"], json.loads(row["payload"]), row["attempts"] + 1)


def pause(db: sqlite3.Connection, kind: str, key: str, now: datetime, *, is_paused: bool) -> None:
    """Has a job wait until it is told to go on, or go on; a portion under way is ended first.

    Raises: NotFoundError if no such job waits or runs.
    """
    with transaction(db):
        changed = db.execute(PAUSE, [f"$.{PAUSED}", json.dumps(is_paused), utc_text(now), kind, key]).rowcount
    if not changed:
        raise NotFoundError(f"No job {kind} {key} waits. The table jobs lists them.")


PAUSED = "paused"
"""What the payload of a job says while nobody may lease it."""

PAUSE = """
update jobs set payload = json_set(payload, ?, json(?)), changed_at = ?
where kind = ? and key = ? and state in ('due', 'running')
"""


def give_back(db: sqlite3.Connection, job: Job, now: datetime) -> None:
    """A leased job that was not begun: due at once, as if it had never been leased."""
    with transaction(db):
        db.execute(
            "update jobs set state = 'due', leased_until = null, attempts = attempts - 1, changed_at = ? where id = ?",
            [utc_text(now), job.id],
        )


def reclaim(db: sqlite3.Connection, kind: str, now: datetime) -> int:
    """Ends the leases of a kind of job; how many there were. Only for who knows that no worker of it lives."""
    with transaction(db):
        running = db.execute(
            "update jobs set leased_until = ? where kind = ? and state = 'running'", [utc_text(now), kind]
        ).rowcount
        bury(db, now)
    return running


def take(db: sqlite3.Connection, kind: str, key: str, now: datetime) -> Job:
    """Leases a job by name, whatever its state: a person's command does not wait for a worker.

    Raises: NotFoundError if it was never enqueued.
    """
    with transaction(db):
        row = db.execute(
            "update jobs set state = 'running', attempts = attempts + 1, leased_until = ?, changed_at = ?"
            " where kind = ? and key = ? returning id, payload, attempts",
            [utc_text(now + LEASE), utc_text(now), kind, key],
        ).fetchone()
    if row is None:
        raise NotFoundError(f"There is no job {kind} {key}. The table jobs lists them.")
    return Job(row["id"], kind, key, json.loads(row["payload"]), row["attempts"])


def bury(db: sqlite3.Connection, now: datetime) -> None:
    """Ends jobs whose workers died too often: what kills a process would kill the next one too."""
    db.execute(
        "update jobs set state = 'dead', leased_until = null, last_error = ?, changed_at = ?"
        " where state = 'running' and leased_until <= ? and attempts >= ?",
        [WORKER_DIED, utc_text(now), utc_text(now), MAX_ATTEMPTS],
    )


def finish(db: sqlite3.Connection, job_id: int, now: datetime) -> None:
    """Nothing of the job is left: it is done, and its failures are forgotten."""
    settle(db, job_id, "done", None, 0, None, now)


def release(db: sqlite3.Connection, job_id: int, now: datetime) -> None:
    """A portion is done and some is left: the job is due at once, and its failures are forgotten."""
    settle(db, job_id, "due", None, 0, None, now)


def fail(db: sqlite3.Connection, job_id: int, error: str, now: datetime) -> str:
    """The job failed: due again after a rest, or dead at the third time. Gives its new state."""
    with transaction(db):
        attempts = db.execute("select attempts from jobs where id = ?", [job_id]).fetchone()["attempts"]
        state = "dead" if attempts >= MAX_ATTEMPTS else "due"
        rest_until = None if state == "dead" else utc_text(now + attempts * RETRY_AFTER)
        settle(db, job_id, state, clean(error)[0], attempts, rest_until, now)
    return state


def revive(db: sqlite3.Connection, job_id: int, now: datetime) -> None:
    """Makes a dead job due once more.

    Raises: NotFoundError if no dead job has that id.
    """
    row = db.execute("select id from jobs where id = ? and state = 'dead'", [job_id]).fetchone()
    if row is None:
        raise NotFoundError(f"There is no dead job {job_id}. The view dead_jobs lists them.")
    settle(db, job_id, "due", None, 0, None, now)


def revive_all(db: sqlite3.Connection, now: datetime) -> int:
    """Makes every dead job due once more; how many."""
    with transaction(db):
        dead = [row["id"] for row in db.execute("select id from jobs where state = 'dead' order by id")]
        for job_id in dead:
            revive(db, job_id, now)
    return len(dead)


def settle(
    db: sqlite3.Connection,
    job_id: int,
    state: str,
    error: str | None,
    attempts: int,
    not_before: str | None,
    now: datetime,
) -> None:
    """Writes what became of a job."""
    with transaction(db):
        db.execute(
            "update jobs set state = ?, last_error = ?, attempts = ?, leased_until = ?, changed_at = ? where id = ?",
            [state, error, attempts, not_before, utc_text(now), job_id],
        )


def complete(db: sqlite3.Connection, job: Job, now: datetime) -> bool:
    """Nothing of the job is left: it is done, or due again where it was enqueued with another payload meanwhile."""
    with transaction(db):
        row = db.execute("select payload from jobs where id = ?", [job.id]).fetchone()
        is_done = row is None or json.loads(row["payload"]) == job.payload
        (finish if is_done else release)(db, job.id, now)
    return is_done


def work_once(
    db: sqlite3.Connection, *, now: datetime, progress: Progress | None = None, kind: str | None = None
) -> dict[str, int]:
    """Does one portion of one job: counts by what came of it (`leased`, `done`, `released`, `failed`, `dead`).

    `leased` is 0 when there is nothing to do. Call it again, with the time it is then, until that is so.
    With a `kind` only jobs of that kind are worked on.
    """
    counts = dict.fromkeys(("leased", "done", "released", "failed", "dead"), 0)
    job = lease(db, now, kind=kind)
    if job is None:
        return counts
    counts["leased"] = 1
    try:
        is_done = HANDLERS[job.kind](db, job, now, progress)
    except MemoryDBError as error:
        counts["dead" if fail(db, job.id, str(error), now) == "dead" else "failed"] = 1
        return counts
    if is_done:
        is_done = complete(db, job, now)
    else:
        release(db, job.id, now)
    counts["done" if is_done else "released"] = 1
    return counts
