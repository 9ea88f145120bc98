"""Browsing by keys in Chromium: from the menu through a list to a memory, and back with the view as it was."""

from __future__ import annotations

from pathlib import Path

from memory_db.pages.web.serve import running
from tests.support.browsing import MARKS, a_visitor, follow

pytestmark = MARKS


def test_a_list_is_walked_by_keys(sample_path: Path) -> None:
    with running(sample_path) as server, a_visitor(server.link) as page:
        follow(page, ".memory-nav a:has-text('Memories')")
        follow(page, ".facets a:has-text('tidepool')")
        assert "project=tidepool" in page.url
        page.keyboard.press("/")
        page.keyboard.type("tests")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert "q=tests" in page.url and "project=tidepool" in page.url
        page.locator("h1").click()
        for key in "jjk":
            page.keyboard.press(key)
        uid = page.evaluate("document.activeElement.dataset.item")
        assert uid == page.locator(".rows .item").first.get_attribute("data-item")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert page.url.endswith(f"/-/memory/memories/{uid}")
        page.go_back()
        assert page.locator("#q").input_value() == "tests"
