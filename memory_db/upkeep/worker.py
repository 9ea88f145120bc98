"""The worker: does what is due, one process at a time.

In: a file. Out: transcripts taken in that hooks named, sessions read by a model where the settings allow it, what came
of that gated and indexed, and every due job of any other kind worked on. Invariants: one worker a file, by a lock that
the system gives back whatever ends the process; nothing is done that is not due, and stopping after any call loses
nothing; a job that came while a worker was ending, whose own worker found the lock held, is seen after it.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TextIO

from filelock import lock_descriptor

from memory_db.errors import BusyError, DatabaseFileError, InputError
from memory_db.evaluation.measuring import MEASURE
from memory_db.extract.model.jobs import PROMPT_OF_WORKERS, allowed, waiting_by_settings
from memory_db.extract.model.prompts import load_prompt
from memory_db.extract.model.runs import ExtractionOrder, ExtractionResult, read_sessions
from memory_db.gate import run as gate
from memory_db.gate.contradictions import pairs as contradictions
from memory_db.index import build as index
from memory_db.models.calls import find_model
from memory_db.models.consent import is_allowed, why_not
from memory_db.store import jobs
from memory_db.store.connection import connect
from memory_db.upkeep import backups, history, retention
from memory_db.upkeep import scan as scanning
from memory_db.upkeep.pipeline import Stage, run_stage
from memory_db.upkeep.transcript_jobs import TRANSCRIPT

Clock = Callable[[], datetime]
Progress = Callable[[str, int, int | None], None]
OnStage = Callable[[Stage], None]

LONGEST_TAKING_IN = timedelta(minutes=5)
"""After so long the other stages of a round have their turn, however many transcripts wait and keep coming.

Source: `python -m bench soak`, where agents said more than was taken in meanwhile and a round had no end.
"""

MOST_JOB_PORTIONS = 10_000
"""Portions of jobs of one kind in one round: what never ends is ended here, and goes on in the next."""


class WorkerBusyError(BusyError):
    """Another process works on the file."""


@contextmanager
def only_worker(path: Path) -> Iterator[None]:
    """Holds the lock of workers, a file beside the database.

    Raises: WorkerBusyError if another process holds it.
    """
    real = path.resolve()
    lock_path = real.with_name(real.name + ".worker")
    with os.fdopen(os.open(lock_path, os.O_RDWR | os.O_CREAT, 0o600), "r+") as handle:
        if not lock_descriptor(handle.fileno(), blocking=False):
            raise WorkerBusyError(f"A worker is busy with {path} ({holder(handle)}). Wait for it, or stop it.")
        handle.truncate(0)
        handle.write(str(os.getpid()))
        handle.flush()
        yield


def holder(handle: TextIO) -> str:
    """Which process holds the lock of workers; Windows does not let others read a locked file."""
    try:
        return f"process {handle.read(20).strip() or 'another'}"
    except OSError:
        return "another process"


@dataclass(slots=True)
class Worked:
    """What a worker did: its stages in order, and the outcomes of the runs of extraction among them; in `troubles` what
    it went on without."""

    stages: list[Stage] = field(default_factory=list)
    outcomes: list[ExtractionResult] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)

    def add(self, more: Worked) -> None:
        """Takes up what was done afterwards."""
        self.stages += more.stages
        self.outcomes += more.outcomes
        self.troubles += more.troubles

    @property
    def failures(self) -> int:
        """Jobs that failed, were given up, or wait for a model that keeps failing; a copy that was not made."""
        failed = sum(stage.counts.get("failed", 0) + stage.counts.get("dead", 0) for stage in self.stages)
        return len(self.troubles) + failed + sum(outcome.is_broken for outcome in self.outcomes)


@dataclass(frozen=True, slots=True)
class Worker:
    """What a round of work needs: the file, its connection, the time, and who wants to know. `stop` ends it soon."""

    path: Path
    db: sqlite3.Connection
    clock: Clock
    stop: threading.Event
    workers: int = 1
    progress: Progress | None = None
    on_stage: OnStage | None = None

    def stage(self, name: str, does: Callable[[], object]) -> Stage:
        """Does one stage, logged and told."""
        done = run_stage(self.db, name, does, now=self.clock())
        if self.on_stage:
            self.on_stage(done)
        return done


def work(worker: Worker, *, once: bool) -> Worked:
    """Does what is due: one round, or rounds until one finds nothing. Who calls holds the lock (`only_worker`).

    Raises: NotFoundError for a model that llm does not know; ModelError where the embedding model cannot be used.
    """
    worked = Worked()
    while True:
        done = work_round(worker, worked)
        if once or not done or worker.stop.is_set():
            return worked


def work_round(worker: Worker, worked: Worked) -> bool:
    """One round; whether it found anything to do. What is new comes first, so that a model reads it in this round."""
    scanning.enqueue_if_due(worker.db, now=worker.clock())
    taken_in = take_in_transcripts(worker, worked)
    measured = measure_for_pages(worker, worked)
    if take_in_history(worker, worked):
        return True  # what is said meanwhile comes before the next portion, and all else after the last one
    outcome = None if worker.stop.is_set() else read_what_is_allowed(worker, worked)
    if worker.stop.is_set():
        return False
    stages = settle(worker)
    if retention.is_due(worker.db, now=worker.clock()):
        stages.append(worker.stage("retention", lambda: retention.run(worker.db, now=worker.clock())))
    copy_of_the_day(worker, worked)
    # Transcripts that came meanwhile wait for the next round: where they keep coming this one would have no end.
    jobs_done = worker.stage("jobs", lambda: work_on_jobs(worker, sorted(jobs.HANDLERS.keys() - {TRANSCRIPT})))
    worked.stages += [*stages, jobs_done]
    read = outcome.portions if outcome else 0
    return bool(taken_in or measured or read or jobs_done.counts["leased"])


def copy_of_the_day(worker: Worker, worked: Worked) -> None:
    """Makes a verified copy where one is due. Where that fails it is logged and told, and the other work goes on."""

    def does() -> dict[str, int]:
        return backups.run(worker.db, worker.path, now=worker.clock())

    try:
        if backups.is_due(worker.db, worker.path, now=worker.clock()):
            worked.stages.append(worker.stage(backups.STAGE, does))
    except (DatabaseFileError, InputError) as error:
        worked.troubles.append(f"No copy of the day: {error}")


def take_in_transcripts(worker: Worker, worked: Worked) -> int:
    """Takes in the transcripts that wait: how many portions there were. No stage is logged where none waits.

    Who holds the lock knows that what was being taken in has no worker any more.
    """
    jobs.reclaim(worker.db, TRANSCRIPT, worker.clock())
    if not jobs.is_due(worker.db, worker.clock(), kind=TRANSCRIPT):
        return 0
    stage = worker.stage("transcripts", lambda: work_on_jobs(worker, [TRANSCRIPT], LONGEST_TAKING_IN))
    worked.stages.append(stage)
    return stage.counts["leased"]


def measure_for_pages(worker: Worker, worked: Worked) -> int:
    """Measures what somebody waits for in front of a page: how much there was."""
    jobs.reclaim(worker.db, MEASURE, worker.clock())
    if not jobs.is_due(worker.db, worker.clock(), kind=MEASURE):
        return 0
    stage = worker.stage(MEASURE, lambda: work_on_jobs(worker, [MEASURE]))
    worked.stages.append(stage)
    return stage.counts["leased"]


def take_in_history(worker: Worker, worked: Worked) -> bool:
    """Takes in one portion of a long history, the newest that waits; whether one was due."""
    jobs.reclaim(worker.db, history.HISTORY, worker.clock())
    if worker.stop.is_set() or not jobs.is_due(worker.db, worker.clock(), kind=history.HISTORY):
        return False

    def does() -> dict[str, int]:
        counts = jobs.work_once(worker.db, now=worker.clock(), progress=worker.progress, kind=history.HISTORY)
        return {"failed": counts["failed"], "dead": counts["dead"], **history.figures(worker.db)}

    worked.stages.append(worker.stage(history.HISTORY, does))
    return True


def is_work_left(path: Path, *, now: datetime, kind: str | None = None) -> bool:
    """Whether a job is due, of any kind or of one.

    Asked by who has given the lock back, before it ends: a job may have come since it looked last, and the worker that
    was started for that job found the lock held.
    Raises: DatabaseFileError.
    """
    with closing(connect(path)) as db:
        return jobs.is_due(db, now, kind=kind)


def read_what_is_allowed(worker: Worker, worked: Worked) -> ExtractionResult | None:
    """Reads the sessions that the settings allow; None where they allow none. Raises: NotFoundError."""
    found = allowed(worker.db)
    if found is None:
        return None
    prompt, model = load_prompt(PROMPT_OF_WORKERS), find_model(found.model)
    sessions = waiting_by_settings(worker.db, prompt, str(model.model_id), now=worker.clock())
    if not sessions:
        return None
    if not is_allowed(worker.db, str(model.model_id)):
        if not worked.outcomes:  # said once; the rest of the work goes on
            worked.outcomes.append(ExtractionResult(str(model.model_id), stopped=why_not(str(model.model_id))))
        return None
    outcome, stage = read_as_stage(worker, ExtractionOrder(prompt, model, sessions, worker.workers))
    worked.outcomes.append(outcome)
    worked.stages.append(stage)
    return outcome


def read_as_stage(worker: Worker, order: ExtractionOrder) -> tuple[ExtractionResult, Stage]:
    """A run of extraction as a logged stage."""
    outcomes: list[ExtractionResult] = []

    def does() -> dict[str, int]:
        outcome = read_sessions(worker.path, order, clock=worker.clock, stop=worker.stop, progress=worker.progress)
        outcomes.append(outcome)
        return outcome.counts()

    stage = worker.stage("extract", does)
    return outcomes[0], stage


def settle(worker: Worker) -> list[Stage]:
    """Decides on what was found, and looks what that contradicts; vectors of entries are left to their job."""
    db, progress = worker.db, worker.progress
    return [
        worker.stage("gate", lambda: gate.run(db, now=worker.clock(), progress=progress)),
        worker.stage("index", lambda: index.run(db, now=worker.clock(), progress=progress, entries=False)),
        worker.stage("contradictions", lambda: contradictions.find(db, now=worker.clock(), progress=progress)),
    ]


def work_on_jobs(worker: Worker, kinds: Iterable[str], longest: timedelta = timedelta.max) -> dict[str, int]:
    """Works on jobs, kind by kind, until none is due: counts as `jobs.work_once`, summed.

    After the `longest` time no further one is begun.
    """
    total = dict.fromkeys(("leased", "done", "released", "failed", "dead"), 0)
    began = worker.clock()
    for kind in kinds:
        for _ in range(MOST_JOB_PORTIONS):
            if worker.stop.is_set() or worker.clock() - began > longest:
                return total
            counts = jobs.work_once(worker.db, now=worker.clock(), progress=worker.progress, kind=kind)
            if not counts["leased"]:
                break
            total = {name: total[name] + counts[name] for name in total}
    return total
