"""A question asked for a model: as any other, but a model is told nothing that has little to do with it.

In: a question, and how it may be asked. Out: its answer, with what was left out and why. Invariant: what a person asks
does not come this way; `select.ask` shows them every hit of a profile without a threshold.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime

from memory_db.recall.brief import select as brief
from memory_db.recall.brief.abstain import for_model, least_score
from memory_db.recall.brief.allowed import BELOW_THRESHOLD, LITTLE_EVIDENCE, NO_ANSWER
from memory_db.recall.brief.render import inert
from memory_db.recall.search import Question, Semantic, load_profile
from memory_db.recall.similarity import known_to
from memory_db.text.one_line import cut

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from memory_db.recall.brief.placement import Placement
    from memory_db.recall.corpus import Corpus

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
    corpus: Corpus | None = None,
) -> brief.Answer:
    """The answer to a question, of hits that reach the threshold of hooks; see `select.ask`.

    Raises: QueryError, InputError, NotFoundError.
    """
    question = bounded(db, question, semantic)
    return brief.ask(db, question, surface=surface, now=now, semantic=semantic, log=log, corpus=corpus)


def bounded(db: sqlite3.Connection, question: Question, semantic: Semantic | None) -> Question:
    """The question with the score and the evidence that a hit must reach before a model is told of it.

    Raises: NotFoundError.
    """
    least = least_score(
        load_profile(db, question.profile), load_profile(db, HOOK).threshold,
        has_model=(known := known_to(semantic, question.query)) is not None, has_window=question.window is not None,
        has_tokens=known is not None and known.has_tokens(),
    )  # fmt: skip
    return for_model(question, least, has_model=known is not None)


NOTHING_ANSWERS = "Nothing in memory answers this"
"""What whoever asked for a model is told instead of a brief."""


def why_silent(answer: brief.Answer) -> str:
    """Why a model is told nothing though something was considered, in words; empty where that is not so."""
    if answer.shown or not answer.question.is_for_model:
        return ""
    if NO_ANSWER in answer.left_out and (verdict := answer.recalled.verdict):
        likely = f"{verdict.chance:.0%} likely, and {verdict.least:.0%} is the least"
        return f"its first hits are unlikely to answer it ({likely})"
    near = nearest_silent(answer)
    if near and near.left_out_reason == LITTLE_EVIDENCE:
        return "no hit has enough to do with the question by itself, by its words or its meaning"
    if near and near.left_out_reason == BELOW_THRESHOLD:
        return f"no hit reached {least_of(answer):.3f}, the lowest score that a model is shown"
    return ""


def least_of(answer: brief.Answer) -> float:
    """The score that a hit had to reach."""
    return max(answer.profile.threshold, answer.question.threshold or 0.0)


NEAREST_CHARACTERS = 100
"""Characters of what is told of a hit that was not shown. Source: ours; it is a hint, not an answer."""


def nearest_to(answer: brief.Answer) -> str:
    """What comes nearest to a question that memory keeps silent on, for a person; empty where there is nothing."""
    hit = nearest_silent(answer)
    if hit is None or not hit.evidence or not hit.features.holds_here() or answer.shown:
        return ""
    return f"{inert(cut(hit.text, NEAREST_CHARACTERS))} [{hit.uid}]"


def nearest_silent(answer: brief.Answer) -> Placement | None:
    """Of the hits that are too little of an answer, the one with the most evidence of its own."""
    reasons = (NO_ANSWER, LITTLE_EVIDENCE, BELOW_THRESHOLD)
    silent = [hit for hit in answer.hits if hit.left_out_reason in reasons and hit.text.strip()]
    return max(silent, key=lambda each: each.evidence, default=None)
