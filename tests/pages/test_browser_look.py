"""What a reader chooses for this browser, theme and density, and how soon an answer's first hit comes into sight."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_db.pages.web.serve import Served, running
from tests.support.browsing import MARKS, a_visitor, follow

pytestmark = [*MARKS, pytest.mark.usefixtures("chromium")]

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


PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


HARD_TO_PRESS = """
[...document.querySelectorAll("main.memory :is(button, input:not([type=hidden]), select, textarea, summary)")]
    .filter(each => each.checkVisibility() && each.getClientRects().length)
    .map(each => [each.outerHTML.slice(0, 80), each.getBoundingClientRect(),
        each.matches("[type=checkbox]") ? each.closest("label").getBoundingClientRect().height : 0])
    .filter(([, box, around]) => Math.max(box.height, around) < 44 || box.left < 0 || box.right > 390)
    .map(([what, box]) => [what, box.left, box.right, box.height])
"""


@pytest.mark.parametrize("path", ["/-/memory/review", "/-/memory/recall?q=how+do+we+run+the+tests", "/-/memory/graph"])
def test_a_phone_reaches_every_button(server: Served, path: str) -> None:
    with a_visitor(server.link, **PHONE) as page:
        page.goto(server.url + path)
        page.evaluate("document.querySelectorAll('.memory details').forEach(each => each.open = true)")
        assert page.locator("main.memory button:visible").count() >= (1 if "graph" in path else 10)
        assert not page.evaluate(HARD_TO_PRESS)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_phone_decides_undoes_asks_and_judges(server: Served) -> None:
    with a_visitor(server.link, **PHONE) as page:
        page.goto(f"{server.url}/-/memory/review")
        waiting = page.locator("article.waits").count()
        with page.expect_navigation():
            page.locator("button", has_text="Turn it down").first.tap()
        assert page.locator("article.waits").count() == waiting - 1
        with page.expect_navigation():
            page.locator("#undo-last").tap()
        assert page.locator("article.waits").count() == waiting
        page.goto(f"{server.url}/-/memory/recall")
        page.fill("#q", "how do we run the tests")
        with page.expect_navigation():
            page.locator("button", has_text="Recall").tap()
        verdict = page.locator(".verdict button", has_text="relevant").first
        verdict.tap()
        page.wait_for_selector(".verdict button[aria-pressed=true]")


def test_a_graph_opens_from_its_topics_by_keys_and_shows_its_middle_on_a_phone(server: Served) -> None:
    with a_visitor(server.link, **PHONE) as page:
        page.goto(f"{server.url}/-/memory/graph")
        frame, centre = page.locator(".drawing-frame").bounding_box(), page.locator(".node.centre").bounding_box()
        assert frame["x"] <= centre["x"] and centre["x"] + centre["width"] <= frame["x"] + frame["width"]
        page.locator("#topics .panel h3 a").first.focus()
        page.keyboard.press("Tab")
        topic = page.evaluate("document.activeElement.querySelector('.uid').textContent")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert topic in page.locator("h1").inner_text()
        assert page.locator("svg.drawing a.node").count() > 1


CONTRAST = """
element => {
    const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
    const light = colour => {
        const [red, green, blue] = numbers(colour).map(each => each / 255)
            .map(each => each <= .03928 ? each / 12.92 : ((each + .055) / 1.055) ** 2.4);
        return .2126 * red + .7152 * green + .0722 * blue + .05;
    };
    const ground = from => {
        const colour = getComputedStyle(from).backgroundColor;
        return (numbers(colour)[3] ?? 1) === 1 || !from.parentElement ? colour : ground(from.parentElement);
    };
    const style = getComputedStyle(element);
    const ring = element.matches(":focus-visible");
    const one = light(ring ? style.outlineColor : style.color);
    const other = light(ground(ring ? element.parentElement : element));
    return Math.max(one, other) / Math.min(one, other);
}
"""
"""Of an element's words with what is behind them; of one that has the keyboard, of the ring around it."""

LEAST_WORDS, LEAST_RING = 4.5, 3
"""Source: WCAG 2.2, success criteria 1.4.3 and 1.4.11."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_was_done_and_where_the_keyboard_is_can_be_seen(server: Served, scheme: str) -> None:
    with a_visitor(server.link, color_scheme=scheme) as page:
        page.goto(f"{server.url}/-/memory/memories")
        follow(page, "ul.rows .item a")
        follow(page, "button:has-text('Confirm')")
        for seen in (".flash > p", "#undo"):
            assert page.locator(seen).evaluate(CONTRAST) >= LEAST_WORDS, seen
        page.locator("body").focus()
        for _ in range(2):
            page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "memory-db"
        assert page.locator(":focus-visible").evaluate(CONTRAST) >= LEAST_RING


def test_what_a_setting_became_is_in_sight_beside_its_row(server: Served) -> None:
    with a_visitor(server.link, viewport={"width": 1280, "height": 900}) as page:
        page.goto(f"{server.url}/-/memory/settings")
        page.fill("[name='set.recall_limit']", "7")
        follow(page, ".save-all button")
        assert "recall_limit" in page.url.partition("#")[2]
        heights = [page.locator(each).bounding_box()["y"] for each in ("#undo", "tr#recall_limit")]
        assert 0 <= heights[0] < heights[1] < 900


def test_the_keyboard_skips_the_menu(server: Served) -> None:
    with a_visitor(server.link) as page:
        page.goto(f"{server.url}/-/memory/health")
        page.keyboard.press("Tab")
        assert page.locator("a.skip").is_visible() and page.locator("a.skip").bounding_box()["x"] >= 0
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('main.memory') !== null")


def test_a_phone_has_one_line_of_menu_and_the_rest_behind_a_button(server: Served) -> None:
    with a_visitor(server.link, **PHONE) as page:
        page.goto(f"{server.url}/-/memory/review")
        assert page.locator("body header").first.bounding_box()["height"] < 60
        assert page.locator(".memory-nav a:visible").all_inner_texts() == ["memory-db", "Review"]
        page.locator("details.nav-menu > summary").click()
        follow(page, ".nav-menu-inner a:has-text('Economics')")
        assert page.locator("h1").inner_text() == "Economics"


def test_the_menu_of_a_wide_page_repeats_nothing(server: Served) -> None:
    with a_visitor(server.link, viewport={"width": 1280, "height": 900}) as page:
        page.goto(server.url)
        page.locator("details.nav-menu > summary").click()
        others = page.locator(".nav-menu-inner :is(a, .button-as-link):visible")  # Datasette 1.0 has buttons alone
        assert all(each.evaluate(CONTRAST) >= LEAST_WORDS for each in others.all())
        listed = others.all_inner_texts()
        assert listed and not set(listed) & set(page.locator(".memory-nav a").all_inner_texts())
