"""Server-sent events: a line whenever somebody wrote to the file, for any number of readers.

In: a Datasette and a request. Out: a stream of `event: changed`, each with a number that grows. Invariants: one thread
a file asks SQLite whether others wrote, however many read; it ends with its last reader; hooks pay nothing for it, for
what they could not write at once is taken in here.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from memory_db.errors import MemoryDBError
from memory_db.pages.cache import watching
from memory_db.pages.web import compat, respond
from memory_db.recall.brief import spool
from memory_db.store.connection import connect

EVERY_S = 0.4
"""How often the file is looked at. Source: ours; a change is on the page within half a second."""

ALIVE_S = 8.0
"""After how long without a change a reader is told to look all the same: transcripts grow beside the file."""

LONGEST_S = 60.0
"""How long one stream lasts; the browser comes back by itself. A server that stops need not wait for it longer."""

MOST_READERS = 32
"""Pages that follow at once; a further one is told to look again later."""


class Watcher:
    """One file, watched by one task; readers wait for the next change."""

    def __init__(self, path: Path) -> None:
        self.path, self.number, self.readers = path, 0, 0
        self.changed = asyncio.Condition()
        self.task: asyncio.Task[None] | None = None

    async def watch(self) -> None:
        """Looks at the file as long as somebody reads."""
        with closing(watching(self.path)) as db:
            before = version(db)
            while self.readers:
                await asyncio.sleep(EVERY_S)
                await asyncio.to_thread(take_in, self.path)
                now = version(db)
                if now != before:
                    before = now
                    async with self.changed:
                        self.number += 1
                        self.changed.notify_all()

    async def next_after(self, number: int) -> int:
        """The number of the next change, or the same after a while without one."""
        async with self.changed:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.changed.wait_for(lambda: self.number > number), ALIVE_S)
            return self.number


WATCHERS: WeakKeyDictionary[Any, dict[Path, Watcher]] = WeakKeyDictionary()
"""By Datasette: what waits for something belongs to one event loop."""


def version(db: sqlite3.Connection) -> int:
    """What changes when another connection writes; -1 while the file cannot be read."""
    try:
        return int(db.execute("pragma data_version").fetchone()[0])
    except sqlite3.Error:
        return -1


def take_in(path: Path) -> None:
    """Takes in what hooks left beside the file; where it is busy, the next look does."""
    if not spool.waiting(path):
        return
    with contextlib.suppress(MemoryDBError, sqlite3.Error, OSError), closing(connect(path, write=True)) as db:
        spool.take_in(db, path, now=respond.clock())


async def follow(datasette: Any, request: Any) -> Any:
    """The stream for one reader; who may not see the file gets none."""
    database = compat.memory_database(datasette)
    if database is None or not await compat.may_see(datasette, request.actor, database.name):
        raise compat.Forbidden("view-database")
    path = Path(database.path)
    watcher = WATCHERS.setdefault(datasette, {}).setdefault(path, Watcher(path))
    if watcher.readers >= MOST_READERS:
        text = f"{MOST_READERS} pages follow already. Reload the page to see the last state."
        return await respond.refuse(datasette, request, text, status=503, as_json=True)

    async def send(writer: Any) -> None:
        gone = asyncio.create_task(disconnected(request))
        watcher.readers += 1
        if watcher.task is None or watcher.task.done():
            watcher.task = asyncio.create_task(watcher.watch())
        until = time.monotonic() + LONGEST_S
        try:
            number = watcher.number
            await writer.write(f"retry: 500\nevent: hello\ndata: {number}\n\n")
            while time.monotonic() < until and not gone.done():
                waiting = asyncio.create_task(watcher.next_after(number))
                await asyncio.wait({waiting, gone}, return_when=asyncio.FIRST_COMPLETED)
                if gone.done():
                    waiting.cancel()
                    return
                now = waiting.result()
                await writer.write(f"event: {'changed' if now != number else 'look'}\ndata: {now}\n\n")
                number = now
        finally:
            gone.cancel()
            watcher.readers -= 1

    headers = {**respond.JSON_HEADERS, "x-accel-buffering": "no"}
    return compat.stream(send, headers=headers, content_type="text/event-stream")


async def disconnected(request: Any) -> None:
    """Comes back when the reader has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
