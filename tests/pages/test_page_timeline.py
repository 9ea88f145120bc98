"""The page of the timeline, and the river on it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import AsyncIterator
from datetime import date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.pages.draw import colours, streamgraph
from memory_db.store.dates import utc_text
from tests.pages.test_pages import PAYLOADS, fill
from tests.support.in_process import served, soup, started

pytestmark = pytest.mark.slow

DAYS = st.dates(min_value=date(1, 1, 1), max_value=date(9999, 12, 31))


TABLES = st.integers(1, 6).flatmap(
    lambda layers: st.lists(st.lists(st.integers(0, 500), min_size=layers, max_size=layers), min_size=1, max_size=30)
)


@pytest.fixture
def served_file(db: sqlite3.Connection, db_path: Path, now: datetime) -> Path:
    fill(db, now)
    return db_path


@pytest.fixture
async def sample(sample_path: Path) -> AsyncIterator[Any]:
    async with served(sample_path) as datasette:
        yield datasette


def remember(db: sqlite3.Connection, count: int, now: datetime, *, apart_days: float = 0.2) -> None:
    """Many memories of all kinds over time."""
    kinds = [row[0] for row in db.execute("select name from kinds order by name")]
    db.execute("insert or ignore into projects (id, name, canonical_path, created_at) values (1, 'shop', '/s', 'x')")
    rows = []
    for number in range(count):
        at = utc_text(now - timedelta(days=number * apart_days))
        title = f"Thing {number} " + "that is known " * 12
        rows.append((f"n{number}", kinds[number % len(kinds)], title, title * 3, f"h{number}", at, at, at))
    db.executemany(
        "insert into memories (uid, kind, scope, project_id, title, text, tokens, origin, content_hash, valid_from,"
        " changed_by, change_reason, created_at, updated_at)"
        " values (?, ?, 'project', 1, ?, ?, 9, 'rules', ?, ?, 'rules', 'added', ?, ?)", rows
    )  # fmt: skip


# ------------------------------------------------------------------- the river


@given(DAYS, DAYS)
def test_bins_cover_every_day_once(one: date, other: date) -> None:
    first, last = min(one, other), max(one, other)
    step, bins = streamgraph.bins_between(one, other)
    assert bins[0].first <= first <= bins[0].last and bins[-1].first <= last <= bins[-1].last
    assert len(bins) <= (streamgraph.MOST_BINS if step != streamgraph.STEPS[-1] else 100)
    for each, following in pairwise(bins):
        assert each.last + timedelta(days=1) == following.first


@pytest.mark.parametrize(
    ("days", "step"),
    [(0, "day"), (6, "day"), (55, "day"), (56, "week"), (370, "week"), (800, "month"), (3652, "quarter")],
)
def test_the_step_follows_the_span(days: int, step: str) -> None:
    start = date(2020, 1, 6)
    assert streamgraph.bins_between(start, start + timedelta(days=days))[0] == step


@given(TABLES)
def test_widths_add_up_to_counts(counts: list[list[int]]) -> None:
    lines, scale = streamgraph.boundaries(counts), streamgraph.scale_of(counts)
    assert len(lines) == len(counts[0]) + 1
    for place, row in enumerate(counts):
        heights = [line[place] for line in lines]
        assert heights == sorted(heights) and heights[0] >= -1e-6 and heights[-1] <= streamgraph.HEIGHT + 1e-6
        for layer, count in enumerate(row):
            assert heights[layer + 1] - heights[layer] == pytest.approx(count * scale)
        assert heights[0] + heights[-1] == pytest.approx(streamgraph.HEIGHT)


@given(TABLES)
def test_paths_stay_in_their_box_and_meet_the_heights(counts: list[list[int]]) -> None:
    lines = streamgraph.boundaries(counts)
    paths = streamgraph.paths(counts)
    assert paths == streamgraph.paths(counts)
    for layer, path in enumerate(paths):
        assert bool(path) == any(row[layer] for row in counts)
        for piece in filter(None, path.split("M")):
            xs, ys = walked(piece)
            assert min(xs) >= 0 and max(xs) <= len(counts) * streamgraph.BIN_WIDTH
            assert min(ys) >= -1 and max(ys) <= streamgraph.HEIGHT + 1
            start = int(piece.split("H")[1].split("c")[0].split("V")[0]) // streamgraph.BIN_WIDTH
            assert ys[0] == round(lines[layer][start])


def walked(piece: str) -> tuple[list[int], list[int]]:
    """Where a piece of a path goes: every x and every y that it reaches."""
    numbers = re.findall(r"([HVcsZ])([^HVcsZ]*)", piece)
    x, y = map(int, piece.split("H")[0].split())
    xs, ys = [x], [y]
    for command, text in numbers:
        values = [int(each) for each in text.split()]
        if command == "H":
            x = values[0]
        elif command == "V":
            y = values[0]
        elif command in "cs":
            x, y = x + values[-2], y + values[-1]
        xs.append(x)
        ys.append(y)
    return xs, ys


def test_nothing_gives_an_empty_streamgraph() -> None:
    assert streamgraph.paths([[0, 0]]) == ["", ""] and streamgraph.paths([]) == []


def test_every_kind_has_a_colour_of_its_own(db: sqlite3.Connection) -> None:
    known = [row[0] for row in db.execute("select name from kinds")]
    assert set(known) == set(colours.KINDS) and len(set(colours.KINDS.values())) == len(known)
    edges = [row[0] for row in db.execute("select name from edge_kinds")]
    assert set(edges) | {"names"} == set(colours.EDGES)


# -------------------------------------------------------------------- the page


async def test_an_empty_file_says_what_to_do(db: sqlite3.Connection, db_path: Path) -> None:
    datasette = await started(db_path)
    response = await datasette.client.get("/-/memory/timeline")
    assert response.status_code == 200 and "memory-db run" in response.text and "<figure" not in response.text
    assert (await datasette.client.get("/-/memory/timeline.json")).json()["is_empty"] is True


async def test_the_streamgraph_counts_what_the_list_holds(server: Any) -> None:
    data = (await server.client.get("/-/memory/timeline.json")).json()
    assert data["count"] == 7 == sum(each["total"] for each in data["river"]["bins"])
    assert [(each["key"], each["count"]) for each in data["river"]["layers"]] == [("convention", 1), ("quirk", 6)]
    assert sum(len(day["memories"]) for day in data["days"]) == 7
    found = soup(await server.client.get("/-/memory/timeline"))
    assert len(found.select("path.layer")) == 2 and len(found.select(".day li")) == 7
    assert found.select_one("svg[role=group] title") and found.select_one("svg [role=img][aria-label]")
    assert len(found.select("table.bins tbody tr")) == sum(
        bool(each["total"] or each["sessions"] or each["recalls"]) for each in data["river"]["bins"]
    )


async def test_a_bin_leads_to_its_span(server: Any) -> None:
    data = (await server.client.get("/-/memory/timeline.json")).json()
    for each in data["river"]["bins"]:
        if each["total"]:
            path, _, query = each["href"].partition("?")
            within = (await server.client.get(f"{path}.json?{query}")).json()
            assert within["count"] == each["total"]


@pytest.mark.parametrize(
    ("query", "count"),
    [("kind=quirk", 6), ("scope=user", 0), ("project=site", 0), ("project=shop", 7), ("by=project", 7), ("by=scope", 7),
     ("from=2026-10-20", 6), ("to=2026-10-20", 1), ("from=2026-09-22&to=2026-09-22", 1), ("from=2030-01-01", 0)],
)  # fmt: skip
async def test_filters_narrow(server: Any, query: str, count: int) -> None:
    data = (await server.client.get(f"/-/memory/timeline.json?{query}")).json()
    assert data["count"] == count
    response = await server.client.get(f"/-/memory/timeline?{query}")
    assert response.status_code == 200 and (count or "Show everything" in response.text)


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("by=mood", 400, "kind, project, scope"),
        ("kind=nope", 404, "No kind"),
        ("project=nope", 404, "No project"),
        ("scope=world", 400, "No scope"),
        ("from=yesterday", 400, "is no day"),
        ("to=2026-13-01", 400, "is no day"),
        ("from=2026-10-02&to=2026-10-01", 400, "is empty"),
        ("page=0", 400, "pages 1 to"),
        ("page=9", 400, "pages 1 to"),
        ("around=nobody", 404, "nobody"),
    ],
)
async def test_what_cannot_be_shown_is_said(server: Any, query: str, status: int, words: str) -> None:
    for form in ("", ".json"):
        response = await server.client.get(f"/-/memory/timeline{form}?{query}")
        assert response.status_code == status and words in response.text


async def test_what_stands_around_a_memory(server: Any) -> None:
    memory = soup(await server.client.get("/-/memory/memories/m1"))
    assert memory.select_one('a[href="/-/memory/timeline?around=m1"]')
    assert "Keys" not in memory.get_text(), "it has no keys"
    found = soup(await server.client.get("/-/memory/timeline?around=m1"))
    centre = found.select(".moments .centre")
    assert len(centre) == 1 and centre[0].select_one('a[href="/-/memory/memories/m1"]')


async def test_texts_stay_texts(server: Any) -> None:
    response = await server.client.get("/-/memory/timeline?around=m-script")
    assert "<script>alert" not in response.text and "\x1b" not in response.text and "\u202e" not in response.text
    found = soup(response)
    assert not found.select(".memory img, .memory script")
    assert not [each for each in found.select("a[href]") if each["href"].startswith("javascript")]
    assert PAYLOADS["template"] in found.get_text()


async def test_a_hostile_date_breaks_nothing(server: Any, db: sqlite3.Connection) -> None:
    for uid, day in (("m1", "0001-01-01"), ("m-script", "9999-12-31")):
        db.execute("update memories set valid_from = ? where uid = ?", [f"{day}T00:00:00.000Z", uid])
    data = (await server.client.get("/-/memory/timeline.json")).json()
    assert data["river"]["step"] == "century" and sum(each["total"] for each in data["river"]["bins"]) == 7
    assert len((await server.client.get("/-/memory/timeline")).content) < 150_000


async def test_a_big_file_keeps_the_page_small(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    remember(db, 3_000, now, apart_days=1.2)
    for number in range(2, 30):
        db.execute("insert into projects values (?, ?, ?, null, 'x')", [number, f"project {number}", f"/p{number}"])
        db.execute("update memories set project_id = ? where id % 30 = ?", [number, number])
    datasette = await started(db_path)
    for query in ("", "?by=project", "?by=scope", "?from=2026-01-01", "?page=60"):
        response = await datasette.client.get(f"/-/memory/timeline{query}")
        assert response.status_code == 200 and len(response.content) < 150_000, query
    by_project = (await datasette.client.get("/-/memory/timeline.json?by=project")).json()
    assert by_project["river"]["step"] == "quarter" and by_project["count"] == 3_000
    assert sum(each["count"] for each in by_project["river"]["layers"]) == 3_000
    assert len(by_project["river"]["layers"]) <= 14


async def test_the_sample_has_a_streamgraph(sample: Any, sample_db: sqlite3.Connection) -> None:
    data = (await sample.client.get("/-/memory/timeline.json?by=project")).json()
    kept = sample_db.execute("select count(*) from memories where status <> 'retired'").fetchone()[0]
    assert data["count"] == kept > 50 and sum(each["sessions"] for each in data["river"]["bins"]) > 10
    found = soup(await sample.client.get("/-/memory/timeline"))
    link = found.select_one(".day a[href*='/sessions/']")["href"]
    assert (await sample.client.get(link.partition("#")[0])).status_code == 200
