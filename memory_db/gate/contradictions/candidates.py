"""Which memories may contradict each other: neighbours that can hold in the same place, and how they stand.

In: memories that are new or changed. Out: pairs whose texts contradict, or of which one says that the other is over.
Invariant: reads only; what is found depends on the two memories and on which are their neighbours, not on their order.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from memory_db.gate.claims import FOUND_KINDS, USERS_KINDS, same_quote
from memory_db.index import signatures
from memory_db.index.signatures import STORED
from memory_db.knowledge.succession import LAST_SAID
from memory_db.recall.similarity import cosines_of
from memory_db.store.connection import select_in
from memory_db.text.relations import CONTRADICTS, SUPERSEDES, Relation, Similarity, Statement, relation
from memory_db.text.statements import jaccard, reading
from memory_db.text.terms import match_any, query_terms

NEAREST = 30
"""Neighbours by full text, and as many by static vectors. Source: ours; of the linked pairs in bench/data/developer all
that share two words are among the first 20."""

MOST_TERMS = 16
"""Words of a memory that its neighbours are looked up by."""

LEAST_COSINE = 0.5
"""Source: in bench/data/developer 14 of 33 linked pairs are as near by static vectors, and 4 of 2,394 others."""

BY_WORDS = """
select v.id from memory_fts f join memory_versions v on v.id = f.rowid join memories m on m.id = v.memory_id
where memory_fts match ? and v.recorded_to is null and m.status = 'active' and v.id <> ?
order by bm25(memory_fts) limit ?
"""

MEMORIES = f"""
select v.id as version_id, m.id, m.uid, m.text, m.kind, m.scope, m.project_id, m.origin, m.keys, m.created_at,
    {LAST_SAID} as last_said_at
from memory_versions v join memories m on m.id = v.memory_id
where v.recorded_to is null and m.status = 'active' and v.id"""

QUOTES = "select entry_id, quote from memory_sources where memory_id = ?"

LINKED = "select project_id, linked_project_id from project_links"


@dataclass(slots=True, frozen=True)
class Found:
    """Two memories and how the newer one stands to the older one."""

    newer_id: int
    older_id: int
    relation: Relation


def pairs(db: sqlite3.Connection, changed: Sequence[tuple[int, int]]) -> Iterator[Found]:
    """Pairs of changed memories, given as (memory, current version), with any active one; each pair once."""
    linked = {frozenset(row) for row in db.execute(LINKED)}
    seen: set[tuple[int, int]] = set()
    own = rows_of(db, [version for _, version in changed])
    for memory_id, version_id in changed:
        row = own.get(version_id)
        if row is None:
            continue
        near = neighbours(db, row)
        others = rows_of(db, near)
        for other_id, cosine in near.items():
            other = others.get(other_id)
            if other is None or (key := tuple(sorted((memory_id, other["id"])))) in seen:
                continue
            seen.add((key[0], key[1]))
            found = compare(row, other, cosine, linked)
            if found is not None and not is_one_quote(db, row["id"], other["id"]):
                yield found


def is_one_quote(db: sqlite3.Connection, one_id: int, other_id: int) -> bool:
    """Whether two memories come from the same words: what was told twice does not stand against itself."""
    mine, theirs = (
        [(row["entry_id"], row["quote"]) for row in db.execute(QUOTES, [each])] for each in (one_id, other_id)
    )
    return any(same_quote(one, other) for one in mine for other in theirs)


def rows_of(db: sqlite3.Connection, versions: Iterable[int]) -> dict[int, sqlite3.Row]:
    """Active memories by their current version."""
    return {row["version_id"]: row for row in select_in(db, MEMORIES, versions)}


def neighbours(db: sqlite3.Connection, row: sqlite3.Row) -> dict[int, float | None]:
    """Versions that share a word with a memory or are near it, with their static cosine where it is known."""
    version_id = row["version_id"]
    terms = query_terms(row["text"])[:MOST_TERMS] if any(map(str.isalnum, row["text"])) else ()
    words = db.execute(BY_WORDS, [match_any(terms), version_id, NEAREST]) if terms else ()
    near: dict[int, float | None] = {found[0]: None for found in words}
    vector = db.execute("select vector from static_vectors where memory_version_id = ?", [version_id]).fetchone()
    if vector is None or not vector[0]:
        return near
    around = set(signatures.nearest(db, "memories", vector[0], NEAREST)) - {version_id}
    for other, cosine in cosines_of(db, vector[0], *STORED["memories"], around | near.keys()).items():
        if other in near or cosine >= LEAST_COSINE:
            near[other] = cosine
    return near


def compare(row: sqlite3.Row, other: sqlite3.Row, cosine: float | None, linked: set[frozenset[int]]) -> Found | None:
    """How two memories stand, where one contradicts or ends the other."""
    kinds = {row["kind"], other["kind"]}
    if kinds & FOUND_KINDS and kinds & set(USERS_KINDS):
        return None
    newer, older = (row, other) if said(row) >= said(other) else (other, row)
    new, old = statement(newer), statement(older)
    if frozenset((new.project_id, old.project_id)) in linked:
        new = replace(new, project_id=old.project_id)
    words = jaccard(reading(new.text).terms, reading(old.text).terms)
    found = relation(new, old, Similarity(words, cosine))
    if found is None or found.kind not in (CONTRADICTS, SUPERSEDES):
        return None
    return Found(newer["id"], older["id"], found)


def said(row: sqlite3.Row) -> tuple[str, int]:
    """When a memory was last said, and its number where two were said at once."""
    return row["last_said_at"], row["id"]


def statement(row: sqlite3.Row) -> Statement:
    """A memory as it is compared."""
    return Statement(
        row["text"], row["kind"], row["scope"], row["project_id"], row["last_said_at"], row["origin"] == "user",
        tuple(json.loads(row["keys"])),
    )  # fmt: skip
