"""The command that removes content for good: forget."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from memory_db.cli.common import Command, chosen_path, expanded, moment, print_json, printable, writing
from memory_db.cli.options import changing_options, yes_option
from memory_db.errors import InputError
from memory_db.store.connection import file_of
from memory_db.store.dates import normal_utc
from memory_db.upkeep.export import write_file
from memory_db.upkeep.forget import certificate as certificates
from memory_db.upkeep.forget import proofs
from memory_db.upkeep.forget import target as forgetting
from memory_db.upkeep.forget.capitals import in_any_capitals
from memory_db.upkeep.forget.run import Forgotten, finish
from memory_db.upkeep.forget.run import forget as forget_target
from memory_db.upkeep.forget.target import FORGETS, REDACTS, Fate, ForgetTarget, fates_of


@click.command(cls=Command)
@click.argument("uid", required=False)
@click.option("--project", help="Every session and memory of this project; with a time, only what was said in it then.")
@click.option("--words", help="These words, wherever they stand, and the memories that say them.")
@click.option("--any-capitals", is_flag=True, help="With --words: in whatever capitals they are written.")
@click.option("--since", help="What was said from this moment on (2026-03-01, 2026-03-01T09:30Z).")
@click.option("--before", help="What was said before this moment.")
@click.option("--finding", type=int, help="What this row of scan_findings is about.")
@click.option("--finish", "only_finish", is_flag=True, help="Only rewrite the file, where an earlier run could not.")
@click.option(
    "--backups", is_flag=True, help="Also delete the copies that memory-db made and that hold it, after a new one."
)
@click.option(
    "--exports", is_flag=True, help="Also take it out of exports that memory-db wrote and that are unchanged."
)
@click.option(
    "--certificate", "certificate_path", type=click.Path(path_type=Path, dir_okay=False),
    help="Write what was searched and found to this new file, as JSON without a word of it.",
)  # fmt: skip
@yes_option
@changing_options
def forget(
    uid: str | None, project: str | None, words: str | None, any_capitals: bool, since: str | None,
    before: str | None, finding: int | None, only_finish: bool, backups: bool, exports: bool,
    certificate_path: Path | None, yes: bool, database: Path | None, dry_run: bool, as_json: bool,
) -> None:  # fmt: skip
    """Erase a memory, entry, session, project, time, finding or words for good.

    Every exact copy goes too.

    Looks through the rows and the bytes of the file afterwards, through the copies of it that memory-db made and the
    exports that it wrote, and says what it found: while something still holds it, the exit code is 1. A locked memory
    only goes by its own uid. --words with --backups or --exports also takes out what only these still have.
    What is forgotten cannot be brought back; what is retired can. Its transcript is not read again.
    """
    if any_capitals and words is None:
        raise InputError("--any-capitals says how words are written. Name them with --words.")
    asked = Asked(uid, project, words, since, before, finding, any_capitals)
    if asked.count() + only_finish != 1:
        raise InputError(
            "Name one thing to forget: a UID, --project NAME, --words TEXT, --finding ID, or a time with --since and"
            " --before."
        )
    certified: dict[str, Any] = {}
    if certificate_path is not None:
        check_place(certificate_path, dry_run=dry_run)
    with writing(database, dry_run=dry_run, create=False) as db:
        file = Path(file_of(db))
        if only_finish:
            finish(db)
            click.echo("The file is rewritten: what was deleted from its rows left no byte in it.")
            return
        target = asked.found(db, even_unsaid=backups or exports)
        if not (yes or dry_run):
            confirm(target, fates_of(db, target))
        beside = chosen_path(database).resolve() if dry_run else None
        done = forget_target(db, file, target, now=moment(), beside=beside, with_copies=backups,
                             with_exports=exports)  # fmt: skip
        if not dry_run:
            proofs.keep(db, file, target, done, now=moment())
        if certificate_path is not None:
            certified = certificates.certificate(db, file, target, done, now=moment())
    print_forgotten(done, as_json=as_json, is_copy=dry_run)
    if certificate_path is not None:
        text = json.dumps(certificates.with_files(certified, file), indent=2, ensure_ascii=False)
        write_file(iter([text, "\n"]), expanded(certificate_path))
        click.echo(f"The certificate is {certificate_path}.", err=True)
    if not (done.is_gone or dry_run):
        sys.exit(1)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is named on the command line."""

    uid: str | None
    project: str | None
    words: str | None
    since: str | None
    before: str | None
    finding: int | None
    any_capitals: bool = False

    def count(self) -> int:
        """How many things are named; a time in a project is one."""
        is_span = self.since is not None or self.before is not None
        named = (self.uid, self.words, self.finding, None if is_span else self.project)
        return sum(each is not None for each in named) + is_span

    def found(self, db: sqlite3.Connection, *, even_unsaid: bool) -> ForgetTarget:
        """The target. Raises: InputError, NotFoundError."""
        if self.since is not None or self.before is not None:
            since, before = (normal_utc(each) if each is not None else None for each in (self.since, self.before))
            return forgetting.by_span(db, since, before, self.project)
        if self.project is not None:
            return forgetting.by_project(db, self.project)
        if self.finding is not None:
            return forgetting.by_finding(db, self.finding)
        if self.uid is not None:
            return forgetting.by_uid(db, self.uid)
        words = self.words or ""
        written = in_any_capitals(db, words) if self.any_capitals else ()
        return forgetting.by_words(db, words, written=written, even_unsaid=even_unsaid)


def check_place(path: Path, *, dry_run: bool) -> None:
    """Refuses a certificate that could not be written, before anything is forgotten. Raises: InputError."""
    if dry_run:
        raise InputError("A dry run forgets nothing that could be certified. Leave out --certificate or --dry-run.")
    target = expanded(path)
    if target.exists():
        raise InputError(f"There is something at {target} already. Name a new file for the certificate.")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"{target.parent} is no folder that can be written. Name another place for the certificate.")


def confirm(target: ForgetTarget, fates: Sequence[Fate]) -> None:
    """Tells what would happen and asks once more. Raises: InputError where nobody can be asked, click.Abort."""
    what = printable(target.what, 80)
    numbers = (counted(fates, FORGETS, "to go"), counted(fates, REDACTS, "to lose the words"))
    told = "; ".join(filter(None, numbers)) or "no memory, no entry"
    if not sys.stdin.isatty():
        raise InputError(f"Forgetting {what} cannot be undone ({told}). Say --yes, or see it first with --dry-run.")
    for line in fate_lines(fates, with_text=True):
        click.echo(line, err=True)
    click.confirm(f"Forget {what} for good ({told})?", abort=True, err=True)


def counted(fates: Sequence[Fate], what: str, label: str) -> str:
    """To how many memories and entries something happens, after a label; nothing where to none."""
    named = []
    for sort, many in (("memory", "memories"), ("entry", "entries")):
        number = sum(fate.sort == sort and fate.what == what for fate in fates)
        named += [f"{number:,} {sort if number == 1 else many}"] if number else []
    return f"{label}: {', '.join(named)}" if named else ""


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
    if done.is_words:
        return [f"Not touched, the capitals differ or only a part is the same: {'; '.join(named)}. --any-capitals takes"
                " the words in any capitals."]  # fmt: skip
    return [f"Not touched, they only share a phrase: {'; '.join(named)}. `memory forget --words` takes out words."]


ONCE_MORE = "`memory-db memory forget --words TEXT --{}` with what was forgotten for TEXT"
"""What also looks into files beside the file once a uid is gone: the words that it had."""


def left_lines(done: Forgotten, *, is_copy: bool) -> list[str]:
    """What still holds it, each with what to do; or the proof that nothing does."""
    lines = []
    if done.left:
        in_rows = any(" row " in each for each in done.left)
        command = f"memory-db memory forget {'--words TEXT' if in_rows else '--finish'}"
        do = f"Close whatever has the file open, then `{command}`"
        with_what = " with what was forgotten for TEXT" if in_rows else ""
        lines.append(f"STILL FOUND in: {', '.join(done.left)}. {do}{with_what}.")
    if done.locked:
        commands = ", ".join(f"`memory-db memory forget {uid}`" for uid in done.locked)
        lines.append(f"STILL SAID by what is locked: {', '.join(done.locked)}. If it has to go too: {commands}.")
    if done.deleted_copies:
        lines.append(f"Deleted copies: {', '.join(done.deleted_copies)}. The new one is {done.new_copy}.")
    if done.copies:
        do = "--backups deletes them." if is_copy else f"Delete these files, or type {ONCE_MORE.format('backups')}."
        lines.append(f"STILL HELD by copies that memory-db made: {', '.join(done.copies)}. {do}")
    if done.cleaned_exports:
        lines.append(f"Taken out of exports: {', '.join(done.cleaned_exports)}.")
    if done.exports:
        more = "" if is_copy else f" Delete these files, or type {ONCE_MORE.format('exports')}."
        lines.append(f"STILL HELD by exports that memory-db wrote: {', '.join(done.exports)}.{more}")
    if done.is_gone:
        lines.append(
            f"Looked for {done.passages:,} passages in every row and byte of the file, its copies and exports: none"
            " is left."
        )
    return lines
