"""The three pictures of the README, from the sample history: `make pictures`.

In: a fresh sample and the kept notebooks. Out: docs/pictures/explorer.png, why.png (pages, in Chromium) and
notebook.png (the chart of the cell that is tagged `picture`). Nothing in them is drawn by hand.
"""

from __future__ import annotations

import base64
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat

from bench.screenshots import QUESTION, browser, fresh_sample
from memory_db.connection import connect
from memory_db.serving import running

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "pictures"
NOTEBOOKS = ROOT / "notebooks"

TAG = "picture"
"""Tag of the notebook cell whose chart is shown."""

VIEWPORT = {"width": 1100, "height": 900}


def pages(folder: Path) -> None:
    """The explorer with a question, and the why page of a brief that a hook gave."""
    with TemporaryDirectory() as place:
        path = fresh_sample(Path(place))
        with closing(connect(path)) as db:
            recall_id = db.execute(
                "select r.id from recalls r where r.surface = 'hook' and not r.abstained order by r.shown_tokens desc"
            ).fetchone()[0]
        with running(path) as server, browser() as chromium:
            page = chromium.new_page(viewport=VIEWPORT, color_scheme="light")
            page.goto(server.link)
            page.goto(f"{server.url}/-/memory/recall?q={QUESTION.replace(' ', '+')}&scope=memories&limit=3")
            page.screenshot(path=folder / "explorer.png")
            page.goto(f"{server.url}/-/memory/recalls/{recall_id}")
            page.screenshot(path=folder / "why.png")


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
