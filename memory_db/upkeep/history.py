"""A long history, the newest sessions first: they go through the whole pipeline, and the rest follows in portions.

In: folders of transcripts. Out: what the pipeline makes of them, portion by portion. Invariants: each portion goes
through every stage before the next one goes through more than the first, so that what was said last can be recalled
while the rest is read;
progress is in the rows of `sources`, and a run that is killed or stopped goes on where it was; what holds in the end
does not depend on the order.
"""

from __future__ import annotations

import json
import math
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory_db.extract.rules import run as rules
from memory_db.helpers import helping, rarer_collections
from memory_db.models import tokens
from memory_db.store import jobs
from memory_db.store.checkpoints import fewer_checkpoints
from memory_db.store.dates import utc_text
from memory_db.transcripts import claude_code
from memory_db.transcripts.importer import NewFiles, find_new
from memory_db.transcripts.waiting import Portion, note_found, portions, waiting_files
from memory_db.upkeep import pipeline
from memory_db.upkeep.pipeline import Progress, Stage, run_stage, steps_for

HISTORY = "history"
"""The kind of job that reads the rest of a history."""

KEY = "claude-code"

FIRST_BYTES, LATER_BYTES = 3_000_000, 12_000_000
"""How much is read before pages open, and at most in each portion after that. Source: ours; on two cores the first
takes some five seconds, and a worker that is told to stop ends within the second."""

FEWEST_LATER = 3
"""Portions after the first that a history is read in, if they are no smaller than it: helpers work on one while the one
before goes through the gate, and at the last have nothing to do. Source: ours; each costs a tenth of a second."""

AT_ONCE_S = 15.0
"""How long a worker reads before it looks what else is due. Source: ours; to find out what waits among 30,000 files
takes some seconds."""

LONG_BYTES = 2 * FIRST_BYTES
"""A history that is longer than this is read in portions."""


@dataclass(frozen=True, slots=True)
class HistoryProgress:
    """How far a history is read: bytes done and in all, and the seconds that the stages took for them."""

    done_bytes: int
    total_bytes: int
    seconds: float
    is_paused: bool = False

    @property
    def left_bytes(self) -> int:
        """What is still to be read."""
        return self.total_bytes - self.done_bytes

    @property
    def bytes_per_s(self) -> float:
        """How fast it is read; 0 where nothing is read yet."""
        return self.done_bytes / self.seconds if self.seconds > 0 else 0.0

    @property
    def left_s(self) -> float | None:
        """How long the rest takes at that speed; None where it is not known."""
        return self.left_bytes / self.bytes_per_s if self.bytes_per_s else None


def plan(db: sqlite3.Connection, folders: Sequence[Path], *, now: datetime) -> list[Portion]:
    """The portions of what waits, if that is much; none where one run reads it soon enough."""
    files = waiting_files(db, folders)
    left_bytes = sum(each.left_bytes for each in files)
    if left_bytes <= LONG_BYTES:
        return []
    note_found(db, files, now)
    later_bytes = max(FIRST_BYTES, min(LATER_BYTES, (left_bytes - FIRST_BYTES) // FEWEST_LATER))
    return portions(files, FIRST_BYTES, later_bytes)


def run_portion(
    db: sqlite3.Connection, portion: Portion, *, now: datetime, progress: Progress | None = None
) -> list[Stage]:
    """Every stage over one portion, each logged; vectors of entries are left to their job."""
    steps = steps_for(db, portion.paths, now=now, progress=progress, entries=False)
    return [run_stage(db, name, does, now=now) for name, does in steps]


@dataclass(slots=True)
class Begun:
    """A portion whose transcripts are stored: the stages that it went through, and the steps that are left."""

    portion: Portion
    stages: list[Stage]
    left: list[tuple[str, Callable[[], object]]]

    def go_on(self, db: sqlite3.Connection, count: int, now: datetime) -> None:
        """Goes through so many more stages."""
        self.stages += [run_stage(db, name, does, now=now) for name, does in self.left[:count]]
        del self.left[:count]


@dataclass(frozen=True, slots=True)
class Found:
    """A portion, and what is new in it, which helpers read."""

    portion: Portion
    new: NewFiles


def run_portions(
    db: sqlite3.Connection,
    waiting: Sequence[Portion],
    *,
    clock: Callable[[], datetime],
    progress: Progress | None = None,
    goes_on: Callable[[], bool] = lambda: True,
    helper_count: int | None = None,
) -> Iterator[tuple[list[Stage], HistoryProgress]]:
    """Reads portions one after the other, on all processors; what each brought, and how far that is.

    The next portion is stored before this one goes through the gate, so that helpers look for candidates in it
    meanwhile, and then read the one behind it. None is stored once `goes_on` says no; what is stored is finished. There
    is a helper for each processor where no other number is given.
    """
    total = sum(portion.left_bytes for portion in waiting)
    done, seconds = 0, 0.0
    left = iter(waiting)
    with helping(helper_count) as helpers, fewer_checkpoints(db), rarer_collections():

        def find(portion: Portion | None) -> Found | None:
            if portion is None:
                return None
            paths = [path for path in portion.paths if path.is_file()]  # clients delete old transcripts
            return Found(portion, find_new(db, paths, now=clock(), helpers=helpers))

        def store(found: Found | None) -> Begun | None:
            if found is None:
                return None
            ahead: rules.Ahead = {}
            steps = steps_for(
                db, found.portion.paths, now=clock(), progress=progress, entries=False, ahead=ahead, new=found.new
            )
            begun = Begun(found.portion, [], steps)
            begun.go_on(db, 1, clock())
            ahead |= rules.look_ahead(db, helpers)
            return begun

        if waiting:
            helpers.start(rules.get_ready)
            tokens.get_ready()  # while they start
        begun = store(find(next(left, None)))
        found = find(next(left, None))
        while begun is not None:
            begun.go_on(db, 1, clock())
            coming = store(found if goes_on() else None)
            found = find(next(left, None)) if coming else None
            begun.go_on(db, len(begun.left), clock())
            done, seconds = done + begun.portion.left_bytes, seconds + seconds_of(begun.stages)
            yield begun.stages, HistoryProgress(done, total, seconds)
            begun = coming


def seconds_of(stages: Sequence[Stage]) -> float:
    """How long stages took together."""
    return sum(stage.duration_ms for stage in stages) / 1000


def leave_to_worker(
    db: sqlite3.Connection, folders: Sequence[Path], waiting: Sequence[Portion], *, now: datetime
) -> None:
    """Has a worker read what waits below these folders; a job that waits already, or is paused, stays as it is."""
    payload = {
        "folders": [str(Path(folder).absolute()) for folder in folders],
        "total_bytes": sum(portion.left_bytes for portion in waiting),
        "began_at": utc_text(now),
    }
    jobs.enqueue(db, HISTORY, KEY, payload, now)


@jobs.handles(HISTORY)
def read_on(db: sqlite3.Connection, job: jobs.Job, now: datetime, progress: Progress | None) -> bool:
    """Reads the newest portions that wait, for some seconds; where little does, all, as one run of the pipeline does.

    Folders that are gone are left out. Raises: MemoryDBError of a stage.
    """
    folders = [Path(each) for each in job.payload.get("folders", ()) if Path(each).is_dir()]  # type: ignore[attr-defined]
    until = time.perf_counter() + AT_ONCE_S

    def goes_on() -> bool:
        so_far = progress_of(db)
        return time.perf_counter() < until and not (so_far and so_far.is_paused)

    waiting = plan(db, folders, now=now)
    for _ in run_portions(db, waiting, clock=lambda: now, progress=progress, goes_on=goes_on):
        pass
    if waiting:
        return False
    pipeline.run(db, folders, now=now, progress=progress, entries=False)
    return True


def progress_of(db: sqlite3.Connection) -> HistoryProgress | None:
    """How far a history is read that was left to a worker; None where none waits."""
    row = db.execute(JOB, [HISTORY, KEY]).fetchone()
    if row is None:
        return None
    payload = json.loads(row["payload"])
    left = int(db.execute(LEFT, [claude_code.FORMAT]).fetchone()[0])
    total = max(left, int(payload["total_bytes"]))
    ran_ms = db.execute(RAN, [payload["began_at"], json.dumps(pipeline.STAGES)]).fetchone()[0]
    return HistoryProgress(total - left, total, ran_ms / 1000, is_paused=bool(payload.get(jobs.PAUSED)))


def finish_if_read(db: sqlite3.Connection, *, now: datetime) -> None:
    """Ends the job of a history that somebody else has read to its end."""
    so_far = progress_of(db)
    if so_far is not None and not so_far.left_bytes:
        jobs.finish(db, jobs.take(db, HISTORY, KEY, now).id, now)


def figures(db: sqlite3.Connection) -> dict[str, int]:
    """How far it is, as counts of a stage."""
    so_far = progress_of(db)
    if so_far is None:
        return {}
    counts = {"megabytes_read": so_far.done_bytes // MEGABYTE, "megabytes_left": so_far.left_bytes // MEGABYTE}
    return counts if so_far.left_s is None else {**counts, "seconds_left": math.ceil(so_far.left_s)}


MEGABYTE = 1_000_000

JOB = "select payload from jobs where kind = ? and key = ? and state in ('due', 'running')"

LEFT = "select coalesce(sum(size_bytes - read_bytes), 0) from sources where format = ? and state = 'found'"

RAN = """
select coalesce(sum(duration_ms), 0) from runs
where started_at >= ? and stage in (select value from json_each(?)) and error is null
"""
