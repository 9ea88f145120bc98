"""Pairs of memories that are alike, and of which no rule can say how they stand to each other.

In: the active memories. Out: pairs that may hold in the same place, the most alike first. Invariants: reads only; what
the tests of relations call a duplicate, an extension, a replacement or a contradiction is left out, and so is what
tells of the past; a pair comes once, whichever of the two was looked at.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from memory_db.gate.contradictions.candidates import LINKED, rows_of, said, statement
from memory_db.gate.thresholds import PORTION, limits_of
from memory_db.index.neighbours import Nearest, by_words, load, open_vectors, place_of
from memory_db.text.clauses import Thresholds
from memory_db.text.relations import PAST, RELATED, Similarity, may_meet, relation
from memory_db.text.statements import jaccard, reading

WIDER = 0.2
"""How far below the file's threshold for related texts a pair is still asked about. Source: of the 16 contradictions in
the pairs of `reader` and `second` of bench/data/pairs that no rule tells, 8 are as near as the threshold by the vectors
of the full model and 15 by so much less (6 and 13 by static ones); the nearest are asked about first.
"""

ACTIVE = """
select v.id from memory_versions v join memories m on m.id = v.memory_id
where v.recorded_to is null and m.status = 'active'
"""

KNOWN = """
select memory_id as one, other_memory_id as other from contradictions c
where state = 'open' or not exists (
    select 1 from memory_versions v join memory_versions before on before.memory_id = v.memory_id
        and before.version = v.version - 1
    where v.memory_id in (c.memory_id, c.other_memory_id) and v.recorded_from > c.resolved_at
        and v.text <> before.text)
union
select memory_id, other_memory_id from proposals where state = 'open' and other_memory_id is not null
"""
"""Pairs that wait for a person, or of which neither text changed since a person decided."""


@dataclass(slots=True, frozen=True)
class Alike:
    """Two memories as rows, the older one first, and how alike they are: 0 to 1."""

    older: sqlite3.Row
    newer: sqlite3.Row
    similarity: float


def alike_pairs(db: sqlite3.Connection) -> list[Alike]:
    """Pairs of active memories whose words or vectors are alike and which no rule tells apart, the most alike first.

    Raises: ModelError; InputError for a setting that holds what it does not accept.
    """
    vectors = open_vectors(db)
    rows = {row["id"]: row for row in rows_of(db, [row[0] for row in db.execute(ACTIVE)]).values()}
    linked = linked_projects(db)
    known = {frozenset(row) for row in db.execute(KNOWN)}
    least = limits_of(db, vectors.name).related - WIDER
    found: dict[frozenset[int], Alike] = {}
    for one, other, cosine in near(db, load(db, vectors), rows, linked):
        key = frozenset((one, other))
        if key in found or key in known or other not in rows:
            continue
        pair = unjudged(rows[one], rows[other], cosine, least, linked)
        if pair is not None:
            found[key] = pair
    return sorted(found.values(), key=lambda pair: (-pair.similarity, pair.older["uid"], pair.newer["uid"]))


def linked_projects(db: sqlite3.Connection) -> Mapping[int, set[int]]:
    """The projects that each project is linked with, from either side."""
    linked: dict[int, set[int]] = defaultdict(set)
    for one, other in db.execute(LINKED):
        linked[one].add(other)
        linked[other].add(one)
    return linked


def near(
    db: sqlite3.Connection, memories: Nearest, rows: Mapping[int, sqlite3.Row], linked: Mapping[int, set[int]]
) -> Iterator[tuple[int, int, float]]:
    """(memory, neighbour, cosine) by vector in each place where both may hold, and by words."""
    for start in range(0, len(memories.ids), PORTION):
        ids = memories.ids[start : start + PORTION]
        part = memories.vectors[start : start + len(ids)]
        for memory_id, vector, cosines in zip(ids, part, memories.cosines(part), strict=True):
            row = rows.get(memory_id)
            if row is None:
                continue
            own = place_of(row["scope"], row["project_id"])
            others = set(by_words(db, row["text"], row["project_id"]))
            for place in (own, *linked.get(own, ())):
                others |= memories.best(vector, cosines, place).keys()
            for other in others - {memory_id}:
                if other in memories.rows:
                    yield memory_id, other, float(cosines[memories.rows[other]])


def unjudged(
    one: sqlite3.Row, other: sqlite3.Row, cosine: float, least: float, linked: Mapping[int, set[int]]
) -> Alike | None:
    """Two memories that may clash and are alike enough, where no rule says how they stand; else None."""
    if not PAST.isdisjoint((one["kind"], other["kind"])):
        return None
    older, newer = sorted((one, other), key=said)
    old, new = statement(older), statement(newer)
    if new.project_id is not None and old.project_id in linked.get(new.project_id, ()):
        new = replace(new, project_id=old.project_id)
    words = jaccard(reading(new.text).terms, reading(old.text).terms)
    if not may_meet(new, old) or (cosine < least and words < Thresholds().related_words):
        return None
    found = relation(new, old, Similarity(words, cosine))
    if found is not None and found.kind != RELATED:
        return None
    return Alike(older, newer, min(1.0, max(cosine, words)))
