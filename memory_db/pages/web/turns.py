"""SQL that people type runs by turns, so that pages always have a thread.

In: an ASGI application. Out: the same, in which few typed queries run at once and the others wait. Invariant: a request
without typed SQL never waits here.
"""

from __future__ import annotations

import asyncio
import weakref
from typing import Any
from urllib.parse import parse_qs

from memory_db.pages.web.guard import App, say

MOST_AT_ONCE = 2
"""How many typed queries run at once: one fewer than the threads in which Datasette reads.

Source: Datasette, setting `num_sql_threads`, 3 unless told otherwise.
"""

PATIENCE_S = 20.0
"""How long one waits for its turn: eight queries that each take all of their 2.5 s."""


TURNS: weakref.WeakKeyDictionary[Any, asyncio.Semaphore] = weakref.WeakKeyDictionary()
"""The turns of each server, which may be made an application more than once."""


def turns_of(server: Any) -> asyncio.Semaphore:
    """The turns that a server's typed queries take."""
    return TURNS.setdefault(server, asyncio.Semaphore(MOST_AT_ONCE))


def typed_sql_by_turns(app: App, turns: asyncio.Semaphore, *, patience_s: float = PATIENCE_S) -> App:
    """The application, running as many of the queries at once that stand in an address as there are turns."""

    async def inner(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http" or b"sql=" not in scope.get("query_string", b"") or not has_sql(scope):
            await app(scope, receive, send)
            return
        try:
            await asyncio.wait_for(turns.acquire(), patience_s)
        except TimeoutError:
            await say(send, 503, "Too many long queries run at the moment. Try again when some have ended.")
            return
        try:
            await app(scope, receive, send)
        finally:
            turns.release()

    return inner


def has_sql(scope: dict[str, Any]) -> bool:
    """Whether a request carries SQL in its address."""
    return "sql" in parse_qs(scope["query_string"].decode("latin-1"))
