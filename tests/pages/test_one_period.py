"""One period for all pages: chosen once, kept for the visitor, named where its figures are."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.knowledge.memories import add_memory
from memory_db.pages import periods
from memory_db.pages.web import respond
from memory_db.recall.brief.select import ask
from memory_db.recall.question import question_of
from memory_db.store.schema import open_database
from tests.conftest import NOW
from tests.support.in_process import served, soup, text_of

PAGES = ("/", "/-/memory/economics", "/-/memory/recalls", "/-/memory/health")


@pytest.mark.slow
async def test_a_period_is_kept_for_the_other_pages_and_named_on_each(server: Any) -> None:
    chosen = await server.client.get("/-/memory/recalls?period=30")
    kept = chosen.headers["set-cookie"].partition(";")[0]
    assert kept == f"{periods.COOKIE}=30" and "HttpOnly" in chosen.headers["set-cookie"]
    names = set()
    for path in PAGES:
        page = soup(await server.client.get(path, cookies={**server.client.cookies, periods.COOKIE: "30"}))
        assert text_of(page.select_one(".periods a[aria-current]")) == "30 days", path
        names.add(text_of(page.select_one(".periods p b")))
        named = soup(await server.client.get(f"{path}?period=all", cookies={**server.client.cookies, **COOKIE}))
        assert text_of(named.select_one(".periods p b")) == "all time", "an address comes before what was chosen"
        link = named.find("a", string="link to this view")["href"]
        assert "period=all" in link and (await server.client.get(link)).status_code == 200, path
    assert len(names) == 1 and names.pop().startswith("30 days to "), "the same days on every page"


@pytest.mark.slow
async def test_a_calendar_week_is_kept_and_leads_to_those_beside_it(server: Any) -> None:
    chosen = await server.client.get("/-/memory/recalls?period=2026-W43")
    assert chosen.headers["set-cookie"].startswith(f"{periods.COOKIE}=2026-W43;")
    for path in ("/-/memory/economics", "/-/memory/recalls"):
        page = soup(await server.client.get(f"{path}?period=last-week"))
        assert text_of(page.select_one(".periods a[aria-current]")) == "last week", path
        name = text_of(page.select_one(".periods p b"))
        assert name.startswith("last week, ") and "for no agent did anything since" not in text_of(page)
        before = soup(await server.client.get(page.select_one(".periods a[rel=prev]")["href"]))
        after = soup(await server.client.get(before.select_one(".periods a[rel=next]")["href"]))
        assert text_of(after.select_one(".periods p b")).partition(", ")[2] == name.partition(", ")[2], path


@pytest.mark.parametrize(("word", "name"), [("2026-W43", "week 43"), ("2026-10-20", "since 2026-10-20")])
async def test_a_week_or_day_that_is_kept_is_marked_and_easy_to_leave(server: Any, word: str, name: str) -> None:
    chosen = await server.client.get(f"/-/memory/recalls?period={word}")
    assert "Max-Age" not in chosen.headers["set-cookie"], "gone with the browser"
    assert "Max-Age" in (await server.client.get("/-/memory/recalls?period=30")).headers["set-cookie"]
    for path in PAGES:
        page = soup(await server.client.get(path, cookies={**server.client.cookies, periods.COOKIE: word}))
        assert [text_of(each) for each in page.select(".periods a[aria-current]")] == [name], path
        assert page.find("a", string="back to 7 days")["href"] == f"{path}?period=7", path


async def test_an_empty_week_leads_to_the_last_in_which_something_happened(
    server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(respond, "clock", lambda: NOW + timedelta(days=24))
    for path in PAGES:
        before = soup(await server.client.get(f"{path}?period=2026-W30"))
        assert "No agent did anything" not in text_of(before), "none ever had"
        answer = await server.client.get(f"{path}?period=last-week")
        assert periods.COOKIE not in answer.headers.get("set-cookie", ""), "other pages do not become empty too"
        empty = soup(answer)
        said = next(each for each in empty.select("p.sample") if "No agent did anything" in text_of(each))
        assert "2026-11-22. The last week in which one did: week 44, 2026-10-26 to 2026-11-01." in text_of(said)
        assert said.select_one("a")["href"] == f"{path}?period=2026-W44", path
        assert "No data yet" not in text_of(empty) and "No model calls yet" not in text_of(empty), path


async def test_what_people_did_counts_since_the_last_day_of_an_agent_and_is_said(
    served_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = NOW + timedelta(days=40)
    monkeypatch.setattr(respond, "clock", lambda: later)
    with closing(open_database(served_file, now=later)) as db:
        add_memory(db, text="The buoys are counted in may.", kind="convention", scope="user", now=later)
        ask(db, question_of("when are the buoys counted?", {}), surface="page", now=later)
    async with served(served_file) as datasette:
        home = soup(await datasette.client.get("/"))
        said = text_of(home.select_one(".periods p"))
        assert "7 days to 2026-11-01, for no agent did anything since; what you did counts since then too" in said
        assert "The buoys are counted in may" in text_of(home.select_one("#changed"))
        assert "to 2026-11-01 and since" in text_of(home.select_one("#changed h2"))
        people = soup(await datasette.client.get("/-/memory/recalls?who=people"))
        assert "what people asked counts since then too" in text_of(people.select_one(".periods p"))
        assert "when are the buoys counted?" in text_of(people.select_one("table.recalls"))
        costs = soup(await datasette.client.get("/-/memory/economics"))
        assert "since then too" not in text_of(costs.select_one(".periods p")), "nothing of people's is there"


async def test_recalls_of_a_calendar_week_end_with_it(server: Any) -> None:
    week = (await server.client.get("/-/memory/recalls.json?period=2026-W43&who=all")).json()
    assert all("2026-10-19" <= each["asked_at"] < "2026-10-26" for each in week["recalls"])
    assert week["counts"]["all"] == len(week["recalls"])
    assert (await server.client.get("/-/memory/recalls.json?period=all&who=all")).json()["counts"]["all"] > 10


async def test_the_costs_of_a_calendar_week_are_those_from_monday_to_sunday(server: Any) -> None:
    week = (await server.client.get("/-/memory/economics.json?period=2026-W42")).json()
    days = (await server.client.get("/-/memory/economics.json?from=2026-10-12&to=2026-10-18")).json()
    assert (week["span"]["since"], week["span"]["until"]) == ("2026-10-12", "2026-10-18")
    assert week["total"] == days["total"] and week["total"]["calls"] and week["by_session"] == days["by_session"]


COOKIE = {periods.COOKIE: "30"}


@pytest.mark.parametrize("word", ["8", "tomorrow", "2999-01-01"])
async def test_what_is_no_period_is_refused_in_one_line_and_not_kept(server: Any, word: str) -> None:
    for path in PAGES:
        refused = await server.client.get(f"{path}?period={word}")
        assert refused.status_code == 400 and periods.COOKIE not in refused.headers.get("set-cookie", ""), path


async def test_programs_see_the_period_too(server: Any) -> None:
    for path in ("/-/memory.json", "/-/memory/health.json", "/-/memory/recalls.json"):
        data = (await server.client.get(f"{path}?period=2026-10-01")).json()
        assert data["period"]["first_day"] == "2026-10-01" and data["period"]["name"] == "since 2026-10-01"


@given(st.dictionaries(st.sampled_from([periods.COOKIE, "other"]), st.text(max_size=12)))
def test_only_a_cookie_that_names_a_period_counts(cookies: Mapping[str, str]) -> None:
    found = periods.with_chosen({}, cookies)
    assert not found or periods.WORD.fullmatch(found["period"][0])
    assert periods.with_chosen({"period": ["7"]}, cookies) == {"period": ["7"]}


@pytest.mark.slow
async def test_one_form_chooses_project_and_period_and_keeps_the_other(server: Any) -> None:
    """A form sends an empty day with the period that holds, and the day comes first where there is one."""
    page = soup(await server.client.get("/-/memory/economics?period=30"))
    [form] = [each for each in page.select("main form") if each.select_one("select[name=project]")]
    sent = [(each["name"], each.get("value", "")) for each in form.select("input")]
    assert sent == [("period", ""), ("period", "30")]
    kept = await server.client.get("/-/memory/economics?period=&period=30&project=tidepool")
    assert text_of(soup(kept).select_one(".periods a[aria-current]")) == "30 days" and "in tidepool" in kept.text
    day = await server.client.get("/-/memory/economics.json?period=2026-10-01&period=30")
    assert day.json()["span"]["since"] == "2026-10-01"
    ends = soup(await server.client.get("/-/memory/economics?from=2026-10-01&to=2026-10-20"))
    assert [each["value"] for each in ends.select(".periods input[type=date]")] == ["2026-10-01", "2026-10-20"]
