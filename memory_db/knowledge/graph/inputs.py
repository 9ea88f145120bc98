"""What the rules of edges look at, read from the file at once, and which memories may stand beside which.

In: a connection. Out: statements by id, candidates with their similarity, what changed since a time. Invariant:
whatever `draw` could draw from a memory is among its candidates.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_db.knowledge.graph.rules import (
    BECAUSE,
    DEPENDS,
    FEWEST_TITLE_WORDS,
    SIMILARITY_FLOOR,
    UID,
    Drawn,
    GraphStatement,
    clauses,
    distinctive,
)
from memory_db.store.connection import id_list
from memory_db.text import static_vectors
from memory_db.text.names.entities import entities_in, normal_name
from memory_db.text.terms import WORD

NEAREST = 25
"""Older memories that are likened to one. Source: ours, eight times as many as are kept."""

BLOCK = 512
"""Memories whose similarity to all others is computed at once."""

MEMORIES = """
select m.id, m.uid, m.kind, m.title, m.text, m.project_id, s.vector
from memories m
join memory_versions v on v.memory_id = m.id and v.recorded_to is null
left join static_vectors s on s.memory_version_id = v.id and s.model = ? and length(s.vector) > 0
where m.status = 'active' order by m.id
"""

SESSIONS = """
select distinct q.memory_id, e.session_id from memory_sources q join entries e on e.id = q.entry_id
"""

ENTITIES = "select m.memory_id, e.kind, e.name from memory_entities m join entities e on e.id = m.entity_id"

CONTRADICTIONS = """
select max(memory_id, other_memory_id), min(memory_id, other_memory_id), score, reason from contradictions c
where state = 'open' and (select count(*) from memories where status = 'active'
    and id in (c.memory_id, c.other_memory_id)) = 2
"""

VECTORS = """
select v.memory_id, s.vector from memory_versions v join static_vectors s on s.memory_version_id = v.id
where s.model = ? and length(s.vector) > 0 and v.memory_id in ({ids})
"""
"""Of all versions: what a memory said before stood beside others too."""

CHANGED = """
select memory_id from memory_versions where id > :last_id
union select memory_id from memory_paths where recorded_at > :since
union select memory_id from tags where recorded_at > :since
union select memory_id from memory_sources where recorded_at > :since
union select memory_id from contradictions where max(found_at, coalesce(resolved_at, '')) >= :since
union select other_memory_id from contradictions where max(found_at, coalesce(resolved_at, '')) >= :since
"""


def changed_memories(db: sqlite3.Connection, last_id: int, since: str) -> list[int]:
    """Memories of which something that edges depend on was recorded after a version and a time."""
    return [row[0] for row in db.execute(CHANGED, {"last_id": last_id, "since": since})]


def touched(db: sqlite3.Connection, statements: Statements, changed: set[int]) -> set[int]:
    """The memories from which other edges may go now: those that changed, and those that may stand beside them."""
    beside = set(changed)
    for memory_id, vector in db.execute(VECTORS.format(ids=id_list(changed)), [static_vectors.MODEL_ID]):
        beside |= statements.newer_near(memory_id, vector)
    for memory_id in changed & statements.by_id.keys():
        beside |= statements.named_to(memory_id)
    return beside


@dataclass(slots=True)
class Statements:
    """Every active memory as rules see it, with what leads from one to others."""

    by_id: dict[int, GraphStatement]
    place: dict[int, int]
    ids: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.float32]
    contradictions: dict[int, list[Drawn]] = field(default_factory=dict)
    holders: dict[tuple[str, object], list[int]] = field(default_factory=dict)
    similarities: dict[int, dict[int, float]] = field(default_factory=dict)

    def candidates(self, origin: int) -> Iterator[tuple[GraphStatement, float]]:
        """The memories that something may be drawn to from this one, with their similarity."""
        near = self.nearest(origin)
        others = {other: near.get(other) for other in (*near, *self.named_by(origin))}
        others.pop(origin, None)
        for other, similarity in sorted(others.items()):
            yield self.by_id[other], self.similarity(origin, other) if similarity is None else similarity

    def similarity(self, one: int, other: int) -> float:
        """The cosine of two memories' vectors; 0 without one."""
        return float(self.vectors[self.place[one]] @ self.vectors[self.place[other]])

    def nearest(self, origin: int) -> dict[int, float]:
        """Cosines of the nearest older memories; those of a whole block are computed at the first question."""
        if origin not in self.similarities:
            start = self.place[origin] - self.place[origin] % BLOCK
            products = self.vectors[start : start + BLOCK] @ self.vectors[: start + BLOCK].T
            for row, cosines in enumerate(products):
                near = np.flatnonzero(cosines[: start + row] > SIMILARITY_FLOOR)
                best = near[np.argsort(-cosines[near], kind="stable")[:NEAREST]]
                self.similarities[int(self.ids[start + row])] = {int(self.ids[at]): float(cosines[at]) for at in best}
        return self.similarities[origin]

    def named_by(self, origin: int) -> set[int]:
        """Memories that share a session with this one, or whose uid, title, paths or subject it names, or reasons."""
        one = self.by_id[origin]
        keys: list[tuple[str, object]] = [("session", session) for session in one.sessions]
        keys += [("uid", uid) for uid in set(UID.findall(one.text))]
        keys += [("path", name) for kind, name in one.entities if kind == "file"]
        keys += [("subject", entity) for entity in one.needs]
        keys += [("reason", entity) for entity in one.subject]
        keys += [("title", words) for words in title_keys(one.folded)]
        return {other for key in keys for other in self.holders.get(key, ())}

    def newer_near(self, memory_id: int, vector: bytes) -> set[int]:
        """Newer memories that are near a vector, which this memory has or had."""
        cosines = self.vectors @ (np.frombuffer(vector, np.int8) / np.float32(static_vectors.SCALE))
        return {int(each) for each in self.ids[cosines > SIMILARITY_FLOOR] if each > memory_id}

    def named_to(self, changed: int) -> set[int]:
        """Memories from which something may be drawn to this one, similarity aside."""
        one = self.by_id[changed]
        keys: list[tuple[str, object]] = [("session", session) for session in one.sessions]
        keys += [("names", name) for name in (one.uid, *one.paths)]
        keys += [("need", entity) for entity in one.subject]
        keys += [("subject", entity) for entity in one.reasons]
        named = {other for key in keys for other in self.holders.get(key, ())}
        if one.distinctive_title:
            named |= {other.id for other in self.by_id.values() if one.distinctive_title in other.folded}
        return named


def title_keys(text: str) -> set[tuple[str, ...]]:
    """Every few words in a row of a text, by which titles that begin so are found."""
    words = WORD.findall(text)
    return set(zip(*(words[at:] for at in range(FEWEST_TITLE_WORDS)), strict=False))


def read_statements(db: sqlite3.Connection) -> Statements:
    """Every active memory as the rules see it.

    Raises: sqlite3.Error.
    """
    rows = db.execute(MEMORIES, [static_vectors.MODEL_ID]).fetchall()
    ids = [row["id"] for row in rows]
    vectors = np.zeros((len(rows), static_vectors.DIMENSIONS), np.float32)
    for at, row in enumerate(rows):
        if row["vector"]:
            vectors[at] = np.frombuffer(row["vector"], np.int8) / np.float32(static_vectors.SCALE)
    tags, sessions = grouped(db, "select memory_id, tag from tags"), grouped(db, SESSIONS)
    paths = grouped(db, "select memory_id, path from memory_paths")
    entities = grouped(db, ENTITIES)
    statements = {
        row["id"]: GraphStatement(
            row["id"], row["uid"], row["kind"], row["title"], row["text"], row["project_id"],
            tags=frozenset(each[0] for each in tags[row["id"]]),
            paths=frozenset(normal_name("file", each[0]) for each in paths[row["id"]]),
            sessions=frozenset(each[0] for each in sessions[row["id"]]),
            entities=frozenset((each[0], each[1]) for each in entities[row["id"]]),
            folded=row["text"].casefold(),
            distinctive_title=distinctive(row["title"]),
            subject=frozenset(entities_in(row["title"])),
            needs=clauses(DEPENDS, row["text"]),
            reasons=clauses(BECAUSE, row["text"]),
        )
        for row in rows
    }  # fmt: skip
    found = Statements(statements, {each: at for at, each in enumerate(ids)}, np.array(ids, np.int64), vectors)
    for newer, older, score, reason in db.execute(CONTRADICTIONS):
        found.contradictions.setdefault(newer, []).append(Drawn(older, "contradicts", round(score, 3), reason))
    found.holders = holders(statements)
    return found


def grouped(db: sqlite3.Connection, sql: str) -> defaultdict[int, list[tuple[Any, ...]]]:
    """Rows by their first column."""
    found: defaultdict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for row in db.execute(sql):
        found[row[0]].append(tuple(row)[1:])
    return found


def holders(statements: dict[int, GraphStatement]) -> dict[tuple[str, object], list[int]]:
    """Which memories have what others may name, and which name what others have."""
    found: defaultdict[tuple[str, object], list[int]] = defaultdict(list)
    for one in statements.values():
        found["uid", one.uid].append(one.id)
        keys: list[tuple[str, object]] = [("session", session) for session in one.sessions]
        keys += [("path", path) for path in one.paths]
        keys += [("subject", entity) for entity in one.subject]
        keys += [("reason", entity) for entity in one.reasons]
        keys += [("need", entity) for entity in one.needs]
        keys += [("names", name) for kind, name in one.entities if kind == "file"]
        keys += [("names", uid) for uid in set(UID.findall(one.text))]
        if one.distinctive_title:
            keys.append(("title", tuple(WORD.findall(one.distinctive_title)[:FEWEST_TITLE_WORDS])))
        for key in keys:
            found[key].append(one.id)
    return found
