"""Commands that account: cost, savings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import click

from memory_db.cli.common import Command, moment, print_json, print_table, reading
from memory_db.cli.options import only_project_option, reading_options, since_option
from memory_db.models import daily_budget as spending
from memory_db.models import prices, savings
from memory_db.models import totals as costs
from memory_db.models.totals import COST_BY, TOKEN_COLUMNS
from memory_db.recall.checkpoints import read_start
from memory_db.store.money import dollars
from memory_db.transcripts.project_names import project_name

MOST_NAMED = 5
"""Models without a price that are named."""


@click.command(cls=Command)
@click.option("--by", type=click.Choice(COST_BY), multiple=True, help="Add up by these; default: project and day.")
@only_project_option
@since_option
@reading_options
def cost(by: tuple[str, ...], project: str | None, since: str | None, database: Path | None, as_json: bool) -> None:
    """Show the tokens and money that agents and memory spent.

    Agents' calls are read from their transcripts, those of memory (extraction, judge, portrait, ask) are logged when
    they are made. Briefs are a share of what was read, and never added to it: `--by source` lists them with what they
    are part of.
    """
    columns = list(dict.fromkeys(by or ("project", "day")))
    if "source" in columns:
        columns.append("part_of")
    since = since and first_day(since)
    with reading(database) as db:
        chosen = project and project_name(db, project)
        is_whole = None if "source" in columns else True
        rows = costs.sums(db, columns, project=chosen, since=since, is_whole=is_whole)
        shares = costs.sums(db, ["part_of", "source"], project=chosen, since=since, is_whole=False)
        unpriced = [row["model"] for row in prices.without_price(db)]
        budget = spending.budget_line(db, now=moment())
    if as_json:
        print_json(rows)
        return
    print_table(
        [*columns, "calls", "input", "output", "cache write 5m", "cache write 1h", "cache read", "cost"],
        [
            [*(row[column] for column in columns), row["calls"], *(row[column] for column in TOKEN_COLUMNS),
             dollars(row["cost_nanocents"])]
            for row in rows
        ],
        empty="No data yet: no usage has been imported.",
    )  # fmt: skip
    for line in (*share_lines(shares), *unpriced_lines(rows, unpriced), *([f"{budget}."] if budget else ())):
        click.echo(line)


def first_day(text: str) -> str:
    """The day from which on costs are asked for; they are added up by days of UTC. Raises: InputError."""
    return read_start(text, now=moment(), zone=ZoneInfo("UTC"))[:10]


def share_lines(shares: list[dict[str, int | str | None]]) -> Iterator[str]:
    """What of the sums was briefs, a line for each way in which they were read."""
    for row in shares:
        once, again = row["cost_nanocents"], row["cost_with_rereads_nanocents"]
        price = f"{dollars(int(once))} read once" if once is not None else "at no known price"
        more = f", {dollars(int(again))} with rereads by later calls" if again is not None else ""
        yield (
            f"Part of {row['part_of']}: {row['source']}, {row['calls']:,} briefs of {row['input_tokens']:,} tokens,"
            f" {price}{more}."
        )


def unpriced_lines(rows: list[dict[str, int]], models: list[str]) -> Iterator[str]:
    """What is not in the sums because nobody knows its price."""
    calls = sum(row["calls_without_price"] for row in rows)
    if calls:
        names = ", ".join(models[:MOST_NAMED]) + (", ..." if len(models) > MOST_NAMED else "")
        yield f"{calls:,} calls are of models without a known price; their cost is not in these sums."
        yield f"Set one: `memory-db model price set MODEL --input USD --output USD`, per million tokens ({names})."


@click.command(cls=Command, name="savings")
@only_project_option
@since_option
@reading_options
def savings_(project: str | None, since: str | None, database: Path | None, as_json: bool) -> None:
    """Estimate what memory saved, net, against named alternatives.

    Nobody can know what would have been without memory. So each other way is a row with what it assumes, and what
    memory itself cost is taken off: less than nothing where it cost more than that way would have.
    """
    since = since and first_day(since)
    with reading(database) as db:
        chosen = project and project_name(db, project)
        found = savings.ways(db, project=chosen, since=since)
        instead = savings.instead_of_files(db, project=chosen, since=since)
    if as_json:
        print_json(savings.as_dict(found, instead))
        return
    if not found:
        click.echo("No data yet: no recall was shown to an agent, and no model was called, at a known price.")
        return
    click.echo("\n".join(savings_lines(found, instead)))
    print_table(
        ["instead of memory", "tokens", "saved once", "saved with rereads", "net once", "net with rereads"],
        [
            [way.counterfactual, way.instead_tokens, dollars(way.instead_nanocents),
             dollars(way.instead_with_rereads_nanocents), dollars(way.net_nanocents),
             dollars(way.net_with_rereads_nanocents)]
            if way.is_known else [way.counterfactual, *["unknown"] * 5]
            for way in found
        ],
    )  # fmt: skip
    for way in found:
        click.echo(f"{way.counterfactual}: {way.assumes}.")


def savings_lines(found: list[savings.Way], instead: list[dict[str, int | str]]) -> Iterator[str]:
    """The range, what memory cost, and what the figures rest on."""
    low, high = savings.net_range(found)
    way = found[0]
    yield f"Memory saved between {dollars(low)} and {dollars(high)}, net; nobody can know which."
    yield (
        f"It cost {way.recalls:,} briefs of {way.shown_tokens:,} tokens ({dollars(way.brief_nanocents)} read once,"
        f" {dollars(way.brief_with_rereads_nanocents)} with rereads by later calls) and calls of models"
        f" for {dollars(way.model_nanocents)}."
    )
    sources = ", ".join(f"{row['instead']} ({row['recalls']:,} briefs, {row['tokens']:,} tokens)" for row in instead)
    if sources:
        yield f"The instruction file was taken from: {sources}."
    if way.without_price:
        yield f"{way.without_price:,} briefs or calls are of models without a known price, and not in these sums."
