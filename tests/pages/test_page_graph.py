"""The pages of the graph, and the layout of their drawings."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.pages.draw import graph_layout as layouts
from memory_db.pages.graph import rows as graph_rows
from tests.pages.test_page_timeline import remember
from tests.pages.test_pages import PAYLOADS, fill
from tests.support.in_process import served, soup, started

pytestmark = pytest.mark.slow

PORT = "m4cef8e1f"


@pytest.fixture
async def sample(sample_path: Path) -> AsyncIterator[Any]:
    async with served(sample_path) as datasette:
        yield datasette


def join(db: sqlite3.Connection, one: int, other: int, kind: str = "same_topic", score: float = 0.5) -> None:
    db.execute(
        "insert into edges (from_memory_id, to_memory_id, kind, score, reason, created_by, created_at)"
        " values (?, ?, ?, ?, 'because', 'rules', '2026-10-01T00:00:00.000Z')", [one, other, kind, score]
    )  # fmt: skip


# ------------------------------------------------------------------ the layout


@st.composite
def graphs(draw: st.DrawFn) -> list[layouts.Node]:
    """A centre, nodes one step away, and nodes two steps away by way of those."""
    label = st.text(max_size=90)
    near = draw(st.integers(0, 20))
    far = draw(st.integers(0, 19)) if near else 0
    nodes = [layouts.Node("c", draw(label), 0)]
    nodes += [layouts.Node(f"n{place}", draw(label), 1, "c") for place in range(near)]
    for place in range(far):
        nodes.append(layouts.Node(f"f{place}", draw(label), 2, f"n{draw(st.integers(0, near - 1))}"))
    return nodes


def overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@given(graphs())
def test_labels_stay_apart_and_inside(nodes: list[layouts.Node]) -> None:
    height, places = layouts.place(nodes)
    assert (height, places) == layouts.place(nodes)
    assert sorted(place.key for place in places) == sorted(node.key for node in nodes)
    boxes = [place.box() for place in places]
    for place, box in zip(places, boxes, strict=True):
        assert layouts.RADIUS <= place.x <= layouts.WIDTH - layouts.RADIUS
        assert layouts.RADIUS <= place.y <= height - layouts.RADIUS
        assert box[0] >= 0 and box[2] <= layouts.WIDTH and box[1] >= 0 and box[3] <= height
    for number, box in enumerate(boxes):
        for other in boxes[number + 1 :]:
            assert not overlap(box, other)
    for number, place in enumerate(places):
        for other in places[number + 1 :]:
            assert abs(place.x - other.x) + abs(place.y - other.y) > 2 * layouts.RADIUS


@given(graphs())
def test_nodes_further_away_stand_further_out(nodes: list[layouts.Node]) -> None:
    _, places = layouts.place(nodes)
    by_key = {place.key: place for place in places}
    for node in nodes[1:]:
        parent = by_key[node.parent or "c"]
        assert by_key[node.key].side == parent.side or not parent.side
        assert abs(by_key[node.key].x - layouts.WIDTH / 2) > 80


@given(graphs(), st.floats(-30, 30))
def test_lines_end_at_their_nodes(nodes: list[layouts.Node], shift: float) -> None:
    height, places = layouts.place(nodes)
    for place in places[1:6]:
        for is_branch in (True, False):
            line = layouts.curve(places[0], place, is_branch=is_branch, height=height, shift=shift)
            numbers = [float(each) for each in re.findall(r"-?\d+", line.path)]
            assert numbers[:2] == [round(places[0].x), round(places[0].y)] and len(numbers) == 8
            assert numbers[-2:] == [round(place.x), round(place.y)]
            assert line.arrow.startswith("M") and line.arrow.endswith("Z")


@given(st.text(max_size=200), st.integers(2, 60), st.integers(1, 5))
def test_labels_are_cut_to_their_room(text: str, room: int, most: int) -> None:
    assert layouts.columns(layouts.cut(text, room)) <= room
    lines = layouts.wrap(text, room, most)
    assert len(lines) <= most and all(layouts.columns(line) <= room for line in lines)
    assert not lines or text.split()


# --------------------------------------------------------------------- the page


async def test_an_empty_file_says_what_to_do(db: sqlite3.Connection, db_path: Path) -> None:
    datasette = await started(db_path)
    response = await datasette.client.get("/-/memory/graph")
    assert response.status_code == 200 and "memory-db run --only index" in response.text
    assert not soup(response).select("svg.drawing")
    assert (await datasette.client.get("/-/memory/graph.json")).json()["totals"] == {
        "memories": 0, "edges": 0, "entities": 0,
    }  # fmt: skip


async def test_the_overview_of_the_sample(sample: Any, sample_db: sqlite3.Connection) -> None:
    data = (await sample.client.get("/-/memory/graph.json")).json()
    edges = [each["edges"] for each in data["connected"]]
    assert edges == sorted(edges, reverse=True) and edges[0] > 5
    found = sample_db.execute(
        "select count(*) from edges e join memories m on m.uid = ? and m.id in (e.from_memory_id, e.to_memory_id)"
        " where e.ended_at is null", [data["connected"][0]["uid"]]
    ).fetchone()[0]  # fmt: skip
    assert found == edges[0]
    assert sum(each["edges"] for each in data["kinds"]) == data["totals"]["edges"] > 100
    orphans = [row[0] for row in sample_db.execute("select uid from graph_orphans")]
    by_problem = {each["problem"]: [row["uid"] for row in each["rows"]] for each in data["problems"]}
    assert by_problem["orphan"] == orphans[:8] and list(by_problem) == ["orphan", "dead link", "stale link", "hub"]
    asked = (await sample.client.get("/-/memory/graph.json?problem=doubtful+link")).json()
    assert [each["problem"] for each in asked["problems"]] == ["doubtful link"]
    assert (await sample.client.get("/-/memory/graph?problem=boredom")).status_code == 404
    response = await sample.client.get("/-/memory/graph")
    assert response.status_code == 200 and len(soup(response).select("svg.drawing a.node")) > 10


TOPIC = """
select count(distinct m.id) from memory_entities n join memories m on m.id = n.memory_id and m.status = 'active'
join projects p on p.id = m.project_id join entities e on e.id = n.entity_id where p.name = ? and e.name = ?
"""


async def test_topics_by_project_open_into_neighbourhoods(sample: Any, sample_db: sqlite3.Connection) -> None:
    shown = (await sample.client.get("/-/memory/graph.json")).json()["overview"]
    by_name = {each["name"]: each for each in shown["projects"]}
    assert set(by_name) == {"tidepool", "lanternfish", "quayside", None} and not shown["projects_left"]
    for project in shown["projects"][:3]:
        for topic in project["topics"]:
            counted = sample_db.execute(TOPIC, [project["name"], topic["name"]]).fetchone()[0]
            assert topic["memories"] == counted >= 2, topic
    page = soup(await sample.client.get("/-/memory/graph"))
    panel = page.select_one("#topics .panel")
    assert (await sample.client.get(panel.select_one(".topics a")["href"])).status_code == 200
    one = soup(await sample.client.get(panel.select_one("h3 a")["href"]))
    assert len(one.select("#topics .panel")) == 1
    assert len(one.select(".topics li")) == by_name["tidepool"]["topic_count"] > len(by_name["tidepool"]["topics"])
    own = {row[0] for row in sample_db.execute(
        "select m.uid from memories m join projects p on p.id = m.project_id where p.name = 'tidepool'"
    )}  # fmt: skip
    data = (await sample.client.get("/-/memory/graph.json?project=tidepool")).json()
    assert data["connected"] and {each["uid"] for each in data["connected"]} <= own
    assert (await sample.client.get("/-/memory/graph?project=nowhere")).status_code == 404


async def test_around_a_memory_picture_and_table_agree(sample: Any, sample_db: sqlite3.Connection) -> None:
    data = (await sample.client.get(f"/-/memory/graph/memory/{PORT}.json")).json()
    nodes, edges = data["picture"]["nodes"], data["picture"]["edges"]
    assert nodes[0]["uid"] == PORT and nodes[0]["hops"] == 0
    known = {
        (row["kind"], row["other_uid"], row["reason"])
        for row in sample_db.execute("select kind, other_uid, reason from memory_neighbours where uid = ?", [PORT])
    }
    drawn = {
        (edge["kind"], nodes[edge["other"] if edge["one"] == 0 else edge["one"]].get("uid"), edge["reason"])
        for edge in edges
        if edge["direction"] and edge["kind"] != "names"
    }
    assert drawn == known and any(edge["kind"] == "names" for edge in edges)
    found = soup(await sample.client.get(f"/-/memory/graph/memory/{PORT}"))
    assert len(found.select("svg.drawing a.node")) == len(nodes)
    assert len(found.select("svg.drawing path.edge")) == len(edges)
    assert len(found.select("section table.plain:not(.further) tbody tr")) == sum(bool(e["direction"]) for e in edges)
    assert found.select_one("svg.drawing > title") and found.select_one("svg.drawing [role=img][aria-label]")
    for link in found.select("svg.drawing a.node"):
        assert (await sample.client.get(link["href"])).status_code == 200


async def test_two_steps_and_one_kind(sample: Any) -> None:
    near = (await sample.client.get(f"/-/memory/graph/memory/{PORT}.json")).json()
    assert near["json"] == f"/-/memory/graph/memory/{PORT}.json"
    far = (await sample.client.get(f"/-/memory/graph/memory/{PORT}.json?depth=2")).json()
    assert len(far["picture"]["nodes"]) > len(near["picture"]["nodes"])
    assert max(node["hops"] for node in far["picture"]["nodes"]) == 2
    named = (await sample.client.get(f"/-/memory/graph/memory/{PORT}.json?kind=names")).json()
    assert {edge["kind"] for edge in named["picture"]["edges"]} == {"names"}
    nothing = await sample.client.get(f"/-/memory/graph/memory/{PORT}?kind=mentions")
    assert nothing.status_code == 200 and "see all kinds" in nothing.text


async def test_around_an_entity(sample: Any, sample_db: sqlite3.Connection) -> None:
    entity, naming = sample_db.execute(
        "select entity_id, count(*) from memory_entities n join memories m on m.id = n.memory_id and"
        " m.status <> 'retired' group by 1 order by 2 desc limit 1"
    ).fetchone()
    data = (await sample.client.get(f"/-/memory/graph/entity/{entity}.json")).json()
    assert data["near_count"] == naming == len(data["picture"]["nodes"]) - 1
    assert (await sample.client.get(f"/-/memory/graph/entity/{entity}?depth=2")).status_code == 200


async def test_a_superseded_memory_is_dashed(sample: Any, sample_db: sqlite3.Connection) -> None:
    new, old = sample_db.execute(
        "select n.uid, o.uid from edges e join memories n on n.id = e.from_memory_id join memories o"
        " on o.id = e.to_memory_id where e.kind = 'supersedes' limit 1"
    ).fetchone()
    data = (await sample.client.get(f"/-/memory/graph/memory/{new}.json?kind=supersedes")).json()
    edge = next(each for each in data["picture"]["edges"] if data["picture"]["nodes"][each["other"]]["uid"] == old)
    assert edge["is_dashed"] and edge["arrow"] and edge["direction"] == "to"
    found = soup(await sample.client.get(f"/-/memory/graph/memory/{new}?kind=supersedes"))
    assert found.select("path.edge.dashed") and found.select("a.node.gone")


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("memory/nobody", 404, "No memory"),
        ("entity/0", 404, "No entity"),
        ("entity/x", 404, "No entity"),
        (f"memory/{PORT}?depth=3", 400, "Give 1 or 2"),
        (f"memory/{PORT}?kind=love", 404, "same_topic"),
    ],
)
async def test_what_cannot_be_drawn_is_said(sample: Any, path: str, status: int, words: str) -> None:
    for form in (path, re.sub(r"(\?|$)", r".json\1", path, count=1)):
        response = await sample.client.get(f"/-/memory/graph/{form}")
        assert response.status_code == status and words in response.text


@pytest.mark.parametrize("q", ["uv", "postgres port", '"; drop', "%", "_", "\\", "AND OR NOT", "*", "\x00", "a" * 3000])
async def test_anything_can_be_searched(sample: Any, q: str) -> None:
    response = await sample.client.get("/-/memory/graph.json", params={"q": q})
    assert response.status_code == 200
    data = response.json()["found"]
    if q == "postgres port":
        assert PORT in [each["uid"] for each in data["memories"]]
    if q == "uv":
        assert data["entities"][0]["title"].startswith("uv")
    if q in ("%", "_"):
        assert all(q in each["title"] for each in data["entities"])


async def test_texts_stay_texts(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    fill(db, now)
    ids = [row[0] for row in db.execute("select id from memories order by id")]
    for other in ids[1:]:
        join(db, other, ids[0], "supports", 0.8)
    db.execute("update edges set reason = ?", [PAYLOADS["script"] + PAYLOADS["terminal"]])
    for number, payload in enumerate(PAYLOADS.values(), 1):
        db.execute("insert into entities values (?, 'file', ?)", [number, payload])
        db.execute("insert into memory_entities values (?, ?, 1)", [ids[0], number])
    datasette = await started(db_path)
    for path in ("", "?q=migrations", "/memory/m1", "/memory/m1?depth=2", "/entity/1", "/memory/m-script"):
        response = await datasette.client.get(f"/-/memory/graph{path}")
        assert response.status_code == 200, path
        assert "<script>alert" not in response.text and "\x1b" not in response.text and "\u202e" not in response.text
        found = soup(response)
        assert not found.select(".memory img, .memory script")
        assert not [each for each in found.select("a[href]") if each["href"].startswith("javascript")]


async def test_a_hub_of_a_big_file_is_bounded(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    remember(db, 2_000, now)
    for number in range(2, 2_001):
        join(db, number, 1, "same_topic", (number % 97) / 100)
        if number % 3 == 0:
            join(db, number, number - 1, "same_session", 0.3)
    db.executemany("insert into entities values (?, 'file', ?)", [(n, f"src/file_{n}.py") for n in range(1, 60)])
    db.executemany("insert into memory_entities values (?, 1, 2)", [(n,) for n in range(1, 1_500)])
    db.executemany("insert into memory_entities values (1, ?, 1)", [(n,) for n in range(2, 60)])
    datasette = await started(db_path)
    for path in ("memory/n0", "memory/n0?depth=2", "entity/1", "entity/1?depth=2"):
        response = await datasette.client.get(f"/-/memory/graph/{path}")
        assert response.status_code == 200 and len(response.content) < 150_000, path
        nodes = soup(response).select("svg.drawing a.node")
        assert (10 if "depth" in path else 20) < len(nodes) <= graph_rows.MOST_NODES
        if "depth" not in path:
            assert "not drawn" in response.text
    data = (await datasette.client.get("/-/memory/graph/memory/n0.json")).json()
    near = data["picture"]["nodes"][1:]
    assert data["near_count"] == 1_999 + 59 == data["near_left_out"] + len(near)
    assert sum(node["sort"] == "entity" for node in near) <= graph_rows.MOST_NODES // graph_rows.ENTITY_SHARE
    scores = sorted((edge["score"] for edge in data["picture"]["edges"] if edge["kind"] == "same_topic"), reverse=True)
    assert scores[0] == 0.96 and scores[-1] >= 0.95
    overview = await datasette.client.get("/-/memory/graph")
    assert len(overview.content) < 150_000 and "1,999 edges" in overview.text


def test_entities_fill_what_memories_leave(db: sqlite3.Connection, now: datetime) -> None:
    remember(db, 3, now)
    join(db, 1, 2)
    db.executemany("insert into entities values (?, 'host', ?)", [(n, f"h{n}") for n in range(1, 31)])
    db.executemany("insert into memory_entities values (1, ?, 1)", [(n,) for n in range(1, 31)])
    around = graph_rows.look_around(db, ("memory", 1))
    assert len(around.hops) == 32 and around.near_count == 31
    assert graph_rows.look_around(db, ("memory", 3)).hops == {("memory", 3): 0}
