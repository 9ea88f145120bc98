"""One question, and every hit considered for it, scored.

    query -> terms -> pool -> features -> signals -> score

In: a connection (reading is enough), a question, the moment it is asked, and
optionally a semantic index. Out: `Recalled`, hits in order of score. Nothing
is written here, nothing is dropped for likeness: `brief` chooses and logs.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from memory_db import scoring, signatures, static_vectors
from memory_db.dates import normal_utc, parse_utc, utc_text
from memory_db.errors import InputError, NotFoundError
from memory_db.pool import (
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
from memory_db.scoring import HitFeatures, QueryFeatures
from memory_db.startup import dataclass, field, replace
from memory_db.terms import WORD, path_matches, paths_in, query_terms

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

SCOPES = ("memories", "entries", "all")

NEAREST = 75
"""Memories and entries each that likeness of meaning brings into the pool, whatever their words."""

ENTRY_HALF_LIFE_DAYS = 180.0
"""Freshness of what was merely said halves in half a year; memories have the half-life of their kind.

Source: the middle of the half-lives of `kinds`; recency weighs little in every profile of ours.
"""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, by whom, of what.

    `project_id` is where the asker works; with `only_project` nothing of other projects is shown.
    Times are ISO-8601; `as_of` asks the file as it was recorded then. What must be quick asks for the rarest
    `most_terms` of its words only; `most_memories` is how many full text brings.
    """

    query: str
    scope: str = "all"
    profile: str = "default"
    project_id: int | None = None
    only_project: bool = False
    session_id: int | None = None
    since: str | None = None
    before: str | None = None
    as_of: str | None = None
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    limit: int = 10
    budget_tokens: int | None = None
    most_terms: int | None = None
    most_memories: int = MEMORY_POOL_SIZE

    def context(self) -> dict[str, object]:
        """What else was asked than the words, as it is logged."""
        names = ("only_project", "since", "before", "kinds", "tags", "paths", "limit", "budget_tokens")
        more = ("most_terms", "most_memories")
        return {name: value for name in names + more if (value := getattr(self, name)) not in (None, (), False)}


@dataclass(frozen=True, slots=True)
class Profile:
    """One version of a set of weights."""

    id: int
    name: str
    version: int
    weights: Mapping[str, float]
    threshold: float


@dataclass(slots=True)
class ScoredHit:
    """One memory or entry considered: what it is, its raw numbers, its signals, its score.

    `position` is its place by score, from 1; `rank` its place among the shown, or None with a reason.
    """

    type: str
    memory_version_id: int | None
    entry_id: int | None
    features: HitFeatures
    signals: dict[str, float]
    score: float
    uid: str = ""
    title: str = ""
    text: str = ""
    kind: str = ""
    project: str | None = None
    session_uid: str | None = None
    created_at: str = ""
    tokens: int = 0
    source_entry_ids: frozenset[int] = frozenset()
    position: int = 0
    rank: int | None = None
    left_out_reason: str | None = None


@dataclass(slots=True)
class Recalled:
    """The answer before anything is chosen: hits by score, best first."""

    question: Question
    profile: Profile
    query_features: QueryFeatures
    hits: list[ScoredHit]
    semantic_model: str | None = None
    static_model: str | None = None


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


@dataclass(slots=True)
class _Found:
    """What the pools brought, by id, before it is scored."""

    pool: Pool
    cosines: dict[int, float] = field(default_factory=dict)
    context_cosines: dict[int, float] = field(default_factory=dict)
    session_cosines: dict[int, float] = field(default_factory=dict)


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
    memories = _Found(memory_pool(db, question, terms) if question.scope != "entries" else Pool())
    entries = _Found(entry_pool(db, question, terms) if question.scope != "memories" else Pool())
    if semantic:
        admit_nearest(db, question, semantic, memories, entries)
    elif profile.weights.get("static_semantic"):
        admit_alike(db, question, memories, entries)
    look_around(db, entries.pool)
    if semantic:
        add_semantic(db, question.query, semantic, memories, entries)
    features = QueryFeatures(terms, memories.pool.best_bm25, entries.pool.best_bm25)
    paths = tuple(dict.fromkeys(question.paths + paths_in(question.query)))
    hits = [*memory_hits(db, question, memories, paths, moment), *entry_hits(db, question, entries, paths, moment)]
    if profile.weights.get("static_semantic"):
        add_static(db, question.query, hits)
    for hit in hits:
        hit.score = scoring.score_of(profile.weights, features, hit.features)
    hits.sort(key=lambda hit: (-hit.score, -hit.features.bm25, hit.type, hit.memory_version_id or hit.entry_id or 0))
    for position, hit in enumerate(hits, start=1):
        hit.position = position
    return Recalled(question, profile, features, hits, semantic.model if semantic else None, static_vectors.MODEL_ID)


def complete(db: sqlite3.Connection, recalled: Recalled, hits: Sequence[ScoredHit]) -> None:
    """Gives hits that are kept every signal, also those that weigh nothing in this profile."""
    add_static(db, recalled.question.query, [hit for hit in hits if hit.features.static_cosine is None])
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
    fields = {name: getattr(question, name) for name in Question.__slots__}
    return Question(**{**fields, **times})


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
    db: sqlite3.Connection, question: Question, semantic: Semantic, memories: _Found, entries: _Found
) -> None:
    """The nearest of the file as further members of the pools, though they share no word with the question."""
    among = ("memories", "entries") if question.scope == "all" else (question.scope,)
    near_memories, near_entries = semantic.search(question.query, [], [], NEAREST, among)
    if question.scope != "entries":
        memories.pool.admit(db, question, near_memories)
    if question.scope != "memories":
        entries.pool.admit(db, question, near_entries)


def admit_alike(db: sqlite3.Connection, question: Question, memories: _Found, entries: _Found) -> None:
    """The nearest by static word vectors, where no full model brings others that share no word with the question."""
    vector = static_vectors.text_vector(question.query)
    if vector is None:
        return
    if question.scope != "entries":
        memories.pool.admit(db, question, signatures.nearest(db, "memories", vector, NEAREST))
    if question.scope != "memories":
        entries.pool.admit(db, question, signatures.nearest(db, "entries", vector, NEAREST))


def add_semantic(db: sqlite3.Connection, query: str, semantic: Semantic, memories: _Found, entries: _Found) -> None:
    """Cosines of the members by the full model, of what stands around them, and of their sessions."""
    sources = sources_around(db, memories.pool.bm25)
    said = {near for _, near, _, _ in (*entries.pool.around, *sources)} | set(entries.pool.bm25)
    memories.cosines, cosines = semantic.search(query, list(memories.pool.bm25), list(said), 0)
    memories.context_cosines = context_cosines(sources, cosines)
    entries.cosines = {entry: cosines[entry] for entry in entries.pool.bm25 if entry in cosines}
    entries.context_cosines = context_cosines((row for row in entries.pool.around if row[2]), cosines)
    entries.session_cosines = session_cosines(entries.pool, cosines)


def add_static(db: sqlite3.Connection, query: str, hits: Sequence[ScoredHit]) -> None:
    """Cosines of hits by static word vectors, where they have one."""
    vector = static_vectors.text_vector(query)
    if vector is None:
        return
    numbers = static_vectors.numbers(vector)
    for column in ("memory_version_id", "entry_id"):
        wanted = {identifier: hit for hit in hits if (identifier := getattr(hit, column)) is not None}
        rows = select_in(
            db,
            f"select {column}, vector from static_vectors where model = '{static_vectors.MODEL_ID}'"
            f" and length(vector) > 0 and {column}",
            wanted,
        )
        for identifier, stored in rows:
            wanted[identifier].features.static_cosine = static_vectors.cosine(numbers, stored)


MEMORY_ROWS = """
select v.id, v.memory_id, v.kind, v.scope, v.project_id, v.importance, v.lock_level,
    max(0.0, julianday('{moment}') - julianday(v.valid_from)) as age_days,
    k.half_life_days, k.prior_alpha, k.prior_beta
from memory_versions v join kinds k on k.name = v.kind
where v.id"""

EVIDENCE = """
select memory_id, sum(case when direction = 'for' then weight else 0 end) as weight_for,
    sum(case when direction = 'against' then weight else 0 end) as weight_against,
    sum(kind in ('cited', 'used')) as times_used, max(kind = 'stated' and weight >= 1) as stated_by_user
from evidence where created_at <= '{until}' and memory_id in ({ids}) group by memory_id
"""

TIMES_SHOWN = """
select w.memory_id, count(*) from memory_versions w join hits h on h.memory_version_id = w.id
where h.rank is not null and w.memory_id in ({ids}) group by w.memory_id
"""

NO_EVIDENCE = {"weight_for": 0.0, "weight_against": 0.0, "times_used": 0, "stated_by_user": 0}


def memory_hits(
    db: sqlite3.Connection, question: Question, found: _Found, paths: tuple[str, ...], moment: datetime
) -> list[ScoredHit]:
    """Hits of the memories in the pool, with their raw numbers."""
    rows = select_in(db, MEMORY_ROWS.format(moment=utc_text(moment)), found.pool.bm25)
    ids = ",".join(str(row["memory_id"]) for row in rows)
    evidence = {row[0]: row for row in db.execute(EVIDENCE.format(ids=ids, until=utc_text(moment)))}
    times_shown = dict(db.execute(TIMES_SHOWN.format(ids=ids)).fetchall())
    in_play: dict[int, float] = {}
    if paths:
        in_play = path_matches(
            db.execute(f"select memory_id, path from memory_paths where memory_id in ({ids})"), paths
        )
    hits = []
    for row in rows:
        version_id, memory_id = row["id"], row["memory_id"]
        known = evidence.get(memory_id, NO_EVIDENCE)
        features = HitFeatures(
            is_memory=True,
            kind=row["kind"],
            age_days=row["age_days"],
            half_life_days=row["half_life_days"],
            bm25=found.pool.bm25[version_id],
            context_bm25=found.pool.context_bm25.get(version_id, 0.0),
            cosine=found.cosines.get(version_id),
            context_cosine=found.context_cosines.get(version_id),
            same_project=None if question.project_id is None else row["project_id"] == question.project_id,
            user_scope=row["scope"] == "user",
            path_match=in_play.get(memory_id, 0.0),
            importance=row["importance"],
            alpha=row["prior_alpha"] + known["weight_for"],
            beta=row["prior_beta"] + known["weight_against"],
            times_shown=times_shown.get(memory_id, 0),
            times_used=known["times_used"],
            lock_level=row["lock_level"],
            stated_by_user=bool(known["stated_by_user"]),
        )
        hits.append(ScoredHit("memory", version_id, None, features, {}, 0.0))
    return hits


def entry_hits(
    db: sqlite3.Connection, question: Question, found: _Found, paths: tuple[str, ...], moment: datetime
) -> list[ScoredHit]:
    """Hits of the entries in the pool, with their raw numbers."""
    rows = select_in(
        db,
        f"select e.id, e.kind, e.role, max(0.0, julianday('{utc_text(moment)}') - julianday(e.created_at)) as age_days,"
        " s.project_id from entries e"
        " join sessions s on s.id = e.session_id where e.id",
        found.pool.bm25,
    )
    in_play: dict[int, float] = {}
    if paths:
        targets = select_in(db, "select entry_id, target from actions where entry_id", found.pool.bm25)
        in_play = path_matches(targets, paths)
    hits = []
    for row in rows:
        entry_id = row["id"]
        features = HitFeatures(
            is_memory=False,
            kind=row["kind"],
            age_days=row["age_days"],
            half_life_days=ENTRY_HALF_LIFE_DAYS,
            bm25=found.pool.bm25[entry_id],
            context_bm25=found.pool.context_bm25.get(entry_id, 0.0),
            session_keyword=found.pool.session_keyword.get(entry_id, 0.0),
            cosine=found.cosines.get(entry_id),
            context_cosine=found.context_cosines.get(entry_id),
            session_cosine=found.session_cosines.get(entry_id),
            same_project=None if question.project_id is None else row["project_id"] == question.project_id,
            path_match=in_play.get(entry_id, 0.0),
            stated_by_user=row["role"] == "user",
        )
        hits.append(ScoredHit("entry", None, entry_id, features, {}, 0.0))
    return hits


def select_in(db: sqlite3.Connection, sql: str, ids: Iterable[int]) -> list[sqlite3.Row]:
    """Rows of `sql` (which ends in a column's name) where that column is one of the ids."""
    wanted = ",".join(str(int(identifier)) for identifier in ids)
    return db.execute(f"{sql} in ({wanted})").fetchall() if wanted else []
