"""One question, and every hit considered for it, scored.

    query -> terms -> pool -> features -> signals -> score

In: a connection (reading is enough), a question, the moment it is asked, and
optionally a semantic index. Out: `Recalled`, hits in order of score. Nothing
is written here, nothing is dropped for likeness: `brief` chooses and logs.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from memory_db.knowledge.graph.entities import entity_shares
from memory_db.recall import scoring
from memory_db.recall.conditions import meet_conditions
from memory_db.recall.filters import entry_filter, memory_filter
from memory_db.recall.hits import Found, ScoredHit, entry_hits, memory_hits, select_in
from memory_db.recall.pool import (
    Pool,
    context_cosines,
    entry_pool,
    look_around,
    memory_pool,
    session_cosines,
    sources_around,
)
from memory_db.recall.profiles import Profile, load_profile
from memory_db.recall.question import FULL_EFFORT, HOOK_EFFORT, SCOPES, Effort, Filters, Question, checked, question_of
from memory_db.recall.scoring import QueryFeatures
from memory_db.recall.static_similarity import Semantic, add_static, admit_alike, complete_static, question_vector
from memory_db.records import dataclass, replace
from memory_db.store.dates import Window, parse_utc
from memory_db.text import static_vectors
from memory_db.text.literals import literal_shares, literals_in
from memory_db.text.terms import WORD, paths_in, query_terms
from memory_db.text.wording import wording

__all__ = [
    "FULL_EFFORT", "HOOK_EFFORT", "SCOPES", "Effort", "Filters", "Profile", "Question", "Recalled", "Semantic",
    "checked", "complete", "load_profile", "put_in_order", "question_of", "recall",
]  # fmt: skip

FULL_TEXTS = {"memories": ("memory_fts",), "entries": ("entry_fts",), "all": ("memory_fts", "entry_fts")}
"""The full texts that are asked in each scope."""

NEAREST = 75
"""Memories and entries each that likeness of meaning brings into the pool, whatever their words."""

STATIC_CONTEXT = ("static_context_semantic", "static_session_semantic")
"""Signals that look at what stands around each hit, which is done only where a profile gives one of them weight."""


@dataclass(slots=True)
class Recalled:
    """The answer before anything is chosen: hits by score, best first."""

    question: Question
    profile: Profile
    query_features: QueryFeatures
    hits: list[ScoredHit]
    semantic_model: str | None = None
    static_model: str | None = None
    static_vector: bytes | None = None


def recall(db: sqlite3.Connection, question: Question, *, now: datetime, semantic: Semantic | None = None) -> Recalled:
    """Every hit considered for a question, scored and in order.

    Raises: QueryError, InputError, NotFoundError.
    """
    question = checked(question)
    profile = load_profile(db, question.profile)
    moment = parse_utc(question.filters.as_of) if question.filters.as_of else now
    terms = query_terms(question.query)
    if not question.filters.only_project and (named := project_among(db, terms)) is not None:
        question = replace(question, project_id=named)
    literals = literals_in(question.query)
    words = wording(
        db, question.query, terms, FULL_TEXTS[question.scope], exact=literals, correct=question.effort.is_full
    )
    memories = Found(memory_pool(db, question, words) if question.scope != "entries" else Pool(memory_filter(question)))
    if question.scope == "all" and memories.pool.answers(db, question):
        question = replace(question, scope="memories")
    entries = Found(entry_pool(db, question, words) if question.scope != "memories" else Pool(entry_filter(question)))
    vector = question_vector(question.query, memories.pool.telling, entries.pool.telling)
    if semantic:
        admit_nearest(db, question, semantic, memories, entries)
    elif profile.weights.get("static_semantic"):
        admit_alike(db, question, vector, memories, entries)
    meet_conditions(db, question, memories, admit=bool(profile.weights.get("condition")))
    memories.pool.bring_successors(db)
    look_around(db, entries.pool)
    if question.effort.is_full or profile.weights.get("literal"):
        for found, table in ((memories, "memory_fts"), (entries, "entry_fts")):
            found.features["literal_share"] = literal_shares(db, table, literals, found.pool.bm25)
    if (question.effort.is_full or profile.weights.get("entity")) and not question.filters.as_of:
        memories.features["entity_share"] = entity_shares(db, question.query, memories.pool.bm25)
    if semantic:
        add_semantic(db, question, semantic, memories, entries)
    looks_around = any(map(profile.weights.get, STATIC_CONTEXT))
    if looks_around or profile.weights.get("static_semantic"):
        add_static(db, vector, memories, entries, context=looks_around, as_of=question.filters.as_of)
    window_days = add_window(db, question.window, memories, entries) if question.window else None
    known_words = max(memories.pool.known_words, entries.pool.known_words)
    features = QueryFeatures(
        terms, memories.pool.best_bm25, entries.pool.best_bm25, window_days, known_words,
        literals, dict(words.variants), dict(words.corrected),
    )  # fmt: skip
    paths = tuple(dict.fromkeys(question.paths + paths_in(question.query)))
    hits = [*memory_hits(db, question, memories, paths, moment), *entry_hits(db, question, entries, paths, moment)]
    put_in_order(profile, features, hits)
    model = semantic.model if semantic else None
    return Recalled(question, profile, features, hits, model, static_vectors.MODEL_ID, vector)


def put_in_order(profile: Profile, features: QueryFeatures, hits: list[ScoredHit]) -> None:
    """Gives each hit its score under a profile, and its position; the list is in that order then."""
    for hit in hits:
        hit.score = scoring.score_of(profile.weights, features, hit.features)
    hits.sort(key=lambda hit: (-hit.score, -hit.features.bm25, hit.type, hit.memory_version_id or hit.entry_id or 0))
    for position, hit in enumerate(hits, start=1):
        hit.position = position


def complete(db: sqlite3.Connection, recalled: Recalled, hits: Sequence[ScoredHit]) -> None:
    """Gives hits that are kept every signal, also those that weigh nothing in this profile."""
    complete_static(db, recalled.static_vector, [hit for hit in hits if hit.features.static_cosine is None])
    for hit in hits:
        hit.signals = scoring.signals(recalled.query_features, hit.features)


def project_among(db: sqlite3.Connection, terms: tuple[str, ...]) -> int | None:
    """The project that a question names in its own words: that one is meant, wherever the asker works."""
    for row in db.execute("select id, name from projects order by length(name) desc, id"):
        words = WORD.findall(row["name"].casefold())
        if words and len("".join(words)) > 3 and set(words) <= set(terms):
            return int(row["id"])
    return None


def admit_nearest(
    db: sqlite3.Connection, question: Question, semantic: Semantic, memories: Found, entries: Found
) -> None:
    """The nearest of the file as further members of the pools, though they share no word with the question."""
    among = ("memories", "entries") if question.scope == "all" else (question.scope,)
    near_memories, near_entries = semantic.search(question.query, [], [], NEAREST, among)
    if question.scope != "entries":
        memories.pool.admit(db, near_memories)
    if question.scope != "memories":
        entries.pool.admit(db, near_entries)


def add_window(db: sqlite3.Connection, window: Window, memories: Found, entries: Found) -> float | None:
    """How far each member lies outside the time that a question names; gives how long that is, None if it is open.

    What is outdated is a member only where it held at the end of that time: it does not lie outside.
    """
    end = window.end or ""
    for found, table, column, inside in (
        (
            memories,
            "memory_versions",
            "valid_from",
            f"status = 'superseded' and valid_from < '{end}' and valid_to >= '{end}'",
        ),
        (entries, "entries", "created_at", "false"),
    ):
        after = f"julianday('{window.start}') - julianday({column})" if window.start else "0"
        before = f"julianday({column}) - julianday('{window.end}')" if window.end else "0"
        days = f"iif({inside}, 0.0, max(0.0, {after}, {before}))"
        rows = select_in(db, f"select id, {days} from {table} where id", found.pool.bm25)
        found.features["days_outside_window"] = dict(map(tuple, rows))
    return window.days()


def add_semantic(
    db: sqlite3.Connection, question: Question, semantic: Semantic, memories: Found, entries: Found
) -> None:
    """Cosines of the members by the full model, of what stands around them, and of their sessions."""
    sources = sources_around(db, memories.pool.bm25, question.filters.as_of)
    said = {near for _, near, _, _ in (*entries.pool.around, *sources)} | set(entries.pool.bm25)
    outdated = memories.pool.outdated
    of_memories, cosines = semantic.search(question.query, [*memories.pool.bm25, *outdated], list(said), 0)
    memories.features |= {
        "cosine": of_memories,
        "context_cosine": context_cosines(sources, cosines),
        "outdated_cosine": memories.pool.best_outdated(of_memories),
    }
    entries.features |= {
        "cosine": {entry: cosines[entry] for entry in entries.pool.bm25 if entry in cosines},
        "context_cosine": context_cosines((row for row in entries.pool.around if row[2]), cosines),
        "session_cosine": session_cosines(entries.pool, cosines),
    }
