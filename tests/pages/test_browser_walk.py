"""One walk through the workbench by mouse and keys, as a person takes it: ask, turn weights, judge, follow why,
correct, decide, undo.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_db.pages.web.serve import Served, running
from tests.support.browsing import MARKS, a_visitor, follow
from tests.support.rows import rows

pytestmark = MARKS

QUESTION = "how do we run the migrations"

SHOWN = '[data-ranking="shown"] > [data-hit]'


@pytest.fixture
def server(sample_path: Path) -> Iterator[Served]:
    with running(sample_path) as served:
        yield served


def order(page: Any) -> list[str]:
    ids: list[str] = page.eval_on_selector_all(SHOWN, "elements => elements.map(element => element.id)")
    return ids


def test_from_a_question_to_a_decision_and_back(server: Served, sample_path: Path) -> None:
    with a_visitor(server.link) as page:
        page.goto(server.url)
        page.fill("input[name=q]", QUESTION)
        page.keyboard.press("Enter")
        page.wait_for_url("**/-/memory/recall?**")
        turn_a_weight(page)
        judge_three(page, sample_path)
        uid = follow_why_to_a_memory(page)
        correct(page, uid, sample_path)
        decide_and_undo(page, server, sample_path)
    actions = [action for (action,) in rows(sample_path, "select action from audit_log where outcome = 'done'")]
    assert actions.count("judge") == 3
    assert {"correct", "review", "undo"} <= set(actions)
    assert {actor for (actor,) in rows(sample_path, "select actor from audit_log")} == {"root"}


def turn_a_weight(page: Any) -> None:
    """The order changes at once and comes back."""
    before = order(page)
    assert len(before) > 3
    page.locator("#weights > summary").click()
    slider = page.locator('#weights input[type="range"]').first
    slider.focus()
    page.keyboard.press("End")
    page.wait_for_function(
        "([selector, ids]) => [...document.querySelectorAll(selector)].map(hit => hit.id).join() !== ids",
        arg=[SHOWN, ",".join(before)],
    )
    assert order(page) != before
    assert page.locator("#weights-status").inner_text()
    page.locator("#weights-reset").click()
    assert order(page) == before


def judge_three(page: Any, path: Path) -> None:
    """By one key each, and the file has the verdicts."""
    page.locator("h1").click()
    for number, key in enumerate("rnr", start=1):
        page.keyboard.press("j")
        page.keyboard.press(key)
        page.locator("#judging-status", has_text=f"{number} judged").wait_for()
    assert sorted(rows(path, "select relevance from judgements where judged_by = 'root'")) == [(0,), (1,), (1,)]


def follow_why_to_a_memory(page: Any) -> str:
    """The logged recall explains itself, and leads to the first memory that it showed."""
    follow(page, "a[href*='/-/memory/recalls/']:has-text('recall r') >> nth=0")
    assert QUESTION in page.locator("h1").inner_text()
    assert "matches the logged one" in page.inner_text("body")
    link = page.locator(f"{SHOWN}[id^=memory-] a.uid").first
    uid = str(link.inner_text())
    link.click()
    page.wait_for_url(f"**/-/memory/memories/{uid}")
    return uid


def correct(page: Any, uid: str, path: Path) -> None:
    """New words take the place of the old ones, which stay readable."""
    page.fill("textarea[name=text]", "Migrations run by `make migrate` alone, never by hand.")
    follow(page, "button:has-text('Replace it')")
    assert not page.url.endswith(uid)
    assert "make migrate" in page.locator("h1").inner_text()
    assert rows(path, f"select status from memories where uid = '{uid}'") == [("superseded",)]
    follow(page, f"a[href$='/{uid}'] >> nth=0")
    assert "Replaced" in page.inner_text("body")


def decide_and_undo(page: Any, server: Served, path: Path) -> None:
    """A contradiction is resolved after a look at what would happen, and taken back whole."""
    state = "select id, state, resolution, resolved_by from contradictions order by id"
    memories = "select uid, status, text, valid_to from memories order by uid"
    before, known = rows(path, state), rows(path, memories)
    page.goto(f"{server.url}/-/memory/review?sort=contradiction")
    page.locator("article[data-item] input[type=checkbox]").first.check()
    page.select_option("select[name=action]", "first")
    page.locator("#preview").click()
    page.locator("h1", has_text="Preview").wait_for()
    assert rows(path, state) == before
    page.locator("button", has_text="Apply").click()
    page.locator("#undo-last").wait_for()
    assert sum(one != other for one, other in zip(before, rows(path, state), strict=True)) == 1
    page.locator("#undo-last").click()
    page.locator("td", has_text="undone").wait_for()
    assert [(one[0], one[1]) for one in rows(path, state)] == [(one[0], one[1]) for one in before]
    assert rows(path, memories) == known
