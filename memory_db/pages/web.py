"""From a request to a page or its JSON form, for every page of ours.

In: a Datasette, a request, and a function that reads the file. Out: a
response. Invariant: what is wrong with a request is said in one line, with
status 400, 403 or 404, in the form that was asked for.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memory_db.connection import explain
from memory_db.errors import MemoryDBError, NotFoundError
from memory_db.pages import compat

Make = Callable[[Path], dict[str, Any]]

JSON_HEADERS = {"cache-control": "no-store"}
"""A browser must not keep private text after the server has gone."""


async def show(datasette: Any, request: Any, template: str, make: Make) -> Any:
    """What `make` reads from our database, as a page or (path ending in .json) as JSON."""
    as_json = request.path.endswith(".json")
    database = await compat.memory_database(datasette)
    if database is None:
        text = "None of the databases served here is a memory-db file. Serve one: `memory-db serve`."
        return await refuse(datasette, request, text, status=404, as_json=as_json)
    if not await compat.may_see(datasette, request.actor, database.name):
        raise compat.Forbidden("view-database")
    path = Path(database.path)
    try:
        data = await asyncio.to_thread(make, path)
    except MemoryDBError as error:
        status = 404 if isinstance(error, NotFoundError) else 400
        return await refuse(datasette, request, str(error), status=status, as_json=as_json)
    except sqlite3.Error as error:
        return await refuse(datasette, request, str(explain(error, path)), status=500, as_json=as_json)
    if not as_json:
        data = {**data, **await surroundings(datasette, request, database)}
    return await compat.answer(datasette, request, template, data, as_json=as_json, headers=JSON_HEADERS)


async def surroundings(datasette: Any, request: Any, database: Any) -> dict[str, Any]:
    """What every page knows besides its data: the file, its place, and how to make links."""
    return {
        "file": database.name,
        "file_path": database.path,
        "file_size": Path(database.path).stat().st_size,
        "sql_url": lambda sql, **parameters: compat.sql_url(datasette, database.name, sql, **parameters),
        "queries": await compat.canned_queries(datasette, database.name, request.actor),
        "signed_in": request.actor is not None,
    }


async def refuse(datasette: Any, request: Any, text: str, *, status: int, as_json: bool) -> Any:
    """One line that says what is wrong."""
    data = {"ok": False, "error": text, "status": status}
    return await compat.answer(
        datasette, request, "memory_error.html", data, as_json=as_json, status=status, headers=JSON_HEADERS
    )


def fields_of(request: Any) -> dict[str, list[str]]:
    """The query string as lists of text."""
    return {name: list(request.args.getlist(name)) for name in request.args}
