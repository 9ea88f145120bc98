"""The commands on which models may read sessions: list, allow, disallow."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import click

from memory_db.cli.common import Command, answering, moment, print_json, print_table, printable, writing
from memory_db.cli.options import changing_options, reading_options, yes_option
from memory_db.errors import InputError
from memory_db.extract.model import usable
from memory_db.extract.model.estimate import CostEstimate
from memory_db.extract.model.jobs import PROMPT_OF_WORKERS, waiting
from memory_db.extract.model.prompts import load_prompt
from memory_db.extract.model.read import next_portion
from memory_db.models.agent_programs import BY_MODEL, PROGRAMS, AgentProgram
from memory_db.models.budget import money
from memory_db.store import settings

EXCERPT_CHARACTERS = 600


@click.command("list", cls=Command)
@reading_options
def list_(database: Path | None, as_json: bool) -> None:
    """List the models that can read sessions on this machine, and what the last week would cost."""
    with answering(database) as db:
        week = usable.last_week(db, now=moment())
        found = usable.usable_models(db, week, now=moment())
    if as_json:
        print_json({"week": dataclasses.asdict(week), "models": [dataclasses.asdict(each) for each in found]})
        return
    print_table(
        ["model", "how", "state", "the last week"],
        [[each.model_id, way_text(each), state_text(each), cost_text(each.week_nanocents)] for each in found],
    )
    click.echo(
        f"The last week is {week.sessions:,} sessions{too_short_text(week)} in {week.calls:,} calls, about"
        f" {week.input_tokens:,} tokens in and {week.output_tokens:,} out. Prices are estimates; a plan may count them"
        " as its own use."
    )
    if any(each.needs_consent and not each.trouble for each in found):
        click.echo("`memory-db model allow MODEL` shows what would be sent, and asks.")


def too_short_text(found: CostEstimate) -> str:
    """How many of the sessions no model is asked about."""
    return f" ({found.too_short:,} of them too short to be asked about)" if found.too_short else ""


def way_text(found: usable.UsableModel) -> str:
    """How a model is reached, with how many others are."""
    return f"{found.way}, and {found.others:,} more" if found.others else found.way


def state_text(found: usable.UsableModel) -> str:
    """Whether a model may be asked."""
    return found.trouble or ("not allowed yet" if found.needs_consent else "ready")


def cost_text(nanocents: int | None) -> str:
    """What a week costs, in words."""
    return "no known price" if nanocents is None else "nothing" if nanocents == 0 else f"about {money(nanocents)}"


def program_of(model: str) -> AgentProgram:
    """The program that a model asks. Raises: InputError for any other model."""
    program = BY_MODEL.get(model)
    if program is None:
        names = ", ".join(each.model_id for each in PROGRAMS)
        raise InputError(
            f"{model!r} needs no such consent: it is for {names}. Others are set up in llm, with your key."
        )
    return program


@click.command(cls=Command)
@click.argument("model")
@yes_option
@changing_options
def allow(model: str, yes: bool, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Let an agent's program read sessions, after showing what would be sent.

    Kept as the setting allow_..._cli, once for each provider. Nothing is sent by this command.
    """
    program = program_of(model)
    with writing(database, dry_run=dry_run, create=False) as db:
        if as_json and not yes:
            raise InputError("With --json nobody can be asked. Add --yes, or leave --json out.")
        before = usable.last_week(db, now=moment(), model_id=program.model_id)
        if not as_json:
            click.echo("\n".join(what_would_be_sent(db, program, before)))
        is_new = not settings.get(db, program.setting)
        is_allowed = not is_new or yes or click.confirm(f"May {program.title} send this to {program.provider}?")
        if is_allowed:
            settings.put(db, program.setting, "true", now=moment())
    if as_json:
        print_json({"model": model, "allowed": is_allowed, "changed": is_new, "dry_run": dry_run})
        return
    end = " (not kept: dry run)" if dry_run else ""
    if is_allowed:
        click.echo(f"Allowed{'' if is_new else ' already'}{end}.")
        click.echo(f"Read the five newest sessions: `memory-db extract -m {model} --limit 5`.")
        click.echo(f"Read new ones as they come: `memory-db settings extraction_model {model}` and")
        click.echo("`memory-db settings model_extraction new`.")
    else:
        click.echo("Not allowed; nothing was sent.")


def what_would_be_sent(db: sqlite3.Connection, program: AgentProgram, week: CostEstimate) -> Iterator[str]:
    """What a person is shown before they say yes: how much, an excerpt, and where it goes."""
    model_id, prompt = program.model_id, load_prompt(PROMPT_OF_WORKERS)
    waits = waiting(db, prompt, model_id)
    there = "" if program.path() else f" It is not on PATH now: no program `{program.program}`."
    yield (
        f"{model_id} runs `{program.program}` with the login that it has, and {program.title} sends to"
        f" {program.provider} what people and agents said in your sessions, the memories near that, and the names of"
        f" other projects of the month before, secrets redacted.{there}"
    )
    cost = cost_text(week.cost_nanocents)
    yield (
        f"The last week: {week.sessions:,} sessions{too_short_text(week)}, {week.calls:,} calls, about"
        f" {week.input_tokens:,} tokens; cost: {cost}. In all {len(waits):,} sessions wait."
    )
    portions = (next_portion(db, session.session_id, prompt, model_id) for session in waits)
    text = next((portion.text for portion in portions if portion is not None and portion.text), "")
    yield f"So it would begin: {printable(text, EXCERPT_CHARACTERS)}" if text else "No session waits to be sent now."
    yield "Each call is a row of model_calls with the entries that were sent, its tokens and its cost."


@click.command(cls=Command)
@click.argument("model")
@changing_options
def disallow(model: str, database: Path | None, dry_run: bool, as_json: bool) -> None:
    """Take back that an agent's program may read sessions."""
    program = program_of(model)
    with writing(database, dry_run=dry_run, create=False) as db:
        was = bool(settings.get(db, program.setting))
        settings.put(db, program.setting, "false", now=moment())
    if as_json:
        print_json({"model": model, "allowed": False, "changed": was, "dry_run": dry_run})
        return
    click.echo(f"{model} is sent nothing any more{' (not kept: dry run)' if dry_run else ''}.")
