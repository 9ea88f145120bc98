"""From each page the queries that made it, each to be run again; the page of the file's tables, by what they are."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from memory_db.pages.web import compat
from memory_db.pages.web.file_tables import NAMED, THERE
from memory_db.store.connection import connect
from tests.support.in_process import one, signed_in, soup, text_of
from tests.support.page_routes import routes

pytestmark = pytest.mark.pages

NOT_TOLD = ("/-/memory/sql", "/-/memory/tokens", "/-/memory/notebooks", "/-/memory/words")


async def get(server: Any, path: str) -> Any:
    return await server.client.get(path, cookies=signed_in(server), follow_redirects=True)


@pytest.mark.slow
async def test_every_page_leads_to_queries_that_run(server: Any, sample_path: Path) -> None:
    with closing(connect(sample_path)) as db:
        paths = [route.path for route in routes(db) if route.as_page()]
    told = 0
    for path in paths:
        answer = await get(server, path)
        links = [each["href"] for each in soup(answer).select("a[href^='/-/memory/sql?of=']")]
        if answer.status_code != 200 or path.startswith(NOT_TOLD) or path.endswith("/preview"):
            assert not links, path
            continue
        assert links == [f"/-/memory/sql?of={quote(path, safe='/')}"] or "?" in path, path
        data = (await get(server, links[0].replace("/sql?", "/sql.json?"))).json()
        assert data["of"] == path and all(each["times"] for each in data["ran"]), path
        told += len(data["ran"])
    assert told > 100


@pytest.mark.slow
async def test_a_query_gives_the_rows_of_its_page(server: Any, sample_db: sqlite3.Connection) -> None:
    before = one(sample_db, "select count(*) from recalls")
    data = (await get(server, "/-/memory/sql.json?of=" + quote("/-/memory/projects/tidepool"))).json()
    kinds = next(each["sql"] for each in data["ran"] if "group by kind" in each["sql"])
    shown = (await get(server, "/-/memory/projects/tidepool.json")).json()
    assert [dict(row) for row in sample_db.execute(kinds)] == shown["kinds"]
    page = soup(await get(server, "/-/memory/sql?of=" + quote("/-/memory/projects/tidepool")))
    link = next(each["href"] for each in page.select(".behind a") if "group+by+kind" in each["href"])
    assert soup(await get(server, link)).select("table.rows-and-columns tbody tr")
    await get(server, "/-/memory/sql?of=" + quote("/-/memory/recall?q=which port has postgres"))
    assert one(sample_db, "select count(*) from recalls") == before


@pytest.mark.parametrize("path", ["/nowhere", "/-/memory/tokens", "/-/memory/sql?of=/", "https://example.org/"])
async def test_what_is_no_page_of_ours_is_refused(server: Any, path: str) -> None:
    answer = await get(server, "/-/memory/sql.json?of=" + quote(path))
    assert answer.status_code == 404 and "is no page whose SQL" in answer.json()["error"]


@pytest.mark.slow
async def test_the_files_own_page_is_by_what_tables_are(server: Any, sample_db: sqlite3.Connection) -> None:
    page = soup(await get(server, "/sample"))
    assert text_of(page.select_one("h2")).startswith("Yours")
    folded = page.select_one("#the-machine").find_parent("section").select_one("details")
    assert folded and not folded.has_attr("open") and folded.select("a[href$='/static_vectors']")
    there = {row["name"] for row in sample_db.execute(THERE)}
    assert {name for names in NAMED.values() for name in names} <= there
    listed = [text_of(each) for each in page.select(".tables a")]
    assert sorted(listed) == sorted(there)
    rows = page.select_one(".tables a[href$='/memories']").find_parent("li")
    assert f"{one(sample_db, 'select count(*) from memories')} rows" in text_of(rows)
    theirs = await get(server, "/sample?_show_hidden=1")
    assert not soup(theirs).select(".tables") and theirs.status_code == 200
    query = compat.sql_url(server, "sample", "select 7 as n")
    assert text_of(soup(await get(server, query)).select_one("table.rows-and-columns td")) == "7"
    assert (await get(server, "/sample.json")).status_code == 200
