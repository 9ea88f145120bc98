"""The command `price`: what models cost a token, and prices of one's own."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import click

from memory_db.cli.common import Command, moment, print_json, print_table, reading, writing
from memory_db.cli.lazy import Group
from memory_db.cli.options import changing_options, reading_options
from memory_db.models import prices
from memory_db.models.tokens import PRICE_COLUMNS, TOKENS_PER_PRICE
from memory_db.store.dates import normal_utc
from memory_db.store.money import dollars

LISTED = "select * from price_periods where (:model is null or model = :model) order by model, holds_from"


class UsdPerMillion(click.ParamType[Decimal]):
    """US dollars for a million tokens, as a decimal number."""

    name = "usd"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        try:
            return Decimal(str(value))
        except InvalidOperation:
            self.fail(f"{value!r} is no amount in US dollars, such as 3 or 0.25", param, ctx)


USD = UsdPerMillion()


@click.group(cls=Group)
def price() -> None:
    """List what models cost, set prices of your own, or look up the library's."""


@price.command("list", cls=Command)
@click.argument("model", required=False)
@reading_options
def list_(model: str | None, database: Path | None, as_json: bool) -> None:
    """List prices in US dollars per million tokens with their sources, and the models without one."""
    with reading(database) as db:
        rows = [dict(row) for row in db.execute(LISTED, {"model": model})]
        missing = [dict(row) for row in prices.without_price(db) if model in (None, row["model"])]
    if as_json:
        print_json({"prices": rows, "without_price": missing})
        return
    print_table(
        ["model", "from", "input", "output", "cache write 5m", "cache write 1h", "cache read", "source"],
        [
            [row["model"], since_text(row["holds_from"]), *(per_million(row[name]) for name in PRICE_COLUMNS),
             row["source"]]
            for row in rows
        ],
        empty="No price is known yet.",
    )  # fmt: skip
    for row in missing:
        click.echo(f"No price is known for {row['calls']:,} calls of {row['model']}.")


def since_text(holds_from: str) -> str:
    """The day from which a price holds, if there was a time before."""
    return "ever" if holds_from in ("", prices.EVER) else holds_from[:10]


def per_million(nanocents: int) -> str:
    """US dollars for a million tokens of that price."""
    return dollars(nanocents * TOKENS_PER_PRICE)


@price.command("set", cls=Command)
@click.argument("model")
@click.option("--input", "input_usd", type=USD, required=True, help="US dollars per million tokens read.")
@click.option("--output", "output_usd", type=USD, required=True, help="US dollars per million tokens written.")
@click.option("--cache-write-5m", type=USD, help="The same for the five-minute cache.")
@click.option("--cache-write-1h", type=USD, help="The same for the one-hour cache.")
@click.option("--cache-read", type=USD, help="The same for reading from a cache.")
@click.option("--from", "valid_from", metavar="DATE", help="Holds from this day on (UTC); else for every call.")
@changing_options
def set_(
    model: str,
    input_usd: Decimal,
    output_usd: Decimal,
    cache_write_5m: Decimal | None,
    cache_write_1h: Decimal | None,
    cache_read: Decimal | None,
    valid_from: str | None,
    database: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Set a price of your own for MODEL, which the library's never replaces.

    What is not said of caches follows from the input price: as Anthropic publishes it for Claude models (1.25 times for
    five minutes, twice for an hour, a tenth to read), the same for others.
    """
    start = valid_from and normal_utc(valid_from)
    quote = prices.Quote(input_usd, output_usd, cache_write_5m, cache_write_1h, cache_read)
    with writing(database, dry_run=dry_run, create=False) as db:
        found = prices.set_price(db, model, quote, valid_from=start)
    if as_json:
        print_json({"model": model.strip(), "valid_from": start or prices.EVER, **found, "dry_run": dry_run})
        return
    line = ", ".join(f"{name.removesuffix('_nanocents')} {per_million(value)}" for name, value in found.items())
    since = f"from {start[:10]} on" if start else "for every call"
    click.echo(f"A million tokens of {model.strip()} cost, {since}: {line}{' (not kept: dry run)' if dry_run else ''}.")


@price.command("unset", cls=Command)
@click.argument("model")
@changing_options
def unset(model: str, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Remove your own prices of MODEL, so that the library's apply again."""
    with writing(database, dry_run=dry_run, create=False) as db:
        gone = prices.unset_price(db, model, now=moment())
    if as_json:
        print_json({"model": model, "removed": gone, "dry_run": dry_run})
        return
    click.echo(f"{gone:,} prices of your own for {model} are gone{' (not kept: dry run)' if dry_run else ''}.")


@price.command("refresh", cls=Command)
@changing_options
def refresh(database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Look up every model in the library of prices that comes with the package; no network is used."""
    with writing(database, dry_run=dry_run, create=False) as db:
        counts = prices.refresh(db, now=moment())
    if as_json:
        print_json({**counts, "dry_run": dry_run})
        return
    end = " (not kept: dry run)" if dry_run else ""
    click.echo(
        f"{counts['added']:,} models got a new price, {counts['known']:,} have theirs,"
        f" {counts['unknown']:,} are not known to the library{end}."
    )
