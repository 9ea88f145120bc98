"""What a reader chooses for this browser, theme and density, and how soon an answer's first hit comes into sight."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_db.pages.web.serve import Served, running
from tests.support.browsing import MARKS, a_visitor

pytestmark = MARKS

GROUND = "getComputedStyle(document.body).backgroundColor"

DARK, LIGHT = "rgb(20, 24, 28)", "rgb(251, 251, 249)"

FIRST_PX = 600

QUESTIONS = (
    "how do we run the migrations", "when did we switch from npm to pnpm", "which errors keep coming back",
    "what port does postgres use", "zebra quantum",
)  # fmt: skip


@pytest.fixture
def server(sample_path: Path) -> Iterator[Served]:
    with running(sample_path) as served:
        yield served


def choose(page: Any, label: str) -> None:
    """In the menu of the head, which every page has."""
    page.locator("details.nav-menu > summary").click()
    page.locator(".nav-menu-inner .look button", has_text=label).click()
    page.keyboard.press("Escape")


@pytest.mark.parametrize(
    ("scheme", "own", "other", "label"), [("light", LIGHT, DARK, "Dark"), ("dark", DARK, LIGHT, "Light")]
)
def test_a_theme_holds_on_every_page_until_the_system_decides_again(
    server: Served, scheme: str, own: str, other: str, label: str
) -> None:
    with a_visitor(server.link, color_scheme=scheme) as page:
        page.goto(server.url)
        assert page.evaluate(GROUND) == own
        choose(page, label)
        for path in ("/", "/-/memory/review", "/sample/memories", "/-/memory/settings"):
            page.goto(server.url + path)
            assert page.evaluate(GROUND) == other, path
        pressed = page.locator("[data-look] button[aria-pressed=true]").all_inner_texts()
        assert pressed == [label, "Roomy"]
        page.locator("[data-look] button", has_text="As the system").click()
        assert page.evaluate(GROUND) == own


def test_compact_shows_more(server: Served) -> None:
    with a_visitor(server.link) as page:
        page.goto(f"{server.url}/-/memory/memories")
        count = (
            "[...document.querySelectorAll('ul.rows .item')].filter(e => e.getBoundingClientRect().bottom < 900).length"
        )
        before = page.evaluate(count)
        choose(page, "Compact")
        assert page.evaluate(count) > before
        page.reload()
        assert page.evaluate(count) > before


def test_the_first_hit_is_in_sight(server: Served) -> None:
    """With the banner of the sample and an answer above it."""
    with a_visitor(server.link, viewport={"width": 1280, "height": 900}) as page:
        for question in QUESTIONS:
            page.goto(f"{server.url}/-/memory/recall?q={question.replace(' ', '+')}")
            assert page.locator(".sample").is_visible()
            first = page.locator('[data-ranking="shown"] [data-hit]').first
            if first.count():
                assert first.bounding_box()["y"] < FIRST_PX, question
