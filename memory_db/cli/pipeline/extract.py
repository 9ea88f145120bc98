"""The command that finds candidates, by rules or by a model: extract."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from memory_db.cli import STOPPED
from memory_db.cli.common import Command, Progress, chosen_path, moment, print_json, printable, writing
from memory_db.cli.options import (
    database_option,
    json_option,
    model_option,
    spending_option,
)
from memory_db.cli.pipeline.run import stage_json, stage_line
from memory_db.errors import InputError
from memory_db.extract.model.jobs import EXTRACT_SESSION, WaitingSession, key_of, waiting
from memory_db.extract.model.prompts import PURPOSES, Prompt, load_prompt
from memory_db.extract.model.runs import ExtractionOrder, ExtractionResult, reclaim
from memory_db.gate import run as gate
from memory_db.hooks.background import TRANSCRIPT, start_worker
from memory_db.models.calls import find_model
from memory_db.store import jobs
from memory_db.store.connection import connect_to_answer
from memory_db.upkeep import pipeline as stages
from memory_db.upkeep.worker import Worker, is_work_left, only_worker, read_as_stage, settle

if TYPE_CHECKING:
    import sqlite3

    import llm

ALL = "all"
REASON_CHARACTERS = 300
MOST_ERRORS = 3
"""Errors of a run that are told one by one."""

prompt_option = click.option(
    "--prompt", "prompt_name", type=click.Choice(list(PURPOSES)), default="extract", show_default=True,
    help="What to look for: what is worth knowing, or how the user works.",
)  # fmt: skip
sessions_option = click.option("--limit", type=click.IntRange(1), help="Sessions to read at most, the newest first.")
workers_option = click.option(
    "--workers", type=click.IntRange(1, 32), default=1, show_default=True, help="Calls of the model at a time."
)


@click.command(cls=Command)
@model_option
@prompt_option
@workers_option
@sessions_option
@spending_option
@click.option(
    "--retry-dead", "retry", is_flag=False, flag_value=ALL, metavar="[ID]",
    help="Take up sessions that were given up; with an ID only that job (see the view dead_jobs).",
)  # fmt: skip
@database_option
@click.option(
    "--dry-run", is_flag=True,
    help="Without -m: do it on a temporary copy and show what would change. With -m: ask the model and store what"
    " it proposes, but make no memory of it; `review` shows what waits.",
)  # fmt: skip
@json_option
def extract(
    model_name: str | None, prompt_name: str, workers: int, limit: int | None, budget: int | None, retry: str | None,
    database: Path | None, dry_run: bool, as_json: bool,
) -> None:  # fmt: skip
    """Extract candidates from new entries, and decide on each.

    By rules, unless a model is named with -m. A model costs money unless it is a local one: `model estimate` says
    how much before anything is asked. Ctrl-C and SIGTERM let the calls under way end and store what they gave.
    """
    if model_name is None:
        if limit or budget is not None or retry or workers > 1 or prompt_name != "extract":
            raise InputError(
                "--prompt, --workers, --limit, --budget and --retry-dead go with a model. Name one with -m."
            )
        extract_by_rules(database, dry_run=dry_run, as_json=as_json)
        return
    path = chosen_path(database)
    connect_to_answer(path)[0].close()  # it may be of an earlier schema, and is migrated then
    asked = ExtractOptions(load_prompt(prompt_name), find_model(model_name), workers, limit, budget, retry, dry_run)
    progress = Progress()
    with only_worker(path), writing(path, create=False) as db, draining() as drain:
        order = order_of(db, asked)
        worker = Worker(path, db, moment, drain.stop, workers, progress, stage_printer(progress, quiet=as_json))
        outcome, stage = read_as_stage(worker, order)
        done = [stage, *([] if drain.number else settle(worker))]
    progress.clear()
    if is_work_left(path, now=moment(), kind=TRANSCRIPT):
        start_worker(str(path))  # a hook's own worker found the lock held
    lines = list(lines_of(outcome))
    if as_json:
        print_json({**outcome_json(outcome), "notes": lines, "stages": [stage_json(each) for each in done]})
    else:
        click.echo("\n".join([f"Read {outcome.sessions:,} sessions with {outcome.model_id}.", *lines]))
    leave(drain, failed=outcome.is_broken or bool(outcome.failed or outcome.dead))


@dataclass(frozen=True, slots=True)
class ExtractOptions:
    """What a person asked for on the command line."""

    prompt: Prompt
    model: llm.Model
    workers: int
    limit: int | None
    budget_nanocents: int | None
    retry: str | None
    is_dry_run: bool


def order_of(db: sqlite3.Connection, asked: ExtractOptions) -> ExtractionOrder:
    """What is to be read: what waits, or one job that was given up. Raises: InputError, NotFoundError."""
    prompt, model_id = asked.prompt, str(asked.model.model_id)
    sessions = waiting(db, prompt, model_id)
    if asked.retry is not None:
        reclaim(db, moment())
        sessions = revived(db, sessions, asked)
    return ExtractionOrder(
        prompt, asked.model, sessions[: asked.limit], asked.workers, asked.budget_nanocents, asked.is_dry_run
    )


def revived(db: sqlite3.Connection, sessions: Sequence[WaitingSession], asked: ExtractOptions) -> list[WaitingSession]:
    """The sessions to read once dead jobs are due again: all that wait, or the one of the job that was named.

    A dead job whose session has been read to its end meanwhile is done.

    Raises: InputError for an id that is no number or of another prompt or model; NotFoundError if it is not dead.
    """
    by_key = {key_of(asked.prompt, str(asked.model.model_id), session.uid): session for session in sessions}
    dead = db.execute("select job_id, kind, key from dead_jobs").fetchall()
    if asked.retry == ALL:
        ours = key_of(asked.prompt, str(asked.model.model_id), "")
        for row in dead:
            if row["kind"] == EXTRACT_SESSION and row["key"].startswith(ours):
                (jobs.revive if row["key"] in by_key else jobs.finish)(db, row["job_id"], moment())
        return list(sessions)
    if asked.retry is None or not asked.retry.isdecimal():
        raise InputError(f"{asked.retry!r} is no number of a job. The view dead_jobs lists them.")
    key = next((row["key"] for row in dead if row["job_id"] == int(asked.retry)), None)
    if key is not None and key not in by_key:
        raise InputError(f"Job {asked.retry} is {printable(key, 80)}: name that prompt and model, or leave the id out.")
    jobs.revive(db, int(asked.retry), moment())
    return [by_key[str(key)]]


def extract_by_rules(database: Path | None, *, dry_run: bool, as_json: bool) -> None:
    """Candidates by rules, and the gate's decisions."""
    progress = Progress()
    with writing(database, dry_run=dry_run, create=False) as db:
        done = [
            stages.run_stage(db, "extract", lambda: stages.extract(db, now=moment(), progress=progress), now=moment()),
            stages.run_stage(db, "gate", lambda: gate.run(db, now=moment(), progress=progress), now=moment()),
        ]
    progress.clear()
    if as_json:
        print_json({"stages": [stage_json(stage) for stage in done]})
    else:
        click.echo("\n".join(map(stage_line, done)))


# ------------------------------------------------------------------ printing


def stage_printer(progress: Progress, *, quiet: bool) -> Callable[[stages.Stage], None]:
    """What tells on stderr what each stage did."""

    def print_stage(stage: stages.Stage) -> None:
        progress.clear()
        if not quiet:
            click.echo(stage_line(stage), err=True)

    return print_stage


def lines_of(outcome: ExtractionResult) -> Iterator[str]:
    """What is to be said of a run, one line each."""
    for error in outcome.errors[:MOST_ERRORS]:
        yield f"A portion failed: {printable(error, REASON_CHARACTERS)}"
    if len(outcome.errors) > MOST_ERRORS:
        yield f"{len(outcome.errors) - MOST_ERRORS:,} more portions failed; the table model_calls has their errors."
    if outcome.stopped:
        yield f"Stopped: {outcome.stopped}."
    if outcome.left:
        yield f"{outcome.left:,} sessions are still due; the same command goes on with them."
    if outcome.dead:
        yield f"{outcome.dead:,} sessions were given up; --retry-dead takes them up again (see the view dead_jobs)."
    if outcome.is_unpriced:
        yield f"No price of {outcome.model_id} is known, so its calls count nothing towards a budget."


def outcome_json(outcome: ExtractionResult) -> dict[str, object]:
    """A run as JSON."""
    return {
        "extraction_run_id": outcome.run_id, "model": outcome.model_id, **outcome.counts(),
        "stopped": outcome.stopped or None, "drained": outcome.drained,
    }  # fmt: skip


# ----------------------------------------------------------------- stopping


@dataclass(slots=True)
class Drain:
    """Set when a signal asked for the end; `number` is that signal's, 0 while there was none."""

    stop: threading.Event = field(default_factory=threading.Event)
    number: int = 0


SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def draining() -> Iterator[Drain]:
    """Lets the first SIGTERM or Ctrl-C end the work soon; the second one ends the process at once."""
    drain = Drain()

    def on_signal(number: int, frame: FrameType | None) -> None:
        drain.number = number
        drain.stop.set()
        for each in SIGNALS:
            signal.signal(each, signal.SIG_DFL)
        # Not by a buffer, which the main thread may be writing to just now.
        os.write(2, b"\nStopping after the calls under way; once more stops at once.\n")

    before = {each: signal.signal(each, on_signal) for each in SIGNALS}
    try:
        yield drain
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def leave(drain: Drain, *, failed: bool) -> None:
    """Ends with the exit code that says how it went: 128 and the signal's number after a drain, as shells do."""
    if drain.number:
        click.echo(STOPPED, err=True)
        sys.exit(128 + drain.number)
    if failed:
        sys.exit(1)


# ----------------------------------------------------------------- estimate


# --------------------------------------------------------------------- work
