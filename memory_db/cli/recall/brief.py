"""The command that prints what an agent is shown: brief."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path

import click

from memory_db.agents.reader.access import UNKNOWN_FOLDER
from memory_db.cli.common import Command, answering, logged_after, moment, print_json, printable, reading
from memory_db.cli.options import question_options, reading_options
from memory_db.cli.recall.lines import why_nothing
from memory_db.cli.recall.recall import scope_option
from memory_db.errors import InputError
from memory_db.index import build as index
from memory_db.recall.answer import brief_data
from memory_db.recall.brief.for_model import NOTHING_ANSWERS, ask_for_model
from memory_db.recall.brief.log import name_recall
from memory_db.recall.brief.select import Answer
from memory_db.recall.brief.session_start import block
from memory_db.recall.question_dates import with_window
from memory_db.recall.search import Filters, Question
from memory_db.store import settings
from memory_db.store.settings import user_zone
from memory_db.transcripts.projects import known_project, project_named

SURFACE = "brief"


@click.command(cls=Command)
@click.argument("query", required=False)
@click.option("--start", is_flag=True, help="What a session begins with, in the place of an answer to QUERY.")
@click.option("--project", help="Where the agent works: a project's name or path; default: the one of this folder.")
@click.option("--session", help="The agent's own id of its session: what that was shown is left out.")
@question_options
@scope_option
@reading_options
def brief(
    query: str | None,
    start: bool,
    project: str | None,
    session: str | None,
    budget: int | None,
    limit: int | None,
    tags: tuple[str, ...],
    kinds: tuple[str, ...],
    paths: tuple[str, ...],
    scope: str,
    profile: str | None,
    no_log: bool,
    database: Path | None,
    as_json: bool,
) -> None:
    """Print the text that an agent would get for a question.

    QUERY is the question; --start is for the beginning of a session. Like an agent, it
    sees nothing of other projects: `memory-db recall` searches them too.
    """
    if start == bool(query):
        raise InputError("A brief is for a question or for a session's start. Give QUERY, or --start.")
    with reading(database) if no_log else answering(database) as db:
        now = moment()
        project_id = project_named(db, project) if project else known_project(db, Path.cwd())
        if start:
            answer = first_brief(db, project_id, session, budget, now)
        else:
            question = Question(
                query=query or "",
                scope=scope,
                profile=profile or settings.get_text(db, "default_profile"),
                project_id=project_id,
                filters=Filters(other_projects=False, only_project=project_id is None, tags=tags, kinds=kinds),
                session_uid=session,
                paths=paths,
                limit=settings.get_integer(db, "recall_limit") if limit is None else limit,
                budget_tokens=settings.get_integer(db, "brief_budget_tokens") if budget is None else budget,
            )
            question = with_window(db, question, now, user_zone(db))
            model = index.open_semantic(db)
            answer = ask_for_model(db, question, surface=SURFACE, now=now, semantic=model, log=False)
        if not no_log:
            name_recall(db, answer, now=now)
    with logged_after(database, answer, surface=SURFACE, now=now, no_log=no_log):
        print_json(brief_data(answer, now)) if as_json else print_brief(answer, start=start)
        if project_id is None:
            click.echo(f"{UNKNOWN_FOLDER} Name one with --project; `memory-db recall` asks all.", err=True)


def print_brief(answer: Answer, *, start: bool) -> None:
    """Prints a brief, or why there is none."""
    if answer.text:
        for line in answer.text.splitlines():
            click.echo(printable(line, len(line)))
    elif start:
        click.echo("Nothing to begin with: no memory of this project or of the user, or this session has read them.")
    else:
        click.echo(f"{NOTHING_ANSWERS}: {why_nothing(answer)}")


def first_brief(
    db: sqlite3.Connection, project_id: int | None, session: str | None, budget: int | None, now: datetime
) -> Answer:
    """The brief of a session's beginning, not logged yet. Raises: InputError."""
    if budget is not None and budget < 1:
        raise InputError(f"A budget of {budget} tokens cannot be used. Give 1 or more.")
    return block(db, project_id, session, now=now, budget=budget)
