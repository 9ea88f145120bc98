"""A file that is deleted, moved or replaced under a running server is noticed by every page, ours and Datasette's."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory_db.knowledge.memories import add_memory
from memory_db.pages.web import serve as serving
from memory_db.pages.web.replaced import FileWatch
from memory_db.store import api_tokens
from memory_db.store.schema import open_database
from tests.support.patience import WAIT_S

PATHS = ("/", "/-/memory/recall", "/-/memory/health.json", "/-/memory/stats.json", "/memory", "/memory/memories",
         "/memory/memories.json", "/memory/current_memories.json", "/-/databases.json")  # fmt: skip

HTML = {"accept": "text/html"}


@pytest.fixture
def filled(db: sqlite3.Connection, db_path: Path, now: datetime) -> Path:
    add_memory(db, text="Tests use port 5433.", kind="environment", scope="user", now=now)
    db.close()
    return db_path


@pytest.fixture
def other(tmp_path: Path, now: datetime) -> Path:
    """Another file, with another memory."""
    path = tmp_path / "other.db"
    with closing(open_database(path, now=now)) as db:
        add_memory(db, text="The harbour master is called Brunhild.", kind="domain", scope="user", now=now)
    return path


@pytest.fixture
def visitor(filled: Path) -> Iterator[Any]:
    """Somebody signed in, at a server that has read the file, so that it has connections."""
    with serving.running(filled) as served, httpx2.Client(base_url=served.url, timeout=WAIT_S) as client:
        client.get(served.link)
        client.headers["host"] = f"127.0.0.1:{served.port}"
        assert [client.get(path, headers=HTML).status_code for path in PATHS] == [200] * len(PATHS)
        yield client


def refused(visitor: Any, path: str) -> str:
    """The one line that a page and a program are told, without a word of any memory."""
    page, answer = visitor.get(path, headers=HTML), visitor.get(path)
    assert page.status_code == answer.status_code == answer.json()["status"] == 503 and answer.json()["ok"] is False
    assert "5433" not in page.text + answer.text and "Brunhild" not in page.text + answer.text
    line = str(answer.json()["error"])
    assert "\n" not in line and line.split("`")[0] in page.text and page.headers["x-frame-options"] == "DENY"
    return line


@pytest.mark.slow
def test_a_moved_file_is_noticed_by_every_page_and_served_again_when_it_is_back(visitor: Any, filled: Path) -> None:
    away = filled.rename(filled.with_name("away.db"))
    for path in PATHS:
        assert "deleted or moved" in refused(visitor, path) and str(filled) in refused(visitor, path)
    with httpx2.Client(base_url=visitor.base_url, timeout=WAIT_S) as stranger:
        assert stranger.get("/").status_code == 401 and str(filled) not in stranger.get("/").text
    away.rename(filled)
    assert [visitor.get(path, headers=HTML).status_code for path in PATHS] == [200] * len(PATHS)


@pytest.mark.slow
def test_a_deleted_file_is_noticed(visitor: Any, filled: Path) -> None:
    for each in filled.parent.glob(f"{filled.name}*"):
        each.unlink()
    assert all("deleted or moved" in refused(visitor, path) for path in PATHS)
    assert not filled.exists(), "nothing is made in its place"


@pytest.mark.slow
@pytest.mark.parametrize("way", ["replaced", "written over", "no memory-db file"])
def test_another_file_in_its_place_is_noticed(visitor: Any, filled: Path, other: Path, way: str, now: datetime) -> None:
    with closing(sqlite3.connect(other, isolation_level=None)) as db:
        db.row_factory = sqlite3.Row
        token = api_tokens.add(db, "ci", now=now)
    if way == "replaced":
        other.replace(filled)
    elif way == "written over":
        shutil.copyfile(other, filled)
    else:
        filled.write_bytes(b"something else" * 10_000)
    assert all(way in refused(visitor, path) and "start it again" in refused(visitor, path) for path in PATHS)
    with httpx2.Client(
        base_url=visitor.base_url, timeout=WAIT_S, headers={"authorization": f"Bearer {token}"}
    ) as program:
        assert program.get("/-/memory/stats.json").status_code == 503, "a token of the other file opens nothing"


def test_a_watch_stays_calm_while_its_own_file_is_written(filled: Path, now: datetime) -> None:
    watch = FileWatch(filled)
    assert watch.is_as_seen()
    with closing(open_database(filled, now=now)) as db:
        for number in range(3):
            add_memory(db, text=f"Rule number {number} holds.", kind="convention", scope="user", now=now)
            db.execute("pragma wal_checkpoint(truncate)")
            assert not watch.is_as_seen() and watch.trouble() == "" and watch.is_as_seen()
        db.execute("vacuum")
    assert watch.trouble() == "" and watch.is_as_seen()


def test_a_watch_notices_each_way_and_what_is_back(filled: Path, other: Path, now: datetime) -> None:
    watch, whole = FileWatch(filled), filled.read_bytes()
    shutil.copyfile(other, filled)
    assert "written over" in watch.trouble() and not watch.is_as_seen()
    filled.write_bytes(b"")
    assert "no memory-db file" in watch.trouble()
    filled.write_bytes(whole)
    assert watch.trouble() == "" and watch.is_as_seen()
    copy = shutil.copy(filled, filled.with_name("copy.db"))
    Path(copy).replace(filled)
    assert "replaced" in watch.trouble(), "its own copy too: connections read what stood there"
    filled.unlink()
    assert "deleted or moved" in watch.trouble()
