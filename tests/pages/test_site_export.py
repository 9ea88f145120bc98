"""The pages as a folder: every link of every page leads to something that is in it, and nothing asks a server."""

from __future__ import annotations

import hashlib
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from memory_db.cli import cli
from memory_db.pages.web.site import file_of, rewritten

TARGETS = ("href", "src", "xlink:href", "action", "formaction")


def test_who_is_not_sure_publishes_no_history_and_no_folder_is_written_over(
    db_path: Path, db: object, tmp_path: Path
) -> None:
    command = ["export", "--site", str(tmp_path / "site"), "-d", str(db_path)]
    done = CliRunner().invoke(cli, command)
    assert done.exit_code == 1 and "can read what they say" in done.output and not (tmp_path / "site").exists()
    done = CliRunner().invoke(cli, [*command, "--kind", "fix"])
    assert done.exit_code == 1 and "Leave out" in done.output
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "mine.txt").touch()
    done = CliRunner().invoke(cli, [*command, "--yes"])
    assert done.exit_code == 1 and "is there already" in done.output


MARKUP = st.text(alphabet="ab<>&;\"'=/ -!", max_size=40)


@given(MARKUP)
def test_a_page_without_links_and_forms_comes_back_as_it_was(words: str) -> None:
    escaped = words.replace("&", "&amp;").replace("<", "&lt;")
    page = f'<!DOCTYPE html><html lang="en"><p class="a">{escaped}</p><br/><script>if (a < b) {{}}</script></html>'
    assert rewritten(page, lambda address: None) == page


@pytest.mark.slow
@pytest.mark.pages
def test_no_link_of_the_site_is_dead(sample_path: Path, tmp_path: Path) -> None:
    before = hashlib.sha256(sample_path.read_bytes()).digest()
    folder = tmp_path / "site"
    done = CliRunner().invoke(cli, ["export", "--site", str(folder), "-d", str(sample_path)])
    assert done.exit_code == 0, done.output
    pages = {path: BeautifulSoup(path.read_text("utf-8"), "html.parser") for path in folder.rglob("*.html")}
    ids = {path: {element["id"] for element in page.select("[id]")} for path, page in pages.items()}
    sorts = {path.relative_to(folder).parts[0] for path in pages}
    assert {"index.html", "memories", "sessions", "recalls", "recall"} <= sorts
    dead = []
    for path, page in pages.items():
        assert page.select_one(".site-note")
        assert page.select("form[action], button:not([disabled])") == [], path
        for element in page.select("[href], [src]"):
            for name in TARGETS:
                link = urlsplit(str(element.get(name, "")))
                if link.scheme in ("https", "data") and element.name in ("a", "img", "link"):
                    continue
                target = (path.parent / unquote(link.path)).resolve() if link.path else path
                is_there = not link.scheme and not link.netloc and not link.path.startswith("/") and target.is_file()
                if not is_there or (link.fragment and target in ids and unquote(link.fragment) not in ids[target]):
                    dead.append((str(path.relative_to(folder)), element.get(name)))
    assert dead == []
    assert hashlib.sha256(sample_path.read_bytes()).digest() == before


def test_each_address_has_a_file_of_its_own_within_the_folder() -> None:
    recall = "/-/memory/recall"
    addresses = ("/", "/assets/memory.css", "/-/static/app.css", "/m/ready", recall, f"{recall}?q=a+b",
                 f"{recall}?q=../../x", "/-/memory/sessions/a%2Fb")  # fmt: skip
    files = [file_of(address) for address in addresses]
    assert len(set(files)) == len(files)
    assert not [name for name in files if name.startswith("/") or ".." in name]
