"""The commands that leave projects alone: `project ignore` and `project unignore`."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path

import click

from memory_db.cli.common import Command, moment, print_json, reading, writing
from memory_db.cli.options import changing_options
from memory_db.transcripts import ignoring


@click.command(cls=Command)
@click.argument("project", required=False)
@changing_options
def ignore(project: str | None, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Leave a project alone: its sessions are not read, hooks are silent there, models get nothing of it.

    PROJECT is a name or a folder, with all that is below it; without one the command lists what is ignored. An empty
    file .memory-db-ignore in a folder does the same. What was read before stays until you forget it.
    """
    if project is None:
        with reading(database) as db:
            folders = ignoring.listed_folders(db)
        print_json({"ignored": folders}) if as_json else click.echo("\n".join(folders) or "Nothing is ignored.")
        return
    with writing(database, dry_run=dry_run) as db:
        done = ignoring.ignore(db, project, now=moment())
    if as_json:
        print_json({**asdict(done), "dry_run": dry_run})
        return
    already = "" if done.changed else " already"
    click.echo(f"Ignored{already}: {', '.join(done.folders)}{' (not kept: dry run)' if dry_run else ''}.")
    for each in done.read_before:
        click.echo(
            f"Read before: {each.entries:,} entries in {each.sessions:,} sessions and {each.memories:,} memories of"
            f" {each.project}. To erase them: `memory-db memory forget --project {shlex.quote(each.project)}`."
        )


@click.command(cls=Command)
@click.argument("project")
@changing_options
def unignore(project: str, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Read a project again that was ignored: the next `memory-db run` takes in what was left out."""
    with writing(database, dry_run=dry_run, create=False) as db:
        done = ignoring.unignore(db, project, now=moment())
    if as_json:
        print_json({**asdict(done), "dry_run": dry_run})
        return
    said = "No longer ignored" if done.changed else "Was not ignored"
    click.echo(f"{said}: {', '.join(done.changed or done.folders)}{' (not kept: dry run)' if dry_run else ''}.")
