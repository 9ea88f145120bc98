"""One question, and every hit considered for it, scored.

    query -> terms -> pool -> features -> signals -> score

In: a connection (reading is enough), a question, the moment it is asked, and
optionally a semantic index. Out: `Recalled`, hits in order of score. Nothing
is written here, nothing is dropped for likeness: `brief` chooses and logs.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime

from memory_db.errors import InputError, NotFoundError
from memory_db.knowledge.graph.entities import entity_shares
from memory_db.recall import scoring
from memory_db.recall.conditions import meet_conditions
from memory_db.recall.hits import Found, ScoredHit, entry_hits, memory_hits, select_in
from memory_db.recall.pool import (
    MEMORY_POOL_SIZE,
    POOL,
    Pool,
    context_cosines,
    entry_pool,
    look_around,
    memory_pool,
    session_cosines,
    sources_around,
)
from memory_db.recall.scoring import QueryFeatures
from memory_db.recall.static_similarity import add_static, admit_alike, complete_static, question_vector
from memory_db.records import dataclass, replace
from memory_db.store.dates import Window, normal_utc, parse_utc
from memory_db.text import static_vectors
from memory_db.text.literals import literal_shares, literals_in
from memory_db.text.terms import WORD, paths_in, query_terms
from memory_db.text.wording import wording

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

SCOPES = ("memories", "entries", "all")

FULL_TEXTS = {"memories": ("memory_fts",), "entries": ("entry_fts",), "all": ("memory_fts", "entry_fts")}
"""The full texts that are asked in each scope."""

NEAREST = 75
"""Memories and entries each that likeness of meaning brings into the pool, whatever their words."""

STATIC_CONTEXT = ("static_context_semantic", "static_session_semantic")
"""Signals that look at what stands around each hit, which is done only where a profile gives one of them weight."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, by whom, of what.

    `project_id` is where the asker works; with `only_project` nothing of other projects is considered, without
    `other_projects` nothing of them is shown. `session_uid` is the agent's own name of the session that asks, which may
    not be imported yet: what was pushed into it before is not pushed again.
    Times are ISO-8601; `as_of` asks the file as it was recorded then. `window` is the time that the words name, read by
    whoever asks (`question_dates.with_window`): it takes more than a hook may load. What must be quick asks for the
    rarest `most_terms` of its words only; `most_memories` and `most_entries` are how many full text brings, and where a
    memory has the share `entries_below` of what the question's words are worth, entries are not asked at all;
    `most_blocks` of the newest entries are looked through by likeness of meaning (all unless given). `threshold` is the
    least score of a hit that a model may be told of (see `abstaining`); None where a person asks.
    """

    query: str
    scope: str = "all"
    profile: str = "default"
    project_id: int | None = None
    only_project: bool = False
    other_projects: bool = True
    session_id: int | None = None
    session_uid: str | None = None
    since: str | None = None
    before: str | None = None
    as_of: str | None = None
    window: Window | None = None
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    limit: int = 10
    budget_tokens: int | None = None
    most_terms: int | None = None
    most_memories: int = MEMORY_POOL_SIZE
    most_entries: int = POOL
    most_blocks: int | None = None
    entries_below: float | None = None
    threshold: float | None = None

    def context(self) -> dict[str, object]:
        """What else was asked than the words, as it is logged."""
        names = ("only_project", "since", "before", "kinds", "tags", "paths", "limit", "budget_tokens")
        more = ("most_terms", "most_memories", "most_entries", "most_blocks", "entries_below", "threshold")
        given = {name: value for name in names + more if (value := getattr(self, name)) not in (None, (), False)}
        given |= {} if self.other_projects else {"other_projects": False}
        return given | ({"window": self.window.as_dict()} if self.window else {})


@dataclass(frozen=True, slots=True)
class Profile:
    """One version of a set of weights."""

    id: int
    name: str
    version: int
    weights: Mapping[str, float]
    threshold: float


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


def recall(db: sqlite3.Connection, question: Question, *, now: datetime, semantic: Semantic | None = None) -> Recalled:
    """Every hit considered for a question, scored and in order.

    Raises: QueryError, InputError, NotFoundError.
    """
    question = checked(question)
    profile = load_profile(db, question.profile)
    moment = parse_utc(question.as_of) if question.as_of else now
    terms = query_terms(question.query)
    if not question.only_project and (named := project_among(db, terms)) is not None:
        question = replace(question, project_id=named)
    literals = literals_in(question.query)
    words = wording(
        db, question.query, terms, FULL_TEXTS[question.scope], exact=literals, correct=question.most_terms is None
    )
    memories = Found(memory_pool(db, question, words) if question.scope != "entries" else Pool())
    if question.scope == "all" and memories.pool.answers(db, question):
        question = replace(question, scope="memories")
    entries = Found(entry_pool(db, question, words) if question.scope != "memories" else Pool())
    vector = question_vector(question.query, memories.pool.telling, entries.pool.telling)
    if semantic:
        admit_nearest(db, question, semantic, memories, entries)
    elif profile.weights.get("static_semantic"):
        admit_alike(db, question, vector, memories, entries)
    meet_conditions(db, question, memories, admit=bool(profile.weights.get("condition")))
    memories.pool.bring_successors(db, question)
    look_around(db, entries.pool)
    if question.most_terms is None or profile.weights.get("literal"):
        for found, table in ((memories, "memory_fts"), (entries, "entry_fts")):
            found.features["literal_share"] = literal_shares(db, table, literals, found.pool.bm25)
    if (question.most_terms is None or profile.weights.get("entity")) and not question.as_of:
        memories.features["entity_share"] = entity_shares(db, question.query, memories.pool.bm25)
    if semantic:
        add_semantic(db, question, semantic, memories, entries)
    looks_around = any(map(profile.weights.get, STATIC_CONTEXT))
    if looks_around or profile.weights.get("static_semantic"):
        add_static(db, vector, memories, entries, context=looks_around, as_of=question.as_of)
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


def checked(question: Question) -> Question:
    """The question with its times in the file's form.

    Raises: InputError.
    """
    if question.scope not in SCOPES:
        raise InputError(f"No scope {question.scope!r}. There are: {', '.join(SCOPES)}.")
    if not 1 <= question.limit <= POOL:
        raise InputError(f"A limit of {question.limit} cannot be used. Give one from 1 to {POOL}.")
    if question.budget_tokens is not None and question.budget_tokens < 1:
        raise InputError(f"A budget of {question.budget_tokens} tokens cannot be used. Give 1 or more.")
    times = {name: normal_utc(value) for name in ("since", "before", "as_of") if (value := getattr(question, name))}
    window = question.window
    if window:
        start, end = (normal_utc(text) if text else None for text in (window.start, window.end))
        window = replace(window, start=start, end=end)
    fields = {name: getattr(question, name) for name in Question.__slots__}
    return Question(**{**fields, **times, "window": window})


def load_profile(db: sqlite3.Connection, name: str) -> Profile:
    """The newest version of a profile; `name@2` names one version.

    Raises: NotFoundError.
    """
    plain, _, version = name.partition("@")
    row = db.execute(
        "select * from profiles where name = ? and (? = '' or cast(version as text) = ?) order by version desc",
        [plain, version, version],
    ).fetchone()
    if row is None:
        names = ", ".join(row[0] for row in db.execute("select distinct name from profiles order by name"))
        raise NotFoundError(f"No profile {name!r}. There are: {names}.")
    return Profile(row["id"], row["name"], row["version"], json.loads(row["weights"]), row["threshold"])


def admit_nearest(
    db: sqlite3.Connection, question: Question, semantic: Semantic, memories: Found, entries: Found
) -> None:
    """The nearest of the file as further members of the pools, though they share no word with the question."""
    among = ("memories", "entries") if question.scope == "all" else (question.scope,)
    near_memories, near_entries = semantic.search(question.query, [], [], NEAREST, among)
    if question.scope != "entries":
        memories.pool.admit(db, question, near_memories)
    if question.scope != "memories":
        entries.pool.admit(db, question, near_entries)


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
    sources = sources_around(db, memories.pool.bm25, question.as_of)
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
