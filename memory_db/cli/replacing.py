"""Commands of a person who knows better: supersede, correct."""

from __future__ import annotations

from pathlib import Path

import click

from memory_db.cli.common import Command, moment, print_json, writing
from memory_db.cli.options import changing_options, reason_option
from memory_db.index import build as index
from memory_db.knowledge import memories, succession


@click.command(cls=Command)
@click.argument("old")
@click.argument("new")
@reason_option
@changing_options
def supersede(old: str, new: str, reason: str, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Replace memory OLD by memory NEW.

    OLD is outdated then: it is shown only for a time in which it held, and where it is found it brings NEW.
    """
    with writing(database, dry_run=dry_run, create=False) as db:
        is_new = succession.supersede(db, old, new, reason=reason, by=succession.PERSON, now=moment())
        index.run(db, now=moment(), entries=False)
    print_replaced(old, new, is_new=is_new, dry_run=dry_run, as_json=as_json)


@click.command(cls=Command)
@click.argument("text")
@click.option("--replaces", "old", required=True, help="The uid of the memory that is no longer true.")
@reason_option
@changing_options
def correct(text: str, old: str, reason: str, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Replace a memory that is no longer true by a text of yours."""
    with writing(database, dry_run=dry_run, create=False) as db:
        new = memories.correct(db, old, text, reason=reason, by=succession.PERSON, now=moment())
        index.run(db, now=moment(), entries=False)
    print_replaced(old, new, is_new=True, dry_run=dry_run, as_json=as_json)


def print_replaced(old: str, new: str, *, is_new: bool, dry_run: bool, as_json: bool) -> None:
    """Prints what replaced what."""
    if as_json:
        print_json({"uid": new, "replaces": old, "is_new": is_new, "dry_run": dry_run})
        return
    click.echo(f"{new} replaces {old}{'' if is_new else ' already'}{' (not kept: dry run)' if dry_run else ''}")


__all__ = ["correct", "supersede"]
