"""Commands by which an agent or script proposes changes: propose."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from memory_db.cli.common import Command, moment, print_json, printable, writing
from memory_db.cli.options import changing_options, for_user_option, own_project_option
from memory_db.errors import InputError
from memory_db.gate.review.deltas import OPERATIONS, Delta, propose
from memory_db.transcripts.projects import known_project, project_named

WHAT = {"waits": "waits for you", "known": "nothing new", "refused": "refused"}


@click.command(name="propose", cls=Command)
@click.argument("operation", type=click.Choice(OPERATIONS))
@click.argument("what", nargs=-1, required=True)
@click.option("--kind", default="", help="The kind of memory to save, or of edge to draw.")
@click.option("--reason", default="", help="Why, for whoever decides.")
@own_project_option
@for_user_option
@click.option("--by", default="a program", show_default=True, help="Who proposes it.")
@changing_options
def propose_(
    operation: str,
    what: tuple[str, ...],
    kind: str,
    reason: str,
    project: str | None,
    for_user: bool,
    by: str,
    database: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Propose a change: save, deprecate, relate or tension.

    Nothing changes until somebody decides with `memory-db review`.

    save TEXT, deprecate UID, relate UID OTHER, tension UID OTHER or tension TEXT.
    """
    if for_user and project:
        raise InputError("A memory holds either in every project or in one. Leave out --user or --project.")
    with writing(database, dry_run=dry_run, create=False) as db:
        place = None if for_user else project_named(db, project) if project else known_project(db, Path.cwd())
        delta = delta_of(operation, what, kind=kind, reason=reason, project_id=place, for_user=for_user)
        found = propose(db, delta, by=by, now=moment())
    if as_json:
        print_json(dataclasses.asdict(found) | {"dry_run": dry_run})
        return
    item = f"{found.item}: " if found.item else ""
    click.echo(f"{item}{WHAT[found.state]}; {printable(found.reason, 300)}{' (dry run)' if dry_run else ''}")


def delta_of(
    operation: str, what: tuple[str, ...], *, kind: str, reason: str, project_id: int | None, for_user: bool
) -> Delta:
    """The arguments as a delta: a text, a uid, or two. Raises: InputError."""
    most = 2 if operation in ("relate", "tension") else 1
    if len(what) > most:
        raise InputError(f"To {operation} takes {most} argument{'s'[: most - 1]}, not {len(what)}. Quote a text.")
    scope = "user" if for_user else "project"
    if operation == "save" or (operation == "tension" and len(what) == 1):
        return Delta(operation, text=what[0], kind=kind, reason=reason, project_id=project_id, scope=scope)
    other = what[1] if len(what) == 2 else ""
    return Delta(operation, memory=what[0], other=other, kind=kind, reason=reason)


__all__ = ["propose_"]
