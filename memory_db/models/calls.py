"""One call of a model through llm, logged into the same file.

In: a model of llm, a question, and the entries that it is about. Out: `Called`: the answer or the error, with tokens;
and a row of `model_calls` for every call, failed ones too. Invariants: whatever a plugin raises is a value here, and
whatever hangs is given up at the deadline; no transaction is open while a model thinks; llm's own log of the call is by
reference: it says which entries were sent and which row has the answer, and holds no word of either.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from multiprocessing.pool import ThreadPool
from typing import TYPE_CHECKING, Any, Literal

from memory_db.errors import ModelError, NotFoundError
from memory_db.models.prices import price_at
from memory_db.models.tokens import count_tokens, ensure_prices
from memory_db.redact.clean import clean
from memory_db.store import settings
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

if TYPE_CHECKING:
    import llm
    from llm.serialization import MessageDict

DEADLINE_S = 300.0
"""Seconds that a model may take for one answer. Source: ours; a local model of a few hundred million parameters writes
a thousand tokens in half a minute."""

SOURCE = "memory-db:"
"""What the source of a fragment in llm's log begins with that is a reference into this file."""

COST = "cost_nanocents"
"""Where a model says what a call cost: among its token details, or of the error that it raises."""

TIMEOUT_OPTION = "timeout_s"
"""Option of a model that ends its own work at a deadline, in seconds."""

MARGIN_S = 5.0
"""Seconds that such a model is given beyond, to say so. Source: ours; ending a process takes a fraction of one."""

ERROR_CHARACTERS = 500

INSERT_CALL = """
insert into model_calls (extraction_run_id, prompt_id, purpose, session_id, first_entry_id, last_entry_id, attempt,
    model, turn_uid, input_tokens, output_tokens, is_counted_by_model, cost_nanocents, duration_ms, answer, error,
    left_out, created_at)
values (:run_id, :prompt_id, :purpose, :session_id, :first_entry_id, :last_entry_id, :attempt,
    :model, :turn_uid, :input_tokens, :output_tokens, :is_counted_by_model, :cost_nanocents, :duration_ms, :answer,
    :error, :left_out, :created_at)
"""


@dataclass(frozen=True, slots=True)
class ModelPrompt:
    """What a model is asked. `fill` gives system prompt and prompt for a transcript; so the same can be logged with a
    reference in the place of the transcript. `schema` is used where the model supports one."""

    fill: Callable[[str], tuple[str, str]]
    transcript: str
    reference: str
    schema: dict[str, Any] | None = None
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class About:
    """What a call is for: its purpose, and the rows that it belongs to."""

    purpose: str
    run_id: int | None = None
    prompt_id: int | None = None
    session_id: int | None = None
    first_entry_id: int | None = None
    last_entry_id: int | None = None
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Called:
    """What one call gave: `text`, or the `error` in one clean line.

    Tokens are the model's own count where it tells it, else ours of the same texts. `response` is llm's; None where the
    call failed. `cost_nanocents` is what the model itself says that the call cost; None where it does not.
    """

    model_id: str
    text: str
    error: str | None
    input_tokens: int
    output_tokens: int
    is_counted_by_model: bool
    duration_ms: float
    response: llm.Response | None = None
    cost_nanocents: int | None = None


def find_model(name: str) -> llm.Model:
    """The model that llm knows by a name or an alias. Raises: NotFoundError."""
    import llm  # noqa: PLC0415  # start-up: llm and its plugins take a second

    if not name.strip():  # llm would take its default model, which nobody named
        raise NotFoundError("The name of the model is empty. `llm models` lists those that llm knows.")
    try:
        return llm.get_model(name)
    except llm.UnknownModelError as error:
        raise NotFoundError(f"llm knows no model {name!r}. `llm models` lists those it knows.") from error


def refuse_without_key(model: llm.Model) -> None:
    """Refuses a model whose key is not known, before anything is asked of it. Raises: ModelError."""
    import llm  # noqa: PLC0415  # start-up: llm and its plugins take a second

    try:
        model.get_key()
    except llm.NeedsKeyException as error:
        raise ModelError(f"{model.model_id} has no key. Set it with `llm keys set {model.needs_key}`.") from error


def call(model: llm.Model, question: ModelPrompt, *, deadline_s: float = DEADLINE_S) -> Called:
    """The model's answer to a question, or why there is none. It touches no file."""
    system, prompt = question.fill(question.transcript)
    schema = question.schema if model.supports_schema else None
    options = with_deadline(model, question.options, deadline_s)
    margin_s = MARGIN_S if TIMEOUT_OPTION in options else 0.0
    costs: list[int | None] = []

    def asked() -> llm.Response:
        from llm import ModelError as NoAnswerError  # noqa: PLC0415  # start-up: the model has loaded llm already

        response = model.prompt(prompt, system=system or None, schema=schema, stream=False, **options)
        try:
            response.text()
        except NoAnswerError as error:
            costs.append(getattr(error, COST, None))
            raise
        costs.append(told_cost(response))
        return response

    started = time.perf_counter()
    response, error = within(deadline_s + margin_s, asked)
    duration_ms = (time.perf_counter() - started) * 1000
    text = response.text() if response is not None else ""
    tokens_in, tokens_out = (response.input_tokens, response.output_tokens) if response is not None else (None, None)
    is_counted = tokens_in is not None and tokens_out is not None
    return Called(
        model.model_id, text, error, duration_ms=duration_ms, response=response, is_counted_by_model=is_counted,
        input_tokens=tokens_in if tokens_in is not None else counted(system, prompt) if response is not None else 0,
        output_tokens=tokens_out if tokens_out is not None else counted(text),
        cost_nanocents=costs[0] if costs else None,
    )  # fmt: skip


def with_deadline(model: llm.Model, options: dict[str, Any], deadline_s: float) -> dict[str, Any]:
    """Options of a call; for a model that ends its own work at a deadline, with that one unless they name another."""
    if TIMEOUT_OPTION not in model.Options.model_fields:
        return options
    return {TIMEOUT_OPTION: max(1, int(deadline_s)), **options}


def deadline_of(db: sqlite3.Connection) -> float:
    """Seconds that a model may take for one answer, by the settings. Raises: InputError."""
    return float(settings.get_integer(db, "model_timeout_s"))


def told_cost(response: llm.Response) -> int | None:
    """What a model says that an answer cost, in nanocents; None where it does not."""
    return (response.token_details or {}).get(COST)


def within(seconds: float, work: Callable[[], llm.Response]) -> tuple[llm.Response | None, str | None]:
    """What work gives, or its error as one clean line; it is left behind if it takes longer.

    A plugin may raise anything: a pool hands that over as a value. Its thread dies with the process, so that a model
    that never answers does not keep a worker from ending.
    """
    errors: list[BaseException] = []
    pool = ThreadPool(1)
    try:
        waiting = pool.apply_async(work, error_callback=errors.append)
        waiting.wait(seconds)
        if not waiting.ready():
            return None, f"no answer within {seconds:g} seconds"
        if errors:
            return None, error_line(errors[0])
        return waiting.get(), None
    finally:
        pool.terminate()


def error_line(error: BaseException) -> str:
    """An error as one line without secrets."""
    text = " ".join(f"{type(error).__name__}: {error}".encode("utf-8", "replace").decode().split())
    return clean(text)[0][:ERROR_CHARACTERS]


def counted(*texts: str) -> int:
    """The tokens of texts by our own count."""
    return sum(count_tokens(text) for text in texts if text)


def record(
    db: sqlite3.Connection,
    called: Called,
    question: ModelPrompt,
    about: About,
    *,
    now: datetime,
    error: str | None = None,
    left_out: Sequence[str] = (),
) -> int:
    """Logs a call, in llm's tables too where the model answered; the id of its row.

    `error` says what was wrong with an answer that came; `left_out` what of it could not be used, one line each. In one
    transaction, or within that of the caller, who has then called `prepare` before.
    """
    prepare(db)
    with transaction(db):
        call_id = insert_call(db, called, about, now=now, answer=called.text, error=error, left_out=left_out)
        if called.response is not None:
            log_by_reference(db, called.response, question, call_id)
    return call_id


def insert_call(
    db: sqlite3.Connection,
    called: Called,
    about: About,
    *,
    now: datetime,
    answer: str,
    error: str | None = None,
    left_out: Sequence[str] = (),
) -> int:
    """Writes the row of a call; its id. `answer` is what of the answer no other row holds."""
    reason = called.error or error
    values = {
        **{name: getattr(about, name) for name in About.__slots__},
        "model": called.model_id,
        "turn_uid": called.response.id if called.response is not None else None,
        "input_tokens": called.input_tokens,
        "output_tokens": called.output_tokens,
        "is_counted_by_model": int(called.is_counted_by_model),
        "cost_nanocents": cost(db, called, now),
        "duration_ms": called.duration_ms,
        "answer": clean(answer)[0],
        "error": clean(reason)[0] if reason else None,
        "left_out": json.dumps([clean(line)[0] for line in left_out], ensure_ascii=False),
        "created_at": utc_text(now),
    }
    return int(db.execute(INSERT_CALL, values).lastrowid or 0)


def cost(db: sqlite3.Connection, called: Called, now: datetime) -> int | None:
    """What a call cost in nanocents: as the model says, else by its price; None for a model without one."""
    if called.cost_nanocents is not None:
        return called.cost_nanocents
    ensure_prices(db, [called.model_id], now=now)
    price = price_at(db, called.model_id, utc_text(now))
    if price is None:
        return None
    return int(called.input_tokens * price["input_nanocents"] + called.output_tokens * price["output_nanocents"])


def prepare(db: sqlite3.Connection) -> None:
    """Makes llm's tables in this file where they are missing, all or none of them."""
    from llm.migrations import MIGRATIONS, migrate  # noqa: PLC0415  # start-up: llm and its plugins take a second

    from memory_db.store.llm_tables import make_tables  # noqa: PLC0415  # start-up: with the above

    applied: set[str] = set()
    if db.execute("select 1 from sqlite_master where name = '_llm_migrations'").fetchone():
        applied = {row["name"] for row in db.execute("select name from _llm_migrations")}
    if any(migration.__name__ not in applied for migration in MIGRATIONS):
        make_tables(db, migrate)


def log_by_reference(db: sqlite3.Connection, response: llm.Response, question: ModelPrompt, call_id: int) -> str:
    """Logs a response as llm does, with references in the place of the transcript and of the answer; its turn.

    What was said is then in `entries` and `model_calls` alone, where forgetting finds it; since llm's hashes are those
    of the references, its own verification holds.
    """
    import llm  # noqa: PLC0415  # start-up: llm and its plugins take a second
    from llm.logs import LogStore  # noqa: PLC0415  # start-up: with the above
    from sqlite_utils import Database  # noqa: PLC0415  # start-up: with the above

    reference = llm.Fragment(question.reference, f"{SOURCE}model_calls/{call_id}")  # type: ignore[no-untyped-call]
    system, prompt = question.fill(reference)
    values = response.to_dict()
    values["prompt"]["messages"] = (
        [message("system", system), message("user", prompt)] if system else [message("user", prompt)]
    )
    values["messages"] = [message("assistant", f"{SOURCE} the answer is in model_calls, row {call_id}")]
    logged = llm.Response.from_dict(values, model=response.model)
    logged.prompt.schema, logged.prompt.fragments = response.prompt.schema, [reference]
    logged.resolved_model = response.resolved_model
    log = LogStore(Database(db, execute_plugins=False))  # type: ignore[no-untyped-call]
    turn_uid = str(log.log(logged))
    db.execute(
        "update turns set duration_ms = ?, datetime_utc = ? where id = ?",
        [response.duration_ms(), response.datetime_utc(), turn_uid],
    )
    return turn_uid


def message(role: Literal["system", "user", "assistant"], text: str) -> MessageDict:
    """A message of one text, as llm writes it."""
    return {"role": role, "parts": [{"type": "text", "text": text}]}


def ask(
    db: sqlite3.Connection,
    model: llm.Model,
    question: ModelPrompt,
    about: About,
    *,
    now: datetime,
    deadline_s: float = DEADLINE_S,
) -> Called:
    """A call, logged at once. Raises: ModelError where the model gave no answer; the call is a row all the same."""
    called = call(model, question, deadline_s=deadline_s)
    record(db, called, question, about, now=now)
    if called.error:
        raise ModelError(f"{called.model_id} gave no answer: {called.error}")
    return called
