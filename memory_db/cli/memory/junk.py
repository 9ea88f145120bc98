"""The command `junk`: what is kept and of no use, where it came from, and what to do about it."""

from __future__ import annotations

import sqlite3
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from memory_db.cli.common import Command, moment, print_json, print_table, reading, writing
from memory_db.cli.options import changing_options, yes_option
from memory_db.errors import InputError
from memory_db.gate.review import junk_actions as junk_retiring
from memory_db.gate.review.junk import KINDS, JunkFinding, by_origin, find

PREVIEWED = 20
"""Findings that are shown before something is done about all of them."""

KIND_NAMES = tuple(kind.replace("_", "-") for kind in KINDS)


@click.command(cls=Command)
@click.option("--kind", "names", type=click.Choice(KIND_NAMES), multiple=True, help="Only this; may be repeated.")
@click.option("--prompt", "version", help="Only what this version of a prompt, or of the rules, has brought.")
@click.option("--by-prompt", is_flag=True, help="Count by prompt version and rule instead of listing.")
@click.option("--propose", "is_proposing", is_flag=True, help="Propose it, for `memory-db review`.")
@click.option("--retire", "is_retiring", is_flag=True, help="Retire it all at once, as a batch that can be undone.")
@yes_option
@click.option("--undo", "undone", metavar="BATCH", help="Undo a batch.")
@click.option("--batches", "is_listing", is_flag=True, help="List the batches that can be undone.")
@changing_options
def junk(
    names: tuple[str, ...],
    version: str | None,
    by_prompt: bool,
    is_proposing: bool,
    is_retiring: bool,
    yes: bool,
    undone: str | None,
    is_listing: bool,
    database: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """List memories that are of no use, and retire them.

    Echoes of our own briefs, duplicates, what is shown and always ignored, what is considered and never shown.
    """
    kinds = tuple(name.replace("-", "_") for name in names) or KINDS
    if undone:
        take_back(undone, database, dry_run=dry_run, as_json=as_json)
        return
    if is_listing:
        with reading(database) as db:
            print_rows(junk_retiring.batches(db), ("batch", "retired_at", "memories"), as_json=as_json)
        return
    if is_retiring and not names:
        raise InputError(f"Retire which kind? Name it, as in `memory-db memory junk --retire --kind {KIND_NAMES[0]}`.")
    if is_retiring or is_proposing:
        with writing(database, dry_run=dry_run, create=False) as db:
            found = find(db, kinds, version=version)
            act = retire if is_retiring else propose
            act(db, found, asks=not (yes or dry_run), dry_run=dry_run, as_json=as_json)
        return
    with reading(database) as db:
        found = find(db, kinds, version=version)
        rows = by_origin(db, found) if by_prompt else []
    if by_prompt:
        print_rows(rows, ("method", "version", "model", "rule", "memories", "junk", "share", *KINDS), as_json=as_json)
    elif as_json:
        print_json([asdict(each) for each in found])
    else:
        print_findings(found, limit=None)


def print_findings(found: Sequence[JunkFinding], *, limit: int | None) -> None:
    """Prints findings, one a line, and how many there are of each kind."""
    print_table(
        ("junk", "uid", "kind", "project", "why", "what it says"),
        [
            (each.junk.replace("_", " "), each.uid, each.kind, each.project,
             each.reason + (" (protected)" if each.is_protected else ""), each.title)
            for each in found[:limit]
        ],
        empty="No junk.",
    )  # fmt: skip
    if found:
        counts = Counter(each.junk for each in found)
        parts = ", ".join(f"{counts[kind]:,} {kind.replace('_', ' ')}" for kind in KINDS if counts[kind])
        click.echo(f"{len(found):,} memories: {parts}.")


def print_rows(rows: Sequence[dict[str, object]], columns: Sequence[str], *, as_json: bool) -> None:
    """Prints rows as a table or as JSON."""
    if as_json:
        print_json(rows)
    else:
        print_table(
            [column.replace("_", " ") for column in columns], [[row[column] for column in columns] for row in rows]
        )


def propose(db: sqlite3.Connection, found: Sequence[JunkFinding], *, asks: bool, dry_run: bool, as_json: bool) -> None:
    """Puts findings before a person, and says how many were new."""
    counts = junk_retiring.propose_all(db, found, now=moment())
    if as_json:
        print_json(counts | {"dry_run": dry_run})
        return
    line = ", ".join(f"{number:,} {name}" for name, number in counts.items() if number) or "nothing"
    click.echo(f"Proposed: {line}{' (not kept: dry run)' if dry_run else ''}. `memory-db review` shows what waits.")


def retire(db: sqlite3.Connection, found: Sequence[JunkFinding], *, asks: bool, dry_run: bool, as_json: bool) -> None:
    """Shows what would go, asks, and retires it. Raises: InputError where nobody can be asked."""
    if not as_json:
        print_findings(found, limit=PREVIEWED)
    going = sum(not each.is_protected for each in found)
    if asks and going:
        if not sys.stdin.isatty():
            raise InputError(f"Nobody can be asked here whether to retire {going:,}. Add --yes, or --dry-run to look.")
        if not click.confirm(f"Retire {going:,} memories? It can be undone."):
            click.echo("Nothing was retired.")
            return
    batch = junk_retiring.retire_all(db, found, now=moment())
    if as_json:
        print_json({"batch": batch.name, "retired": batch.retired, "left": dict(batch.left), "dry_run": dry_run})
        return
    for uid, reason in batch.left:
        click.echo(f"{uid} stays: {reason}")
    if not batch.retired:
        click.echo("Nothing to retire.")
    elif dry_run:
        click.echo(f"Would retire {len(batch.retired):,} (dry run).")
    else:
        click.echo(f"Retired {len(batch.retired):,}. To take it back: memory-db memory junk --undo {batch.name}")


def take_back(name: str, database: Path | None, *, dry_run: bool, as_json: bool) -> None:
    """Undoes a batch and says what came back."""
    with writing(database, dry_run=dry_run, create=False) as db:
        undone = junk_retiring.undo(db, name, now=moment())
    if as_json:
        print_json({"restored": undone.restored, "left": dict(undone.left), "dry_run": dry_run})
        return
    for uid, reason in undone.left:
        click.echo(f"{uid} stays as it is: {reason}")
    click.echo(f"Restored {len(undone.restored):,}{' (not kept: dry run)' if dry_run else ''}.")
