"""Commands that show a memory and look back: get, history, diff, checkpoint."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import click

from memory_db.cli.common import (
    Command,
    moment,
    print_json,
    print_table,
    printable,
    reading,
    take_in_answered,
    writing,
)
from memory_db.cli.options import (
    as_of_option,
    changing_options,
    note_option,
    only_project_option,
    reading_options,
)
from memory_db.knowledge.succession import PERSON
from memory_db.recall import checkpoints
from memory_db.recall.explain import diff as differences
from memory_db.recall.explain import history as histories
from memory_db.recall.explain.lookup import look_up
from memory_db.store.dates import utc_text
from memory_db.store.settings import user_zone
from memory_db.transcripts.projects import project_named


def moment_of(db: sqlite3.Connection, text: str) -> str:
    """The moment that a person named on the command line. Raises: InputError."""
    return checkpoints.read_moment(db, text, now=moment(), zone=user_zone(db))


def start_of(db: sqlite3.Connection, text: str | None) -> str | None:
    """The moment at which the time begins that a person named with --since or --before, if any. Raises: InputError."""
    return None if text is None else checkpoints.read_start(text, now=moment(), zone=user_zone(db))


@click.command(cls=Command)
@click.argument("uid")
@as_of_option
@reading_options
def get(uid: str, as_of: str | None, database: Path | None, as_json: bool) -> None:
    """Show a memory, entry, session, recall or procedure in full, by its uid."""
    take_in_answered(database)
    with reading(database) as db:
        found = look_up(db, uid, moment_of(db, as_of) if as_of else None)
    if as_json:
        print_json(found)
        return
    for name, value in found.items():
        if isinstance(value, list):
            click.echo(f"{name}: {len(value)}")
            for item in value[:20]:
                click.echo("  " + printable(json.dumps(item, ensure_ascii=False, default=str), 200))
        elif isinstance(value, str):
            click.echo(f"{name}: {safe_text(value)}")
        elif value is not None:
            click.echo(f"{name}: {json.dumps(value, ensure_ascii=False, default=str)}")


def safe_text(text: str) -> str:
    """Text with its lines, but without control characters that a terminal would obey."""
    return "".join(character if character.isprintable() or character in "\n\t" else "�" for character in text)


@click.command(cls=Command)
@click.argument("uid")
@reading_options
def history(uid: str, database: Path | None, as_json: bool) -> None:
    """Show what happened to memory UID, in the order it was recorded.

    Its versions with what changed, evidence, decisions, proposals, contradictions, edges, and on which days it was
    shown.
    """
    with reading(database) as db:
        events = histories.history(db, uid)
    if as_json:
        print_json([event.as_dict() for event in events])
        return
    for event in events:
        by = f" by {printable(event.by, 60)}" if event.by else ""
        why = f": {printable(event.why, 160)}" if event.why else ""
        true_since = "" if event.valid_at[:10] == event.recorded_at[:10] else f" (true at {event.valid_at[:10]})"
        click.echo(f"{event.recorded_at[:19]}  {event.what}, {printable(event.detail, 120)}{by}{why}{true_since}")
        for name, (old, new) in event.changes.items():
            if name == "text":
                click.echo(f"    text: {printable(differences.text_diff(old, new), 400)}")
            else:
                click.echo(f"    {name}: {printable(str(old), 100)} -> {printable(str(new), 100)}")


@click.command(cls=Command)
@click.argument("start", metavar="FROM")
@click.argument("end", metavar="TO", default="now")
@only_project_option
@reading_options
def diff(start: str, end: str, project: str | None, database: Path | None, as_json: bool) -> None:
    """Show what changed in memory between two moments.

    FROM and TO are dates, words such as 'last week', or checkpoints: from the beginning of FROM to the end of TO,
    without TO until now. What was recorded in that time counts, whenever it was said.
    """
    with reading(database) as db:
        first = checkpoints.read_first_moment(db, start, now=moment(), zone=user_zone(db))
        last = moment_of(db, end)
        changes = differences.diff(db, first, last, project_named(db, project) if project else None)
    if as_json:
        print_json({"from": first, "to": last} | changes)
        return
    click.echo(f"Recorded from {first} to {last}, whenever it was said:")
    for name, rows in changes.items():
        if rows:
            click.echo(f"{name.replace('_', ' ')}: {len(rows):,}")
        for row in rows:
            click.echo(f"  {difference_line(row)}")
    if not any(changes.values()):
        click.echo("Nothing changed.")


def difference_line(row: dict[str, Any]) -> str:
    """One difference on one line."""
    if "before" in row:
        return f"{row['uid']}  {row['before']:.2f} -> {row['after']:.2f}  {printable(row['title'], 100)}"
    if "other" in row:
        return f"{row['uid']} and {row['other']}: {printable(row['reason'], 120)}"
    what = printable(row.get("text_diff") or row["title"], 200)
    by = f" by {', '.join(row['superseded_by'])}" if row.get("superseded_by") else ""
    names = [name for name in row.get("changes", {}) if name not in ("text", "title")]
    names += [row["status"]] if row.get("status", "active") != "active" else []
    also = f" ({', '.join(names)})" if names else ""
    return f"{row['uid']}  {what}{also}{by}: {printable(row['why'], 100)}"


@click.command(cls=Command)
@click.argument("name", default="")
@note_option
@click.option("--list", "is_list", is_flag=True, help="List the checkpoints there are.")
@changing_options
def checkpoint(name: str, note: str, is_list: bool, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Name this moment, to look back to it later.

    The name can stand wherever a moment can: `recall --as-of`, `memory get --as-of`, `memory diff`.
    """
    if is_list:
        with reading(database) as db:
            rows = checkpoints.checkpoints(db)
        if as_json:
            print_json(rows)
            return
        names = ("name", "kind", "note", "session", "created_by", "created_at")
        print_table(names, ([row[each] for each in names] for row in rows), empty="There is no checkpoint yet.")
        return
    now = moment()
    with writing(database, dry_run=dry_run, create=False) as db:
        set_name = checkpoints.set_checkpoint(db, name, note=note, by=PERSON, now=now)
    if as_json:
        print_json({"name": set_name, "created_at": utc_text(now), "dry_run": dry_run})
    else:
        click.echo(f"{set_name}: {utc_text(now)}{' (not kept: dry run)' if dry_run else ''}")
