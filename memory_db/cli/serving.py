"""The command that opens the browser's side: serve."""

from __future__ import annotations

from pathlib import Path

import click

from memory_db import serving
from memory_db.cli.common import chosen_path, database_option, writing
from memory_db.cli.pipeline import folder_option, run_pipeline, where_to_run
from memory_db.samples import sample_path


@click.command()
@click.option("--run", "run_first", is_flag=True, help="Import, extract, gate and index whatever is new first.")
@folder_option
@click.option("--sample", is_flag=True, help="Show the sample history, from its own file.")
@click.option("--sample-if-empty", is_flag=True, help="The same, if there are no transcripts and no file yet.")
@click.option("--port", type=click.IntRange(0, 65535), default=8001, show_default=True, help="0 takes any free one.")
@database_option
def serve(
    run_first: bool,
    folders: tuple[Path, ...],
    sample: bool,
    sample_if_empty: bool,
    port: int,
    database: Path | None,
) -> None:
    """Browse the file with Datasette, on this machine only."""
    if run_first:
        path, own = where_to_run(database, folders, sample, sample_if_empty)
        run_pipeline(path, own)
    else:
        path = sample_path(chosen_path(database)) if sample else chosen_path(database)
        with writing(path, create=False):
            pass
    serving.serve(path, port=port)
