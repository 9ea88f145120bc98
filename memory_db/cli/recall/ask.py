"""The command that puts a question to a model: ask."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from memory_db.agents.llm import ask as conversing
from memory_db.agents.llm.ask import Answered, Asking, ModelRequest
from memory_db.cli.common import Command, moment, print_json, printable, reading, writing
from memory_db.cli.options import (
    database_option,
    json_option,
    only_project_option,
    profile_option,
)
from memory_db.cli.pipeline.exchange import folder_of, read_text
from memory_db.errors import InputError, ModelError
from memory_db.index import build as index
from memory_db.models.budget import money
from memory_db.models.calls import find_model, refuse_without_key
from memory_db.models.streaming import BY_READER
from memory_db.pages.web.ready import ready_rows
from memory_db.recall.brief import select as brief
from memory_db.recall.brief.for_model import NOTHING_ANSWERS, nearest_to, why_silent
from memory_db.recall.first_answer import NOTHING, SESSIONS, first_answer
from memory_db.recall.question_dates import with_window
from memory_db.recall.search import Filters, Question
from memory_db.store import settings
from memory_db.transcripts import exchanges
from memory_db.transcripts.projects import known_project, project_named
from memory_db.upkeep.export import harmless

STOPPED_BY_USER = 130
"""Exit code after Ctrl-C, as shells have it: 128 and the number of the signal."""


@click.command(cls=Command)
@click.argument("prompt", required=False)
@click.option("-m", "--model", "model_name", help="A model by its name or alias in `llm models`; else llm's default.")
@click.option("-s", "--system", default="", help="System prompt.")
@click.option("-o", "--option", "options", type=(str, str), multiple=True, help="An option of the model: NAME VALUE.")
@click.option("-c", "--continue", "goes_on", is_flag=True, help="Go on with the last conversation.")
@click.option("--session", "session_uid", help="Go on with this conversation, by its uid.")
@only_project_option
@click.option("--budget", type=click.IntRange(50, 200_000), help="Tokens that the brief may take.")
@profile_option
@click.option("--no-memory", is_flag=True, help="Send no brief.")
@click.option("--no-capture", is_flag=True, help="Keep no word of question and answer, only what the call took.")
@click.option("--no-model", is_flag=True, help="Answer with rows alone: what holds since when, or a ready question.")
@click.option("--dry-run", is_flag=True, help="Show what would be sent and what it may cost; ask nobody.")
@database_option
@json_option
def ask(
    prompt: str | None, model_name: str | None, system: str, options: tuple[tuple[str, str], ...], goes_on: bool,
    session_uid: str | None, project: str | None, budget: int | None, profile: str | None, no_memory: bool,
    no_capture: bool, no_model: bool, dry_run: bool, database: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Ask a model, and give it what is remembered on the question.

    The answer is printed as it comes; question and answer are kept as a session. What is piped in stands before PROMPT.
    """
    if goes_on and session_uid is not None:
        raise InputError("Go on with one conversation: leave out -c or --session.")
    piped = "" if sys.stdin is None or sys.stdin.isatty() else read_text("-", "prompt").strip()
    text = exchanges.checked_text("\n\n".join(part for part in (piped, prompt or "") if part.strip()), "prompt")
    if no_model:
        if model_name is not None or no_memory:
            raise InputError("--no-model answers with what is remembered: leave out -m and --no-memory.")
        show_first(database, text, project, profile, as_json=as_json)
        return
    model = find_model(model_name if model_name is not None else default_model())
    chosen = conversing.checked_options(model, dict(options))
    if not dry_run:
        refuse_without_key(model)  # before what is remembered is looked for, which takes seconds
    with reading(database) if dry_run else writing(database) as db:
        project_id = project_named(db, project) if project else known_project(db, Path.cwd())
        if goes_on or session_uid is not None:
            talk = exchanges.conversation(db, session_uid)
        else:
            talk = conversing.new_conversation(db, text, folder_of(db, project), now=moment())
        asking = Asking(
            text, model, talk, system, chosen, remembers=not no_memory, captures=not no_capture,
            recall_by=f"{prompt or ''}\n{piped}".strip(),  # the first words count: those that were typed
            profile=profile or settings.get_text(db, "default_profile"), project_id=project_id,
            only_project=project is not None, budget_tokens=budget,
        )  # fmt: skip
        semantic = None if no_memory else index.open_semantic(db)
        if dry_run:
            print_request(
                asking, conversing.model_request(db, asking, now=moment(), semantic=semantic), as_json=as_json
            )
            return
        show = (lambda piece: None) if as_json else show_piece
        answered = conversing.ask(db, asking, show, clock=moment, semantic=semantic)
    print_answered(answered, as_json=as_json)


def show_first(database: Path | None, text: str, project: str | None, profile: str | None, *, as_json: bool) -> None:
    """Prints what answers a question without a model, as the Ask page begins; nothing is logged."""
    with reading(database) as db:
        semantic = index.open_semantic(db)
        question = Question(
            text, profile=profile or settings.get_text(db, "default_profile"),
            project_id=project_named(db, project) if project else known_project(db, Path.cwd()),
            filters=Filters(only_project=project is not None), limit=settings.get_integer(db, "recall_limit"),
        )  # fmt: skip
        question = with_window(db, question, moment(), settings.user_zone(db))
        answer = brief.ask(db, question, surface="cli", now=moment(), semantic=semantic, log=False)
        told = first_answer(db, answer, semantic).as_dict()
        procedures = [each.text for each in answer.procedures]
        if told["ready"]:
            told["ready"] = ready_rows(db, told["ready"]["name"], told["ready"]["parameters"])
    if as_json:
        print_json({"procedures": procedures, **told})
        return
    for line in procedures or first_lines(told):
        click.echo(harmless(line))


def first_lines(told: dict[str, Any]) -> list[str]:
    """What answers a question, a line for each clause, each with the uid that it rests on."""
    if ready := told["ready"]:
        rows = [
            " · ".join("" if value is None else printable(str(value), 100) for value in row)
            for row in ready["rows"] or []
        ]
        count = "it takes a while" if ready["count"] is None else f"{ready['count']:,} rows"
        return [ready["title"], *rows, f"{count}; all of them are on the page {ready['name']}"]
    if told["sort"] == SESSIONS:
        lines = [
            f"{each['began_at'][:16].replace('T', ' ')} UTC"
            f"  {printable(each['title'] or each['first_prompt'] or '', 100)} [{each['uid']}]"
            for each in told["sessions"] or told["nearest"]
        ]
        if told["sessions"]:
            return ["Sessions of that time:", *lines]
        return [f"There was no session then.{' The nearest:' * bool(lines)}", *lines]
    clauses = [
        f"{WHEN[each['what']].format(**dated(each))} {printable(each['text'], 400)} [{each['uid']}]"
        for each in told["clauses"]
    ]
    if told["sort"] != NOTHING:
        return clauses
    return ["Nothing known." + " Nearest:" * bool(clauses), *clauses]


WHEN = {
    "held": "{since} to {until}:", "holds": "since {since}:", "said": "said {since}:", "near": "  {since}:",
    "contradicted": "said otherwise {since}, undecided:",
}  # fmt: skip


def dated(clause: dict[str, Any]) -> dict[str, str]:
    """The days of a clause."""
    return {name: (clause[name] or "")[:10] for name in ("since", "until")}


def default_model() -> str:
    """The model that llm takes where none is named."""
    from llm import get_default_model  # noqa: PLC0415  # start-up: llm and its plugins take a second

    return str(get_default_model())  # type: ignore[no-untyped-call]


def show_piece(piece: str) -> None:
    """Prints a piece of an answer at once."""
    click.echo(harmless(piece), nl=False)
    sys.stdout.flush()


def print_request(asking: Asking, sent: ModelRequest, *, as_json: bool) -> None:
    """Prints what would be sent."""
    name = asking.model.model_id
    if as_json:
        print_json(
            {
                "model": name, "system": sent.system, "past": [list(pair) for pair in sent.past],
                "past_left_out": sent.past_left_out, "brief": sent.brief, "prompt": sent.prompt,
                "options": dict(asking.options), "input_tokens": sent.input_tokens,
                "output_tokens": sent.output_tokens, "cost_nanocents": sent.cost_nanocents,
            }
        )  # fmt: skip
        return
    for title, text in (("System prompt", sent.system), ("Brief", sent.brief), ("Prompt", sent.prompt)):
        if text:
            click.echo(f"{title}:\n{harmless(text)}\n")
    if silent := nothing_sent(sent):
        click.echo(silent)
    if sent.past:
        click.echo(f"Before the prompt: {len(sent.past)} earlier questions with their answers.")
    usual = f"about {money(sent.cost_nanocents)}" if sent.cost_nanocents is not None else "its price is not known"
    click.echo(f"{name}: {sent.input_tokens:,} tokens in, about {sent.output_tokens:,} out, {usual}. Nobody was asked.")


def print_answered(answered: Answered, *, as_json: bool) -> None:
    """Prints how a question ended; the answer itself stands on stdout already.

    Raises: ModelError where the model failed; BrokenPipeError where nobody read on.
    """
    came, called = answered.streamed, answered.called
    kept = f"The question is kept in session {answered.session_uid}" if answered.session_uid else ""
    if came.stopped == BY_READER:
        raise BrokenPipeError
    if as_json:
        print_json(answered_json(answered))
    elif came.text and not came.text.endswith("\n"):
        click.echo()
    if came.error:
        again = f" {kept}: `memory-db ask --session {answered.session_uid}` goes on there." if kept else ""
        raise ModelError(f"{called.model_id} gave no {'whole ' * bool(came.text)}answer: {came.error}.{again}")
    if came.stopped:
        click.echo(f"Stopped. {'What came is kept, too. ' * bool(came.text)}{kept}{'.' * bool(kept)}".strip(), err=True)
        sys.exit(STOPPED_BY_USER)
    if not as_json:
        if silent := nothing_sent(answered.request):
            click.echo(silent, err=True)
        click.echo(summary(answered), err=True)


def nothing_sent(sent: ModelRequest) -> str:
    """That a model was told nothing, and why; empty where it was told something or nothing was looked for."""
    why = why_silent(sent.answer) if sent.answer else ""
    if not why or not sent.answer:
        return ""
    nearest = f" Nearest: {printable(near, 200)}." if (near := nearest_to(sent.answer)) else ""
    return f"{NOTHING_ANSWERS}, so it was sent without a brief: {why}.{nearest} `memory-db recall` shows all."


def summary(answered: Answered) -> str:
    """What an answer took and where it is, in a line."""
    called = answered.called
    parts = [f"{called.input_tokens:,} tokens in, {called.output_tokens:,} out"]
    if answered.cost_nanocents is not None:
        parts.append(money(answered.cost_nanocents))
    if answered.recall_uid:
        parts.append(f"memory-db why {answered.recall_uid}")
    if answered.session_uid:
        parts.append(f"session {answered.session_uid}")
    return " · ".join(parts)


def answered_json(answered: Answered) -> dict[str, object]:
    """An answer as JSON."""
    called, came = answered.called, answered.streamed
    return {
        "answer": came.text, "model": called.model_id, "session": answered.session_uid, "recall": answered.recall_uid,
        "input_tokens": called.input_tokens, "output_tokens": called.output_tokens,
        "is_counted_by_model": called.is_counted_by_model, "cost_nanocents": answered.cost_nanocents,
        "duration_ms": round(called.duration_ms, 1), "stopped": came.stopped or None, "error": came.error,
    }  # fmt: skip
