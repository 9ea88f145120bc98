"""A Datasette in this process with our pages, and how tests read what it answers."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup

from memory_db.pages import compat
from memory_db.serving import PLUGINS, SETTINGS, metadata_for


async def started(path: Path) -> Any:
    """A Datasette on one file, as `memory-db serve` makes it."""
    datasette = compat.make_datasette(path, metadata=metadata_for(path), plugins=PLUGINS, settings=SETTINGS)
    await datasette.invoke_startup()
    return datasette


@asynccontextmanager
async def served(path: Path) -> AsyncIterator[Any]:
    """The same for as long as a block lasts; its databases are closed in the end."""
    datasette = await started(path)
    try:
        yield datasette
    finally:
        for database in datasette.databases.values():
            database.close()


def signed_in(datasette: Any) -> dict[str, str]:
    """The cookie of the root actor."""
    return {"ds_actor": datasette.sign({"a": {"id": "root"}}, "actor")}


def soup(response: Any) -> BeautifulSoup:
    """A page, to be searched."""
    return BeautifulSoup(response.text, "html.parser")


def text_of(element: Any) -> str:
    """The words of an element, in one line."""
    return " ".join(element.get_text().split())


def one(db: sqlite3.Connection, sql: str, *values: object) -> Any:
    """The first value that a query gives."""
    return db.execute(sql, values).fetchone()[0]
