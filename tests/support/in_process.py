"""A Datasette in this process with our pages, and how tests read what it answers."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup
from datasette.plugins import pm  # type: ignore[import-untyped]

from memory_db.pages.web import compat
from memory_db.pages.web.serve import PLUGINS, SETTINGS, metadata_for
from tests.support import compiled_templates

pm.register(compiled_templates, name="compiled_templates")


class SignedIn:
    """A Datasette's client whose visitor opened the signed-in link, unless a request says who it is from.

    `cookies={}` is a visitor who did not; a request with the header `authorization` is a program's.
    """

    def __init__(self, datasette: Any) -> None:
        self.client, self.cookies = datasette.client, signed_in(datasette)

    def __getattr__(self, name: str) -> Any:
        ask = getattr(self.client, name)

        async def asked(*arguments: Any, **options: Any) -> Any:
            named = {each.lower() for each in options.get("headers") or {}}
            if options.get("cookies") is None and "authorization" not in named:
                options["cookies"] = self.cookies
            return await ask(*arguments, **options)

        return asked


def made(path: Path, metadata: dict[str, Any] | None = None) -> Any:
    """A Datasette on one file, as `memory-db serve` makes it, with a visitor who is signed in."""
    metadata = metadata_for(path) if metadata is None else metadata
    datasette = compat.make_datasette(path, metadata=metadata, plugins=PLUGINS, settings=SETTINGS)
    datasette.client = SignedIn(datasette)
    return datasette


def open_to_all(path: Path) -> dict[str, Any]:
    """The metadata of a Datasette in which everybody may read, as `memory-db serve --open-to-this-machine` has it."""
    metadata = metadata_for(path)
    metadata["plugins"]["memory-db"]["open_to_this_machine"] = True
    return metadata


async def started(path: Path, metadata: dict[str, Any] | None = None) -> Any:
    """The same, ready for more than its client."""
    datasette = made(path, metadata)
    await datasette.invoke_startup()
    return datasette


@asynccontextmanager
async def served(path: Path) -> AsyncIterator[Any]:
    """The same for as long as a block lasts; its databases are closed in the end."""
    async with served_as(path, None) as datasette:
        yield datasette


@asynccontextmanager
async def served_as(path: Path, metadata: dict[str, Any] | None) -> AsyncIterator[Any]:
    """The same with metadata of its own."""
    datasette = await started(path, metadata)
    try:
        yield datasette
    finally:
        for database in datasette.databases.values():
            database.close()


def signed_in(datasette: Any) -> dict[str, str]:
    """The cookie of the root actor."""
    return {"ds_actor": datasette.sign({"a": {"id": "root"}}, "actor")}


def guest(datasette: Any) -> dict[str, str]:
    """The cookie of somebody who may read, not write."""
    return {"ds_actor": datasette.sign({"a": {"id": "guest"}}, "actor")}


def soup(response: Any) -> BeautifulSoup:
    """A page, to be searched."""
    return BeautifulSoup(response.text, "html.parser")


def text_of(element: Any) -> str:
    """The words of an element, in one line."""
    return " ".join(element.get_text().split())


def one(db: sqlite3.Connection, sql: str, *values: object) -> Any:
    """The first value that a query gives."""
    return db.execute(sql, values).fetchone()[0]
