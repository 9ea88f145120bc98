"""The commands on what waits for a person: review."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from memory_db.cli.common import Command, moment, print_json, print_table, printable, reading, writing
from memory_db.cli.lazy import Group
from memory_db.cli.options import (
    changing_options,
    note_option,
    reading_options,
    use_database,
)
from memory_db.errors import InputError
from memory_db.gate import revert as reverting
from memory_db.gate.contradictions.in_words import opposed_in_words
from memory_db.gate.review import batches as review_batches
from memory_db.gate.review import queue as reviews
from memory_db.gate.review.batches import ItemOutcome, ReviewBatch
from memory_db.gate.review.undone import held_back_by, note_undone
from memory_db.index import build as index
from memory_db.store.connection import transaction

TEXT_CHARACTERS = 160

LISTED = 50
"""Items that are listed in words; --json has all."""


@click.group(name="review", cls=Group, invoke_without_command=True)
@reading_options
@click.pass_context
def review(ctx: click.Context, database: Path | None, as_json: bool) -> None:
    """List what waits for your decision, decide, or undo a decision.

    Items are candidates (c), proposals (p) and contradictions (x).
    """
    if ctx.invoked_subcommand is not None:
        use_database(ctx, database)
        return
    with reading(database) as db:
        items, counts = reviews.queue(db), reviews.waiting(db)
    if as_json:
        print_json({"waiting": counts, "items": items})
        return
    for item in items[:LISTED]:
        print_item(item)
    if len(items) > LISTED:
        click.echo(f"... and {len(items) - LISTED:,} more; `memory-db review --json` has all of them.")
    print_counts(counts, items)


def print_item(item: dict[str, Any]) -> None:
    """Prints one item: what it is, both texts, why it waits."""
    waits = "" if item["waits_for"] == "a person" else f", waits for {item['waits_for']}"
    would = f", would {item['would']}" if item["would"] and item["sort"] == "candidate" else ""
    click.echo(
        f"{item['item']}  {item['sort']}: {item['kind']}{would}{waits}, {item['project'] or 'all projects'},"
        f" {waited(item['age_days'])}"
    )
    click.echo(f"    {printable(item['text'], TEXT_CHARACTERS)}")
    if item["other_text"]:
        click.echo(f"    {item['other_uid']}  {printable(item['other_text'], TEXT_CHARACTERS)}")
    reason = opposed_in_words(item["reason"], f"{item['text']} {item['other_text']}") or item["reason"]
    click.echo(f"    {printable(reason, TEXT_CHARACTERS)}")


def counted(count: int, sort: str) -> str:
    """How many of a sort there are, in words."""
    return f"{count:,} {sort}" if count == 1 or sort == "quarantined" else f"{count:,} {sort}s"


def waited(days: float) -> str:
    """Since when something waits, in the words of the pages: from when it was recorded here."""
    return "today" if days < 1 else f"{days:.0f} day{'s' if round(days) != 1 else ''}"


def print_counts(counts: Sequence[dict[str, Any]], items: Sequence[dict[str, Any]]) -> None:
    """Prints how many of each sort wait for a person, how old the oldest is, and how to decide."""
    if not items:
        click.echo("Nothing waits.")
        return
    line = ", ".join(
        f"{counted(row['waiting'], row['sort'])} (the oldest {waited(row['oldest_age_days'])})" for row in counts
    )
    others = len(items) - sum(row["waiting"] for row in counts)
    more = f" {others:,} wait{'s' if others == 1 else ''} for a second sighting." if others else ""
    click.echo(f"For you: {line or 'nothing'}.{more}")
    click.echo("`memory-db review accept|decline ITEM...`, `review resolve xN first|second|both|neither`.")


@review.command("show", cls=Command)
@click.argument("item")
@reading_options
def show_item(item: str, database: Path | None, as_json: bool) -> None:
    """Show one item in full."""
    with reading(database) as db:
        found = reviews.show(db, item)
    if as_json:
        print_json(found)
        return
    for name, value in {**(found["waits"] or {}), **found.get("item", {})}.items():
        if value not in (None, ""):
            click.echo(f"{name}: {printable(str(value), 2_000)}")
    for each in found.get("decisions", ()):
        click.echo(f"decision {each['decision_id']}: {each['action']} by {each['decided_by']}, {each['decided_at']}")
        click.echo(f"    {printable(each['reason'], 500)}")


@review.command("accept", cls=Command)
@click.argument("items", nargs=-1, required=True)
@changing_options
def accept(items: tuple[str, ...], database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Accept items: do what each proposes, and report what cannot be done.

    `changes` stands for all changes that wait, a memory's uid for those of it.
    """
    decide_each(items, "accept", database, dry_run, as_json)


@review.command("decline", cls=Command)
@click.argument("items", nargs=-1, required=True)
@changing_options
def decline(items: tuple[str, ...], database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Decline items: nothing changes, and they do not come back."""
    decide_each(items, "decline", database, dry_run, as_json)


def decide_each(items: tuple[str, ...], action: str, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Decides on the items as one batch; where one cannot be, the others are, and the exit code is 1."""
    with writing(database, dry_run=dry_run, create=False) as db:
        batch = review_batches.decide(db, items, action, now=moment())
        if batch.done:
            index.run(db, now=moment(), entries=False)
    if as_json:
        print_json({"batch": batch.number, "items": review_batches.as_dicts(batch.outcomes), "dry_run": dry_run})
    else:
        print_outcomes(batch.outcomes, dry_run=dry_run)
        print_way_back(batch, dry_run=dry_run)
    if len(batch.done) < len(batch.outcomes):
        raise SystemExit(1)


def print_outcomes(outcomes: Sequence[ItemOutcome], *, dry_run: bool) -> None:
    """Prints what became of each item; what could not be done on stderr."""
    for each in outcomes:
        if each.left:
            click.echo(f"Error: {printable(each.left, 300)}", err=True)
        else:
            change = " ".join(part for part in (each.did, each.memory) if part)
            change += f"; it {each.held_back}" if each.held_back else ""
            click.echo(f"{each.item}: {change}{' (not kept: dry run)' if dry_run else ''}")


def print_way_back(batch: ReviewBatch, *, dry_run: bool) -> None:
    """Prints how a batch that was kept is undone."""
    if batch.number and not dry_run:
        click.echo(f"To take it back: memory-db review undo {batch.number}")


@review.command("resolve", cls=Command)
@click.argument("item")
@click.argument("resolution", type=click.Choice(["first", "second", "both", "neither"]))
@note_option
@changing_options
def resolve(item: str, resolution: str, note: str, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Say which memory of a contradiction holds: first, second, both or neither."""
    with writing(database, dry_run=dry_run, create=False) as db:
        batch = review_batches.decide(db, [item], resolution, note=note, now=moment())
        (outcome,) = batch.outcomes
        if outcome.left:
            raise InputError(outcome.left)
        index.run(db, now=moment(), entries=False)
    if as_json:
        data = {"item": item, "resolution": resolution, "effects": outcome.effects, "batch": batch.number}
        print_json(data | {"dry_run": dry_run})
    else:
        print_outcomes(batch.outcomes, dry_run=dry_run)
        print_way_back(batch, dry_run=dry_run)


@review.command("lately", cls=Command)
@reading_options
def lately(database: Path | None, as_json: bool) -> None:
    """List the latest decisions, in batches that can be undone."""
    with reading(database) as db:
        found = review_batches.lately(db)
    if as_json:
        print_json(found)
        return
    print_table(
        ("batch", "decided", "action", "items", "undone"),
        [
            (each["batch"], each["decided_at"][:16], each["action"],
             each["memories"] or " ".join(item["item"] for item in each["items"]), (each["undone_at"] or "")[:16])
            for each in found
        ],
        empty="Nothing was decided yet.",
    )  # fmt: skip


@review.command("undo", cls=Command)
@click.argument("batch")
@changing_options
def undo(batch: str, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Undo a whole batch, so that its items wait again; `review lately` lists batches."""
    with writing(database, dry_run=dry_run, create=False) as db:
        outcomes = review_batches.undo_named(db, batch, now=moment())
        index.run(db, now=moment(), entries=False)
    if as_json:
        print_json({"batch": batch, "items": review_batches.as_dicts(outcomes), "dry_run": dry_run})
    else:
        print_outcomes(outcomes, dry_run=dry_run)
    if any(each.left for each in outcomes):
        raise SystemExit(1)


@review.command("revert", cls=Command)
@click.argument("names", nargs=-1, metavar="[DECISION|pN|xN]...")
@click.option("--run", "run_id", type=int, help="Everything of this extraction run that is not reverted yet.")
@click.option("--prompt", help="Everything of this prompt that is not reverted yet, as NAME@VERSION.")
@click.option("--rule", help="Everything of this rule that is not reverted yet.")
@changing_options
def revert(
    names: tuple[str, ...],
    run_id: int | None,
    prompt: str | None,
    rule: str | None,
    database: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Revert decisions by number, a proposal, a contradiction, or all of a run, prompt or rule.

    The table decision_log has the numbers. What a person changed since is reported and left as it is.
    """
    if bool(names) == any(value is not None for value in (run_id, prompt, rule)):
        raise InputError("Name decisions to revert, or one of --run N, --prompt NAME@VERSION, --rule NAME.")
    with writing(database, dry_run=dry_run, create=False) as db:
        if names:
            with transaction(db):  # all that was named, or nothing
                done = [revert_one(db, name) for name in names]
        else:
            numbers = reverting.standing(db, run=run_id, prompt=prompt, rule=rule)
            done = [dataclasses.asdict(each) for each in reverting.revert_all(db, numbers, now=moment())]
        note_reverted(db, done)
        index.run(db, now=moment(), entries=False)
    print_reverted(done, is_batch=not names, dry_run=dry_run, as_json=as_json)


def revert_one(db: sqlite3.Connection, name: str) -> dict[str, Any]:
    """Takes one thing back. Raises: InputError, NotFoundError, ConflictError."""
    number = name.strip().lower().removeprefix("d")
    if number.isdecimal() and number.isascii():
        return {"decision_id": int(number), "told": reverting.revert(db, int(number), now=moment()), "left": ""}
    item = name.strip().lower()
    told = reviews.take_back_item(db, item, now=moment())
    held_back = held_back_by(db, item) if item.startswith("x") else ""
    return {"item": item, "told": [*told, f"it {held_back}"] if held_back else told, "left": ""}


def note_reverted(db: sqlite3.Connection, done: Sequence[dict[str, Any]]) -> None:
    """Lets the batches in which it was decided say what is undone."""
    reverted = [each for each in done if not each["left"]]
    names = [each["item"] for each in reverted if "item" in each]
    with transaction(db):
        note_undone(db, names, [each["decision_id"] for each in reverted if "decision_id" in each], now=moment())


def print_reverted(done: Sequence[dict[str, Any]], *, is_batch: bool, dry_run: bool, as_json: bool) -> None:
    """Prints what was taken back, and what was left with its reason."""
    reverted = [each for each in done if not each["left"]]
    if as_json:
        print_json({"reverted": len(reverted), "left": len(done) - len(reverted), "each": done, "dry_run": dry_run})
        return
    for each in done:
        name = each.get("item") or f"decision {each['decision_id']}"
        click.echo(
            f"{name}: {printable(each['left'] or '; '.join(each['told']) or 'open again, no memory had changed', 300)}"
        )
    if is_batch or dry_run:
        left = f", {len(done) - len(reverted)} left" if len(done) > len(reverted) else ""
        click.echo(f"{len(reverted)} reverted{left}{' (not kept: dry run)' if dry_run else ''}.")
