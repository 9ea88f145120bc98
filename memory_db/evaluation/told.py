"""Whether a brief says what an answer hangs on: bug reports asked as a prompt is, of a file that was lived.

In: the file of a part, with its chats and questions, some of which have decisive words. Out: by way of asking, the
share of these whose words all stand in the first so many characters of what a prompt's hook gives. Memories are made
of the chats first, as from transcripts, so this changes the file: it comes last.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import numpy as np

from memory_db.errors import QueryError
from memory_db.evaluation.contest import estimate_data
from memory_db.evaluation.datasets.records import Part
from memory_db.evaluation.metrics import Progress, estimate, words_of
from memory_db.extract.rules import run as rules
from memory_db.gate import run as gate
from memory_db.index import build as index
from memory_db.index.semantic import EmbeddingIndex
from memory_db.recall.brief.deepened import deepened
from memory_db.recall.brief.for_model import HOOK
from memory_db.recall.brief.select import ask
from memory_db.recall.evidence_of_hit import LEAST
from memory_db.recall.question import FIRST_BUDGET_TOKENS, FIRST_LIMIT
from memory_db.recall.search import HOOK_EFFORT, Filters, Question
from memory_db.store.dates import parse_utc

CHARACTERS = (1000, 2500)
"""Of a brief, from its beginning: what is read first, and what a long one has."""

COLD, WARM = "cold", "warm"
"""As the hook's own process answers, and as one does that has the model loaded."""


def told_in_briefs(
    db: sqlite3.Connection, part: Part, semantic: EmbeddingIndex | None, *, now: datetime, progress: Progress | None
) -> dict[str, list[list[float]]]:
    """For each way and each question with decisive words, whether they stand within each of `CHARACTERS`.

    Raises: InputError, ModelError.
    """
    questions = [each for each in part.questions if each.decisive]
    if not questions:
        return {}
    rules.extract(db, now=now, progress=progress)
    gate.run(db, now=now, progress=progress)
    index.run(db, now=now, progress=progress)
    projects = dict(db.execute("select uid, project_id from labelled_queries").fetchall())
    found: dict[str, list[list[float]]] = {}
    for way, model in ((COLD, None), (WARM, semantic)):
        for each in questions if way == COLD or model else ():
            text = brief_on(db, each.query, projects[each.uid], parse_utc(each.asked_at), model)
            within = [float(each.decisive <= words_of(text[:most])) for most in CHARACTERS]
            found.setdefault(way, []).append(within)
    return found


def brief_on(
    db: sqlite3.Connection, query: str, project_id: int | None, moment: datetime, semantic: EmbeddingIndex | None
) -> str:
    """What a session's first prompt is given, nothing logged. Raises: ModelError, sqlite3.Error."""
    question = Question(
        query, profile=HOOK, project_id=project_id, filters=Filters(other_projects=False), limit=FIRST_LIMIT,
        budget_tokens=FIRST_BUDGET_TOKENS, least_evidence=LEAST, least_for_rules=LEAST, is_unasked=True,
        effort=HOOK_EFFORT,
    )  # fmt: skip
    if semantic:
        question = deepened(db, question, semantic, moment)
    try:
        return ask(db, question, surface=HOOK, now=moment, semantic=semantic, log=False).text
    except QueryError:
        return ""


def told_data(found: Mapping[str, list[list[float]]]) -> dict[str, Any]:
    """The share of questions by way and number of characters, with its interval."""
    return {
        way: {
            f"told@{most}": estimate_data(estimate(np.array(values)[:, column]))
            for column, most in enumerate(CHARACTERS)
        }
        for way, values in found.items()
    }
