"""A text of any length as a file that a browser keeps, sent part by part.

In: a Datasette, a request, and a function that gives the parts. Out: a response. Invariants: only who is signed in gets
one; the first parts are made before anything is sent, so that what is wrong with a request is still said in one line;
all parts are made in one thread, since a connection belongs to a thread.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

from memory_db.errors import MemoryDBError
from memory_db.pages.web import compat
from memory_db.pages.web import respond as web

PORTION = 100
"""Parts sent at once: some dozen kB."""

SIGN_IN = "You must be signed in to export memories. Open the link that `memory-db serve` printed."


async def download(
    datasette: Any, request: Any, make: Callable[[Path], Iterator[str]], *, name: str, content_type: str
) -> Any:
    """What `make` gives of our database, as an attachment of that name; else why not, in one line."""
    as_json = request.path.endswith(".json")
    database = compat.memory_database(datasette)
    if database is None or not await compat.may_see(datasette, request.actor, database.name):
        raise compat.Forbidden("view-database")
    if request.actor is None:
        return await web.refuse(datasette, request, SIGN_IN, status=403, as_json=as_json)
    path = Path(database.path)
    loop, pool = asyncio.get_running_loop(), ThreadPoolExecutor(max_workers=1)
    parts = make(path)

    def portion() -> str:
        return "".join(islice(parts, PORTION))

    try:
        begun = await loop.run_in_executor(pool, portion)
    except (MemoryDBError, sqlite3.Error) as error:
        pool.shutdown(wait=False)
        return await web.refuse_error(datasette, request, error, path, as_json=as_json)

    async def send(writer: Any) -> None:
        try:
            text = begun
            while text:
                await writer.write(text)
                text = await loop.run_in_executor(pool, portion)
        finally:
            pool.submit(parts.close)  # type: ignore[attr-defined]  # a generator: it closes its connection
            pool.shutdown(wait=False)

    headers = {**web.JSON_HEADERS, "content-disposition": f'attachment; filename="{name}"'}
    return compat.stream(send, headers=headers, content_type=content_type)
