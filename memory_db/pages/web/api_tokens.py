"""Tokens for programs on the server: who shows one, and the page where they are made and taken back.

In: a request's `Authorization` header, or a form. Out: an actor, a refusal, or plain dicts. Invariants: a token never
opens what is closed to everybody, and is never asked for in a link or a cookie; a bad one is refused, whatever the
request wants, so that no program takes itself for signed in.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_db.errors import DatabaseFileError, InputError, MemoryDBError
from memory_db.pages.forms import Fields, changing, check_known, flag, note_dry_run
from memory_db.pages.web.guard import App
from memory_db.store import api_tokens
from memory_db.store.connection import connect
from memory_db.transcripts.projects import project_named

KIND = "memory-db"
"""The `token` of an actor of ours: Datasette lets no actor with a token make further tokens."""

SCOPE = "memory_db.token_actor"
"""Where in a request's scope the actor of its token stands."""

USE_BUSY_MS = 100
"""How long noting a use waits for a writer; a use that could not be noted is lost, not the request."""

LISTED = 100

ONE_PROJECT = (
    "This token is for one project: it may use /-/memory/recall.json, /-/memory/brief.json and"
    " /-/memory/memories.json, and nothing else."
)

Check = Callable[[str], Awaitable[dict[str, Any] | str]]
"""From a token to its actor, or to the line that says why not."""


def actor_of(path: Path, text: str, *, now: datetime) -> dict[str, Any] | str:
    """The actor of a token: `{"id": "token:NAME", "token": "memory-db"}`, or why it is refused, in a line.

    Its `may_write` and `project` say what it is limited to.

    Raises: DatabaseFileError where the file cannot be used.
    """
    try:
        with closing(connect(path)) as db:
            token = api_tokens.check(db, text, now=now)
    except DatabaseFileError:
        raise
    except MemoryDBError as error:
        return str(error)
    if token.last_used_at != api_tokens.minute(now):
        with contextlib.suppress(MemoryDBError, sqlite3.Error), closing(
            connect(path, write=True, busy_ms=USE_BUSY_MS)
        ) as db:  # fmt: skip
            api_tokens.note_use(db, token, now=now)
    return {"id": f"token:{token.name}", "token": KIND, "may_write": token.may_write, "project": token.project}


def is_token(actor: Mapping[str, Any] | None) -> bool:
    """Whether an actor is a program with a token of ours."""
    return actor is not None and actor.get("token") == KIND


def project_of(actor: Mapping[str, Any] | None) -> str | None:
    """The path of the only project that an actor may read; None for who may read all."""
    return str(actor["project"]) if actor is not None and is_token(actor) and actor.get("project") else None


def is_person(actor: Mapping[str, Any] | None) -> bool:
    """Whether an actor opened the signed-in link: who alone makes tokens and takes them back."""
    return actor is not None and actor.get("id") == "root" and not actor.get("token")


def is_ours(path: str) -> bool:
    """Whether a path leads to a page of ours, where a token says who somebody is.

    Elsewhere they stay anonymous: a rule such as `allow: {id: "*"}` would let a token in where nobody else may look.
    """
    return path.startswith("/-/memory")


def bearing(app: App, check: Check) -> App:
    """The application, told who shows a token of ours; a bad one is answered with 401 and a line of JSON.

    Where the file that knows the tokens cannot be used it is 503.
    """

    async def inner(scope: dict[str, Any], receive: Any, send: Any) -> None:
        text = token_of(scope) if scope["type"] == "http" else None
        if text is None:
            await app(scope, receive, send)
            return
        try:
            found = await check(text)
        except DatabaseFileError as error:
            await refuse(send, str(error), status=503)
            return
        if isinstance(found, str):
            await refuse(send, found)
            return
        if project_of(found) and not is_ours(str(scope.get("path", ""))):
            await refuse(send, ONE_PROJECT, status=403)
            return
        await app({**scope, SCOPE: found}, receive, send)

    return inner


def token_of(scope: Mapping[str, Any]) -> str | None:
    """The token in the header `Authorization`, if it is one of ours; other tokens are other plugins'."""
    for name, value in scope.get("headers", []):
        scheme, _, text = value.decode("latin-1").strip().partition(" ")
        if name.lower() == b"authorization" and scheme.lower() == "bearer" and text.strip().startswith(
            api_tokens.PREFIX
        ):  # fmt: skip
            return str(text.strip())
    return None


async def refuse(send: Any, text: str, *, status: int = 401) -> None:
    """Says why a token is no good, or cannot be looked up."""
    body = json.dumps({"ok": False, "error": text, "status": status}) + "\n"
    headers = [
        (b"content-type", b"application/json; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"www-authenticate", b"Bearer"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body.encode()})


# ------------------------------------------------------------------- the page


def listed(path: Path, *, now: datetime) -> dict[str, Any]:
    """The newest tokens, without their secrets, and how many there are."""
    with closing(connect(path)) as db:
        tokens = api_tokens.list_tokens(db, now=now, limit=LISTED)
        total = int(db.execute("select count(*) from api_tokens").fetchone()[0])
    return {"tokens": [asdict(token) for token in tokens], "total": total}


def add(path: Path, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """Makes a token; the only answer that holds it, under `token`, which is None for a dry run.

    Raises: InputError, NotFoundError, ConflictError.
    """
    check_known(fields, ("name", "days", "read_only", "project", "dry_run"))
    dry_run, name, days = flag(fields, "dry_run"), one(fields, "name"), one(fields, "days")
    if days and not (days.isascii() and days.isdigit()):
        raise InputError(f"days {days[:20]!r} cannot be used. Give a whole number of days, or nothing.")
    with changing(path, dry_run=dry_run) as db:
        text = api_tokens.add(
            db, name, days=int(days[:9]) if days else None, may_write=not flag(fields, "read_only"),
            project_id=project_named(db, project) if (project := one(fields, "project")) else None, now=now,
        )  # fmt: skip
    token, said = None if dry_run else text, note_dry_run(f"Created the token {name}.", dry_run)
    return {"ok": True, **listed(path, now=now), "name": name, "token": token, "dry_run": dry_run, "said": said,
            "there": "/-/memory/tokens"}  # fmt: skip


def revoke(path: Path, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """Takes a token back.

    Raises: NotFoundError.
    """
    check_known(fields, ("name", "dry_run"))
    dry_run, name = flag(fields, "dry_run"), one(fields, "name")
    with changing(path, dry_run=dry_run) as db:
        was_good = api_tokens.revoke(db, name, now=now)
    said = note_dry_run(f"The token {name} {'is' if was_good else 'was already'} revoked.", dry_run)
    return {
        "ok": True,
        "name": name,
        "revoked": was_good,
        "dry_run": dry_run,
        "said": said,
        "there": "/-/memory/tokens",
    }


def one(fields: Fields, name: str) -> str:
    """The value of a field, or nothing."""
    return (fields.get(name) or [""])[0].strip()
