"""The documentation as a site: built without a warning, nothing from another host, and every link leads somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest
from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow

LOADED = {"script": "src", "img": "src", "link": "href", "source": "srcset", "iframe": "src"}
"""What a browser loads for a page, by element and attribute."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    words = ["-W", "-q", "-c", "docs", "-b", "html", "-d", str(folder / "trees"), ".", str(folder / "site")]
    done = subprocess.run([sys.executable, "-m", "sphinx", *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


def test_every_page_is_there(site: Path) -> None:
    for path in (ROOT / "docs").glob("*.md"):
        assert (site / "docs" / f"{path.stem}.html").exists(), path.name
    assert 'url=docs/index.html"' in (site / "index.html").read_text("utf-8")


def test_the_index_leads_to_the_pages_of_the_sample(site: Path) -> None:
    index = BeautifulSoup((site / "docs" / "index.html").read_text("utf-8"), "html.parser")
    assert index.find("a", href="../demo/index.html")
    assert "tidepool" in (site / "demo" / "index.html").read_text("utf-8")
    assert len(list((site / "demo" / "memories").glob("*.html"))) > 50


def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    for path in site.rglob("*.html"):
        page = BeautifulSoup(path.read_text("utf-8"), "html.parser")
        loaded = [str(each.get(attribute, "")) for name, attribute in LOADED.items() for each in page.find_all(name)]
        assert [each for each in loaded if re.match(r"(?:\w+:)?//", each)] == [], path.name
    for path in site.rglob("*.css"):
        assert not re.search(r"""(?:@import|url\()\s*["']?(?:https?:)?//""", path.read_text("utf-8")), path.name


def test_every_link_within_the_site_leads_somewhere(site: Path) -> None:
    pages = {path: BeautifulSoup(path.read_text("utf-8"), "html.parser") for path in site.rglob("*.html")}
    names = {path: {str(each["id"]) for each in page.find_all(id=True)} for path, page in pages.items()}
    for path, page in pages.items():
        for link in page.find_all("a", href=True):
            target, _, anchor = unquote(str(link["href"])).partition("#")
            if re.match(r"\w+:", target):
                continue
            there = (path.parent / target).resolve() if target else path
            assert there.is_file(), f"{path.name}: {link['href']}"
            assert not anchor or there not in names or anchor in names[there], f"{path.name}: {link['href']}"
