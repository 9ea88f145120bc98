"""The command that opens the browser's side: serve."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from memory_db.cli.common import Command, chosen_path, writing
from memory_db.cli.extras import require
from memory_db.cli.options import database_option
from memory_db.cli.pipeline.run import folder_option, run_index, run_pipeline, stage_line, where_to_run
from memory_db.errors import InputError
from memory_db.sample.file import sample_path
from memory_db.upkeep.pipeline import Stage

FEW_ENTRIES = 1_000
"""So many entries are embedded before the page opens (about 20 seconds); more of them while it is open."""


@click.command(cls=Command)
@click.option("--run", "run_first", is_flag=True, help="Import, extract, gate and index whatever is new first.")
@folder_option
@click.option("--sample", is_flag=True, help="Show the sample history, from its own file.")
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
    require("serve")
    from memory_db.pages.web import serve as serving  # noqa: PLC0415  # the extra `serve` may be absent

    started = time.monotonic()

    def say(text: str) -> None:
        click.echo(text)
        if "Open " in text:
            click.echo(f"The page was ready after {time.monotonic() - started:.1f} s.", err=True)

    if not run_first:
        path = sample_path(chosen_path(database)) if sample else chosen_path(database)
        with writing(path, create=False):
            pass
        serving.serve(path, port=port, open_to_this_machine=open_to_this_machine, say=say)
        return
    path, own = where_to_run(database, folders, sample, sample_if_empty)
    done = run_pipeline(path, own, entries=False)
    waiting = entries_waiting(done)
    if 0 < waiting <= FEW_ENTRIES:
        click.echo(stage_line(run_index(path)), err=True)
        waiting = 0
    with embedding_meanwhile(path, waiting):
        serving.serve(path, port=port, open_to_this_machine=open_to_this_machine, say=say)


def entries_waiting(done: Sequence[Stage]) -> int:
    """How many entries some stage left for a worker to embed."""
    return sum(stage.counts.get("entries_waiting", 0) for stage in done)


@contextmanager
def embedding_meanwhile(path: Path, waiting: int) -> Iterator[None]:
    """Embeds the entries that wait, in a process of its own, for as long as the server runs.

    What it has not done by then is done the next time: the job stays in the file.
    """
    if not waiting:
        yield
        return
    click.echo(f"{waiting:,} entries are embedded while the page is open; recall gets better as they are.", err=True)
    command = [sys.executable, "-m", "memory_db", "-d", str(path), "run", "--only", "index", "--json"]
    worker = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        worker.terminate()
        worker.wait()
