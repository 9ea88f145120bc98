"""The commands of `project`: which there are, how things are done in them, and whose memories hold in which."""

from __future__ import annotations

from pathlib import Path

import click

from memory_db.cli.common import Command, moment, print_json, print_table, reading, writing
from memory_db.cli.options import changing_options, reading_options
from memory_db.knowledge.succession import PERSON
from memory_db.recall.explain import procedures as explained
from memory_db.transcripts import project_merge as project_merging
from memory_db.transcripts.project_names import two_named
from memory_db.transcripts.projects import link_projects, list_projects, places, project_named, unlink_projects

PROCEDURE_COLUMNS = ("uid", "project", "purpose", "command", "reason")

COLUMNS = ("name", "canonical_path", "sessions", "memories", "linked", "linked_memories")


@click.command("list", cls=Command)
@reading_options
def list_(database: Path | None, as_json: bool) -> None:
    """List projects, with what is linked to each."""
    with reading(database) as db:
        rows = [dict(row) for row in list_projects(db)]
    if as_json:
        print_json(rows)
        return
    print_table(COLUMNS, ([row[column] for column in COLUMNS] for row in rows), empty="No projects yet.")


@click.command(cls=Command)
@click.option("--project", help="Only those of this project, by name or path.")
@reading_options
def procedures(project: str | None, database: Path | None, as_json: bool) -> None:
    """List how things are done: commands that agents ran with success, by project and purpose.

    `memory-db memory get UID` shows every time that one was run.
    """
    with reading(database) as db:
        rows = explained.procedures(db, project_named(db, project) if project else None)
    if as_json:
        print_json(rows)
        return
    empty = "No procedures yet: they are made by `memory-db run` from commands that an agent ran with success."
    print_table(PROCEDURE_COLUMNS, ([row[column] for column in PROCEDURE_COLUMNS] for row in rows), empty=empty)


@click.command(cls=Command)
@click.argument("project")
@click.argument("other")
@changing_options
def link(project: str, other: str, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Link two projects: memories of OTHER hold in PROJECT too.

    Both are names, aliases or paths. The link goes one way: link them the other way round as well for both.
    """
    with writing(database, dry_run=dry_run, create=False) as db:
        ids = project_named(db, project), project_named(db, other)
        is_new = link_projects(db, *ids, by=PERSON, now=moment())
    line = f"Memories of {other} {'hold' if is_new else 'held already'} in {project}"
    print_done(line, {"project": project, "linked": other, "is_new": is_new}, dry_run=dry_run, as_json=as_json)


@click.command(cls=Command)
@click.argument("project")
@click.argument("other")
@changing_options
def unlink(project: str, other: str, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Unlink two projects: memories of OTHER no longer hold in PROJECT."""
    with writing(database, dry_run=dry_run, create=False) as db:
        was_there = unlink_projects(db, project_named(db, project), project_named(db, other))
    line = f"Memories of {other} no longer hold in {project}" if was_there else f"{other} was not linked to {project}"
    print_done(line, {"project": project, "unlinked": other, "was_there": was_there}, dry_run=dry_run, as_json=as_json)


@click.command(cls=Command)
@click.argument("project")
@click.argument("other")
@changing_options
def merge(project: str, other: str, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Merge OTHER into PROJECT: its sessions, memories and folders.

    Both are names, aliases or paths. For a project that moved without a remote, or that is there twice. It cannot be
    taken back: see it first with --dry-run.
    """
    with writing(database, dry_run=dry_run, create=False) as db:
        into, gone = two_named(db, project, other)
        counts = project_merging.join(db, into, gone, by=PERSON, now=moment())
        kept = places(db, [into])
    listed = ", ".join(f"{table}: {count:,}" for table, count in sorted(counts.items()))
    line = f"{other} is now part of {kept} ({listed or 'it had nothing'})"
    print_done(line, {"project": project, "merged": other, "rows": counts}, dry_run=dry_run, as_json=as_json)


def print_done(line: str, values: dict[str, object], *, dry_run: bool, as_json: bool) -> None:
    """Prints what was done."""
    if as_json:
        print_json({**values, "dry_run": dry_run})
        return
    click.echo(f"{line}{' (not kept: dry run)' if dry_run else ''}.")
