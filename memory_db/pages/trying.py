"""What another way of asking would give: a question under weights of one's own, a prompt as the hook would take it.

In: a connection that reads, a question or a prompt, and the moment. Out: an answer, or what the hook would do.
Invariant: nothing is logged, nothing is written, and the hook's own functions decide what the hook would do.
"""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass, replace
from datetime import datetime

from memory_db.hooks import run as hooks
from memory_db.pages.weights import Tried
from memory_db.recall.brief import select as brief
from memory_db.recall.brief.log import moment_of
from memory_db.recall.search import Question, Semantic, look_up_cosines, recall, score
from memory_db.redact.clean import clean

HOOK = "user-prompt"
"""The hook that takes prompts."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What the hook would do at a prompt: its outcome with the reason for silence, and what it would print.

    `answer` is None where the prompt needs no recall. A recall's uid in the text is the one of a recall not logged.
    """

    outcome: str
    reason: str
    output: str
    answer: brief.Answer | None


def ask_with(
    db: sqlite3.Connection, question: Question, own: Tried, *, now: datetime, semantic: Semantic | None
) -> brief.Answer:
    """The answer to a question whose hits, found as its profile finds them, are ranked by other weights.

    Raises: QueryError, InputError, NotFoundError.
    """
    started = time.perf_counter()
    query, findings = clean(question.query)
    paths = tuple(clean(path)[0] for path in question.paths)
    recalled = recall(db, replace(question, query=query, paths=paths), now=now, semantic=semantic)
    recalled.profile = replace(recalled.profile, weights=own.weights, threshold=own.threshold)
    look_up_cosines(db, recalled, recalled.hits)
    recalled.hits = score(recalled.profile, recalled.query_features, recalled.hits)
    moment = moment_of(recalled.question, now)
    answer = brief.answer_of(recalled, brief.choose(db, recalled, moment), moment, started)
    answer.findings = findings
    return answer


def as_hook(db: sqlite3.Connection, path: str, prompt: str, project_id: int | None, *, now: datetime) -> Preview:
    """What the hook would do at a prompt in a project's folder, in a session that has asked nothing yet.

    Raises: InputError, sqlite3.Error.
    """
    row = db.execute("select canonical_path from projects where id = ?", [project_id]).fetchone()
    folder = str(row[0] or "") if row else ""
    event = hooks.Event(HOOK, cwd=folder, values={"prompt": prompt})
    run = hooks.Run(path, now, time.perf_counter(), hook=HOOK)
    outcome = hooks.outcome_of(db, event, run, is_own=False)
    return Preview(outcome.outcome, outcome.reason, hooks.printed(event, outcome, is_json=True), outcome.answer)
