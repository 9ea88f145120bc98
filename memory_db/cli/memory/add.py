"""Commands that take a text or a change: add, propose, and check-text, which says what the gate would do."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import click

from memory_db.cli.common import (
    Command,
    expanded,
    moment,
    print_json,
    print_table,
    printable,
    reading,
    writing,
)
from memory_db.cli.memory.redacted import note_redacted, redacted_in
from memory_db.cli.options import (
    changing_options,
    for_user_option,
    kind_option,
    own_project_option,
    reading_options,
)
from memory_db.errors import InputError
from memory_db.gate.claims import Decision, Near
from memory_db.gate.contradictions import pairs as contradictions
from memory_db.gate.preview import near_data, near_enough, preview
from memory_db.gate.review.deltas import OPERATIONS, Delta, propose
from memory_db.index import build as index
from memory_db.knowledge import memories
from memory_db.knowledge.succession import memory_row
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.text.relations import CONTRADICTS
from memory_db.transcripts.projects import find_project, known_project, project_named, resolve_project

TEXT_CHARACTERS = 160
"""Of the text of a memory that stands near."""

WHAT = {"waits": "waits for you", "known": "nothing new", "refused": "refused"}


@click.command(cls=Command)
@click.argument("text")
@kind_option
@click.option("--title", help="Default: the beginning of the text.")
@own_project_option
@for_user_option
@click.option("--tag", "tags", multiple=True, help="A tag to find it by; may be repeated.")
@click.option("--path", "paths", multiple=True, help="A file it is about.")
@click.option("--key", "keys", multiple=True, help="Another word to find it by.")
@click.option("--condition", help="The task or moment it is for; default: what the text says of it.")
@click.option("--importance", type=click.IntRange(1, 5), default=3, show_default=True, help="5 matters most.")
@changing_options
def add(
    text: str,
    kind: str,
    title: str | None,
    project: str | None,
    for_user: bool,
    tags: tuple[str, ...],
    paths: tuple[str, ...],
    keys: tuple[str, ...],
    condition: str | None,
    importance: int,
    database: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Add a memory in your own words."""
    check_one_place(for_user, project)
    scope = "user" if for_user else "project"
    with writing(database, dry_run=dry_run) as db:
        place = None if for_user else known_place(db, project)
        found = preview(db, text, kind=kind, scope=scope, project_id=place)
        near = near_enough(found)
        with transaction(db):  # a text that is refused leaves no project behind
            uid = memories.add_memory(
                db,
                text=text,
                kind=kind,
                title=title,
                scope=scope,
                project_id=None if for_user else project_for(db, project),
                tags=tags,
                paths=paths,
                keys=keys,
                condition=condition,
                importance=importance,
                origin="user",
                changed_by="user",
                reason="added on the command line",
                now=moment(),
            )
        index.run(db, now=moment(), entries=False)
        # whoever asks before the next run is to be told of it, and which of the two is newer decides nothing
        opened = contradictions.find_of(db, memory_row(db, uid)["id"], now=moment()) if contradicted(near) else 0
    redacted = redacted_in(text, title or "", condition or "", *tags, *paths, *keys)
    note_near(near, opened, is_kept=not dry_run)
    if as_json:
        near_rows = [near_data(each) for each in near]
        print_json({"uid": uid, "near": near_rows, "redacted": redacted, "dry_run": dry_run})
    else:
        note_redacted(redacted, text)
        note_doubt(found.decision, uid, is_kept=not dry_run)
        click.echo(f"{uid}{' (not kept: dry run)' if dry_run else ''}")


def check_one_place(for_user: bool, project: str | None) -> None:
    """Raises: InputError where a memory is for every project and for one."""
    if for_user and project:
        raise InputError("A memory holds either in every project or in one. Leave out --user or --project.")


def known_place(db: sqlite3.Connection, name: str | None) -> int | None:
    """The project that was named, or that of this folder, where there is one already. Raises: InputError."""
    folder = expanded(Path(name)) if name else Path.cwd()
    found = find_project(db, name) if name else None
    return found if found is not None or not folder.is_dir() else known_project(db, folder.resolve())


def project_for(db: sqlite3.Connection, name: str | None) -> int:
    """The project that was named, or that of this folder; a folder that no project has becomes one.

    Raises: NotFoundError for a name that is neither a project's nor a folder's.
    """
    folder = expanded(Path(name)) if name else Path.cwd()
    if name and (find_project(db, name) is not None or not folder.is_dir()):
        return project_named(db, name)
    return resolve_project(db, str(folder.resolve()), now=moment())


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
    check_one_place(for_user, project)
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


@click.command("check-text", cls=Command)
@click.argument("text")
@kind_option
@own_project_option
@for_user_option
@reading_options
def check_text(text: str, kind: str, project: str | None, for_user: bool, database: Path | None, as_json: bool) -> None:
    """Show what the gate would do with a text.

    As if you said it now, with the memories near it. Nothing is written.
    """
    check_one_place(for_user, project)
    with reading(database) as db:
        project_id = project_named(db, project) if project else find_project(db, str(Path.cwd()))
        scope = "user" if for_user or project_id is None else "project"
        said_at = utc_text(moment())
        found = preview(db, text, kind=kind, scope=scope, project_id=project_id, said_at=said_at)
    decision = found.decision
    if as_json:
        data = {key: value for key, value in dataclasses.asdict(decision).items() if key != "relation"}
        print_json({"scope": scope, "decision": data, "near": [near_data(near) for near in found.near]})
        return
    click.echo(f"{decision.action}: {printable(decision.reason, 300)}")
    print_near(found.near)


def contradicted(near: Sequence[Near]) -> bool:
    """Whether a text stands against one of the memories near it."""
    return any(each.relation and each.relation.kind == CONTRADICTS for each in near)


def note_near(near: Sequence[Near], opened: int, *, is_kept: bool) -> None:
    """Notes on stderr which memories stand near a text that was added, and whether a person is asked which holds."""
    for each in near:
        relation = each.relation.kind if each.relation else "near"
        click.echo(f"{relation}: {each.memory.uid}  {printable(each.memory.text, TEXT_CHARACTERS)}", err=True)
    if is_kept and contradicted(near):
        asks = "`memory-db review` asks you which holds" if opened else "`memory-db run` looks at that again"
        click.echo(f"It is kept beside what it contradicts; {asks}.", err=True)


def note_doubt(decision: Decision, uid: str, *, is_kept: bool) -> None:
    """Notes on stderr why the gate would reject a text that is kept, since a person adds it."""
    if decision.action != "reject":
        return
    undo = f" To take it out of use: memory-db memory retire {uid}" * is_kept
    click.echo(
        f"From a session this would be rejected: {printable(decision.reason, 300)}. You say it, so it is kept.{undo}",
        err=True,
    )


def print_near(near: Sequence[Near]) -> None:
    """Prints neighbours under each other, with both similarities and the relation to each."""
    print_table(
        ("memory", "by words", "by vector", "relation", "why", "text"),
        [
            (
                each.memory.uid,
                each.similarity.words,
                each.similarity.cosine,
                each.relation.kind if each.relation else "",
                each.relation.reason if each.relation else "",
                each.memory.text,
            )
            for each in near
        ],
        empty="No memory is similar.",
    )
