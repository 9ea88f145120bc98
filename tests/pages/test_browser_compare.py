"""Totals of a large query set in a real browser: the page stands, tells that it measures, and has them in the end."""

from __future__ import annotations

from pathlib import Path

from memory_db.pages import compare
from memory_db.pages.web.serve import running
from tests.pages.test_page_compare import small_set
from tests.support.browsing import MARKS, a_visitor

pytestmark = MARKS


def test_totals_come_in_after_the_page(sample_path: Path) -> None:
    small_set(sample_path, compare.MOST_AT_ONCE + 1)
    with running(sample_path) as served, a_visitor(served.link) as page:
        held: list[object] = []
        page.route("**measure=1*", lambda route: held.append(route))
        page.goto(f"{served.url}/-/memory/compare?set=small&profile=keyword_only&profile=memem")
        page.locator("#totals .measuring progress").wait_for()
        assert "Measuring for" in page.inner_text("#totals")
        while not held:
            page.wait_for_timeout(50)
        held[0].continue_()  # type: ignore[attr-defined]
        page.locator("table.totals tbody tr").first.wait_for()
        assert page.locator("table.totals tbody tr").count() == 2 and not page.locator(".measuring").count()
