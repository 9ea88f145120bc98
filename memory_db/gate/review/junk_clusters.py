"""Memories that say the same in other words, in clusters.

In: the file with its vectors. Out: `DuplicatePair`s and `Cluster`s. Invariants: a similarity alone makes no two
memories the same, a test of `relations` must say so; what can never hold in one place is never the same; nothing is
written.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memory_db.gate.thresholds import limits_of
from memory_db.index.neighbours import NOWHERE, Nearest, Vectors, load, open_vectors
from memory_db.text.relations import DUPLICATE, Similarity, Statement, Thresholds, relation
from memory_db.text.statements import jaccard, reading

NEAREST = 8
"""Neighbours of each memory that are compared, as the gate compares those of a candidate."""

PORTION = 1_000
"""Memories whose cosines with all others are in memory at once."""

MEMORIES = """
select m.id, m.uid, m.kind, m.scope, m.project_id, m.text, m.valid_from, g.is_protected, g.is_said_by_user,
    b.confidence, b.evidence_for, m.importance
from memories m join memory_origins g on g.memory_id = m.id join beliefs b on b.memory_id = m.id
where m.status = 'active' order by m.id
"""


@dataclass(slots=True, frozen=True)
class DuplicatePair:
    """Two memories that say the same: `cosine` of their vectors, `words` the share of stems in common."""

    memory_id: int
    other_id: int
    cosine: float
    words: float
    reason: str


@dataclass(slots=True, frozen=True)
class Cluster:
    """Memories that say the same, directly or by way of others; `kept` is the one that the others may go for."""

    kept: int
    others: tuple[int, ...]
    pairs: tuple[DuplicatePair, ...]


def clusters(db: sqlite3.Connection, vectors: Vectors | None = None) -> list[Cluster]:
    """The clusters of memories that hold, the largest first; alone standing ones are none.

    Kept is what is protected, then what holds everywhere, the surer, the more often said, the older.
    Raises: ModelError; InputError for a setting that holds what it does not accept.
    """
    rows = {row["id"]: row for row in db.execute(MEMORIES)}
    found = list(same_pairs(db, rows, vectors or open_vectors(db)))
    groups = []
    for members in connected(found):
        first, *others = sorted(members, key=lambda one: preference(rows[one]))
        own = tuple(pair for pair in found if pair.memory_id in members)
        groups.append(Cluster(first, tuple(others), own))
    return sorted(groups, key=lambda each: (-len(each.others), each.kept))


def preference(row: sqlite3.Row) -> tuple[object, ...]:
    """What is rather kept of memories that say the same comes first."""
    return (
        not row["is_protected"], row["scope"] != "user", not row["is_said_by_user"], -row["confidence"],
        -row["evidence_for"], -row["importance"], row["valid_from"], row["id"],
    )  # fmt: skip


def same_pairs(db: sqlite3.Connection, rows: dict[int, sqlite3.Row], vectors: Vectors) -> Iterator[DuplicatePair]:
    """Pairs of memories near each other of which a test says that they are the same; each pair once."""
    memories = load(db, vectors)
    related = limits_of(db, vectors.name).related
    seen: set[tuple[int, int]] = set()
    for one, other, cosine in near_pairs(memories, related):
        pair = (min(one, other), max(one, other))
        if pair in seen or one not in rows or other not in rows:
            continue
        seen.add(pair)
        words = jaccard(reading(rows[one]["text"]).terms, reading(rows[other]["text"]).terms)
        said = [statement(rows[each]) for each in pair]
        found = relation(said[1], said[0], Similarity(words, cosine), Thresholds(related_cosine=related))
        if found is not None and found.kind == DUPLICATE:
            yield DuplicatePair(*pair, cosine, words, found.reason)


def near_pairs(memories: Nearest, least: float) -> Iterator[tuple[int, int, float]]:
    """(memory, neighbour, cosine) of the nearest of each that can hold in the same place, from a cosine on."""
    count = len(memories.ids)
    for start in range(0, count, PORTION):
        portion = memories.vectors[start : min(start + PORTION, count)]
        known = memories.cosines(portion)
        for number, vector in enumerate(portion):
            place = int(memories.places[start + number])
            if place == NOWHERE:
                continue
            own = memories.ids[start + number]
            for other, cosine in memories.best(vector, known[number], place, NEAREST + 1).items():
                if other != own and cosine >= least:
                    yield own, other, cosine


def statement(row: sqlite3.Row) -> Statement:
    """A memory as relations are asked about it."""
    return Statement(
        row["text"], row["kind"], row["scope"], row["project_id"], row["valid_from"], bool(row["is_said_by_user"])
    )


def connected(pairs: Iterable[DuplicatePair]) -> list[Sequence[int]]:
    """The connected components of pairs, each sorted."""
    root: dict[int, int] = {}

    def top(one: int) -> int:
        while root.setdefault(one, one) != one:
            root[one] = root[root[one]]
            one = root[one]
        return one

    for pair in pairs:
        one, other = top(pair.memory_id), top(pair.other_id)
        root[max(one, other)] = min(one, other)
    groups: dict[int, list[int]] = defaultdict(list)
    for one in sorted(root):
        groups[top(one)].append(one)
    return list(groups.values())
