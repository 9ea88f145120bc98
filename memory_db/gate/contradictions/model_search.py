"""Contradictions and replacements that rules cannot see: a model is asked about memories that are merely alike.

In: pairs of `alike_pairs`, a prompt and a model. Out: open rows of `contradictions`, proposals to supersede, and a row
for each call. Invariants: nothing that holds is changed, a person decides; each pair is asked about once by a model and
a version of the prompt, as long as both texts stay; a call holds one pair, so that no text can speak for another pair;
a budget and the breaker are asked before each call; the call, what it gave and that it was made are one transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from memory_db.extract.model.answers import AnswerError
from memory_db.extract.model.chunks import json_line
from memory_db.extract.model.estimate import most_cost_of_call
from memory_db.extract.model.pair_answers import CONTRADICTS, REPLACES, Judgement, read_judgement
from memory_db.extract.model.prompts import Prompt, prompt_row
from memory_db.extract.model.read import COUNT_CALLS
from memory_db.extract.model.runs import close_run
from memory_db.gate.contradictions.pairs import open_contradiction
from memory_db.gate.contradictions.similar import Alike, alike_pairs
from memory_db.knowledge import proposals
from memory_db.models.budget import open_breaker, over_budget
from memory_db.models.calls import (
    SOURCE,
    About,
    Called,
    ModelPrompt,
    call,
    deadline_of,
    prepare,
    record,
    refuse_without_key,
)
from memory_db.models.consent import refuse_without_consent
from memory_db.models.tokens import count_tokens
from memory_db.store import jobs
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

if TYPE_CHECKING:
    import llm

PAIR_JOB = "judge-pair"
"""The kind of job that says that a pair was asked about."""

DEFAULT_LIMIT = 50
"""Pairs that are asked about at once, where nobody says how many. Source: ours; a cent or two with a small model."""

TEXT_DIGITS = 12

Clock = Callable[[], datetime]
Progress = Callable[[str, int, int | None], None]


@dataclass(slots=True, frozen=True)
class PairSearchOrder:
    """Who is asked, about how many pairs, and what it may cost: None for no limit of this run. `deadline_s`:
    seconds for an answer, else as the settings say."""

    prompt: Prompt
    model: llm.Model
    limit: int = DEFAULT_LIMIT
    budget_nanocents: int | None = None
    deadline_s: float | None = None

    @property
    def model_id(self) -> str:
        """The model's own name."""
        return str(self.model.model_id)

    @property
    def by(self) -> str:
        """Who found what the model says."""
        return f"model {self.model_id}"


@dataclass(slots=True)
class PairSearchResult:
    """What came of asking: of the pairs that were `asked`, how many were contradictions or replacements that are new,
    how many had words that do not stand in both texts (`left_out`), and how many had no usable answer (`failed`).

    `waiting` pairs are left for another time; `stopped` says why, where it is not the limit.
    """

    asked: int = 0
    contradictions: int = 0
    replacements: int = 0
    left_out: int = 0
    failed: int = 0
    waiting: int = 0
    stopped: str = ""
    run_id: int | None = field(default=None, repr=False)


def find_by_model(
    db: sqlite3.Connection, order: PairSearchOrder, *, clock: Clock, progress: Progress | None = None
) -> PairSearchResult:
    """Asks a model about pairs that are alike, most alike first, until the limit, the budget or the breaker ends it.

    Raises: ModelError for a model without its key or a person's consent.
    """
    refuse_without_key(order.model)
    refuse_without_consent(db, order.model_id)
    pairs = list(not_asked(db, alike_pairs(db), order, clock()))
    chosen, outcome = pairs[: order.limit], PairSearchResult()
    prepare(db)
    for number, pair in enumerate(chosen, start=1):
        outcome.stopped = reason_to_stop(db, pair, order, outcome, clock())
        if outcome.stopped:
            break
        key = key_of(pair, order)
        jobs.enqueue(db, PAIR_JOB, key, {}, clock())
        job = jobs.lease(db, clock(), kind=PAIR_JOB, keys=[key])
        if job is None:
            continue
        if outcome.run_id is None:
            outcome.run_id = start_run(db, order, clock())
        ask_about(db, pair, order, job, outcome, clock)
        if progress is not None:
            progress("pairs asked about", number, len(chosen))
    outcome.waiting = len(pairs) - outcome.asked
    if outcome.run_id is not None:
        close_run(db, outcome.run_id, outcome.stopped or None, clock())
    return outcome


def not_asked(db: sqlite3.Connection, pairs: Sequence[Alike], order: PairSearchOrder, now: datetime) -> Iterator[Alike]:
    """Pairs about which this model was not asked with this prompt, or gave no answer at all."""
    known = {
        row["key"]
        for row in db.execute(
            "select key from jobs where kind = ? and (state in ('done', 'dead') or leased_until > ?)",
            [PAIR_JOB, utc_text(now)],
        )
    }
    return (pair for pair in pairs if key_of(pair, order) not in known)


def key_of(pair: Alike, order: PairSearchOrder) -> str:
    """What tells that the same was asked before: prompt, model, and both memories with what they say."""
    both = (pair.older, pair.newer)
    sides = (f"{row['uid']}@{sha256(row['text'].encode()).hexdigest()[:TEXT_DIGITS]}" for row in both)
    return " ".join((order.prompt.method(order.model_id), order.prompt.version, *sides))


def pair_prompt(pair: Alike) -> str:
    """A pair as a model reads it: one JSON object a line, which no text can end."""
    sides = (("older", pair.older), ("newer", pair.newer))
    return "".join(
        json_line({"note": name, "said": row["last_said_at"][:10], "kind": row["kind"], "text": row["text"]}) + "\n"
        for name, row in sides
    )


def reason_to_stop(
    db: sqlite3.Connection, pair: Alike, order: PairSearchOrder, outcome: PairSearchResult, now: datetime
) -> str:
    """Why the next call is not made, in one line; empty where it may be."""
    most = most_cost_of_call(db, order.prompt, order.model_id, count_tokens(pair_prompt(pair)), now)
    return open_breaker(db, order.model_id, now) or over_budget(
        db, run_id=outcome.run_id, budget_nanocents=order.budget_nanocents, most=most, reserved=0, now=now
    )


def start_run(db: sqlite3.Connection, order: PairSearchOrder, now: datetime) -> int:
    """A new row of `extraction_runs`, which the calls belong to."""
    with transaction(db):
        cursor = db.execute(
            "insert into extraction_runs (method, version, model, started_at) values (?, ?, ?, ?)",
            [order.prompt.name, order.prompt.version, order.model_id, utc_text(now)],
        )
    return int(cursor.lastrowid or 0)


def ask_about(
    db: sqlite3.Connection, pair: Alike, order: PairSearchOrder, job: jobs.Job, outcome: PairSearchResult, clock: Clock
) -> None:
    """Asks about one pair, and stores what came of it."""
    reference = f"{SOURCE} memories {pair.older['uid']} and {pair.newer['uid']}"
    options = dict(order.prompt.template.options or {})
    question = ModelPrompt(order.prompt.filled, pair_prompt(pair), reference, order.prompt.schema, options)
    called = call(order.model, question, deadline_s=order.deadline_s or deadline_of(db))
    judgement, error = None, called.error
    if error is None:
        try:
            judgement = read_judgement(called.text, pair.older["text"], pair.newer["text"])
        except AnswerError as trouble:
            error = str(trouble)
    outcome.asked += 1
    now = clock()
    with transaction(db):
        log_call(db, order, question, called, judgement, error, outcome.run_id, now)
        if judgement is None:
            outcome.failed += 1
        else:
            keep(db, pair, judgement, order, outcome, now)
        if called.error:
            db.execute("delete from jobs where id = ?", [job.id])  # nothing was answered: the next run asks again
        else:
            jobs.finish(db, job.id, now)


def log_call(
    db: sqlite3.Connection, order: PairSearchOrder, question: ModelPrompt, called: Called, judgement: Judgement | None,
    error: str | None, run_id: int | None, now: datetime,
) -> None:  # fmt: skip
    """The row of a call, and the sums of its run."""
    about = About(order.prompt.name, run_id, prompt_row(db, order.prompt, now=now))
    left_out = [judgement.left_out] if judgement is not None and judgement.left_out else []
    record(db, called, question, about, now=now, error=error, left_out=left_out)
    db.execute(COUNT_CALLS, {"run_id": run_id})


def keep(
    db: sqlite3.Connection,
    pair: Alike,
    judgement: Judgement,
    order: PairSearchOrder,
    outcome: PairSearchResult,
    now: datetime,
) -> None:
    """Puts what a model found before a person."""
    outcome.left_out += bool(judgement.left_out)
    if not still_holds(db, pair):
        return
    older, newer = pair.older["id"], pair.newer["id"]
    if judgement.relation == CONTRADICTS:
        opened = open_contradiction(
            db, newer, older, found_by=order.by, reason=judgement.reason_text, score=judgement.score, now=now
        )
        outcome.contradictions += opened is not None
    elif judgement.relation == REPLACES:
        proposed = proposals.propose(
            db, "supersede", older, other_memory_id=newer, reason=judgement.reason_text, by=order.by, now=now
        )
        outcome.replacements += proposed is not None


def still_holds(db: sqlite3.Connection, pair: Alike) -> bool:
    """Whether both memories say what they said when the model was asked: an answer may take minutes."""
    texts = {pair.older["id"]: pair.older["text"], pair.newer["id"]: pair.newer["text"]}
    rows = db.execute(
        "select id, text from memories where status = 'active' and id in (select value from json_each(?))",
        [json.dumps([*texts])],
    )
    return {row["id"]: row["text"] for row in rows} == texts
