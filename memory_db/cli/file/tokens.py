"""The command `tokens`: what lets a program read and write through the server."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from memory_db.cli.common import Command, moment, print_json, print_table, reading, writing
from memory_db.cli.lazy import Group
from memory_db.cli.options import changing_options, database_option, reading_options, use_database
from memory_db.store import api_tokens
from memory_db.transcripts.projects import project_named


@click.group(cls=Group)
@database_option
@click.pass_context
def tokens(ctx: click.Context, database: Path | None) -> None:
    """Manage the tokens with which programs read and write through the server."""
    use_database(ctx, database)


@tokens.command(cls=Command)
@click.argument("name")
@click.option(
    "--days",
    type=click.IntRange(1, api_tokens.MOST_DAYS),
    help="How long it is good; else until it is revoked.",
)
@click.option("--read-only", is_flag=True, help="It reads, and changes nothing.")
@click.option("--project", help="It reads this project alone (path or name) and what holds everywhere, by asking.")
@changing_options
def add(
    name: str, days: int | None, read_only: bool, project: str | None, database: Path | None, dry_run: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Create a token called NAME and print it, this once: the file keeps only its hash."""
    with writing(database, dry_run=dry_run, create=False) as db:
        project_id = project_named(db, project) if project else None
        text = api_tokens.add(db, name, days=days, may_write=not read_only, project_id=project_id, now=moment())
    if dry_run:
        line = f"A token {name} would be made (not kept: dry run)."
        print_json({"name": name, "token": None, "dry_run": True}) if as_json else click.echo(line)
        return
    if as_json:
        print_json({"name": name, "token": text, "dry_run": False})
        return
    click.echo(text)
    click.echo(f"Keep it now: it is not shown again. Send it as `Authorization: Bearer {text[:8]}...`.", err=True)


@tokens.command("list", cls=Command)
@reading_options
def list_(database: Path | None, as_json: bool) -> None:
    """List tokens, the newest first; their text is not shown."""
    with reading(database) as db:
        rows = [asdict(each) for each in api_tokens.list_tokens(db, now=moment())]
    if as_json:
        print_json(rows)
        return
    names = ("name", "state", "created_at", "expires_at", "last_used_at", "revoked_at")
    print_table(
        ("name", "state", "made", "good until", "last used", "revoked", "may"),
        [[*(row[name] for name in names), limits(row["may_write"], row["project"])] for row in rows],
        empty="There is no token. `memory-db file tokens add NAME` makes one.",
    )


@tokens.command(cls=Command)
@click.argument("name")
@changing_options
def revoke(name: str, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Revoke the token called NAME for good."""
    with writing(database, dry_run=dry_run, create=False) as db:
        was_good = api_tokens.revoke(db, name, now=moment())
    note = " (not kept: dry run)" if dry_run else ""
    line = f"The token {name} {'is' if was_good else 'was already'} revoked{note}."
    print_json({"name": name, "revoked": was_good, "dry_run": dry_run}) if as_json else click.echo(line)


def limits(may_write: bool, project: str | None) -> str:
    """What a token may, in a few words."""
    return ("read and write" if may_write else "read") + (f" {project}" if project else "")
