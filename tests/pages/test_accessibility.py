"""Every page by axe-core in Chromium, light and wide, dark and narrow: nothing serious, and a quiet console."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_db.pages.web.serve import Served, running
from memory_db.recall.brief import select as brief
from memory_db.recall.search import Question
from memory_db.store.connection import connect
from memory_db.store.schema import open_database
from tests.support.browsing import MARKS
from tests.support.page_routes import routes

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")

# On the next line axe-core stops with an error at what Datasette puts on every page itself.
pytestmark = [*MARKS, pytest.mark.pinned_datasette]

GRAVE = {"serious", "critical"}

FURTHER = [
    "/-/memory/recall?q=x&limit=0", "/-/memory/recalls/999", "/-/memory/graph?project=tidepool",
    "/sample", "/sample/memories", "/sample/memories/1", "/sample/what_did_i_correct_most",
]  # fmt: skip
"""Pages that say what is wrong, the graph of a project, and Datasette's own: database, table, row, ready question."""


@pytest.fixture
def served(sample_file: Path, tmp_path: Path) -> Iterator[tuple[Served, Path]]:
    """The sample with recalls of today, and its server, whose link signs in once."""
    path = Path(shutil.copy(sample_file, tmp_path / "sample.db"))
    now = datetime.now(UTC)
    with closing(open_database(path, now=now)) as db:
        for query in ("how do we run the tests", "zebra quantum"):
            brief.ask(db, Question(query), surface="cli", now=now)
    with running(path) as server:
        yield server, path


def findings(page: Any) -> list[str]:
    """What axe-core finds that is serious or worse: the rule, the element, and why."""
    options = {"resultTypes": ["violations"]}
    return [
        f"{found['id']}: {node['target']} {' '.join(node['failureSummary'].split())[:300]}"
        for found in axe.Axe().run(page, options=options).response["violations"]
        if found["impact"] in GRAVE
        for node in found["nodes"][:3]
    ]


def complains(message: Any) -> bool:
    """Whether a console message tells of something that went wrong, save for a status that was asked for."""
    return message.type in ("error", "warning") and "status of 40" not in message.text


# Colours do not depend on the width, nor places on the colours: two rounds see what four would, in half the time.
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_nothing_serious_and_no_noise(served: tuple[Served, Path], chromium: Any, width: int, scheme: str) -> None:
    server, path = served
    with closing(connect(path)) as db:
        paths = [route.path for route in routes(db) if route.as_page()] + FURTHER
    complaints: list[str] = []
    found: dict[str, list[str]] = {}
    with closing(chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)) as visitor:
        page = visitor.new_page()
        page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
        page.on("console", lambda message: complains(message) and complaints.append(f"{page.url}: {message.text}"))
        page.goto(server.link)
        seen = 0
        for asked in paths:
            answer = page.goto(server.url + asked)
            if answer.status == 405:
                continue
            seen += 1
            # What is folded away is read too.
            page.evaluate("document.querySelectorAll('.memory details').forEach(each => each.open = true)")
            if shown := findings(page):
                found[asked] = shown
            assert page.evaluate("document.documentElement.scrollWidth") <= width, asked
    assert seen > 12
    assert not complaints
    assert not found, "\n".join(f"{asked}\n  " + "\n  ".join(expected) for asked, expected in found.items())
