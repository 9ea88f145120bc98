"""A question asked for a model: as any other, but a model is told nothing that has little to do with it.

In: a question, and how it may be asked. Out: its answer, with what was left out and why. Invariant: what a person asks
does not come this way; `brief.ask` shows them every hit of a profile without a threshold.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime

from memory_db.recall.brief import select as brief
from memory_db.recall.brief.abstain import least_score, told_to_model
from memory_db.recall.brief.allowed import BELOW_THRESHOLD, FOREIGN
from memory_db.recall.search import Question, Semantic, load_profile

HOOK = "hook"
"""The profile whose threshold holds for everything that goes to a model."""


def ask_for_model(
    db: sqlite3.Connection,
    question: Question,
    *,
    surface: str,
    now: datetime,
    semantic: Semantic | None = None,
    log: bool = True,
) -> brief.Answer:
    """The answer to a question, of hits that reach the threshold of hooks; see `brief.ask`.

    Raises: QueryError, InputError, NotFoundError.
    """
    least = least_score(
        load_profile(db, question.profile), load_profile(db, HOOK).threshold,
        has_model=semantic is not None, has_window=question.window is not None,
        has_tokens=semantic is not None and semantic.has_tokens(),
    )  # fmt: skip
    question = told_to_model(question, least)
    return brief.ask(db, question, surface=surface, now=now, semantic=semantic, log=log)


def why_silent(answer: brief.Answer) -> str:
    """Why a model is told nothing though something was considered, in words; empty where that is not so."""
    if answer.shown or answer.question.threshold is None:
        return ""
    if FOREIGN in answer.left_out:
        return "hardly a word of the question stands in the file, and nothing is near it in meaning"
    if BELOW_THRESHOLD in answer.left_out:
        return f"no hit reached {least_of(answer):.3f}, the score from which on a model is told of it"
    return ""


def least_of(answer: brief.Answer) -> float:
    """The score that a hit had to reach."""
    return max(answer.profile.threshold, answer.question.threshold or 0.0)
