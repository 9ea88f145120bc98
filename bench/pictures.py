"""The three pictures of the README, from the sample history: `make pictures`.

In: a fresh sample and the kept notebooks. Out: docs/pictures/explorer.png, why.png (pages, in Chromium) and
notebook.png (the chart of the cell that is tagged `picture`). Nothing in them is drawn by hand.
"""

from __future__ import annotations

import base64
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat

from bench.screenshots import QUESTION, browser, fresh_sample
from memory_db.pages.web.serve import running
from memory_db.store.connection import connect

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "pictures"
NOTEBOOKS = ROOT / "notebooks"

TAG = "picture"
"""Tag of the notebook cell whose chart is shown."""

VIEWPORT = {"width": 1000, "height": 900}
"""About as wide as a README is shown, so that its letters stay as large as the text around."""

SHARPNESS = 1.5
"""Pixels of a picture for each of the page: enough for screens with small pixels."""

MARGIN = 16
"""What is left around the part of a page that is shown, in its pixels."""

MOVED = ("recency", "0.5")
"""The slider that the explorer's picture has moved, and to what: far enough for hits to change places."""

EXPLAINED = """
select r.id from recalls r join hits h on h.recall_id = r.id
join memory_versions v on v.id = h.memory_version_id
where r.surface = 'hook' and r.query <> '' and h.rank is not null group by r.id
order by max(h.rank = 1 and v.kind = 'fix') desc, count(*) desc, r.id limit 1
"""
"""A brief that a hook gave, at best with the fix of an earlier failure first."""


def pages(folder: Path) -> None:
    """The explorer with a moved slider, and the why page of a brief with the numbers of its first hit."""
    with TemporaryDirectory() as place:
        path = fresh_sample(Path(place))
        with closing(connect(path)) as db:
            recall_id = db.execute(EXPLAINED).fetchone()[0]
        with running(path) as server, browser() as chromium:
            page = chromium.new_page(viewport=VIEWPORT, color_scheme="light", device_scale_factor=SHARPNESS)
            page.goto(server.link)
            page.goto(f"{server.url}/-/memory/recall?q={QUESTION.replace(' ', '+')}&scope=memories&limit=4")
            page.click("#weights > summary")
            signal, weight = MOVED
            page.fill(f"#w-{signal}", weight)
            page.locator(f"#w-{signal}").blur()
            photograph(page, "#weights", "[data-ranking=shown] > :nth-child(3)", folder / "explorer.png")
            page.goto(f"{server.url}/-/memory/recalls/{recall_id}")
            page.click("[data-ranking=shown] > :first-child .numbers > summary")
            photograph(page, ".over", "[data-ranking=shown] > :first-child .numbers table", folder / "why.png")


def photograph(page: Any, first: str, last: str, target: Path) -> None:
    """The page's column from the top of one element to the bottom of another."""
    page.mouse.move(0, 0)
    main = page.locator("main.memory").bounding_box()
    top = page.locator(first).first.bounding_box()["y"] - MARGIN
    end = page.locator(last).first.bounding_box()
    scrolled = page.evaluate("() => window.scrollY")
    height = end["y"] + end["height"] + MARGIN - top
    clip = {"x": main["x"], "y": top + scrolled, "width": main["width"], "height": height}
    page.screenshot(path=target, full_page=True, clip=clip)


def chart(folder: Path) -> None:
    """The chart of the tagged cell."""
    for source in sorted(NOTEBOOKS.glob("[0-9]*.ipynb")):
        for cell in nbformat.read(source, 4).cells:
            if TAG in cell.metadata.get("tags", []):
                images = [output.data["image/png"] for output in cell.outputs if "image/png" in output.get("data", {})]
                (folder / "notebook.png").write_bytes(base64.b64decode(images[-1]))
                return
    raise SystemExit(f"No cell of a notebook in {NOTEBOOKS.name}/ is tagged {TAG!r}.")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    chart(FOLDER)
    pages(FOLDER)
    for picture in sorted(FOLDER.glob("*.png")):
        print(f"{picture.relative_to(ROOT)}: {picture.stat().st_size:,} bytes")
