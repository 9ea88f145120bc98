"""The notebooks that come with the package, to be read in a browser and kept so that they run on this file.

In: a notebook's name. Out: its cells as data, or an .ipynb without outputs whose parameter is the file. Invariant: what
is read lies in the folder of notebooks, whatever an address says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from memory_db.errors import NotFoundError
from memory_db.pages.draw.markdown import markdown
from memory_db.pages.web import in_notebook
from memory_db.pages.web.shelf import NOTEBOOKS

HEADING = re.compile(r"#+ ([^\n]+)\n*")
"""The heading that a cell of words begins with."""

LABELLED = re.compile(r"(C\d+): ")
"""What the heading of a cell for one of the sixteen questions begins with."""

PARAMETER = re.compile(r"^database = None\b", re.MULTILINE)
"""Where a notebook is told which file it reads."""

Cells = Sequence[dict[str, Any]]


def shelf() -> dict[str, Any]:
    """Every notebook: its `name`, and the question that it answers."""
    return {"notebooks": [{"name": name, "question": heading_of(cells_of(name)[0])} for name in names()]}


def notebook(name: str) -> dict[str, Any]:
    """A notebook's `question` and `cells`: each `kind` (words or code) and `source`; of words `heading` and
    `marked_up`.

    `anchor` is where an address leads to a cell. Raises: NotFoundError.
    """
    cells = [shown(cell, number) for number, cell in enumerate(cells_of(name))]
    return {"name": name, "question": cells[0]["heading"], "cells": cells}


def shown(cell: dict[str, Any], number: int) -> dict[str, Any]:
    """A cell as the page has it."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "code":
        return {"kind": "code", "source": source, "anchor": f"cell-{number}"}
    head = heading_of(cell)
    label = LABELLED.match(head)
    return {
        "kind": "words", "source": source, "heading": head, "marked_up": markdown(HEADING.sub("", source, count=1)),
        "anchor": label[1] if label else f"cell-{number}",
    }  # fmt: skip


def on_this_file(name: str, path: Path, origin: str) -> Iterator[str]:
    """The notebook without outputs, to be run on the file at `path`, in parts. Raises: NotFoundError.

    It finds what it imports where the package lies.
    """
    cells = [
        {**cell, "source": PARAMETER.sub(lambda _: f"database = {str(path)!r}", "".join(cell["source"]), count=1)}
        | ({"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else {})
        for cell in cells_of(name)
    ]
    back = f"Made from [this page]({origin}/-/memory/notebooks/{name})."
    found = in_notebook.code(f"import sys\n\nsys.path.insert(0, {str(NOTEBOOKS)!r})  # what the cells below import")
    yield in_notebook.written([in_notebook.markdown(back), found, *cells])


def names() -> list[str]:
    """The notebooks by name, in their order."""
    return sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb"))


def cells_of(name: str) -> Cells:
    """The cells of a notebook, as they are kept. Raises: NotFoundError."""
    if name not in names():
        raise NotFoundError(f"No notebook {name[:80]!r}. There are: {', '.join(names())}.")
    return read(NOTEBOOKS / f"{name}.ipynb")


@lru_cache(maxsize=16)
def read(path: Path) -> Cells:
    """The cells of a file, read once: it is the package's, and nobody changes it while a server runs."""
    cells: Cells = json.loads(path.read_text("utf-8"))["cells"]
    return cells


def heading_of(cell: dict[str, Any]) -> str:
    """The words of the heading that a cell begins with, if it does."""
    found = HEADING.match("".join(cell["source"]))
    return found[1].strip() if found else ""
