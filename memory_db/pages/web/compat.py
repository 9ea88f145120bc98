"""The only module that knows which Datasette it runs on: the stable line or the 1.0 alphas.

In: a Datasette and what a page wants of it. Out: the same answer on both
lines. Invariant: nothing else in this project asks for Datasette's version.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.resources
import json
import re
import sqlite3
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

from datasette import hookimpl  # type: ignore[import-untyped]
from datasette.app import Datasette  # type: ignore[import-untyped]
from datasette.plugins import pm  # type: ignore[import-untyped]
from datasette.utils import actor_matches_allow, await_me_maybe, module_from_path  # type: ignore[import-untyped]
from datasette.utils.asgi import (  # type: ignore[import-untyped]
    AsgiStream,
    Forbidden,
    NotFound,
    Request,
    Response,
    asgi_static,
)
from datasette.version import __version__ as DATASETTE_VERSION  # type: ignore[import-untyped]  # noqa: N812
from itsdangerous import BadSignature
from jinja2 import ChoiceLoader, DictLoader, Environment, FileSystemLoader

from memory_db.errors import MemoryDBError
from memory_db.pages.web.api_tokens import is_token
from memory_db.store.connection import APPLICATION_ID, identity, open_raw

try:
    from datasette.permissions import Action, PermissionSQL  # type: ignore[import-untyped]
    from datasette.resources import DatabaseResource  # type: ignore[import-untyped]
    from datasette.tokens import TokenInvalid  # type: ignore[import-untyped]
except ImportError:
    Action = PermissionSQL = DatabaseResource = None
    TokenInvalid = ()

__all__ = ["DATASETTE_VERSION", "IS_ALPHA", "Forbidden", "NotFound", "Response", "hookimpl"]

IS_ALPHA = DatabaseResource is not None
"""Whether this is one of the 1.0 alphas."""

WRITE = "memory-write"
"""The permission to change our tables from a page: judging, and making query sets."""

ROOT: dict[str, object] = {"id": "root"}
"""Who may write, besides tokens, unless `may_write` of the plugin's settings says otherwise: whoever opened the
signed-in link."""

NAMES: WeakKeyDictionary[Any, str | None] = WeakKeyDictionary()
"""What `memory_name` found, by Datasette."""

# Where rich is installed Datasette prints each error with the values of all variables: words of memories among them.
pm.get_plugin("datasette.handle_exception").rich = None


def make_datasette(
    path: Path, *, metadata: dict[str, Any], plugins: Path, settings: Mapping[str, object], secret: str | None = None
) -> Any:
    """A Datasette with one database and our plugins, which bring their own templates and static files."""
    options: dict[str, Any] = {
        "metadata": metadata,
        "plugins_dir": str(plugins),
        "settings": dict(settings),
        "secret": secret,
    }
    if IS_ALPHA:
        options["settings"] = {name: value for name, value in settings.items() if known_setting(name)}
    return Datasette([str(path)], **options)


def memory_name(datasette: Any) -> str | None:
    """What a Datasette calls its memory-db file, the first of several; None where it serves none.

    What a file says it is counts, not its name: a Datasette that is being made cannot be asked for tables.
    """
    if datasette not in NAMES:
        mine = (name for name, database in datasette.databases.items() if database.path and is_ours(database.path))
        NAMES[datasette] = next(mine, None)
    return NAMES[datasette]


def log_without_values(datasette: Any, name: str) -> None:
    """Has failed SQL of a database logged in one line, with neither its text nor its parameters, which hold words."""
    database = datasette.databases[name]
    execute = database.execute

    async def quiet(sql: str, params: Any = None, *more: Any, log_sql_errors: bool = True, **others: Any) -> Any:
        try:
            return await execute(sql, params, *more, log_sql_errors=False, **others)
        except sqlite3.DatabaseError as error:
            if log_sql_errors:
                sys.stderr.write(f"SQL on {name} failed: {type(error).__name__}, {len(sql):,} characters.\n")
            raise

    database.execute = quiet


def is_ours(path: str | Path) -> bool:
    """Whether a file says that it is one of memory-db's; one that cannot be read says nothing."""
    try:
        with closing(open_raw(path, write=False)) as db:
            return identity(db)[0] == APPLICATION_ID
    except MemoryDBError:
        return False


def register(path: Path) -> None:
    """Loads a plugin from its file, once: `--plugins-dir` gives it the same name."""
    if not pm.has_plugin(path.name):
        pm.register(module_from_path(str(path), name=path.name), name=path.name)


def describe(datasette: Any, metadata: Mapping[str, Any]) -> None:
    """Adds what metadata says of databases to what a Datasette was told itself, which comes first."""
    datasette._metadata_local = merged(metadata, datasette._metadata_local or {})


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Two trees as one; where both say something, the one above."""
    found = {**below, **above}
    for name in below.keys() & above.keys():
        if isinstance(below[name], Mapping) and isinstance(above[name], Mapping):
            found[name] = merged(below[name], above[name])
    return found


def add_templates(environment: Environment, folder: Path, first: Sequence[str] = ()) -> None:
    """Lets an environment find the templates of a folder, after those that it finds already, but `first` before them.

    One that comes first finds Datasette's own as `default:NAME`.
    """
    known = [environment.loader] if environment.loader else []
    before = DictLoader({name: (folder / name).read_text("utf-8") for name in first})
    environment.loader = ChoiceLoader([before, *known, FileSystemLoader(folder)])


def static_files(folder: Path) -> Callable[..., Awaitable[None]]:
    """A view of the files in a folder, by the part `path` of its route."""
    view: Callable[..., Awaitable[None]] = asgi_static(folder)
    return view


async def add_ready_questions(datasette: Any) -> None:
    """Lets the alphas find the queries of the metadata, which they read from their configuration alone."""
    database = memory_database(datasette) if IS_ALPHA else None
    if database is None:
        return
    described = (datasette._metadata_local.get("databases") or {}).get(database.name) or {}
    for name, query in (described.get("queries") or {}).items():
        fields = query if isinstance(query, dict) else {"sql": query}
        await datasette.add_query(
            database.name, name, fields["sql"], title=fields.get("title"), description=fields.get("description"),
            hide_sql=bool(fields.get("hide_sql")), is_trusted=True,
        )  # fmt: skip


def known_setting(name: str) -> bool:
    """Whether this Datasette has a setting of that name."""
    from_app = importlib.import_module("datasette.app").DEFAULT_SETTINGS
    return name in from_app


async def is_signed_in(datasette: Any, scope: dict[str, Any], receive: Any) -> bool:
    """Whether anybody knows who sends a request: the cookie of the signed-in link, a token, another plugin."""
    known = bool(scope.get("actor"))
    for found in pm.hook.actor_from_request(datasette=datasette, request=Request(scope, receive)):
        try:
            known = bool(await await_me_maybe(found)) or known
        except TokenInvalid:
            return False
    return known


def sign_in_path(datasette: Any) -> str:
    """The path that signs the browser in as root, good for one visit."""
    if IS_ALPHA:
        datasette.root_enabled = True
    return f"{datasette.urls.path('-/auth-token')}?{urlencode({'token': datasette._root_token})}"


def is_without_link(words: Sequence[str]) -> bool:
    """Whether a process was started as Datasette's own command that prints no signed-in link."""
    program = Path(words[0])
    is_datasette = program.stem == "datasette" or (program.name == "__main__.py" and program.parent.name == "datasette")
    return is_datasette and "--root" not in words


def memory_database(datasette: Any) -> Any | None:
    """The database that is a memory-db file, or None; its name is that of the user's file.

    Nothing is asked of it here: every request comes by, and on a busy machine a time limit may end any query.
    """
    name = memory_name(datasette)
    return None if name is None else datasette.databases.get(name)


async def may_see(datasette: Any, actor: dict[str, Any] | None, database: str) -> bool:
    """Whether somebody may look into a database; who shows a token may see what everybody may."""
    actor = None if is_token(actor) else actor
    if IS_ALPHA:
        return bool(await datasette.allowed(action="view-database", resource=DatabaseResource(database), actor=actor))
    return bool(await datasette.permission_allowed(actor, "view-database", resource=database, default=True))


async def may_write(datasette: Any, actor: dict[str, Any] | None) -> bool:
    """Whether somebody may change our tables from a page."""
    if actor is None:
        return False
    if IS_ALPHA:
        return bool(await datasette.allowed(action=WRITE, actor=actor))
    return bool(await datasette.permission_allowed(actor, WRITE, default=False))


def grants_writing(datasette: Any, actor: dict[str, Any] | None, action: str) -> bool:
    """Whether our settings let an actor write; False also where the action is another.

    Root and tokens of ours may where `may_write` is not set; where it is, it names everybody who may.
    """
    if action != WRITE or actor is None or (is_token(actor) and not actor.get("may_write")):
        return False
    allowed = (datasette.plugin_config("memory-db") or {}).get("may_write")
    if allowed is None:
        return is_token(actor) or bool(actor_matches_allow(actor, ROOT))
    return bool(actor_matches_allow(actor, allowed))


def write_action() -> list[Any]:
    """The permission as the alphas want it registered."""
    return [Action(name=WRITE, description="Judge hits and make query sets")] if IS_ALPHA else []


def write_grant() -> Any:
    """What grants a permission on the alphas."""
    return PermissionSQL.allow(reason="may_write of memory-db")


def csrf_token(request: Any) -> str:
    """What a form of ours must carry; the alphas look at where a request comes from instead."""
    make = request.scope.get("csrftoken")
    return str(make()) if make else ""


async def canned_queries(datasette: Any, database: str, actor: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The canned queries of a database: name, title, description, url, parameters."""
    if IS_ALPHA:
        found = [vars(query) for query in (await datasette.list_queries(database, actor=actor, limit=100)).queries]
    else:
        found = list((await datasette.get_canned_queries(database, actor)).values())
    return [
        {
            "name": query["name"],
            "title": query.get("title") or query["name"],
            "description": query.get("description") or "",
            "url": datasette.urls.query(database, query["name"]),
            "parameters": sorted(set(re.findall(r":([a-z]\w*)", query["sql"]))),
        }
        for query in found
    ]


def sql_url(datasette: Any, database: str, sql: str, **parameters: object) -> str:
    """Where Datasette runs and shows a query."""
    base = datasette.urls.database(database) + ("/-/query" if IS_ALPHA else "")
    return f"{base}?{urlencode({'sql': sql, **parameters})}"


def inline_script_sources() -> str:
    """What a content security policy must allow for Datasette's own inline scripts.

    The stable line writes a few constant ones: their hashes. The alphas write
    page data into theirs, so no hash can name them: all inline scripts.
    """
    if IS_ALPHA:
        return "'unsafe-inline'"
    folder = importlib.resources.files("datasette") / "templates"
    texts = [item.read_text("utf-8") for item in folder.iterdir() if item.name.endswith(".html")]
    scripts = {script for text in texts for script in re.findall(r"<script>(.*?)</script>", text, re.DOTALL)}
    facet = "{{ datasette_allow_facet }}"
    filled = {script.replace(facet, value) for script in scripts for value in ("true", "false")}
    constant = sorted(script for script in filled if "{{" not in script and "{%" not in script)
    digests = [hashlib.sha256(script.encode()).digest() for script in constant]
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


MOST_COOKIE = 3_000
"""Characters of a cookie of ours; browsers keep 4,096 bytes with its name."""

COOKIE_AGE_S = 120
"""How long one is kept for the page that comes next."""


def given(datasette: Any, request: Any, response: Any, name: str, value: object) -> Any:
    """A response that hands something to the next page of the same person, signed; what is too long is left out."""
    signed = datasette.sign({"actor": (request.actor or {}).get("id"), "value": value}, name)
    if len(signed) <= MOST_COOKIE:
        response.set_cookie(name, signed, max_age=COOKIE_AGE_S, httponly=True)
    return response


def taken(datasette: Any, request: Any, name: str) -> Any:
    """What the page before handed to this one; None where that was nothing, or meant for somebody else."""
    try:
        found = datasette.unsign(request.cookies.get(name, ""), name)
    except BadSignature:
        return None
    is_own = isinstance(found, dict) and request.actor and found.get("actor") == request.actor.get("id")
    return found.get("value") if is_own else None


def without(response: Any, name: str) -> Any:
    """A response that takes such a thing out of the browser."""
    response.set_cookie(name, "", max_age=0, httponly=True)
    return response


def redirect(datasette: Any, path: str, *, headers: dict[str, str]) -> Any:
    """Sends the browser to another page of this server, after a form was taken in."""
    return Response.redirect(datasette.urls.path(path), status=303, headers=dict(headers))


def stream(send: Callable[[Any], Awaitable[None]], *, headers: dict[str, str], content_type: str) -> Any:
    """A response whose body `send` writes, part by part."""
    return AsgiStream(send, headers=headers, content_type=content_type)


async def answer(
    datasette: Any,
    request: Any,
    template: str,
    data: dict[str, Any],
    *,
    as_json: bool,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Any:
    """A page from a template, or the same data as JSON."""
    if as_json:
        body = json.dumps(data, ensure_ascii=False, default=str)  # indented it takes three times as long
        return Response(body, status=status, headers=headers, content_type="application/json; charset=utf-8")
    html = await datasette.render_template(template, data, request=request)
    # The stable line does not say in which language its pages are, which a screen reader must know.
    html = html.replace("<html>", '<html lang="en">', 1)
    return Response.html(html, status=status, headers=headers)


def html_file(html: str, *, headers: dict[str, str]) -> Any:
    """A page that a browser keeps as a file."""
    return Response.html(html, headers=headers)
