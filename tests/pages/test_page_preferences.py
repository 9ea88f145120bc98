"""The page of the preferences."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memory_db.gate.contradictions.pairs import open_contradiction
from tests.pages.test_page_timeline import remember
from tests.pages.test_pages import PAYLOADS, fill
from tests.support.in_process import guest, served, signed_in, soup, started

pytestmark = pytest.mark.slow


@pytest.fixture
async def sample(sample_path: Path) -> AsyncIterator[Any]:
    async with served(sample_path) as datasette:
        yield datasette


def everything(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for tier in data["tiers"] for each in tier["preferences"]]


async def test_an_empty_file_says_how_preferences_come_about(db: sqlite3.Connection, db_path: Path) -> None:
    datasette = await started(db_path)
    response = await datasette.client.get("/-/memory/preferences")
    assert response.status_code == 200 and "memory-db add --kind preference" in response.text
    assert not soup(response).select(".preferences")
    data = (await datasette.client.get("/-/memory/preferences.json")).json()
    assert data["count"] == 0 and [tier["count"] for tier in data["tiers"]] == [0, 0, 0]


async def test_the_page_says_what_the_view_says(sample: Any, sample_db: sqlite3.Connection) -> None:
    known = {row["uid"]: row for row in sample_db.execute("select * from preferences")}
    counts = dict(sample_db.execute("select tier, count(*) from preferences group by tier").fetchall())
    data = (await sample.client.get("/-/memory/preferences.json")).json()
    assert {tier["name"]: tier["count"] for tier in data["tiers"] if tier["count"]} == counts
    assert data["count"] == len(known)
    shown: dict[str, dict[str, Any]] = {}
    for tier in counts:
        page = (await sample.client.get(f"/-/memory/preferences.json?tier={tier}")).json()
        assert [each["tier"] for each in page["tiers"][0]["preferences"]] == [tier] * counts[tier]
        given = [each["times_given"] for each in everything(page)]
        assert given == sorted(given, reverse=True)
        shown |= {each["uid"]: each for each in everything(page)}
    assert set(shown) == set(known)
    for uid, each in shown.items():
        assert round(each["confidence"], 3) == known[uid]["confidence"] and each["reason"] == known[uid]["reason"]
        assert (each["times_given"], each["last_given_at"]) == (known[uid]["times_given"], known[uid]["last_given_at"])
    speakers = {each["quote"]["said_by"] for each in shown.values() if each["quote"]}
    assert {"you", "you, when you rejected a tool"} <= speakers and "tool" not in speakers
    found = soup(await sample.client.get("/-/memory/preferences"))
    assert len(found.select(".preferences .belief")) == len(everything(data))
    for link in found.select(".preferences a[href]")[:12]:
        assert (await sample.client.get(link["href"].partition("#")[0])).status_code == 200


async def test_what_holds_in_a_project(sample: Any, sample_db: sqlite3.Connection) -> None:
    project, own = sample_db.execute(
        "select project, count(*) from preferences where scope = 'project' group by 1 order by 2 desc limit 1"
    ).fetchone()
    everywhere = sample_db.execute("select count(*) from preferences where scope = 'user'").fetchone()[0]
    data = (await sample.client.get(f"/-/memory/preferences.json?project={project}")).json()
    assert data["count"] == own + everywhere
    assert {each["project"] for each in everything(data) if each["scope"] == "project"} == {project}


async def test_what_contradicts_is_marked(sample: Any, sample_db: sqlite3.Connection, now: datetime) -> None:
    said = sample_db.execute("select memory_id from preferences where tier = 'signals' limit 2").fetchall()
    one, other = [row[0] for row in said]
    uids = [sample_db.execute("select uid from memories where id = ?", [each]).fetchone()[0] for each in (one, other)]
    open_contradiction(sample_db, one, other, found_by="user", reason="not both", score=0.9, now=now)
    data = (await sample.client.get("/-/memory/preferences.json?tier=signals")).json()
    marked = {each["uid"]: [by["uid"] for by in each["contradicted_by"]] for each in everything(data)}
    assert uids[1] in marked[uids[0]] and uids[0] in marked[uids[1]]
    found = soup(await sample.client.get("/-/memory/preferences?tier=signals"))
    assert len(found.select("li.opposed")) >= 2 and found.select_one(".contradicted")


async def test_who_may_write_can_confirm_and_retire(sample: Any, sample_db: sqlite3.Connection) -> None:
    read = await sample.client.get("/-/memory/preferences", cookies=guest(sample))
    assert not soup(read).select("button[formaction]")
    page = soup(await sample.client.get("/-/memory/preferences?tier=signals", cookies=signed_in(sample)))
    confirm, retire = [button["formaction"] for button in page.select("li button[formaction]")[:2]]
    assert confirm.endswith("/confirm") and retire.endswith("/retire")
    assert page.select_one("form#acting input[name=csrftoken]")
    uid = confirm.split("/")[-2]
    headers = {"content-type": "application/json", "authorization": "Bearer of-a-plugin"}
    done = await sample.client.post(f"{confirm}.json", cookies=signed_in(sample), content="{}", headers=headers)
    assert done.status_code == 200, done.text
    tier = sample_db.execute("select tier from preferences where uid = ?", [uid]).fetchone()[0]
    assert tier == "explicit"
    data = (await sample.client.get("/-/memory/preferences.json?tier=explicit")).json()
    assert next(each for each in everything(data) if each["uid"] == uid)["confirmed_at"]


async def test_a_button_leads_back_to_where_it_was_pressed(sample: Any) -> None:
    response = await sample.client.get("/-/memory/preferences?tier=signals", cookies=signed_in(sample))
    button = soup(response).select_one("li button[formaction]")
    marker = soup(response).select_one("form#acting input[name=csrftoken]")
    assert button["name"] == "next" and button["value"].startswith("/-/memory/preferences?tier=signals#m")
    token, cookies = marker["value"], {**signed_in(sample), **dict(response.cookies)}
    done = await sample.client.post(
        button["formaction"], cookies=cookies, data={"csrftoken": token, "next": button["value"]}
    )
    assert done.status_code == 303 and done.headers["location"] == button["value"]


@pytest.mark.parametrize(
    "there",
    [
        "https://evil.example/", "//evil.example", "/\\evil.example", "/-/memory/preferences//evil",
        "javascript:alert(1)",
        "/-/memory/preferences?a\r\nset-cookie: b=c", "/-/memory/preferences/../../x", "/-/memory/preferences#a\nb",
        "/-/logout",
    ],
)  # fmt: skip
async def test_nothing_leads_to_another_site(sample: Any, sample_db: sqlite3.Connection, there: str) -> None:
    uid = sample_db.execute("select uid from preferences where tier = 'signals' limit 1").fetchone()[0]
    before = sample_db.execute("select count(*) from evidence").fetchone()[0]
    headers = {"content-type": "application/json", "authorization": "Bearer of-a-plugin"}
    refused = await sample.client.post(
        f"/-/memory/memories/{uid}/confirm.json", cookies=signed_in(sample), json={"next": there}, headers=headers
    )
    assert refused.status_code == 400 and "location" not in refused.headers
    assert sample_db.execute("select count(*) from evidence").fetchone()[0] == before


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("tier=loud", 400, "explicit, signals, inferred"),
        ("project=nope", 404, "No project"),
        ("page=2", 400, "belong to one tier"),
        ("tier=signals&page=0", 400, "No page"),
        ("tier=signals&page=99", 400, "no page 99"),
        ("tier=signals&page=x", 400, "No page"),
    ],
)
async def test_what_cannot_be_shown_is_said(sample: Any, query: str, status: int, words: str) -> None:
    for form in ("", ".json"):
        response = await sample.client.get(f"/-/memory/preferences{form}?{query}")
        assert response.status_code == status and words in response.text


async def test_texts_stay_texts(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    fill(db, now)
    db.execute("update memories set kind = 'preference'")
    first = db.execute("select id from memories where uid = 'm1'").fetchone()[0]
    for number, payload in enumerate(PAYLOADS.values()):
        entry = db.execute("select id from entries where text = ?", [payload]).fetchone()[0]
        memory = db.execute("select id from memories where title = ?", [payload]).fetchone()[0]
        db.execute(
            "insert into memory_sources (memory_id, entry_id, quote, created_at) values (?, ?, ?, 'x')",
            [memory, entry, payload],
        )
        open_contradiction(db, memory, first, found_by="user", reason=f"{payload} {number}", score=0.9, now=now)
    db.execute(
        "insert into portraits (kind, text, tokens, created_by, created_at) values ('user', ?, 9, 'x', ?)",
        [" ".join(PAYLOADS.values()), "2026-10-01T00:00:00.000Z"],
    )
    datasette = await started(db_path)
    response = await datasette.client.get("/-/memory/preferences")
    assert response.status_code == 200
    assert "<script>alert" not in response.text and "\x1b" not in response.text and "\u202e" not in response.text
    found = soup(response)
    assert not found.select(".memory img, .memory script") and len(found.select(".preferences q")) == len(PAYLOADS)
    assert not [each for each in found.select("a[href]") if each["href"].startswith("javascript")]
    assert PAYLOADS["template"] in found.select_one(".portrait pre").get_text()


async def test_a_big_file_keeps_the_page_small(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    remember(db, 1_500, now)
    db.execute("update memories set kind = 'preference', origin = iif(id % 3 = 0, 'user', origin)")
    datasette = await started(db_path)
    for query in ("", "?tier=explicit", "?tier=inferred", "?tier=inferred&page=17", "?project=shop"):
        response = await datasette.client.get(f"/-/memory/preferences{query}", cookies=signed_in(datasette))
        assert response.status_code == 200 and len(response.content) < 150_000, query
    data = (await datasette.client.get("/-/memory/preferences.json?tier=inferred&page=17")).json()
    assert data["count"] == 667 and data["pages"] == 17 and len(everything(data)) == 27
    assert set(data["turning"]) == {"before"}
