"""Memories and sessions to browse: what a list counts is what it lists, and its address is the whole view."""

from __future__ import annotations

import csv
import io
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from memory_db.errors import InputError
from memory_db.pages import economics
from memory_db.pages.lists import memories as memory_list
from memory_db.pages.lists import sessions as session_list
from memory_db.pages.lists.facets import Facet, choices_of, narrow
from memory_db.pages.lists.shown import count_shown
from memory_db.pages.lists.tables import cell
from memory_db.recall.brief.select import ask
from memory_db.recall.search import Question
from memory_db.store.periods import BY_AGENTS
from memory_db.upkeep.forget import target as forgetting
from memory_db.upkeep.forget.run import forget
from tests.conftest import NOW
from tests.support.in_process import guest, soup, text_of

LISTS = {"memories": memory_list.memories, "sessions": session_list.sessions}


def asked(href: str) -> dict[str, list[str]]:
    return parse_qs(href.partition("?")[2])


@pytest.mark.parametrize("what", LISTS)
def test_every_count_is_what_its_link_lists(what: str, sample_file: Path) -> None:
    read = LISTS[what]
    data = read(sample_file, {"project": ["tidepool"]}, now=NOW)
    tried = 0
    for facet in data["facets"]:
        for value in facet["values"]:
            if not value["chosen"]:
                found = read(sample_file, asked(value["href"]), now=NOW)
                assert found["total"] == value["count"], (facet["name"], value)
                tried += 1
    assert tried > 12


@pytest.mark.parametrize("what", LISTS)
def test_portions_hold_each_row_once_and_every_order_lists_the_same(what: str, sample_file: Path) -> None:
    read = LISTS[what]
    orders = [each["value"] for each in read(sample_file, {}, now=NOW)["sorts"]]
    seen = []
    for order in orders:
        uids: list[str] = []
        fields = {"sort": [order], "limit": ["7"]}
        while fields:
            data = read(sample_file, fields, now=NOW)
            uids += [row["uid"] for row in data[what]]
            fields = asked(data["turning"].get("after", ""))
        assert len(uids) == len(set(uids)) == data["total"] > 20
        seen.append(uids)
    assert len({frozenset(each) for each in seen}) == 1
    assert len({tuple(each) for each in seen}) == len(orders)


def test_confidence_tier_and_use_are_those_of_the_views(sample_db: sqlite3.Connection, sample_path: Path) -> None:
    listed = {row[memory_list.ID]: row for row in memory_list.known(sample_path, NOW)}
    known = sample_db.execute(
        "select b.memory_id, b.confidence, b.tier, b.times_used, (select count(*) from hits h"
        " join memory_versions v on v.id = h.memory_version_id join recalls r on r.id = h.recall_id"
        f" where v.memory_id = b.memory_id and h.rank is not null and r.{BY_AGENTS}) as times_shown from beliefs b"
    ).fetchall()
    assert len(listed) == len(known) > 100
    for row in known:
        mine = listed[row["memory_id"]]
        assert mine[memory_list.CONFIDENCE] == pytest.approx(row["confidence"])
        assert (mine[memory_list.TIER], mine[memory_list.USED], mine[memory_list.SHOWN]) == tuple(row)[2:]
    assert {row[memory_list.USE] for row in listed.values()} == {"used", "shown", "never"}


def test_what_a_person_asks_shows_no_memory_to_an_agent(sample_db: sqlite3.Connection, sample_path: Path) -> None:
    uses = {row[memory_list.ID]: row[memory_list.USE] for row in memory_list.known(sample_path, NOW)}
    ask(sample_db, Question("which port has postgres"), surface="datasette", now=NOW)
    assert {row[memory_list.ID]: row[memory_list.USE] for row in memory_list.known(sample_path, NOW)} == uses
    ask(sample_db, Question("which port has postgres"), surface="mcp", now=NOW)
    assert {row[memory_list.ID]: row[memory_list.USE] for row in memory_list.known(sample_path, NOW)} != uses


def test_showings_are_counted_on_as_if_all_were_counted_anew(sample_db: sqlite3.Connection, sample_path: Path) -> None:
    def listed() -> dict[int, int]:
        return {row[memory_list.ID]: row[memory_list.SHOWN] for row in memory_list.known(sample_path, NOW)}

    before, times = count_shown(sample_db), listed()
    for turn, query in enumerate(("which port has postgres", "migrations", "how do we deploy")):
        ask(sample_db, Question(query), surface="hook", now=NOW + timedelta(minutes=turn))
        now = count_shown(sample_db, before)
        assert now.counts_on(before) and len(now.added) < 12
        assert now.times == count_shown(sample_db).times
        assert {memory: listed()[memory] - times[memory] for memory in now.added} == now.added
        before, times = now, listed()
    shown = sample_db.execute("select uid from memories where id = ?", [max(before.added)]).fetchone()["uid"]
    forget(sample_db, sample_path, forgetting.by_uid(sample_db, shown), now=NOW)
    now = count_shown(sample_db, before)
    assert not now.counts_on(before) and now.times == count_shown(sample_db).times
    assert {memory: times for memory, times in listed().items() if times} == now.times


def test_sessions_are_those_of_the_view(sample_db: sqlite3.Connection) -> None:
    listed = {row[session_list.ID]: row for row in session_list.read_all(sample_db, NOW)}
    for row in sample_db.execute("select * from session_summaries"):
        mine = listed[row["session_id"]]
        assert mine[session_list.ENTRIES] <= row["entries"]  # of entries that two sessions share, the first has them
        assert (mine[session_list.PROJECT], mine[session_list.ERRORS]) == (row["project"], row["errors"])
        assert mine[session_list.TOKENS] == (row["tokens"] or 0)


def test_words_find_what_has_them_all(sample_file: Path, sample_db: sqlite3.Connection) -> None:
    found = memory_list.memories(sample_file, {"q": ["tests database"]}, now=NOW)
    assert found["total"] > 0 and found["sort"] == "relevance"
    keys = dict(map(tuple, sample_db.execute("select uid, keys from memories")))
    for row in found["memories"]:
        words = f"{row['title']} {row['text']} {keys[row['uid']]}".casefold()
        assert "database" in words and "test" in words
    sessions = session_list.sessions(sample_file, {"q": ["alembic heads"]}, now=NOW)
    assert sessions["total"] > 0 and all(row["found"] and row["found_entry"] for row in sessions["sessions"])
    assert not memory_list.memories(sample_file, {"q": ["zebra quantum"]}, now=NOW)["memories"]


async def test_a_session_that_is_found_shows_what_has_the_words_and_leads_to_all(server: Any) -> None:
    page = soup(await server.client.get("/-/memory/sessions?q=requests"))
    for item in page.select("ul.rows .item"):
        excerpt = item.select_one(".excerpt")
        assert "request" in text_of(excerpt).lower()
        count, link = int(text_of(excerpt.select_one("a")).split()[0]), excerpt.select_one("a")["href"]
        listed = soup(await server.client.get(link.partition("#")[0]))
        assert ("?q=requests#outline" in link) == (count > 1)
        assert count == 1 or f"{count} entries have the words" in text_of(listed.select_one("#outline"))


def test_an_age_moves_on_with_the_day(sample_file: Path) -> None:
    def oldest(days: int) -> int:
        data = memory_list.memories(sample_file, {"age": ["older"]}, now=NOW + timedelta(days=days))
        return int(data["total"])

    assert oldest(0) == 0 < oldest(400)


@pytest.mark.parametrize(
    "field", ["kind=junk", "confidence=1", "sort=best", "limit=0", "offset=-1", "status=x", "foo=1"]
)
@pytest.mark.slow
async def test_what_cannot_be_chosen_is_told_in_a_line(server: Any, field: str) -> None:
    answer = await server.client.get(f"/-/memory/memories?{field}")
    assert answer.status_code in (400, 404) and len(text_of(soup(answer).select_one("[role=alert]"))) < 400


@pytest.mark.slow
async def test_a_view_is_a_link_and_a_csv(server: Any) -> None:
    page = soup(await server.client.get("/-/memory/memories?q=tests&project=tidepool&kind=correction&sort=confidence"))
    link = next(a["href"] for a in page.select(".chosen a") if a.get_text() == "link to this view")
    again = soup(await server.client.get(link))
    uids = [item["data-item"] for item in page.select(".rows .item")]
    assert uids and uids == [item["data-item"] for item in again.select(".rows .item")]
    address = next(a["href"] for a in page.select(".foot a") if a.get_text().startswith("CSV"))
    answer = await server.client.get(address)
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    table = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["uid"] for row in table] == uids and {row["project"] for row in table} == {"tidepool"}
    assert (await server.client.get(address, cookies={})).status_code in (401, 403)


@pytest.mark.slow
async def test_recalls_and_projects_are_tables_too(server: Any, sample_db: sqlite3.Connection) -> None:
    for path, sql in (
        ("/-/memory/recalls?period=all&who=all", "select uid from recalls order by id desc"),
        ("/-/memory/projects", "select name from projects order by name"),
    ):
        page = soup(await server.client.get(path))
        address = next(a["href"] for a in page.select("main a[href]") if a.get_text().startswith("CSV"))
        table = list(csv.DictReader(io.StringIO((await server.client.get(address)).text)))
        known = [row[0] for row in sample_db.execute(sql)]
        found = [row.get("uid") or row["name"] for row in table]
        assert found == known if "recalls" in path else sorted(found) == known
        assert (await server.client.get(address, cookies={})).status_code in (401, 403)


@pytest.mark.slow
async def test_what_is_decided_and_preferred_are_tables_too(server: Any, sample_db: sqlite3.Connection) -> None:
    for path, column, sql in (
        ("/-/memory/review", "item", "select item from review_queue where waits_for = 'a person'"),
        ("/-/memory/preferences?tier=signals", "uid", "select uid from preferences where tier = 'signals'"),
        ("/-/memory/preferences?tier=explicit", "uid", "select uid from preferences where tier = 'explicit'"),
    ):
        page = soup(await server.client.get(path))
        address = next(a["href"] for a in page.select("main a[href]") if a.get_text() == "CSV")
        table = list(csv.DictReader(io.StringIO((await server.client.get(address)).text)))
        assert sorted(row[column] for row in table) == sorted(row[0] for row in sample_db.execute(sql)) != []
        assert (await server.client.get(address, cookies={})).status_code in (401, 403)


@pytest.mark.slow
async def test_lists_that_are_tables_of_datasette_are_csv_too(server: Any, sample_db: sqlite3.Connection) -> None:
    session = sample_db.execute("select uid from session_summaries order by entries desc limit 1").fetchone()[0]
    memory = sample_db.execute("select uid from memories where id = 1").fetchone()[0]
    for path in (
        "/-/memory/timeline", "/-/memory/graph", f"/-/memory/graph/memory/{memory}", "/-/memory/economics?period=all",
        "/-/memory/recalls/1", f"/-/memory/sessions/{session}",
    ):  # fmt: skip
        page = soup(await server.client.get(path))
        address = next(a["href"] for a in page.select("main a[href]") if a.get_text() == "CSV")
        answer = await server.client.get(address)
        assert len(list(csv.DictReader(io.StringIO(answer.text)))) > 2, address


@pytest.mark.slow
async def test_the_menu_and_home_lead_to_the_lists(server: Any) -> None:
    page = soup(await server.client.get("/"))
    hrefs = {a["href"].partition("?")[0] for a in page.select("a[href]")}
    assert {"/-/memory/memories", "/-/memory/sessions"} <= hrefs


def test_no_cell_is_a_formula() -> None:
    assert [cell(text) for text in ('=HYPERLINK("x")', "+1", "@a", "-1", "plain", ["a", "b"], 5, None)] == [
        '\'=HYPERLINK("x")', "'+1", "'@a", "'-1", "plain", "a, b", 5, None,
    ]  # fmt: skip
    assert "\u202e" not in str(cell("a\u202eb"))


def test_a_facet_counts_what_its_own_choice_hides() -> None:
    facets = (Facet("one", "One", 0), Facet("other", "Other", 1, {"x": "x", "y": "y"}, "x"))
    rows = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "x")]
    chosen = choices_of({"one": ["a"]}, facets)
    found = narrow(rows, facets, chosen)
    assert found.rows == [("a", "x")]
    assert found.counts["one"] == {"a": 1, "b": 2} and found.counts["other"] == {"x": 1, "y": 1}
    assert choices_of({"other": ["any"]}, facets)["other"] == []


@pytest.mark.slow
async def test_many_are_changed_after_a_look_and_taken_back(server: Any, sample_db: sqlite3.Connection) -> None:
    listed = "project=tidepool&kind=environment"
    state = "select uid, kind, importance, lock_level from memories order by uid"
    before = [tuple(row) for row in sample_db.execute(state)]
    page = soup(await server.client.get(f"/-/memory/memories?{listed}"))
    uids = [item["value"] for item in page.select(".rows input[name=item]")]
    fields = f"{listed}&all=1&set_importance=1&add_tag=old,+stale"
    shown = soup(await server.client.get(f"/-/memory/memories/edit/preview?{fields}"))
    assert "importance: " in shown.get_text() and [tuple(row) for row in sample_db.execute(state)] == before
    form = {field["name"]: field["value"] for field in shown.select("form.doing input[name]")}
    form["item"] = [field["value"] for field in shown.select("form.doing input[name=item]")]
    assert set(form["item"]) <= set(uids)
    done = await server.client.post("/-/memory/memories/edit", data=form, cookies=signed(server, form))
    assert done.status_code == 303, done.text[:400]
    changed = soup(await server.client.get(done.headers["location"]))
    undo = {field["name"]: field["value"] for field in changed.select("form.undo-last input[name]")}
    stale = "select count(*) from tags where tag = 'stale'"
    assert sample_db.execute(stale).fetchone()[0] == len(form["item"]) > 3
    back = await server.client.post("/-/memory/review/undo", data=undo, cookies=signed(server, undo))
    assert back.headers["location"].startswith("/-/memory/memories?")
    assert [tuple(row) for row in sample_db.execute(state)] == before and not sample_db.execute(stale).fetchone()[0]


def signed(server: Any, form: dict[str, Any]) -> dict[str, str]:
    """The cookies of the signed-in visitor, with the token that the form has."""
    return {**server.client.cookies, "ds_csrftoken": str(form.get("csrftoken", ""))}


@pytest.mark.parametrize(
    "to", ["//evil.example", "/-/memory/memories/m1/retire", "/-/memory/memories?q=a#b", "http://a"]
)
async def test_undoing_leads_to_no_other_site(server: Any, to: str) -> None:
    answer = await server.client.post(
        "/-/memory/review/undo.json", json={"batch": "1", "to": to}, headers={"authorization": "Bearer of-a-plugin"},
        cookies=server.client.cookies,
    )  # fmt: skip
    assert answer.status_code == 400 and "to " in answer.json()["error"]


@pytest.mark.slow
async def test_who_may_not_write_sees_no_boxes_and_no_preview(server: Any) -> None:
    cookies = guest(server)
    page = soup(await server.client.get("/-/memory/memories", cookies=cookies))
    assert page.select(".rows .item") and not page.select("input[name=item]")
    answer = await server.client.get("/-/memory/memories/edit/preview?all=1&set_importance=1", cookies=cookies)
    assert answer.status_code == 403


def test_sessions_are_narrowed_to_the_days_from_and_to(sample_path: Path, now: datetime) -> None:
    found = session_list.sessions(sample_path, {"from": ["2026-10-13"], "to": ["2026-10-13"]}, now=now)
    assert [each["project"] for each in found["sessions"]] == ["quayside"]
    assert found["sessions"][0]["started_at"].startswith("2026-10-13") and "from=2026-10-13" in found["here"]
    assert not session_list.sessions(sample_path, {"from": ["2026-10-14"], "to": ["2026-10-15"]}, now=now)["total"]
    with pytest.raises(InputError, match="names no date"):
        session_list.sessions(sample_path, {"to": ["yesterweek"]}, now=now)


def test_calendar_weeks_lead_to_each_other(sample_path: Path, now: datetime) -> None:
    last_week = {"project": ["quayside"], "from": ["2026-10-19"], "to": ["2026-10-25"]}

    def weeks(fields: dict[str, list[str]]) -> dict[str, dict[str, Any]]:
        listed = session_list.sessions(sample_path, fields, now=now)["weeks"]
        assert [each["label"] for each in listed if each["is_shown"]] == (["last week"] if fields == last_week else [])
        return {week["label"]: asked(week["href"]) for week in listed}

    assert weeks({"project": ["quayside"]}) == {"last week": last_week}  # now is a Sunday
    shown = weeks(last_week)
    assert shown["week after"]["from"] == ["2026-10-26"]
    assert weeks(shown["week before"])["week after"] == last_week
    assert set(weeks(shown["week after"])) == {"last week", "week before"}, "the next week has not begun"
    for days in ({"from": ["2026-10-19"], "to": ["2026-10-24"]}, {"from": ["9999-12-27"]}, {"from": ["0001-01-01"]}):
        assert set(weeks(days)) == {"last week"}, days


def test_the_sessions_of_a_week_are_those_of_its_costs(sample_path: Path, sample_db: sqlite3.Connection) -> None:
    """Both have whole days, with today: a session of the evening before is in neither."""
    uid, ended = sample_db.execute(
        "select uid, ended_at from session_summaries order by ended_at desc limit 1"
    ).fetchone()
    for days, is_in in ((6, True), (7, False)):
        late = datetime.fromisoformat(ended).replace(hour=0, minute=1) + timedelta(days=days)
        since = economics.economics(sample_path, {"days": ["7"]}, now=late)["span"]["since"]
        found = session_list.sessions(sample_path, {"date": ["7"]}, now=late)["sessions"]
        assert (ended[:10] >= since, uid in [each["uid"] for each in found]) == (is_in, is_in), days
