"""Takes in the transcripts that hooks named, and does for what was new in them what the whole pipeline does.

In: jobs of the kind `transcript`. Out: entries, and what follows from them: candidates by rules, decisions, memories,
vectors, contradictions, feedback, prices. Invariants: a job is done only when all of that is done, so that a killed
worker leaves it due; a transcript that cannot be read is a failed job with its reason, and costs the others nothing.

    transcript --import--> entries --rules--> candidates --gate--> memories --index, contradictions, feedback-->
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from memory_db.errors import MemoryDBError, SourceError
from memory_db.hooks.background import TRANSCRIPT, database_of, look_at
from memory_db.store import jobs
from memory_db.transcripts import importer as importing
from memory_db.transcripts.links import link_out
from memory_db.upkeep.pipeline import Progress, run_stage, steps_for

__all__ = ["TRANSCRIPT", "take_in"]

AT_ONCE = 20
"""Transcripts that one portion takes in: the stages behind look at the whole file, which need not be for each."""

BYTES_AT_ONCE = 64 * 2**20
"""The same in bytes, so that a worker that is told to stop soon may."""


@jobs.handles(TRANSCRIPT)
def take_in(db: sqlite3.Connection, job: jobs.Job, now: datetime, progress: Progress | None) -> bool:
    """Takes in one transcript, and others that are due with it; nothing is left of it then.

    Raises: SourceError where it may not or cannot be read; MemoryDBError of a stage.
    """
    found = transcripts_of(db, job)
    others: list[tuple[jobs.Job, list[Path]]] = []
    while len(others) + 1 < AT_ONCE and bytes_of(found, others) < BYTES_AT_ONCE:
        other = jobs.lease(db, now, kind=TRANSCRIPT)
        if other is None:
            break
        try:
            others.append((other, transcripts_of(db, other)))
        except SourceError as error:
            jobs.fail(db, other.id, str(error), now)
    paths = [*found, *(path for _, more in others for path in more)]
    try:
        run_stages(db, paths, now, progress)
    except MemoryDBError as error:
        for other, _ in others:
            jobs.fail(db, other.id, str(error), now)
        raise
    for other, more in others:
        if reasons := importing.unread_reasons(db, more[:1]):
            jobs.fail(db, other.id, reasons[0], now)
        else:
            jobs.complete(db, other, now)
    if reasons := importing.unread_reasons(db, found[:1]):
        raise SourceError(reasons[0])
    return True


def transcripts_of(db: sqlite3.Connection, job: jobs.Job) -> list[Path]:
    """The transcript that a job names, and those of the subagents of its session, which stand beside it.

    Raises: SourceError for one that may not be read.
    """
    path, database = Path(str(job.payload.get("path", ""))), database_of(db)
    look_at(str(path), database)
    found = [path]
    for own in sorted((path.with_suffix("") / "subagents").glob("**/agent-*.jsonl")):
        if link_out(own, path.parent):
            continue  # `memory-db run` makes its row
        try:
            look_at(str(own), database)
        except SourceError:
            continue
        found.append(own)
    return found


def bytes_of(found: Sequence[Path], others: Sequence[tuple[jobs.Job, list[Path]]]) -> int:
    """How large transcripts are together; one that has gone meanwhile has no size."""
    total = 0
    for path in (*found, *(path for _, more in others for path in more)):
        try:
            total += path.stat().st_size
        except OSError:
            continue
    return total


def run_stages(db: sqlite3.Connection, paths: Sequence[Path], now: datetime, progress: Progress | None) -> None:
    """What the pipeline does, for some transcripts, each stage logged; vectors of entries are left to their job.

    Raises: MemoryDBError.
    """
    for name, does in steps_for(db, paths, now=now, progress=progress, entries=False):
        run_stage(db, name, does, now=now)
