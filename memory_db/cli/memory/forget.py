"""The command that removes content for good: forget."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from memory_db.cli.common import Command, chosen_path, moment, print_json, printable, writing
from memory_db.cli.options import changing_options, yes_option
from memory_db.errors import InputError
from memory_db.store.connection import file_of
from memory_db.upkeep.forget import target as forgetting
from memory_db.upkeep.forget.run import Forgotten, finish
from memory_db.upkeep.forget.run import forget as forget_target
from memory_db.upkeep.forget.target import FORGETS, Fate, ForgetTarget, fates_of


@click.command(cls=Command)
@click.argument("uid", required=False)
@click.option("--project", help="Every session and memory of this project.")
@click.option("--words", help="These words, wherever they stand, and the memories that say them.")
@click.option("--finish", "only_finish", is_flag=True, help="Only rewrite the file, where an earlier run could not.")
@click.option(
    "--backups", is_flag=True, help="Also delete the copies that memory-db made and that hold it, after a new one."
)
@yes_option
@changing_options
def forget(
    uid: str | None, project: str | None, words: str | None, only_finish: bool, backups: bool, yes: bool,
    database: Path | None, dry_run: bool, as_json: bool,
) -> None:  # fmt: skip
    """Erase a memory, entry, session, project or words for good.

    Every exact copy goes too.

    Looks through the rows and the bytes of the file afterwards, and through the copies of it that memory-db made, and
    says what it found: while something still holds it, the exit code is 1. A locked memory only goes by its own uid.
    What is forgotten cannot be brought back; what is retired can. Its transcript is not read again.
    """
    if sum(1 for each in (uid, project, words) if each is not None) + only_finish != 1:
        raise InputError("Name one thing to forget: a UID, --project NAME or --words TEXT.")
    with writing(database, dry_run=dry_run, create=False) as db:
        file = Path(file_of(db))
        if only_finish:
            finish(db)
            click.echo("The file is rewritten: what was deleted left no byte in it.")
            return
        target = found(db, uid, project, words)
        if not (yes or dry_run):
            confirm(target, fates_of(db, target))
        beside = chosen_path(database).resolve() if dry_run else None
        done = forget_target(db, file, target, now=moment(), beside=beside, with_copies=backups)
    print_forgotten(done, as_json=as_json, is_copy=dry_run)
    if not (done.is_gone or dry_run):
        sys.exit(1)


def found(db: sqlite3.Connection, uid: str | None, project: str | None, words: str | None) -> ForgetTarget:
    """What is named. Raises: InputError, NotFoundError."""
    if project is not None:
        return forgetting.by_project(db, project)
    return forgetting.by_uid(db, uid) if uid is not None else forgetting.by_words(db, words or "")


def confirm(target: ForgetTarget, fates: Sequence[Fate]) -> None:
    """Tells what would happen and asks once more. Raises: InputError where nobody can be asked, click.Abort."""
    going = [fate for fate in fates if fate.what == FORGETS]
    memories = sum(fate.sort == "memory" for fate in going)
    what = f"{printable(target.what, 80)}: {memories:,} memories, {len(going) - memories:,} entries"
    if not sys.stdin.isatty():
        raise InputError(f"Forgetting {what} cannot be undone. Say --yes, or see it first with --dry-run.")
    for line in fate_lines(fates, with_text=True):
        click.echo(line, err=True)
    click.confirm(f"Forget {what}, for good?", abort=True, err=True)


MOST_LINES = 60
"""Memories and entries that are told one by one; all of them are in the JSON."""


def fate_lines(fates: Sequence[Fate], *, with_text: bool) -> list[str]:
    """A line for each memory and entry: what happens to it, and why; what it says, as long as it may be said."""
    lines = []
    for fate in fates[:MOST_LINES]:
        text = f' "{printable(fate.text, 70)}"' if with_text else ""
        lines.append(f"  {fate.what:<13}  {fate.sort} {fate.uid}{text} ({fate.why})")
    if len(fates) > MOST_LINES:
        lines.append(f"  and {len(fates) - MOST_LINES:,} more, all of them with --json")
    return lines


def as_dict(done: Forgotten, *, is_copy: bool) -> dict[str, object]:
    """What went, as JSON has it: what is gone is named and its words are not told."""
    values = asdict(done)
    if not is_copy:
        values["fates"] = [{name: fate[name] for name in fate if name != "text"} for fate in values["fates"]]
    return values | {"is_gone": done.is_gone, "is_dry_run": is_copy}


def print_forgotten(done: Forgotten, *, as_json: bool, is_copy: bool) -> None:
    """Prints what went, and what was still found."""
    if as_json:
        print_json(as_dict(done, is_copy=is_copy))
        return
    click.echo(f"{'Would forget' if is_copy else 'Forgot'} {printable(done.what, 80)}.")
    for line in fate_lines(done.fates, with_text=is_copy):
        click.echo(line)
    for table, number in sorted(done.rows.items()):
        click.echo(f"  {number:>7,} rows of {table}")
    for place, number in sorted(done.repetitions.items()):
        click.echo(f"  {number:>7,} texts of {place} that hold a copy")
    for line in left_lines(done, is_copy=is_copy):
        click.echo(line)
    for line in sharing_lines(done):
        click.echo(line)
    for each in done.outside:
        click.echo(f"Not touched: {printable(each, 200)} may still hold it. Delete it yourself if it has to go.")


MOST_UIDS = 5


def sharing_lines(done: Forgotten) -> list[str]:
    """What shares a phrase and was left alone, which a person may want to look at."""
    if not done.sharing:
        return []
    named = [
        f"{sort} {', '.join(uids[:MOST_UIDS])}{f' and {len(uids) - MOST_UIDS:,} more' * (len(uids) > MOST_UIDS)}"
        for sort, uids in done.sharing.items()
    ]
    return [f"Not touched, they only share a phrase: {'; '.join(named)}. `memory forget --words` takes out words."]


def left_lines(done: Forgotten, *, is_copy: bool) -> list[str]:
    """What still holds it, each with what to do; or the proof that nothing does."""
    lines = []
    if done.left:
        lines.append(
            f"STILL FOUND in: {', '.join(done.left)}. Close what has the file open, then `memory forget --finish`."
        )
    if done.locked:
        commands = ", ".join(f"`memory-db memory forget {uid}`" for uid in done.locked)
        lines.append(f"STILL SAID by what is locked: {', '.join(done.locked)}. If it has to go too: {commands}.")
    if done.deleted_copies:
        lines.append(f"Deleted copies: {', '.join(done.deleted_copies)}. The new one is {done.new_copy}.")
    if done.copies:
        do = "--backups deletes them." if is_copy else "Delete these files; `memory forget --backups` does."
        lines.append(f"STILL HELD by copies that memory-db made: {', '.join(done.copies)}. {do}")
    if not lines or (done.is_gone and done.deleted_copies):
        lines.append(
            f"Looked for {done.passages:,} passages in every row and byte of the file and its copies: none is left."
        )
    return lines
