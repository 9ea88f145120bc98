"""Datasette's own command and ours, from a clone and from a wheel: every page answers, with its assets."""

from __future__ import annotations

import re
import shutil
import sqlite3
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx2
import pytest
from bs4 import BeautifulSoup

from memory_db.pages.web.shelf import CLONE
from memory_db.store.connection import connect
from tests.support.in_process import served
from tests.support.page_routes import Route, routes
from tests.support.patience import WAIT_S

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
def datasette(folder: Path, *arguments: str, python: str = sys.executable) -> Iterator[tuple[str, str]]:
    """The command, in a process of its own at a free port: its address, and the rest of the link that it prints."""
    found = folder / "told.txt"
    with found.open("w") as sink:  # a pipe would fill up and stop the server
        process = subprocess.Popen(
            [python, "-u", *arguments, "--port", "0"], cwd=folder, stdout=sink, stderr=subprocess.STDOUT
        )
    try:
        while not (running := re.search(r"(?:running on|Open) (http://[\d.]+:\d+)", found.read_text())):
            assert process.poll() is None, found.read_text()
            time.sleep(0.1)
        link = re.search(r"(/-/auth-token\?\S+)", found.read_text())
        yield running[1], link[1] if link else ""
    finally:
        process.terminate()
        process.wait(timeout=WAIT_S)


def visitor_of(url: str) -> httpx2.Client:
    return httpx2.Client(base_url=url, timeout=WAIT_S)


async def known(path: Path) -> list[Route]:
    """Every route of ours, with values of the file."""
    async with served(path):
        with closing(connect(path)) as db:
            return routes(db)


async def test_the_line_shows_every_page_of_ours(folder: Path) -> None:
    every = await known(folder / "memory.db")
    words = LINE.split()
    with datasette(folder, "-m", *words[:2], "other.db", *words[2:]) as (url, link), visitor_of(url) as visitor:
        stranger = visitor.get("/", headers={"accept": "text/html"})
        assert stranger.status_code == 401 and "--root" in stranger.text
        assert visitor.get(link).status_code in (200, 302)
        look_at_all(visitor, every, "memory")
        assert visitor.get("/other/things").status_code == 200


async def test_a_file_of_any_name_needs_no_flags(folder: Path) -> None:
    (folder / "memory.db").rename(folder / "notes.db")
    every = await known(folder / "notes.db")
    with (
        datasette(folder, "-m", "datasette", "other.db", "notes.db", "--root") as (url, link),
        visitor_of(url) as visitor,
    ):
        assert visitor.get("/", headers={"accept": "text/html"}).status_code == 401
        assert visitor.get(link).status_code in (200, 302)
        look_at_all(visitor, every, "notes")
        things = visitor.get("/other/things")
        assert things.status_code == 200 and "/-/memory/recall" not in things.text.partition("</nav>")[2]


def test_a_server_without_a_file_of_ours_is_left_alone(folder: Path) -> None:
    for flags in ((), ("--plugins-dir", "plugins")):
        with datasette(folder, "-m", "datasette", "other.db", *flags) as (url, _), visitor_of(url) as visitor:
            for path in ("/", "/other/things"):
                answer = visitor.get(path)
                assert answer.status_code == 200 and "memory" not in answer.text, path
                assert "content-security-policy" not in answer.headers
            for path in ("/-/memory/recall", "/-/memory", "/assets/memory.css"):
                assert visitor.get(path).status_code == 404, path


def test_an_installed_wheel_has_all_pages(tmp_path: Path, sample_file: Path) -> None:
    python = environment_with_wheel(tmp_path)
    asked = "from memory_db.pages.web import shelf; print(shelf.SHELF, *sorted(shelf.NOTEBOOKS.glob('*')))"
    told = subprocess.run([python, "-I", "-c", asked], cwd=tmp_path, capture_output=True, text=True, check=True)
    said = told.stdout
    assert str(tmp_path) in said.split()[0] and "03_tune_recall_weights.ipynb" in said
    shutil.copy(sample_file, tmp_path / "memory.db")
    ways = (("-m", "datasette", "memory.db", "--root"), ("-m", "memory_db", "-d", "memory.db", "serve"))
    for way in ways:
        with datasette(tmp_path, "-I", *way, python=python) as (url, link), visitor_of(url) as visitor:
            assert visitor.get(link).status_code in (200, 302)
            look(visitor, ["/", "/-/memory/recall?q=migrations", "/-/memory/health"], "memory")


def environment_with_wheel(folder: Path) -> str:
    """The Python of an environment that has memory-db from a wheel built of this clone, and all else from ours."""
    built = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder, CLONE]
    subprocess.run(built, check=True, capture_output=True)
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    site = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", *folder.glob("*.whl")]
    subprocess.run(site, check=True, capture_output=True)
    found = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    )
    Path(found.stdout.strip(), "ours.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    return str(python)


def look_at_all(visitor: httpx2.Client, every: list[Route], database: str) -> None:
    """Every page answers, with its JSON form and assets, and what metadata.yml says is there."""
    look(visitor, [route.path for route in every if route.as_page()], database)
    for route in every:
        answer = visitor.get(route.path)
        assert answer.status_code in ANSWERS, (route, answer.text[:300])
        if route.has_json:
            assert visitor.get(route.json_path()).status_code in ANSWERS, route
    for astray in ("/assets/none.css", "/assets/..%2fmemory_guard.py", "/assets/%2e%2e/memory_guard.py"):
        assert visitor.get(astray).status_code in (302, 404), astray


def look(visitor: httpx2.Client, paths: Iterable[str], database: str) -> None:
    """These pages, their assets, a ready question and what stands above the tables."""
    assets: set[str] = set()
    for path in paths:
        soup = BeautifulSoup(visitor.get(path).text, "html.parser")
        assert soup.select_one(".memory"), path
        assets |= {str(each["href"]) for each in soup.select("link[rel=stylesheet]")}
        assets |= {str(each["src"]) for each in soup.select("script[src]")}
    ours = {each for each in assets if each.startswith("/assets/")}
    assert {"/assets/memory.css", "/assets/home.css", "/assets/explorer.js"} <= ours
    for asset in assets:
        assert visitor.get(asset).status_code == 200, asset
    assert visitor.get(f"/{database}/what_did_i_correct_most.json").status_code == 200
    tables = BeautifulSoup(visitor.get(f"/{database}").text, "html.parser")
    assert {"yours", "the-log", "the-machine"} <= {str(each["id"]) for each in tables.select("[id]")}


@pytest.mark.parametrize("name", TOLD_IN)
def test_the_line_is_reported(name: str) -> None:
    text = " ".join((CLONE / name).read_text("utf-8").replace("#", "").split())
    assert LINE in text
