"""The command on memories that contradict each other: contradictions."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import click

from memory_db import contradiction_judge, index
from memory_db import contradictions as pairs
from memory_db.cli.common import (
    Command,
    Progress,
    database_option,
    dry_run_option,
    json_option,
    moment,
    print_json,
    printable,
    reading,
    writing,
)
from memory_db.errors import InputError
from memory_db.model_calls import find_model

OPEN = """
select number, first_uid, first_day, first_quote, second_uid, second_day, second_quote, project, found_by, reason,
    score, note, days_open
from conflicts where state = 'open' order by score desc, contradiction_id
"""

QUOTE_CHARACTERS = 160


@click.command(cls=Command)
@click.option("--find", "look", is_flag=True, help="Look first through all memories that are new or changed.")
@click.option("--judge", "wants_opinion", is_flag=True, help="Ask a model what it thinks of each; needs --model.")
@click.option("-m", "--model", "model_name", help="The model of llm that is asked.")
@database_option
@dry_run_option
@json_option
def contradictions(
    look: bool, wants_opinion: bool, model_name: str | None, database: Path | None, dry_run: bool, as_json: bool
) -> None:
    """List memories that contradict each other, with the words of both.

    Nothing is decided here, by no model either: `memory-db review` says which of two holds.
    """
    if wants_opinion != bool(model_name):
        raise InputError("--judge and --model belong together. Name the model that is to judge: --judge -m MODEL.")
    if not look and not wants_opinion:
        with reading(database) as db:
            tell(open_pairs(db), {}, as_json=as_json)
        return
    progress = Progress()
    counts: dict[str, int] = {}
    with writing(database, dry_run=dry_run, create=False) as db:
        if look:
            index.run(db, now=moment(), entries=False)
            counts |= pairs.find(db, now=moment(), progress=progress)
        if model_name:
            counts |= contradiction_judge.judge(db, find_model(model_name), now=moment(), progress=progress)
        waiting = open_pairs(db)
    progress.clear()
    tell(waiting, counts, as_json=as_json)


def open_pairs(db: sqlite3.Connection) -> list[dict[str, Any]]:
    """Pairs on which nobody has decided, the surest first."""
    return [dict(row) for row in db.execute(OPEN)]


def tell(waiting: list[dict[str, Any]], found: dict[str, int], *, as_json: bool) -> None:
    """Prints pairs, both quotes one under the other, and what was found just now."""
    if as_json:
        print_json({"open": waiting, "found": found})
        return
    if "memories" in found:
        click.echo(
            f"{found['memories']:,} memories looked through: {found['contradictions']} contradictions and"
            f" {found['proposals']} replacements proposed."
        )
    if "judged" in found:
        click.echo(f"{found['judged']} pairs judged, {found['failed']} without a usable answer.")
    if not waiting:
        click.echo("No two memories contradict each other.")
    for pair in waiting:
        why = f"{pair['found_by']}: {printable(pair['reason'], 80)}"
        click.echo(f"{pair['number']}  {why}  ({pair['days_open']:.0f} days)")
        for side in ("first", "second"):
            quote = printable(pair[f"{side}_quote"], QUOTE_CHARACTERS)
            click.echo(f"    {pair[f'{side}_uid']}  {pair[f'{side}_day']}  {quote}")
        if pair["note"]:
            click.echo(f"    {printable(pair['note'], QUOTE_CHARACTERS)}")
    if waiting:
        click.echo("Decide with `memory-db review resolve NUMBER first|second|both|neither`.")


__all__ = ["contradictions"]
