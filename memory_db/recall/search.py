"""One question, and every hit considered for it, scored.

    read the question -> gather candidates -> complete them -> measure their features -> score

In: a connection (reading is enough), a question, the moment it is asked, and optionally a semantic index. Out:
`Recalled`, hits in order of score. Nothing is written here, nothing is dropped for being similar: a brief chooses and
logs. This is the door of the room: what others need of a question is found here.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime

from memory_db.index.signatures import STORED
from memory_db.recall.complete import bring_successors
from memory_db.recall.corpus import Corpus
from memory_db.recall.features import QueryFeatures
from memory_db.recall.filters import memory_filter
from memory_db.recall.gather import Gathered, Pool, admit_associated
from memory_db.recall.hits import Candidate, Hit, score
from memory_db.recall.measure import Measured, measure, memory_candidates
from memory_db.recall.measures.association import note
from memory_db.recall.profiles import Profile, load_profile
from memory_db.recall.question import FULL_EFFORT, HOOK_EFFORT, SCOPES, Effort, Filters, Question, checked, question_of
from memory_db.recall.read import Query, read
from memory_db.recall.similarity import Semantic, cosines_of, known_to, stored_signs
from memory_db.records import dataclass, field, replace
from memory_db.text import static_vectors
from memory_db.text.word_signs import likenesses

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from memory_db.recall.abstainer import Verdict
    from memory_db.text.word_signs import Asked

__all__ = [
    "FULL_EFFORT", "HOOK_EFFORT", "SCOPES", "Effort", "Filters", "Hit", "Profile", "Question", "Recalled", "Semantic",
    "checked", "considered", "load_profile", "look_up", "look_up_cosines", "question_of", "recall", "recall_memories",
    "recall_read", "score",
]  # fmt: skip


@dataclass(slots=True)
class Recalled:
    """The answer before anything is chosen: hits by score, best first.

    `verdict` says whether they answer at all, where a model is to read them: a brief finds that.
    """

    question: Question
    profile: Profile
    query_features: QueryFeatures
    hits: list[Hit]
    semantic_model: str | None = None
    static_model: str | None = None
    static_vector: bytes | None = None
    words: Asked = field(default_factory=list)
    verdict: Verdict | None = None
    corpus: Corpus | None = None


def recall(
    db: sqlite3.Connection,
    question: Question,
    *,
    now: datetime,
    semantic: Semantic | None = None,
    corpus: Corpus | None = None,
) -> Recalled:
    """Every hit considered for a question, scored and in order; `corpus` is the file's own unless given.

    Raises: QueryError, InputError, NotFoundError.
    """
    return recall_read(db, read(corpus or Corpus(db), question, now), known_to(semantic, question.query))


def recall_read(db: sqlite3.Connection, query: Query, semantic: Semantic | None) -> Recalled:
    """The same for a question that is read; a hit is in this file, whatever the corpus is. Raises: ModelError."""
    found, features, candidates = considered(db, query, semantic)
    hits = score(query.profile, features, candidates)
    model = semantic.model if semantic else None
    asked = replace(query.question, scope=found.scope)
    return Recalled(
        asked, query.profile, features, hits, model, static_vectors.MODEL_ID, found.vector, found.words,
        corpus=query.corpus,
    )  # fmt: skip


def considered(
    db: sqlite3.Connection, query: Query, semantic: Semantic | None
) -> tuple[Gathered, QueryFeatures, list[Candidate]]:
    """What is considered for a question, with its numbers, before it has a score. Raises: ModelError."""
    found = query.corpus.gathered(query, semantic)
    admit_associated(db, query, found, semantic)
    bring_successors(db, found.memories)
    features, candidates = measure(db, query, found, semantic)
    return found, note(features, candidates, found.history), candidates


def recall_memories(
    db: sqlite3.Connection, question: Question, profile: Profile, version_ids: Iterable[int], *, now: datetime
) -> Recalled:
    """Memories that are due whatever is asked, as the hits of a recall: scored as any other, but for the words."""
    pool = Pool(memory_filter(question), bm25=dict.fromkeys(version_ids, 0.0))
    features = QueryFeatures((), 0.0, 0.0)
    candidates = memory_candidates(db, question, pool, Measured(), question.paths, now) if pool.bm25 else []
    return Recalled(question, profile, features, score(profile, features, candidates))


def look_up_cosines(db: sqlite3.Connection, recalled: Recalled, hits: Sequence[Hit], *, words: bool = True) -> None:
    """Gives hits that are kept what their profile did not need of static vectors, so that any other can score them.

    `words` asks for the comparison word by word too, which takes longer. What the profile weighs was looked up before:
    a vector that came since counts in no score, so it stands in no signal either.
    """
    look_up(db, recalled.static_vector, recalled.words if words else None, recalled.profile, hits)


def look_up(
    db: sqlite3.Connection, vector: bytes | None, words: Asked | None, profile: Profile,
    hits: Sequence[Candidate | Hit],
) -> None:  # fmt: skip
    """The same by the question's vector and its words."""
    if vector is None:
        return
    cosines = not profile.weights.get("static_semantic")
    asked = None if profile.weights.get("static_interaction") else words
    for table, column in (STORED["memories"], STORED["entries"]):
        wanted = {key: hit.features for hit in hits if (key := getattr(hit, column)) is not None}
        lacking = [key for key, features in wanted.items() if cosines and features.static_cosine is None]
        for key, cosine in cosines_of(db, vector, table, column, lacking).items():
            wanted[key].static_cosine = cosine
        lacking = [key for key, features in wanted.items() if asked is not None and features.static_interaction is None]
        for key, met in likenesses(asked or [], stored_signs(db, table, column, lacking)).items():
            wanted[key].static_interaction = met
