"""Likeness of meaning by static word vectors: which texts join a pool by it, and the cosines of its members.

In: a question, how telling its words are in this file, and what was found for it. Out: further members, and features.
Invariant: a cosine belongs to the question, the file and one text; the same question in the same scope has the same
vector in a hook as on a page, but for words that a page corrects.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from memory_db.index import signatures
from memory_db.index.signatures import STORED
from memory_db.recall.hits import Found, ScoredHit, select_in
from memory_db.recall.pool import context_cosines, session_cosines, sources_around
from memory_db.text import static_vectors
from memory_db.text.terms import STOP_WORDS

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from typing import Protocol

    from memory_db.recall.question import Question
else:
    Protocol = object

NEAREST = 100
"""Memories and entries each that join a pool by their signatures.

Source: on the sample's questions a pool with 150 holds .95 of the answers, with 100 .93, with 75 .89; the full model's
75 hold .98. More takes time at every prompt.
"""

REACH = 1
"""How far around an entry static vectors are looked up, in entries. Source: ours; further ones count a half or less and
are two thirds of the vectors, which in a large file are what a hook's time goes into."""

STOP_LEVEL, PART_LEVEL = 2, 8
"""How much a word counts that is not asked of the full text: one that says nothing, and a part of an identifier."""


class Semantic(Protocol):
    """Likeness by a full embedding model."""

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


def question_vector(query: str, *telling: Mapping[str, float]) -> bytes | None:
    """The vector of a question, each word counted by its idf in that full text where it is rarest; None without one.

    A word's share is 1 and twice its idf, as a whole number. Source: on the sample's and the developer's questions it
    brings .010 and .009 more of the answers into the first ten than vectors that know no file.
    """

    def level(word: str) -> int:
        found = [each[word] for each in telling if word in each]
        if found:
            return 1 + round(2 * max(found))
        return STOP_LEVEL if word in STOP_WORDS else PART_LEVEL

    return static_vectors.text_vector(query, level)


def admit_alike(
    db: sqlite3.Connection, question: Question, vector: bytes | None, memories: Found, entries: Found
) -> None:
    """The nearest by static word vectors, where no full model brings others that share no word with the question."""
    if vector is None:
        return
    if question.scope != "entries":
        memories.pool.admit(db, signatures.nearest(db, "memories", vector, NEAREST))
    if question.scope != "memories":
        most = min(NEAREST, question.effort.most_entries // 2)
        entries.pool.admit(db, signatures.nearest(db, "entries", vector, most, question.effort.most_blocks))


def add_static(
    db: sqlite3.Connection,
    vector: bytes | None,
    memories: Found,
    entries: Found,
    *,
    context: bool,
    as_of: str | None = None,
) -> None:
    """Cosines of the members and, if wanted, of what stands around them and of their sessions."""
    if vector is None:
        return
    memories.features["static_cosine"] = cosines_of(db, vector, *STORED["memories"], memories.pool.bm25)
    if not context:
        entries.features["static_cosine"] = cosines_of(db, vector, *STORED["entries"], entries.pool.bm25)
        return
    sources = sources_around(db, memories.pool.bm25, as_of)
    said = {near for _, near, distance, _ in (*entries.pool.around, *sources) if distance <= REACH}
    cosines = cosines_of(db, vector, *STORED["entries"], said)
    memories.features["static_context_cosine"] = context_cosines(sources, cosines)
    entries.features |= {
        "static_cosine": {entry: cosines[entry] for entry in entries.pool.bm25 if entry in cosines},
        "static_context_cosine": context_cosines((row for row in entries.pool.around if row[2]), cosines),
        "static_session_cosine": session_cosines(entries.pool, cosines),
    }


def complete_static(db: sqlite3.Connection, vector: bytes | None, hits: Sequence[ScoredHit]) -> None:
    """Cosines of single hits that were not looked up before."""
    if vector is None:
        return
    for table, column in (STORED["memories"], STORED["entries"]):
        wanted = {identifier: hit for hit in hits if (identifier := getattr(hit, column)) is not None}
        for identifier, cosine in cosines_of(db, vector, table, column, wanted).items():
            wanted[identifier].features.static_cosine = cosine


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
