"""The pages as a folder in a real browser: from a static server that names no charset, and opened as files."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from memory_db.cli import cli
from tests.support.browsing import MARKS, a_visitor

pytestmark = [*MARKS, pytest.mark.pages]


@pytest.fixture(scope="module")
def site(sample_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's pages in a folder."""
    folder = tmp_path_factory.mktemp("site") / "pages"
    done = CliRunner().invoke(cli, ["export", "--site", str(folder), "-d", str(sample_file)])
    assert done.exit_code == 0, done.output
    return folder


class Quiet(SimpleHTTPRequestHandler):
    """A static server that logs nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    """Where a static server has the folder."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_static_server_shows_all_characters_and_the_readers_own_time(site: Path, address: str) -> None:
    recall = min(site.glob("recalls/*.html"))
    with a_visitor(f"{address}/recalls/{recall.name}", timezone_id="America/New_York") as page:
        assert page.evaluate("document.characterSet") == "UTF-8"
        assert "â€" not in page.inner_text("body")
        at = page.locator("time[datetime]").first
        assert at.get_attribute("datetime")[11:16] not in at.inner_text()
        assert page.locator(".look button").count() == 5
        page.locator(".look button[value=dark]").first.evaluate("button => button.click()")
        assert page.evaluate("document.documentElement.style.colorScheme") == "dark"


def test_a_folder_opens_without_a_server_and_offers_what_works_there(site: Path) -> None:
    with a_visitor((site / "index.html").as_uri()) as page:
        assert page.evaluate("document.characterSet") == "UTF-8"
        choices = {button.get_attribute("value") for button in page.locator(".look button").all()}
        assert "compact" in choices and "dark" not in choices
