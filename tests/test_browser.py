"""The pages in a real browser: they load whole, quietly, from this server alone, and fit a phone."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_db import brief
from memory_db.dates import utc_text
from memory_db.recall import Question
from memory_db.serving import Served, running

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
    pytest.mark.filterwarnings("default"),
]

HOSTILE = '<img src=x onerror="window.hacked = 1"><script>window.hacked = 1</script> migrations by make migrate'

PATHS = [
    "/",
    "/-/memory/recall",
    "/-/memory/recall?q=how+do+migrations+run",
    "/-/memory/recall?q=x&limit=0",
    "/-/memory/recalls",
    "/-/memory/recalls/1",
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


@pytest.fixture
def chromium() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        with closing(playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)) as browser:
            yield browser


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
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
    page.click("button:has-text('Recall')")
    assert page.locator("article.hit").count() > 0
    page.locator("article.hit details.numbers summary").first.click()
    assert page.locator("article.hit table.signals").first.is_visible()
    page.click(".summary a[href*='/recalls/']")
    assert page.locator("h1.asked").inner_text() == "how do migrations run"
    assert page.locator("table.ranks tbody tr").count() > 0


def test_pages_work_without_javascript(server: Served, chromium: Any) -> None:
    page = chromium.new_context(java_script_enabled=False).new_page()
    page.goto(server.url + "/")
    page.fill("input[name=q]", "migrations")
    page.press("input[name=q]", "Enter")
    assert page.locator("article.hit").count() > 0
    assert page.locator("article.hit svg.bar rect").count() > 0


def test_another_site_cannot_frame_or_read(server: Served, chromium: Any) -> None:
    page = chromium.new_page()
    page.goto("about:blank")
    page.set_content(f"<iframe src='{server.url}/-/memory/recalls'></iframe>")
    page.wait_for_timeout(500)
    inner = [frame for frame in page.frames if frame != page.main_frame]
    assert len(inner) == 1
    assert "What was asked" not in inner[0].content()
    assert inner[0].url.startswith("chrome-error:")
