"""The command `portrait`: documents rendered from memories, and writing them into a file that an agent reads."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import click

from memory_db.cli.common import Command, expanded, moment, print_json, print_table, reading, writing
from memory_db.cli.file.remembering import remembering
from memory_db.cli.options import changing_options, model_option, yes_option
from memory_db.errors import InputError, NotFoundError
from memory_db.knowledge.succession import PERSON
from memory_db.models import calls as model_calls
from memory_db.transcripts.projects import known_project, project_named
from memory_db.upkeep.exports import PORTRAIT
from memory_db.upkeep.portraits import files as portrait_files
from memory_db.upkeep.portraits import polish as portrait_polish
from memory_db.upkeep.portraits import render as portraits
from memory_db.upkeep.portraits.polish import Polished


@click.command(cls=Command)
@click.argument("project", required=False)
@click.option("--user", "for_user", is_flag=True, help="What is known of the user, that holds in every project.")
@click.option("--budget", type=click.IntRange(100, 20_000), default=portraits.BUDGET_TOKENS, show_default=True,
              help="Tokens it may have at most.")  # fmt: skip
@click.option("--polish", is_flag=True, help="Let a model smooth the wording; needs -m.")
@model_option
@click.option("--write", "target", type=click.Path(path_type=Path), metavar="FILE",
              help="Put it into its own block of FILE, such as CLAUDE.md: shows the change and asks.")  # fmt: skip
@yes_option
@click.option("--list", "is_list", is_flag=True, help="List the documents made so far, and which are stale.")
@changing_options
def portrait(
    project: str | None,
    for_user: bool,
    budget: int,
    polish: bool,
    model_name: str | None,
    target: Path | None,
    yes: bool,
    is_list: bool,
    database: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Write what is known of a project, or of you, as a document.

    Markdown; PROJECT is that of this folder where none is named.

    Each line names the memory that it says. What is inferred stands apart, and what contradicts something is open.
    """
    if is_list:
        print_states(database, as_json=as_json)
        return
    if for_user and project:
        raise InputError("A portrait is of the user or of a project. Leave out --user or the project.")
    if polish != bool(model_name):
        raise InputError("Say both: --polish -m MODEL. `llm models` lists the models.")
    with writing(database, dry_run=dry_run, create=False) as db:
        project_id = None if for_user else chosen_project(db, project)
        plain = portraits.render(db, project_id, budget_tokens=budget)
        made = Polished(plain, None, None)
        if plain.text and model_name:
            made = portrait_polish.polish(db, plain, model_calls.find_model(model_name), now=moment())
        change = None if target is None else planned_change(made.portrait, expanded(target))
        portrait_id = portraits.keep(db, made.portrait, by=PERSON, now=moment(), model=made.model)
    print_portrait(made, portrait_id, shows_text=target is None, dry_run=dry_run, as_json=as_json)
    if change is not None:
        write_block(database, change, yes=yes, dry_run=dry_run)


def chosen_project(db: sqlite3.Connection, name: str | None) -> int:
    """The project that was named, or that of this folder. Raises: NotFoundError."""
    if name is not None:
        return project_named(db, name)
    found = known_project(db, Path.cwd())
    if found is None:
        raise NotFoundError("This folder is no project of the file. Name one of `memory-db project list`, or --user.")
    return found


def print_portrait(made: Polished, portrait_id: int | None, *, shows_text: bool, dry_run: bool, as_json: bool) -> None:
    """Prints the document, and on stderr what is to be said of it."""
    shown = made.portrait
    if made.refused:
        click.echo(f"Kept the plain document: {made.refused}.", err=True)
    if as_json:
        print_json(
            {
                "id": portrait_id, "kind": shown.kind, "name": shown.name, "text": shown.text, "tokens": shown.tokens,
                "memories": shown.memories, "sources": len(shown.version_ids), "left_out": shown.left_out,
                "steering": shown.steering, "model": made.model, "refused": made.refused, "dry_run": dry_run,
            }
        )  # fmt: skip
        return
    if not shown.text:
        click.echo(shown.why_empty())
    elif shows_text:
        click.echo(shown.text, nl=False)
        kept_out = f", {shown.steering} kept out that would steer an agent" if shown.steering else ""
        click.echo(
            f"{shown.tokens:,} tokens, made from {len(shown.version_ids)} of {shown.memories} memories{kept_out}.",
            err=True,
        )


def planned_change(shown: portraits.Portrait, target: Path) -> portrait_files.FileChange:
    """What writing a document would change in a file. Raises: InputError where it cannot be written there."""
    if not shown.text:
        raise InputError(f"There is nothing to write into {target}.")
    return portrait_files.planned(target, shown.text, shown.name)


def write_block(database: Path | None, change: portrait_files.FileChange, *, yes: bool, dry_run: bool) -> None:
    """Shows what would change in a file, asks, and writes. Raises: InputError where nobody can be asked."""
    target = change.path
    if not change.is_change:
        click.echo(f"{target} has it already.")
        return
    click.echo(change.diff(), nl=False)
    if dry_run:
        click.echo(f"{target} is left as it is (dry run).")
        return
    if not yes and not sys.stdin.isatty():
        raise InputError(f"Nobody can be asked here whether to write {target}. Look at the difference, then add --yes.")
    if not yes and not click.confirm(f"Write this into {target}? An agent will read it as your words."):
        click.echo("Nothing was written.")
        return
    with remembering(database, target, PORTRAIT):
        backup = portrait_files.write(change)
    click.echo(f"Wrote {target}{f'; as it was: {backup.name}' if backup else ''}.")


def print_states(database: Path | None, *, as_json: bool) -> None:
    """Prints the newest document of each project and of the user, one a line."""
    with reading(database) as db:
        rows = portraits.states(db)
    if as_json:
        print_json(rows)
        return
    print_table(
        ("kind", "project", "state", "why", "memories", "tokens", "made"),
        [
            (r["kind"], r["project"], "stale" if r["is_stale"] else "current", r["reason"], r["sources"], r["tokens"],
             r["created_at"])
            for r in rows
        ],
        empty="No document was made yet. `memory-db memory portrait PROJECT` makes one.",
    )  # fmt: skip
