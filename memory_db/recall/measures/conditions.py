"""Whether a prompt is the task or moment that a memory is for: "push the release" meets "before you push the release".

In: current memories with a condition; a question's words. Out: memories that join a pool, and for its members the bm25
and the cosine of their condition alone. Invariant: the standard library is enough.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from memory_db.index.signatures import STORED
from memory_db.recall.scoring import CONDITION_FLOOR
from memory_db.recall.similarity import cosines_of
from memory_db.records import dataclass
from memory_db.store.connection import id_list
from memory_db.text import static_vectors
from memory_db.text.language_vectors import without_language
from memory_db.text.languages import language_of
from memory_db.text.terms import match_any

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from memory_db.recall.corpus import Corpus
    from memory_db.recall.filters import Filter

BY_WORDS = 25
"""Memories that the words of their condition bring into a pool, the best bm25 first."""

BY_MEANING = 25
"""Memories that the meaning of their condition brings. Source: ours; few memories have a condition."""

BY_WORDS_SQL = """
select f.rowid from memory_fts f cross join memory_versions v on v.id = f.rowid
where memory_fts match :match{where} order by bm25(memory_fts, 0.0, 0.0, 0.0, 0.0, 1.0) limit :most
"""

WORDS_MET = """
select rowid, -bm25(memory_fts, 0.0, 0.0, 0.0, 0.0, 1.0) from memory_fts
where memory_fts match :match and +rowid in ({ids})
"""
"""The unary plus keeps SQLite from asking the full text once for each id."""


ACTS_MET = "select rowid from memory_fts where memory_fts match :match and +rowid in ({ids})"


@dataclass(slots=True, frozen=True)
class Condition:
    """A question as conditions are asked: what full text is asked for, its vector if its words have one, and what full
    text is asked for the acts that it asks for in other words, if it does."""

    match: str
    vector: bytes | None
    acts: str | None = None


def read_condition(corpus: Corpus, query: str, terms: tuple[str, ...]) -> Condition | None:
    """How conditions are asked for these words, and for the acts that they ask for; None where no memory has one, or
    none is asked."""
    if not terms or not corpus.has_conditions():
        return None
    from memory_db.text.acts import acts_asked  # noqa: PLC0415  # start-up: many files have no memory with a condition

    vector = static_vectors.text_vector(query)
    acts = acts_asked(query)
    words = tuple(dict.fromkeys((*terms, *acts)))
    return Condition(
        f"condition : ({match_any(words)})",
        vector and without_language(vector, language_of(query)),
        f"condition : ({match_any(acts)})" if acts else None,
    )


def by_words(db: sqlite3.Connection, asked: Condition, wanted: Filter) -> list[int]:
    """Versions of memories whose condition shares most with the question, by bm25 of the condition alone."""
    values = {**wanted.parameters, "match": asked.match, "most": BY_WORDS}
    return [row[0] for row in db.execute(BY_WORDS_SQL.format(where=wanted.considered), values)]


def met_by(db: sqlite3.Connection, corpus: Corpus, asked: Condition, wanted: Filter) -> list[int]:
    """Versions of memories whose condition is near the question, by words or by meaning."""
    near = corpus.nearest("conditions", asked.vector, BY_MEANING) if asked.vector else []
    meaning = condition_cosines(db, asked, near)
    met = [each for each in near if meaning.get(each, 0.0) > CONDITION_FLOOR]
    return [*corpus.conditions_by_words(asked, wanted), *met]


def condition_bm25(db: sqlite3.Connection, asked: Condition, version_ids: Iterable[int]) -> dict[int, float]:
    """The bm25 of the conditions that share a word with the question."""
    return dict(db.execute(WORDS_MET.format(ids=id_list(version_ids)), {"match": asked.match}).fetchall())


def condition_cosines(db: sqlite3.Connection, asked: Condition, version_ids: Iterable[int]) -> dict[int, float]:
    """Cosines of conditions and the question; 1 where it asks for the very act that a condition names."""
    ids = tuple(version_ids)
    found = cosines_of(db, asked.vector, *STORED["conditions"], ids) if asked.vector else {}
    if asked.acts:
        found |= {row[0]: 1.0 for row in db.execute(ACTS_MET.format(ids=id_list(ids)), {"match": asked.acts})}
    return found
