"""What a hit must reach so that a model is told of it, and what a file knows of a question's words.

In: a profile, a question. Out: the least score and the least evidence; the share of known words. Invariants: reads
only; a person who asks sees every hit.
"""

from __future__ import annotations

import sqlite3

from memory_db.index import grams
from memory_db.recall.evidence_of_hit import LEAST, LEAST_WITH_MODEL
from memory_db.recall.scoring import needs_model, needs_tokens
from memory_db.records import replace

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from memory_db.recall.features import QueryFeatures
    from memory_db.recall.search import Profile, Question

YOUNG_FILE = 30
"""Texts up to which idf says little: in a file of three notes a word that all of them have tells as much as any.

Source: ours; from some 30 texts on the idf of a word that a third of them have is what it is in a large file.
"""


def least_score(
    profile: Profile, hook_threshold: float, *, has_model: bool, has_window: bool, has_tokens: bool = True
) -> float:
    """What a hit must score so that a model is told of it: the hook's threshold, on the scale of another profile.

    A profile's scores are as high as the weights that can count at all: without a full model its similarity adds
    nothing, nor do tokens where the file has none, nor a time that the question does not name.
    """
    reachable = sum(
        weight
        for signal, weight in profile.weights.items()
        if (has_model or not needs_model(signal))
        and (has_tokens or not needs_tokens(signal))
        and (has_window or signal != "time_window")
    )
    return round(hook_threshold * reachable, 4)


def for_model(question: Question, least: float, *, has_model: bool) -> Question:
    """The question as it is asked for a model: `least` is the score to reach; with a model it takes more evidence."""
    evidence = LEAST_WITH_MODEL if has_model else LEAST
    return replace(question, threshold=least, least_evidence=evidence, least_for_rules=evidence)


MOST_WORDS = 8
"""Distinctive words of a question up to which the known ones say all: a longer one has code or a log in it."""

KNOWN_OF_LONG = 0.5
"""The share that a longer one has at least. Source: ours; a pasted log says nothing for or against what is asked."""


def known_share_in(db: sqlite3.Connection, asked: QueryFeatures) -> float:
    """The share of a question's distinctive words that the file has: by idf, in a young file also by their number."""
    if len(asked.terms) > MOST_WORDS:
        return max(asked.known_words, KNOWN_OF_LONG)
    if not asked.terms or db.execute(TEXTS).fetchone()[0] > YOUNG_FILE:
        return asked.known_words
    return max(asked.known_words, count_known(db, asked) / len(asked.terms))


def count_known(db: sqlite3.Connection, asked: QueryFeatures) -> int:
    """How many of a question's words stand in the file, some after their spelling was corrected."""
    counted = [grams.counts(db, table, asked.terms) for table in grams.GRAM_TEXTS]
    return sum(term in asked.corrected or any(each[term] for each in counted) for term in asked.terms)


TEXTS = f"""
select (select count(*) from (select 1 from memory_fts_docsize limit {YOUNG_FILE + 1}))
    + (select count(*) from (select 1 from entry_fts_docsize limit {YOUNG_FILE + 1}))
"""
"""How many texts a file has, as far as it matters: counting all of a large file takes a hook's time."""
