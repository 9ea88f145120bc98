"""A visitor with a real browser: the marks of a test that needs one, and a page that fails on what it complains of."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from tests.support.patience import WAIT_S

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

MARKS = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
    pytest.mark.filterwarnings("default"),
]

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


OPEN: list[Any] = []
"""The browser that tests of a module share, while they do: to start one takes longer than most of them."""


@contextmanager
def a_browser() -> Iterator[Any]:
    """The system's Chromium, without a window and without a way out; the shared one where there is one."""
    if OPEN:
        yield OPEN[0]
        return
    with (
        sync_api.sync_playwright() as playwright,
        closing(playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)) as browser,
    ):
        yield browser


@contextmanager
def shared() -> Iterator[Any]:
    """One browser for every visitor of a while; each still has cookies, storage and a cache of its own."""
    with a_browser() as browser:
        OPEN.append(browser)
        try:
            yield browser
        finally:
            OPEN.clear()


@contextmanager
def a_visitor(link: str, **context: Any) -> Iterator[Any]:
    """A signed-in page; at the end nothing may have been said on its console and no script may have failed."""
    complaints: list[str] = []
    with a_browser() as browser, closing(browser.new_context(**context)) as surroundings:
        surroundings.set_default_timeout(WAIT_S * 1000)
        page = surroundings.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
        page.goto(link)
        yield page
    assert complaints == []


def follow(page: Any, selector: str) -> None:
    """Press what leads to another page, and go on when that page has come whole: a click alone does not wait for it."""
    with page.expect_navigation():
        page.click(selector)
