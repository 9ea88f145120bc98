"""The command that says beforehand what extracting with a model would take: estimate."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import click

from memory_db.cli.common import Command, moment, print_json, reading
from memory_db.cli.options import (
    model_option,
    reading_options,
)
from memory_db.cli.pipeline.extract import prompt_option, sessions_option
from memory_db.extract.model.chunks import PORTION_TOKENS
from memory_db.extract.model.estimate import CostEstimate
from memory_db.extract.model.estimate import estimate as estimated
from memory_db.extract.model.jobs import NO_MODEL, waiting
from memory_db.extract.model.prompts import load_prompt
from memory_db.extract.model.read import portion_tokens
from memory_db.models.budget import money
from memory_db.models.calls import find_model
from memory_db.store import settings as settings_rows


@click.command(cls=Command)
@model_option
@prompt_option
@sessions_option
@reading_options
def estimate(
    model_name: str | None, prompt_name: str, limit: int | None, database: Path | None, as_json: bool
) -> None:  # fmt: skip
    """Estimate what extracting with a model would take: calls, tokens, price.

    Nothing is asked. Without -m the model of the setting extraction_model; without that either, everything but a price.
    """
    prompt = load_prompt(prompt_name)
    with reading(database) as db:
        name = model_name or settings_rows.get_text(db, "extraction_model")
        model = None if name == NO_MODEL else find_model(name)
        model_id = str(model.model_id) if model else NO_MODEL
        sessions = waiting(db, prompt, model_id)[:limit]
        most_tokens = portion_tokens(model) if model else PORTION_TOKENS
        found = estimated(db, prompt, model_id, sessions, now=moment(), most_tokens=most_tokens)
    if as_json:
        print_json(dataclasses.asdict(found))
    else:
        click.echo("\n".join(estimate_lines(found)))


def estimate_lines(found: CostEstimate) -> Iterator[str]:
    """An estimate in words."""
    short = f", {found.too_short:,} of them too short to be asked about" if found.too_short else ""
    model = "a model (none is named)" if found.model == NO_MODEL else found.model
    yield f"{found.sessions:,} sessions wait for {model} with the prompt {found.prompt} {found.version}{short}."
    yield f"{found.calls:,} calls, {found.input_tokens:,} tokens in."
    yield (
        f"{found.output_tokens_low:,} to {found.output_tokens_high:,} tokens out, about {found.output_tokens:,}"
        f" (by {found.output_source})."
    )
    low, usual, high = found.cost_low_nanocents, found.cost_nanocents, found.cost_high_nanocents
    if low is None or usual is None or high is None:
        yield "No price is known: a local model costs nothing, of another one see its provider."
    else:
        yield f"{money(low)} to {money(high)}, about {money(usual)}; the most is where every answer is asked for twice."
