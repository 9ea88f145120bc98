"""What stands around a memory or an entity: which nodes are worth drawing, and the edges between them.

In: a connection that reads, where to begin, how many steps, perhaps one kind of edge. Out: `Around`: nodes by steps
from the beginning, edges between them, and how many more there are. Invariants: at most `MOST_NODES` nodes, the best of
a step first, and the same of the same file; memories that were taken out of use are left out; of a hub no more than
`MOST_READ` rows of each sort are read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field

from memory_db.store.connection import id_list

MOST_NODES = 40
"""Source: ours; twenty rows on each side fill a screen, and their labels stay apart."""

MOST_NEAR = 15
"""Nodes one step away where two steps are drawn, so that there is room for the second."""

ENTITY_SHARE = 3
"""One in so many nodes is an entity: what is named should not crowd out what is known."""

MOST_CHILDREN = 3
"""Nodes two steps away by way of one node."""

MOST_READ = 400
MOST_EDGES = 120

NAMES = "names"
"""The kind of edge from a memory to an entity."""

Key = tuple[str, int]
"""`memory` or `entity`, and its id."""

EDGES = """
select e.from_memory_id as one, e.to_memory_id as other, e.kind, e.score, e.reason, e.created_by from edges e
join memories m on m.id = e.{far} and m.status <> 'retired'
where e.ended_at is null and e.{near} in ({ids}) and (:kind is null or e.kind = :kind)
order by e.score desc, e.id limit :most
"""

BETWEEN = """
select e.from_memory_id as one, e.to_memory_id as other, e.kind, e.score, e.reason, e.created_by from edges e
where e.ended_at is null and e.from_memory_id in ({ids}) and e.to_memory_id in ({ids})
    and (:kind is null or e.kind = :kind) order by e.score desc, e.id
"""

NAMED = """
select n.memory_id, n.entity_id, n.mentions, (select count(*) from memory_entities x where x.entity_id = n.entity_id)
    as memories
from memory_entities n where n.memory_id in ({ids}) order by memories, n.entity_id limit :most
"""

NAMING = """
select n.memory_id, n.entity_id, n.mentions from memory_entities n
join memories m on m.id = n.memory_id and m.status <> 'retired'
where n.entity_id = :entity order by n.memory_id desc limit :most
"""

NAMED_BETWEEN = """
select memory_id, entity_id, mentions from memory_entities where memory_id in ({memories}) and entity_id in ({entities})
"""

EVERY_NEIGHBOUR = """
select count(*) from (
    select e.to_memory_id as other from edges e join memories m on m.id = e.to_memory_id and m.status <> 'retired'
        where e.from_memory_id = :id and e.ended_at is null and (:kind is null or e.kind = :kind)
    union
    select e.from_memory_id from edges e join memories m on m.id = e.from_memory_id and m.status <> 'retired'
        where e.to_memory_id = :id and e.ended_at is null and (:kind is null or e.kind = :kind))
"""

EVERY_NAMING = """
select count(*) from memory_entities n join memories m on m.id = n.memory_id and m.status <> 'retired'
where n.entity_id = ?
"""


@dataclass(slots=True, frozen=True)
class Edge:
    """One edge, from one node to another; `score` from 0 to 1, `reason` as it is stored."""

    one: Key
    other: Key
    kind: str
    score: float
    reason: str
    created_by: str = "rules"

    def far(self, near: Key) -> Key:
        """The end that is not this one."""
        return self.other if self.one == near else self.one


@dataclass(slots=True)
class Around:
    """Nodes with their steps and parents in the order of drawing, the edges between them, and what was left out.

    `near_count` is how many there are one step away in all.
    """

    hops: dict[Key, int]
    parents: dict[Key, Key | None]
    edges: list[Edge] = field(default_factory=list)
    near_count: int = 0
    edges_left_out: int = 0


def look_around(db: sqlite3.Connection, start: Key, *, depth: int = 1, kind: str | None = None) -> Around:
    """The best nodes within one step or two of a memory or an entity, by one kind of edge or by all."""
    found = Around({start: 0}, {start: None})
    near = edges_of(db, [start], kind)
    found.near_count = count_near(db, start, kind)
    most = MOST_NODES - 1 if depth == 1 else MOST_NEAR
    take(found, [start], near, most=most, each=most)
    if depth > 1:
        reached = [key for key, hops in found.hops.items() if hops == 1]
        take(found, reached, edges_of(db, reached, kind), most=MOST_NODES - len(found.hops), each=MOST_CHILDREN)
    drawn = edges_between(db, list(found.hops), kind)
    tree = [edge for edge in drawn if found.parents[edge.one] == edge.other or found.parents[edge.other] == edge.one]
    others = [edge for edge in drawn if edge not in tree]
    found.edges = [*tree, *others][:MOST_EDGES]
    found.edges_left_out = len(drawn) - len(found.edges)
    return found


def take(found: Around, parents: list[Key], edges: Iterable[Edge], *, most: int, each: int) -> None:
    """Takes new nodes in, the best edges first: so many in all, so many of each parent, some of them entities.

    Entities beyond their share come in where memories leave room.
    """
    taken = dict.fromkeys(parents, 0)
    share = most // ENTITY_SHARE
    chosen: dict[Key, tuple[Key, Edge]] = {}
    waiting: dict[Key, tuple[Key, Edge]] = {}
    for edge in edges:
        parent = edge.one if edge.one in taken else edge.other
        key = edge.far(parent)
        if key in found.hops or key in chosen or taken[parent] >= each or len(chosen) >= most:
            continue
        if key[0] == "entity" and sum(sort == "entity" for sort, _ in chosen) >= share:
            waiting.setdefault(key, (parent, edge))
            continue
        taken[parent] += 1
        chosen[key] = parent, edge
    if each == most:
        chosen |= dict([*waiting.items()][: most - len(chosen)])
    for key in sorted(chosen, key=lambda key: (key[0] == "entity", chosen[key][1].kind, -chosen[key][1].score, key[1])):
        parent = chosen[key][0]
        found.hops[key] = found.hops[parent] + 1
        found.parents[key] = parent


def edges_of(db: sqlite3.Connection, keys: Iterable[Key], kind: str | None) -> list[Edge]:
    """Edges from and to some nodes, the best first, at most `MOST_READ` of each sort."""
    keys = list(keys)
    ids = id_list(number for sort, number in keys if sort == "memory")
    found: list[Edge] = []
    values = {"kind": kind, "most": MOST_READ}
    if kind != NAMES:
        for near, far in (("from_memory_id", "to_memory_id"), ("to_memory_id", "from_memory_id")):
            found += map(edge_of, db.execute(EDGES.format(near=near, far=far, ids=ids), values))
        found.sort(key=lambda edge: (-edge.score, edge.kind, edge.one, edge.other))
    named: list[Edge] = []
    if kind in (None, NAMES):
        named = [naming(row) for row in db.execute(NAMED.format(ids=ids), {"most": MOST_READ})]
        for sort, number in keys:
            if sort == "entity":
                most = MOST_NODES if len(keys) == 1 else MOST_CHILDREN + 1
                named += map(naming, db.execute(NAMING, {"entity": number, "most": most}))
    return merged(found, named)


def merged(edges: list[Edge], named: list[Edge]) -> list[Edge]:
    """Both lists in one, two edges to memories for each one to an entity, as long as there are both."""
    found: list[Edge] = []
    memories, entities = iter(edges), iter(named)
    while len(found) < len(edges) + len(named):
        for each in (memories, memories, entities):
            edge = next(each, None)
            if edge is not None:
                found.append(edge)
    return found


def edges_between(db: sqlite3.Connection, keys: Iterable[Key], kind: str | None) -> list[Edge]:
    """Every edge that joins two of these nodes, the best first."""
    keys = list(keys)
    memories, entities = (id_list(number for sort, number in keys if sort == each) for each in ("memory", "entity"))
    found: list[Edge] = []
    if kind != NAMES:
        found += map(edge_of, db.execute(BETWEEN.format(ids=memories), {"kind": kind}))
    if kind in (None, NAMES):
        found += map(naming, db.execute(NAMED_BETWEEN.format(memories=memories, entities=entities)))
    return found


def count_near(db: sqlite3.Connection, start: Key, kind: str | None) -> int:
    """How many nodes are one step away in all."""
    if start[0] == "entity":
        return int(db.execute(EVERY_NAMING, [start[1]]).fetchone()[0]) if kind in (None, NAMES) else 0
    count = 0
    if kind != NAMES:
        count += int(db.execute(EVERY_NEIGHBOUR, {"id": start[1], "kind": kind}).fetchone()[0])
    if kind in (None, NAMES):
        count += int(db.execute("select count(*) from memory_entities where memory_id = ?", [start[1]]).fetchone()[0])
    return count


def edge_of(row: sqlite3.Row) -> Edge:
    """An edge between two memories."""
    return Edge(
        ("memory", row["one"]), ("memory", row["other"]), row["kind"], row["score"], row["reason"], row["created_by"]
    )


def naming(row: sqlite3.Row) -> Edge:
    """What joins a memory with an entity that it names; more mentions are surer, and never sure."""
    often = "once" if row["mentions"] == 1 else f"{row['mentions']} times"
    score = 1 - 0.5 ** row["mentions"]
    return Edge(("memory", row["memory_id"]), ("entity", row["entity_id"]), NAMES, score, f"named {often}")
