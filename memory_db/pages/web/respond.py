"""From a request to a page or its JSON form, for every page of ours.

In: a Datasette, a request, and a function that reads the file. Out: a
response. Invariant: what is wrong with a request is said in one line, with
status 400, 403, 404 or 405, in the form that was asked for; 503 is a file that
cannot be used for now.
"""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from memory_db.errors import CorruptError, DatabaseFileError, InputError, MemoryDBError, NotFoundError
from memory_db.pages.web import compat, one_file
from memory_db.store import audit
from memory_db.store.connection import explain

Make = Callable[[Path], dict[str, Any]]

Change = Callable[[Path, dict[str, list[str]], str], dict[str, Any]]
"""Takes the file, the fields that were sent and who sent them; gives what was done, `there`, perhaps `said`, and
`flash` where a person is told it in other words than the log, and `undo`: how it is taken back, or `offer`: what people
often do next (forms.py)."""

MOST_BODY = 100_000
"""Bytes of a form or a JSON body: some hundred hits are named in a tenth of it."""

UNDO = "memory_undo"
"""What is kept in the browser between a change and the page after it: how it is taken back, or what is offered."""

READING = ("GET", "HEAD", "POST")
"""Methods that a page is read by; POST where a question is too long for an address."""

WHO_MAY_WRITE = (
    "Not signed in as somebody who may write. Open the link that `memory-db serve` printed; a program sends a token"
    " (`memory-db file tokens add NAME`)."
)

JSON_HEADERS = {"cache-control": "no-store"}
"""A browser must not keep private text after the server has gone."""


def usual_status(data: dict[str, Any]) -> int:
    """The status of an answer that does not say how well something does."""
    return 200


async def show(
    datasette: Any, request: Any, template: str, make: Make, *,
    status_of: Callable[[dict[str, Any]], int] = usual_status, cookie: str = "", behind: bool = False,
) -> Any:  # fmt: skip
    """What `make` reads from our database, as a page or (path ending in .json) as JSON.

    `cookie` is set with the answer, unless it keeps a period in which nothing happened. `status_of` gives the status of
    the answer from its data. With `behind` the page links to the SQL behind it.
    """
    as_json = request.path.endswith(".json")
    if request.method not in READING:
        text = f"{request.method} is not supported here. Use GET."
        return await refuse(datasette, request, text, status=405, as_json=as_json)
    database = compat.memory_database(datasette)
    if database is None:
        text = "None of the databases served here is a memory-db file. Serve one: `memory-db serve`."
        return await refuse(datasette, request, text, status=404, as_json=as_json)
    if not await compat.may_see(datasette, request.actor, database.name):
        raise compat.Forbidden("view-database")
    path = Path(database.path)
    try:
        data = await asyncio.to_thread(make, path)
    except (MemoryDBError, sqlite3.Error) as error:
        return await refuse_error(datasette, request, error, path, as_json=as_json)
    status = status_of(data)
    undo = None if as_json else compat.taken(datasette, request, UNDO)
    data = {"ok": True, **data} if as_json else {**data, **await page_context(datasette, request, database)}
    if behind and not as_json and request.method == "GET":
        data["behind"] = request.path + (f"?{request.query_string}" if request.query_string else "")
    if undo and data["may_write"]:
        data["undo_last"] = undo
    chosen = data.get("period")
    is_empty_week = bool((chosen if isinstance(chosen, dict) else data).get("active_week"))
    headers = JSON_HEADERS | ({"set-cookie": cookie} if cookie and not is_empty_week else {})
    response = await compat.answer(datasette, request, template, data, as_json=as_json, status=status, headers=headers)
    return compat.without(response, UNDO) if undo else response


async def change(
    datasette: Any, request: Any, make: Change, *, template: str | None = None, most_bytes: int = MOST_BODY
) -> Any:  # fmt: skip
    """What `make` changes in our database, for whoever may: then another page, or (path ending in .json) JSON.

    With a template the answer is shown at once, for what is told only this once: a redirect would have to carry it. A
    dry run has nothing of the kind.
    Datasette has checked by then that a form came from a page of its own.
    """
    as_json = request.path.endswith(".json")
    if request.method != "POST":
        return await refuse(datasette, request, "Only POST changes something here.", status=405, as_json=as_json)
    database = compat.memory_database(datasette)
    if database is None or not await compat.may_see(datasette, request.actor, database.name):
        raise compat.Forbidden("view-database")
    if not await compat.may_write(datasette, request.actor):
        text = WHO_MAY_WRITE
        return await refuse(datasette, request, text, status=403, as_json=as_json)
    path = Path(database.path)
    try:
        fields = posted(await request.post_body(), request.headers.get("content-type") or "", most_bytes)
        actor = str(request.actor.get("id"))
        data = await asyncio.to_thread(recorded, path, actor, request.path, lambda: make(path, fields, actor))
    except (MemoryDBError, sqlite3.Error) as error:
        return await refuse_error(datasette, request, error, path, as_json=as_json)
    flash = data.pop("flash", data.get("said"))
    undo = None if data.get("dry_run") else data.get("undo") or data.get("offer")
    if as_json:
        return await compat.answer(datasette, request, "", data, as_json=True, headers=JSON_HEADERS)
    if template and not data.get("dry_run"):
        data = {**data, **await page_context(datasette, request, database)}
        return await compat.answer(datasette, request, template, data, as_json=False, headers=JSON_HEADERS)
    if flash:
        datasette.add_message(request, flash)
    response = compat.redirect(datasette, data["there"], headers=JSON_HEADERS)
    return compat.given(datasette, request, response, UNDO, undo) if undo else response


def recorded(path: Path, actor: str, target: str, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What the work gives, done between the two halves of its row in `audit_log`; the action is the path's last part.

    Raises: MemoryDBError, sqlite3.Error.
    """
    target = target.removesuffix(".json")
    action = target.rpartition("/")[2]
    return audit.recorded(path, actor, action, target, work, said=lambda data: str(data.get("said", "")), clock=clock)


def clock() -> datetime:
    """Now, with its zone."""
    return datetime.now(UTC)


def posted(body: bytes, content_type: str, most_bytes: int = MOST_BODY) -> dict[str, list[str]]:
    """A form, or a JSON object of texts, numbers and lists of them, as lists of text.

    Raises: InputError.
    """
    if len(body) > most_bytes:
        raise InputError(f"{len(body):,} bytes were sent, at most {most_bytes:,} are read. Send less at once.")
    try:
        text = body.decode()
        if content_type.partition(";")[0].strip() != "application/json":
            return parse_qs(text, keep_blank_values=True)
        sent = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"What was sent cannot be read: {str(error)[:100]}. Send a form or a JSON object.") from error
    if not isinstance(sent, dict):
        raise InputError('What was sent is no JSON object. Send one such as {"recall": 1, "relevant": [...]}.')
    return {str(name): [str(each) for each in listed(value)] for name, value in sent.items()}


def listed(value: object) -> list[object]:
    """A list as it is, nothing as an empty one, anything else as a list of one."""
    return value if isinstance(value, list) else [] if value is None else [value]


async def page_context(datasette: Any, request: Any, database: Any) -> dict[str, Any]:
    """What every page knows besides its data: the file, its place, and how to make links."""
    may_write = not request.args.get(one_file.FIELD) and await compat.may_write(datasette, request.actor)
    return {
        "file": database.name,
        "file_path": database.path,
        "file_size": Path(database.path).stat().st_size,
        "sql_url": lambda sql, **parameters: compat.sql_url(datasette, database.name, sql, **parameters),
        "queries": await compat.canned_queries(datasette, database.name, request.actor),
        "signed_in": request.actor is not None,
        "may_write": may_write,
        "csrf_token": compat.csrf_token(request) if may_write else "",
    }


async def refuse_error(
    datasette: Any, request: Any, error: MemoryDBError | sqlite3.Error, path: Path, *, as_json: bool
) -> Any:
    """What went wrong in the file, in one line."""
    known = error if isinstance(error, MemoryDBError) else explain(error, path)
    if isinstance(known, DatabaseFileError):
        status = 500 if isinstance(known, CorruptError) else 503
    else:
        status = 500 if known is not error else 404 if isinstance(error, NotFoundError) else 400
    return await refuse(datasette, request, str(known), status=status, as_json=as_json)


async def refuse_missing(datasette: Any, request: Any, text: str) -> Any:
    """What is asked for by a path that leads nowhere; `text` is what Datasette says of it."""
    if text in ("", "404"):
        text = f"There is no page {request.path[:200]}. The home page links to all of them: {datasette.urls.path('/')}"
    return await refuse(datasette, request, text, status=404, as_json=request.path.endswith(".json"))


async def refuse(datasette: Any, request: Any, text: str, *, status: int, as_json: bool) -> Any:
    """One line that says what is wrong; a page leads back to where its reader came from."""
    data = {"ok": False, "error": text, "status": status}
    if not as_json:
        data |= {"came_from": came_from(request), "file": await file_seen(datasette, request)}
    return await compat.answer(
        datasette, request, "memory_error.html", data, as_json=as_json, status=status, headers=JSON_HEADERS
    )


async def file_seen(datasette: Any, request: Any) -> str:
    """The name of our database, by which the menu leads to its tables; empty where there is none to see."""
    try:
        database = compat.memory_database(datasette)
    except sqlite3.Error:  # what could not be read is being told
        return ""
    if database is None or not await compat.may_see(datasette, request.actor, database.name):
        return ""
    return str(database.name)


def came_from(request: Any) -> str:
    """The page of ours from which a request was sent; empty where a browser does not tell, or it was another site."""
    ours = re.compile(rf"https?://{re.escape(request.host)}(/(?!/)[!-~]*)", re.ASCII)
    found = ours.fullmatch(request.headers.get("referer") or "")
    return found[1] if found and found[1] != request.full_path else ""


def fields_of(request: Any) -> dict[str, list[str]]:
    """The query string as lists of text, but for what asks for the page as a file."""
    return {name: list(request.args.getlist(name)) for name in request.args if name != one_file.FIELD}


async def fields_asked(request: Any) -> Callable[[], dict[str, list[str]]]:
    """What gives the fields of a question: of the query string, or of the body of a POST.

    The body is read at once and understood where errors are answered. Raises: InputError when called.
    """
    if request.method != "POST":
        return lambda: fields_of(request)
    body, content_type = await request.post_body(), request.headers.get("content-type") or ""
    return lambda: posted(body, content_type)
