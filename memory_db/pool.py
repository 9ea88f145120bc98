"""Which memories and entries are considered for a question: cheap and wide.

In: a question and its terms. Out: a `Pool` of ids with what full text says of
each. Filters are applied here, so every member of a pool may be shown.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from memory_db.scoring import best_bm25
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

NEIGHBOUR_SHARE = {1: 1.0, 2: 0.5}
"""How much of a neighbour's bm25 counts, by its distance in entries."""


@dataclass(slots=True)
class Pool:
    """Members by id (memory version or entry) with what full text says of them; bm25 is positive."""

    sort: str = "entries"
    terms: tuple[str, ...] = ()
    best_bm25: float = 0.0
    bm25: dict[int, float] = field(default_factory=dict)
    context_bm25: dict[int, float] = field(default_factory=dict)
    session_keyword: dict[int, float] = field(default_factory=dict)

    def admit(self, db: sqlite3.Connection, question: Question, ids: Iterable[int]) -> None:
        """Further members that full text did not bring, as far as the question's filters let them in."""
        new = [identifier for identifier in ids if identifier not in self.bm25]
        if not new:
            return
        wanted = ",".join(str(int(identifier)) for identifier in new)
        where, parameters = memory_filter(question) if self.sort == "memories" else entry_filter(question)
        table = "memory_versions v" if self.sort == "memories" else "entries v"
        for row in db.execute(f"select v.id from {table} where v.id in ({wanted}){where}", parameters):
            self.bm25[row[0]] = 0.0


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


def memory_pool(db: sqlite3.Connection, question: Question, terms: tuple[str, ...]) -> Pool:
    """The memories to consider: those with any of the terms, best bm25 first."""
    pool = Pool("memories")
    pool.terms, pool.best_bm25 = rarest(db, "memory_fts", terms, question.most_terms)
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
    pool.terms, pool.best_bm25 = rarest(db, "entry_fts", terms, question.most_terms)
    where, parameters = entry_filter(question)
    if where:
        # The unary plus keeps SQLite from asking the full text once for each row of the filter.
        where = f" and +entry_fts.rowid in (select v.id from entries v where true{where})"
    asked = {**parameters, "match": match_any(pool.terms), "depth": DEPTH}
    ranking = dict(db.execute(ENTRY_POOL.format(where=where), asked).fetchall())
    members = list(ranking)[:POOL]
    pool.bm25 = {identifier: ranking[identifier] for identifier in members}
    around = neighbours(db, members)
    best_members = set(members[:NEIGHBOURS_OF])
    near = {other for entry, other, distance in around if entry in best_members and distance == 1}
    fresh = [identifier for identifier in near if identifier not in pool.bm25]
    pool.admit(db, question, fresh)
    for identifier in fresh:
        if identifier in pool.bm25:
            pool.bm25[identifier] = ranking.get(identifier, 0.0)
    around += neighbours(db, [identifier for identifier in fresh if identifier in pool.bm25])
    for entry, other, distance in around:
        if other in ranking:
            value = NEIGHBOUR_SHARE[distance] * ranking[other]
            pool.context_bm25[entry] = max(pool.context_bm25.get(entry, 0.0), value)
    pool.session_keyword = session_keywords(db, pool, ranking)
    return pool


def neighbours(db: sqlite3.Connection, ids: list[int]) -> list[tuple[int, int, int]]:
    """(entry, neighbour, distance) for the entries around each of the given ones, in any session they share."""
    wanted = ",".join(str(int(identifier)) for identifier in ids)
    return [tuple(row) for row in db.execute(AROUND.format(ids=wanted), {"reach": max(NEIGHBOUR_SHARE)})]


def session_keywords(db: sqlite3.Connection, pool: Pool, ranking: dict[int, float]) -> dict[int, float]:
    """For each member, how strongly its session speaks of the question: 0 to 1.

    Each of the session's ranked entries makes it likelier, as independent signs would: one minus the
    product of what each leaves open.
    """
    if pool.best_bm25 <= 0:
        return {}
    wanted = ",".join(str(identifier) for identifier in {*ranking, *pool.bm25})
    session_of = dict(
        db.execute(f"select entry_id, min(session_id) from session_entries where entry_id in ({wanted}) group by 1")
    )
    left_open: dict[int, float] = {}
    for identifier, bm25 in ranking.items():
        session_id = session_of[identifier]
        left_open[session_id] = left_open.get(session_id, 1.0) * (1 - min(1.0, bm25 / pool.best_bm25))
    return {identifier: 1 - left_open.get(session_of[identifier], 1.0) for identifier in pool.bm25}


def rarest(
    db: sqlite3.Connection, table: str, terms: tuple[str, ...], most_terms: int | None
) -> tuple[tuple[str, ...], float]:
    """The terms to ask this full text for, all or the rarest that it has; and the bm25 a perfect text could reach."""
    documents = db.execute(f"select count(*) from {table}_docsize").fetchone()[0]
    counted = {
        term: db.execute(f"select count(*) from {table} where {table} match ?", [f'"{term}"']).fetchone()[0]
        for term in terms
    }
    with_term = {term: count for term, count in counted.items() if count}
    if most_terms is not None and len(terms) > most_terms:
        with_term = dict(sorted(with_term.items(), key=lambda item: item[1])[:most_terms])
        terms = tuple(with_term) or terms[:1]
    return terms, best_bm25(documents, with_term)


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
