"""Which memories and entries are considered for a question: cheap and wide.

In: a question and its terms. Out: a `Pool` of ids with what full text says of
each. Filters are applied here, so every member of a pool may be shown.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from memory_db.scoring import best_bm25, idf, term_bm25
from memory_db.startup import dataclass, field
from memory_db.terms import match_any

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from memory_db.recall import Question

POOL = 300
"""Entries that full text brings."""

MEMORY_POOL_SIZE = 100
"""Memories that full text brings. They are fewer and shorter than entries, and each costs more to look up."""

DEPTH = 1500
"""How deep the full-text ranking of entries is read to know what stands around a hit."""

NEIGHBOURS_OF = 60
"""The best entries whose neighbours join the pool: an answer need not repeat the words of its question."""

NEIGHBOUR_SHARE = {1: 1.0, 2: 0.7, 3: 0.5}
"""How much of a neighbour's bm25 or cosine counts, by its distance in entries."""

SESSION_BEST = 3
"""How many of a session's entries tell what it is about."""


@dataclass(slots=True)
class Pool:
    """Members by id (memory version or entry) with what full text says of them; bm25 is positive.

    `ranking` is how full text ranks entries, deeper than the pool; `around` is (entry, neighbour, distance).
    """

    sort: str = "entries"
    terms: tuple[str, ...] = ()
    documents: int = 0
    best_bm25: float = 0.0
    bm25: dict[int, float] = field(default_factory=dict)
    context_bm25: dict[int, float] = field(default_factory=dict)
    session_keyword: dict[int, float] = field(default_factory=dict)
    ranking: dict[int, float] = field(default_factory=dict)
    around: list[tuple[int, int, int]] = field(default_factory=list)
    session_of: dict[int, int] = field(default_factory=dict)

    def admit(self, db: sqlite3.Connection, question: Question, ids: Iterable[int]) -> None:
        """Further members that full text did not bring, as far as the question's filters let them in."""
        new = [identifier for identifier in ids if identifier not in self.bm25]
        if not new:
            return
        wanted = ",".join(str(int(identifier)) for identifier in new)
        where, parameters = memory_filter(question) if self.sort == "memories" else entry_filter(question)
        table = "memory_versions v" if self.sort == "memories" else "entries v"
        for row in db.execute(f"select v.id from {table} where v.id in ({wanted}){where}", parameters):
            self.bm25[row[0]] = self.ranking.get(row[0], 0.0)


MEMORY_POOL = """
select f.rowid, -bm25(memory_fts, 1.0, 1.0, 1.0, 0.0), -bm25(memory_fts, 0.0, 0.0, 0.0, 1.0)
from memory_fts f cross join memory_versions v on v.id = f.rowid
where memory_fts match :match{where}
order by f.rank limit :pool
"""
"""The cross join makes SQLite ask the full text first. Its rank counts the context a fifth, as the migration says."""

ENTRY_POOL = """
select entry_fts.rowid, -rank from entry_fts
where entry_fts match :match{where}
order by rank limit :depth
"""

AROUND = """
select a.entry_id, b.entry_id, abs(b.position - a.position)
from session_entries a join session_entries b
    on b.session_id = a.session_id and b.position between a.position - :reach and a.position + :reach
where b.entry_id <> a.entry_id and a.entry_id in ({ids})
"""

SOURCES_AROUND = """
select v.id, b.entry_id, abs(b.position - a.position)
from memory_versions v
join memory_sources q on q.memory_id = v.memory_id
join session_entries a on a.entry_id = q.entry_id
join session_entries b on b.session_id = a.session_id and b.position between a.position - :reach and a.position + :reach
where v.id in ({ids})
"""


def memory_pool(db: sqlite3.Connection, question: Question, terms: tuple[str, ...]) -> Pool:
    """The memories to consider: those with any of the terms, best bm25 first."""
    pool = Pool("memories")
    pool.terms, pool.documents, pool.best_bm25 = rarest(db, "memory_fts", terms, question.most_terms)
    where, parameters = memory_filter(question)
    rows = db.execute(
        MEMORY_POOL.format(where=where), {**parameters, "match": match_any(pool.terms), "pool": question.most_memories}
    )
    for identifier, bm25, context_bm25 in rows:
        pool.bm25[identifier] = bm25
        pool.context_bm25[identifier] = context_bm25
    return pool


def entry_pool(db: sqlite3.Connection, question: Question, terms: tuple[str, ...]) -> Pool:
    """The entries to consider: those with any of the terms, and the neighbours of the best."""
    pool = Pool("entries")
    pool.terms, pool.documents, pool.best_bm25 = rarest(db, "entry_fts", terms, question.most_terms)
    where, parameters = entry_filter(question)
    if where:
        # The unary plus keeps SQLite from asking the full text once for each row of the filter.
        where = f" and +entry_fts.rowid in (select v.id from entries v where true{where})"
    asked = {**parameters, "match": match_any(pool.terms), "depth": DEPTH}
    pool.ranking = dict(db.execute(ENTRY_POOL.format(where=where), asked).fetchall())
    members = list(pool.ranking)[:POOL]
    pool.bm25 = {identifier: pool.ranking[identifier] for identifier in members}
    pool.admit(db, question, {near for _, near, distance in neighbours(db, members[:NEIGHBOURS_OF]) if distance == 1})
    return pool


def look_around(db: sqlite3.Connection, pool: Pool) -> None:
    """Notes what stands around each entry of a pool that is complete, and what its session speaks of."""
    pool.around = neighbours(db, pool.bm25)
    pool.context_bm25 = window_bm25(db, pool)
    pool.session_of = sessions_of(db, {*pool.ranking, *pool.bm25, *(near for _, near, _ in pool.around)})
    pool.session_keyword = session_keywords(pool)


def neighbours(db: sqlite3.Connection, ids: Iterable[int]) -> list[tuple[int, int, int]]:
    """(entry, neighbour, distance) for the entries around each of the given ones, in any session they share."""
    wanted = ",".join(str(int(identifier)) for identifier in ids)
    return [tuple(row) for row in db.execute(AROUND.format(ids=wanted), {"reach": max(NEIGHBOUR_SHARE)})]


def window_bm25(db: sqlite3.Connection, pool: Pool) -> dict[int, float]:
    """For each member, bm25 of the text that it makes with its neighbours, whatever its length.

    A term counts once for each entry that has it, by the entry's distance; so a question whose words are spread over
    an answer and what it answers to is met by both together.
    """
    windows = [*((entry, entry, 0) for entry in pool.bm25), *pool.around]
    near = {other for _, other, _ in windows}
    window: dict[int, float] = dict.fromkeys(pool.bm25, 0.0)
    for term in pool.terms:
        rows = db.execute("select rowid from entry_fts where entry_fts match ?", [f'"{term}"']).fetchall()
        holders = near.intersection(row[0] for row in rows)
        times: dict[int, float] = {}
        for entry, other, distance in windows:
            if other in holders:
                times[entry] = times.get(entry, 0.0) + NEIGHBOUR_SHARE.get(distance, 1.0)
        term_idf = idf(pool.documents, len(rows))
        for entry, number in times.items():
            window[entry] += term_bm25(term_idf, number)
    return window


def sessions_of(db: sqlite3.Connection, ids: Iterable[int]) -> dict[int, int]:
    """The session of each entry: the first of those that share it."""
    wanted = ",".join(str(int(identifier)) for identifier in ids)
    return dict(
        db.execute(
            f"select entry_id, min(session_id) from session_entries where entry_id in ({wanted}) group by entry_id"
        ).fetchall()
    )


def session_keywords(pool: Pool) -> dict[int, float]:
    """For each member, how strongly its session speaks of the question: 0 to 1.

    Each of the session's ranked entries makes it likelier, as independent signs would: one minus the
    product of what each leaves open.
    """
    if pool.best_bm25 <= 0:
        return {}
    left_open: dict[int, float] = {}
    for identifier, bm25 in pool.ranking.items():
        session_id = pool.session_of[identifier]
        left_open[session_id] = left_open.get(session_id, 1.0) * (1 - min(1.0, bm25 / pool.best_bm25))
    return {identifier: 1 - left_open.get(pool.session_of[identifier], 1.0) for identifier in pool.bm25}


def context_cosines(around: Iterable[tuple[int, int, int]], cosines: Mapping[int, float]) -> dict[int, float]:
    """For each id of (id, entry, distance), the best cosine of those entries, each counted by its distance."""
    context: dict[int, float] = {}
    for identifier, entry, distance in around:
        value = NEIGHBOUR_SHARE.get(distance, 1.0) * cosines.get(entry, 0.0)
        if value > context.get(identifier, 0.0):
            context[identifier] = value
    return context


def session_cosines(pool: Pool, cosines: Mapping[int, float]) -> dict[int, float]:
    """For each member, how near its session is to the question: the mean cosine of the session's three nearest."""
    by_session: dict[int, list[float]] = {}
    for entry, cosine in cosines.items():
        if entry in pool.session_of:
            by_session.setdefault(pool.session_of[entry], []).append(cosine)
    means = {
        session_id: sum(sorted(values, reverse=True)[:SESSION_BEST]) / SESSION_BEST
        for session_id, values in by_session.items()
    }
    return {entry: means.get(pool.session_of[entry], 0.0) for entry in pool.bm25}


def sources_around(db: sqlite3.Connection, version_ids: Iterable[int]) -> list[tuple[int, int, int]]:
    """(memory version, entry, distance) for the entries that a memory was made from, at 0, and those around them."""
    wanted = ",".join(str(int(identifier)) for identifier in version_ids)
    return [tuple(row) for row in db.execute(SOURCES_AROUND.format(ids=wanted), {"reach": max(NEIGHBOUR_SHARE)})]


def rarest(
    db: sqlite3.Connection, table: str, terms: tuple[str, ...], most_terms: int | None
) -> tuple[tuple[str, ...], int, float]:
    """The terms to ask this full text for (all, or the rarest that it has), how many texts it has, the best bm25."""
    documents = db.execute(f"select count(*) from {table}_docsize").fetchone()[0]
    counted = {
        term: db.execute(f"select count(*) from {table} where {table} match ?", [f'"{term}"']).fetchone()[0]
        for term in terms
    }
    with_term = {term: count for term, count in counted.items() if count}
    if most_terms is not None and len(terms) > most_terms:
        with_term = dict(sorted(with_term.items(), key=lambda item: item[1])[:most_terms])
        terms = tuple(with_term) or terms[:1]
    return terms, documents, best_bm25(documents, with_term)


def memory_filter(question: Question) -> tuple[str, dict[str, object]]:
    """SQL that holds for the memory versions `v` that a question may show, and its parameters."""
    clauses = ["v.status = 'active'"]
    parameters: dict[str, object] = {}
    if question.as_of:
        clauses.append("v.recorded_from <= :as_of and (v.recorded_to is null or v.recorded_to > :as_of)")
        parameters["as_of"] = question.as_of
    else:
        clauses.append("v.recorded_to is null")
    if question.only_project and question.project_id is not None:
        clauses.append("(v.project_id = :project_id or v.scope = 'user')")
        parameters["project_id"] = question.project_id
    for name, clause in (("since", "v.valid_from >= :since"), ("before", "v.valid_from < :before")):
        if getattr(question, name):
            clauses.append(clause)
            parameters[name] = getattr(question, name)
    clauses += one_of("v.kind in ({})", "kind", question.kinds, parameters)
    clauses += one_of("v.memory_id in (select memory_id from tags where tag in ({}))", "tag", question.tags, parameters)
    return " and " + " and ".join(clauses), parameters


def entry_filter(question: Question) -> tuple[str, dict[str, object]]:
    """SQL that holds for the entries `v` that a question may show, and its parameters.

    Kinds and tags are of memories: a question that names one shows no entry.
    """
    clauses: list[str] = ["false"] if question.kinds or question.tags else []
    parameters: dict[str, object] = {}
    if question.only_project and question.project_id is not None:
        clauses.append("v.session_id in (select id from sessions where project_id = :project_id)")
        parameters["project_id"] = question.project_id
    for name, clause in (
        ("since", "v.created_at >= :since"),
        ("before", "v.created_at < :before"),
        ("as_of", "v.created_at <= :as_of"),
    ):
        if getattr(question, name):
            clauses.append(clause)
            parameters[name] = getattr(question, name)
    return "".join(f" and {clause}" for clause in clauses), parameters


def one_of(clause: str, name: str, values: tuple[str, ...], parameters: dict[str, object]) -> list[str]:
    """A clause that one of the values must meet, with its parameters added; nothing where there are none."""
    if not values:
        return []
    names = [f"{name}_{number}" for number in range(len(values))]
    parameters.update(zip(names, values, strict=True))
    return [clause.format(", ".join(f":{each}" for each in names))]
