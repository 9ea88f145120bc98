"""Commands that fill the file: run, and index."""

from __future__ import annotations

import contextlib
import shlex
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import click

from memory_db.cli.common import Command, Progress, chosen_path, expanded, is_named, moment, print_json, writing
from memory_db.cli.options import changing_options
from memory_db.errors import InputError, SourceError
from memory_db.index import build as indexing
from memory_db.models.agent_programs import PROGRAMS
from memory_db.sample.file import finish_sample, is_sample, sample_path, write_sample
from memory_db.store import settings
from memory_db.store.connection import APPLICATION_ID, connect_to_answer, identity, open_raw
from memory_db.store.money import dollars
from memory_db.transcripts import importer as importing
from memory_db.upkeep import history
from memory_db.upkeep import pipeline as stages

SUGGEST = "suggest_models"
"""The setting that says whether the first `run` names models; once it has, it is off."""

DEFAULT_FOLDER = Path("~/.claude/projects")

MEGABYTE = 1_000_000

SECONDS_AS_SUCH = 90
"""Up to so many seconds are told as seconds, more as minutes."""


folder_option = click.option(
    "--dir",
    "folders",
    type=click.Path(path_type=Path),
    multiple=True,
    help=f"A folder of projects with transcripts; may be repeated. Default: {DEFAULT_FOLDER}.",
)


@click.command(cls=Command)
@folder_option
@click.option("--sample", is_flag=True, help="Use the sample history, in the file of -d, else its own sample.db.")
@click.option("--sample-if-empty", is_flag=True, help="The same, if there are no transcripts and no file yet.")
@click.option("--only", type=click.Choice(stages.STAGES), help="Run this stage alone.")
@click.option("--memories-only", is_flag=True, help="Leave the embedding of entries for later.")
@changing_options
def run(
    folders: tuple[Path, ...],
    sample: bool,
    sample_if_empty: bool,
    only: str | None,
    memories_only: bool,
    database: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Import, extract, gate and index whatever is new."""
    if only in (None, stages.IMPORT):
        path, folders = where_to_run(database, folders, sample, sample_if_empty, dry_run=dry_run)
    else:
        if folders or sample_if_empty:
            raise InputError(f"--dir and --sample-if-empty go with import, not with --only {only}. Leave them out.")
        path = path_of_sample(database) if sample else chosen_path(database)
        connect_to_answer(path)[0].close()  # a stage after import makes no file
    done = run_pipeline(path, folders, dry_run=dry_run, quiet=as_json, entries=not memories_only, only=only)
    if any(stage.name == stages.IMPORT and not stage.counts.get("files_found") for stage in done):
        click.echo(f"No transcripts at {name_folders(folders)}.", err=True)
    if as_json:
        print_json({"database": str(path), "stages": [stage_json(stage) for stage in done]})
    elif not dry_run and not sample and only is None:
        suggest_model(path)
    if (sample or path != chosen_path(database)) and not as_json and only is None:
        click.echo(f"This is the sample history. To see it: memory-db serve -d {shlex.quote(str(path))}", err=True)


def suggest_model(path: Path) -> None:
    """Says once, on stderr, that an agent's program here could read sessions, and what the last week would cost."""
    if not (there := [program for program in PROGRAMS if program.path()]):
        return
    with writing(path, create=False) as db:
        if not settings.get(db, SUGGEST) or is_sample(db):
            return
        settings.put(db, SUGGEST, "false", now=moment())
        if any(settings.get(db, program.setting) for program in there):
            return
        from memory_db.extract.model import usable  # noqa: PLC0415  # start-up: loads llm, once for a file

        week = usable.last_week(db, now=moment(), model_id=there[0].model_id)
    names = ", ".join(program.model_id for program in there)
    cost = dollars(week.cost_nanocents) if week.cost_nanocents is not None else "an unknown price"
    click.echo(
        f"Could read sessions too, if you allow it: {names} (no key; the last week, {week.sessions:,} sessions, for"
        f" about {cost}). See `memory-db model`; this is said once.",
        err=True,
    )


def where_to_run(
    database: Path | None, folders: Sequence[Path], sample: bool, sample_if_empty: bool, *, dry_run: bool = False
) -> tuple[Path, tuple[Path, ...]]:
    """The file to fill and the folders to read: the user's own, or the sample's.

    Raises: SourceError when a folder that was named is not there; InputError for a dry run of the sample.
    """
    path = chosen_path(database)
    own = folders_to_read(folders)
    state = content_of(path)
    has_transcripts = any(importing.transcripts_and_links(own))
    if sample or (sample_if_empty and state == "empty" and not has_transcripts):
        if dry_run:
            raise InputError("The sample has a file of its own, so a dry run spares nothing. Leave out --dry-run.")
        path = path_of_sample(database) if sample else sample_path(path)
        return path, (write_sample(path, now=moment()),)
    if state == "sample" and has_transcripts:
        raise InputError(f"{path} holds the sample history. Add --sample, or name a file for your own with -d.")
    if not has_transcripts and not path.exists():
        raise SourceError(f"No transcripts at {name_folders(own)}. Name their folder with --dir, or try --sample.")
    return path, own


def path_of_sample(database: Path | None) -> Path:
    """The file that --sample means: the one that -d names, else `sample.db` beside the user's own."""
    path = chosen_path(database)
    return path if is_named(database) else sample_path(path)


def name_folders(folders: Sequence[Path]) -> str:
    """Folders in words: those that are read, or the one that was looked for."""
    return ", ".join(str(folder) for folder in folders) or str(DEFAULT_FOLDER)


def content_of(path: Path) -> str:
    """What a file holds: `sample`, `own`, or `empty`, which is also what a missing one is. Whatever it is stays."""
    if not path.exists():
        return "empty"
    with contextlib.closing(open_raw(path, write=False)) as db:
        if identity(db)[0] != APPLICATION_ID:
            return "own"
        if is_sample(db):
            return "sample"
        return "own" if db.execute("select 1 from entries limit 1").fetchone() else "empty"


def folders_to_read(folders: Sequence[Path]) -> tuple[Path, ...]:
    """The folders named, or the default one if it exists.

    Raises: SourceError.
    """
    named = tuple(expanded(folder) for folder in folders)
    for folder in named:
        if not folder.is_dir():
            raise SourceError(f"No folder {folder}. Name one with --dir that holds a folder for each project.")
    default = expanded(DEFAULT_FOLDER)
    return named or ((default,) if default.is_dir() else ())


def run_pipeline(
    path: Path,
    folders: Sequence[Path],
    *,
    dry_run: bool = False,
    quiet: bool = False,
    entries: bool = True,
    only: str | None = None,
) -> list[stages.Stage]:
    """Runs every stage, or only one, and says on stderr what each did and how long it took."""
    progress = Progress()

    def print_stage(stage: stages.Stage) -> None:
        progress.clear()
        if not quiet:
            click.echo(stage_line(stage), err=True)

    with writing(path, dry_run=dry_run) as db:
        done = [] if dry_run or only else read_newest_first(db, folders, progress, quiet=quiet)
        done += stages.run(
            db, folders, now=moment(), progress=progress, on_stage=print_stage, entries=entries, only=only
        )
        if is_sample(db):
            finish_sample(db, now=moment())
            if not quiet and not dry_run:
                click.echo(f"sample   {sample_line(db)}", err=True)
        if not dry_run:
            history.finish_if_read(db, now=moment())
        return done


def sample_line(db: sqlite3.Connection) -> str:
    """What the sample has, with what its user did and a day of work with hooks, which no stage counts."""
    sessions, memories, calls = db.execute(
        "select (select count(*) from sessions), (select count(*) from memories), (select count(*) from api_calls)"
    ).fetchone()
    return (
        f"{sessions:,} sessions, {calls:,} api calls, {memories:,} memories in all, with a day of work that is played"
    )


def read_newest_first(
    db: sqlite3.Connection, folders: Sequence[Path], progress: Progress, *, quiet: bool
) -> list[stages.Stage]:
    """Reads a long history in portions, the newest sessions first, and says on stderr how far that is; its stages."""
    done: list[stages.Stage] = []
    waiting = history.plan(db, folders, now=moment())
    for stages_done, so_far in history.run_portions(db, waiting, clock=moment, progress=progress):
        progress.clear()
        done += stages_done
        if not quiet:
            click.echo(history_line(so_far), err=True)
    return done


def history_line(so_far: history.HistoryProgress) -> str:
    """How far a long history is read, in one line."""
    read, total = so_far.done_bytes / MEGABYTE, so_far.total_bytes / MEGABYTE
    rest = "the rest is quick" if so_far.left_s is None else f"{time_left(so_far.left_s)} left"
    return f"history  {read:,.0f} of {total:,.0f} MB, {so_far.bytes_per_s / MEGABYTE:.1f} MB/s, {rest}"


def time_left(seconds: float) -> str:
    """A time that something takes, in words as rough as the guess."""
    return f"{seconds:.0f} s" if seconds < SECONDS_AS_SUCH else f"{seconds / 60:.0f} min"


def stage_line(stage: stages.Stage) -> str:
    """A stage in one line: its time, and the counts that are not zero."""
    counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in stage.counts.items() if count)
    return f"{stage.name:<8} {stage.duration_ms / 1000:6.1f} s  {counts or 'nothing new'}"


def stage_json(stage: stages.Stage) -> dict[str, object]:
    """A stage as JSON."""
    return {"stage": stage.name, "duration_ms": round(stage.duration_ms, 1), "counts": stage.counts}


@click.command(cls=Command)
@click.option("--memories-only", is_flag=True, help="Leave the embedding of entries for later.")
@changing_options
def index(memories_only: bool, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Bring vectors up to date (full text follows by itself)."""
    stage = run_index(database, dry_run=dry_run, entries=not memories_only)
    if as_json:
        print_json(stage_json(stage))
    else:
        click.echo(stage_line(stage))


def run_index(database: Path | None, *, dry_run: bool = False, entries: bool = True) -> stages.Stage:
    """Brings vectors up to date, as a logged stage."""
    progress = Progress()
    with writing(database, dry_run=dry_run, create=False) as db:
        stage = stages.run_stage(
            db,
            "index",
            lambda: indexing.run(db, now=moment(), progress=progress, entries=entries),
            now=moment(),
        )
    progress.clear()
    return stage
