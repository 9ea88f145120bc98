"""Totals of a large query set in a real browser: a button has a worker measure, the page tells how far it is."""

from __future__ import annotations

from pathlib import Path

from memory_db.pages import measured
from memory_db.pages.web.serve import running
from tests.pages.test_page_compare import small_set
from tests.support.browsing import MARKS, a_visitor
from tests.support.patience import WAIT_S

pytestmark = MARKS


def test_totals_come_in_after_the_page(sample_path: Path) -> None:
    small_set(sample_path, measured.MOST_AT_ONCE + 1)
    with running(sample_path) as served, a_visitor(served.link) as page:
        page.goto(f"{served.url}/-/memory/compare?set=small&profile=keyword_only&profile=memem")
        page.get_by_role("button", name="Measure").click()
        page.locator("#totals .running progress, #totals table.totals").first.wait_for()
        page.locator("#totals table.totals tbody tr").first.wait_for(timeout=WAIT_S * 1000)
        assert page.locator("#totals table.totals tbody tr").count() == 2 and not page.locator(".running").count()
        assert "Measured" in page.inner_text("#totals")
        assert page.locator("#data-sets table").count() == 0, "what was measured is not listed twice"
        page.locator(".flash .message-info").wait_for(state="detached")
