"""How a table of pandas is shown: ids of ours as links to their pages, money in dollars.

In: a DataFrame. Out: its HTML as pandas writes it, with links put in. Invariants: the table itself stays as it is, so
ids are compared and nanocents are summed as before; what leads somewhere is what leads somewhere in Datasette's tables
too (`pages/web/cells.py`); nothing of a cell is ever HTML but our links.
"""

from __future__ import annotations

import html
import re
from collections.abc import Hashable
from pathlib import Path

import pandas as pd

from memory_db.errors import MemoryDBError
from memory_db.notebook.files import PLACE, path_of
from memory_db.pages.web import cells
from memory_db.store.money import dollars

MOST_ROWS = 60
"""Rows from each end of a table in which ids become links: more are shown only where pandas is told to."""

BEGIN, END = "\ue000", "\ue001"
"""Characters for private use, between which the number of a link stands until pandas has written the HTML."""

NANOCENTS = "_nanocents"
"""How the name of a column of money ends."""


def as_html(frame: pd.DataFrame) -> str:
    """The HTML of a table, with links and dollars."""
    links: list[str] = []
    shown = frame.copy()
    shown.columns = pd.Index([titled(name) for name in frame.columns]) if frame.columns.nlevels == 1 else frame.columns
    path = path_of(PLACE.db) if PLACE.db is not None else None
    pieces = [
        pd.Series(cells_shown(frame.iloc[:, place], name, path, links), index=frame.index, dtype=object)
        if changes(frame.iloc[:, place], name) else shown.iloc[:, place]
        for place, name in enumerate(frame.columns)
    ]  # fmt: skip
    if pieces:
        columns = shown.columns
        shown = pd.concat(pieces, axis=1)
        shown.columns = columns
    written = shown._repr_html_() or ""
    return re.sub(f"{BEGIN}(\\d+){END}", lambda found: links[int(found[1])], written)


def titled(name: Hashable) -> Hashable:
    """The heading of a column: of money, in US dollars."""
    if isinstance(name, str) and name.endswith(NANOCENTS):
        return f"{name.removesuffix(NANOCENTS)}, US dollars"
    return name


def changes(column: pd.Series, name: Hashable) -> bool:
    """Whether a column may have ids or has money."""
    if not isinstance(name, str):
        return False
    if name.endswith(NANOCENTS):
        return bool(pd.api.types.is_numeric_dtype(column))
    return bool(name in cells.COLUMNS or column.dtype == object or pd.api.types.is_string_dtype(column))


def cells_shown(column: pd.Series, name: Hashable, path: Path | None, links: list[str]) -> list[object]:
    """The cells of a column as they are shown; each link adds its HTML to `links` and leaves its number."""
    if str(name).endswith(NANOCENTS):
        return ["" if pd.isna(value) else dollars(int(value)) for value in column]
    last = len(column) - MOST_ROWS
    return [
        linked(value, str(name), path, links) if place < MOST_ROWS or place >= last else value
        for place, value in enumerate(column)
    ]


def linked(value: object, name: str, path: Path | None, links: list[str]) -> object:
    """A cell with its ids as links; as it is where it names nothing, or nothing that the file knows."""
    plain = value.item() if hasattr(value, "item") else value
    found = [(each, address(each, path)) for each in cells.all_named(plain, name, None)]
    if not any(target for _, target in found):
        return value
    return ", ".join(mark(thing, target, links) for thing, target in found)


def mark(thing: cells.Named, target: cells.Target | None, links: list[str]) -> str:
    """What stands for a thing until the HTML is written."""
    if target is None:
        return thing.shown
    href, about = html.escape(f"{PLACE.address}{target.path}"), html.escape(target.about)
    links.append(f'<a href="{href}" title="{about}" target="_blank">{html.escape(thing.shown)}</a>')
    return f"{BEGIN}{len(links) - 1}{END}"


def address(thing: cells.Named, path: Path | None) -> cells.Target | None:
    """Where a thing has its page. Of a file in memory alone nobody knows it, but a memory's uid says enough."""
    if path is None:
        is_memory = thing.what == cells.MEMORY and isinstance(thing.key, str)
        return cells.Target(cells.PAGES[thing.what].format(thing.key), "") if is_memory else None
    try:
        return cells.target(path, thing)
    except MemoryDBError:
        return None
