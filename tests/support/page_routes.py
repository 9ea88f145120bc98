"""Every row of the table of pages, as paths that can be asked for, so that no test forgets a page.

In: the table, and a file. Out: `Route` rows. Invariant: a route with a variable part
needs a line in `VARIABLES`; where it has none the tests fail and say so.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from datasette.plugins import pm

from memory_db.pages.web.routes import ROUTES
from memory_db.pages.web.shelf import PLUGINS

Values = Callable[[sqlite3.Connection], list[str]]


def rows(sql: str) -> Values:
    """The first column of a query, as a part of a path."""
    return lambda db: [quote(str(row[0]), safe="") for row in db.execute(sql)]


MEMORIES = rows(
    "select uid from memories where id in (select min(id) from memories group by status"
    " union select memory_id from (select memory_id from memory_sources order by memory_id desc limit 1)) limit 2"
)
SESSIONS = rows("select uid from session_summaries where uid not like '%/%' order by entries desc limit 1")
ENTRIES = rows("select uid from entries where uid not like '%/%' order by id limit 1")
ENTITIES = rows("select entity_id from memory_entities group by entity_id order by count(*) desc limit 1")
PROJECTS = rows("select id from projects order by id limit 1")
RECALLS = rows("select max(id) from recalls group by abstained")

VARIABLES: dict[str, Values] = {
    "/-/memory/memories/<uid>": MEMORIES,
    "/-/memory/sessions/<uid>": SESSIONS,
    "/-/memory/entries/<uid>": ENTRIES,
    "/-/memory/recalls/<key>": RECALLS,
    "/-/memory/memories/<uid>/related.json": MEMORIES,
    "/-/memory/memories/<uid>/forget": MEMORIES,
    "/-/memory/sessions/<uid>/forget": SESSIONS,
    "/-/memory/entries/<uid>/forget": ENTRIES,
    "/-/memory/graph/memory/<uid>": MEMORIES,
    "/-/memory/graph/entity/<id>": ENTITIES,
    "/-/memory/notebooks/<uid>": lambda db: ["10_sixteen_questions"],
    "/-/memory/notebooks/<uid>.ipynb": lambda db: ["10_sixteen_questions"],
    "/-/memory/health/<name>": lambda db: ["backup"],
    "/-/memory/projects/<key>": PROJECTS,
    "/-/memory/projects/<key>/<action>": lambda db: [f"{number}/rename" for number in PROJECTS(db)],
    "/-/memory/live/<name>": lambda db: ["wrong"],
    "/-/memory/export.<form>": lambda db: ["json", "md"],
    "/assets/<path>": lambda db: ["memory.css"],
    "/-/memory/memories/<uid>/<action>": lambda db: [f"{uid}/confirm" for uid in MEMORIES(db)[:1]],
}
"""What stands in a route from its first variable part to its last."""

QUERIES: dict[str, tuple[str, ...]] = {
    "/-/memory/recall": ("q=how+do+we+run+the+tests", "q=zebra+quantum&scope=memories&kind=decision"),
    "/-/memory/sql": ("of=/-/memory/memories",),
    "/-/memory/compare": ("q=how+do+we+run+the+tests",),
}
"""What a page is asked besides its bare address."""


@dataclass(slots=True, frozen=True)
class Route:
    """A path of ours, with the shape of its route; `has_json` where the same path with .json answers too."""

    shape: str
    path: str
    has_json: bool

    def json_path(self) -> str:
        """The JSON form of the path."""
        base, mark, query = self.path.partition("?")
        if base == "/":
            return "/-/memory.json"
        return f"{base.removesuffix('.json')}.json{mark}{query}"

    def as_page(self) -> bool:
        """Whether it is a page, not JSON or a file alone."""
        return not self.path.partition("?")[0].endswith((".json", ".md", ".css", ".csv", ".ipynb"))


def registered() -> list[str]:
    """Every pattern of ours: the table of pages, and static files."""
    return [*(route.pattern for route in ROUTES), r"^/assets/(?P<path>[^/]+)$"]


def registered_by_plugins(datasette: Any) -> list[str]:
    """Every pattern that our plugins register with a Datasette that has started."""
    found = []
    for plugin in pm.get_plugins():
        file = getattr(plugin, "__file__", None) or getattr(getattr(plugin, "__spec__", None), "origin", None) or ""
        is_ours = Path(file).parent == PLUGINS or (pm.get_name(plugin) or "").startswith("memory_")
        if is_ours and hasattr(plugin, "register_routes"):
            found += [pattern for pattern, _ in plugin.register_routes(datasette)]
    return found


def shape_of(pattern: str) -> tuple[str, bool, bool]:
    """A pattern as a path with <names> for its variable parts, whether it may end in .json, and whether it must."""
    plain = pattern.removeprefix("^").removesuffix("$")
    optional = plain.endswith(r"(?:\.json)?")
    plain = plain.removesuffix(r"(?:\.json)?")
    plain = re.sub(r"\(\?P<(\w+)>(?:[^()\\]|\\.|\[[^\]]*\]|\([^()]*\))*\)", r"<\1>", plain).replace("\\", "")
    return plain, optional, plain.endswith(".json")


def routes(db: sqlite3.Connection) -> list[Route]:
    """Every route with values of this file. Raises: AssertionError where a route is not known here."""
    found = []
    for pattern in registered():
        shape, optional, always = shape_of(pattern)
        head, mark, _ = shape.partition("<")
        if mark:
            assert shape in VARIABLES, f"tests/support/page_routes.py has no values for {pattern}"
            tail = shape.rpartition(">")[2]
            paths = [head + value + tail for value in VARIABLES[shape](db)]
            assert paths, f"the sample has nothing for {shape}"
        else:
            paths = [shape, *(f"{shape}?{query}" for query in QUERIES.get(shape, ()))]
        assert re.search(pattern, paths[0].partition("?")[0]), (pattern, paths[0])
        found += [Route(shape, path, optional or always or path == "/" or path.endswith(".json")) for path in paths]
    return found
