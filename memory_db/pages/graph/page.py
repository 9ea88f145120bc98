"""The pages of the graph: its topics by project, what is best connected, what is wrong, and a picture around one thing.

In: a connection that reads, the fields of the page. Out: plain dicts for the template and for JSON. Invariant: what the
picture shows, the table beside it says; what is left out is counted.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from memory_db.errors import InputError, NotFoundError
from memory_db.pages.cache import rows
from memory_db.pages.draw import colours
from memory_db.pages.draw import graph_layout as layouts
from memory_db.pages.draw.filters import visible
from memory_db.pages.forms import Fields, first
from memory_db.pages.graph.rows import NAMES, Around, Edge, Key, look_around
from memory_db.pages.graph.topics import topics
from memory_db.store.connection import id_list

PATH = "/-/memory/graph"

DIRECTED = ("supports", "depends_on", "mentions", "supersedes")
"""Kinds of edges that say something of one end and not of the other."""

DASHED = ("supersedes",)

TITLE_CHARACTERS = 160
MOST_LISTED = 12
MOST_PROBLEMS = 8
"""Rows of each problem that the page shows; the view has them all."""

MOST_FOUND = 20

TOTALS = """
select (select count(*) from memories where status = 'active') as memories, (select count(*) from edges
    where ended_at is null) as edges, (select count(*) from entities) as entities
"""

EDGE_KINDS = """
with counted as materialized (select kind, count(*) as edges from edges where ended_at is null group by kind)
select k.name as kind, k.description, coalesce(c.edges, 0) as edges from edge_kinds k
left join counted c on c.kind = k.name order by edges desc, k.name
"""

CONNECTED = """
with near as materialized (
    select * from (select from_memory_id as id from edges group by 1 order by count(*) desc, 1 limit :looked_at)
    union
    select * from (select to_memory_id from edges group by 1 order by count(*) desc, 1 limit :looked_at)),
counted as materialized (
    select id, (select count(*) from edges e where e.from_memory_id = near.id and e.ended_at is null)
        + (select count(*) from edges e where e.to_memory_id = near.id and e.ended_at is null) as edges from near)
select m.id, m.uid, m.title, m.kind, c.edges from counted c join memories m on m.id = c.id and m.status = 'active'
where c.edges > 0 order by c.edges desc, m.id limit :most
"""
"""Those with the most edges of all times, counted by indexes alone, and among them those with the most of today."""

CONNECTED_OF = """
with counted as materialized (
    select m.id, m.uid, m.title, m.kind,
        (select count(*) from edges e where e.from_memory_id = m.id and e.ended_at is null)
        + (select count(*) from edges e where e.to_memory_id = m.id and e.ended_at is null) as edges
    from memories m where m.status = 'active' and m.project_id = (select id from projects where name = :project))
select * from counted where edges > 0 order by edges desc, id limit :most
"""

LOOKED_AT = 3 * MOST_LISTED

NAMED_MOST = """
select e.id, e.kind, e.name, n.memories from (
    select entity_id, count(*) as memories from memory_entities group by entity_id
    order by memories desc, entity_id limit :most) n
join entities e on e.id = n.entity_id order by n.memories desc, e.id
"""

PROBLEMS = {
    "orphan": ("graph_orphans", "It has no edges.",
        "select uid, title, '' as detail from graph_orphans limit :most"),
    "dead link": ("graph_dead_links", "It has an edge to something that is no longer active.",
        "select d.uid, m.title, d.kind || ' joins it with ' || d.dead_uid || ', which is ' || d.status as detail from"
        " (select iif(dead_uid = from_uid, to_uid, from_uid) as uid, kind, dead_uid, status from graph_dead_links"
        " limit :most) d join memories m on m.uid = d.uid"),
    "stale link": ("graph_stale_links", "Its text changed after a person added the edge.",
        "select s.uid, m.title, s.kind || ' joins it with ' || s.other_uid as detail from (select * from"
        " graph_stale_links limit :most) s join memories m on m.uid = s.uid"),
    "doubtful link": ("graph_doubtful_links", "It rests on something of low confidence.",
        "select d.uid, m.title, d.kind || ' ' || d.other_uid || ', confidence ' || printf('%.2f', d.confidence)"
        " as detail from (select * from graph_doubtful_links limit :most) d join memories m on m.uid = d.uid"),
}  # fmt: skip
"""What can be wrong: its view, what it means, and some of it."""

ASKED_FOR = ("doubtful link",)
"""Problems that are looked for only when somebody asks: every belief that an edge rests on has to be worked out."""

HUB_EDGES = 20
"""Source: the view graph_hubs."""

FOUND_MEMORIES = """
select m.uid, m.title, m.kind from memory_fts f join memory_versions v on v.id = f.rowid and v.recorded_to is null
join memories m on m.id = v.memory_id and m.status <> 'retired'
where memory_fts match :match order by bm25(memory_fts), m.id limit :most
"""

FOUND_ENTITIES = """
select e.id, e.kind, e.name, (select count(*) from memory_entities n where n.entity_id = e.id) as memories
from entities e where e.name like :pattern escape '\\' order by memories desc, e.name limit :most
"""

MEMORIES = "select id, uid, title, text, kind, status, lock_level from memories where id in ({ids})"
ENTITIES = "select id, kind, name from entities where id in ({ids})"

SQL = """select kind, direction, other_uid, other_title, score, reason, created_by
from memory_neighbours where uid = :uid order by score desc"""

ENTITY_SQL = """select m.uid, m.title, n.mentions, m.status
from memory_entities n join memories m on m.id = n.memory_id
where n.entity_id = :entity order by n.mentions desc"""


def overview(db: sqlite3.Connection, path: Path, fields: Fields) -> dict[str, Any]:
    """The whole graph: topics by project, figures, what is best connected, what is wrong, and what field `q` finds.

    Field `project` asks for the topics of one and what is best connected in it, field `problem` for one problem, which
    may be one of `ASKED_FOR`. Raises: NotFoundError.
    """
    problem = first(fields, "problem")
    if problem and problem not in (*PROBLEMS, "hub"):
        raise NotFoundError(f"No problem {problem[:40]!r} of the graph. There are: hub, {', '.join(PROBLEMS)}.")
    project = first(fields, "project")
    connected = best_connected(db, project)
    best = look_around(db, ("memory", connected[0]["id"]), depth=2) if connected else None
    q = first(fields, "q").strip()
    return {
        "q": q,
        "overview": topics(path, project),
        "totals": rows(db, TOTALS)[0],
        "kinds": [row | {"colour": colours.of_edge(row["kind"])} for row in rows(db, EDGE_KINDS)],
        "connected": [row | memory_looks(row) for row in connected],
        "entities": [row | entity_looks(row) for row in rows(db, NAMED_MOST, {"most": MOST_LISTED})],
        "problem": problem,
        "problems": problems(db, connected, problem),
        "asked_for": [name for name in ASKED_FOR if name != problem],
        "found": found(db, q) if q else None,
        "picture": picture(db, best) if best else None,
    }


def best_connected(db: sqlite3.Connection, project: str) -> list[dict[str, Any]]:
    """Memories with the most edges, of a project by its name or of all."""
    if project:
        return rows(db, CONNECTED_OF, {"project": project, "most": MOST_LISTED})
    return rows(db, CONNECTED, {"most": MOST_LISTED, "looked_at": LOOKED_AT})


def problems(db: sqlite3.Connection, connected: list[dict[str, Any]], asked: str) -> list[dict[str, Any]]:
    """What is wrong with the graph, some of each problem that is cheap to find, or of the one that is asked for."""
    found: list[dict[str, Any]] = [
        {"problem": name, "view": view, "meaning": meaning, "rows": rows(db, sql, {"most": MOST_PROBLEMS})}
        for name, (view, meaning, sql) in PROBLEMS.items()
        if (name == asked if asked else name not in ASKED_FOR)
    ]
    hubs = [
        {"uid": row["uid"], "title": row["title"], "detail": f"{row['edges']} edges"}
        for row in connected
        if row["edges"] >= HUB_EDGES
    ][:MOST_PROBLEMS]
    meaning = "What is connected to everything says little about anything."
    if asked in ("", "hub"):
        found.append({"problem": "hub", "view": "graph_hubs", "meaning": meaning, "rows": hubs})
    for problem in found:
        for row in problem["rows"]:
            row |= {"title": row["title"][:TITLE_CHARACTERS], "href": memory_link(row["uid"])}
    return found


def found(db: sqlite3.Connection, q: str) -> dict[str, Any]:
    """Memories with all these words or beginnings of words, and entities whose name has the text in it."""
    words = ['"' + word.replace('"', '""') + '"*' for word in q.replace("\0", " ").split()[:8]]
    pattern = "%" + "".join(f"\\{each}" if each in "\\%_" else each for each in q.casefold()[:100]) + "%"
    memories = rows(db, FOUND_MEMORIES, {"match": " ".join(words), "most": MOST_FOUND}) if words else []
    entities = rows(db, FOUND_ENTITIES, {"pattern": pattern, "most": MOST_FOUND})
    return {
        "memories": [row | memory_looks(row) for row in memories],
        "entities": [row | entity_looks(row) for row in entities],
    }


def around_memory(db: sqlite3.Connection, uid: str, fields: Fields) -> dict[str, Any]:
    """The picture around a memory, with fields `depth` (1 or 2) and `kind`. Raises: NotFoundError, InputError."""
    row = db.execute("select id from memories where uid = ?", [uid]).fetchone()
    if row is None:
        raise NotFoundError(f"No memory {uid[:80]!r}. {PATH} lists the best connected ones.")
    return around(db, ("memory", row["id"]), fields, lambda **given: memory_link(uid, **given))


def around_entity(db: sqlite3.Connection, number: str, fields: Fields) -> dict[str, Any]:
    """The same around an entity, by its number. Raises: NotFoundError, InputError."""
    is_number = number.isascii() and number.isdigit() and len(number) < 16
    if not is_number or not db.execute("select 1 from entities where id = ?", [int(number)]).fetchone():
        raise NotFoundError(f"No entity {number[:40]!r}. {PATH} lists those that most memories name.")
    return around(db, ("entity", int(number)), fields, lambda **given: entity_link(int(number), **given))


def around(db: sqlite3.Connection, start: Key, fields: Fields, link: Callable[..., str]) -> dict[str, Any]:
    """A picture and a table of what stands around something."""
    depth, kind = first(fields, "depth") or "1", first(fields, "kind")
    if depth not in ("1", "2"):
        raise InputError(f"depth {depth[:20]!r} cannot be drawn. Give 1 or 2.")
    known = [row["name"] for row in db.execute("select name from edge_kinds order by rowid")] + [NAMES]
    if kind and kind not in known:
        raise NotFoundError(f"No kind of edge {kind[:40]!r}. There are: {', '.join(known)}.")
    near = look_around(db, start, depth=int(depth), kind=kind or None)
    drawn = picture(db, near)
    shown_near = sum(hops == 1 for hops in near.hops.values())
    return {
        "target": drawn["nodes"][0],
        "asked": {"depth": depth, "kind": kind},
        "kinds": [
            {"kind": each, "href": link(depth=depth, kind="" if each == kind else each)} for each in known
        ],
        "depths": {each: link(depth=each, kind=kind) for each in ("1", "2")},
        "every_kind": link(depth=depth),
        "json": re.sub(r"(\?|$)", r".json\1", link(depth=depth, kind=kind), count=1),
        "picture": drawn,
        "near_count": near.near_count,
        "near_left_out": max(0, near.near_count - shown_near),
        "edges_left_out": near.edges_left_out,
        "sql": SQL if start[0] == "memory" else ENTITY_SQL,
    }  # fmt: skip


def picture(db: sqlite3.Connection, near: Around) -> dict[str, Any]:
    """Places and looks of nodes and edges; edges name nodes by their position in the list."""
    looks = looks_of(db, near)
    keys = [key for key in near.hops if key in looks]
    names = {key: f"{key[0]}-{key[1]}" for key in keys}
    height, places = layouts.place([
        layouts.Node(names[key], looks[key]["label"], near.hops[key], names.get(near.parents[key] or ("", 0)))
        for key in keys
    ])  # fmt: skip
    by_key = {place.key: place for place in places}
    nodes = [
        looks[key] | {
            "hops": near.hops[key], "x": by_key[names[key]].x, "y": by_key[names[key]].y,
            "lines": by_key[names[key]].lines, "anchor": by_key[names[key]].anchor,
            "label_x": by_key[names[key]].label_x, "label_y": round(by_key[names[key]].label_y, 1),
        }
        for key in keys
    ]  # fmt: skip
    edges = drawn_edges(near, names, by_key, height, {key: place for place, key in enumerate(keys)})
    kinds = sorted({edge["kind"] for edge in edges}, key=[*colours.EDGES].index)
    return {
        "width": layouts.WIDTH, "height": round(height), "line": layouts.LINE, "nodes": nodes, "edges": edges,
        "legend": [{"kind": kind, "colour": colours.of_edge(kind), "is_dashed": kind in DASHED} for kind in kinds],
        "sorts": sorted({(node["kind"], node["colour"]) for node in nodes if node["sort"] == "memory"}),
    }  # fmt: skip


def drawn_edges(
    near: Around,
    names: Mapping[Key, str],
    by_key: Mapping[str, layouts.NodePosition],
    height: float,
    at: Mapping[Key, int],
) -> list[dict[str, Any]]:
    """The edges with their curves; edges between the same two nodes are drawn apart."""
    drawn: list[dict[str, Any]] = []
    times: dict[frozenset[Key], int] = {}
    for edge in near.edges:
        pair = frozenset((edge.one, edge.other))
        times[pair] = times.get(pair, -1) + 1
        shift = (times[pair] + 1) // 2 * 12 * (1 if times[pair] % 2 else -1)
        is_branch = edge.other == near.parents[edge.one] or edge.one == near.parents[edge.other]
        ends = by_key[names[edge.one]], by_key[names[edge.other]]
        line = layouts.curve(*ends, is_branch=is_branch, height=height, shift=shift)
        drawn.append({
            "one": at[edge.one], "other": at[edge.other], "kind": edge.kind, "score": edge.score,
            "reason": edge.reason[:300], "created_by": edge.created_by, "direction": direction(edge, near),
            "colour": colours.of_edge(edge.kind), "path": line.path, "width": round(1 + 2.6 * edge.score, 1),
            "arrow": line.arrow if edge.kind in DIRECTED else "", "is_dashed": edge.kind in DASHED,
            "is_branch": is_branch,
        })  # fmt: skip
    return drawn


def direction(edge: Edge, near: Around) -> str:
    """Where an edge leads, seen from the centre: to, from, both ways; empty where the centre is no end of it."""
    if near.hops[edge.one] and near.hops[edge.other]:
        return ""
    if edge.kind not in (*DIRECTED, NAMES):
        return "both ways"
    return "to" if not near.hops[edge.one] else "from"


def looks_of(db: sqlite3.Connection, near: Around) -> dict[Key, dict[str, Any]]:
    """How each node is shown."""
    found: dict[Key, dict[str, Any]] = {}
    for sort, sql, looks in (("memory", MEMORIES, memory_looks), ("entity", ENTITIES, entity_looks)):
        ids = id_list(number for each, number in near.hops if each == sort)
        found |= {(sort, row["id"]): looks(row) for row in rows(db, sql.format(ids=ids))}
    return found


def memory_looks(row: Mapping[str, Any]) -> dict[str, Any]:
    """A memory as a node: title, colour, its picture and its page."""
    title = row["title"][:TITLE_CHARACTERS]
    return {
        "sort": "memory", "uid": row["uid"], "title": title, "label": visible(title).rstrip("…"), "kind": row["kind"],
        "status": row.get("status", "active"), "colour": colours.of_kind(row["kind"]), "href": memory_link(row["uid"]),
        "page": f"/-/memory/memories/{quote(row['uid'], safe='')}",
    }  # fmt: skip


def entity_looks(row: Mapping[str, Any]) -> dict[str, Any]:
    """An entity as a node."""
    name = row["name"][:TITLE_CHARACTERS]
    return {
        "sort": "entity", "id": row["id"], "title": name, "label": visible(name), "kind": row["kind"],
        "status": "active", "colour": colours.of_edge(NAMES), "href": entity_link(row["id"]),
        "page": entity_link(row["id"]),
    }  # fmt: skip


def memory_link(uid: str, **given: str) -> str:
    """The picture around a memory."""
    return with_fields(f"{PATH}/memory/{quote(uid, safe='')}", given)


def entity_link(number: int, **given: str) -> str:
    """The picture around an entity."""
    return with_fields(f"{PATH}/entity/{number}", given)


def with_fields(path: str, given: Mapping[str, str]) -> str:
    """A path with those fields that are not empty and not what is meant without them."""
    fields = {name: value for name, value in given.items() if value and (name, value) != ("depth", "1")}
    return f"{path}?{urlencode(fields)}" if fields else path
