"""The command that reads what a repository's own files say: project onboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from memory_db.cli.common import Command, moment, print_json, print_table, printable, writing
from memory_db.cli.options import changing_options
from memory_db.upkeep.onboard import FactState, Onboarded
from memory_db.upkeep.onboard import onboard as run_onboard

COLUMNS = ("where", "state", "kind", "text")
ORDER = ("kept", "waits", "refused", "known")
TEXT_CHARACTERS = 160
REASON_CHARACTERS = 300


@click.command(cls=Command)
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--even-forgotten", is_flag=True, help="Keep what you had forgotten too; reads every file again.")
@changing_options
def onboard(path: Path, even_forgotten: bool, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Read what a repository's own files say, as memories.

    Directives of CLAUDE.md, AGENTS.md, .cursorrules, README, CONTRIBUTING and MEMORY.md; commands of Makefile,
    package.json, pyproject.toml and justfile; what folders are; how commits are written; what CI runs. Each is kept
    with its file and line, and counts as confirmed since you ask for this repository; what asks something risky of an
    agent waits for you in `memory-db review`. Run again, it reads what changed, and retires what is no longer said;
    what you had forgotten stays so.
    """
    with writing(database, dry_run=dry_run) as db:
        done = run_onboard(db, path, now=moment(), even_forgotten=even_forgotten)
    if as_json:
        print_json(as_data(done) | {"dry_run": dry_run})
        return
    told = sorted((each for each in done.facts if each.state != "known"), key=lambda each: ORDER.index(each.state))
    rows = [(each.fact.place, each.state, each.fact.kind, printable(each.fact.text, TEXT_CHARACTERS)) for each in told]
    rows += [(gone.path, f"gone, {gone.state}", "", printable(gone.text, TEXT_CHARACTERS)) for gone in done.gone]
    print_table(COLUMNS, rows, empty="Nothing new.")
    for file, reason in done.skipped:
        click.echo(f"{printable(file, 200)} is passed over: {printable(reason, REASON_CHARACTERS)}.", err=True)
    click.echo(summary(done) + (" Nothing is kept: dry run." if dry_run else ""))


def summary(done: Onboarded) -> str:
    """What was done, in a sentence or two."""
    counts = done.counts()
    names = {"kept": "kept", "known": "known already", "waits": "waiting for you", "refused": "refused", "gone": "gone"}
    facts = ", ".join(f"{counts[name]:,} {words}" for name, words in names.items() if counts[name]) or "nothing found"
    words = {"files_read": "read", "files_unchanged": "unchanged", "files_skipped": "passed over"}
    files = ", ".join(f"{counts[name]:,} {word}" for name, word in words.items())
    more = " Decide on what waits with `memory-db review`." if counts["waits"] else ""
    return f"{done.project}: {facts} (files: {files}).{more}"


def as_data(done: Onboarded) -> dict[str, Any]:
    """What was done as plain data."""
    return {
        "project": done.project,
        **done.counts(),
        "facts": [fact_data(each) for each in done.facts],
        "gone_facts": [
            {"file": gone.path, "memory": gone.memory, "text": gone.text, "state": gone.state} for gone in done.gone
        ],
        "skipped": [{"file": file, "reason": reason} for file, reason in done.skipped],
    }


def fact_data(each: FactState) -> dict[str, Any]:
    """One fact and what became of it."""
    fact = each.fact
    return {
        "file": fact.path, "line": fact.line or None, "kind": fact.kind, "title": fact.title, "text": fact.text,
        "quote": fact.quote, "condition": fact.condition, "paths": list(fact.paths), "note": fact.note,
        "state": each.state, "reason": each.reason, "memory": each.memory, "item": each.item,
    }  # fmt: skip
