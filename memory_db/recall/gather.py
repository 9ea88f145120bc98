"""Which memories and entries are considered for a question: cheap and wide.

    full text -> neighbours of the best -> the nearest in meaning -> memories whose condition is met
        -> memories bound to what earlier prompts like it came to

In: a `Query`. Out: `Gathered`: pools of ids with what full text says of each. A question's filters are applied here: a
member of a pool may be shown, unless a brief has a reason against it.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from itertools import accumulate

from memory_db.index import grams
from memory_db.knowledge.belonging import holds_in
from memory_db.recall.filters import SEARCHED, Filter, entry_filter, memory_filter
from memory_db.recall.measures.association import History, read_history
from memory_db.recall.measures.ceilings import best_bm25, known_share
from memory_db.recall.measures.conditions import Condition, met_by, read_condition
from memory_db.recall.question import NEAREST_BY_VECTORS
from memory_db.recall.similarity import NEIGHBOUR_SHARE, question_vector, question_words
from memory_db.records import dataclass, field, replace
from memory_db.store.connection import id_list, tuples
from memory_db.text.scripts import is_gram
from memory_db.text.terms import idf, match_any

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from memory_db.recall.corpus import Corpus
    from memory_db.recall.question import Question
    from memory_db.recall.read import Query
    from memory_db.recall.similarity import Semantic
    from memory_db.text.word_signs import Asked
    from memory_db.text.wording import Wording

MOST_RANKED = 8_000
"""Texts that full text ranks at most for a question that must be quick: each takes a microsecond or two.

Source: ours; in a file of 200,000 entries it leaves out words that stand in more than every twenty-fifth text.
"""

GRAMS_A_WORD = 2
"""Pairs of characters that say what a word says. Source: ours; a word of two characters is one, one of three two, and
between words stands another that says little."""

NEIGHBOURS_OF = 60
"""The best entries whose neighbours join the pool: an answer need not repeat the words of its question."""

NEAREST_BY_MODEL = 75
"""Memories and entries each that the full model brings into the pool, whatever their words."""


@dataclass(slots=True)
class Pool:
    """Members by id (memory version or entry) with what full text says of them; bm25 is positive.

    `filter` is what the question lets in.
    `weights` has the idf of every word that was asked, also where it is not among the `terms`.
    `around` is (entry, neighbour, distance, session) for each entry of the pool, itself at distance 0.
    `outdated` are superseded versions that met the question, with their bm25, context included; they are no members.
    `replaces` has for each member the outdated ones that it came after.
    """

    filter: Filter
    terms: tuple[str, ...] = ()
    idf: dict[str, float] = field(default_factory=dict)
    best_bm25: float = 0.0
    known_words: float = 0.0
    weights: dict[str, float] = field(default_factory=dict)
    bm25: dict[int, float] = field(default_factory=dict)
    context_bm25: dict[int, float] = field(default_factory=dict)
    session_keyword: dict[int, float] = field(default_factory=dict)
    around: list[tuple[int, int, int, int]] = field(default_factory=list)
    outdated: dict[int, float] = field(default_factory=dict)
    replaces: dict[int, list[int]] = field(default_factory=dict)

    @property
    def words(self) -> tuple[str, ...]:
        """The terms that the full text over words is asked for: all but pairs of characters."""
        return tuple(term for term in self.terms if not is_gram(term))

    def add_grams(self, db: sqlite3.Connection, table: str, most: int) -> None:
        """Adds what the full text over pairs of characters, beside this one, has: its bm25 is of the same scale."""
        found = grams.bm25_of(db, table, self.idf, self.filter, most)
        for identifier, bm25, context_bm25, is_shown in found:
            if is_shown:
                self.bm25[identifier] = self.bm25.get(identifier, 0.0) + bm25
                self.context_bm25[identifier] = self.context_bm25.get(identifier, 0.0) + context_bm25
            else:
                self.outdated[identifier] = self.outdated.get(identifier, 0.0) + context_bm25
        if found:
            self.bm25 = dict(sorted(self.bm25.items(), key=lambda item: -item[1])[:most])

    def admit(self, db: sqlite3.Connection, ids: Iterable[int]) -> None:
        """Further members that full text did not bring, as far as the question's filters let them in."""
        new = [identifier for identifier in ids if identifier not in self.bm25]
        if not new:
            return
        found, wanted = self.filter, id_list(new)
        sql = f"select v.id, {found.shown} from {found.table} v where v.id in ({wanted}){found.considered}"
        for identifier, is_shown in db.execute(sql, found.parameters):
            if is_shown:
                self.bm25[identifier] = 0.0
            else:
                self.outdated.setdefault(identifier, 0.0)


@dataclass(slots=True)
class Gathered:
    """What is considered: the pools, and the question's vectors by which they were asked.

    `scope` is the question's, but for entries that need not be asked since a memory has the answer.
    """

    scope: str
    memories: Pool
    entries: Pool
    vector: bytes | None
    words: Asked
    condition: Condition | None
    history: History = field(default_factory=History)

    def with_own_memories(self) -> Gathered:
        """The same, to whose memories others can be added while these stay as they are."""
        pool = self.memories
        replaces = {member: list(olds) for member, olds in pool.replaces.items()}
        return replace(
            self, memories=replace(pool, bm25=dict(pool.bm25), outdated=dict(pool.outdated), replaces=replaces)
        )


def gather(db: sqlite3.Connection, query: Query, semantic: Semantic | None) -> Gathered:
    """What is considered for a question by its words and its meaning: it rests on no moment."""
    question, scope = query.question, query.question.scope
    memories = Pool(memory_filter(question)) if scope == "entries" else memory_pool(query)
    if scope == "all" and is_answered(db, question, memories):
        scope = "memories"
    entries = Pool(entry_filter(question)) if scope == "memories" else query.corpus.entry_pool(query)
    vector = question_vector(question.query, memories.weights, entries.weights)
    condition = read_condition(query.corpus, question.query, memories.terms)
    asked = question_words(question.query, memories.weights, entries.weights)
    found = Gathered(scope, memories, entries, vector, asked, condition)
    admit_nearest(db, query, found, semantic)
    if condition and query.weighs("condition"):
        memories.admit(db, met_by(db, query.corpus, condition, memories.filter))
    return found


MEMORY_POOL = """
select f.rowid, -bm25(memory_fts, 1.0, 1.0, 1.0, 0.0, 1.0), -bm25(memory_fts, 1.0, 1.0, 1.0, 1.0, 1.0), {shown}
from memory_fts f cross join memory_versions v on v.id = f.rowid
where memory_fts match :match{where}
order by f.rank limit :pool
"""
"""The cross join makes SQLite ask the full text first. Its rank counts the context a fifth, as the migration says."""


def memory_pool(query: Query) -> Pool:
    """The memories to consider: those with any of the terms, best bm25 first."""
    pool = Pool(memory_filter(query.question))
    look_up(query.corpus, pool, "memory_fts", query.words, query.question.effort.most_terms)
    query.corpus.fill_memories(pool, query.question.effort.most_memories)
    return pool


def fill_memories(db: sqlite3.Connection, pool: Pool, most: int) -> None:
    """Puts the memories that full text ranks first into a pool."""
    rows = db.execute(
        MEMORY_POOL.format(where=pool.filter.considered, shown=pool.filter.shown),
        {**pool.filter.parameters, "match": match_any(pool.words), "pool": most},
    )
    for identifier, bm25, context_bm25, is_shown in rows:
        if is_shown:
            pool.bm25[identifier] = bm25
            pool.context_bm25[identifier] = context_bm25
        else:
            pool.outdated[identifier] = context_bm25
    pool.add_grams(db, "memory_fts", most)


ENTRY_POOL = """
select entry_fts.rowid, -rank from entry_fts
where entry_fts match :match{where}
order by +rank, entry_fts.rowid limit :pool
"""
"""The unary plus lets SQLite keep the best while it reads; the full text would sort all that it found first."""


def entry_pool(db: sqlite3.Connection, query: Query) -> Pool:
    """The entries to consider: those with any of the terms, and the neighbours of the best."""
    pool = Pool(entry_filter(query.question))
    look_up(query.corpus, pool, "entry_fts", query.words, query.question.effort.most_terms)
    best = query.corpus.fill_entries(pool, query.question.effort.most_entries)
    pool.admit(db, {near for _, near, distance, _ in neighbours(db, best) if distance == 1})
    return pool


def fill_entries(db: sqlite3.Connection, pool: Pool, most: int) -> list[int]:
    """Puts the entries that full text ranks first into a pool; gives those whose neighbours join it."""
    where = " and ".join(clause.sql for clause in pool.filter.clauses if clause.name != SEARCHED)
    if where:
        # The unary plus keeps SQLite from asking the full text once for each row of the filter.
        where = f" and +entry_fts.rowid in (select v.id from entries v where {where})"
    asked = {**pool.filter.parameters, "match": match_any(pool.words), "pool": most}
    pool.bm25 = dict(db.execute(ENTRY_POOL.format(where=where), asked).fetchall())
    pool.add_grams(db, "entry_fts", most)
    return list(pool.bm25)[: best_of(most)]


def best_of(most: int) -> int:
    """Of how many entries, the best of a pool, the neighbours join it."""
    return min(NEIGHBOURS_OF, most // 3)


def is_answered(db: sqlite3.Connection, question: Question, memories: Pool) -> bool:
    """Whether a memory that may be shown has so much of what the question's words are worth, unknown ones too.

    Then entries need not be asked; `Effort.entries_below` says how much.
    """
    share = question.effort.entries_below
    if share is None or not memories.bm25:
        return False
    enough = share * memories.best_bm25 / max(memories.known_words, 1e-6)
    best = [identifier for identifier, bm25 in memories.bm25.items() if bm25 >= enough > 0]
    if not best or question.filters.other_projects:
        return bool(best)
    here = f"select 1 from memory_versions v where v.id in ({id_list(best)}) and {holds_in('v')} limit 1"
    return db.execute(here, {"project_id": question.project_id}).fetchone() is not None


def admit_nearest(db: sqlite3.Connection, query: Query, found: Gathered, semantic: Semantic | None) -> None:
    """The nearest in meaning join, though they share no word with the question: by the full model, else by vectors."""
    question, among = query.question, ("memories", "entries") if found.scope == "all" else (found.scope,)
    near: dict[str, Iterable[int]] = {}
    if semantic:
        by_sort = semantic.search(question.query, [], [], NEAREST_BY_MODEL, among)
        near = dict(zip(("memories", "entries"), by_sort, strict=True))
    elif found.vector and query.weighs("static_semantic"):
        effort = question.effort
        bounds = {"memories": (NEAREST_BY_VECTORS, None),
                  "entries": (effort.most_near_entries, effort.most_blocks)}  # fmt: skip
        near = {sort: query.corpus.nearest(sort, found.vector, *bounds[sort]) for sort in among}
    if "memories" in among:
        found.memories.admit(db, near.get("memories", ()))
    if "entries" in among:
        found.entries.admit(db, near.get("entries", ()))


def admit_associated(db: sqlite3.Connection, query: Query, found: Gathered, semantic: Semantic | None) -> None:
    """Memories join that are bound to what the earlier prompts like this one came to."""
    if found.scope == "entries":
        return
    best = found.entries.best_bm25 or 1.0
    said = {entry: bm25 / best for entry, bm25 in found.entries.bm25.items()}
    found.history = read_history(db, query, found.vector, said, semantic)
    known = frozenset(found.memories.bm25)
    found.memories.admit(db, query.corpus.brought(found.history))
    found.history.found = frozenset(found.memories.bm25) - known


AROUND = """
select a.entry_id, b.entry_id, abs(b.position - a.position), a.session_id
from session_entries a join session_entries b
    on b.session_id = a.session_id and b.position between a.position - :reach and a.position + :reach
where a.entry_id in ({ids})
"""


def neighbours(db: sqlite3.Connection, ids: Iterable[int]) -> list[tuple[int, int, int, int]]:
    """(entry, neighbour, distance, session) around each of the given entries, itself included."""
    return tuples(db, AROUND.format(ids=id_list(ids)), {"reach": max(NEIGHBOUR_SHARE)})


def look_up(corpus: Corpus, pool: Pool, table: str, words: Wording, most_terms: int | None) -> None:
    """Notes what this full text is asked for (all, or the rarest that it has), and how distinctive each word is."""
    documents, counted = corpus.documents(table), corpus.counts(table, words.asked)
    asked = words.asked
    with_term = {term: count for term, count in counted.items() if count}
    if most_terms is not None:
        most_terms *= GRAMS_A_WORD if any(map(is_gram, with_term)) else 1
        by_count = sorted(with_term.items(), key=lambda item: item[1])[:most_terms]
        ranked = list(accumulate(count for _, count in by_count))
        with_term = {term: count for (term, count), total in zip(by_count, ranked, strict=True) if total <= MOST_RANKED}
        with_term = with_term or dict(by_count[:1])
        asked = tuple(with_term) or asked[:1]
    pool.terms = asked
    pool.weights = {term: idf(documents, count) for term, count in counted.items()}
    pool.idf = {term: pool.weights[term] for term in with_term}
    pool.best_bm25 = best_bm25(words.worth(pool.idf).values())
    pool.known_words = known_share(documents, words.counts(counted))
