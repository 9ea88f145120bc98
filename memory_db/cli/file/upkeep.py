"""Commands that look after the file: doctor, check, scan, prune."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from memory_db.cli.agents.install import target_of
from memory_db.cli.common import (
    Command,
    Progress,
    chosen_path,
    expanded,
    moment,
    print_json,
    print_table,
    printable,
    writing,
)
from memory_db.cli.options import changing_options, reading_options
from memory_db.cli.pipeline.run import DEFAULT_FOLDER, folder_option
from memory_db.upkeep import retention
from memory_db.upkeep import scan as scanning
from memory_db.upkeep.check import check as find_disagreements
from memory_db.upkeep.doctor import doctor as examine
from memory_db.upkeep.pipeline import run_stage


@click.command(cls=Command)
@folder_option
@reading_options
def doctor(folders: tuple[Path, ...], database: Path | None, as_json: bool) -> None:
    """Check that everything works, and say what to do if not."""
    transcripts = [expanded(folder) for folder in folders or (DEFAULT_FOLDER,)]
    plugin = target_of(for_user=True, folder=None).folder
    report = examine(chosen_path(database), now=moment(), transcripts=transcripts, plugin=plugin)
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
    """Derive everything again and list what differs from the file."""
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
    """Remove secrets and attacks from stored texts, by today's rules.

    Secrets are taken out, memories that would steer an agent are put aside.

    What is put aside is a row of the view `quarantined_memories`; `memory-db memory restore` brings it back.
    """
    progress = Progress()
    with writing(database, dry_run=dry_run, create=False) as db:
        newest = scanning.newest_finding(db)
        stage = run_stage(
            db, "scan", lambda: scanning.scan(db, now=moment(), thorough=thorough, progress=progress), now=moment()
        )
        found = scanning.found_since(db, newest)
    progress.clear()
    if as_json:
        print_json({**stage.counts, "found": found, "dry_run": dry_run})
    else:
        line = ", ".join(f"{count:,} {name}" for name, count in stage.counts.items())
        click.echo(f"{line}{' (not kept: dry run)' if dry_run else ''}")
        if found:
            print_table(("found", "times"), found.items(), empty="")


@click.command(cls=Command)
@changing_options
def prune(database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Delete old hits that were never shown nor judged.

    The setting hits_days says how old. Recalls stay, with what they showed and how much they left out.
    """
    progress = Progress()
    with writing(database, dry_run=dry_run, create=False) as db:
        stage = run_stage(db, "retention", lambda: retention.run(db, now=moment(), progress=progress), now=moment())
    progress.clear()
    if as_json:
        print_json(stage.counts)
    else:
        click.echo(f"{'Would delete' if dry_run else 'Deleted'} {stage.counts['hits_aged']:,} hits.")
