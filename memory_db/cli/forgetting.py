"""Commands that make the file say less: forget, retain."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import click

from memory_db import forgetting, retention
from memory_db.cli.common import (
    Command,
    Progress,
    changing_options,
    chosen_path,
    moment,
    print_json,
    printable,
    writing,
)
from memory_db.errors import InputError
from memory_db.forget import Forgotten, finish
from memory_db.forget import forget as forget_target
from memory_db.forgetting import Target
from memory_db.pipeline import run_stage


@click.command(cls=Command)
@click.argument("uid", required=False)
@click.option("--project", help="Every session and memory of this project.")
@click.option("--words", help="These words, wherever they stand, and the memories that say them.")
@click.option("--finish", "only_finish", is_flag=True, help="Only rewrite the file, where an earlier run could not.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@changing_options
def forget(
    uid: str | None, project: str | None, words: str | None, only_finish: bool, yes: bool, database: Path | None,
    dry_run: bool, as_json: bool,
) -> None:  # fmt: skip
    """Remove a memory, an entry or a session for good, with every copy.

    Looks through the rows and the bytes of the file afterwards, and says what it found. What is forgotten cannot be
    brought back; `memory-db delete` can. Its transcript is not read again.
    """
    if sum(1 for each in (uid, project, words) if each is not None) + only_finish != 1:
        raise InputError("Name one thing to forget: a UID, --project NAME or --words TEXT.")
    with writing(database, dry_run=dry_run, create=False) as db:
        file = Path(db.execute("select file from pragma_database_list where name = 'main'").fetchone()[0])
        if only_finish:
            finish(db)
            click.echo("The file is rewritten: what was deleted left no byte in it.")
            return
        target = found(db, uid, project, words)
        if not (yes or dry_run):
            confirm(target)
        done = forget_target(db, file, target, now=moment())
    tell(done, as_json=as_json, is_copy=file != chosen_path(database).resolve())
    if done.left:
        sys.exit(1)


def found(db: sqlite3.Connection, uid: str | None, project: str | None, words: str | None) -> Target:
    """What is named. Raises: InputError, NotFoundError."""
    if project is not None:
        return forgetting.by_project(db, project)
    return forgetting.by_uid(db, uid) if uid is not None else forgetting.by_words(db, words or "")


def confirm(target: Target) -> None:
    """Asks once more. Raises: InputError where nobody can be asked, click.Abort."""
    what = f"{printable(target.what, 80)}: {len(target.memory_ids):,} memories, {len(target.entry_ids):,} entries"
    if not sys.stdin.isatty():
        raise InputError(f"Forgetting {what} cannot be undone. Say --yes, or see it first with --dry-run.")
    click.confirm(f"Forget {what}, for good?", abort=True, err=True)


def tell(done: Forgotten, *, as_json: bool, is_copy: bool) -> None:
    """Prints what went, and what was still found."""
    if as_json:
        print_json({name: getattr(done, name) for name in Forgotten.__dataclass_fields__} | {"is_dry_run": is_copy})
        return
    would = "Would forget" if is_copy else "Forgot"
    click.echo(f"{would} {printable(done.what, 80)}.")
    for table, number in sorted(done.rows.items()):
        click.echo(f"  {number:>7,} rows of {table}")
    for place, number in sorted(done.repetitions.items()):
        click.echo(f"  {number:>7,} texts of {place} that repeated it")
    if done.left:
        click.echo(f"STILL FOUND in: {', '.join(done.left)}. Close what has the file open, then `forget --finish`.")
    else:
        click.echo(f"Looked for {done.passages:,} passages in every row and byte of the file: none is left.")
    for each in done.outside:
        click.echo(f"Not touched: {printable(each, 200)} may still hold it. Delete it yourself if it has to go.")


@click.command(cls=Command)
@changing_options
def retain(database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Let old hits go that were not shown and that nobody judged.

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
