"""What every page and every JSON answer says on the sample, so that a change of words or fields is seen as a diff.

`make snapshots` writes them again after a change that is meant; `git diff` shows what changed.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from memory_db.pages.web import respond
from memory_db.store.connection import connect
from tests.conftest import NOW
from tests.support.in_process import served, soup
from tests.support.page_routes import Route, registered, routes, shape_of
from tests.support.snapshots import OneFileASnapshot, json_text, page_text

ASKED = {
    "/-/memory/brief.json": ("q=how+do+we+run+the+tests&project=quayside", "start=1"),
    "/-/memory/forget.json": ("q=the+database+of+the+tests",),
}
"""What a path is asked that gives nothing without fields."""

ONLY_CHANGE = frozenset(
    f"/-/memory/{path}"
    for path in (
        "memories/edit memories/retire.json memories/restore.json"
        " capture.json compare/measure judge query-sets profiles memories/<uid>/<action>"
        " review/undo health/<name> live/<name> projects/<key>/<action> tokens/add tokens/revoke words/forget"
    ).split()
)
"""Paths that show nothing: they change something by POST."""

OTHERS = {
    "/-/memory/review/preview": "only by POST fields of a page",
    "/-/memory/memories/edit/preview": "only by fields of a list",
    "/assets/<path>": "no words of ours",
    "/-/memory/sql": "the queries of other pages, which change with these",
}
"""Paths that are left out, with the reason."""

SHAPES = [
    shape
    for shape, _, _ in map(shape_of, registered())
    if shape not in ONLY_CHANGE and shape not in OTHERS and not shape.endswith(("<form>", ".csv", ".ipynb"))
]

PINNED = frozenset({"/", "/-/memory", "/-/memory/tables"})
"""Pages that list the ready questions, which Datasette 1.0 gives in another order."""

PAGES = [pytest.param(each, marks=[pytest.mark.pinned_datasette] * (each in PINNED)) for each in SHAPES]


def name_of(shape: str) -> str:
    """What the snapshots of a route are called."""
    path = re.sub(r"<\w+>", "one", shape).removesuffix(".json").removeprefix("/-/memory")
    return "home" if shape == "/" else path.strip("/").replace("/", "-") or "home-below"


def paths_of(route: Route) -> list[Route]:
    """A route with each thing that it is asked."""
    asked = ASKED.get(route.shape, ())
    return [Route(route.shape, f"{route.path}?{fields}", route.has_json) for fields in asked] or [route]


@pytest.fixture(scope="module")
def said(sample_file: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What each route says, by its shape: for each path its page and its JSON."""
    path = Path(shutil.copy(sample_file, tmp_path_factory.mktemp("snapshots") / "sample.db"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(respond, "clock", lambda: NOW)
        return asyncio.run(all_said(path))


async def all_said(path: Path) -> dict[str, list[str]]:
    """The same, from a server on that file."""
    found: dict[str, list[str]] = {}
    with closing(connect(path)) as db:
        asked = [each for route in routes(db) if route.shape in SHAPES for each in paths_of(route)]
    async with served(path) as server:
        for route in asked:
            told = found.setdefault(route.shape, [])
            forms = ([route.path] if route.as_page() else []) + ([route.json_path()] if route.has_json else [])
            for form in forms:
                answer = await server.client.get(form)
                assert answer.status_code == 200, (form, answer.text[:300])
                is_page = form is route.path and route.as_page()
                text = page_text(soup(answer)) if is_page else json_text(answer.json())
                told.append(f"=== GET {form}\n{text}")
    return found


@pytest.mark.parametrize("shape", PAGES, ids=name_of)
def test_page(shape: str, said: dict[str, list[str]], snapshot: SnapshotAssertion) -> None:
    assert "\n".join(said[shape]) == snapshot(extension_class=OneFileASnapshot)
