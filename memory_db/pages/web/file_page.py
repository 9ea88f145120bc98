"""Shows our page of tables where Datasette would list those of a file; with anything asked for, Datasette answers.

In: an ASGI application, the path of the database's page and that of ours. Out: the same application. Invariant: only a
bare visit is led on; queries, formats and everything below the path stay Datasette's.
"""

from __future__ import annotations

from typing import Any

from memory_db.pages.web.guard import App
from memory_db.pages.web.sign_in import path_of


def led_on(app: App, *, database: str, ours: str) -> App:
    """The application, in which a bare visit of the database's page is one of ours."""

    async def inner(scope: dict[str, Any], receive: Any, send: Any) -> None:
        is_bare = scope["type"] == "http" and not scope.get("query_string") and scope.get("method") in ("GET", "HEAD")
        if is_bare and path_of(scope) == database:
            scope = {**scope, "path": ours, "raw_path": ours.encode("latin-1")}
        await app(scope, receive, send)

    return inner
