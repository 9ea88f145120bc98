"""The command that looks around in time: timeline."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import click

from memory_db.cli.common import Command, moment, print_json, printable, reading
from memory_db.cli.options import own_project_option, reading_options
from memory_db.errors import InputError
from memory_db.index import build as index
from memory_db.recall.brief.select import ask
from memory_db.recall.checkpoints import read_start
from memory_db.recall.explain import timeline as explain_timeline
from memory_db.recall.explain.timeline import Moment
from memory_db.recall.question_dates import with_window
from memory_db.recall.search import Filters, Question
from memory_db.store import settings
from memory_db.store.settings import user_zone
from memory_db.transcripts.projects import known_project, project_named


@click.command(cls=Command)
@click.argument("about", required=False, default="")
@click.option("--since", help="What is as new as this: a date, or words such as 'last week'.")
@click.option("--before", help="What is older than this.")
@own_project_option
@reading_options
def timeline(
    about: str, since: str | None, before: str | None, project: str | None, database: Path | None, as_json: bool
) -> None:
    """Show what came before and after a uid, a topic or a date.

    ABOUT is the uid of a memory, an entry or a session, or a topic in words; without it, all that happened between two
    dates, of all projects where none is known. Each line has a uid for `memory get` and the tokens of its text.
    """
    with reading(database) as db:
        found = asked(db, about.strip(), since, before, project)
    if as_json:
        print_json([each.as_dict() for each in found])
        return
    if not found:
        click.echo("Nothing.")
    for each in found:
        mark = ">" if each.is_centre else " "
        facts = "; ".join(part for part in (each.note, f"{each.tokens} tokens" if each.tokens else "") if part)
        text = f"{each.uid}  {each.kind}, {each.project or 'any project'}: {printable(each.text, 110)}"
        click.echo(
            f"{mark} {each.at[:16].replace('T', ' ')}  {text}" + (f" ({printable(facts, 200)})" if facts else "")
        )


def asked(
    db: sqlite3.Connection, about: str, since: str | None, before: str | None, project: str | None
) -> list[Moment]:
    """The moments that were asked for. Raises: InputError, NotFoundError, QueryError."""
    if not (about or since or before):
        raise InputError("A timeline is of a uid, of a topic, or of a span of time. Name one, or give --since.")
    if about and explain_timeline.is_uid(db, about):
        return explain_timeline.around(db, about)
    project_id = project_named(db, project) if project else known_project(db, Path.cwd())
    now, zone = moment(), user_zone(db)
    start, end = (read_start(text, now=now, zone=zone) if text else None for text in (since, before))
    if not about:
        first, last = start or explain_timeline.BEGINNING, end or explain_timeline.END
        return explain_timeline.of_span(db, first, last, project_id=project_id, everywhere=project_id is None)
    question = Question(
        about,
        profile=settings.get_text(db, "default_profile"),
        project_id=project_id,
        filters=Filters(only_project=project is not None, since=start, before=end),
        limit=explain_timeline.TOPIC_HITS,
    )
    question = with_window(db, question, now, zone)
    answer = ask(db, question, surface="cli", now=now, semantic=index.open_semantic(db), log=False)
    return explain_timeline.of_hits(db, answer.shown)
