"""Commands that import transcripts and texts: import claude-code, claude-ai, text and llm-logs."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import click

from memory_db.cli.common import Command, Progress, moment, print_json, printable, writing
from memory_db.cli.options import changing_options
from memory_db.cli.pipeline.run import DEFAULT_FOLDER, folder_option, folders_to_read, stage_json, stage_line
from memory_db.errors import SourceError
from memory_db.helpers import helping
from memory_db.transcripts import importer as importing
from memory_db.upkeep import pipeline as stages

REASON_CHARACTERS = 500
"""How much is told of why a file cannot be read."""


def import_and_print(
    work: Callable[[sqlite3.Connection, Progress], object], database: Path | None, dry_run: bool, as_json: bool
) -> None:
    """Runs one way of importing as a logged stage, and tells its counts."""
    progress = Progress()
    with writing(database, dry_run=dry_run) as db:
        stage = stages.run_stage(db, stages.IMPORT, lambda: work(db, progress), now=moment())
    progress.clear()
    if as_json:
        print_json(stage_json(stage))
    else:
        click.echo(stage_line(stage))


@click.command("claude-code", cls=Command)
@folder_option
@changing_options
def import_claude_code(folders: tuple[Path, ...], database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Import Claude Code's transcripts, with those of its subagents."""
    own = folders_to_read(folders)
    if not own:
        raise SourceError(f"No transcripts at {DEFAULT_FOLDER}. Name a folder with --dir.")
    with helping() as helpers:
        import_and_print(
            lambda db, progress: stages.import_claude_code(db, own, now=moment(), progress=progress, helpers=helpers),
            database, dry_run, as_json,
        )  # fmt: skip


@click.command("claude-ai", cls=Command)
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@changing_options
def import_claude_ai(path: Path, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Import an export from claude.ai: its ZIP, folder or JSON."""
    import_and_print(
        lambda db, progress: importing.import_claude_ai(db, path, now=moment(), progress=progress),
        database, dry_run, as_json,
    )  # fmt: skip


@click.command("text", cls=Command)
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--project", help="The project that the texts belong to: its name, or the path of its folder.")
@changing_options
def import_text(
    paths: tuple[Path, ...], project: str | None, database: Path | None, dry_run: bool, as_json: bool
) -> None:
    """Import Markdown by its headings, and other text in pieces."""

    def work(db: sqlite3.Connection, progress: Progress) -> object:
        counts = importing.import_text(db, paths, now=moment(), progress=progress, project=project)
        for reason in importing.unread_reasons(db, [path.absolute() for path in paths]):
            click.echo(printable(reason, REASON_CHARACTERS), err=True)
        return counts

    import_and_print(work, database, dry_run, as_json)


@click.command("llm-logs", cls=Command)
@click.argument("path", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@changing_options
def import_llm_logs(path: Path | None, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Import what llm logged; by default its own logs.db."""
    source = path or Path(click.get_app_dir("io.datasette.llm")) / "logs.db"
    if not source.exists():
        raise SourceError(f"llm has no log at {source}. Name another: `llm logs path` prints where it is.")
    import_and_print(
        lambda db, progress: importing.import_llm_logs(db, source, now=moment(), progress=progress),
        database, dry_run, as_json,
    )  # fmt: skip
