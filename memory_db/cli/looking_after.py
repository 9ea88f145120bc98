"""Commands that look after the file: doctor, check, scan, backup."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from memory_db import scanning
from memory_db.backup import back_up
from memory_db.check import check as find_disagreements
from memory_db.cli.common import (
    Command,
    Progress,
    changing_options,
    chosen_path,
    database_option,
    expanded,
    moment,
    print_json,
    printable,
    reading,
    reading_options,
    writing,
)
from memory_db.cli.pipeline import DEFAULT_FOLDER, folder_option
from memory_db.doctor import doctor as examine
from memory_db.pipeline import run_stage


@click.command(cls=Command)
@folder_option
@reading_options
def doctor(folders: tuple[Path, ...], database: Path | None, as_json: bool) -> None:
    """Say whether everything works, and what to do where it does not."""
    transcripts = [expanded(folder) for folder in folders or (DEFAULT_FOLDER,)]
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


@click.command(cls=Command)
@click.option("--thorough", is_flag=True, help="Scan every stored text again, not only the newest.")
@reading_options
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


@click.command(cls=Command)
@click.option("--thorough", is_flag=True, help="Scan every text again, also what the rules of today have seen.")
@changing_options
def scan(thorough: bool, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Take secrets and attacks out of old texts, by the rules of today.

    Secrets go, memories that steer an agent are put aside.

    What is put aside is a row of the view `quarantined_memories`; `memory-db restore` brings it back.
    """
    progress = Progress()
    with writing(database, dry_run=dry_run, create=False) as db:
        stage = run_stage(
            db, "scan", lambda: scanning.scan(db, now=moment(), thorough=thorough, progress=progress), now=moment()
        )
    progress.clear()
    if as_json:
        print_json({**stage.counts, "dry_run": dry_run})
    else:
        told = ", ".join(f"{count:,} {name}" for name, count in stage.counts.items())
        click.echo(f"{told}{' (not kept: dry run)' if dry_run else ''}")


@click.command(cls=Command)
@click.argument("target", type=click.Path(path_type=Path))
@database_option
def backup(target: Path, database: Path | None) -> None:
    """Copy the file to TARGET and verify the copy."""
    with reading(database) as db:
        tables = back_up(db, target)
    click.echo(f"{target}: verified, {tables:,} tables alike.")
