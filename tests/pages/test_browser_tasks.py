"""Things that people come for, each from the home page in at most three clicks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from memory_db.pages.web.serve import Served, running
from memory_db.recall.brief import select as brief
from memory_db.recall.search import Question
from memory_db.store.connection import connect
from tests.pages.test_page_compare import small_set
from tests.support.browsing import MARKS, a_visitor
from tests.support.patience import WAIT_S
from tests.support.rows import rows

pytestmark = MARKS

MOST_CLICKS = 3


class Clicks:
    """A visitor on the home page whose clicks are counted."""

    def __init__(self, page: Any, server: Served) -> None:
        self.page, self.count = page, 0
        page.goto(server.url)

    def on(self, selector: str, *, leads: bool = True) -> None:
        self.count += 1
        assert self.count <= MOST_CLICKS, f"click {self.count} on {selector}"
        if leads:
            with self.page.expect_navigation():
                self.page.locator(selector).first.click()
        else:
            self.page.locator(selector).first.click()

    def text(self, selector: str = "main") -> str:
        return str(self.page.locator(selector).first.inner_text())


@pytest.fixture
def server(sample_path: Path) -> Iterator[Served]:
    """The sample, with a question that an agent's hook asked a moment ago, and a query set that is measured at once."""
    small_set(sample_path, 6)
    with closing(connect(sample_path, write=True)) as db:
        project = db.execute("select id from projects where name = 'tidepool'").fetchone()[0]
        brief.ask(db, Question("which port has postgres", project_id=project), surface="hook", now=datetime.now(UTC))
    with running(sample_path) as served:
        yield served


def test_tasks_take_three_clicks_at_most(server: Served, sample_path: Path) -> None:
    with a_visitor(server.link, viewport={"width": 1280, "height": 900}) as page:
        for task in TASKS:
            task(Clicks(page, server), sample_path)


def most_given_correction_and_its_sessions(at: Clicks, path: Path) -> None:
    at.on("ol.most a")
    assert "Where it was said" in at.text()
    at.on("blockquote footer a")
    assert "/-/memory/sessions/" in at.page.url


def why_a_hook_said_it(at: Clicks, path: Path) -> None:
    at.on("#recalls .lines a:has-text('which port has postgres')")
    assert at.page.locator("main h2").first.is_visible() and "tidepool" in at.text()


def why_a_memory_was_left_out(at: Clicks, path: Path) -> None:
    at.on("#recalls .lines a:has-text('which port has postgres')")
    if not at.page.locator(".others a:has-text('why not?')").first.is_visible():
        at.on("details:has(.others) > summary", leads=False)
    at.on(".others a:has-text('why not?')")
    assert at.page.locator("#why-not").is_visible()


def fix_a_memory_and_undo(at: Clicks, path: Path) -> None:
    at.on("ol.most a")
    uid = urlsplit(at.page.url).path.rpartition("/")[2]
    state = f"select text, status from memories where uid = '{uid}'"
    before = rows(path, state)
    at.page.fill("textarea[name=text]", "Ask before anything is deployed, always.")
    at.on("button:has-text('Replace it')")
    assert rows(path, state)[0][1] == "superseded"
    at.on("#undo")
    assert rows(path, state) == before


def forget_a_secret_from_a_session(at: Clicks, path: Path) -> None:
    at.on("#sessions + .lines a")
    at.on("a[href*='/-/memory/entries/'][href$='/forget']")
    uid = at.page.url.split("/")[-2]
    [(said,)] = rows(path, f"select text from entries where uid = '{uid}'")
    at.page.fill("input[name=confirm]", uid)
    at.on("form.danger button")
    assert rows(path, f"select text from entries where uid = '{uid}'") != [(said,)]


def forget_a_phrase_everywhere(at: Clicks, path: Path) -> None:
    at.on(".memory-nav a:has-text('Settings')")
    at.page.fill("#words input[name=words]", "readings_latest")
    at.on("#words button")
    at.page.fill("form.danger input[name=confirm]", "readings_latest")
    at.on("form.danger button")
    assert at.text("h1") == "The words are gone"


def settle_a_contradiction(at: Clicks, path: Path) -> None:
    at.on("a[href*='review?sort=contradiction']")
    at.on("article[data-item] button[name=first]")
    assert "contradiction" in at.text(".flash").lower() and at.page.locator("#undo-last").is_visible()


def last_weeks_cost_by_project_and_session(at: Clicks, path: Path) -> None:
    at.on("#cost a[href$='/-/memory/economics']")
    assert "tidepool" in at.text()


def which_profile_is_better_and_make_it_default(at: Clicks, path: Path) -> None:
    at.on(".memory-nav a:has-text('Compare')")
    at.on("#totals button:has-text('Measure')")
    at.page.locator("#totals table.totals").wait_for(timeout=WAIT_S * 1000)
    button = at.page.locator("button:has-text('Make default')").first
    name = button.locator("xpath=..").locator("input[name=value]").get_attribute("value")
    at.on("button:has-text('Make default')")
    assert rows(path, "select value from settings where name = 'default_profile'") == [(f'"{name}"',)]
    assert "/-/memory/compare" in at.page.url


def what_the_agent_did(at: Clicks, path: Path) -> None:
    at.on(".memory-nav a:has-text('Sessions')")
    at.on("ul.rows a.open, .rows .head a")
    assert at.page.locator("main h1").is_visible() and "turn" in at.text().lower()


def hand_a_colleague_a_link(at: Clicks, path: Path) -> None:
    at.on("#known table.kinds a")
    at.on("nav.facets a:has-text('tidepool')")
    link = at.page.locator("a:has-text('link to this view')").get_attribute("href")
    assert set(parse_qs(urlsplit(link).query)) >= {"kind", "project"}
    total = at.text("p.count b")
    at.page.goto(at.page.url.partition("/-/")[0] + link)
    assert at.text("p.count b") == total


TASKS = [
    most_given_correction_and_its_sessions, why_a_hook_said_it, why_a_memory_was_left_out, fix_a_memory_and_undo,
    settle_a_contradiction, last_weeks_cost_by_project_and_session, which_profile_is_better_and_make_it_default,
    what_the_agent_did, hand_a_colleague_a_link, forget_a_secret_from_a_session,
    forget_a_phrase_everywhere,
]  # fmt: skip
"""Forgetting comes last: it takes rows that others look at."""
