"""Datasette's own command with our plugins, as docs/browsing.md gives it: every page answers, with its assets."""

from __future__ import annotations

import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx2
import pytest
from bs4 import BeautifulSoup

from memory_db.pages.web.serve import CLONE
from memory_db.store.connection import connect
from tests.support.in_process import served
from tests.support.page_routes import Route, routes

pytestmark = pytest.mark.slow

LINE = "datasette serve memory.db --plugins-dir plugins -m metadata.yml --root"
"""What docs/browsing.md, docs/security.md and metadata.yml tell people to type."""

TOLD_IN = ("docs/browsing.md", "docs/security.md", "metadata.yml")


ANSWERS = (200, 400, 405)
"""What a visit may be answered with; 400 is a page that needs to be asked something, 405 one that is only sent to."""


@pytest.fixture
def folder(sample_file: Path, tmp_path: Path) -> Path:
    """A folder as the line wants it: the file, what is ours beside it, and a file of another name and kind."""
    shutil.copy(sample_file, tmp_path / "memory.db")
    for name in ("plugins", "metadata.yml"):
        (tmp_path / name).symlink_to(CLONE / name)
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("create table things (id integer primary key)")
    return tmp_path


@contextmanager
def datasette(folder: Path, *arguments: str) -> Iterator[tuple[str, str]]:
    """The command, in a process of its own at a free port: its address, and the rest of the link that it prints."""
    found = folder / "told.txt"
    with found.open("w") as sink:  # a pipe would fill up and stop the server
        process = subprocess.Popen(
            [sys.executable, "-u", "-m", *arguments, "-p", "0"], cwd=folder, stdout=sink, stderr=subprocess.STDOUT
        )
    try:
        while not (running := re.search(r"running on (http://[\d.]+:\d+)", found.read_text())):
            assert process.poll() is None, found.read_text()
            time.sleep(0.1)
        link = re.search(r"(/-/auth-token\?\S+)", found.read_text())
        yield running[1], link[1] if link else ""
    finally:
        process.terminate()
        process.wait(timeout=20)


def visitor_of(url: str) -> httpx2.Client:
    return httpx2.Client(base_url=url, timeout=60)


async def known(path: Path) -> list[Route]:
    """Every route of ours, with values of the file."""
    async with served(path):
        with closing(connect(path)) as db:
            return routes(db)


async def test_the_line_shows_every_page_of_ours(folder: Path) -> None:
    every = await known(folder / "memory.db")
    words = LINE.split()
    with datasette(folder, *words[:2], "other.db", *words[2:]) as (url, link), visitor_of(url) as visitor:
        stranger = visitor.get("/", headers={"accept": "text/html"})
        assert stranger.status_code == 401 and "--root" in stranger.text
        assert visitor.get(link).status_code in (200, 302)
        assets: set[str] = set()
        for route in every:
            answer = visitor.get(route.path)
            assert answer.status_code in ANSWERS, (route, answer.text[:300])
            if route.as_page():
                soup = BeautifulSoup(answer.text, "html.parser")
                assert soup.select_one(".memory"), route
                assets |= {str(each["href"]) for each in soup.select("link[rel=stylesheet]")}
                assets |= {str(each["src"]) for each in soup.select("script[src]")}
            if route.has_json:
                assert visitor.get(route.json_path()).status_code in ANSWERS, route
        ours = {each for each in assets if each.startswith("/assets/")}
        assert {"/assets/memory.css", "/assets/home.css", "/assets/explorer.js"} <= ours
        for asset in assets:
            assert visitor.get(asset).status_code == 200, asset
        assert visitor.get("/memory/what_did_i_correct_most.json").status_code == 200
        assert visitor.get("/other/things").status_code == 200
        assert "Everything that happened is a row" in visitor.get("/memory").text
        for astray in ("/assets/none.css", "/assets/..%2fmemory_guard.py", "/assets/%2e%2e/memory_guard.py"):
            assert visitor.get(astray).status_code in (302, 404), astray


@pytest.mark.parametrize("name", TOLD_IN)
def test_the_line_is_reported(name: str) -> None:
    text = " ".join((CLONE / name).read_text("utf-8").replace("#", "").split())
    assert LINE in text
