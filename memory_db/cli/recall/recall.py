"""The command that asks what is remembered: recall."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import click

from memory_db.cli.common import (
    Command,
    answering,
    logged_after,
    moment,
    print_json,
    printable,
    reading,
)
from memory_db.cli.options import (
    as_of_option,
    before_option,
    only_project_option,
    question_options,
    reading_options,
    since_option,
)
from memory_db.cli.recall.lines import answer_lines, how_to_explain
from memory_db.cli.recall.quick import has_vectors
from memory_db.recall.answer import answer_data
from memory_db.recall.brief.log import name_recall
from memory_db.recall.brief.placement import Placement
from memory_db.recall.brief.select import Answer, ask
from memory_db.recall.explain import association
from memory_db.recall.question_dates import read_as, with_window
from memory_db.recall.scoring import SIGNALS
from memory_db.recall.search import SCOPES, Filters, Question, Semantic
from memory_db.store import settings
from memory_db.store.settings import user_zone
from memory_db.text.wording import describe_wording
from memory_db.transcripts.projects import known_project, project_named

SURFACE = "cli"

scope_option = click.option(
    "--scope", type=click.Choice(SCOPES), default="all", show_default=True, help="Where to look."
)


@click.command(cls=Command)
@click.argument("query")
@only_project_option
@since_option
@before_option
@as_of_option
@question_options
@scope_option
@click.option("--explain", is_flag=True, help="Show every signal of every hit, and what was left out.")
@reading_options
def recall(
    query: str,
    project: str | None,
    since: str | None,
    before: str | None,
    as_of: str | None,
    tags: tuple[str, ...],
    kinds: tuple[str, ...],
    paths: tuple[str, ...],
    scope: str,
    profile: str | None,
    limit: int | None,
    budget: int | None,
    explain: bool,
    no_log: bool,
    database: Path | None,
    as_json: bool,
) -> None:
    """Search what is remembered for a question."""
    with reading(database) if no_log else answering(database) as db:
        project_id = project_named(db, project) if project else known_project(db, Path.cwd())
        question = Question(
            query=query,
            scope=scope,
            profile=profile or settings.get_text(db, "default_profile"),
            project_id=project_id,
            filters=Filters(
                only_project=project is not None,
                since=read_start(db, since),
                before=read_start(db, before),
                as_of=read_moment(db, as_of) if as_of else None,
                kinds=kinds,
                tags=tags,
            ),
            paths=paths,
            limit=settings.get_integer(db, "recall_limit") if limit is None else limit,
            budget_tokens=budget,
        )
        now = moment()
        question = with_window(db, question, now, user_zone(db))
        answer = ask(db, question, surface=SURFACE, now=now, semantic=semantic_of(db), log=False)
        if explain or as_json:
            association.add_earlier_prompts(db, answer.shown)
        if not no_log:
            name_recall(db, answer, now=now)
    with logged_after(database, answer, surface=SURFACE, now=now, no_log=no_log):
        print_json(answer_data(answer, now)) if as_json else print_answer(answer, explain=explain)


def read_moment(db: sqlite3.Connection, text: str) -> str:
    """The moment that a person named. Raises: InputError."""
    from memory_db.cli.memory.history import moment_of  # noqa: PLC0415  # start-up: most questions name none

    return moment_of(db, text)


def read_start(db: sqlite3.Connection, text: str | None) -> str | None:
    """When the time begins that a person named, if any. Raises: InputError."""
    if text is None:
        return None
    from memory_db.cli.memory.history import start_of  # noqa: PLC0415  # start-up: most questions name none

    return start_of(db, text)


def semantic_of(db: sqlite3.Connection) -> Semantic | None:
    """The index of a model's vectors; nothing is loaded where there are none. Raises: InputError for the setting."""
    if settings.get_text(db, "embedding_model") == "none" or not has_vectors(db):
        return None
    from memory_db.index.semantic import open_semantic  # noqa: PLC0415  # start-up: numpy and the model

    return open_semantic(db)


def print_answer(answer: Answer, *, explain: bool) -> None:
    """Prints the hits, best first, and why there are none if there are none."""
    for line in answer_lines(answer, (lambda hit: details_of(hit, answer)) if explain else None):
        click.echo(line)
    if explain:
        asked = answer.recalled.query_features
        for line in describe_wording(asked.variants, asked.corrected):
            click.echo(f"{printable(line, 200)}.")
        if answer.question.window:
            click.echo(f"{printable(answer.question.window.words, 80)}: read as {read_as(answer.question.window)}.")
        reasons_text = ", ".join(f"{count:,} {reason}" for reason, count in answer.left_out.items()) or "none"
        click.echo(f"Considered {answer.considered_count:,}; left out: {reasons_text}.")
        click.echo(f"Profile {answer.profile.name}@{answer.profile.version}, {answer.duration_ms:.1f} ms.")
    if answer.recall_uid:
        click.echo(how_to_explain(answer), err=True)


def details_of(hit: Placement, answer: Answer) -> Iterator[str]:
    """Every part of a hit's score, and the prompts before it that came to the same."""
    yield from (f"      {line}" for line in signal_lines(hit, answer))
    yield from (f"      {printable(line, 300)}" for line in association.describe(hit.earlier_prompts))


def signal_lines(hit: Placement, answer: Answer) -> list[str]:
    """The parts of a score that count, greatest first."""
    parts = [(answer.profile.weights.get(name, 0.0) * hit.signals[name], name) for name in SIGNALS]
    return [
        f"{part:.4f} = {answer.profile.weights[name]:.2f} × {hit.signals[name]:.4f} {name}"
        for part, name in sorted(parts, reverse=True)
        if part > 0
    ]
