"""What reading sessions with a model would take, before anything is spent.

In: a prompt, a model, and the sessions that wait. Out: calls, tokens and a range of prices. Invariants: nothing is
asked and nothing is written; a model without a known price has no price here either, never 0.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from memory_db.extract.model.chunks import PORTION_TOKENS
from memory_db.extract.model.jobs import WaitingSession
from memory_db.extract.model.known import KEPT_SHARE, KNOWN_SHARE, shown_before
from memory_db.extract.model.prompts import Prompt
from memory_db.extract.model.read import MOST_ATTEMPTS, waiting_portions
from memory_db.models.agent_programs import priced_as
from memory_db.models.prices import price_at
from memory_db.models.tokens import count_tokens, quoted_prices
from memory_db.store.dates import utc_text

GUESSED_OUTPUT = (80, 400, 5_200)
"""Tokens of an answer where this file has too few of its own to go by: the least, the usual, the most.
Source: counted on answers of the form that is asked for: an empty list with its episode, three short memories, and
of the most as many as are read (`MOST_MEMORIES`), by two dozen as long as those of the labelled sessions."""

FEWEST_CALLS = 5
"""Answers of one's own that are a better guess than ours."""

PAST_OUTPUT = """
select count(*) as calls, min(output_tokens) as low, round(avg(output_tokens)) as usual, max(output_tokens) as high
from model_calls where purpose = :prompt and error is null and (:model is null or model = :model)
"""


@dataclass(frozen=True, slots=True)
class Output:
    """Tokens that an answer takes, and what that was taken from."""

    low: int
    usual: int
    high: int
    source: str


@dataclass(frozen=True, slots=True)
class Price:
    """What a token costs, in nanocents."""

    input_nanocents: int
    output_nanocents: int

    def of(self, input_tokens: int, output_tokens: int) -> int:
        """What so many tokens cost, in nanocents."""
        return input_tokens * self.input_nanocents + output_tokens * self.output_nanocents


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What it would take to read everything that waits.

    `too_short` of the `sessions` hold hardly any prose and are not asked about. Tokens are counted by our vocabulary.
    Prices are None where none is known: `cost_low_nanocents` with the shortest answers and nothing asked twice,
    `cost_high_nanocents` with the longest answers and everything asked twice.
    """

    prompt: str
    version: str
    model: str
    sessions: int
    too_short: int
    calls: int
    input_tokens: int
    output_tokens_low: int
    output_tokens: int
    output_tokens_high: int
    cost_low_nanocents: int | None
    cost_nanocents: int | None
    cost_high_nanocents: int | None
    output_source: str


def estimate(
    db: sqlite3.Connection, prompt: Prompt, model_id: str, sessions: Sequence[WaitingSession], *, now: datetime,
    most_tokens: int = PORTION_TOKENS,
) -> CostEstimate:  # fmt: skip
    """What reading these sessions would take."""
    calls = transcript_tokens = too_short = 0
    for session in sessions:
        portions = [*waiting_portions(db, session.session_id, prompt, model_id, most_tokens=most_tokens)]
        asked = [portion for portion in portions if not portion.skip_reason]
        calls += len(asked)
        transcript_tokens += sum(portion.tokens for portion in asked)
        if prompt.is_shown_known:
            shown = (shown_before(db, portion, most_tokens, looks_over=prompt.looks_over) for portion in asked)
            transcript_tokens += sum(count_tokens(each.text) for each in shown)
        too_short += not asked
    output = expected_output(db, prompt.name, model_id)
    input_tokens = transcript_tokens + calls * prompt_tokens(prompt)
    price = price_of(db, model_id, now)
    low, usual, high = (calls * each for each in (output.low, output.usual, output.high))
    return CostEstimate(
        prompt.name, prompt.version, model_id, len(sessions), too_short, calls, input_tokens, low, usual, high,
        price.of(input_tokens, low) if price else None, price.of(input_tokens, usual) if price else None,
        most_cost(price, input_tokens, high) if price else None, output.source,
    )  # fmt: skip


def prompt_tokens(prompt: Prompt) -> int:
    """Tokens of one call besides the transcript: the prompt, and the schema, which a provider may count too."""
    return count_tokens("\n".join(prompt.filled(""))) + schema_tokens(json.dumps(prompt.schema, sort_keys=True))


@cache
def schema_tokens(schema: str) -> int:
    """The tokens of a schema as text."""
    return count_tokens(schema)


def expected_output(db: sqlite3.Connection, prompt: str, model_id: str) -> Output:
    """How long answers to a prompt are: those of this model in this file, else those of any model, else our guess."""
    for model, whose in ((model_id, model_id), (None, "any model")):
        row = db.execute(PAST_OUTPUT, {"prompt": prompt, "model": model}).fetchone()
        if row["calls"] >= FEWEST_CALLS:
            return Output(
                row["low"], int(row["usual"]), row["high"], f"{row['calls']:,} answers of {whose} in this file"
            )
    return Output(*GUESSED_OUTPUT, "a guess: this file has too few answers to this prompt")


def price_of(db: sqlite3.Connection, model_id: str, now: datetime) -> Price | None:
    """What a model costs now: by the file's rows, else by the library that comes along; None where neither knows it.

    An agent's program costs what the model does that it asks.
    """
    for name in dict.fromkeys((model_id, priced_as(model_id))):
        row = price_at(db, name, utc_text(now))
        if row is not None:
            return Price(row["input_nanocents"], row["output_nanocents"])
        if quotes := quoted_prices(name):
            return Price(*quotes[-1][1][:2])
    return None


def most_cost(price: Price, input_tokens: int, output_tokens: int) -> int:
    """What calls cost where each has to be asked again."""
    return MOST_ATTEMPTS * price.of(input_tokens, output_tokens)


def most_cost_of_call(db: sqlite3.Connection, prompt: Prompt, model_id: str, portion_tokens: int, now: datetime) -> int:
    """What a portion of so many tokens may cost at most, in nanocents; 0 for a model without a known price."""
    price = price_of(db, model_id, now)
    if price is None:
        return 0
    known = int(PORTION_TOKENS * (KNOWN_SHARE + KEPT_SHARE)) if prompt.is_shown_known else 0
    tokens = portion_tokens + known + prompt_tokens(prompt)
    return most_cost(price, tokens, expected_output(db, prompt.name, model_id).high)
