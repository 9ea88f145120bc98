"""Every page and every change, whoever asks and whatever the file holds: text stays text, and only who may writes.

Which pages there are is read from the plugins themselves (page_routes.py).
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup

from memory_db.knowledge import proposals
from memory_db.recall.brief import select as brief
from memory_db.recall.search import Question
from memory_db.store.connection import connect
from memory_db.store.schema import open_database
from tests.support import hostile_rows
from tests.support.in_process import guest, open_to_all, started
from tests.support.in_process import soup as page
from tests.support.page_routes import Route, routes

pytestmark = pytest.mark.slow

MOST_BYTES = 150_000

CHANGES_NOTHING = {
    "/-/memory/words.json",
    "/-/memory/review/preview.json",
    "/-/memory/memories/edit/preview.json",
    "/-/memory/tokens.json",
    "/-/memory/export.json",
}
"""What only who may write is told, and what changes nothing."""

USUAL = (200, 303, 400, 405, 503)
"""What a visit may be answered with; 503 is the health of a file that does not work."""

OFF_PAGE = {"script", "iframe", "object", "embed", "base", "link", "meta", "style", "frame", hostile_rows.MARK}
"""Elements that no page of ours has within its own part."""


@pytest.fixture(scope="module")
def lived_in(sample_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with what only use brings: recalls through several surfaces, and a proposal."""
    path = Path(shutil.copy(sample_file, tmp_path_factory.mktemp("lived") / "sample.db"))
    now = datetime.now(UTC)
    with closing(open_database(path, now=now)) as db:
        for query in ("how do we run the tests", "zebra quantum", "which port has postgres"):
            brief.ask(db, Question(query), surface="cli", now=now)
        first = db.execute("select id from memories where status = 'active' limit 1").fetchone()[0]
        proposals.propose(db, "retire", first, reason="it is gone", by="mcp", now=now)
    return path


@pytest.fixture(scope="module")
def attacked(lived_in: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two copies that are only read: in one every text is an attack, in the other it is as long and harmless."""
    folder = tmp_path_factory.mktemp("attacked")
    hostile = Path(shutil.copy(lived_in, folder / "sample.db"))
    harmless = Path(shutil.copy(lived_in, folder / "harmless.db"))
    took = hostile_rows.fill(hostile, hostile_rows.HOSTILE)
    assert hostile_rows.fill(harmless, hostile_rows.HARMLESS) == took
    assert {"memories.text", "entries.text", "recalls.query", "projects.name", "sessions.title", "tags.tag"} <= took
    return hostile, harmless


@pytest.fixture
def path(lived_in: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copy(lived_in, tmp_path / "sample.db"))


async def serve(path: Path) -> Any:
    return await started(path)


def stop(datasette: Any) -> None:
    for database in datasette.databases.values():
        database.close()


@pytest.fixture
async def server(path: Path) -> AsyncIterator[Any]:
    datasette = await serve(path)
    yield datasette
    stop(datasette)


def root(server: Any) -> dict[str, str]:
    return {"ds_actor": server.sign({"a": {"id": "root"}}, "actor")}


PROGRAM = {"authorization": "Bearer of-a-plugin"}
"""What spares a program the token of a form."""


def known(path: Path) -> list[Route]:
    with closing(connect(path)) as db:
        return routes(db)


def asked_for(path: Path) -> list[str]:
    """Every path of ours, as page and as JSON."""
    found = [route.path for route in known(path)]
    found += [route.json_path() for route in known(path) if route.has_json]
    return list(dict.fromkeys(found))


def contents(path: Path) -> str:
    """A digest of every row, save of what a visit of root may log."""
    with closing(sqlite3.connect(path)) as db:
        return hashlib.sha256("\n".join(db.iterdump()).encode()).hexdigest()


def audited(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("select count(*) from audit_log").fetchone()[0])


async def writing(server: Any, path: Path) -> list[str]:
    """The JSON forms of routes that refuse who may only read: those that change something."""
    found = []
    for route in known(path):
        if route.has_json:
            answer = await server.client.post(
                route.json_path(), content="{}", headers={"content-type": "application/json", **PROGRAM},
                cookies=guest(server),
            )  # fmt: skip
            if answer.status_code == 403:
                found.append(route.json_path())
    return list(dict.fromkeys(found))


# ---------------------------------------------------------------- every answer


async def test_every_answer_has_our_headers_and_is_small(server: Any, path: Path) -> None:
    for asked in asked_for(path):
        answer = await server.client.get(asked, cookies=root(server))
        assert answer.status_code in USUAL, (asked, answer.text[:300])
        policy = answer.headers["content-security-policy"]
        assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy and "http:" not in policy, asked
        assert answer.headers["x-content-type-options"] == "nosniff", asked
        assert answer.headers["referrer-policy"] == "same-origin", asked
        assert asked.endswith(".css") or "no-store" in answer.headers["cache-control"], asked
        if "html" in answer.headers["content-type"]:
            assert len(answer.content) < MOST_BYTES, (asked, len(answer.content))
        if asked.partition("?")[0].endswith(".json"):
            assert answer.headers["content-type"] == "application/json; charset=utf-8", asked
            assert isinstance(json.loads(answer.text), (dict, list)), asked


async def test_a_page_and_its_json_agree_on_what_there_is(server: Any, path: Path) -> None:
    for route in known(path):
        if route.has_json and route.as_page():
            shown = await server.client.get(route.path, cookies=root(server))
            data = await server.client.get(route.json_path(), cookies=root(server))
            assert shown.status_code == data.status_code, route


async def test_unknown_hosts_are_refused(server: Any, path: Path) -> None:
    before = contents(path)
    for asked in asked_for(path):
        for method in ("GET", "POST"):
            answer = await server.client.request(
                method, asked, headers={"host": "evil.example"}, cookies=root(server), content="{}"
            )
            assert answer.status_code == 400 and "is not served here" in answer.text, asked
    assert contents(path) == before


async def test_looking_changes_nothing(path: Path) -> None:
    server = await started(path, open_to_all(path))
    before = contents(path)
    for asked in asked_for(path):
        await server.client.get(asked, cookies={})
    assert contents(path) == before
    stop(server)


async def test_no_page_has_a_script_or_a_handler_of_its_own(server: Any, path: Path) -> None:
    for route in known(path):
        if not route.as_page():
            continue
        found = page(await server.client.get(route.path, cookies=root(server)))
        main = found.select_one(".memory")
        assert main is not None, route.path
        assert not main.select("script, style, iframe, object, embed, base"), route.path
        places = [element["style"] for element in main.select("[style]")]
        assert all(re.fullmatch(r"(?:[a-z-]+: ?-?[\d.]+(?:%|px|rem)?;? ?)+", each) for each in places), (
            route.path,
            places,
        )
        for element in found.find_all(True):
            handlers = [name for name in element.attrs if name.startswith("on")]
            assert not handlers, (route.path, element.name, handlers)
        for script in found.select("script[src]"):
            assert script["src"].startswith("/"), (route.path, script["src"])


# ----------------------------------------------------------- text stays text


def kinds(found: BeautifulSoup) -> set[tuple[str, tuple[str, ...]]]:
    """Every kind of element there is, with the names of its attributes."""
    return {(element.name, tuple(sorted(element.attrs))) for element in found.find_all(True)}


async def test_hostile_texts_are_shown_as_text(attacked: tuple[Path, Path]) -> None:
    servers = [await serve(each) for each in attacked]
    paths = [route.path for route in known(attacked[0]) if route.as_page()]
    shown = 0
    for asked in paths:
        bad, good = [await each.client.get(asked, cookies=root(each)) for each in servers]
        assert bad.status_code == good.status_code != 500, (asked, bad.text[:500])
        assert len(bad.content) < MOST_BYTES, (asked, len(bad.content))
        found = page(bad)
        assert not found.select(f"{hostile_rows.MARK}, [data-{hostile_rows.MARK}], .memory script, .memory [onerror]")
        for drawn in (found, harmless := page(good)):
            for each in drawn.select(".md"):  # Markdown draws what a text says; what it may draw has tests of its own
                each.clear()
        if "?" not in asked:  # other words, other answers
            assert kinds(found) <= kinds(harmless), (asked, kinds(found) - kinds(harmless))
        for link in found.select(".memory [href], .memory [src], .memory [action], .memory [formaction]"):
            for name in {"href", "src", "action", "formaction"} & set(link.attrs):
                assert not re.match(r"//|[^/?#]*:", str(link[name])), link
        # A value that a form sends back must be what the file has.
        assert not set(hostile_rows.CONTROLS) & set(found.get_text()), asked
        assert "50337" not in bad.text, f"{asked} obeyed a template"
        shown += "</textarea></script>" in found.get_text()
    assert shown > 5, "the payload is on hardly any page: the test looks at nothing"
    for each in servers:
        stop(each)


async def test_hostile_texts_leave_json_as_json(attacked: tuple[Path, Path]) -> None:
    server = await serve(attacked[0])
    for route in known(attacked[0]):
        if route.has_json:
            answer = await server.client.get(route.json_path(), cookies=root(server))
            assert answer.status_code in USUAL, route
            assert answer.headers["content-type"] == "application/json; charset=utf-8"
            json.loads(answer.text)
    stop(server)


async def test_huge_texts_make_no_huge_page(path: Path) -> None:
    hostile_rows.lengthen(path, 12_000)
    server = await serve(path)
    sizes = {}
    for route in known(path):
        if route.as_page():
            answer = await server.client.get(route.path, cookies=root(server))
            assert answer.status_code in USUAL, (route, answer.text[:500])
            sizes[route.path] = len(answer.content)
    stop(server)
    assert {asked: size for asked, size in sizes.items() if size >= MOST_BYTES} == {}


async def test_null_characters_are_shown_too(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("update memories set text = 'before' || char(0) || 'after' || id, title = 'a' || char(0) || 'b'")
        db.execute("update entries set text = 'before' || char(0) || 'after'")
    server = await serve(path)
    for asked in asked_for(path):
        answer = await server.client.get(asked, cookies=root(server))
        assert answer.status_code in USUAL, asked
        # A file to keep has the texts as they are.
        assert asked.endswith(".md") or "\0" not in answer.text, asked
    stop(server)


async def test_bytes_that_are_no_text_are_reported_in_a_line(path: Path) -> None:
    """A lone surrogate cannot be written through Python, but another program can leave one."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for name in [row[0] for row in db.execute("select name from sqlite_master where type = 'trigger'")]:
            db.execute(f'drop trigger "{name}"')
        db.execute("update memories set text = cast(x'61EDA08062' as text), title = cast(x'61EDA08062' as text)")
    server = await serve(path)
    for route in known(path):
        answer = await server.client.get(route.path, cookies=root(server))
        assert "/memory_db/pages/" not in answer.text and "OperationalError" not in answer.text, route
        if answer.status_code >= 400 and route.as_page():
            assert page(answer).select_one("[role=alert]"), (route, answer.text[:300])
    stop(server)


# ------------------------------------------------------------------- writing


async def test_nobody_changes_anything_unnamed(server: Any, path: Path) -> None:
    before = contents(path)
    changing = await writing(server, path)
    assert {"/-/memory/judge.json", "/-/memory/query-sets.json", "/-/memory/tokens/add.json"} <= set(changing)
    assert sum("/-/memory/memories/" in each for each in changing) >= 1
    for asked in changing:
        for body, kind in (("", "application/x-www-form-urlencoded"), ("{}", "application/json")):
            for address in (asked, asked.removesuffix(".json")):
                headers = {"content-type": kind, **PROGRAM}
                answer = await server.client.post(address, content=body, headers=headers, cookies=guest(server))
                assert answer.status_code in (403, 404, 405), (address, answer.status_code)
    for route in known(path):
        headers = {"content-type": "application/json"}
        answer = await server.client.post(route.path, content="{}", headers=headers, cookies={})
        assert answer.status_code == 401, route
    assert contents(path) == before


async def test_another_site_cannot_send_a_form_in_roots_name(server: Any, path: Path) -> None:
    before = contents(path)
    site = {"origin": "http://evil.example", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    for asked in await writing(server, path):
        for address in (asked, asked.removesuffix(".json")):
            for kind in ("application/x-www-form-urlencoded", "text/plain"):
                answer = await server.client.post(
                    address, content="name=x", headers={"content-type": kind, **site}, cookies=root(server)
                )
                assert answer.status_code == 403, (address, kind, answer.status_code)
    assert contents(path) == before


async def test_every_change_leaves_a_row_of_audit(server: Any, path: Path) -> None:
    for asked in await writing(server, path):
        before = audited(path)
        answer = await server.client.post(
            asked, content="{}", cookies=root(server),
            headers={"content-type": "application/json", "authorization": "Bearer of-a-plugin"},
        )  # fmt: skip
        assert answer.status_code != 500 and isinstance(answer.json(), (dict, list)), (asked, answer.text[:500])
        assert audited(path) == before + (asked not in CHANGES_NOTHING), asked
    with closing(sqlite3.connect(path)) as db:
        left = db.execute("select target, outcome from audit_log where outcome in ('started', 'failed')").fetchall()
        actors = {row[0] for row in db.execute("select distinct actor from audit_log")}
    assert left == [] and actors == {"root"}


JUNK_BODIES = [
    b"", b"[]", b"null", b"{", b'{"a": ' * 5000, b"\xff\xfe", b'{"uid": null, "name": {"a": [1]}, "recall": "x"}',
    b'{"recall": 1e999, "limit": -1, "ids": ["\\u0000", "\\ud800"], "text": "\\ud800"}', b"x" * 200_000,
]  # fmt: skip


async def test_junk_is_refused_in_a_line(server: Any, path: Path) -> None:
    for asked in await writing(server, path):
        for body in JUNK_BODIES:
            for kind in ("application/json", "application/x-www-form-urlencoded"):
                answer = await server.client.post(
                    asked, content=body, cookies=root(server),
                    headers={"content-type": kind, "authorization": "Bearer of-a-plugin"},
                )  # fmt: skip
                assert answer.status_code < 500, (asked, body[:60], answer.text[:500])


async def test_forms_in_parts_are_refused_in_a_line(server: Any, path: Path) -> None:
    body = b'--x\r\ncontent-disposition: form-data; name="csrftoken"\r\n\r\n1\r\n--x--\r\n'
    for kind in ("multipart/form-data; boundary=x", "Multipart/Form-Data", "multipart/mixed; boundary=x"):
        for asked in ("/", "/-/memory/judge", "/-/memory/judge.json", "/sample/memories"):
            answer = await server.client.post(asked, content=body, cookies=root(server), headers={"content-type": kind})
            assert answer.status_code == 415 and answer.text.count("\n") == 1, (asked, answer.text[:500])
