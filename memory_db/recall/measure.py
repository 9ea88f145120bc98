"""What is known of each candidate: every raw number that a score may come from, in one pass.

In: what was gathered, complete. Out: the numbers of the question, and `Candidate`s with theirs. Invariants: a number
looks at the question and one candidate, never at the others; a hook looks up only what a signal with weight needs.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import datetime

from memory_db.knowledge.attributes import attributes_sql
from memory_db.knowledge.belonging import is_linked
from memory_db.knowledge.evidence_weights import EVIDENCE_WEIGHTS
from memory_db.knowledge.graph.proximity import nearness
from memory_db.recall.features import HitFeatures, QueryFeatures
from memory_db.recall.hits import Candidate
from memory_db.recall.measures.around import REACH, sources_around
from memory_db.recall.measures.by_word_vectors import STATIC_CONTEXT, WORD_BY_WORD, vector_cosines, word_likenesses
from memory_db.recall.measures.ceilings import worth_of_terms
from memory_db.recall.measures.conditions import condition_cosines
from memory_db.recall.similarity import Cosines, context_cosines, session_cosines, worth_of_words
from memory_db.records import dataclass, field
from memory_db.store.connection import id_list, select_in
from memory_db.store.dates import utc_text
from memory_db.text.names.literals import literal_shares
from memory_db.text.terms import path_matches

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memory_db.recall.gather import Gathered, Pool
    from memory_db.recall.measures.around import Around
    from memory_db.recall.question import Question
    from memory_db.recall.read import Query
    from memory_db.recall.similarity import Semantic
    from memory_db.store.dates import Window

ENTRY_HALF_LIFE_DAYS = 180.0
"""Freshness of what was merely said halves in half a year; memories have the half-life of their kind.

Source: the middle of the half-lives of `kinds`; recency weighs little in every profile of ours.
"""


@dataclass(slots=True)
class Measured:
    """Numbers of one sort of members, by id, as far as they were looked up and are there; meant and sister projects."""

    meant: frozenset[int] = frozenset()
    sisters: frozenset[int] = frozenset()
    by_model: Cosines = field(default_factory=Cosines)
    by_tokens: Cosines = field(default_factory=Cosines)
    by_vectors: Cosines = field(default_factory=Cosines)
    by_words: Cosines = field(default_factory=Cosines)
    condition_bm25: dict[int, float] = field(default_factory=dict)
    condition_cosine: dict[int, float] = field(default_factory=dict)
    literal_share: dict[int, float] = field(default_factory=dict)
    entity_share: dict[int, float] = field(default_factory=dict)
    days_outside_window: dict[int, float] = field(default_factory=dict)


def measure(
    db: sqlite3.Connection, query: Query, found: Gathered, semantic: Semantic | None
) -> tuple[QueryFeatures, list[Candidate]]:
    """The numbers of a question, and every candidate with its own."""
    question, memories, entries = query.question, found.memories, found.entries
    of_memories, of_entries = Measured(query.meant, query.sisters), Measured(query.meant)
    is_full = question.effort.is_full
    if found.condition:
        of_memories.condition_bm25 = query.corpus.condition_bm25(found.condition, memories.bm25)
        of_memories.condition_cosine = condition_cosines(db, found.condition, memories.bm25)
    if is_full or query.weighs("literal"):
        of_memories.literal_share = literal_shares_of(db, query, "memory_fts", memories)
        of_entries.literal_share = literal_shares_of(db, query, "entry_fts", entries)
    if (is_full or query.weighs("entity")) and not question.filters.as_of:
        from memory_db.knowledge.graph.entities import (  # noqa: PLC0415  # start-up: a hook's profile weighs none
            entity_shares,
            names_in,
        )

        of_memories.entity_share = entity_shares(db, query.corpus.entities(names_in(question.query)), memories.bm25)
    if semantic:
        sources = sources_around(db, memories.bm25, question.filters.as_of)
        of_memories.by_model, of_entries.by_model = model_cosines(question, found, semantic, sources)
        of_memories.by_tokens, of_entries.by_tokens = model_interactions(db, query, found, semantic, sources)
    if found.vector and query.weighs("static_semantic", *STATIC_CONTEXT):
        of_memories.by_vectors, of_entries.by_vectors = vector_cosines(
            db, found.vector, found, context=query.weighs(*STATIC_CONTEXT), as_of=question.filters.as_of
        )
    if query.weighs(*WORD_BY_WORD):
        of_memories.by_words, of_entries.by_words = word_likenesses(db, found)
    if question.window:
        of_memories.days_outside_window = memory_days_outside(db, question.window, memories.bm25)
        of_entries.days_outside_window = days_outside(db, question.window, "entries", "created_at", entries.bm25)
    features = QueryFeatures(
        query.terms, memories.best_bm25, entries.best_bm25, question.window.days() if question.window else None,
        max(memories.known_words, entries.known_words), query.literals, dict(query.words.variants),
        dict(query.words.corrected), worth_of_terms(query.terms, memories.weights, entries.weights),
        is_young=query.corpus.is_young(),
    )  # fmt: skip
    return features, [
        *memory_candidates(db, question, memories, of_memories, query.paths, query.moment),
        *entry_candidates(db, question, entries, of_entries, query.paths, query.moment),
    ]


def literal_shares_of(db: sqlite3.Connection, query: Query, table: str, pool: Pool) -> dict[int, float]:
    """The share of the question's literals that each member of a pool has."""
    if not query.literals or not pool.bm25:
        return {}
    counted = query.corpus.literal_counts(table, query.literals)
    return literal_shares(db, table, query.corpus.documents(table), counted, pool.bm25)


def model_cosines(question: Question, found: Gathered, semantic: Semantic, sources: Around) -> tuple[Cosines, Cosines]:
    """Cosines of memories and of entries by the full model, of what stands around them, and of their sessions."""
    memories, entries = found.memories, found.entries
    said = {near for _, near, _, _ in (*entries.around, *sources)} | set(entries.bm25)
    own, cosines = semantic.search(question.query, [*memories.bm25, *memories.outdated], list(said), 0)
    return by_the_model(found, entries.around, sources, own, cosines)


def model_interactions(
    db: sqlite3.Connection, query: Query, found: Gathered, semantic: Semantic, sources: Around
) -> tuple[Cosines, Cosines]:
    """The same token by token: each sort by what the question's words are worth in its full text.

    Of entries only those that are considered are compared, the neighbours of the best among them, and those that
    memories were made from: further ones take as long again as all else of a question.
    """
    text, sources = query.question.query, [row for row in sources if row[2] <= REACH]
    members = {
        "memories": {*found.memories.bm25, *found.memories.outdated},
        "entries": {*found.entries.bm25, *(near for _, near, _, _ in sources)},
    }
    similarities: dict[str, dict[int, float]] = {}
    for sort, pool, table in (("memories", found.memories, "memory_fts"), ("entries", found.entries, "entry_fts")):
        # Where memories alone are asked, the entries around them go by what memories make of the words.
        weights = pool.weights or found.memories.weights
        worth = worth_of_words(query.corpus, text, table, weights) if members[sort] else {}
        similarities[sort] = semantic.interactions(text, worth, sort, members[sort]) if worth else {}
    said = similarities["entries"]
    around = [row for row in found.entries.around if row[1] in said]
    return by_the_model(found, around, sources, similarities["memories"], said)


def by_the_model(
    found: Gathered, around: Around, sources: Around, own: Mapping[int, float], cosines: Mapping[int, float]
) -> tuple[Cosines, Cosines]:
    """Of memory versions and of entries by id, the numbers of the members and of what stands around them."""
    memories, entries = found.memories, found.entries
    outdated = {
        member: max(known)
        for member, olds in memories.replaces.items()
        if (known := [own[old] for old in olds if old in own])
    }
    return (
        Cosines(dict(own), context_cosines(sources, cosines), outdated=outdated),
        Cosines(
            {entry: cosines[entry] for entry in entries.bm25 if entry in cosines},
            context_cosines((row for row in around if row[2]), cosines),
            session_cosines(around, cosines),
        ),
    )


def memory_days_outside(db: sqlite3.Connection, window: Window, version_ids: Iterable[int]) -> dict[int, float]:
    """How far each version of a memory lies outside the time that a question names.

    What is outdated is a member only where it held at the end of that time: it does not lie outside.
    """
    end = window.end or ""
    inside = f"status = 'superseded' and valid_from < '{end}' and valid_to >= '{end}'"
    return days_outside(db, window, "memory_versions", "valid_from", version_ids, inside=inside)


def days_outside(
    db: sqlite3.Connection, window: Window, table: str, column: str, ids: Iterable[int], *, inside: str = "false"
) -> dict[int, float]:
    """How many days before or after the time that a question names each row lies; 0 where `inside` holds."""
    after = f"julianday('{window.start}') - julianday({column})" if window.start else "0"
    before = f"julianday({column}) - julianday('{window.end}')" if window.end else "0"
    days = f"iif({inside}, 0.0, max(0.0, {after}, {before}))"
    return dict(map(tuple, select_in(db, f"select id, {days} from {table} where id", ids)))


# ------------------------------------------------------------------- candidates


MEMORY_ROWS = """
select v.id, v.memory_id, v.kind, v.scope, v.project_id, v.importance, v.lock_level, m.origin,
    {linked} as is_linked,
    max(0.0, julianday('{moment}') - julianday(v.valid_from)) as age_days,
    k.half_life_days, k.prior_alpha, k.prior_beta
from memory_versions v join kinds k on k.name = v.kind join memories m on m.id = v.memory_id
where v.id"""

EVIDENCE = f"""
select memory_id, sum(weight_for) as weight_for, sum(weight_against) as weight_against, sum(is_use) as times_used,
    max(kind = 'stated' and said = 1) as stated_by_user, max(said) as said
from ({EVIDENCE_WEIGHTS})
where created_at <= '{{until}}' and {{counts}} and memory_id in ({{ids}}) group by memory_id
"""

COUNTS_NOW = "withdrawn_at is null"
COUNTED_THEN = "recorded_at <= '{until}' and (withdrawn_at is null or withdrawn_at > '{until}')"
"""What was recorded before this was kept has '' for it, which is before any moment."""

TIMES_SHOWN = """
select w.memory_id, count(*) from memory_versions w join hits h on h.memory_version_id = w.id{then}
where h.rank is not null and w.memory_id in ({ids}) group by w.memory_id
"""

ASKED_BY_THEN = " join recalls r on r.id = h.recall_id and r.asked_at <= :as_of"

NO_EVIDENCE = {"weight_for": 0.0, "weight_against": 0.0, "times_used": 0, "stated_by_user": 0, "said": 0}


def memory_candidates(
    db: sqlite3.Connection,
    question: Question,
    pool: Pool,
    measured: Measured,
    paths: tuple[str, ...],
    moment: datetime,
) -> list[Candidate]:
    """The memories of a pool, with their numbers."""
    until = utc_text(moment)
    linked = is_linked("v.project_id", project=str(int(question.project_id or 0)), until=f"'{until}'")
    rows = select_in(db, MEMORY_ROWS.format(moment=until, linked=linked), pool.bm25)
    ids = id_list(row["memory_id"] for row in rows)
    evidence = evidence_sums(db, ids, until, question.filters.as_of)
    factors: dict[str, float] = dict(db.execute("select name, prior_factor from tiers").fetchall())
    times_shown = times_shown_by(db, ids, question.filters.as_of)
    near = nearness(db, (row["memory_id"] for row in rows), question.session_id, paths, moment)
    in_play = paths_in_play(db, ids, paths, question.filters.as_of) if paths else {}
    candidates, tokens = [], measured.by_tokens
    for row in rows:
        version_id, memory_id, known = row["id"], row["memory_id"], evidence.get(row["memory_id"], NO_EVIDENCE)
        replaces = tuple(pool.replaces.get(version_id, ()))
        features = HitFeatures(
            is_memory=True,
            kind=row["kind"],
            age_days=row["age_days"],
            half_life_days=row["half_life_days"],
            bm25=pool.bm25[version_id],
            context_bm25=pool.context_bm25.get(version_id, 0.0),
            cosine=measured.by_model.own.get(version_id),
            context_cosine=measured.by_model.context.get(version_id),
            static_cosine=measured.by_vectors.own.get(version_id),
            static_context_cosine=measured.by_vectors.context.get(version_id),
            static_interaction=measured.by_words.own.get(version_id),
            condition_bm25=measured.condition_bm25.get(version_id),
            condition_cosine=measured.condition_cosine.get(version_id),
            outdated_bm25=max(pool.outdated[old] for old in replaces) if replaces else None,
            outdated_cosine=measured.by_model.outdated.get(version_id),
            interaction=tokens.own.get(version_id),
            context_interaction=greater(tokens.context.get(version_id), tokens.outdated.get(version_id)),
            same_project=None if question.project_id is None else row["project_id"] == question.project_id,
            meant_project=True if row["project_id"] in measured.meant else None,
            sister_project=True if row["scope"] == "project" and row["project_id"] in measured.sisters else None,
            user_scope=row["scope"] == "user",
            linked_project=True if row["is_linked"] else None,
            path_match=in_play.get(memory_id, 0.0),
            literal_share=measured.literal_share.get(version_id),
            entity_share=measured.entity_share.get(version_id),
            edge_strength=near.get(memory_id),
            importance=row["importance"],
            alpha=row["prior_alpha"] * factors[tier_of(row, known)] + known["weight_for"],
            beta=row["prior_beta"] + known["weight_against"],
            days_outside_window=measured.days_outside_window.get(version_id),
            times_shown=times_shown.get(memory_id, 0),
            times_used=known["times_used"],
            lock_level=row["lock_level"],
            stated_by_user=bool(known["stated_by_user"]),
        )
        candidates.append(Candidate(version_id, None, features, replaces))
    return candidates


def greater(one: float | None, other: float | None) -> float | None:
    """The greater of two numbers, of which either may be missing."""
    if one is None or other is None:
        return one if other is None else other
    return max(one, other)


def evidence_sums(db: sqlite3.Connection, ids: str, until: str, as_of: str | None) -> dict[int, Any]:
    """What the evidence of each memory adds up to, as of a time if one is given."""
    counts = COUNTED_THEN.format(until=until) if as_of else COUNTS_NOW
    return {row[0]: row for row in db.execute(EVIDENCE.format(ids=ids, until=until, counts=counts))}


def times_shown_by(db: sqlite3.Connection, ids: str, as_of: str | None) -> dict[int, int]:
    """How often each memory was shown, up to a time if one is given."""
    shown = TIMES_SHOWN.format(ids=ids, then=ASKED_BY_THEN if as_of else "")
    return dict(db.execute(shown, {"as_of": as_of}).fetchall())


def paths_in_play(db: sqlite3.Connection, ids: str, paths: tuple[str, ...], as_of: str | None) -> dict[int, float]:
    """How well the files that a memory is bound to match those in play."""
    bound = attributes_sql("path", as_of)
    return path_matches(db.execute(f"select memory_id, value from ({bound}) where memory_id in ({ids})"), paths)


def tier_of(row: sqlite3.Row, known: sqlite3.Row | dict[str, float]) -> str:
    """How a memory came to be known, as the view `memory_tiers` tells it: the name of a row of `tiers`."""
    if row["lock_level"] == "user" or row["origin"] == "user" or known["said"] == 2:
        return "explicit"
    return "signals" if known["said"] else "inferred"


ENTRY_ROWS = """
select e.id, e.kind, e.role, max(0.0, julianday('{moment}') - julianday(e.created_at)) as age_days, s.project_id
from entries e join sessions s on s.id = e.session_id where e.id"""


def entry_candidates(
    db: sqlite3.Connection,
    question: Question,
    pool: Pool,
    measured: Measured,
    paths: tuple[str, ...],
    moment: datetime,
) -> list[Candidate]:
    """The entries of a pool, with their numbers."""
    in_play: dict[int, float] = {}
    if paths:
        in_play = path_matches(select_in(db, "select entry_id, target from actions where entry_id", pool.bm25), paths)
    candidates = []
    for row in select_in(db, ENTRY_ROWS.format(moment=utc_text(moment)), pool.bm25):
        entry_id = row["id"]
        features = HitFeatures(
            is_memory=False,
            kind=row["kind"],
            age_days=row["age_days"],
            half_life_days=ENTRY_HALF_LIFE_DAYS,
            bm25=pool.bm25[entry_id],
            context_bm25=pool.context_bm25.get(entry_id, 0.0),
            session_keyword=pool.session_keyword.get(entry_id, 0.0),
            cosine=measured.by_model.own.get(entry_id),
            context_cosine=measured.by_model.context.get(entry_id),
            session_cosine=measured.by_model.session.get(entry_id),
            interaction=measured.by_tokens.own.get(entry_id),
            context_interaction=measured.by_tokens.context.get(entry_id),
            session_interaction=measured.by_tokens.session.get(entry_id),
            static_cosine=measured.by_vectors.own.get(entry_id),
            static_context_cosine=measured.by_vectors.context.get(entry_id),
            static_session_cosine=measured.by_vectors.session.get(entry_id),
            static_interaction=measured.by_words.own.get(entry_id),
            static_session_interaction=measured.by_words.session.get(entry_id),
            same_project=None if question.project_id is None else row["project_id"] == question.project_id,
            meant_project=True if row["project_id"] in measured.meant else None,
            path_match=in_play.get(entry_id, 0.0),
            literal_share=measured.literal_share.get(entry_id),
            days_outside_window=measured.days_outside_window.get(entry_id),
            stated_by_user=row["role"] == "user",
        )
        candidates.append(Candidate(None, entry_id, features))
    return candidates
