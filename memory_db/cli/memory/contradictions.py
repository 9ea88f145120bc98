"""The command on memories that contradict each other: contradictions."""

from __future__ import annotations

import dataclasses
import sqlite3
from pathlib import Path
from typing import Any

import click

from memory_db.cli.common import Command, Progress, moment, print_json, printable, reading, writing
from memory_db.cli.options import changing_options, model_option, spending_option
from memory_db.errors import InputError
from memory_db.extract.model.prompts import JUDGE, load_prompt
from memory_db.gate.contradictions import judge as contradiction_judge
from memory_db.gate.contradictions import pairs
from memory_db.gate.contradictions.in_words import found_in_words
from memory_db.gate.contradictions.model_search import DEFAULT_LIMIT, PairSearchOrder, PairSearchResult, find_by_model
from memory_db.index import build as index
from memory_db.models.calls import find_model

OPEN = """
select number, first_uid, first_day, first_quote, second_uid, second_day, second_quote, project, found_by, reason,
    score, note, days_open
from conflicts where state = 'open' order by score desc, contradiction_id
"""

QUOTE_CHARACTERS = 160


@click.command(cls=Command)
@click.option("--find", "look", is_flag=True, help="Look first through all memories that are new or changed.")
@click.option(
    "--judge",
    "wants_opinion",
    is_flag=True,
    help="Ask a model what it thinks of each; with --find also about memories that are merely alike. Needs --model.",
)
@model_option
@click.option(
    "--limit",
    type=click.IntRange(1),
    help=f"Ask about so many pairs that are alike, the most alike first.  [default: {DEFAULT_LIMIT}]",
)
@spending_option
@changing_options
def contradictions(
    look: bool, wants_opinion: bool, model_name: str | None, limit: int | None, budget: int | None,
    database: Path | None, dry_run: bool, as_json: bool,
) -> None:  # fmt: skip
    """List memories that contradict each other.

    Nothing is decided here, by no model either: `memory-db review` says which of two holds.
    """
    if wants_opinion != bool(model_name):
        raise InputError("--judge and --model belong together. Name the model that is to judge: --judge -m MODEL.")
    if (limit or budget is not None) and not (look and wants_opinion):
        raise InputError("--limit and --budget go with --find --judge -m MODEL, which asks about pairs that are alike.")
    if not look and not wants_opinion:
        with reading(database) as db:
            print_pairs(open_pairs(db), {}, as_json=as_json)
        return
    progress = Progress()
    counts: dict[str, Any] = {}
    model = find_model(model_name) if model_name else None
    order = PairSearchOrder(load_prompt(JUDGE), model, limit or DEFAULT_LIMIT, budget) if look and model else None
    with writing(database, dry_run=dry_run, create=False) as db:
        if look:
            index.run(db, now=moment(), entries=False)
            counts |= pairs.find(db, now=moment(), progress=progress)
        if model:
            counts |= contradiction_judge.judge(db, model, now=moment(), progress=progress)
        if order:
            counts["by_model"] = dataclasses.asdict(find_by_model(db, order, clock=moment, progress=progress))
        waiting = open_pairs(db)
    progress.clear()
    print_pairs(waiting, counts, as_json=as_json)


def open_pairs(db: sqlite3.Connection) -> list[dict[str, Any]]:
    """Pairs on which nobody has decided, the surest first."""
    return [dict(row) for row in db.execute(OPEN)]


def print_pairs(waiting: list[dict[str, Any]], found: dict[str, Any], *, as_json: bool) -> None:
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
    if "left" in found:
        click.echo(f"{found['left']} pairs not asked about: the model keeps failing, or the day's budget is spent.")
    if "by_model" in found:
        print_search_result(PairSearchResult(**found["by_model"]))
    if not waiting:
        click.echo("No two memories contradict each other.")
    for pair in waiting:
        why = printable(found_in_words(pair, f"{pair['first_quote']} {pair['second_quote']}"), 120)
        click.echo(f"{pair['number']}  {why}  ({pair['days_open']:.0f} days)")
        for side in ("first", "second"):
            quote = printable(pair[f"{side}_quote"], QUOTE_CHARACTERS)
            click.echo(f"    {pair[f'{side}_uid']}  {pair[f'{side}_day']}  {quote}")
        if pair["note"]:
            click.echo(f"    {printable(pair['note'], QUOTE_CHARACTERS)}")
    if waiting:
        click.echo("Decide with `memory-db review resolve NUMBER first|second|both|neither`.")


def print_search_result(outcome: PairSearchResult) -> None:
    """Prints what came of asking about pairs that are alike."""
    click.echo(
        f"{outcome.asked} pairs that are alike asked about: {outcome.contradictions} contradictions and"
        f" {outcome.replacements} replacements proposed, {outcome.left_out} left out for words that the texts do not"
        f" have, {outcome.failed} without a usable answer."
    )
    if outcome.stopped:
        click.echo(f"Stopped: {outcome.stopped}.")
    if outcome.waiting:
        click.echo(f"{outcome.waiting} more pairs are alike; the same command goes on with them.")
