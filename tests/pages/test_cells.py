"""Ids in tables, on rows and in what queries give are links to the pages of what they name."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.pages.web.cells import all_named, named, target
from tests.support.in_process import one, soup, text_of

pytestmark = pytest.mark.pages


async def get(server: Any, path: str) -> Any:
    """A page, wherever this line of Datasette has it."""
    return await server.client.get(path, follow_redirects=True)


@pytest.mark.parametrize(
    ("value", "column", "table", "what"),
    [
        ("m93dfb880", "anything", None, "memory"),
        ({"value": 7, "label": "Use tabs"}, "memory_id", "evidence", "memory"),
        ("3f0c", "uid", "sessions", "session"),
        ("3f0c", "session_uid", None, "session"),
        ("3f0c", "uid", "entries", "entry"),
        (12, "entry_id", "memory_sources", "entry"),
        (12, "recall_id", "hits", "recall"),
        ("r1cd9f6fb", "recall", None, "recall"),
        (3, "project_id", "sessions", "project"),
        ({"value": 3, "label": "tidepool"}, "project_id", "memories", "project"),
        ("tidepool", "project", None, "project"),
        (3, "profile_id", "recalls", "profile"),
        ("keyword_only", "profile", None, "profile"),
        (7, "job_id", "dead_jobs", "job"),
        ("3f0c", "uid", "candidates", ""),
        (12, "id", "memories", ""),
        ("mellow", "text", None, ""),
        (None, "session_uid", None, ""),
        ("", "session_uid", None, ""),
        (True, "recall_id", "hits", ""),
        ("x" * 500, "session_uid", None, ""),
        (b"m93dfb880", "uid", "memories", ""),
    ],
)
def test_what_a_value_names(value: object, column: str, table: str | None, what: str) -> None:
    found = named(value, column, table)
    assert (found.what if found else "") == what


@given(
    st.one_of(st.none(), st.integers(), st.text(), st.binary(), st.floats(), st.dictionaries(st.text(), st.text())),
    st.sampled_from(["uid", "session_uid", "memory_id", "recall", "text"]),
    st.sampled_from([None, "memories", "sessions"]),
)
def test_whatever_a_cell_holds_it_names_one_thing_or_nothing(value: object, column: str, table: str | None) -> None:
    assert len(all_named(value, column, table)) <= 1


@pytest.mark.slow
async def test_tables_rows_and_queries_lead_to_our_pages(server: Any, sample_db: sqlite3.Connection) -> None:
    for path in (
        "/sample/memories", "/sample/current_memories", "/sample/evidence", "/sample/memories/1", "/sample/hits",
        "/sample/session_summaries", "/sample/profile_weights", "/sample/entries", "/sample/recalls",
        "/sample/what_did_i_correct_most",
        "/sample/what_was_a_session_shown", "/sample?sql=select+uid+from+memories+limit+3",
    ):  # fmt: skip
        links = soup(await get(server, path)).select("table td a[title]")
        ours = sorted({link["href"] for link in links if link["href"].startswith("/-/memory/")})
        assert ours, path
        assert all(link["title"].strip() and text_of(link) for link in links), path
        for href in ours[:2]:
            assert (await server.client.get(href.partition("#")[0])).status_code == 200, href


async def test_several_sessions_are_told_apart_by_their_titles(server: Any, sample_db: sqlite3.Connection) -> None:
    known = sample_db.execute("select uid, title from sessions where title <> '' order by id limit 2").fetchall()
    sql = f"select+'{','.join(row['uid'] for row in known)}'+as+session_uids"
    found = soup(await get(server, f"/sample?sql={sql}")).select("table.rows-and-columns tbody td a")
    assert [link["title"] for link in found] == [row["title"] for row in known]
    for link, row in zip(found, known, strict=True):
        assert text_of(link).rstrip("….") and row["title"].startswith(text_of(link).rstrip("…."))


@pytest.mark.slow
async def test_a_job_leads_to_what_became_of_it(server: Any, sample_db: sqlite3.Connection) -> None:
    number = one(sample_db, "select min(id) from jobs")
    [cell] = soup(await get(server, f"/sample?sql=select+id+as+job_id+from+jobs+where+id={number}")).select("td a")
    there = soup(await server.client.get(cell["href"].partition("#")[0]))
    assert f"Job {number}" in text_of(there.select_one("#jobs"))
    gone = await server.client.get("/-/memory/health.json?job=987654")
    assert gone.status_code == 404 and "987654" in gone.json()["error"]


async def test_several_uids_are_several_links_and_unknown_ones_none(server: Any, sample_db: sqlite3.Connection) -> None:
    known = one(sample_db, "select uid from memories")
    sql = f"select+'{known},m00000000'+as+uids,+'m00000000'+as+other"
    cells = soup(await get(server, f"/sample?sql={sql}")).select("table.rows-and-columns tbody td")
    assert [text_of(cell) for cell in cells] == [f"{known}, m00000000", "m00000000"]
    assert [link["href"] for cell in cells for link in cell.select("a")] == [f"/-/memory/memories/{known}"]


async def test_memories_that_are_alike_are_told_by_their_titles(server: Any, sample_db: sqlite3.Connection) -> None:
    both = sample_db.execute("select uid, kind, title from memories order by id limit 2").fetchall()
    sql = f"select+'{both[0]['uid']},{both[1]['uid']}'+as+uids_alike"
    [cell] = soup(await get(server, f"/sample?sql={sql}")).select("table.rows-and-columns tbody td")
    assert [text_of(link) for link in cell.select("a")] == [f"{row['kind']}: {row['title']}" for row in both]


@pytest.mark.slow
async def test_what_a_link_says_is_made_visible(server: Any, served_file: Path, sample_db: sqlite3.Connection) -> None:
    uid = one(sample_db, "select uid from memories")
    with sample_db:
        sample_db.execute("update memories set title = ? where uid = ?", ["<b>\x1b[31m\u202ered", uid])
    found = target(served_file, named(uid, "uid", "memories"))
    assert found and "\x1b" not in found.about and "\u202e" not in found.about
    cells = soup(await get(server, f"/sample/memories?uid={uid}")).select("td")
    shown = " ".join(map(text_of, cells))
    assert not {"\x1b", "\u202e"} & set(shown) and "<b>␛[31m" in shown
    cells = soup(await get(server, "/sample?sql=select+char(27,+8238,+60)+as+a")).select("table.rows-and-columns td")
    assert [text_of(cell) for cell in cells] == ["␛⟨U+202E⟩<"]


@pytest.mark.slow
async def test_an_entry_has_an_address_and_is_marked(server: Any, sample_db: sqlite3.Connection) -> None:
    number, uid = sample_db.execute("select id, uid from entries where kind = 'prompt' limit 1").fetchone()
    for key in (number, uid):
        page = soup(await server.client.get(f"/-/memory/entries/{key}"))
        assert [entry["id"] for entry in page.select(".said.named")] == [f"entry-{uid}"]
    assert (await server.client.get("/-/memory/entries/nothing")).status_code == 404
    assert (await server.client.get("/-/memory/entries/99999999999999999999")).status_code == 404


@pytest.mark.slow
async def test_our_head_is_on_pages_of_datasette(server: Any) -> None:
    for path in ("/sample", "/sample/memories", "/sample/memories/1", "/sample/what_did_i_correct_most"):
        head = soup(await server.client.get(path)).select_one("header .memory-nav")
        assert [text_of(link) for link in head.select("a")][:3] == ["memory-db", "Ask", "Memories"], path
        assert text_of(head.select_one("[aria-current]")) == "Tables"


async def test_a_ready_question_is_called_by_its_name_and_folds_its_sql(server: Any) -> None:
    page = soup(await server.client.get("/sample/what_did_i_correct_most"))
    assert page.title.get_text() == "What did I correct most?: sample"
    assert not page.select("textarea, pre#sql-query") and page.select("h3 a[href*=_show_sql]")
    own = soup(await server.client.get("/sample?sql=select+1", follow_redirects=True))
    assert own.title.get_text() == "sample: select 1" and own.select("textarea")
