"""The review page in a real browser: one key a decision, never from a field, and undo."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memory_db.gate.review import queue as review
from memory_db.index import build as index
from memory_db.pages.web.serve import Served, running
from tests.support.browsing import MARKS, a_visitor, follow
from tests.support.review_rows import full_queue, state

pytestmark = [*MARKS, pytest.mark.usefixtures("chromium")]

CURRENT = "document.activeElement.closest('[data-item]')?.dataset.item"


@pytest.fixture
def db(tmp_path: Path, now: datetime) -> Iterator[sqlite3.Connection]:
    with closing(full_queue(tmp_path / "memory.db", now)) as connection:
        index.run(connection, now=now, entries=False)
        yield connection


@pytest.fixture
def server(db: sqlite3.Connection, tmp_path: Path) -> Iterator[Served]:
    with running(tmp_path / "memory.db") as served:
        yield served


@pytest.fixture
def page(server: Served) -> Iterator[Any]:
    """A signed-in visitor on the page; what a page complains of fails the test."""
    with a_visitor(server.link) as visitor:
        visitor.goto(f"{server.url}/-/memory/review")
        yield visitor


def press(page: Any, key: str) -> None:
    with page.expect_navigation():
        page.keyboard.press(key)


def said(page: Any) -> str:
    return " ".join(page.text_content(".message-info").split())


def is_in_view(page: Any, selector: str) -> bool:
    """Whether all of it is on the screen as the page stands, before anybody scrolls."""
    box, size = page.locator(selector).bounding_box(), page.viewport_size
    return bool(
        0 <= box["x"] <= box["x"] + box["width"] <= size["width"]
        and 0 <= box["y"] <= box["y"] + box["height"] <= size["height"]
    )


def test_keys_move_decide_and_undo(page: Any, db: sqlite3.Connection) -> None:
    before = state(db)
    items = page.evaluate("[...document.querySelectorAll('[data-item]')].map(each => each.dataset.item)")
    page.keyboard.press("a")  # nothing is chosen yet
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate(CURRENT) == items[1]
    page.keyboard.press("k")
    assert page.evaluate(CURRENT) == items[0]
    page.keyboard.press("x")
    assert page.text_content("#ticked") == "1 selected"
    press(page, "d")
    assert said(page) == "The proposal: declined: nothing that is known changes."
    assert page.evaluate(CURRENT) == items[1], "the next item is at hand"
    page.locator(f"#{items[-1]}").scroll_into_view_if_needed()
    assert is_in_view(page, "#undo-last") and is_in_view(page, ".message-info"), "wherever one has scrolled to"
    press(page, "u")
    assert said(page).startswith(f"Undone: {items[0]} “") and state(db) == before


def test_no_key_decides_from_a_field_and_a_contradiction_has_its_own(
    page: Any, server: Served, db: sqlite3.Connection
) -> None:
    page.goto(f"{server.url}/-/memory/review?sort=contradiction")
    page.keyboard.press("j")
    page.locator("textarea").fill("")
    page.locator("textarea").type("band 12")
    assert review.show(db, "x1")["waits"] and page.locator("textarea").input_value() == "band 12"
    page.keyboard.press("Tab")
    page.locator("#x1").focus()
    page.keyboard.press("d")  # says nothing of a contradiction
    page.set_viewport_size({"width": 390, "height": 844})
    press(page, "b")
    assert said(page) == (
        "The contradiction: both hold: you are not asked about “Indent SQL files with tabs.” and"
        " “Never indent SQL files with tabs.” again."
    )
    assert is_in_view(page, "#undo-last") and is_in_view(page, ".message-info")
    assert review.show(db, "x1")["item"]["note"] == "band 12"


def test_ticked_items_are_previewed_and_decided(page: Any, db: sqlite3.Connection) -> None:
    before = state(db)
    for box in page.locator('input[form="batch"]').all()[:3]:
        box.check()
    page.select_option("#batch select", "decline")
    follow(page, "#preview")
    assert page.locator(".lines li").count() == 3 and state(db) == before
    follow(page, "form.doing button")
    assert said(page) == "3 items: declined."
    follow(page, "#undo-last")
    assert said(page) == "Undone: 3 items." and state(db) == before
