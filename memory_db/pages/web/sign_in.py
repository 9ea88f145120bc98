"""Who may read: nothing is answered to a request that is not signed in, whatever it asks for.

In: an ASGI application. Out: the same application for who is known (the signed-in link's cookie, a token of ours, an
actor of another plugin); for all others one page that says how to sign in, or one line of JSON. Invariant: no path is
open unless it is named here or in the plugin's settings, so none of Datasette's or of another plugin can be forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from memory_db.pages.web.api_tokens import SCOPE
from memory_db.pages.web.guard import App

SIGN_IN_PATH = "/-/auth-token"
"""Where the signed-in link leads; it is good for one visit."""

OPEN_PATHS = (SIGN_IN_PATH, "/-/actor", "/-/actor.json", "/favicon.ico")
"""What anybody may ask for: the signed-in link, who oneself is, and an icon."""

HOW = (
    "Not signed in. Open the link that the server printed when it started; a program sends a token"
    " (`memory-db file tokens add NAME`) in the header Authorization: Bearer TOKEN."
)

IsKnown = Callable[[dict[str, Any], Any], Awaitable[bool]]
"""Whether a request, by its scope and what it receives, comes from somebody who is signed in."""


def signed_in_only(app: App, is_known: IsKnown, *, open_paths: Collection[str], page: Path) -> App:
    """The application for who is signed in; `open_paths` are for everybody, those that end in / with all below them."""
    page_body = page.read_bytes()

    async def inner(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if is_visit_of_link(scope) and await is_known(scope, receive):
            await go_home(send)
        elif (
            scope["type"] not in ("http", "websocket")
            or is_open(path_of(scope), open_paths)
            or SCOPE in scope
            or await is_known(scope, receive)
        ):
            await app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif wants_page(scope):
            await say(send, b"text/html; charset=utf-8", page_body)
        else:
            line = json.dumps({"ok": False, "error": HOW, "status": 401}) + "\n"
            await say(send, b"application/json; charset=utf-8", line.encode())

    return inner


def is_visit_of_link(scope: Mapping[str, Any]) -> bool:
    """Whether a browser opens the signed-in link, which Datasette refuses to who has opened it before."""
    return scope["type"] == "http" and scope.get("method") == "GET" and path_of(scope) == SIGN_IN_PATH


async def go_home(send: Any) -> None:
    """Sends a browser to the home page."""
    headers = [(b"location", b"/"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def path_of(scope: Mapping[str, Any]) -> str:
    """The path of a request as Datasette routes by it: not decoded."""
    raw = scope.get("raw_path")
    return raw.decode("latin-1").partition("?")[0] if raw else str(scope.get("path", ""))


def is_open(path: str, open_paths: Collection[str]) -> bool:
    """Whether a path is one of those for everybody, or below one that ends in /."""
    return any(path == each or (each.endswith("/") and path.startswith(each)) for each in open_paths)


def wants_page(scope: Mapping[str, Any]) -> bool:
    """Whether a browser shows the answer to a person."""
    accepted = [value for name, value in scope.get("headers", []) if name.lower() == b"accept"]
    return b"text/html" in b",".join(accepted).lower() and not path_of(scope).endswith(".json")


async def say(send: Any, content_type: bytes, body: bytes) -> None:
    """Answers that nobody is signed in."""
    headers = [(b"content-type", content_type), (b"cache-control", b"no-store"), (b"www-authenticate", b"Bearer")]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})
