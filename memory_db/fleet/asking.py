"""What is asked of one shard, round by round; each function runs where the shard is.

    facts -> counts of the question's words -> search: its best
        -> measure: the numbers of its hits, and its earlier prompts -> bound: what those of all shards came to
        -> measure: once more, where that brings further hits

In: an opened shard, and what all shards told before. Out: records without a text of the shard. Invariant: a round asked
again gives the same; nothing is kept between rounds but what saves time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from memory_db.fleet.numbers import Found, Numbers, Past, own_id, shard_of, shifted
from memory_db.fleet.opened import Opened
from memory_db.fleet.shard_corpus import ShardCorpus, ShardIndex, ranked_in
from memory_db.index import grams, signatures
from memory_db.index.association import FIRST_NAME, number, read_session
from memory_db.index.roots import Roots
from memory_db.index.semantic import SORTS
from memory_db.recall import gather
from memory_db.recall.features import HitFeatures, QueryFeatures
from memory_db.recall.filters import SEARCHED, Filter, entry_filter, memory_filter
from memory_db.recall.gather import Pool
from memory_db.recall.measures import association, conditions
from memory_db.recall.question import NEAREST_BY_VECTORS
from memory_db.recall.read import Query
from memory_db.recall.search import considered, look_up
from memory_db.recall.similarity import question_vector
from memory_db.records import replace
from memory_db.store.connection import id_list, rows_there, tuples

OUTSIDE = -1
"""A project that a shard does not have."""


# --------------------------------------------------------------------- search


@dataclass(frozen=True, slots=True)
class Offered:
    """What a shard offers to the pools: its own best, of which the best of all shards stay.

    `memories` are (rank, version, own bm25, with context, may be shown), `entries` (rank, entry); `pairs` the same by
    full text and pair of characters; `near` by sort (id, differing signs) and the least number not given; `by_model`
    by sort (cosine, id); `conditions` (bm25, version).
    """

    memories: tuple[tuple[float, int, float, float, bool], ...] = ()
    entries: tuple[tuple[float, int], ...] = ()
    pairs: Mapping[tuple[str, str], tuple[tuple[float, int, float, float, bool], ...]] = field(default_factory=dict)
    near: Mapping[str, tuple[tuple[tuple[int, int], ...], int]] = field(default_factory=dict)
    by_model: Mapping[str, tuple[tuple[float, int], ...]] = field(default_factory=dict)
    conditions: tuple[tuple[float, int], ...] = ()


def search(shard: Opened, query: Query, numbers: Numbers) -> Offered:
    """What a shard offers to the pools of a question."""
    question, effort = query.question, query.question.effort
    corpus = ShardCorpus(shard, numbers)
    memories, entries = Pool(memory_filter(question)), Pool(entry_filter(question))
    with_memories, with_entries = question.scope != "entries", question.scope != "memories"
    offered_memories: tuple[tuple[float, int, float, float, bool], ...] = ()
    offered_entries: tuple[tuple[float, int], ...] = ()
    pairs: dict[tuple[str, str], tuple[tuple[float, int, float, float, bool], ...]] = {}
    if with_memories:
        gather.look_up(corpus, memories, "memory_fts", query.words, effort.most_terms)
        offered_memories = best_memories(shard, memories, numbers, effort.most_memories)
        pairs |= best_pairs(shard, "memory_fts", memories, numbers, effort.most_memories)
    if with_entries:
        gather.look_up(corpus, entries, "entry_fts", query.words, effort.most_terms)
        offered_entries = best_entries(shard, entries, numbers, effort.most_entries)
        pairs |= best_pairs(shard, "entry_fts", entries, numbers, effort.most_entries)
    vector = question_vector(question.query, memories.weights, entries.weights)
    sorts = [sort for sort, asked in zip(SORTS, (with_memories, with_entries), strict=True) if asked]
    condition = conditions.read_condition(corpus, question.query, memories.terms)
    return Offered(
        offered_memories,
        offered_entries,
        pairs,
        nearest(shard, query, numbers, vector, sorts, condition),
        nearest_by_model(shard, numbers, sorts),
        by_condition(shard, query, numbers, memories) if condition and query.weighs("condition") else (),
    )


def let_in(shard: Opened, wanted: Filter, ids: Iterable[int]) -> dict[int, bool]:
    """Of these ids those that a question considers, with whether each may be shown."""
    listed = id_list(ids)
    if not listed:
        return {}
    sql = f"select v.id, {wanted.shown} from {wanted.table} v where v.id in ({listed}){wanted.considered}"
    return {row[0]: bool(row[1]) for row in tuples(shard.db, sql, wanted.parameters)}


def best_memories(
    shard: Opened,
    pool: Pool,
    numbers: Numbers,
    most: int,
    table: str = "memory_fts",
    terms: Sequence[str] | None = None,
) -> tuple[tuple[float, int, float, float, bool], ...]:
    """The memories that full text ranks first, by the counts of all shards."""
    met = ranked_in(shard, table, pool.words if terms is None else terms, numbers)
    allowed = let_in(shard, pool.filter, met.ids.tolist())
    places = [place for place in met.best(len(met.ids)) if int(met.ids[place]) in allowed][:most]
    return tuple(
        (float(met.rank[at]), int(met.ids[at]), float(met.own[at]), float(met.all[at]), allowed[int(met.ids[at])])
        for at in places
    )


def best_entries(shard: Opened, pool: Pool, numbers: Numbers, most: int) -> tuple[tuple[float, int], ...]:
    """The entries that full text ranks first."""
    met = ranked_in(shard, "entry_fts", pool.words, numbers)
    where = " and ".join(clause.sql for clause in pool.filter.clauses if clause.name != SEARCHED)
    places = met.best(len(met.ids) if where else most)
    if where:
        allowed = {
            row[0] for row in tuples(shard.db, f"select v.id from entries v where {where}", pool.filter.parameters)
        }
        places = np.array([place for place in places if int(met.ids[place]) in allowed][:most], dtype=np.int64)
    return tuple(zip(met.rank[places].tolist(), met.ids[places].tolist(), strict=True))


def best_pairs(
    shard: Opened, words: str, pool: Pool, numbers: Numbers, most: int
) -> dict[tuple[str, str], tuple[tuple[float, int, float, float, bool], ...]]:
    """What pairs of characters meet, each asked alone as `grams.bm25_of` asks it."""
    table = grams.GRAM_TEXTS[words].table
    if not numbers.documents[table]:
        return {}
    counts = replace_words(numbers, table)
    return {
        (words, term): best_memories(shard, pool, counts, most, table, (term,))
        for term in pool.idf
        if grams.may_have(term)
    }


def replace_words(numbers: Numbers, table: str) -> Numbers:
    """The counts with those of pairs in the place of words: how often a text has a pair is asked as a word is."""
    return replace_numbers(numbers, {(table, term): having for (words, term), having in numbers.pairs.items()
                                     if grams.GRAM_TEXTS[words].table == table})  # fmt: skip


def replace_numbers(numbers: Numbers, words: Mapping[tuple[str, str], int]) -> Numbers:
    """The counts with other ones of words."""
    return Numbers(numbers.sizes, numbers.documents, words)


def nearest(
    shard: Opened, query: Query, numbers: Numbers, vector: bytes | None, sorts: Sequence[str],
    condition: conditions.Condition | None,
) -> dict[str, tuple[tuple[tuple[int, int], ...], int]]:  # fmt: skip
    """The nearest by static vectors, of every sort that the question asks for."""
    asked: dict[str, tuple[bytes, int]] = {}
    effort = query.question.effort
    if vector and not numbers.model and query.weighs("static_semantic"):
        bounds = {"memories": NEAREST_BY_VECTORS, "entries": effort.most_near_entries}
        asked |= {sort: (vector, bounds[sort]) for sort in sorts}
    if vector and "memories" in sorts and not query.question.filters.as_of:
        asked["prompts"] = (vector, association.NEAREST)
    if condition and condition.vector and query.weighs("condition"):
        asked["conditions"] = (condition.vector, conditions.BY_MEANING)
    found = {sort: signatures.nearest_counted(shard.db, sort, *each) for sort, each in asked.items()}
    return {sort: (tuple(ids), least) for sort, (ids, least) in found.items()}


def nearest_by_model(shard: Opened, numbers: Numbers, sorts: Sequence[str]) -> dict[str, tuple[tuple[float, int], ...]]:
    """The nearest by the full model."""
    if not numbers.model or numbers.asked is None:
        return {}
    index = ShardIndex(shard, numbers.model, numbers.asked, {})
    found = {sort: index.nearest(sort, gather.NEAREST_BY_MODEL) for sort in sorts}
    return {sort: tuple((cosine, identifier) for identifier, cosine in each.items()) for sort, each in found.items()}


def by_condition(shard: Opened, query: Query, numbers: Numbers, pool: Pool) -> tuple[tuple[float, int], ...]:
    """The memories whose condition shares most with the question."""
    met = ranked_in(shard, "condition", tuple(numbers.conditions), numbers)
    allowed = let_in(shard, pool.filter, met.ids.tolist())
    order = np.lexsort((met.ids, -met.own))
    return tuple((float(met.own[at]), int(met.ids[at])) for at in order if int(met.ids[at]) in allowed)[
        : conditions.BY_WORDS
    ]


# ------------------------------------------------------------ earlier prompts


Named = tuple[str, int, str]
"""A tie by its name: kind, the fleet's number of its project, name. Where shards know a project by different paths."""

FleetTie = tuple[int, Named | None]
"""A tie as all shards know it: its number; of a memory its shifted id, negative; of a project with several paths its
name too."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """An earlier prompt like the question: by how much, how much it counts (None where it does not), and its ties."""

    met: float
    entry: int
    like: float | None
    ties: tuple[tuple[FleetTie, float], ...]


def alike(shard: Opened, query: Query, met: Mapping[int, float], moved: Mapping[int, int]) -> tuple[Prompt, ...]:
    """The earlier prompts of a shard that are most like a question, of those that are `met`.

    `moved` has the fleet's number of each project, by its key in ties, that other shards know by another path.
    """
    best = sorted(met, key=lambda entry: (-met[entry], entry))[: association.NEAREST]
    like = association.likeness(shard.db, query, {entry: met[entry] for entry in best})
    names = names_of(shard, like, moved) if moved else {}
    ties: dict[int, list[tuple[FleetTie, float]]] = {}
    for entry, tie, weight in rows_there(shard.db, association.TIES.format(ids=id_list(like))):
        ties.setdefault(entry, []).append((in_fleet(shard, tie, names.get(tie)), weight))
    place = shard.shard.number
    return tuple(
        Prompt(met[entry], shifted(place, entry), like.get(entry), tuple(ties.get(entry, ()))) for entry in best
    )


def names_of(shard: Opened, entries: Iterable[int], moved: Mapping[int, int]) -> dict[int, Named]:
    """The names of ties that belong to projects with several paths, read anew from the sessions of some prompts."""
    sessions = f"select distinct session_id from entries where id in ({id_list(entries)})"
    roots = Roots.of(shard.db)
    found: dict[int, Named] = {}
    for (session_id,) in tuples(shard.db, sessions, ()):
        for _, ties in read_session(shard.db, session_id, roots).values():
            found |= {number(tie): (tie[0], moved[tie[1]], tie[2]) for tie in ties if tie[1] in moved}
    return found


def in_fleet(shard: Opened, tie: int, name: Named | None) -> FleetTie:
    """A tie as all shards know it."""
    if name is not None:
        return number(name), name
    return (tie if tie >= FIRST_NAME else -shifted(shard.shard.number, tie) - 1), None


def in_shard_tie(shard: Opened, tie: FleetTie, keys: Mapping[int, int]) -> int | None:
    """A tie as this shard knows it; None of another one's memory, or of a project that it does not have."""
    known, name = tie
    if name is not None:
        kind, project, text = name
        return number((kind, keys[project], text)) if project in keys else None
    if known >= 0:
        return known
    return own_id(-known - 1) if shard_of(-known - 1) == shard.shard.number else None


@dataclass(frozen=True, slots=True)
class Bound:
    """What a shard has of ties: memories and sessions of each, the rows those sessions are in, and its memories."""

    members: Mapping[int, int]
    sessions: Mapping[int, int]
    rows: Mapping[int, int]
    versions: tuple[tuple[int, int, float], ...]


COUNT_MEMBERS = f"select count(*) from (select 1 from memory_ties where tie = ? limit {association.MOST_BOUND + 1})"

COUNT_SESSIONS = f"""
select count(distinct session_id), count(*)
from (select session_id from prompt_ties where tie = ? limit {association.MOST_ROWS + 1})
"""


def bound(shard: Opened, ties: Sequence[FleetTie], keys: Mapping[int, int]) -> Bound:
    """What a shard has of the ties of all prompts that count; `keys` has its key of each of the fleet's projects."""
    own = {local: tie[0] for tie in ties if (local := in_shard_tie(shard, tie, keys)) is not None}
    members = {own[local]: shard.db.execute(COUNT_MEMBERS, [local]).fetchone()[0] for local in own}
    counted = {own[local]: shard.db.execute(COUNT_SESSIONS, [local]).fetchone() for local in own}
    found = association.bound_to(shard.db, [local for local in own if members[own[local]] <= association.MOST_BOUND])
    return Bound(
        members,
        {tie: row[0] for tie, row in counted.items()},
        {tie: row[1] for tie, row in counted.items()},
        tuple((own[local], shifted(shard.shard.number, version), weight) for local, version, weight in found),
    )


# -------------------------------------------------------------------- measure


@dataclass(frozen=True, slots=True)
class Measured:
    """The hits of a shard: (memory version, entry, what it replaces), shifted, each with its numbers; the question's
    own numbers; and the shard's earlier prompts that are most like it, as long as nobody knows what those came to."""

    hits: tuple[tuple[int | None, int | None, tuple[int, ...], HitFeatures], ...]
    features: QueryFeatures
    prompts: tuple[Prompt, ...] = ()


def measure(
    shard: Opened, query: Query, numbers: Numbers, found: Found, past: Past | None, moved: Mapping[int, int]
) -> Measured:
    """The numbers of a shard's hits, with all that any profile asks of them; without a `past` its prompts too."""
    semantic = None
    if numbers.model and numbers.asked is not None:
        semantic = ShardIndex(shard, numbers.model, numbers.asked, found.by_model)
    corpus = ShardCorpus(shard, numbers, found, past)
    gathered, features, candidates = considered(shard.db, replace(query, corpus=corpus), semantic)
    look_up(shard.db, gathered.vector, gathered.words, query.profile, candidates)
    place = shard.shard.number

    def there(identifier: int | None) -> int | None:
        return None if identifier is None else shifted(place, identifier)

    return Measured(
        tuple(
            (there(each.memory_version_id), there(each.entry_id), tuple(shifted(place, old) for old in each.replaces),
             each.features)
            for each in candidates
        ),
        features,
        alike(shard, query, corpus.met, moved) if past is None else (),
    )  # fmt: skip


def words_met(shard: Opened, query: str, numbers: Numbers, ids: Mapping[str, Sequence[int]]) -> dict[str, float]:
    """How well each word of a question is met in any of these texts of a shard, by sort."""
    if not numbers.model or numbers.asked is None:
        return {}
    return ShardIndex(shard, numbers.model, numbers.asked, {}).words_met(query, ids)
