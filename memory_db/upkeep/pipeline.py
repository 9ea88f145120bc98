"""The stages in their order: import, extract, gate, index, contradictions, feedback.

Each is timed and leaves a row in `runs`.

In: a connection and folders of transcripts. Out: what each stage did. A
second run changes no row outside the run logs.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory_db.errors import InputError
from memory_db.extract.files import shown
from memory_db.extract.model import jobs as waiting
from memory_db.extract.rules import run as rules
from memory_db.feedback import run as feedback
from memory_db.gate import run as gate
from memory_db.gate.contradictions import pairs as contradictions
from memory_db.helpers import ALONE, Helpers
from memory_db.index import build as index
from memory_db.models import tokens
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.transcripts import importer as importing
from memory_db.transcripts import instruction_files, projects
from memory_db.upkeep import scan as scanning

IMPORT = "import"
STAGES = (IMPORT, "extract", "gate", "index", "contradictions", "feedback")
"""The stages that can be run alone, in their order."""

Progress = Callable[[str, int, int | None], None]
"""Told (what, done, total) now and then; total may be unknown."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What one stage did: counts by name, and how long it took."""

    name: str
    counts: dict[str, int]
    duration_ms: float


def run_stage(db: sqlite3.Connection, name: str, work: Callable[[], object], *, now: datetime) -> Stage:
    """Runs one stage, and logs its counts and duration, or its error."""
    started = time.perf_counter()
    changes = db.total_changes
    try:
        counts = counts_of(work())
    except BaseException as trouble:  # whatever it was, Ctrl-C too, is logged here and raised again
        # What was refused before anything changed has not run.
        if not isinstance(trouble, InputError) or db.total_changes > changes:
            with contextlib.suppress(sqlite3.Error):
                log_run(db, Stage(name, {}, elapsed_ms(started)), f"{type(trouble).__name__}: {trouble}", now=now)
        raise
    stage = Stage(name, counts, elapsed_ms(started))
    log_run(db, stage, None, now=now)
    return stage


def elapsed_ms(started: float) -> float:
    """Milliseconds since a moment of the performance counter."""
    return (time.perf_counter() - started) * 1000


def log_run(db: sqlite3.Connection, stage: Stage, error: str | None, *, now: datetime) -> None:
    """Leaves a row in `runs`, its error cleaned, unless a transaction was left open, which its owner decides on."""
    if db.in_transaction:
        return
    message = error and clean(error.encode(errors="backslashreplace").decode())[0]
    with transaction(db):
        db.execute(
            "insert into runs (stage, started_at, duration_ms, counts, error) values (?, ?, ?, ?, ?)",
            [stage.name, utc_text(now), stage.duration_ms, json.dumps(stage.counts), message],
        )


def counts_of(result: object) -> dict[str, int]:
    """Counts as a plain dict, whether a stage gives a dict or a dataclass."""
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        result = dataclasses.asdict(result)
    return dict(result) if isinstance(result, dict) else {}


def run(
    db: sqlite3.Connection,
    folders: Sequence[Path],
    *,
    now: datetime,
    progress: Progress | None = None,
    on_stage: Callable[[Stage], None] | None = None,
    entries: bool = True,
    only: str | None = None,
) -> list[Stage]:
    """The whole pipeline over folders of Claude Code transcripts, or only one stage of it.

    Without `entries` a job embeds them later.
    """
    steps = steps_for(db, folders, now=now, progress=progress, entries=entries)
    if only is not None:
        steps = [(name, work) for name, work in steps if name == only]
    else:
        if waiting.allowed(db) is not None:
            # A model is only ever asked by a worker or by a person.
            steps.append(("enqueue", lambda: waiting.enqueue_by_settings(db, now=now)))
        if scanning.enqueue_if_due(db, now=now):
            steps.insert(0, ("scan", lambda: scanning.scan(db, now=now, progress=progress)))
    stages = []
    for name, work in steps:
        stage = run_stage(db, name, work, now=now)
        stages.append(stage)
        if on_stage:
            on_stage(stage)
    return stages


def steps_for(
    db: sqlite3.Connection,
    paths: Sequence[Path],
    *,
    now: datetime,
    progress: Progress | None,
    entries: bool,
    helpers: Helpers = ALONE,
    ahead: rules.Ahead | None = None,
    new: importing.NewFiles | None = None,
) -> list[tuple[str, Callable[[], object]]]:
    """The stages over folders or files of Claude Code transcripts, by name, in their order.

    What is `new` there may have been found already.
    """
    return [
        (IMPORT, lambda: import_claude_code(db, paths, now=now, progress=progress, helpers=helpers, new=new)),
        ("extract", lambda: extract(db, now=now, progress=progress, ahead=ahead)),
        ("gate", lambda: gate.run(db, now=now, progress=progress)),
        ("index", lambda: index.run(db, now=now, progress=progress, entries=entries)),
        ("contradictions", lambda: contradictions.find(db, now=now, progress=progress)),
        ("feedback", lambda: feedback.run(db, now=now, progress=progress)),
    ]


def extract(
    db: sqlite3.Connection, *, now: datetime, progress: Progress | None = None, ahead: rules.Ahead | None = None
) -> dict[str, int]:
    """What the rules find in what was said, and in the files that agents were shown."""
    counts = rules.extract(db, now=now, progress=progress, ahead=ahead)
    counts["candidates"] += shown.extract(db, now=now)
    return counts


def import_claude_code(
    db: sqlite3.Connection,
    folders: Sequence[Path],
    *,
    now: datetime,
    progress: Progress | None = None,
    helpers: Helpers = ALONE,
    new: importing.NewFiles | None = None,
) -> dict[str, int]:
    """Imports transcripts, names projects after where they are now, looks up prices and instruction files."""
    new = new or importing.find_new(db, folders, now=now, helpers=helpers)
    counts = counts_of(importing.store_new(db, new, now=now, progress=progress))
    counts["projects_moved"] = projects.settle_paths(db)
    counts["prices_added"] = tokens.ensure_prices(db, tokens.models_seen(db), now=now)["added"]
    counts["instruction_files_seen"] = instruction_files.see(db, now=now)
    return counts
