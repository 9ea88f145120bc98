"""The command that opens the browser's side: serve."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from memory_db.cli.common import Command, chosen_path, moment, writing
from memory_db.cli.options import database_option
from memory_db.cli.pipeline.run import (
    MEGABYTE,
    folder_option,
    path_of_sample,
    run_index,
    run_pipeline,
    stage_line,
    where_to_run,
)
from memory_db.errors import InputError
from memory_db.pages.web import serve as serving
from memory_db.upkeep import history
from memory_db.upkeep.pipeline import Stage

STOP_S = 5
"""How long a worker has to end what it is at when the server stops."""

FEW_ENTRIES = 1_000
"""So many entries are embedded before the page opens (about 20 seconds); more of them while it is open."""


@click.command(cls=Command)
@click.option("--run", "run_first", is_flag=True, help="Import, extract, gate and index whatever is new first.")
@folder_option
@click.option("--sample", is_flag=True, help="Show the sample history, from the file of -d, else its own sample.db.")
@click.option("--sample-if-empty", is_flag=True, help="The same, if there are no transcripts and no file yet.")
@click.option("--port", type=click.IntRange(0, 65535), default=8001, show_default=True, help="0 takes any free one.")
@click.option("--open-to-this-machine", is_flag=True, help="Let whoever uses this machine read without signing in.")
@database_option
def serve(
    run_first: bool,
    folders: tuple[Path, ...],
    sample: bool,
    sample_if_empty: bool,
    port: int,
    open_to_this_machine: bool,
    database: Path | None,
) -> None:
    """Browse the file with Datasette, on this machine only."""
    if folders and not run_first:
        raise InputError("--dir says what is imported first, which only --run does. Add --run, or leave out --dir.")
    started = time.monotonic()

    def say(text: str) -> None:
        click.echo(text)
        if "Open " in text:
            click.echo(f"The page was ready after {time.monotonic() - started:.1f} s.", err=True)

    if not run_first:
        path = path_of_sample(database) if sample else chosen_path(database)
        with writing(path, create=False):
            pass
        serving.serve(path, port=port, open_to_this_machine=open_to_this_machine, say=say)
        return
    path, own = where_to_run(database, folders, sample, sample_if_empty)
    with working_meanwhile(path, read_newest(path, own) or prepare(path, own)):
        serving.serve(path, port=port, open_to_this_machine=open_to_this_machine, say=say)


def read_newest(path: Path, folders: Sequence[Path]) -> tuple[str, ...]:
    """Reads the newest sessions of a long history; the command that reads the rest. Nothing where it is not long."""
    with writing(path) as db:
        waiting = history.plan(db, folders, now=moment())
        if not waiting:
            return ()
        rest = sum(portion.left_bytes for portion in waiting[1:]) / MEGABYTE
        click.echo(
            f"The newest sessions first; {rest:,.0f} MB of older ones are read while the page is open.", err=True
        )
        for stage in history.run_portion(db, waiting[0], now=moment()):
            click.echo(stage_line(stage), err=True)
        history.leave_to_worker(db, folders, waiting[1:], now=moment())
    return ("work",)


def prepare(path: Path, folders: Sequence[Path]) -> tuple[str, ...]:
    """Reads what is new; the command that embeds its entries, where they are too many to wait for."""
    waiting = entries_waiting(run_pipeline(path, folders, entries=False))
    if 0 < waiting <= FEW_ENTRIES:
        click.echo(stage_line(run_index(path)), err=True)
    elif waiting:
        click.echo(
            f"{waiting:,} entries are embedded while the page is open; recall gets better as they are.", err=True
        )
        return ("run", "--only", "index", "--json")
    return ()


def entries_waiting(done: Sequence[Stage]) -> int:
    """How many entries some stage left for a worker to embed."""
    return sum(stage.counts.get("entries_waiting", 0) for stage in done)


@contextmanager
def working_meanwhile(path: Path, command: Sequence[str]) -> Iterator[None]:
    """Runs a command on the file, if there is one, in a process of its own, for as long as the server runs.

    What it has not done by then is done the next time: the job stays in the file.
    """
    if not command:
        yield
        return
    worker = subprocess.Popen([sys.executable, "-m", "memory_db", "-d", str(path), *command], stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        worker.terminate()
        try:
            worker.wait(STOP_S)
        except subprocess.TimeoutExpired:
            worker.kill()  # what is not committed is done again
            worker.wait()
