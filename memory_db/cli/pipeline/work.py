"""The worker: work."""

from __future__ import annotations

from pathlib import Path

import click

from memory_db.cli.common import Command, Progress, chosen_path, moment, print_json, writing
from memory_db.cli.options import reading_options
from memory_db.cli.pipeline.extract import Drain, draining, leave, lines_of, outcome_json, stage_printer, workers_option
from memory_db.cli.pipeline.run import name_folders, run_pipeline, stage_json, where_to_run
from memory_db.store import jobs
from memory_db.store.connection import connect_to_answer
from memory_db.upkeep import pipeline as stages
from memory_db.upkeep.worker import Worked, Worker, WorkerBusyError, is_work_left, only_worker
from memory_db.upkeep.worker import work as work_on


@click.command(cls=Command)
@click.option("--once", is_flag=True, help="Do what is due now, then end; else go on until nothing is due.")
@click.option("--import", "is_importing", is_flag=True, help="First take in new transcripts, as `memory-db run` does.")
@click.option("--retry-dead", is_flag=True, help="First make what was given up due again.")
@workers_option
@reading_options
def work(
    once: bool, is_importing: bool, retry_dead: bool, workers: int, database: Path | None, as_json: bool
) -> None:  # fmt: skip
    """Do the work that is due, one worker at a time.

    Transcripts that hooks named, embeddings that wait, texts that newer rules must scan, sessions for a model where the
    settings say so, and once a day a verified copy of the file (backup_keep). A second worker ends at once and says so.
    """
    path = chosen_path(database)
    taken_in = take_in_new(path, quiet=as_json) if is_importing else []
    connect_to_answer(path)[0].close()  # it may be of an earlier schema, and is migrated then
    if retry_dead:
        with writing(path, create=False) as db:
            jobs.revive_all(db, moment())
    progress = Progress()
    worked, drain = Worked(), Drain()
    try:
        while True:
            with only_worker(path), writing(path, create=False) as db, draining() as drain:
                worker = Worker(path, db, moment, drain.stop, workers, progress, stage_printer(progress, quiet=as_json))
                worked.add(work_on(worker, once=once))
            if drain.number or not is_work_left(path, now=moment()):
                break
    except WorkerBusyError as error:
        if not worked.stages:
            click.echo(str(error), err=True)
            return
    progress.clear()
    lines = [*worked.troubles, *(line for outcome in worked.outcomes for line in lines_of(outcome))]
    if as_json:
        print_json(
            {
                "stages": [stage_json(each) for each in (*taken_in, *worked.stages)],
                "runs": [outcome_json(each) for each in worked.outcomes],
                "notes": lines,
            }
        )
    elif lines:
        click.echo("\n".join(lines))
    leave(drain, failed=worked.failures > 0)


def take_in_new(path: Path, *, quiet: bool) -> list[stages.Stage]:
    """What `memory-db run` does, into a file that is made if there is none; vectors of entries are left to their job.

    Raises: SourceError where there is neither a transcript nor a file; InputError for a file that holds the sample.
    """
    _, folders = where_to_run(path, (), sample=False, sample_if_empty=False)
    if not folders:
        click.echo(f"No transcripts at {name_folders(folders)}.", err=True)
    return run_pipeline(path, folders, quiet=quiet, entries=False)
