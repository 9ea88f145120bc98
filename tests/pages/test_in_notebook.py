"""Open in a notebook: tables, ready questions, SQL and questions as .ipynb that run on the same file."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.pages.web.in_notebook import asked, file_name, parameters_of
from tests.support.in_process import soup

pytestmark = pytest.mark.pages


async def notebook(server: Any, path: str) -> tuple[dict[str, Any], list[str]]:
    """A notebook that the server gives, and the sources of its code cells."""
    response = await server.client.get(path, follow_redirects=True)
    assert response.status_code == 200, response.text[:300]
    assert response.headers["content-type"].startswith("application/x-ipynb+json")
    assert response.headers["content-disposition"].startswith("attachment; filename=")
    found = json.loads(response.text)
    return found, [cell["source"] for cell in found["cells"] if cell["cell_type"] == "code"]


def rows_of(cells: list[str], db: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """What the cells with values and SQL give, as `%%memory` runs them."""
    values: dict[str, Any] = {}
    for cell in cells[1:-1]:
        exec(cell, {}, values)
    head, _, sql = cells[-1].partition("\n")
    assert head == "%%memory --output rows"
    return [tuple(row) for row in db.execute(sql, values)]


async def test_a_ready_question_with_its_value(server: Any, sample_db: sqlite3.Connection, sample_path: Path) -> None:
    found, cells = await notebook(server, "/sample/what_was_true_on_this_day.ipynb?day=2026-10-01")
    assert f"connect({str(sample_path)!r})" in cells[0] and "links_to('http://localhost')" in cells[0]
    assert cells[1] == "day = '2026-10-01'"
    listed = (await server.client.get("/sample/what_was_true_on_this_day.json?day=2026-10-01&_shape=array")).json()
    assert len(rows_of(cells, sample_db)) == len(listed) > 0
    words = found["cells"][0]["source"]
    assert words.startswith("# What was true on this day?")
    assert "](http://localhost/sample/what_was_true_on_this_day?day=2026-10-01)" in words


async def test_a_table_as_it_was_filtered_without_its_pages(server: Any, sample_db: sqlite3.Connection) -> None:
    _, cells = await notebook(server, "/sample/memories.ipynb?kind=decision&_sort_desc=id&_size=1&_labels=on")
    kept = [row[0] for row in rows_of(cells, sample_db)]
    wanted = [row[0] for row in sample_db.execute("select id from memories where kind = 'decision' order by id desc")]
    assert kept == wanted and len(wanted) > 1


async def test_sql_of_ones_own(server: Any, sample_db: sqlite3.Connection) -> None:
    path = "/sample.ipynb?sql=select+:n+as+n"
    response = await server.client.get(f"{path}&n=it's", follow_redirects=True)
    if response.status_code == 404:
        path = "/sample/-/query.ipynb?sql=select+:n+as+n"
    _, cells = await notebook(server, f"{path}&n=it's")
    assert rows_of(cells, sample_db) == [("it's",)]


@pytest.mark.slow
async def test_pages_lead_to_their_notebook(server: Any) -> None:
    for path in ("/sample/memories", "/sample/what_did_i_correct_most", "/-/memory/recall?q=how+do+we+run+the+tests"):
        page = soup(await server.client.get(path, follow_redirects=True))
        hrefs = [link["href"] for link in page.select("a[href]") if ".ipynb" in link["href"]]
        assert hrefs, path
        await notebook(server, hrefs[0])
    page = soup(await server.client.get("/sample/memories/1", follow_redirects=True))
    assert not [link for link in page.select("a[href]") if ".ipynb" in link["href"]]


async def test_a_question_asks_itself_again(server: Any) -> None:
    _, cells = await notebook(server, "/-/memory/recall.ipynb?q=it's+5433&project=tidepool&limit=3")
    assert cells[1].startswith("found = recall(\"it's 5433\", project='tidepool', limit=3, everything=True)")
    refused = await server.client.get("/-/memory/recall.ipynb?q=x", cookies={})
    assert refused.status_code in (401, 403) and "cells" not in refused.text


@given(st.text(max_size=40), st.text(max_size=20))
@pytest.mark.slow
def test_no_address_brings_code(question: str, project: str) -> None:
    made = json.loads("".join(asked(Path("/m.db"), {"q": [question], "project": [project]}, "http://localhost")))
    first = next(cell["source"] for cell in made["cells"] if "recall(" in cell["source"] and "found" in cell["source"])
    calls: list[tuple[Any, ...]] = []

    class Found(dict[str, Any]):
        def notna(self) -> str:
            return "rank"

        def __missing__(self, name: object) -> Any:
            return self

    def recall(*given: Any, **named: Any) -> Found:
        calls.append((*given, named.get("project")))
        return Found()

    exec(first, {"recall": recall})
    assert calls == [(question, project.strip() or None)]
    assert made["cells"][0]["source"].count("\n# ") == 0


@given(st.text())
def test_names_of_files_are_plain(title: str) -> None:
    assert file_name(title).removesuffix(".ipynb").replace("_", "a").isalnum()


def test_parameters_are_found_outside_of_texts() -> None:
    sql = "select ':no', \":no\", :yes, a.b -- :no\n/* :no */ from t where x = :also and y = :yes"
    assert parameters_of(sql) == ["yes", "also"]
