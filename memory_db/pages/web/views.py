"""How a page answers: what a row of the table of pages says, made into what Datasette calls.

In: a `Route`, a Datasette and a request. Out: a response. Invariants: the JSON form, the check of who asks, the answer
to a method that a page does not take and the row in `audit_log` follow from the row of the page.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_db.pages import periods
from memory_db.pages.cache import pooled
from memory_db.pages.forms import Fields
from memory_db.pages.web import api_tokens, compat, one_file, respond
from memory_db.pages.web.download import download

VARIABLES = {
    "UID": r"(?P<uid>[^/.]+)",
    "SESSION": r"(?P<uid>.+?)",
    "ID": r"(?P<key>[^/.]+)",
    "ENTITY": r"(?P<id>[^/.]+)",
    "ACTION": r"(?P<action>[a-z]+)",
    "NAME": r"(?P<name>[a-z]+)",
    "FORM": r"(?P<form>json|md)",
}
"""Parts of a path that vary, and what stands there. A session's uid may have slashes."""

OWN_PAGES = (None, "none", "same-origin")
"""Values of Sec-Fetch-Site of a visit that no other site brought about; older browsers send none."""

READERS, WRITERS, PEOPLE = "readers", "writers", "people"
"""Who may read a page: everybody who may see the file; who may change it; who is signed in without a token."""

REFUSED = {
    WRITERS: "Not signed in as somebody who may write. Open the link that `memory-db serve` printed.",
    PEOPLE: "Tokens are managed by whoever opened the link that `memory-db serve` printed, or in the shell.",
}


OK = 200
"""The status of a page that could be made."""


@dataclass(frozen=True, slots=True)
class Visit:
    """What the function of a page is given: the file, what was sent, by whom (`actor`, their id) and when.

    `origin` is where the browser found the server, `is_copy` whether the page is to be a file.
    """

    path: Path
    fields: Fields
    parts: Mapping[str, str]
    method: str
    is_json: bool
    actor: str | None
    is_from_here: bool
    now: datetime
    settings: Mapping[str, Any]
    origin: str
    is_copy: bool = False

    def __getitem__(self, name: str) -> str:
        """A part of the path that varies."""
        return self.parts[name]


Page = Callable[[Visit], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Route:
    """A page by its path: `read` answers GET and `write` POST; `template` draws it, else it is JSON alone.

    `done` draws what a write tells only once; `asks` reads the fields of a question from the body of a POST too.
    `done_after` is the one operation that `done` is for, where there are others. `download` gives a file part by part,
    with the content type of its form. `stream` answers instead where the field `follow` is sent. `about` says in a few
    words what is there. `of_one_project` is for a token of one project, to which the page is closed without it: the
    fields that keep what is read or written to that project; one without values is left out. `has_period` says that the
    field `period` chooses its days: what is chosen is kept for the visitor's other pages. `has_sql` says that it is
    made of queries, which its foot leads to.
    """

    path: str
    about: str
    read: Page | None = None
    write: Page | None = None
    template: str = ""
    done: str = ""
    done_after: str = ""
    asks: bool = False
    readers: str = READERS
    status_of: Callable[[dict[str, Any]], int] = respond.usual_status
    most_bytes: int = respond.MOST_BODY
    download: Callable[[Visit], Iterator[str]] | None = None
    content_types: Mapping[str, str] = field(default_factory=dict)
    stream: Callable[[Any, Any], Awaitable[Any]] | None = None
    of_one_project: Fields | None = None
    has_period: bool = False
    has_sql: bool = True

    @property
    def pattern(self) -> str:
        """The path as Datasette registers it, with its JSON form."""
        plain = re.sub("|".join(VARIABLES), lambda found: VARIABLES[found[0]], self.path.replace(".", r"\."))
        return f"^{plain}$" if self.json_path in (self.path, None) else rf"^{plain}(?:\.json)?$"

    @property
    def json_path(self) -> str | None:
        """Where its JSON form is; the home page has it at its other path, a download has none."""
        if self.path == "/" or self.download:
            return None
        return self.path if self.path.endswith(".json") else f"{self.path}.json"

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods by which a program uses it."""
        reads = ("GET", "POST") if self.asks else ("GET",) if self.read or self.download else ()
        return (*reads, "POST") if self.write else reads


def of_file(page: Callable[[sqlite3.Connection, Visit], dict[str, Any]]) -> Page:
    """A page that is read by one connection."""

    def read(visit: Visit) -> dict[str, Any]:
        with pooled(visit.path) as db:
            return page(db, visit)

    return read


def view(route: Route) -> Callable[[Any, Any], Awaitable[Any]]:
    """The function that Datasette calls for a route."""

    async def answer(datasette: Any, request: Any) -> Any:
        if api_tokens.project_of(request.actor) and route.of_one_project is None:
            return await respond.refuse(datasette, request, api_tokens.ONE_PROJECT, status=403, as_json=True)
        if route.readers == PEOPLE and not api_tokens.is_person(request.actor):
            return await refuse(route, datasette, request)
        if route.stream and request.args.get("follow"):
            return await route.stream(datasette, request)
        if route.download:
            return await send(route, datasette, request)
        if route.write and (request.method == "POST" or not route.read):
            return await change(route, datasette, request)
        if route.readers == WRITERS and not await compat.may_write(datasette, request.actor):
            return await refuse(route, datasette, request)
        return await show(route, datasette, request)

    return answer


async def refuse(route: Route, datasette: Any, request: Any) -> Any:
    """Says who may come here."""
    as_json = request.path.endswith(".json")
    return await respond.refuse(datasette, request, REFUSED[route.readers], status=403, as_json=as_json)


async def show(route: Route, datasette: Any, request: Any) -> Any:
    """What a route reads."""
    assert route.read is not None
    read, clock = route.read, respond.clock
    fields = await respond.fields_asked(request) if route.asks else lambda: respond.fields_of(request)
    actor = str(request.actor.get("id")) if request.actor else None

    def asked() -> Fields:
        return periods.with_chosen(fields(), request.cookies) if route.has_period else fields()

    shown = await respond.show(
        datasette, request, route.template,
        lambda path: read(visit(route, datasette, request, path, asked(), actor, clock())),
        status_of=route.status_of, cookie=periods.cookie_for(respond.fields_of(request)) if route.has_period else "",
        behind=route.readers == READERS and route.has_sql,
    )  # fmt: skip
    if request.args.get(one_file.FIELD) and shown.status == OK and not request.path.endswith(".json"):
        return await one_file.as_file(datasette, request, shown, now=clock())
    return shown


async def change(route: Route, datasette: Any, request: Any) -> Any:
    """What a route changes."""
    assert route.write is not None
    write, clock = route.write, respond.clock
    is_for_all = route.done_after in ("", *request.url_vars.values())
    return await respond.change(
        datasette, request,
        lambda path, fields, actor: write(visit(route, datasette, request, path, fields, actor, clock())),
        template=route.done if is_for_all else None, most_bytes=route.most_bytes,
    )  # fmt: skip


async def send(route: Route, datasette: Any, request: Any) -> Any:
    """What a route gives as a file."""
    assert route.download is not None
    parts, now = route.download, respond.clock()
    what, _, form = route.path.rpartition("/")[2].replace("FORM", request.url_vars.get("form", "")).partition(".")
    what = {"export": "memories", "UID": request.url_vars.get("uid", "")}.get(what, what)
    fields, actor = respond.fields_of(request), str(request.actor.get("id")) if request.actor else None
    return await download(
        datasette, request, lambda path: parts(visit(route, datasette, request, path, fields, actor, now)),
        name=f"{what}-{now:%Y-%m-%d}.{form}", content_type=route.content_types[form],
    )  # fmt: skip


def visit(
    route: Route, datasette: Any, request: Any, path: Path, fields: Fields, actor: str | None, now: datetime
) -> Visit:
    """What the function of a page is given; of a token of one project, with the fields that keep it to that."""
    if (project := api_tokens.project_of(request.actor)) is not None:
        kept = {**fields, **(route.of_one_project or {}), "project": [project]}
        fields = {name: values for name, values in kept.items() if values}
    return Visit(
        path, fields, request.url_vars, request.method, request.path.endswith(".json"), actor,
        request.headers.get("sec-fetch-site") in OWN_PAGES, now, datasette.plugin_config("memory-db") or {},
        f"{request.scheme}://{request.host}", bool(request.args.get(one_file.FIELD)),
    )  # fmt: skip
