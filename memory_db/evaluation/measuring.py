"""What takes longer to measure than a page may: jobs with progress, and results kept with what they rest on.

In: profiles, and a query set or the days whose briefs are replayed. Out: a job `measure`, which a worker does by the
functions that the command line calls (`runs.figures_of_set`, `replay.replay`), and rows of `eval_runs`. Invariants: a
kept result names its profile's version and the state of the file (`state_of`); it is given again only where both are
the same, or said to be of an earlier state; of past briefs it has uids alone, and no text.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_db.evaluation import runs
from memory_db.evaluation.contest import Options, contender
from memory_db.evaluation.metrics import Progress
from memory_db.evaluation.replay import replay
from memory_db.evaluation.state import state_of
from memory_db.recall.search import Profile, load_profile
from memory_db.store import jobs
from memory_db.store.connection import transaction
from memory_db.store.dates import parse_utc, utc_text

MEASURE = "measure"
"""Kind of these jobs."""

REPLAY, RUNNING = "replay", "running"
"""Formats of rows of `eval_runs` that measure no data set: a replay, and how far a job is."""

MOST_CHANGES = 1_000
"""Changed briefs that are kept of a replay, the newest; their number is kept whole."""

TELL_EVERY_S = 0.5
"""How often a job writes how far it is."""


def profile_name(profile: Profile) -> str:
    """A profile with its version, as a question or a link can name it."""
    return f"{profile.name}@{profile.version}"


# ------------------------------------------------------------------- asking for it


def enqueue_totals(db: sqlite3.Connection, query_set: str, profiles: Sequence[Profile], *, now: datetime) -> None:
    """Has a worker measure profiles on a query set, each against the first."""
    enqueue(db, of_set(query_set, profiles), now)


def enqueue_replay(
    db: sqlite3.Connection, profiles: Sequence[Profile], *, since: datetime, until: datetime, now: datetime
) -> None:
    """Has a worker replay the briefs of some days under each profile."""
    enqueue(db, of_briefs(profiles, since=since, until=until), now)


def of_set(query_set: str, profiles: Sequence[Profile]) -> dict[str, Any]:
    """What the job of a query set needs to know."""
    return {"set": query_set, "profiles": [profile_name(each) for each in profiles]}


def of_briefs(profiles: Sequence[Profile], *, since: datetime, until: datetime) -> dict[str, Any]:
    """What the job of a replay needs to know."""
    span = {"since": utc_text(since), "until": utc_text(until)}
    return {**span, "profiles": [profile_name(each) for each in profiles]}


def enqueue(db: sqlite3.Connection, payload: Mapping[str, Any], now: datetime) -> None:
    """The job of that payload; one that was given up is taken up again."""
    key = key_of(payload)
    row = db.execute("select id from jobs where kind = ? and key = ? and state = 'dead'", [MEASURE, key]).fetchone()
    if row:
        jobs.revive(db, row["id"], now)
    else:
        jobs.enqueue(db, MEASURE, key, payload, now)


def key_of(payload: Mapping[str, Any]) -> str:
    """What a job is called: what is measured, and the profiles."""
    what = f"set {payload['set']}" if "set" in payload else f"briefs {payload['since']} {payload['until']}"
    return f"{what}: {', '.join(payload['profiles'])}"


# ----------------------------------------------------------------------- doing it


@jobs.handles(MEASURE)
def measure(db: sqlite3.Connection, job: jobs.Job, now: datetime, progress: Progress | None) -> bool:
    """Does one job whole, and keeps what came out. Raises: NotFoundError, InputError."""
    payload: Mapping[str, Any] = job.payload
    names = [str(name) for name in payload["profiles"]]
    profiles = [load_profile(db, name) for name in names]
    telling = Telling(db, job.key, now, progress)
    started = time.perf_counter()
    try:
        if "set" in payload:
            measure_set(db, str(payload["set"]), profiles, telling, now=now)
        else:
            for profile in profiles:
                begun, state = time.perf_counter(), state_of(db)
                since, until = (parse_utc(str(payload[name])) for name in ("since", "until"))
                found = replay(db, profile, since=since, until=until, progress=telling.tell).as_dict()
                keep_replay(db, profile, found, state, started=now, duration_ms=1000 * (time.perf_counter() - begun))
    finally:
        telling.end()
    if progress:
        progress(f"measured in {time.perf_counter() - started:.0f} s", 1, 1)
    return True


def measure_set(
    db: sqlite3.Connection, query_set: str, profiles: Sequence[Profile], telling: Telling, *, now: datetime
) -> None:
    """Measures profiles on a query set against the first, and keeps a row of each."""
    started = time.perf_counter()
    names = [each.name for each in profiles]
    contenders = [
        contender(each.name if names.count(each.name) == 1 else profile_name(each), each) for each in profiles
    ]
    options = Options(baseline=contenders[0].name)
    found, _ = runs.figures_of_set(db, query_set, contenders, options=options, progress=telling.tell)
    runs.store(db, found, started=now, duration_ms=1000 * (time.perf_counter() - started))


class Telling:
    """Writes how far a job is, now and then, for whoever looks at a page."""

    def __init__(self, db: sqlite3.Connection, key: str, now: datetime, progress: Progress | None) -> None:
        self.db, self.key, self.now, self.progress, self.told = db, key, now, progress, 0.0
        self.end()

    def tell(self, what: str, done: int, of: int | None) -> None:
        """What is done of how much, in the words of whoever measures."""
        if self.progress:
            self.progress(what, done, of)
        if time.monotonic() - self.told < TELL_EVERY_S:
            return
        self.told = time.monotonic()
        with transaction(self.db):
            self.forget()
            self.db.execute(INSERT, [self.key, RUNNING, None, of or 0, "", None, "{}",
                                     json.dumps({"what": what, "done": done, "of": of}), None, None,
                                     utc_text(self.now), 0.0])  # fmt: skip

    def end(self) -> None:
        """Nothing is told of it any more."""
        with transaction(self.db):
            self.forget()

    def forget(self) -> None:
        """Takes out what was told before."""
        self.db.execute("delete from eval_runs where format = ? and dataset = ?", [RUNNING, self.key])


INSERT = runs.INSERT_RUN


# --------------------------------------------------------------------- what is kept


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept result: its figures, when it was measured, and whether the file is as it was then."""

    figures: Mapping[str, Any]
    measured_at: str
    is_current: bool


def keep_replay(
    db: sqlite3.Connection, profile: Profile, found: dict[str, Any], state: str, *, started: datetime,
    duration_ms: float,
) -> None:  # fmt: skip
    """Keeps a replay in the place of an earlier one of the same profile and days."""
    span, changes = f"{found['since']} {found['until']}", found["changes"]
    kept = {**found, "changes": changes[:MOST_CHANGES]}
    with transaction(db):
        db.execute(f"delete from eval_runs where {SAME_REPLAY}", [REPLAY, span, profile.name, profile.version])
        db.execute(INSERT, [span, REPLAY, state, found["briefs"], profile.name, profile.version,
                            json.dumps(dict(profile.weights), sort_keys=True), json.dumps(kept), None, None,
                            utc_text(started), duration_ms])  # fmt: skip


SAME_REPLAY = "format = ? and dataset = ? and profile = ? and profile_version = ?"


def kept_replay(db: sqlite3.Connection, profile: Profile, *, since: datetime, until: datetime) -> Kept | None:
    """The replay of those days under that version of a profile, if one is kept."""
    span = f"{utc_text(since)} {utc_text(until)}"
    row = db.execute(
        f"select metrics, file_hash, started_at from eval_runs where {SAME_REPLAY} order by id desc limit 1",
        [REPLAY, span, profile.name, profile.version],
    ).fetchone()
    return Kept(json.loads(row["metrics"]), row["started_at"], row["file_hash"] == state_of(db)) if row else None


KEPT_TOTALS = """
select file_hash, profile, profile_version, metrics, started_at from eval_runs
where format = 'own' and dataset = ? order by id desc
"""


def kept_totals(db: sqlite3.Connection, query_set: str, profiles: Sequence[Profile]) -> dict[int, Kept] | None:
    """The figures of each profile, by its id, on a query set: all of the file as it is now, else all of the newest
    earlier state in which every one was measured; None where there is none.

    They are those of the newest run that measured them against the first profile.
    """
    by_state: dict[str, list[sqlite3.Row]] = {(now := state_of(db)): []}
    for row in db.execute(KEPT_TOTALS, [query_set]):
        by_state.setdefault(str(row["file_hash"]), []).append(row)
    for state, rows in by_state.items():
        if found := totals_of(rows, profiles, is_current=state == now):
            return found
    return None


def totals_of(rows: Sequence[sqlite3.Row], profiles: Sequence[Profile], *, is_current: bool) -> dict[int, Kept] | None:
    """The same of runs on one state of the file, the newest first."""
    found: dict[int, Kept] = {}
    for profile in profiles:
        for row in rows:
            names = (profile.name, profile_name(profile))
            if row["profile"] in names and row["profile_version"] == profile.version:
                figures = json.loads(row["metrics"])
                against = (figures.get("difference") or {}).get("against")
                if profile is profiles[0] or against in (profiles[0].name, profile_name(profiles[0])):
                    found[profile.id] = Kept(figures, row["started_at"], is_current)
                    break
        else:
            return None
    return found


JOB = "select state, last_error from jobs where kind = ? and key = ?"

HOW_FAR = "select metrics from eval_runs where format = ? and dataset = ? order by id desc limit 1"


def progress_of(db: sqlite3.Connection, payload: Mapping[str, Any]) -> dict[str, Any] | None:
    """How far the job of a payload is: `state` (due, running or dead), `what`, `done`, `of`, `error`; None of none."""
    row = db.execute(JOB, [MEASURE, key_of(payload)]).fetchone()
    if row is None or row["state"] == "done":
        return None
    told = db.execute(HOW_FAR, [RUNNING, key_of(payload)]).fetchone()
    far = json.loads(told["metrics"]) if told else {"what": "", "done": 0, "of": None}
    return {"state": row["state"], **far, "error": row["last_error"]}
