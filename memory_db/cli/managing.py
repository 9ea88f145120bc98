"""Commands that account, serve and look after the file: cost, serve, mcp, doctor, check, backup."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from memory_db import mcp_reader, serving
from memory_db.backup import back_up
from memory_db.check import check as find_disagreements
from memory_db.cli.common import (
    chosen_path,
    database_option,
    dollars,
    json_option,
    moment,
    print_json,
    print_table,
    printable,
    reading,
    writing,
)
from memory_db.cli.pipeline import DEFAULT_FOLDER, folder_option, run_pipeline, where_to_run
from memory_db.doctor import doctor as examine
from memory_db.samples import sample_path

COST_BY = {
    "project": "project",
    "day": "day",
    "model": "model",
}
"""What `cost` can add up by, and the column of `token_ledger` for it."""

TOKEN_COLUMNS = (
    "input_tokens",
    "output_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "cache_read_tokens",
)


@click.command()
@click.option(
    "--by", type=click.Choice(list(COST_BY)), multiple=True, help="Add up by these; default: project and day."
)
@click.option("--project", help="Only this project.")
@click.option("--since", help="Only from this day on (2026-03-01).")
@database_option
@json_option
def cost(by: tuple[str, ...], project: str | None, since: str | None, database: Path | None, as_json: bool) -> None:
    """Tokens and money spent by the agent, from its transcripts."""
    columns = [COST_BY[name] for name in by or ("project", "day")]
    sql = (
        f"select {', '.join(columns)}, sum(calls) as calls, "
        + ", ".join(f"sum({column}) as {column}" for column in TOKEN_COLUMNS)
        + ", sum(cost_nanocents) as cost_nanocents, sum(calls_without_price) as calls_without_price from token_ledger"
        " where (:project is null or project = :project) and (:since is null or day >= :since)"
        f" group by {', '.join(columns)} order by {', '.join(columns)}"
    )
    with reading(database) as db:
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


@click.command()
@click.option("--run", "run_first", is_flag=True, help="Import, extract, gate and index whatever is new first.")
@folder_option
@click.option("--sample", is_flag=True, help="Show the sample history, from its own file.")
@click.option("--sample-if-empty", is_flag=True, help="The same, if there are no transcripts and no file yet.")
@click.option("--port", type=click.IntRange(0, 65535), default=8001, show_default=True, help="0 takes any free one.")
@database_option
def serve(
    run_first: bool,
    folders: tuple[Path, ...],
    sample: bool,
    sample_if_empty: bool,
    port: int,
    database: Path | None,
) -> None:
    """Browse the file with Datasette, on this machine only."""
    if run_first:
        path, own = where_to_run(database, folders, sample, sample_if_empty)
        run_pipeline(path, own)
    else:
        path = sample_path(chosen_path(database)) if sample else chosen_path(database)
        with writing(path, create=False):
            pass
    serving.serve(path, port=port)


@click.command()
@database_option
def mcp(database: Path | None) -> None:
    """Answer an agent over stdio: the tools recall and get."""
    mcp_reader.serve(chosen_path(database))


@click.command()
@folder_option
@database_option
@json_option
def doctor(folders: tuple[Path, ...], database: Path | None, as_json: bool) -> None:
    """Say whether everything works, and what to do where it does not."""
    transcripts = [folder.expanduser() for folder in folders or (DEFAULT_FOLDER,)]
    report = examine(chosen_path(database), now=moment(), transcripts=transcripts)
    if as_json:
        print_json(
            {
                "verdict": report.verdict,
                "lines": [{"level": line.level, "what": line.what, "fix": line.fix} for line in report.lines],
            }
        )
    else:
        for line in report.lines:
            click.echo(f"{line.level:<8} {line.what}" + (f"\n         -> {line.fix}" if line.fix else ""))
        click.echo(report.verdict.upper())
    if report.verdict == "failing":
        sys.exit(1)


@click.command()
@click.option("--thorough", is_flag=True, help="Scan every stored text again, not only the newest.")
@database_option
@json_option
def check(thorough: bool, database: Path | None, as_json: bool) -> None:
    """Derive everything again and list what disagrees."""
    with writing(database, create=False) as db:
        found = find_disagreements(db, thorough=thorough)
    if as_json:
        print_json([{"what": each.what, "where": each.where, "detail": each.detail} for each in found])
    else:
        for each in found:
            click.echo(f"{each.what}: {each.where}: {printable(each.detail, 300)}")
        click.echo(f"{len(found):,} disagreements." if found else "Everything agrees.")
    if found:
        sys.exit(1)


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
@database_option
def backup(target: Path, database: Path | None) -> None:
    """Copy the file to TARGET and verify the copy."""
    with reading(database) as db:
        tables = back_up(db, target)
    click.echo(f"{target}: verified, {tables:,} tables alike.")
