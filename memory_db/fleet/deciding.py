"""What all shards together decide of a question: which of what they offer is considered, and what prompts came to.

In: what each shard offered. Out: for each what stays of it. Invariants: pure; the cuts are those of one file in which
the shards stand one after the other, in the order of the catalogue.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from memory_db.fleet.asking import Bound, Measured, Offered, Prompt
from memory_db.fleet.numbers import Found, Numbers, Past, own_id, shard_of, shifted
from memory_db.fleet.shard_corpus import counted
from memory_db.index import grams
from memory_db.recall import gather
from memory_db.recall.measures import association, conditions
from memory_db.recall.measures.association import History
from memory_db.recall.question import NEAREST_BY_VECTORS
from memory_db.recall.read import Query
from memory_db.text.terms import idf

Row = tuple[int, float, float, bool]
"""A shifted id, bm25 without and with context, whether it may be shown."""


def decide(offered: Mapping[int, Offered], query: Query, numbers: Numbers) -> dict[int, Found]:
    """What of each shard is considered."""
    effort = query.question.effort
    memories = best_of(
        {shard: each.memories for shard, each in offered.items()},
        pairs_of(offered, "memory_fts", numbers, effort.most_memories),
        effort.most_memories,
    )
    entries = best_of(
        {
            shard: tuple((rank, entry, rank, rank, True) for rank, entry in each.entries)
            for shard, each in offered.items()
        },
        pairs_of(offered, "entry_fts", numbers, effort.most_entries),
        effort.most_entries,
    )
    best = {row[0] for row in entries[: gather.best_of(effort.most_entries)]}
    near = {sort: cut_near(offered, sort, query) for sort in {sort for each in offered.values() for sort in each.near}}
    by_model = {
        sort: cut({shard: each.by_model.get(sort, ()) for shard, each in offered.items()}, gather.NEAREST_BY_MODEL)
        for sort in {sort for each in offered.values() for sort in each.by_model}
    }
    met = cut({shard: each.conditions for shard, each in offered.items()}, conditions.BY_WORDS)
    return {
        shard: Found(
            tuple((own_id(each[0]), *each[1:]) for each in memories if shard_of(each[0]) == shard),
            tuple((own_id(each[0]), each[1]) for each in entries if shard_of(each[0]) == shard),
            tuple(own_id(each[0]) for each in entries if shard_of(each[0]) == shard and each[0] in best),
            {sort: tuple(chosen.get(shard, ())) for sort, chosen in near.items()},
            {sort: tuple(chosen.get(shard, ())) for sort, chosen in by_model.items()},
            tuple(met.get(shard, ())),
            any(near.get("prompts", {}).values()),
        )
        for shard in offered
    }  # fmt: skip


def best_of(
    offered: Mapping[int, tuple[tuple[float, int, float, float, bool], ...]], pairs: list[Row], most: int
) -> list[Row]:
    """The best of all shards by words, and with them what pairs of characters meet: as `Pool.add_grams` adds it."""
    every = [
        (-rank, shifted(shard, identifier), own, full, is_shown)
        for shard, rows in offered.items()
        for rank, identifier, own, full, is_shown in rows
    ]
    found = {identifier: (own, full, is_shown) for _, identifier, own, full, is_shown in sorted(every)[:most]}
    if not pairs:
        return [(identifier, *each) for identifier, each in found.items()]
    for identifier, own, full, is_shown in pairs:
        before = found.get(identifier, (0.0, 0.0, is_shown))
        found[identifier] = (before[0] + own, before[1] + full, is_shown)
    rows = [(identifier, *each) for identifier, each in found.items()]
    shown = sorted((row for row in rows if row[3]), key=lambda row: -row[1])[:most]
    return shown + [row for row in rows if not row[3]]


def pairs_of(offered: Mapping[int, Offered], words: str, numbers: Numbers, most: int) -> list[Row]:
    """What pairs of characters meet in all shards, each counted by its idf in all texts: as `grams.bm25_of` does."""
    table = grams.GRAM_TEXTS[words].table
    found: dict[int, tuple[float, float, bool]] = {}
    for term in {term: None for each in offered.values() for (text, term) in each.pairs if text == words}:
        rows = [
            (-rank, shifted(shard, identifier), own, full, is_shown)
            for shard, each in offered.items()
            for rank, identifier, own, full, is_shown in each.pairs.get((words, term), ())
        ]
        having = counted(numbers, words, [term])[term]
        weight = idf(numbers.documents[words], having)
        scale = weight / idf(numbers.documents[table], numbers.pairs[words, term])
        for _, identifier, own, full, is_shown in sorted(rows)[:most]:
            before = found.get(identifier, (0.0, 0.0, False))
            found[identifier] = (before[0] + scale * own, before[1] + scale * full, is_shown)
    return [(identifier, *each) for identifier, each in found.items()]


def cut(offered: Mapping[int, tuple[tuple[float, int], ...]], most: int) -> dict[int, list[int]]:
    """The best of all shards by (value, id), as ids of their own, by shard."""
    every = sorted((-value, shard, identifier) for shard, rows in offered.items() for value, identifier in rows)
    chosen: dict[int, list[int]] = defaultdict(list)
    for _, shard, identifier in every[:most]:
        chosen[shard].append(identifier)
    return chosen


def most_near(sort: str, query: Query) -> int:
    """How many texts of a sort the nearest are at most."""
    if sort == "prompts":
        return association.NEAREST
    if sort == "conditions":
        return conditions.BY_MEANING
    return query.question.effort.most_near_entries if sort == "entries" else NEAREST_BY_VECTORS


def cut_near(offered: Mapping[int, Offered], sort: str, query: Query) -> dict[int, list[int]]:
    """The texts whose signs differ least, at most so many; all that differ by as much or none: as `signatures` does.

    What a shard did not give differs by its `least` or more, and there are then more than that many.
    """
    given = {shard: each.near.get(sort, ((), 1_000)) for shard, each in offered.items()}
    counts = Counter(differing for ids, _ in given.values() for _, differing in ids)
    most, end, total = most_near(sort, query), min(least for _, least in given.values()), 0
    limit = -1
    for differing in sorted(counts):
        total += counts[differing]
        if differing >= end or total > most:
            break
        limit = differing
    return {shard: [each for each, differing in ids if differing <= limit] for shard, (ids, _) in given.items()}


# ------------------------------------------------------------ earlier prompts


def most_alike(prompts: Mapping[int, tuple[Prompt, ...]]) -> list[Prompt]:
    """The earlier prompts of all shards that are most like the question."""
    every = [prompt for found in prompts.values() for prompt in found]
    return sorted(every, key=lambda prompt: (-prompt.met, prompt.entry))[: association.NEAREST]


def past_of(prompts: list[Prompt], bounds: Mapping[int, Bound], tied_sessions: int) -> History:
    """What the prompts that are most like the question say of all shards' memories, by their shifted ids."""
    like = {prompt.entry: prompt.like for prompt in prompts if prompt.like is not None}
    rows = [
        (prompt.entry, tie, weight) for prompt in prompts if prompt.like is not None for (tie, _), weight in prompt.ties
    ]
    if not rows:
        return History(sum(like.values()))
    members: Counter[int] = Counter()
    sessions: Counter[int] = Counter()
    in_rows: Counter[int] = Counter()
    for bound in bounds.values():
        members.update(bound.members)
        sessions.update(bound.sessions)
        in_rows.update(bound.rows)
    counts = {
        tie: (members[tie], sessions[tie] if in_rows[tie] <= association.MOST_ROWS else 0)
        for tie in {row[1] for row in rows}
        if members[tie] <= association.MOST_BOUND
    }
    every = [row for bound in bounds.values() for row in bound.versions]
    return association.support(like, rows, counts, tied_sessions, lambda ties: among(every, ties))


def among(rows: Iterable[tuple[int, int, float]], ties: Iterable[int]) -> list[tuple[int, int, float]]:
    """The rows of some ties."""
    wanted = frozenset(ties)
    return [row for row in rows if row[0] in wanted]


def pasts_of(history: History, measured: Mapping[int, Measured]) -> dict[int, Past]:
    """The part of each shard that has memories which what came of prompts brings, and nothing else did."""
    # What is a hit only as the successor of another may be brought too, which its explanation tells.
    known = {version for each in measured.values() for version, _, replaces, _ in each.hits if not replaces}
    brought = association.brought_by(history)
    lacking = dict.fromkeys(shard_of(version) for version in brought if version not in known)
    return {shard: own_past(shard, history, brought) for shard in lacking}


def own_past(shard: int, history: History, brought: list[int]) -> Past:
    """The part of a shard."""
    own = {version: own_id(version) for version in history.support if shard_of(version) == shard}
    return Past(
        History(
            history.alike,
            {here: history.support[version] for version, here in own.items()},
            {here: history.prompts[version] for version, here in own.items()},
        ),
        tuple(own_id(version) for version in brought if shard_of(version) == shard),
    )
