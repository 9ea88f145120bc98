"""Pictures of every page, light and dark, wide and on a phone: `make screenshots`.

In: a file to show, else a fresh sample, and a folder. Out: PNG files, one a page, width and colour scheme; those of a
file with nothing in it are called `empty-...`. Which recall, memory and session are shown is found in the file. Nothing
here is a test; tests/pages/test_browser.py has those.
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
from urllib.parse import quote

from playwright.sync_api import sync_playwright

from memory_db.pages.web.serve import running
from memory_db.sample import file as samples
from memory_db.sample.file import write_sample
from memory_db.store.connection import connect
from memory_db.store.schema import open_database
from memory_db.upkeep import pipeline

WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
QUESTION = "how do we run the migrations"
ASKED = f"q={QUESTION.replace(' ', '+')}"

KEYS = {
    "database": "select :file",
    "project": "select name from projects order by name = 'tidepool' desc, id limit 1",
    "hook_recall": """
        select r.id from recalls r join hits h on h.recall_id = r.id where r.surface = 'hook' and r.query <> ''
        group by r.id order by count(h.rank) desc, r.id limit 1""",
    "silent_recall": """
        select id from recalls where abstained order by surface = 'hook' desc, considered_count desc limit 1""",
    "missed_recall": """
        select h.recall_id from hits h join recalls r on r.id = h.recall_id
        where h.rank is null and h.memory_version_id is not null and r.query <> ''
        order by r.surface = 'hook' desc, h.position limit 1""",
    "missed": """
        select m.uid from hits h join recalls r on r.id = h.recall_id
        join memory_versions v on v.id = h.memory_version_id join memories m on m.id = v.memory_id
        where h.rank is null and r.query <> '' order by r.surface = 'hook' desc, h.position limit 1""",
    "memory": """
        select m.uid from memories m where m.status = 'active' order by
            2 * (select count(*) from memory_versions v where v.memory_id = m.id)
            + 2 * (select count(*) from evidence v where v.memory_id = m.id)
            + (select count(*) from memory_sources q where q.memory_id = m.id)
            + (select count(*) from memory_neighbours n where n.memory_id = m.id) desc, m.id limit 1""",
    "replaced": "select uid from memories where status = 'superseded' order by id limit 1",
    "session": """
        select s.uid from sessions s join entries e on e.session_id = s.id group by s.id
        order by count(*) desc limit 1""",
    "entity": """
        select e.id from entities e join memory_entities m on m.entity_id = e.id group by e.id
        order by count(*) desc limit 1""",
    "recorded": "select substr(max(recorded_from), 1, 10) from memory_versions",
    "since": "select substr(min(valid_from), 1, 10) from memories",
    "until": "select substr(max(valid_from), 1, 10) from memories",
    "item": "select item from review_queue where waits_for = 'a person' limit 1",
}
"""What a path needs of the file, by name; `:file` is the file's name."""

PAGES = {
    "home": "/",
    "ask": "/-/memory/recall",
    "recall": f"/-/memory/recall?{ASKED}",
    "weights": f"/-/memory/recall?{ASKED}&w.recency=0.5",
    "hook": f"/-/memory/recall?{ASKED}&project={{project}}&as=hook",
    "nothing": "/-/memory/recall?q=zebra+quantum&before=2001-01-01",
    "error": "/-/memory/recall?q=x&profile=nope",
    "recalls": "/-/memory/recalls",
    "why": "/-/memory/recalls/{hook_recall}",
    "why-silent": "/-/memory/recalls/{silent_recall}",
    "why-not": "/-/memory/recalls/{missed_recall}?not={missed}",
    "why-not-words": "/-/memory/recalls/{missed_recall}?not=harbour",
    "memory": "/-/memory/memories/{memory}",
    "memory-replaced": "/-/memory/memories/{replaced}",
    "memory-as-of": "/-/memory/memories/{memory}?as_of={recorded}",
    "memory-why-not": "/-/memory/memories/{missed}?recall={missed_recall}",
    "forget": "/-/memory/memories/{memory}/forget",
    "session": "/-/memory/sessions/{session}",
    "compare": "/-/memory/compare",
    "compare-question": f"/-/memory/compare?{ASKED}",
    "compare-set": "/-/memory/compare?set=sample",
    "compare-recall": "/-/memory/compare?recall={hook_recall}",
    "review": "/-/memory/review",
    "review-preview": "/-/memory/review/preview?item={item}&action=accept",
    "preferences": "/-/memory/preferences",
    "timeline": "/-/memory/timeline",
    "timeline-projects": "/-/memory/timeline?by=project",
    "timeline-span": "/-/memory/timeline?from={since}&to={until}&scope=memories",
    "timeline-around": "/-/memory/timeline?around={memory}",
    "graph": "/-/memory/graph",
    "graph-search": "/-/memory/graph?q=postgres",
    "graph-memory": "/-/memory/graph/memory/{memory}",
    "graph-entity": "/-/memory/graph/entity/{entity}",
    "economics": "/-/memory/economics?days=all",
    "health": "/-/memory/health",
    "health-all": "/-/memory/health?all=yes",
    "settings": "/-/memory/settings",
    "tokens": "/-/memory/tokens",
    "table": "/{database}/current_memories",
    "query": "/{database}/what_did_i_correct_most",
    "database": "/{database}",
}
"""Pages by the name of their picture."""

EMPTY = (
    "home", "ask", "recall", "recalls", "compare", "review", "preferences", "timeline", "graph", "economics", "health",
    "settings", "tokens",
)  # fmt: skip
"""Pages that are shown of a file with nothing in it, too."""


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


def paths_of(database: Path, names: list[str]) -> dict[str, str]:
    """The path of each named page on this file; those that need a row which the file lacks are left out."""
    with closing(connect(database)) as db:
        found = {key: db.execute(sql, {"file": database.stem}).fetchone() for key, sql in KEYS.items()}
    keys = {key: quote(str(row[0])) for key, row in found.items() if row and row[0] is not None}
    paths = {}
    for name in names:
        try:
            paths[name] = PAGES[name].format(**keys)
        except KeyError as missing:
            print(f"{name} is left out: the file has no {missing.args[0]}")
    return paths


def take(
    database: Path, folder: Path, names: list[str], *, prefix: str = "", widths: tuple[int, ...] = WIDTHS,
    schemes: tuple[str, ...] = SCHEMES, part_px: int = 0,
) -> int:  # fmt: skip
    """Writes the pictures of the named pages, tall ones in parts of `part_px` if it is given; gives their number."""
    folder.mkdir(parents=True, exist_ok=True)
    taken = 0
    with running(database) as server, browser() as chromium:
        visitor = chromium.new_context()
        visitor.new_page().goto(server.link)
        signed_in = visitor.storage_state()
        ask_once(database, lambda: visitor.pages[0].goto(server.url + PAGES["recall"]))
        paths = paths_of(database, names)
        for scheme in schemes:
            for width in widths:
                viewport = {"width": width, "height": 900}
                page = chromium.new_page(viewport=viewport, color_scheme=scheme, storage_state=signed_in)
                for name, path in paths.items():
                    page.goto(server.url + path)
                    taken += photograph(page, folder / f"{prefix}{name}-{width}-{scheme}.png", part_px)
                page.close()
    return taken


def ask_once(database: Path, ask: Any) -> None:
    """Asks a question where memories are and nobody has asked yet, so that there is a recall to explain."""
    with closing(connect(database)) as db:
        is_needed = db.execute("select exists (select 1 from memories) > exists (select 1 from recalls)").fetchone()[0]
    if is_needed:
        ask()


def photograph(page: Any, target: Path, part_px: int) -> int:
    """One picture of the whole page, or as many as it has parts; gives their number."""
    size = page.evaluate("() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    if not part_px or size[1] <= part_px:
        page.screenshot(path=target, full_page=True)
        return 1
    tops = range(0, size[1], part_px)
    for number, top in enumerate(tops, start=1):
        clip = {"x": 0, "y": top, "width": size[0], "height": min(part_px, size[1] - top)}
        page.screenshot(path=target.with_stem(f"{target.stem}-{number}"), full_page=True, clip=clip)
    return len(tops)


def fresh_sample(folder: Path) -> Path:
    """The sample history in a file of its own, run through the whole pipeline."""
    path = folder / "sample.db"
    now = datetime.now(UTC)
    transcripts = write_sample(path, now=now)
    with closing(open_database(path, now=now)) as db:
        pipeline.run(db, [transcripts], now=now)
        samples.finish_sample(db, now=now)
    return path


def empty_file(folder: Path) -> Path:
    """A file with nothing in it."""
    path = folder / "empty.db"
    open_database(path, now=datetime.now(UTC)).close()
    return path


def main() -> None:
    """Takes the pictures that the command line asks for."""
    parser = argparse.ArgumentParser(description="Take pictures of the pages.")
    parser.add_argument("database", type=Path, nargs="?", help="the file to show; default: a fresh sample")
    parser.add_argument("--to", type=Path, default=Path("screenshots"), help="the folder for the pictures")
    parser.add_argument("--only", nargs="+", default=list(PAGES), choices=list(PAGES), metavar="NAME")
    parser.add_argument("--width", type=int, nargs="+", default=list(WIDTHS), help="in pixels")
    parser.add_argument("--scheme", nargs="+", default=list(SCHEMES), choices=SCHEMES)
    parser.add_argument("--part", type=int, default=0, metavar="PX", help="cut pictures that are taller than this")
    arguments = parser.parse_args()
    looks = {"widths": tuple(arguments.width), "schemes": tuple(arguments.scheme), "part_px": arguments.part}
    with TemporaryDirectory() as folder:
        shown = arguments.database or fresh_sample(Path(folder))
        taken = take(shown, arguments.to, arguments.only, **looks)
        empty = [name for name in EMPTY if name in arguments.only]
        taken += take(empty_file(Path(folder)), arguments.to, empty, prefix="empty-", **looks) if empty else 0
    print(f"{taken} pictures in {arguments.to}")


if __name__ == "__main__":
    main()
