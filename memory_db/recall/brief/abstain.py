"""When a model is told nothing: no hit scores enough, or nothing in the file has to do with the question.

In: what a recall brought. Out: the least score of a hit that a model is told of, and whether the question is foreign to
the file. Invariants: reads only; a person who asks sees every hit; a question that names a time is never foreign.
"""

from __future__ import annotations

import sqlite3

from memory_db.recall.scoring import needs_model, needs_tokens
from memory_db.records import replace

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from memory_db.recall.scoring import QueryFeatures
    from memory_db.recall.search import Profile, Question, Recalled

FEWEST_KNOWN = 0.25
"""Share of a question's telling words, each by its idf, that must stand somewhere in the file. Source: ours; of the
sample's answerable questions 2 in 100 have less.
"""

MOST_KNOWN = 1 / 3
"""Share of the words themselves up to which they are few: what stands in most texts of a file has hardly an idf there,
and is known all the same.
"""

MOST_WORDS = 8
"""Telling words of a question up to which a share of them says something: a longer one has code or a log in it."""

LEAST_COSINE = 0.33
"""From here on a text is near the question in meaning, whatever its words. Source: ours; by the full model a demand for
verses has one at .32 in the sample, and its answerable questions with few known words .29 to .45.
"""


def least_score(
    profile: Profile, hook_threshold: float, *, has_model: bool, has_window: bool, has_tokens: bool = True
) -> float:
    """What a hit must score so that a model is told of it: the hook's threshold, on the scale of another profile.

    A profile's scores are as high as the weights that can count at all: without a full model its likeness adds nothing,
    nor do tokens where the file has none, nor a time that the question does not name.
    """
    reachable = sum(
        weight
        for signal, weight in profile.weights.items()
        if (has_model or not needs_model(signal))
        and (has_tokens or not needs_tokens(signal))
        and (has_window or signal != "time_window")
    )
    return round(hook_threshold * reachable, 4)


def told_to_model(question: Question, least: float) -> Question:
    """The question as it is asked for a model."""
    return replace(question, threshold=least)


def is_foreign(db: sqlite3.Connection, recalled: Recalled) -> bool:
    """Whether a question for a model has hardly a word that the file knows, and nothing near it in meaning."""
    question, asked = recalled.question, recalled.query_features
    if question.threshold is None or question.window or len(asked.terms) > MOST_WORDS:
        return False
    if asked.known_words >= FEWEST_KNOWN or count_known(db, asked) > MOST_KNOWN * len(asked.terms):
        return False
    return not any(
        max(hit.features.cosine or 0.0, hit.features.static_cosine or 0.0) >= LEAST_COSINE for hit in recalled.hits
    )


def count_known(db: sqlite3.Connection, asked: QueryFeatures) -> int:
    """How many of a question's words stand in the file, some after their spelling was corrected."""
    return sum(
        term in asked.corrected or bool(db.execute(STANDS, {"term": f'"{term}"'}).fetchone()[0]) for term in asked.terms
    )


STANDS = """
select exists (select 1 from memory_fts where memory_fts match :term)
    or exists (select 1 from entry_fts where entry_fts match :term)
"""
