"""The economics page: the numbers of the command line, and what is not known."""

from __future__ import annotations

import json
import sqlite3
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from test_pages import PAYLOADS

from memory_db.cli import cli
from memory_db.errors import InputError, NotFoundError
from memory_db.models import totals as costs
from memory_db.pages import economics
from memory_db.pages.draw import column_chart as columns
from memory_db.pages.draw import range_chart as ranges
from memory_db.store import settings
from memory_db.store.schema import open_database
from tests.support.in_process import served
from tests.support.session_rows import add_project
from tests.support.spending_rows import (
    add_call,
    add_ferry,
    add_memory,
    add_model_call,
    add_price,
    add_recall,
    add_session,
    at,
)

pytestmark = pytest.mark.slow

PAGE = "/-/memory/economics"


@pytest.fixture
def spent(db: sqlite3.Connection, db_path: Path) -> Path:
    """Three days of work in two projects: a subagent, briefs, an extraction, a question, a model without a price."""
    add_price(db)
    ferry, barge = add_ferry(db), add_project(db, "/home/sam/code/barge")
    session = add_session(db, "s", ferry, 400)
    version = add_memory(db, "mone", ferry, [1])
    add_recall(db, "hook", at("10:00:01"), 100, project_id=ferry, session_uid="s", shown=(version,))
    add_call(db, session, at("10:00:05"), 10, 20, 0, 400, 0)
    add_call(db, session, at("10:01:00"), 10, 20, 0, 0, 400)
    add_call(db, add_session(db, "s/agent", ferry, parent_id=session), at("10:01:30"), 7, 3)
    other = add_session(db, "t", barge, 4000)
    add_call(db, other, at("09:00:00", "2026-10-06"), 50, 60)
    add_call(db, other, at("09:00:00", "2026-10-07"), 5, 6, model="house model's own")
    add_recall(db, "session-start", at("09:00:00", "2026-10-06"), 80, project_id=barge, session_uid="t")
    add_model_call(db, "extract", at("11:00:00"), (1000, 100), session_id=session)
    add_model_call(db, "ask", at("12:00:03", "2026-10-06"), (80, 40), session_id=other)
    return db_path


def run(path: Path, *args: str) -> Any:
    result = CliRunner().invoke(cli, ["-d", str(path), *args, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def page(path: Path, now: datetime, **fields: str) -> dict[str, Any]:
    return economics.economics(path, {name: [value] for name, value in fields.items()}, now=now)


def keyed(rows: list[dict[str, Any]], *names: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {tuple(row[name] for name in names): {name: row[name] for name in costs.ADDED} for row in rows}


@pytest.fixture
def served_file(spent: Path) -> Path:
    return spent


# ------------------------------------------------------------------ the numbers


@pytest.mark.parametrize(
    ("fields", "options"),
    [
        ({"days": "all"}, []),
        ({"from": "2026-10-06"}, ["--since", "2026-10-06"]),
        ({"days": "all", "project": "ferry"}, ["--project", "ferry"]),
        ({"from": "2026-10-06", "project": "/home/sam/code/barge"}, ["--since", "2026-10-06", "--project", "barge"]),
    ],
)
def test_the_numbers_are_those_of_the_command_line(
    spent: Path, now: datetime, fields: dict[str, str], options: list[str]
) -> None:
    data = page(spent, now, **fields)
    by = {name: run(spent, "cost", "--by", name, *options) for name in costs.COST_BY}
    assert keyed(data["by_project"], "project") == keyed(by["project"], "project")
    assert keyed(data["by_model"], "model") == keyed(by["model"], "model")
    whole = [row for row in by["source"] if not row["part_of"]]
    assert keyed(data["by_source"], "source") == keyed(whole, "source")
    shares = [row for row in by["source"] if row["part_of"]]
    assert keyed(data["shares"], "part_of", "source") == keyed(shares, "part_of", "source")
    days = costs.added(data["by_day"], ("day",))
    assert keyed(days, "day") == keyed(by["day"], "day")
    saved = run(spent, "savings", *options)
    assert {name: data["savings"][name] for name in saved} == saved
    assert data["total"]["cost_nanocents"] == sum(row["cost_nanocents"] or 0 for row in by["day"])


def test_a_span_has_two_ends(spent: Path, now: datetime) -> None:
    data = page(spent, now, **{"from": "2026-10-06", "to": "2026-10-06"})
    assert {row["day"] for row in data["by_day"]} == {"2026-10-06"}
    assert {row["source"] for row in data["by_source"]} == {"session", "ask"}
    assert data["savings"]["ways"][0]["recalls"] == 1
    whole = page(spent, now, days="all")
    assert whole["total"]["calls"] == 7 and data["total"]["calls"] == 2
    last = page(spent, datetime.fromisoformat("2026-10-12T09:00:00+00:00"), days="7")
    assert (last["span"]["since"], last["total"]["calls"]) == ("2026-10-06", 3)


def test_columns_are_the_days_and_say_what_the_table_says(spent: Path, now: datetime) -> None:
    data = page(spent, now, **{"from": "2026-10-04", "to": "2026-10-07"})
    chart = data["chart"]
    assert [each["name"] for each in chart["columns"]] == [f"2026-10-0{day}" for day in (4, 5, 6, 7)]
    days = {row["day"]: row["cost_nanocents"] or 0 for row in costs.added(data["by_day"], ("day",))}
    assert {each["name"]: each["cost_nanocents"] for each in chart["columns"]} == {"2026-10-04": 0, **days}
    assert [each["name"] for each in chart["series"]] == ["sessions", "subagents", "memory itself"]
    assert chart["columns"][3]["calls_without_price"] == 1


def test_a_model_without_a_price_is_named_with_the_command(spent: Path, now: datetime) -> None:
    data = page(spent, now, days="all")
    assert data["without_price"] == [
        {"model": "house model's own", "calls": 1,
         "command": "memory-db model price set 'house model'\"'\"'s own' --input N --output N"}
    ]  # fmt: skip
    assert data["total"]["calls_without_price"] == 1


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"days": "6"}, InputError),
        ({"from": "soon"}, InputError),
        ({"from": "2026-10-06", "to": "2026-10-05"}, InputError),
        ({"project": "nobody"}, NotFoundError),
    ],
)
def test_what_cannot_be_asked_is_said(
    spent: Path, now: datetime, fields: dict[str, str], error: type[Exception]
) -> None:
    with pytest.raises(error):
        page(spent, now, **fields)


amounts = st.none() | st.integers(0, 10**15)


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from(["x", "y"]), amounts, st.integers(0, 9)),
        max_size=12,
    )
)
def test_adding_up_further_is_the_same_as_at_once(parts: list[tuple[str | None, str, int | None, int]]) -> None:
    rows = [
        {**dict.fromkeys(costs.ADDED, calls), "project": project, "model": model, "cost_nanocents": cost}
        for project, model, cost, calls in parts
    ]
    once, twice = costs.added(rows, ("project",)), costs.added(costs.added(rows, ("project", "model")), ("project",))
    assert once == twice
    known = [cost for _, _, cost, _ in parts if cost is not None]
    assert sum(row["cost_nanocents"] or 0 for row in once) == sum(known)
    assert all((row["cost_nanocents"] is None) == all(c is None for p, _, c, _ in parts if p == row["project"])
               for row in once)  # fmt: skip


@given(st.dates(date(2024, 1, 1), date(2027, 1, 1)), st.integers(0, 900), st.integers(0, 10**14))
def test_every_day_has_a_column_and_nothing_is_lost(first: date, days: int, nanocents: int) -> None:
    last = date.fromordinal(first.toordinal() + days)
    rows = [
        {"day": day.isoformat(), "source": source, "cost_nanocents": nanocents, "calls": 1, "calls_without_price": 0}
        for day, source in ((first, "session"), (last, "extraction"), (last, "subagent"))
    ]
    chart = columns.chart(rows, None, last.isoformat())
    assert len(chart["columns"]) <= max(columns.MOST_DAYS, columns.MOST_WEEKS + 1)
    assert sum(each["cost_nanocents"] for each in chart["columns"]) == 3 * nanocents
    assert all(each["y"] + each["height"] <= 1.0001 for column in chart["columns"] for each in column["segments"])


# ------------------------------------------------------------------ the page


async def test_the_page_shows_what_its_json_says(server: Any) -> None:
    response = await server.client.get(f"{PAGE}?days=all")
    data = (await server.client.get(f"{PAGE}.json?days=all")).json()
    assert response.status_code == 200 and data["total"]["calls"] == 7
    soup = BeautifulSoup(response.text, "html.parser")
    words = " ".join(soup.get_text().split())
    assert "Between" in words and "the range covers different ways" in words
    assert "memory-db model price set" in words and "1 call of models without a known price" in words
    assert len(soup.select("figure.costs g")) == len(data["chart"]["columns"])
    assert len(response.content) < 150_000


async def test_what_is_wrong_is_said_in_one_line(server: Any) -> None:
    for query, status, words in (("days=6", 400, "no span here"), ("project=nobody", 404, "No project")):
        for form in ("", ".json"):
            response = await server.client.get(f"{PAGE}{form}?{query}")
            assert response.status_code == status and words in response.text


async def test_an_empty_file_says_what_to_do(db: sqlite3.Connection, db_path: Path) -> None:
    async with served(db_path) as server:
        text = " ".join(BeautifulSoup((await server.client.get(PAGE)).text, "html.parser").get_text().split())
        assert text.count("No data yet") == 2 and "memory-db run" in text and "$0.34" not in text
        data = (await server.client.get(f"{PAGE}.json")).json()
        assert data["savings"]["low_nanocents"] is None and data["total"] == {}


async def test_hostile_names_are_text(db: sqlite3.Connection, db_path: Path) -> None:
    add_price(db)
    for number, payload in enumerate(PAYLOADS.values()):
        project = db.execute(
            "insert into projects (name, canonical_path, created_at) values (?, ?, ?)",
            [payload, f"/p{number}", at("08:00:00")],
        ).lastrowid
        session = add_session(db, f"s{payload}", int(project or 0))
        add_call(db, session, at("10:00:00"), 5, 6)
        add_call(db, session, at("10:00:00"), 5, 6, model=payload)
    async with served(db_path) as server:
        response = await server.client.get(f"{PAGE}?days=all")
        soup = BeautifulSoup(response.text, "html.parser")
        assert response.status_code == 200
        assert not soup.select("section script, section img") and "alert(1)" in soup.get_text()
        assert "\x1b" not in response.text and "\u202e" not in response.text
        assert "49 migrations" not in soup.get_text()


async def test_the_sample_is_small_enough(sample_path: Path) -> None:
    async with served(sample_path) as server:
        response = await server.client.get(f"{PAGE}?days=all")
        assert response.status_code == 200 and 10_000 < len(response.content) < 150_000


def test_the_budget_and_what_was_of_no_use_are_reported(spent: Path) -> None:
    evening = datetime.fromisoformat("2026-10-05T18:00:00+00:00")
    db = open_database(spent, now=evening)
    settings.put(db, "daily_cost_cents", "1", now=evening)
    db.close()
    data = page(spent, evening, **{"from": "2026-10-05", "to": "2026-10-05"})
    assert data["budget"]["daily_nanocents"] == 10**9
    assert data["budget"]["today_nanocents"] == sum(
        row["cost_nanocents"] for row in data["by_source"] if row["source"] in ("session", "subagent")
    )
    assert data["shown"] == {"shown_tokens": 5, "unused_tokens": 5}
    assert [row["uid"] for row in data["waste"]] == ["mone"]


async def test_the_page_tells_what_was_of_no_use(server: Any) -> None:
    shown = BeautifulSoup((await server.client.get(f"{PAGE}?days=all")).text, "html.parser").get_text().split()
    told = "Agents were shown 5 tokens of memories (all time); 5 of them (100 %) were not used"
    assert told in " ".join(shown)


# ------------------------------------------------------------------ as people ask


def test_sessions_blocks_agents_and_cache_are_of_the_span(spent: Path, now: datetime) -> None:
    data = page(spent, now, **{"from": "2026-10-05", "to": "2026-10-05"})
    (session,) = data["by_session"]
    by_source = {row["source"]: row for row in data["by_source"]}
    assert (session["uid"], session["sessions"], session["calls"]) == ("s", 2, 3)
    assert session["subagent_nanocents"] == by_source["subagent"]["cost_nanocents"]
    assert session["cost_nanocents"] == sum(by_source[name]["cost_nanocents"] for name in ("session", "subagent"))
    assert [(row["began_at"][11:16], row["calls"]) for row in data["by_block"]] == [("10:00", 3)]
    assert {(row["is_subagent"], row["calls"]) for row in data["by_agent"]} == {(0, 2), (1, 1)}
    assert data["cache"][0]["cache_write_tokens"] == data["cache"][0]["cache_read_tokens"] == 400


def test_what_memory_cost_and_saved_is_on_one_scale(spent: Path, now: datetime) -> None:
    savings = page(spent, now, days="all")["savings"]
    chart, ways = savings["chart"], savings["ways"]
    briefs, calls, *saved = chart["rows"]
    assert (briefs["low_nanocents"], briefs["high_nanocents"]) == (
        -ways[0]["brief_with_rereads_nanocents"], -ways[0]["brief_nanocents"],
    )  # fmt: skip
    assert calls["low_nanocents"] == -ways[0]["model_nanocents"]
    assert not saved and not any(way["instead_with_rereads_nanocents"] for way in ways), "nothing to save against"


def test_a_saving_is_drawn_against_what_would_have_cost_something() -> None:
    paid = {"brief_nanocents": 10, "brief_with_rereads_nanocents": 30, "model_nanocents": 0}
    nothing = {**paid, "counterfactual": "nothing", "instead_nanocents": 0, "instead_with_rereads_nanocents": 0,
               "net_nanocents": -10, "net_with_rereads_nanocents": -30}  # fmt: skip
    sessions = {**nothing, "counterfactual": "whole sessions", "instead_nanocents": 50,
                "net_nanocents": 40, "net_with_rereads_nanocents": 60}  # fmt: skip
    drawn = [row for row in economics.cost_and_saved([nothing, sessions]) if row["sort"] == "saved"]
    assert drawn == [{"name": "against whole sessions", "sort": "saved", "low_nanocents": 40, "high_nanocents": 60}]


@given(st.lists(st.tuples(st.integers(-(10**14), 10**14), st.integers(0, 10**14)), max_size=6))
def test_every_range_is_on_the_scale_between_round_ticks(ends: list[tuple[int, int]]) -> None:
    rows = [{"low_nanocents": low, "high_nanocents": low + more} for low, more in ends]
    drawn = ranges.chart(rows)
    ticks = [tick["nanocents"] for tick in drawn["ticks"]]
    assert ticks == sorted(set(ticks)) and 2 <= len(ticks) <= ranges.TICKS + 3
    assert 0 <= drawn["nought"] <= ranges.WIDE
    for row in drawn["rows"]:
        assert ticks[0] <= row["low_nanocents"] and row["high_nanocents"] <= ticks[-1]
        assert row["x"] >= 0 and row["width"] >= 0 and row["x"] + row["width"] <= ranges.WIDE + 0.2


def test_one_day_far_above_all_others_is_cut_off_and_marked() -> None:
    costs_by_day = {"2026-10-01": 10, "2026-10-02": 100, "2026-10-03": 5}
    rows = [
        {"day": day, "source": "session", "cost_nanocents": cost, "calls": 1, "calls_without_price": 0}
        for day, cost in costs_by_day.items()
    ]
    chart = columns.chart(rows, None, None, ["2026-10-02"])
    assert chart["most_nanocents"] == 12
    assert [(each["is_cut"], each["is_marked"]) for each in chart["columns"]] == [
        (False, False), (True, True), (False, False),
    ]  # fmt: skip
    assert chart["columns"][1]["segments"][0]["height"] == 1.0 and chart["columns"][1]["cost_nanocents"] == 100
    assert not any(each["is_cut"] for each in columns.chart(rows[::2], None, None)["columns"])


async def test_a_table_with_many_numbers_names_each_cell_for_a_phone(server: Any) -> None:
    page: Any = BeautifulSoup((await server.client.get("/-/memory/economics?period=all")).text, "html.parser")
    tables = page.select("table.stacks")
    assert len(tables) >= 5
    for cell in page.select("table.stacks tbody td"):
        assert cell.get("data-label") or cell.get("colspan") or not cell.get_text(strip=True), cell
    targets = [each["href"][1:] for each in page.select("nav.contents a")]
    assert targets and all(page.find(id=each) for each in targets), "every link of the contents leads somewhere"
