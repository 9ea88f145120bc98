"""Commands that account: cost."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import click

from memory_db.cli.common import (
    Command,
    dollars,
    print_json,
    print_table,
    reading,
    reading_options,
)
from memory_db.dates import normal_utc
from memory_db.projects import project_named

COST_BY = ("project", "day", "model")
"""What `cost` can add up by: columns of `token_ledger`."""

TOKEN_COLUMNS = (
    "input_tokens",
    "output_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "cache_read_tokens",
)


@click.command(cls=Command)
@click.option("--by", type=click.Choice(COST_BY), multiple=True, help="Add up by these; default: project and day.")
@click.option("--project", help="Only this project.")
@click.option("--since", help="Only from this day on (2026-03-01).")
@reading_options
def cost(by: tuple[str, ...], project: str | None, since: str | None, database: Path | None, as_json: bool) -> None:
    """Tokens and money spent by the agent, from its transcripts."""
    columns = list(dict.fromkeys(by or ("project", "day")))
    since = since and normal_utc(since)[:10]
    sql = (
        f"select {', '.join(columns)}, sum(calls) as calls, "
        + ", ".join(f"sum({column}) as {column}" for column in TOKEN_COLUMNS)
        + ", sum(cost_nanocents) as cost_nanocents, sum(calls_without_price) as calls_without_price from token_ledger"
        " where (:project is null or project = :project) and (:since is null or day >= :since)"
        f" group by {', '.join(columns)} order by {', '.join(columns)}"
    )
    with reading(database) as db:
        project = project and project_name(db, project)
        rows = [dict(row) for row in db.execute(sql, {"project": project, "since": since})]
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
    unpriced = sum(row["calls_without_price"] for row in rows)
    if unpriced:
        click.echo(f"{unpriced:,} calls are of models without a known price; their cost is not in these sums.")


def project_name(db: sqlite3.Connection, name: str) -> str:
    """The name of the project that was named, by name, path or alias. Raises: NotFoundError."""
    row = db.execute("select name from projects where id = ?", [project_named(db, name)]).fetchone()
    return str(row["name"])
