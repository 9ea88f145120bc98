"""The notebooks that come with the package: read in the browser, kept so that they run on the file that is served."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from memory_db.pages.sixteen import QUESTIONS
from memory_db.pages.web.shelf import NOTEBOOKS
from tests.support.in_process import soup, text_of

HERE = "/-/memory/notebooks"


@pytest.mark.slow
async def test_all_are_listed_and_lead_to_their_pages(server: Any) -> None:
    page = soup(await server.client.get(HERE))
    links = [a for a in page.select("main ol a") if not a["href"].endswith(".ipynb")]
    assert [a["href"].rpartition("/")[2] for a in links] == sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb"))
    for link in links:
        shown = soup(await server.client.get(link["href"]))
        assert text_of(shown.select_one("h1")) == link.get_text() and shown.select("pre code")


@pytest.mark.slow
async def test_a_question_leads_to_its_cell(server: Any) -> None:
    rows = soup(await server.client.get("/-/memory/questions")).select("tbody tr")
    for row, each in zip(rows, QUESTIONS, strict=True):
        path, _, anchor = row.select("td:last-child a")[0]["href"].partition("#")
        cell = soup(await server.client.get(path)).find(id=anchor)
        assert cell.h2.get_text() == f"{each.key}: {each.question}"
        assert f'"{each.key}"' in cell.find_next_sibling("div").get_text()


async def test_one_that_is_kept_is_told_the_file(server: Any, sample_path: Path) -> None:
    path = f"{HERE}/10_sixteen_questions.ipynb"
    answer = await server.client.get(path)
    assert answer.headers["content-disposition"].startswith('attachment; filename="10_sixteen_questions-')
    cells = json.loads(answer.text)["cells"]
    codes = [cell for cell in cells if cell["cell_type"] == "code"]
    assert codes[0]["source"].startswith("import sys") and str(NOTEBOOKS) in codes[0]["source"]
    assert codes[1]["source"].startswith(f"database = {str(sample_path)!r}")
    assert not any(cell["outputs"] or cell["execution_count"] for cell in codes)
    assert "http://localhost/-/memory/notebooks/10_sixteen_questions" in cells[0]["source"]
    assert (await server.client.get(path, cookies={})).status_code in (401, 403)


@pytest.mark.slow
async def test_it_runs_where_it_is_kept(server: Any, sample_db: sqlite3.Connection) -> None:
    pytest.importorskip("altair")
    answer = await server.client.get(f"{HERE}/10_sixteen_questions.ipynb")
    codes = [cell["source"] for cell in json.loads(answer.text)["cells"] if cell["cell_type"] == "code"]
    names: dict[str, Any] = {}
    for code in codes[:3]:
        exec(code, names)
    found = names["first_rows"](names["db"], "C16")
    known = sample_db.execute("select count(*) from memories").fetchone()[0]
    assert len(found) > 0 and names["figure_of"](names["db"], QUESTIONS[-1])["number"] == known


@pytest.mark.parametrize("name", ["12_none", "..%2F..%2Fpyproject", "prepare", "%00"])
async def test_what_is_none_is_told_in_a_line(server: Any, name: str) -> None:
    for ending in ("", ".json", ".ipynb"):
        answer = await server.client.get(f"{HERE}/{name}{ending}", follow_redirects=True)
        assert answer.status_code in (400, 404) and len(answer.text) < 8_000, (name, ending)
