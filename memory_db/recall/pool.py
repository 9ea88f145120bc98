"""Which memories and entries are considered for a question: cheap and wide.

In: a question and its terms. Out: a `Pool` of ids with what full text says of
each. Filters are applied here: a member of a pool may be shown, unless `brief` has a reason against it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from memory_db.knowledge.attributes import attributes_sql, sources_sql
from memory_db.knowledge.succession import successors
from memory_db.recall.scoring import best_bm25, known_share, term_bm25
from memory_db.records import dataclass, field
from memory_db.store.connection import id_list
from memory_db.store.findable import findable
from memory_db.text.terms import idf, match_any
from memory_db.text.wording import Wording

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from typing import Any

    from memory_db.recall.search import Question

POOL = 300
"""Entries that full text brings."""

MEMORY_POOL_SIZE = 100
"""Memories that full text brings. They are fewer and shorter than entries, and each costs more to look up."""

MOST_RANKED = 8_000
"""Texts that full text ranks at most for a question that must be quick: each takes a microsecond or two.

Source: ours; in a file of 200,000 entries it leaves out words that stand in more than every twenty-fifth text.
"""

NEIGHBOURS_OF = 60
"""The best entries whose neighbours join the pool: an answer need not repeat the words of its question."""

NEIGHBOUR_SHARE = {0: 1.0, 1: 0.8, 2: 0.5, 3: 0.3}
"""How much an entry and its neighbours count in what stands around it, by distance in entries."""

SESSION_BEST = 3
"""How many of a session's entries tell what it is about."""


@dataclass(slots=True)
class Pool:
    """Members by id (memory version or entry) with what full text says of them; bm25 is positive.

    `telling` has the idf of every word that was asked, also where it is not among the `terms`.
    `around` is (entry, neighbour, distance, session) for each entry of the pool, itself at distance 0.
    `outdated` are superseded versions that met the question, with their bm25, context included; they are no members.
    `replaces` has for each member the outdated ones that it came after.
    """

    sort: str = "entries"
    terms: tuple[str, ...] = ()
    idf: dict[str, float] = field(default_factory=dict)
    best_bm25: float = 0.0
    known_words: float = 0.0
    telling: dict[str, float] = field(default_factory=dict)
    bm25: dict[int, float] = field(default_factory=dict)
    context_bm25: dict[int, float] = field(default_factory=dict)
    session_keyword: dict[int, float] = field(default_factory=dict)
    around: list[tuple[int, int, int, int]] = field(default_factory=list)
    outdated: dict[int, float] = field(default_factory=dict)
    replaces: dict[int, list[int]] = field(default_factory=dict)

    def admit(self, db: sqlite3.Connection, question: Question, ids: Iterable[int]) -> None:
        """Further members that full text did not bring, as far as the question's filters let them in."""
        new = [identifier for identifier in ids if identifier not in self.bm25]
        if not new:
            return
        wanted = id_list(new)
        if self.sort == "memories":
            source, shown, parameters = memory_filter(question)
            sql = f"select v.id, {shown} from memory_versions v where v.id in ({wanted}){source}"
        else:
            where, parameters = entry_filter(question)
            sql = f"select v.id, 1 from entries v where v.id in ({wanted}) and {findable('v')}{where}"
        for identifier, is_shown in db.execute(sql, parameters):
            if is_shown:
                self.bm25[identifier] = 0.0
            else:
                self.outdated.setdefault(identifier, 0.0)

    def answers(self, db: sqlite3.Connection, question: Question) -> bool:
        """Whether a member that may be shown has so much of what the question's words are worth, unknown ones too.

        Then entries need not be asked; `entries_below` says how much.
        """
        if question.entries_below is None or not self.bm25:
            return False
        enough = question.entries_below * self.best_bm25 / max(self.known_words, 1e-6)
        best = [identifier for identifier, bm25 in self.bm25.items() if bm25 >= enough > 0]
        if not best or question.other_projects:
            return bool(best)
        here = f"select 1 from memory_versions v where v.id in ({id_list(best)}) and {HOLDS.format(then='')} limit 1"
        return db.execute(here, {"project_id": question.project_id}).fetchone() is not None

    def bring_successors(self, db: sqlite3.Connection, question: Question) -> None:
        """The memories that came after the outdated ones, as further members: an old hit brings its successor."""
        if not self.outdated:
            return
        source, shown, parameters = memory_filter(question)
        for outdated, successor in successors(db, self.outdated, f"{source} and {shown}", parameters):
            self.bm25.setdefault(successor, 0.0)
            self.replaces.setdefault(successor, []).append(outdated)

    def best_outdated(self, values: Mapping[int, float]) -> dict[int, float]:
        """For each member that replaces outdated versions, the best of their values."""
        known = {member: [values[old] for old in olds if old in values] for member, olds in self.replaces.items()}
        return {member: max(numbers) for member, numbers in known.items() if numbers}


MEMORY_POOL = """
select f.rowid, -bm25(memory_fts, 1.0, 1.0, 1.0, 0.0, 1.0), -bm25(memory_fts, 1.0, 1.0, 1.0, 1.0, 1.0), {shown}
from memory_fts f cross join memory_versions v on v.id = f.rowid
where memory_fts match :match{where}
order by f.rank limit :pool
"""
"""The cross join makes SQLite ask the full text first. Its rank counts the context a fifth, as the migration says."""

ENTRY_POOL = """
select entry_fts.rowid, -rank from entry_fts
where entry_fts match :match{where}
order by +rank, entry_fts.rowid limit :pool
"""
"""The unary plus lets SQLite keep the best while it reads; the full text would sort all that it found first."""

AROUND = """
select a.entry_id, b.entry_id, abs(b.position - a.position), a.session_id
from session_entries a join session_entries b
    on b.session_id = a.session_id and b.position between a.position - :reach and a.position + :reach
where a.entry_id in ({ids})
"""

SOURCES_AROUND = """
select v.id, b.entry_id, abs(b.position - a.position), a.session_id
from memory_versions v
join ({sources}) q on q.memory_id = v.memory_id
join session_entries a on a.entry_id = q.entry_id
join session_entries b on b.session_id = a.session_id and b.position between a.position - :reach and a.position + :reach
where v.id in ({ids})
"""


def memory_pool(db: sqlite3.Connection, question: Question, words: Wording) -> Pool:
    """The memories to consider: those with any of the terms, best bm25 first."""
    pool = Pool("memories")
    look_up(db, pool, "memory_fts", words, question.most_terms)
    where, shown, parameters = memory_filter(question)
    rows = db.execute(
        MEMORY_POOL.format(where=where, shown=shown),
        {**parameters, "match": match_any(pool.terms), "pool": question.most_memories},
    )
    for identifier, bm25, context_bm25, is_shown in rows:
        if is_shown:
            pool.bm25[identifier] = bm25
            pool.context_bm25[identifier] = context_bm25
        else:
            pool.outdated[identifier] = context_bm25
    return pool


def entry_pool(db: sqlite3.Connection, question: Question, words: Wording) -> Pool:
    """The entries to consider: those with any of the terms, and the neighbours of the best."""
    pool = Pool("entries")
    look_up(db, pool, "entry_fts", words, question.most_terms)
    where, parameters = entry_filter(question)
    if where:
        # The unary plus keeps SQLite from asking the full text once for each row of the filter.
        where = f" and +entry_fts.rowid in (select v.id from entries v where true{where})"
    asked = {**parameters, "match": match_any(pool.terms), "pool": question.most_entries}
    pool.bm25 = dict(db.execute(ENTRY_POOL.format(where=where), asked).fetchall())
    best = list(pool.bm25)[: min(NEIGHBOURS_OF, question.most_entries // 3)]
    pool.admit(db, question, {near for _, near, distance, _ in neighbours(db, best) if distance == 1})
    return pool


def look_around(db: sqlite3.Connection, pool: Pool) -> None:
    """Notes what stands around each entry of a pool that is complete, and what its session speaks of."""
    pool.around = neighbours(db, pool.bm25)
    pool.context_bm25 = window_bm25(db, pool)
    pool.session_keyword = session_keywords(pool)


def neighbours(db: sqlite3.Connection, ids: Iterable[int]) -> list[tuple[int, int, int, int]]:
    """(entry, neighbour, distance, session) around each of the given entries, itself included."""
    return tuples(db, AROUND.format(ids=id_list(ids)), {"reach": max(NEIGHBOUR_SHARE)})


def tuples(db: sqlite3.Connection, sql: str, parameters: Mapping[str, object] | Sequence[object]) -> list[Any]:
    """Rows as plain tuples: of thousands, those with names take three times as long."""
    cursor = db.cursor()
    cursor.row_factory = None
    return cursor.execute(sql, parameters).fetchall()


def window_bm25(db: sqlite3.Connection, pool: Pool) -> dict[int, float]:
    """For each member, bm25 of the text that it makes with its neighbours, whatever its length.

    A term counts once for each entry that has it, by the entry's distance; so a question whose words are spread over
    an answer and what it answers to is met by both together.
    """
    near = id_list({other for _, other, _, _ in pool.around})
    window: dict[int, float] = dict.fromkeys(pool.bm25, 0.0)
    for term in pool.terms:
        # The unary plus keeps SQLite from asking the full text once for each id.
        sql = f"select rowid from entry_fts where entry_fts match ? and +rowid in ({near})"
        holders = {row[0] for row in tuples(db, sql, [f'"{term}"'])}
        times: dict[int, float] = {}
        for entry, other, distance, _ in pool.around:
            if other in holders:
                times[entry] = times.get(entry, 0.0) + NEIGHBOUR_SHARE[distance]
        for entry, number in times.items():
            window[entry] += term_bm25(pool.idf[term], number)
    return window


def session_keywords(pool: Pool) -> dict[int, float]:
    """For each member, how strongly its session speaks of the question: 0 to 1.

    Each of the session's members makes it likelier, as independent signs would: one minus the product of what each
    leaves open.
    """
    if pool.best_bm25 <= 0:
        return {}
    left_open: dict[int, float] = {}
    sessions = {entry: session_id for entry, _, _, session_id in pool.around}
    for entry, session_id in sessions.items():
        left_open[session_id] = left_open.get(session_id, 1.0) * (1 - min(1.0, pool.bm25[entry] / pool.best_bm25))
    return {entry: 1 - left_open[session_id] for entry, session_id in sessions.items()}


def context_cosines(around: Iterable[tuple[int, int, int, int]], cosines: Mapping[int, float]) -> dict[int, float]:
    """For each id of (id, entry, distance), the best cosine of those entries, each counted by its distance."""
    context: dict[int, float] = {}
    for identifier, entry, distance, _ in around:
        value = NEIGHBOUR_SHARE[distance] * cosines.get(entry, 0.0)
        if value > context.get(identifier, 0.0):
            context[identifier] = value
    return context


def session_cosines(pool: Pool, cosines: Mapping[int, float]) -> dict[int, float]:
    """For each member, how near its session is to the question: the mean cosine of the session's three nearest.

    The session's entries are its members and their neighbours.
    """
    by_session: dict[int, dict[int, float]] = {}
    for _, near, _, session_id in pool.around:
        by_session.setdefault(session_id, {})[near] = cosines.get(near, 0.0)
    means = {
        session_id: sum(sorted(values.values(), reverse=True)[:SESSION_BEST]) / SESSION_BEST
        for session_id, values in by_session.items()
    }
    return {entry: means[session_id] for entry, _, _, session_id in pool.around}


def sources_around(
    db: sqlite3.Connection, version_ids: Iterable[int], as_of: str | None = None
) -> list[tuple[int, int, int, int]]:
    """(memory version, entry, distance, session) for the entries that a memory was made from, at 0, and around them."""
    sql = SOURCES_AROUND.format(ids=id_list(version_ids), sources=sources_sql(as_of))
    return tuples(db, sql, {"reach": max(NEIGHBOUR_SHARE)})


def look_up(db: sqlite3.Connection, pool: Pool, table: str, words: Wording, most_terms: int | None) -> None:
    """Notes what this full text is asked for (all, or the rarest that it has), and how telling each word is."""
    documents = db.execute(f"select count(*) from {table}_docsize").fetchone()[0]
    counted = {
        term: db.execute(f"select count(*) from {table} where {table} match ?", [f'"{term}"']).fetchone()[0]
        for term in words.asked
    }
    asked = words.asked
    with_term = {term: count for term, count in counted.items() if count}
    if most_terms is not None:
        by_count = sorted(with_term.items(), key=lambda item: item[1])[:most_terms]
        ranked = list(accumulate(count for _, count in by_count))
        with_term = {term: count for (term, count), total in zip(by_count, ranked, strict=True) if total <= MOST_RANKED}
        with_term = with_term or dict(by_count[:1])
        asked = tuple(with_term) or asked[:1]
    pool.terms = asked
    pool.telling = {term: idf(documents, count) for term, count in counted.items()}
    pool.idf = {term: pool.telling[term] for term in with_term}
    pool.best_bm25 = best_bm25(words.worth(pool.idf).values())
    pool.known_words = known_share(documents, words.counts(counted))


HOLDS = (
    "(v.project_id = :project_id or v.scope = 'user'"
    " or v.project_id in (select linked_project_id from project_links where project_id = :project_id{then}))"
)
"""What holds in a project: its own memories, those of the user, and those of projects that are linked to it."""

HELD = "(v.valid_from < :held_at and v.valid_to >= :held_at)"
"""What no longer holds, and did just before a moment."""


def memory_filter(question: Question) -> tuple[str, str, dict[str, object]]:
    """SQL for memory versions `v`: what may be considered, whether it may be shown itself, and the parameters.

    What is considered is a condition that begins with `and`. Outdated versions are: they lead to their successors. They
    are shown only where the question asks for what held before a date, or names a time in its words, and they held at
    its end.
    """
    considered = ["v.status in ('active', 'superseded')"]
    parameters: dict[str, object] = {}
    if question.as_of:
        considered.append("v.recorded_from <= :as_of and (v.recorded_to is null or v.recorded_to > :as_of)")
        parameters["as_of"] = question.as_of
    else:
        considered.append("v.recorded_to is null")
    if question.only_project:
        considered.append(HOLDS.format(then=" and created_at <= :as_of" if question.as_of else ""))
        parameters["project_id"] = question.project_id
    shown = ["v.status = 'active'"]
    if held_at := question.before or (question.window and question.window.end):
        shown = [f"(v.status = 'active' or {HELD})"]
        parameters["held_at"] = held_at
    for name, clause in (("since", "v.valid_from >= :since"), ("before", "v.valid_from < :before")):
        if getattr(question, name):
            shown.append(clause)
            parameters[name] = getattr(question, name)
    shown += one_of("v.kind in ({})", "kind", question.kinds, parameters)
    tagged = f"v.memory_id in (select memory_id from ({attributes_sql('tag', question.as_of)}) where value in ({{}}))"
    shown += one_of(tagged, "tag", question.tags, parameters)
    may_be_shown = " and ".join(shown)
    # What is active and may not be shown leads nowhere: it would only take the place of others.
    considered.append(f"(v.status = 'superseded' or {may_be_shown})")
    return " and " + " and ".join(considered), f"({may_be_shown})", parameters


def entry_filter(question: Question) -> tuple[str, dict[str, object]]:
    """SQL that holds for the entries `v` that a question may show, and its parameters.

    Kinds and tags are of memories: a question that names one shows no entry.
    """
    clauses: list[str] = ["false"] if question.kinds or question.tags else []
    parameters: dict[str, object] = {}
    if question.only_project:
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
