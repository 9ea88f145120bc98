"""Pictures of every page, light and dark, wide and on a phone: `make screenshots`.

In: a file to show, else a fresh sample, and a folder. Out: PNG files, one a
page, width and colour scheme. Nothing here is a test; tests/test_browser.py
has those.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import sync_playwright

from memory_db import pipeline, samples
from memory_db.connection import connect
from memory_db.db import open_database
from memory_db.samples import write_sample
from memory_db.serving import running

WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
QUESTION = "how do we run the migrations"

PAGES = {
    "home": "/",
    "ask": "/-/memory/recall",
    "recall": f"/-/memory/recall?q={QUESTION.replace(' ', '+')}",
    "weights": f"/-/memory/recall?q={QUESTION.replace(' ', '+')}&w.recency=0.5",
    "hook": f"/-/memory/recall?q={QUESTION.replace(' ', '+')}&project=tidepool&as=hook",
    "nothing": "/-/memory/recall?q=zebra+quantum&scope=memories&kind=decision",
    "error": "/-/memory/recall?q=x&profile=nope",
    "recalls": "/-/memory/recalls",
    "why": "/-/memory/recalls/1",
    "why-not": "/-/memory/recalls/10?not=m2b916483",
    "why-not-words": "/-/memory/recalls/10?not=harbour",
    "memory": "/-/memory/memories/m93dfb880",
    "forget": "/-/memory/memories/m93dfb880/forget",
    "session": "/-/memory/sessions/5b4997ab-5dbe-503a-833f-abb8b94654f9",
    "compare": "/-/memory/compare",
    "compare-question": f"/-/memory/compare?q={QUESTION.replace(' ', '+')}",
    "compare-set": "/-/memory/compare?set=sample",
    "health": "/-/memory/health",
    "settings": "/-/memory/settings",
    "review": "/-/memory/review",
    "preferences": "/-/memory/preferences",
    "timeline": "/-/memory/timeline",
    "timeline-projects": "/-/memory/timeline?by=project",
    "graph": "/-/memory/graph",
    "graph-search": "/-/memory/graph?q=postgres",
    "economics": "/-/memory/economics?days=all",
    "table": "/{database}/current_memories",
    "query": "/{database}/what_did_i_correct_most",
    "database": "/{database}",
}
"""Pages by the name of their picture."""


@contextmanager
def browser() -> Iterator[Any]:
    """The system's Chromium, without a window and without a way out."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("chromium-browser"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        with closing(chromium):
            yield chromium


def take(database: Path, folder: Path) -> int:
    """Writes all pictures; gives their number."""
    folder.mkdir(parents=True, exist_ok=True)
    with closing(connect(database)) as db:
        asked = db.execute("select count(*) from recalls").fetchone()[0]
    taken = 0
    with running(database) as server, browser() as chromium:
        visitor = chromium.new_context()
        visitor.new_page().goto(server.link)
        signed_in = visitor.storage_state()
        for scheme in SCHEMES:
            for width in WIDTHS:
                viewport = {"width": width, "height": 900}
                page = chromium.new_page(viewport=viewport, color_scheme=scheme, storage_state=signed_in)
                if not asked:
                    page.goto(server.url + PAGES["recall"])
                    asked = 1
                for name, path in PAGES.items():
                    page.goto(server.url + path.format(database=database.stem))
                    page.screenshot(path=folder / f"{name}-{width}-{scheme}.png", full_page=True)
                    taken += 1
                page.close()
    return taken


def fresh_sample(folder: Path) -> Path:
    """The sample history in a file of its own, run through the whole pipeline."""
    path = folder / "sample.db"
    now = datetime.now(UTC)
    transcripts = write_sample(path, now=now)
    with closing(open_database(path, now=now)) as db:
        pipeline.run(db, [transcripts], now=now)
        samples.finish_sample(db, now=now)
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Take pictures of the pages.")
    parser.add_argument("database", type=Path, nargs="?", help="the file to show; default: a fresh sample")
    parser.add_argument("--to", type=Path, default=Path("screenshots"), help="the folder for the pictures")
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        shown = arguments.database or fresh_sample(Path(folder))
        print(f"{take(shown, arguments.to)} pictures in {arguments.to}")
