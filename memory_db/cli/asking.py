"""Commands that ask and add: recall, why, get, add."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import click

from memory_db.cli.common import (
    Command,
    answering,
    cell_text,
    log_asked,
    moment,
    print_json,
    print_table,
    printable,
    reading,
    take_in_answered,
    writing,
)
from memory_db.cli.history import moment_of
from memory_db.cli.options import (
    as_of_option,
    before_option,
    changing_options,
    for_user_option,
    kind_option,
    only_project_option,
    own_project_option,
    question_options,
    reading_options,
    since_option,
)
from memory_db.cli.reviewing import note_near
from memory_db.errors import InputError
from memory_db.gate.preview import near_data, near_enough, preview
from memory_db.index import build as index
from memory_db.knowledge import memories
from memory_db.recall.answer import answer_data
from memory_db.recall.brief.allowed import BELOW_THRESHOLD
from memory_db.recall.brief.for_model import why_silent
from memory_db.recall.brief.log import name_recall
from memory_db.recall.brief.placement import Placement
from memory_db.recall.brief.select import Answer, ask
from memory_db.recall.explain import why as reasons
from memory_db.recall.explain import why_not
from memory_db.recall.explain.lookup import look_up
from memory_db.recall.question_dates import read_as, with_window
from memory_db.recall.scoring import SIGNALS
from memory_db.recall.search import SCOPES, Filters, Question
from memory_db.store import settings
from memory_db.store.settings import user_zone
from memory_db.text.wording import describe_wording
from memory_db.transcripts.projects import find_project, known_project, project_named, resolve_project

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
                since=since,
                before=before,
                as_of=moment_of(db, as_of) if as_of else None,
                kinds=kinds,
                tags=tags,
            ),
            paths=paths,
            limit=settings.get_integer(db, "recall_limit") if limit is None else limit,
            budget_tokens=budget,
        )
        now = moment()
        question = with_window(db, question, now, user_zone(db))
        answer = ask(db, question, surface=SURFACE, now=now, semantic=index.open_semantic(db), log=False)
        if not no_log:
            name_recall(db, answer, now=now)
    try:
        print_json(answer_data(answer, now)) if as_json else print_answer(answer, explain=explain)
    finally:  # also where the reader of our output has gone
        if not no_log:
            log_asked(database, answer, surface=SURFACE, now=now)


def print_answer(answer: Answer, *, explain: bool) -> None:
    """Prints the hits, best first, and why there are none if there are none."""
    if answer.abstained:
        click.echo(f"Nothing shown: {why_nothing(answer)}")
    for hit in answer.shown:
        click.echo(f"{hit.rank:>2}. {hit.score:.4f}  {hit.uid}  {printable(hit.text, 160)}")
        replaced = printable(hit.replaced, 100)
        until = f"until {hit.valid_to[:10]}" if hit.valid_to else ""
        where = " · ".join(filter(None, [hit.type, hit.kind, hit.project, hit.created_at[:10], until, replaced]))
        click.echo(f"    {where}")
        if explain:
            for line in signal_lines(hit, answer):
                click.echo(f"      {line}")
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
        click.echo(f"Explained by: memory-db why {answer.recall_uid}", err=True)


def why_nothing(answer: Answer) -> str:
    """Why an answer shows nothing, in words."""
    if not answer.considered_count and answer.question.filters.as_of:
        return (
            f"of what was recorded by {answer.question.filters.as_of[:10]}, nothing shares a word or a meaning with the"
            " question (as-of goes by when a memory was recorded here, --before by when it was said)."
        )
    if not answer.considered_count:
        return "no memory or entry shares a word or a meaning with the question, or the filters leave none."
    counts = ", ".join(f"{count:,} {reason}" for reason, count in answer.left_out.items())
    if why := why_silent(answer):
        return f"{why}. {answer.considered_count:,} were considered ({counts}); `memory-db recall` shows them."
    if BELOW_THRESHOLD in answer.left_out:
        reason = f"nothing reached the threshold of {answer.profile.name}, {answer.profile.threshold:g}"
        return f"{answer.considered_count:,} were considered, but {reason}: {counts}."
    return f"{answer.considered_count:,} were considered, but {counts}."


def signal_lines(hit: Placement, answer: Answer) -> list[str]:
    """The parts of a score that count, greatest first."""
    parts = [(answer.profile.weights.get(name, 0.0) * hit.signals[name], name) for name in SIGNALS]
    return [
        f"{part:.4f} = {answer.profile.weights[name]:.2f} × {hit.signals[name]:.4f} {name}"
        for part, name in sorted(parts, reverse=True)
        if part > 0
    ]


@click.command(cls=Command)
@click.argument("recall_id")
@click.argument("uid", required=False)
@click.option("--not", "missed", metavar="UID|WORDS", help="Why this was not shown, in plain words.")
@reading_options
def why(recall_id: str, uid: str | None, missed: str | None, database: Path | None, as_json: bool) -> None:
    """Explain why a recall showed what it showed.

    With UID: one hit of it, shown or not, with every signal to the last digit.
    """
    if uid and missed:
        raise InputError(f"Ask one thing: UID {uid!r} for its numbers, or --not for why it was not shown.")
    take_in_answered(database)
    with reading(database) as db:
        if missed:
            answer = why_not.why_not(db, recall_id, missed, semantic=lambda: index.open_semantic(db))
            print_json(answer) if as_json else print_why_not(answer)
            return
        if uid:
            reason = reasons.explain_hit(db, recall_id, uid, semantic=index.open_semantic(db))
            if as_json:
                print_json(reason)
                return
            click.echo(f"{reason['uid']}: {reason['outcome']}")
            print_table(
                ("signal", "weight", "value", "part"),
                [(p["signal"], p["weight"], repr(p["value"]), repr(p["part"])) for p in reason["parts"]],
            )
            click.echo(f"score {reason['score']!r}, logged {reason['logged_score']!r}")
            click.echo("features " + json.dumps(reason["features"]))
            return
        found = reasons.explain_recall(db, recall_id)
    if as_json:
        print_json(found)
        return
    click.echo(f"{found['recall']}: {printable(found['query'], 200)}")
    click.echo(
        f"asked {found['asked_at']} by {found['surface']}, profile {found['profile']}, {found['duration_ms']:.1f} ms,"
        f" {found['considered_count']:,} considered"
    )
    for line in describe_wording(found["features"].get("variants", {}), found["features"].get("corrected", {})):
        click.echo(printable(line, 200))
    if window := found["context"].get("window"):
        click.echo(f"{printable(window['words'], 80)}: read as {found['read_as']}")
    print_table(
        ("rank", "uid", "score", "outcome", "strongest signals", "text"),
        [
            (
                hit["rank"],
                hit["uid"],
                hit["score"],
                hit["left_out_reason"] or "shown",
                hit["strongest"],
                cell_text(hit["text"])[:50],
            )
            for hit in found["hits"][: max(15, found["shown_count"])]
        ],
    )
    click.echo("left out: " + (", ".join(f"{n:,} {reason}" for reason, n in found["left_out"].items()) or "none"))


def print_why_not(answer: dict[str, Any]) -> None:
    """Prints why something was not shown, and what its signals cost it."""
    for line in why_not.describe_why_not(answer):
        click.echo(printable(line, 400))
    if answer.get("differences"):
        last = answer["last_shown"]
        against = printable(last["uid"], 40) if last else "most"
        rows = [(d["signal"], d["weight"], d["value"], d["other_value"], d["cost"]) for d in answer["differences"]]
        print_table(("signal", "weight", "value", against, "cost it"), rows)


@click.command(cls=Command)
@click.argument("uid")
@as_of_option
@reading_options
def get(uid: str, as_of: str | None, database: Path | None, as_json: bool) -> None:
    """Show a memory, entry, session or recall in full, by its uid."""
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
@click.argument("text")
@kind_option
@click.option("--title", help="Default: the beginning of the text.")
@own_project_option
@for_user_option
@click.option("--tag", "tags", multiple=True, help="A tag to find it by; may be repeated.")
@click.option("--path", "paths", multiple=True, help="A file it is about.")
@click.option("--key", "keys", multiple=True, help="Another word to find it by.")
@click.option("--condition", help="The task or moment it is for; default: what the text says of it.")
@click.option("--importance", type=click.IntRange(1, 5), default=3, show_default=True, help="5 matters most.")
@changing_options
def add(
    text: str,
    kind: str,
    title: str | None,
    project: str | None,
    for_user: bool,
    tags: tuple[str, ...],
    paths: tuple[str, ...],
    keys: tuple[str, ...],
    condition: str | None,
    importance: int,
    database: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Add a memory in your own words."""
    if for_user and project:
        raise InputError("A memory holds either in every project or in one. Leave out --user or --project.")
    scope = "user" if for_user else "project"
    with writing(database, dry_run=dry_run) as db:
        project_id = None if for_user else project_for(db, project)
        near = near_enough(preview(db, text, kind=kind, scope=scope, project_id=project_id))
        uid = memories.add_memory(
            db,
            text=text,
            kind=kind,
            title=title,
            scope=scope,
            project_id=project_id,
            tags=tags,
            paths=paths,
            keys=keys,
            condition=condition,
            importance=importance,
            origin="user",
            changed_by="user",
            reason="added on the command line",
            now=moment(),
        )
        index.run(db, now=moment(), entries=False)
    note_near(near)
    if as_json:
        print_json({"uid": uid, "near": [near_data(each) for each in near], "dry_run": dry_run})
    else:
        click.echo(f"{uid}{' (not kept: dry run)' if dry_run else ''}")


def project_for(db: sqlite3.Connection, name: str | None) -> int:
    """The project that was named, or that of this folder; a folder that no project has becomes one.

    Raises: NotFoundError for a name that is neither a project's nor a folder's.
    """
    folder = Path(name).expanduser() if name else Path.cwd()
    if name and (find_project(db, name) is not None or not folder.is_dir()):
        return project_named(db, name)
    return resolve_project(db, str(folder.resolve()), now=moment())


__all__ = ["add", "get", "recall", "why"]
