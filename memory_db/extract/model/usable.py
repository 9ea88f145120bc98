"""Which models can read sessions on this machine, and what reading the last week would cost with each.

In: a file, and what llm and PATH know. Out: `UsableModel`s, agents' programs first. Invariant: nothing is asked and
nothing is written; a model without a known price has no price here either, never 0, unless it runs on this machine.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from memory_db.extract.model.estimate import CostEstimate, estimate, price_of
from memory_db.extract.model.jobs import NO_MODEL, PROMPT_OF_WORKERS, waiting
from memory_db.extract.model.prompts import load_prompt
from memory_db.models.agent_programs import BY_MODEL, PROGRAMS
from memory_db.models.consent import is_allowed
from memory_db.models.local import LOCAL_MODEL
from memory_db.store.dates import utc_text

if TYPE_CHECKING:
    import llm

WEEK = timedelta(days=7)

OLLAMA = "llm_ollama"
"""Module of the plugin whose models run on this machine."""


@dataclass(frozen=True, slots=True)
class UsableModel:
    """A model that could read sessions. `way` says how it is asked, `trouble` why it cannot be now (else empty).

    `others` models more are reached the same way. `needs_consent`: whether a person has to allow it first.
    `week_nanocents`: what reading the sessions of the last week would cost; None where no price is known.
    """

    model_id: str
    way: str
    trouble: str
    others: int
    needs_consent: bool
    week_nanocents: int | None


def last_week(db: sqlite3.Connection, *, now: datetime, model_id: str = NO_MODEL) -> CostEstimate:
    """What reading the sessions that began in the last week would take, by whichever model."""
    prompt = load_prompt(PROMPT_OF_WORKERS)
    return estimate(db, prompt, model_id, waiting(db, prompt, model_id, since=utc_text(now - WEEK)), now=now)


def usable_models(db: sqlite3.Connection, week: CostEstimate, *, now: datetime) -> list[UsableModel]:
    """The models that can read sessions here, and agents' programs that cannot yet, with the reason."""
    import llm  # noqa: PLC0415  # start-up: llm and its plugins take a second

    by_way: dict[str, list[llm.Model]] = {}
    for model in llm.get_models():
        if model.model_id not in BY_MODEL and (way := way_to(model)):
            by_way.setdefault(way, []).append(model)
    default = str(llm.get_default_model())  # type: ignore[no-untyped-call]
    return [
        *agent_programs(db, week, now=now),
        *(chosen(db, way, models, default, week, now) for way, models in sorted(by_way.items())),
    ]


def agent_programs(db: sqlite3.Connection, week: CostEstimate, *, now: datetime) -> Iterator[UsableModel]:
    """Agents' programs, those that are missing too."""
    for program in PROGRAMS:
        trouble = "" if program.path() else f"no program `{program.program}` on PATH"
        way = f"{program.title}'s own program, with its login"
        yield UsableModel(
            program.model_id, way, trouble, 0, not is_allowed(db, program.model_id),
            week_cost(db, program.model_id, week, now),
        )  # fmt: skip


def way_to(model: llm.Model) -> str:
    """How a model of llm is reached; empty where its key is missing."""
    import llm  # noqa: PLC0415  # start-up: llm and its plugins take a second

    if model.model_id == LOCAL_MODEL:
        return "on this machine (it shows that all runs, and reads poorly)"
    if type(model).__module__.partition(".")[0] == OLLAMA:
        return "on this machine by Ollama, unless OLLAMA_HOST names another"
    if not model.needs_key:
        return f"the plugin {type(model).__module__.partition('.')[0]} of llm"
    try:
        model.get_key()
    except llm.NeedsKeyException:
        return ""
    return f"the key {model.needs_key} of llm"


def chosen(
    db: sqlite3.Connection, way: str, models: Sequence[llm.Model], default: str, week: CostEstimate, now: datetime
) -> UsableModel:
    """One model for all that are reached the same way: llm's default one, else the cheapest."""
    costs = {str(model.model_id): week_cost(db, str(model.model_id), week, now) for model in models}
    cheapest = min(costs, key=lambda name: (costs[name] is None, costs[name] or 0))
    name = default if default in costs else cheapest
    is_here = way.startswith("on this machine")
    return UsableModel(name, way, "", len(costs) - 1, False, 0 if is_here else costs[name])


def week_cost(db: sqlite3.Connection, model_id: str, week: CostEstimate, now: datetime) -> int | None:
    """What the last week costs with a model, in nanocents; None without a known price."""
    price = price_of(db, model_id, now)
    return price.of(week.input_tokens, week.output_tokens) if price else None
