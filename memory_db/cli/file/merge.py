"""The command that brings what another file knows into this one: file merge."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from memory_db.cli.common import (
    Command,
    Progress,
    chosen_path,
    expanded,
    moment,
    print_json,
    print_table,
    writing,
)
from memory_db.cli.options import changing_options
from memory_db.index import build as index
from memory_db.upkeep.merge.opening import look_at
from memory_db.upkeep.merge.run import Merged
from memory_db.upkeep.merge.run import merge as merge_files

SHOWN = 20
"""Questions that are listed; the rest are counted."""


@click.command(cls=Command)
@click.argument("other", metavar="OTHER", type=click.Path(path_type=Path))
@changing_options
def merge(other: Path, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Bring everything that the file OTHER knows into this one.

    In any order and any number of times: what both know is there once. What either forgot stays forgotten. Where both
    changed the same memory the later change holds, and the other one waits in `memory-db review`. OTHER is only read.
    """
    path, other = chosen_path(database), expanded(other)
    look_at(other, path)
    progress = Progress()
    with writing(database, dry_run=dry_run, create=False) as db:
        done = merge_files(db, path, other, now=moment(), progress=progress)
        if not dry_run:
            index.run(db, now=moment(), progress=progress, entries=False)
    progress.clear()
    if as_json:
        print_json(dataclasses.asdict(done) | {"dry_run": dry_run})
    else:
        show(done, dry_run=dry_run)


def show(done: Merged, *, dry_run: bool) -> None:
    """Prints what came, what was forgotten, and what waits for a person."""
    if done.is_nothing:
        click.echo(f"This file knows all of {done.other}. Nothing to do.")
        return
    tables = sorted(done.new.keys() | done.changed.keys())
    click.echo(f"{'Would come' if dry_run else 'Came'} from {done.other}:")
    print_table(
        ("table", "new", "changed"),
        [(table, f"{done.new.get(table, 0):,}", f"{done.changed.get(table, 0):,}") for table in tables],
        empty="no row",
    )
    for rows, where in ((done.forgotten_here, "go here, for the other file forgot them"),
                        (done.forgotten_there, "do not come, for this file forgot them")):  # fmt: skip
        if rows:
            click.echo(f"Forgotten: {', '.join(f'{number:,} {table}' for table, number in rows.items())} {where}.")
    if done.projects_joined:
        click.echo(f"{done.projects_joined:,} projects of this file become one with another.")
    both = len({each.uid for each in done.conflicts})
    if both:
        click.echo(f"{both:,} memories were changed in both files: the later change holds.")
    for asked in done.asked[:SHOWN]:
        click.echo(f"  {asked.kind:<14} {asked.memory}  {asked.said}")
    if done.asked:
        click.echo(f"{len(done.asked):,} questions {'would wait' if dry_run else 'wait'} in `memory-db review`.")
