"""Every page on a file in which nothing stands yet: it is whole, has a JSON form, and says what to do."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup

PAGES = ["/", *(f"/-/memory/{name}" for name in (
    "recall", "memories", "sessions", "recalls", "compare", "review", "preferences", "timeline", "graph", "economics",
    "health", "settings", "tokens",
))]  # fmt: skip

COMMAND = re.compile(r"memory-db (run|index|add|serve|install|evaluate|file tokens|settings)")


@pytest.fixture
def served_file(db: sqlite3.Connection, db_path: Path) -> Path:
    return db_path


async def page_of(server: Any, path: str) -> BeautifulSoup:
    response = await server.client.get(path, cookies={"ds_actor": server.sign({"a": {"id": "root"}}, "actor")})
    assert response.status_code == 200
    main = BeautifulSoup(response.text, "html.parser").select_one("main")
    assert main is not None
    return main


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.slow
async def test_a_page_of_an_empty_file_says_what_to_do(server: Any, path: str) -> None:
    main = await page_of(server, path)
    assert COMMAND.search(" ".join(main.get_text(" ").split()))
    link = next(a["href"] for a in main.select("a[href]") if a.get_text() == "JSON")
    answer = await server.client.get(link, cookies={"ds_actor": server.sign({"a": {"id": "root"}}, "actor")})
    assert answer.status_code == 200 and isinstance(answer.json(), dict)


@pytest.mark.slow
async def test_a_question_to_an_empty_file_is_not_sent_to_other_words(server: Any) -> None:
    words = (await page_of(server, "/-/memory/recall?q=port")).get_text()
    assert "Nothing is imported yet" in words and "Try other words" not in words


@pytest.mark.slow
async def test_json_of_a_page_is_that_of_what_was_asked(server: Any) -> None:
    main = await page_of(server, "/-/memory/recall?q=which+port%3F&limit=3")
    link = next(a["href"] for a in main.select("a[href]") if a.get_text() == "JSON")
    asked = (await server.client.get(link)).json()["asked"]
    assert asked["q"] == "which port?" and str(asked["limit"]) == "3"
