"""Runs of extraction by a model: sessions as jobs, worked on by threads, until nothing is due or something stops them.

In: an `ExtractionOrder`: a prompt, a model, and the sessions it may read. Out: `ExtractionResult`, a row of
`extraction_runs`, and whatever `read_portion` stores. Invariants: a portion is a lease of its own, so that a kill costs
at most the call under way; each thread has a connection of its own, and no transaction is open while a model thinks; a
budget and the breaker are asked before each call; who runs this holds the lock of workers, so that a job that runs
belongs to nobody else.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memory_db.errors import MemoryDBError
from memory_db.extract import INTERRUPTED
from memory_db.extract.model.estimate import most_cost_of_call, price_of
from memory_db.extract.model.jobs import EXTRACT_SESSION, WaitingSession, enqueue_sessions, key_of
from memory_db.extract.model.prompts import Prompt
from memory_db.extract.model.read import next_portion, portion_tokens, read_portion
from memory_db.models.budget import health, open_breaker, over_budget
from memory_db.models.calls import deadline_of, refuse_without_key
from memory_db.models.consent import refuse_without_consent
from memory_db.redact.clean import clean
from memory_db.store import jobs
from memory_db.store.connection import connect, transaction
from memory_db.store.dates import utc_text

if TYPE_CHECKING:
    import llm

Clock = Callable[[], datetime]
Progress = Callable[[str, int, int | None], None]

BUSY_MS = 60_000
"""How long a thread waits for another writer: an answer that was paid for is worth a minute."""

FAILURES_BEFORE_ONE_BY_ONE = 5
"""Failures in a row of a model that is tried again: one call at a time, until one succeeds. As in `model_health`."""


@dataclass(frozen=True, slots=True)
class ExtractionOrder:
    """What is to be read. `budget_nanocents` is what this run may cost, None for no limit of its own; the candidates of
    a dry run wait for a person."""

    prompt: Prompt
    model: llm.Model
    sessions: Sequence[WaitingSession]
    workers: int = 1
    budget_nanocents: int | None = None
    is_dry_run: bool = False

    @property
    def model_id(self) -> str:
        """The model's own name, whatever alias was given."""
        return str(self.model.model_id)

    @property
    def keys(self) -> list[str]:
        """The keys of the jobs."""
        return [key_of(self.prompt, self.model_id, session.uid) for session in self.sessions]


@dataclass(slots=True)
class ExtractionResult:
    """What a run did. `sessions` are those read to their end, `left` those still due, `dead` those given up, now or
    before; `stopped` says why it ended before all was read, `is_broken` that the model was why, `drained` that it was
    asked to; `is_unpriced` that the price of its calls is not known."""

    model_id: str
    run_id: int | None = None
    sessions: int = 0
    portions: int = 0
    entries: int = 0
    calls: int = 0
    candidates: int = 0
    quotes_not_found: int = 0
    failed: int = 0
    dead: int = 0
    left: int = 0
    errors: list[str] = field(default_factory=list)
    stopped: str = ""
    is_unpriced: bool = False
    is_broken: bool = False
    drained: bool = False

    def counts(self) -> dict[str, int]:
        """The numbers, for the log of stages."""
        names = ("sessions", "portions", "entries", "calls", "candidates", "quotes_not_found", "failed", "dead", "left")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Leased:
    """A portion that may be read now, and what it may cost."""

    job: jobs.Job
    session_id: int
    most: int


def read_sessions(
    path: Path, order: ExtractionOrder, *, clock: Clock, stop: threading.Event, progress: Progress | None = None
) -> ExtractionResult:
    """Reads the sessions of an order, a job each, and gives what came of it.

    It ends when nothing is due, when the budget or the breaker says so, or soon after `stop` is set: calls under way
    are waited for and stored.

    Raises: DatabaseFileError; ModelError for a model without its key or a person's consent. Whatever else is wrong
    is a failure of the job.
    """
    refuse_without_key(order.model)
    with closing(connect(path, write=True)) as db:
        refuse_without_consent(db, order.model_id)
        reclaim(db, clock())
        enqueue_sessions(db, order.prompt, order.model_id, order.sessions, now=clock())
        reading = ExtractionRun(path, order, clock, stop, progress)
        with ThreadPoolExecutor(order.workers, thread_name_prefix="extract") as pool:
            for worker in [pool.submit(reading.work) for _ in range(order.workers)]:
                worker.result()
        outcome = reading.outcome
        outcome.drained = stop.is_set()
        outcome.is_unpriced = outcome.calls > 0 and price_of(db, order.model_id, clock()) is None
        outcome.left, outcome.dead = count_jobs(db, order, "due"), count_jobs(db, order, "dead")
        if outcome.run_id is not None:
            reason = outcome.stopped or ("stopped by a signal" if outcome.drained else None)
            close_run(db, outcome.run_id, reason, clock())
    return outcome


def reclaim(db: sqlite3.Connection, now: datetime) -> None:
    """Takes up what a killed process left: its jobs are due again, its run has ended."""
    with transaction(db):
        jobs.reclaim(db, EXTRACT_SESSION, now)
        db.execute(
            "update extraction_runs set finished_at = ?, error = ? where finished_at is null and model is not null",
            [utc_text(now), INTERRUPTED],
        )


def count_jobs(db: sqlite3.Connection, order: ExtractionOrder, state: str) -> int:
    """How many sessions of an order have a job in this state."""
    wanted = set(order.keys)
    rows = db.execute("select key from jobs where kind = ? and state = ?", [EXTRACT_SESSION, state])
    return sum(row["key"] in wanted for row in rows)


def start_run(db: sqlite3.Connection, order: ExtractionOrder, now: datetime) -> int:
    """A new row of `extraction_runs`."""
    cursor = db.execute(
        "insert into extraction_runs (method, version, model, started_at, is_dry_run) values (?, ?, ?, ?, ?)",
        [order.prompt.name, order.prompt.version, order.model_id, utc_text(now), int(order.is_dry_run)],
    )
    return int(cursor.lastrowid or 0)


def close_run(db: sqlite3.Connection, run_id: int, error: str | None, now: datetime) -> None:
    """Says that a run has ended, and why, if it did before all was read."""
    with transaction(db):
        db.execute(
            "update extraction_runs set finished_at = ?, error = ? where id = ?",
            [utc_text(now), error and clean(error)[0], run_id],
        )


class ExtractionRun:
    """One run under way: what its threads share. `door` guards all of it, and the choice of what is read next."""

    def __init__(
        self, path: Path, order: ExtractionOrder, clock: Clock, stop: threading.Event, progress: Progress | None
    ) -> None:
        self.path, self.order, self.clock, self.stop, self.progress = path, order, clock, stop, progress
        self.outcome = ExtractionResult(order.model_id)
        self.door = threading.Condition()
        self.under_way: dict[str, int] = {}
        self.session_ids = dict(zip(order.keys, (session.session_id for session in order.sessions), strict=True))
        self.has_ended = False

    def work(self) -> None:
        """What each thread does: the next portion, until there is none."""
        with closing(connect(self.path, write=True, busy_ms=BUSY_MS)) as db:
            is_done = False
            try:
                while (leased := self.next(db)) is not None:
                    self.read(db, leased)
                is_done = True
            finally:
                with self.door:
                    self.has_ended = self.has_ended or not is_done
                    self.door.notify_all()

    def next(self, db: sqlite3.Connection) -> Leased | None:
        """The next portion that may be read, leased; None when this thread has no more to do."""
        with self.door:
            while not self.must_end(db):
                if self.under_way and self.is_on_trial(db):
                    self.door.wait()
                    continue
                free = [key for key in self.session_ids if key not in self.under_way]
                job = jobs.lease(db, self.clock(), kind=EXTRACT_SESSION, keys=free)
                if job is None:
                    return None
                leased = self.prepared(db, job)
                if leased is not None and self.is_affordable(db, leased):
                    self.under_way[job.key] = leased.most
                    return leased
        return None

    def must_end(self, db: sqlite3.Connection) -> bool:
        """Whether no further call is to be made, by anybody."""
        if self.has_ended or self.stop.is_set():
            return True
        reason = open_breaker(db, self.order.model_id, self.clock())
        if reason:
            self.has_ended, self.outcome.stopped, self.outcome.is_broken = True, reason, True
        return self.has_ended

    def is_on_trial(self, db: sqlite3.Connection) -> bool:
        """Whether the model failed so often that one call has to show first that it answers again."""
        return health(db, self.order.model_id).failures_in_row >= FAILURES_BEFORE_ONE_BY_ONE

    def prepared(self, db: sqlite3.Connection, job: jobs.Job) -> Leased | None:
        """A leased job with what its next portion may cost; None where nothing of it is left."""
        prompt, model_id, now = self.order.prompt, self.order.model_id, self.clock()
        session_id = self.session_ids[job.key]
        portion = next_portion(db, session_id, prompt, model_id, most_tokens=portion_tokens(self.order.model))
        if portion is None:
            jobs.finish(db, job.id, now)
            return None
        most = 0 if portion.skip_reason else most_cost_of_call(db, prompt, model_id, portion.tokens, now)
        return Leased(job, session_id, most)

    def is_affordable(self, db: sqlite3.Connection, leased: Leased) -> bool:
        """Whether the budget allows a portion; else its job is given back, and the run ends.

        What is under way may cost less than was put aside for it: then this is asked again when it has ended.
        """
        now = self.clock()
        reason = over_budget(
            db, run_id=self.outcome.run_id, budget_nanocents=self.order.budget_nanocents, most=leased.most,
            reserved=sum(self.under_way.values()), now=now,
        )  # fmt: skip
        if reason:
            jobs.give_back(db, leased.job, now)
            if self.under_way:
                self.door.wait()
            else:
                self.has_ended, self.outcome.stopped = True, reason
            return False
        if self.outcome.run_id is None:
            self.outcome.run_id = start_run(db, self.order, now)
        return True

    def read(self, db: sqlite3.Connection, leased: Leased) -> None:
        """Reads one portion and says what came of it."""
        run_id = self.outcome.run_id
        assert run_id is not None
        job, outcome = leased.job, self.outcome
        try:
            read = read_portion(
                db, leased.session_id, model=self.order.model, prompt=self.order.prompt, run_id=run_id,
                now=self.clock(), job_id=job.id, deadline_s=deadline_of(db),
            )  # fmt: skip
        except MemoryDBError as error:
            state = jobs.fail(db, job.id, str(error), self.clock())
            with self.door:
                outcome.failed += state == "due"
                outcome.errors.append(clean(str(error))[0])
        else:
            with self.door:
                outcome.sessions += read.is_last
                outcome.portions += 1
                outcome.entries += read.entries
                outcome.calls += len(read.call_ids)
                outcome.candidates += read.candidates
                outcome.quotes_not_found += read.quotes_not_found
                if self.progress is not None:
                    self.progress("sessions read", outcome.sessions, len(self.order.sessions))
        finally:
            with self.door:
                self.under_way.pop(job.key, None)
                self.door.notify_all()
