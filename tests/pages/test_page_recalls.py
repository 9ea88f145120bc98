"""The list of recalls: narrowed by words, project, surface and outcome, in pages, and as CSV."""

from __future__ import annotations

import csv
import io
import sqlite3
from datetime import datetime
from typing import Any

import pytest

from memory_db.errors import InputError, NotFoundError
from memory_db.pages.lists import recalls
from tests.support.in_process import one, soup, text_of

HERE = "/-/memory/recalls"


def uids(db: sqlite3.Connection, now: datetime, **fields: str) -> set[str]:
    data = recalls.listed(db, {name: [value] for name, value in {"period": "all", "who": "all", **fields}.items()}, now)
    assert data["total"] == data["counts"]["all"] == len(data["recalls"])
    return {row["uid"] for row in data["recalls"]}


def known(db: sqlite3.Connection, where: str, *values: object) -> set[str]:
    return {row[0] for row in db.execute(f"select uid from recalls r where {where}", values)}


def test_each_choice_lists_what_it_says(sample_db: sqlite3.Connection, now: datetime) -> None:
    every = uids(sample_db, now)
    assert every == known(sample_db, "true") and len(every) > 10
    assert uids(sample_db, now, outcome="silent") == known(sample_db, "abstained") != every
    assert uids(sample_db, now, outcome="shown") == every - known(sample_db, "abstained")
    assert uids(sample_db, now, surface="session-start") == known(sample_db, "surface = 'session-start'") != set()
    sql = "project_id = (select id from projects where name = 'tidepool')"
    assert uids(sample_db, now, project="tidepool") == known(sample_db, sql) != set()


def test_words_are_sought_in_what_was_asked_and_in_what_was_shown(sample_db: sqlite3.Connection, now: datetime) -> None:
    asked = one(sample_db, "select query from recalls where surface = 'hook' and length(query) > 20 limit 1")
    assert known(sample_db, "query = ?", asked) <= uids(sample_db, now, q=asked.upper())
    shown = one(sample_db, "select shown_text from recalls where surface = 'session-start' limit 1").splitlines()[3]
    assert known(sample_db, "instr(shown_text, ?)", shown) <= uids(sample_db, now, q=shown)
    assert uids(sample_db, now, q="zebra quantum") == set()
    assert uids(sample_db, now, q="100%_") == set()


def test_what_cannot_be_chosen_is_said(sample_db: sqlite3.Connection, now: datetime) -> None:
    for fields, words in (
        ({"outcome": "x"}, "No outcome 'x'"), ({"page": "0"}, "page '0'"), ({"page": "99"}, "no page 99"),
        ({"project": "nowhere"}, "nowhere"), ({"who": "me"}, "who='me'"),
    ):  # fmt: skip
        with pytest.raises((InputError, NotFoundError), match=words):
            uids(sample_db, now, **fields)


def test_pages_have_each_recall_once(
    sample_db: sqlite3.Connection, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recalls, "LISTED", 7)
    every, fields = known(sample_db, "true"), {"period": ["all"], "who": ["all"]}
    pages = -(-len(every) // 7)
    listed = [
        row["uid"]
        for page in range(1, pages + 1)
        for row in recalls.listed(sample_db, {**fields, "page": [str(page)]}, now, most=7)["recalls"]
    ]
    assert pages > 2 and len(listed) == len(set(listed)) == len(every)


async def test_the_page_keeps_what_was_chosen(server: Any, sample_db: sqlite3.Connection) -> None:
    page = soup(await server.client.get(f"{HERE}?period=all&q=api&outcome=shown"))
    assert page.select("table.recalls tbody tr")
    links = [a["href"] for a in page.select(".spans a[href*=who]")]
    assert links and all("q=api" in link and "outcome=shown" in link and "period=all" in link for link in links)
    address = next(a["href"] for a in page.select("main a[href]") if a.get_text().startswith("CSV"))
    table = list(csv.DictReader(io.StringIO((await server.client.get(address)).text)))
    assert len(table) == len(page.select("table.recalls tbody tr"))
    session = one(sample_db, "select session_uid from recalls where session_uid is not null limit 1")
    own = soup(await server.client.get(f"{HERE}?session={session}&q=zebra"))
    assert not own.select("table.recalls tbody tr") and "that match" in own.get_text()


async def test_prompts_that_a_hook_skipped_are_told_with_the_reason(server: Any, sample_db: sqlite3.Connection) -> None:
    session, count = sample_db.execute(
        "select session_uid, count(*) from hook_runs where hook = 'user-prompt' and outcome = 'skipped' group by 1"
        " order by 2 desc"
    ).fetchone()
    every = one(sample_db, "select count(*) from hook_runs where hook = 'user-prompt' and outcome = 'skipped'")
    assert every >= count > 1
    for path, number in ((f"{HERE}?session={session}", count), (f"/-/memory/sessions/{session}", count),
                         (f"{HERE}?period=all", every)):  # fmt: skip
        assert f"{number} prompts skipped: an acknowledgement (" in text_of(soup(await server.client.get(path))), path
    assert "skipped:" not in text_of(soup(await server.client.get(f"{HERE}?period=all&q=postgres")))


async def test_a_session_without_recalls_says_why(server: Any, sample_db: sqlite3.Connection) -> None:
    uid = one(sample_db, "select uid from sessions s where not exists (select 1 from recalls where session_uid = s.uid)"
                         " and not exists (select 1 from hook_runs where session_uid = s.uid) limit 1")  # fmt: skip
    facts = soup(await server.client.get(f"/-/memory/sessions/{uid}")).select_one("dl.facts")
    assert "Recallsnone: no hook of memory-db ran in it" in text_of(facts)


async def test_a_memory_offers_the_latest_recalls_that_did_not_show_it(
    server: Any, sample_db: sqlite3.Connection
) -> None:
    uid = one(sample_db, "select uid from memories where status = 'active' limit 1")
    form = soup(await server.client.get(f"/-/memory/memories/{uid}")).select_one("form.why-not-form")
    offered = [each["value"] for each in form.select("select[name=recall] option")]
    assert offered and all(text_of(each) for each in form.select("option"))
    told = soup(await server.client.get(f"/-/memory/memories/{uid}?recall={offered[0]}"))
    assert told.select_one("#why-not .verdict-words")


async def test_sessions_without_a_hook_are_told_as_why_they_have_no_recall(server: Any, sample_db: Any) -> None:
    autumn = "period=2026-08-01"
    data = (await server.client.get(f"/-/memory/recalls.json?{autumn}")).json()
    days = {name: data["period"][name] for name in ("since", "until")}
    counted = sample_db.execute(
        "select count(distinct s.id) from sessions s join entries e on e.session_id = s.id where s.agent is null"
        " and s.parent_session_id is null and e.created_at >= :since and e.created_at < :until"
        " and s.uid not in (select session_uid from hook_runs where session_uid is not null)", days,
    ).fetchone()[0]  # fmt: skip
    assert data["unhooked"] == counted > 1
    page = (await server.client.get(f"/-/memory/recalls?{autumn}")).text
    assert f"In {counted} sessions of these days no hook of memory-db ran" in page
    for asked in (f"{autumn}&who=people", f"{autumn}&q=tests", "period=all"):
        assert (await server.client.get(f"/-/memory/recalls.json?{asked}")).json()["unhooked"] == 0
