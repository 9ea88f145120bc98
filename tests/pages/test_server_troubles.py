"""What the server says where nothing is, where a method does nothing, and where the file cannot be used for a while."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memory_db.store import api_tokens
from memory_db.store.schema import open_database
from tests.support.in_process import made
from tests.support.patience import WAIT_S

pytestmark = pytest.mark.slow


@pytest.fixture
async def server(db: sqlite3.Connection, db_path: Path) -> AsyncIterator[Any]:
    datasette = made(db_path)
    await datasette.invoke_startup()
    yield datasette
    for database in datasette.databases.values():
        database.close()


@pytest.mark.parametrize("path", ["/a/b/c/d/e", "/-/memory/memories/m1/2/3", "/-/nope", "/nope"])
async def test_where_nothing_is_one_line_says_so(server: Any, path: str) -> None:
    page = await server.client.get(path)
    assert page.status_code == 404 and "Not found" in page.text and "Traceback" not in page.text
    answer = await server.client.get(f"{path}.json")
    said = answer.json()
    assert answer.status_code == said["status"] == 404 and said["ok"] is False
    assert said["error"] and "\n" not in said["error"] and said["error"] != "404"


@pytest.mark.parametrize("method", ["DELETE", "PUT", "PATCH"])
async def test_a_page_that_is_read_knows_no_other_method(
    server: Any, db: sqlite3.Connection, now: datetime, method: str
) -> None:
    headers = {"authorization": f"Bearer {api_tokens.add(db, 'ci', now=now)}"}
    answer = await server.client.request(method, "/-/memory/memories.json", headers=headers)
    assert answer.status_code == 405 and answer.json()["ok"] is False and "GET" in answer.json()["error"]


async def test_a_locked_file_is_asked_again(server: Any, db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    text = api_tokens.add(db, "ci", now=now)
    headers = {"authorization": f"Bearer {text}", "content-type": "application/json"}
    sent: dict[str, Any] = {"content": '{"text": "Deploy on Tuesdays only.", "user": true}', "headers": headers}
    with closing(open_database(db_path, now=now)) as other:
        other.execute("begin immediate")
        answer = await server.client.post("/-/memory/memories.json", timeout=WAIT_S, **sent)
        other.execute("rollback")
    assert answer.status_code == 503 and "locked" in answer.json()["error"]
    assert db.execute("select count(*) from memories").fetchone()[0] == 0
    db_path.rename(db_path.with_name("away.db"))
    assert (await server.client.get("/-/memory/stats.json")).status_code == 503
    answer = await server.client.post("/-/memory/memories.json", **sent)
    assert answer.status_code == answer.json()["status"] == 503 and "No database at" in answer.json()["error"]


async def test_home_asks_at_once_what_is_junk(server: Any) -> None:
    page = (await server.client.get("/")).text
    assert 0 < page.find("Which memories are junk?") < page.find('class="all-questions"')
