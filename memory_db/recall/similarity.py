"""Similarity in meaning: by the full model, and by static word vectors, which need no model to load.

In: a question's vector, and ids. Out: cosines of texts, of what stands around them and of their sessions. Invariant: a
cosine belongs to the question, the file and one text; the same question in the same scope has the same vector in a hook
as on a page, but for words that a page corrects.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from memory_db.records import dataclass, field
from memory_db.store.connection import id_list, rows_there, select_in
from memory_db.text import static_vectors
from memory_db.text.language_vectors import without_language
from memory_db.text.languages import function_words, language_of
from memory_db.text.scripts import ENGLISH_MODELS, mostly_another_script
from memory_db.text.terms import STOP_WORDS, WORD, idf
from memory_db.text.word_signs import asked_words

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from typing import Protocol

    from memory_db.recall.corpus import Corpus
    from memory_db.text.word_signs import Asked
else:
    Protocol = object

NEIGHBOUR_SHARE = {0: 1.0, 1: 0.8, 2: 0.5, 3: 0.3}
"""How much an entry and its neighbours count in what stands around it, by distance in entries."""

SESSION_BEST = 3
"""How many of a session's entries tell what it is about."""

STOP_LEVEL, PART_LEVEL = 2, 8
"""How much a word counts that is not asked of the full text: one that says nothing, and a part of an identifier."""


PART_WORTH = (PART_LEVEL - 1) / 2
"""The idf of such a part."""


class Semantic(Protocol):
    """Similarity by a full embedding model."""

    model: str

    def search(
        self,
        query: str,
        memory_version_ids: Sequence[int],
        entry_ids: Sequence[int],
        nearest: int,
        among: Sequence[str] = ("memories", "entries"),
    ) -> tuple[dict[int, float], dict[int, float]]:
        """Cosines by memory version and by entry: of the ids given, and of the `nearest` best of each sort `among`."""

    def has_tokens(self) -> bool:
        """Whether the file has tokens to compare."""

    def interactions(self, query: str, weights: Mapping[str, float], sort: str, ids: Iterable[int]) -> dict[int, float]:
        """How well the tokens of texts of a sort meet the question's, by id; `weights` has the idf of its words."""

    def words_met(self, query: str, ids: Mapping[str, Iterable[int]]) -> dict[str, float]:
        """How well each word of the question is met in any of these texts, by their sort, from 0 to 1."""


@dataclass(slots=True)
class Cosines:
    """Of one sort of members, by id: the text's own, of what stands around it, of its session, of what it replaced."""

    own: dict[int, float] = field(default_factory=dict)
    context: dict[int, float] = field(default_factory=dict)
    session: dict[int, float] = field(default_factory=dict)
    outdated: dict[int, float] = field(default_factory=dict)


def known_to(semantic: Semantic | None, query: str) -> Semantic | None:
    """The model, unless it knows English alone and the question is mostly in another script: that would be noise."""
    is_foreign = semantic is not None and semantic.model in ENGLISH_MODELS and mostly_another_script(query)
    return None if is_foreign else semantic


def question_words(query: str, *weights: Mapping[str, float]) -> Asked:
    """The words of a question, compared one by one: each by its idf in that full text where it is rarest."""

    def worth(word: str) -> float:
        return max((each[word] for each in weights if word in each), default=PART_WORTH)

    if mostly_another_script(query):
        return []
    silent = function_words(language_of(query))
    return asked_words(query, lambda word: 0.0 if word in silent else worth(word))


def question_vector(query: str, *weights: Mapping[str, float]) -> bytes | None:
    """The vector of a question, each word counted by its idf in that full text where it is rarest; None without one.

    A word's share is 1 and twice its idf, as a whole number. Source: on the sample's and the developer's questions it
    brings .010 and .009 more of the answers into the first ten than vectors that know no file. In another language its
    function words count nothing, and what every text of that language shares is taken off.
    """
    language = language_of(query)
    silent = function_words(language)

    def level(word: str) -> int:
        if word in silent:
            return 0
        found = [each[word] for each in weights if word in each]
        if found:
            return 1 + round(2 * max(found))
        return STOP_LEVEL if word in STOP_WORDS else PART_LEVEL

    vector = static_vectors.text_vector(query, level)
    return vector and without_language(vector, language)


def worth_of_words(corpus: Corpus, query: str, table: str, weights: Mapping[str, float]) -> dict[str, float]:
    """The idf of the distinctive words in that full text, as given, and of the words of a question that say nothing.

    Source: with the latter recall@10 on public chats is .843 instead of .835 where they count nothing.
    """
    documents, counted = corpus.newest_counts(table, [word for word in silent_words(query) if word not in weights])
    return {**weights, **{word: idf(documents, count) for word, count in counted.items()}}


def silent_words(query: str) -> list[str]:
    """The words of a question that say nothing of what it is about, each once."""
    return sorted({word for word in WORD.findall(query.casefold()) if word in STOP_WORDS})


def cosines_of(db: sqlite3.Connection, vector: bytes, table: str, column: str, ids: Iterable[int]) -> dict[int, float]:
    """Cosines by id, of those that have a vector of this model; `signatures.STORED` names tables and columns."""
    rows = select_in(
        db,
        f"select {column}, vector from {table} where model = '{static_vectors.MODEL_ID}'"
        f" and length(vector) > 0 and {column}",
        ids,
    )
    cosines = static_vectors.cosines(static_vectors.numbers(vector), [row[1] for row in rows])
    return dict(zip([row[0] for row in rows], cosines, strict=True))


def stored_signs(db: sqlite3.Connection, table: str, column: str, ids: Iterable[int]) -> list[tuple[int, bytes]]:
    """(id, signs of its words) of those that have some; none where the file is of a schema without them."""
    if not (wanted := id_list(ids)):
        return []
    where = f"model = '{static_vectors.MODEL_ID}' and length(word_signs) > 0 and {column} in ({wanted})"
    return rows_there(db, f"select {column}, word_signs from {table} where {where}")


def context_cosines(around: Iterable[tuple[int, int, int, int]], cosines: Mapping[int, float]) -> dict[int, float]:
    """For each id of (id, entry, distance), the best cosine of those entries, each counted by its distance."""
    context: dict[int, float] = {}
    known, best = cosines.get, context.get  # looked up once: there are thousands of rows
    for identifier, entry, distance, _ in around:
        cosine = known(entry)
        if cosine and (value := NEIGHBOUR_SHARE[distance] * cosine) > best(identifier, 0.0):
            context[identifier] = value
    return context


def session_cosines(around: Iterable[tuple[int, int, int, int]], cosines: Mapping[int, float]) -> dict[int, float]:
    """For each entry of (entry, neighbour, distance, session), how near its session is to the question.

    That is the mean cosine of the session's three nearest, of the entries that are given and their neighbours.
    """
    rows = list(around)
    session_of = {entry: session_id for entry, _, _, session_id in rows}
    by_session: dict[int, list[float]] = {}
    for session_id, near in {(session_id, near) for _, near, _, session_id in rows}:
        by_session.setdefault(session_id, []).append(cosines.get(near, 0.0))
    means = {
        session_id: sum(sorted(values, reverse=True)[:SESSION_BEST]) / SESSION_BEST
        for session_id, values in by_session.items()
    }
    return {entry: means[session_id] for entry, session_id in session_of.items()}
