"""Notices that the file which a server opened is gone, or that another stands in its place.

In: an ASGI application and the path of the file. Out: the same application as long as the file is the one it was; then
one line, with status 503, whatever is asked for. Invariant: no answer mixes two files. Datasette keeps connections,
which go on reading a file that was deleted or replaced, while our pages open its path anew; so all of them stop, and
the server is started again, which opens every connection anew. A file that is put back is served again.
"""

from __future__ import annotations

import asyncio
import html
import json
import os
import sqlite3
import weakref
from contextlib import closing
from pathlib import Path
from typing import Any

from memory_db.errors import CorruptError, DatabaseFileError, NotADatabaseError
from memory_db.pages.web.guard import App
from memory_db.pages.web.sign_in import wants_page
from memory_db.store.connection import APPLICATION_ID, identity, open_raw

ORIGIN = "select applied_at from _sqlite_migrations order by id limit 1"
"""When a file was made, to the microsecond: copies of one share it, two files do not."""

AGAIN = "Stop the server and start it again: `memory-db serve`."

LINE = "{{ line }}"
"""Where the page has the line."""

Glance = tuple[int, int, int, int]
"""Which file stands at a path, its size, and when it was last written."""


class FileWatch:
    """A file as a server opened it, to be compared with what stands at its path now."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seen = glance(path)
        self.origin = origin(path) if self.seen else None
        self.opened = self.seen

    def is_as_seen(self) -> bool:
        """Whether nothing was written since the file was last looked into: that takes a few microseconds."""
        return self.seen is not None and glance(self.path) == self.seen

    def trouble(self) -> str:
        """Why the file cannot be served any more, in one line; nothing where it can."""
        now, self.seen = glance(self.path), None
        if now is None:
            return (
                f"No database at {self.path} any more: it was deleted or moved while this server ran. Put it back, or"
                f" restore a copy (`memory-db file restore`). {AGAIN}"
            )
        if self.opened is None or now[:2] != self.opened[:2]:
            return f"{self.path} was replaced while this server ran: another file stands there. {AGAIN}"
        try:
            if origin(self.path) != self.origin:
                return f"{self.path} was written over while this server ran: it holds another file. {AGAIN}"
        except NotADatabaseError:
            return (
                f"{self.path} was written over while this server ran: it is no memory-db file. Restore a copy. {AGAIN}"
            )
        except DatabaseFileError:
            return ""  # damaged or busy: each page says so itself
        self.seen = now
        return ""


def glance(path: Path) -> Glance | None:
    """Which file stands there; None where there is none, or it cannot be reached."""
    try:
        state = os.stat(path)  # noqa: PTH116  # for each request: pathlib would make a path of it first
    except OSError:
        return None
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns


def origin(path: Path) -> str:
    """When the file was made. Raises: NotADatabaseError where it is not one of ours; other DatabaseFileErrors."""
    try:
        with closing(open_raw(path, write=False)) as db:
            if identity(db)[0] != APPLICATION_ID:
                raise NotADatabaseError(f"{path} is no memory-db file.")
            return str(db.execute(ORIGIN).fetchone()[0])
    except (sqlite3.Error, TypeError) as error:
        raise CorruptError(f"{path} is damaged: {error}") from error


WATCHES: weakref.WeakKeyDictionary[Any, FileWatch] = weakref.WeakKeyDictionary()
"""The watch of each server: of the moment when it was first made an application."""


def watch_of(server: Any, path: Path) -> FileWatch:
    """The watch over the file of a server."""
    if server not in WATCHES:
        WATCHES[server] = FileWatch(path)
    return WATCHES[server]


async def trouble_of(watch: FileWatch) -> str:
    """Why the file cannot be served any more; nothing where it can."""
    return "" if watch.is_as_seen() else await asyncio.to_thread(watch.trouble)


def watched(app: App, watch: FileWatch, *, page: Path) -> App:
    """The application as long as its file is the one that it opened; else one line, or a page that holds it."""
    page_text = page.read_text("utf-8")

    async def inner(scope: dict[str, Any], receive: Any, send: Any) -> None:
        line = await trouble_of(watch) if scope["type"] in ("http", "websocket") else ""
        if not line:
            await app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1013})
        elif wants_page(scope):
            body = page_text.replace(LINE, html.escape(line))
            await say(send, b"text/html; charset=utf-8", body.encode(errors="replace"))
        else:
            body = json.dumps({"ok": False, "error": line, "status": 503}) + "\n"
            await say(send, b"application/json; charset=utf-8", body.encode())

    return inner


async def say(send: Any, content_type: bytes, body: bytes) -> None:
    """Answers that the file cannot be served."""
    headers = [(b"content-type", content_type), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": body})
