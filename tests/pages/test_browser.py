"""The pages in a real browser: they load whole, quietly, from this server alone, and fit a phone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_db.pages.web.serve import Served, running
from memory_db.recall.brief import select as brief
from memory_db.recall.search import Question
from memory_db.store.dates import utc_text
from tests.support.browsing import MARKS, follow

pytestmark = MARKS

HOSTILE = '<img src=x onerror="window.hacked = 1"><script>window.hacked = 1</script> migrations by make migrate'

PATHS = [
    "/",
    "/-/memory/recall",
    "/-/memory/recall?q=how+do+migrations+run",
    "/-/memory/recall?q=x&limit=0",
    "/-/memory/recall?q=how+do+migrations+run&w.recency=0.5",
    "/-/memory/recall?q=how+do+migrations+run&as=hook&project=shop",
    "/-/memory/recalls",
    "/-/memory/recalls/1",
    "/-/memory/recalls/1?not=m7",
    "/-/memory/recalls/1?not=migrations",
    "/-/memory/recalls?session=none",
    "/-/memory/memories/m1",
    "/-/memory/memories/m1?recall=1",
    "/-/memory/memories/m1/forget",
    "/-/memory/compare",
    "/-/memory/compare?q=how+do+migrations+run",
    "/-/memory/compare?recall=1&profile=default&profile=memlayer",
    "/-/memory/review",
    "/-/memory/review?sort=candidate&age=7",
    "/-/memory/preferences",
    "/-/memory/timeline",
    "/-/memory/timeline?by=project&from=2026-01-01&kind=quirk",
    "/-/memory/graph",
    "/-/memory/graph?q=migrations",
    "/-/memory/health",
    "/-/memory/health?all=yes",
    "/-/memory/settings",
    "/-/memory/economics",
    "/-/memory/economics?days=all&project=shop",
    "/memory",
    "/memory/current_memories",
    "/memory/memories/1",
    "/memory/what_did_i_correct_most",
    "/memory/why_was_this_recalled?recall=1",
    "/memory?sql=select+1",
]


@pytest.fixture
def server(db: sqlite3.Connection, db_path: Path, now: datetime) -> Iterator[Served]:
    at = utc_text(now - timedelta(days=3))
    db.execute("insert into projects (name, canonical_path, created_at) values ('shop', '/home/dev/shop', ?)", [at])
    for number in range(12):
        db.execute(
            "insert into memories (uid, kind, scope, project_id, title, text, tokens, origin, content_hash, valid_from,"
            " changed_by, change_reason, created_at, updated_at)"
            " values (?, 'correction', 'project', 1, ?, ?, 9, 'user', ?, ?, 'user', 'added', ?, ?)",
            [f"m{number}", HOSTILE, f"{HOSTILE}\n{number} {'long' * 60}", str(number), at, at, at],
        )
    brief.ask(db, Question("how do migrations run", limit=3), surface="cli", now=now)
    with running(db_path) as served:
        yield served


@pytest.fixture(autouse=True)
def no_page_is_left(chromium: Any) -> Iterator[None]:
    """The next test finds the browser as if it had just been started."""
    yield
    for context in list(chromium.contexts):
        context.close()


# Colours do not depend on the width, nor places on the colours: two rounds see what four would, in half the time.
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_every_page_is_quiet_local_and_fits(server: Served, chromium: Any, width: int, scheme: str) -> None:
    complaints: list[str] = []
    page = chromium.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.on("request", lambda request: request.url.startswith((server.url, "data:")) or complaints.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: refused(message) and complaints.append(message.text))
    page.goto(server.link)
    for path in PATHS:
        response = page.goto(server.url + path)
        assert response.status == (400 if "limit=0" in path else 200), path
        assert not complaints, (path, complaints)
        assert page.evaluate("window.hacked === undefined"), path
        if path.startswith(("/-/", "/?")) or path == "/":
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def refused(message: Any) -> bool:
    """Whether a console message tells of something that went wrong, save for a status that was asked for."""
    return message.type in ("error", "warning") and "status of 400" not in message.text


def test_signing_in_asking_and_following_the_answer(server: Served, chromium: Any) -> None:
    page = chromium.new_page()
    page.goto(server.link)
    page.fill("input[name=q]", "how do migrations run")
    follow(page, "button:has-text('Recall')")
    assert page.locator("article.hit").count() > 0
    page.locator("article.hit details.numbers summary").first.click()
    assert page.locator("article.hit table.signals").first.is_visible()
    follow(page, ".summary a[href*='/recalls/']")
    assert page.locator("h1.asked").inner_text() == "how do migrations run"
    assert page.locator("table.ranks tbody tr").count() > 0


def test_pages_work_without_javascript(server: Served, chromium: Any) -> None:
    page = chromium.new_context(java_script_enabled=False).new_page()
    page.goto(server.link)
    page.fill("input[name=q]", "migrations")
    with page.expect_navigation():
        page.press("input[name=q]", "Enter")
    assert page.locator("article.hit").count() > 0
    assert page.locator("article.hit svg.bar rect").count() > 0


def verdicts(path: Path) -> dict[str, int]:
    """What is noted in the query set `own`, by the uid of the memory."""
    with closing(sqlite3.connect(path)) as connection:
        return dict(
            connection.execute(
                "select m.uid, j.relevance from judgements j join memories m on m.id = j.memory_id"
                " join labelled_queries q on q.id = j.labelled_query_id"
                " join query_sets s on s.id = q.query_set_id where s.name = 'own'"
            ).fetchall()
        )


def test_hits_are_judged_by_one_key_each(server: Served, chromium: Any, db_path: Path) -> None:
    complaints: list[str] = []
    page = chromium.new_page()
    page.on("console", lambda message: refused(message) and complaints.append(message.text))
    page.goto(server.link)
    page.goto(server.url + "/-/memory/recalls/1")
    shown = [hit.get_attribute("id").removeprefix("memory-") for hit in page.locator("article.hit").all()]
    assert len(shown) == 3
    assert page.locator("#judging-keys").is_visible()
    for key in "jrjnjk":
        page.keyboard.press(key)
    page.locator("#judging-status", has_text="2 judged").wait_for()
    assert page.evaluate("document.activeElement.id") == f"memory-{shown[1]}"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert verdicts(db_path) == {shown[0]: 1, shown[1]: 0}
    page.keyboard.press("r")
    page.locator("#judging-status", has_text="Hit 2: relevant").wait_for()
    assert verdicts(db_path) == {shown[0]: 1, shown[1]: 1}
    page.keyboard.press("u")
    page.locator("#judging-status", has_text="taken back. 1 judged").wait_for()
    assert verdicts(db_path) == {shown[0]: 1}
    page.locator(f"[id='memory-{shown[2]}'] button[name=not_relevant]").click()
    page.locator("#judging-status", has_text="Hit 3: not relevant").wait_for()
    assert verdicts(db_path) == {shown[0]: 1, shown[2]: 0}
    page.reload()
    page.locator("article.hit button[aria-pressed=true]").nth(1).wait_for()
    assert page.locator("article.hit button[aria-pressed=true]").count() == 2
    assert not complaints


def test_keys_that_are_typed_into_a_field_judge_nothing(server: Served, chromium: Any, db_path: Path) -> None:
    page = chromium.new_page()
    page.goto(server.link)
    page.goto(server.url + "/-/memory/recall?q=migrations&limit=2")
    page.locator("article.hit").first.focus()
    page.locator("#q").focus()
    page.keyboard.type("jrn")
    assert sorted(page.locator("#q").input_value()) == sorted("migrationsjrn")
    assert verdicts(db_path) == {}
    page.keyboard.press("Tab")
    page.keyboard.press("j")
    page.keyboard.press("r")
    page.locator("#judging-status", has_text="1 judged").wait_for()
    assert len(verdicts(db_path)) == 1


def test_judging_and_gathering_without_javascript(server: Served, chromium: Any, db_path: Path) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(server.link)
    page.goto(server.url + "/-/memory/recalls/1")
    assert not page.locator("#judging-keys").is_visible()
    page.locator("article.hit button[name=relevant]").first.click()
    page.locator("button[aria-pressed=true]").wait_for()
    assert "/-/memory/recalls/1#memory-" in page.url
    assert list(verdicts(db_path).values()) == [1]
    page.goto(server.url + "/-/memory/recalls?who=all")
    page.check("input[name=recall]")
    page.fill("input[name=name]", "november")
    follow(page, "button:has-text('Make a query set')")
    page.locator("table.totals").wait_for()
    assert page.url.endswith("/-/memory/compare?set=november")
    assert "Query set november: 1 question, 1 judgement" in page.inner_text("body")
    assert page.locator("table.totals tbody tr").count() >= 2


def test_another_site_cannot_frame_or_read(server: Served, chromium: Any) -> None:
    page = chromium.new_page()
    page.goto("about:blank")
    page.set_content(f"<iframe src='{server.url}/-/memory/recalls'></iframe>")
    page.wait_for_timeout(500)
    inner = [frame for frame in page.frames if frame != page.main_frame]
    assert len(inner) == 1
    assert "What was asked" not in inner[0].content()
    assert inner[0].url.startswith("chrome-error:")
