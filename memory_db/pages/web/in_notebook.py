"""A page as a notebook to go on with: its SQL in a `%%memory` cell, or its question in a cell that asks it.

In: a table, query or question as it was asked for in the browser. Out: an .ipynb without outputs, which opens the same
file and leads back to the page. Invariant: what stood in an address becomes text of a cell only as a literal, so no
address can bring code into a notebook.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from memory_db.pages.forms import Fields, first, flag
from memory_db.pages.web import compat
from memory_db.pages.web import respond as web

EXTENSION = "ipynb"

CONTENT_TYPE = "application/x-ipynb+json"

FORMS = {EXTENSION: CONTENT_TYPE}

PARAMETER = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|:([A-Za-z_]\w*)", re.DOTALL)
"""A parameter of SQL, once texts, quoted names and comments are passed over."""

PAGE_SIZE = re.compile(r"\s+limit \d+(?:\s+offset \d+)?\s*$")
"""What Datasette adds to the SQL of a table's page, which a notebook has no use for."""

OF_A_PAGE = ("_next", "_size", "_labels", "_shape", "_extra", "_facet", "_facet_array", "_facet_date", "_col", "_nocol")
"""Fields of an address that say how a page of a table is drawn, not which rows it has."""

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def parameters_of(sql: str) -> list[str]:
    """The names of the parameters of a statement, each once."""
    return list(dict.fromkeys(name for name in PARAMETER.findall(sql) if name))


def renderer(datasette: Any) -> dict[str, Any]:
    """What Datasette registers: tables and queries of our file with the ending .ipynb."""

    def can_render(database: str, view_name: str) -> bool:
        return database == compat.memory_name(datasette) and view_name != "row"

    return {"extension": EXTENSION, "render": render, "can_render": can_render}


async def render(
    datasette: Any, request: Any, database: str, table: str | None, query_name: str | None, sql: str | None
) -> dict[str, Any] | None:
    """The notebook of a table or query; None, which is a page that does not exist, where there is no SQL."""
    if database != compat.memory_name(datasette) or not sql:
        return None
    base = request.path.removesuffix(f".{EXTENSION}")
    if table is None:
        values: Mapping[str, object] = {name: request.args.get(name) or "" for name in parameters_of(sql)}
        found = await compat.canned_queries(datasette, database, request.actor) if query_name else []
        named = next((each for each in found if each["name"] == query_name), None)
        title, about = (named["title"], named["description"]) if named else ("A query", "")
    else:
        sql, values = await sql_of_table(datasette, request, base)
        title, about = table, ""
    back = f"{base}?{request.query_string}" if request.query_string else base
    cells = [
        *opening(title, about, Path(datasette.databases[database].path), origin_of(request), back),
        *([code("\n".join(f"{name} = {value!r}" for name, value in values.items()))] if values else []),
        code(f"%%memory --output rows\n{sql.strip()}"),
    ]
    headers = {**web.JSON_HEADERS, "content-disposition": f'attachment; filename="{file_name(query_name or title)}"'}
    return {"body": written(cells), "content_type": CONTENT_TYPE, "headers": headers}


async def sql_of_table(datasette: Any, request: Any, base: str) -> tuple[str, Mapping[str, object]]:
    """The SQL of a table's page without its limit, and the values in it, as Datasette's own JSON tells both."""
    kept = [(name, value) for name in request.args for value in request.args.getlist(name) if name not in OF_A_PAGE]
    asked = urlencode([*kept, ("_extra", "query"), ("_size", "1"), ("_nofacet", "1"), ("_nocount", "1")])
    cookies = {"cookie": request.headers.get("cookie") or ""}
    told = (await datasette.client.get(f"{base}.json?{asked}", headers=cookies)).json()["query"]
    return PAGE_SIZE.sub("", told["sql"]), told.get("params") or {}


def asked(path: Path, fields: Fields, origin: str) -> Iterator[str]:
    """The notebook of a question: asked again, its hits with their signals, and sliders, in parts."""
    question = first(fields, "q")
    said = {name: first(fields, name) for name in ("project", "profile", "scope")}
    said = {name: value for name, value in said.items() if value}
    limit = first(fields, "limit")
    more = {"limit": int(limit)} if limit.isdecimal() else {}
    more |= {"only_project": True} if flag(fields, "only_project") else {}
    arguments = ", ".join([repr(question), *(f"{name}={value!r}" for name, value in (said | more).items())])
    back = f"/-/memory/recall?{urlencode({name: values[-1] for name, values in fields.items() if values})}"
    yield written([
        *opening(question or "A question", "", path, origin, back),
        code(f"found = recall({arguments}, everything=True)\nfound[found[\"rank\"].notna()]"),
        markdown("Each bar is the score of a hit: every signal times its weight."),
        code("bars(found)"),
        markdown("Move the sliders, and save them as a profile. `judge` notes what answers the question."),
        code("from memory_db.notebook.sliders import Sliders\n\nSliders(found)"),
        code("# judge(found, answers=[...], others=[...])  # uids"),
    ])  # fmt: skip


def opening(title: str, about: str, path: Path, origin: str, back: str) -> Sequence[dict[str, Any]]:
    """The first cells: what it is, the way back to the page, and the file."""
    heading = " ".join(title.split()).replace("[", "(").replace("]", ")").replace("<", "‹").replace("`", "'")
    words = [f"# {heading}", about, f"Made from [this page]({origin}{back})."]
    imports = "from memory_db.notebook import bars, connect, judge, links_to, query, recall"
    return [
        markdown("\n\n".join(filter(None, words))),
        code(f"{imports}\n\nlinks_to({origin!r})\ndb = connect({str(path)!r})"),
    ]


def origin_of(request: Any) -> str:
    """Where the browser found the server."""
    return f"{request.scheme}://{request.host}"


def file_name(title: str) -> str:
    """A name for the file that every system takes."""
    return f"{re.sub(r'[^A-Za-z0-9]+', '_', title).strip('_')[:60].lower() or 'memory'}.{EXTENSION}"


def markdown(text: str) -> dict[str, Any]:
    """A cell of words."""
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def code(text: str) -> dict[str, Any]:
    """A cell of code, not run yet."""
    return {"cell_type": "code", "metadata": {}, "source": text, "outputs": [], "execution_count": None}


def written(cells: Sequence[dict[str, Any]]) -> str:
    """A notebook of these cells, in the format 4.5."""
    numbered = [{"id": f"cell-{number}", **cell} for number, cell in enumerate(cells)]
    made = {"cells": numbered, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, ensure_ascii=False, indent=1)
