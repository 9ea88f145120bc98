"""Who may read: who is signed in or shows a token, whatever path is asked for; else everybody only on request."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from memory_db.knowledge.memories import add_memory
from memory_db.pages.web import serve as serving
from memory_db.pages.web import sign_in
from memory_db.pages.web.serve import metadata_for
from memory_db.store import api_tokens
from memory_db.store.connection import connect
from memory_db.store.schema import open_database
from tests.support.in_process import served, signed_in, started
from tests.support.page_routes import routes
from tests.support.patience import WAIT_S

pytestmark = pytest.mark.slow

BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}

DATASETTES = (
    "/memory", "/memory.json", "/memory/memories", "/memory/memories.json?_shape=array", "/memory/memories/1",
    "/memory/memories.csv?_stream=1", "/memory.json?sql=select+text+from+memories", "/memory.db", "/-/databases.json",
    "/memory/-/query.json?sql=select+text+from+memories", "/-/threads", "/-/threads.json", "/-/plugins", "/-/metadata",
    "/-/settings.json", "/-/versions.json", "/-/config.json", "/-/mcp", "/-/permissions", "/-/logout", "/-/jump",
    "/-/static/app.css", "/assets/memory.css", "/nowhere", "/.json", "//", "/-/auth-token/../databases.json",
    "/%2d/threads.json", "/-/actor.json/x",
)  # fmt: skip
"""Paths of Datasette on either line, of datasette-mcp, and of nobody."""


@pytest.fixture
def path(db: sqlite3.Connection, db_path: Path, now: datetime) -> Path:
    add_memory(db, text="Deploy with `make ship`.", kind="convention", scope="user", project_id=None, now=now)
    return db_path


@pytest.fixture
def served_file(path: Path) -> Path:
    return path


@pytest.fixture
def token(path: Path) -> dict[str, str]:
    """The header of a program."""
    with closing(open_database(path, now=datetime.now(UTC))) as db:
        return {"authorization": f"Bearer {api_tokens.add(db, 'ci', now=datetime.now(UTC))}"}


def everything() -> list[str]:
    """Every path that tells anything, of ours from the plugins themselves."""
    return [*DATASETTES, "/", "/-/memory.json", "/-/memory/recall.json?q=deploy", "/-/memory/memories.json"]


async def assert_refused(server: Any, asked: str, method: str = "GET", **headers: str) -> None:
    """Asserts that a path tells nothing but how to sign in."""
    answer = await server.client.request(method, asked, cookies={}, headers=headers)
    assert answer.status_code == 401, (asked, answer.text[:300])
    assert answer.headers["cache-control"] == "no-store" and answer.headers["www-authenticate"] == "Bearer"
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    if "<html" in answer.text:
        assert headers == BROWSER and "Sign in to read" in answer.text
    else:
        assert answer.json() == {"ok": False, "error": sign_in.HOW, "status": 401} and answer.text.count("\n") == 1


async def test_nothing_is_shown_to_who_is_not_signed_in(sample_file: Path) -> None:
    async with served(sample_file) as datasette:
        with closing(connect(sample_file)) as db:
            ours = [asked for route in routes(db) for asked in (route.path, route.json_path())]
        for asked in dict.fromkeys([*ours, *everything()]):
            for method in ("GET", "POST", "HEAD") if asked in ours else ("GET",):
                if method != "HEAD":
                    await assert_refused(datasette, asked, method)
            await assert_refused(datasette, asked, **BROWSER)


async def test_a_forged_cookie_and_tokens_of_others_sign_nobody_in(server: Any) -> None:
    for cookie in ("x", signed_in(server)["ds_actor"][:-2], '{"a": {"id": "root"}}'):
        answer = await server.client.get("/-/memory.json", cookies={"ds_actor": cookie})
        assert answer.status_code == 401 and "make ship" not in answer.text
    for authorization in ("Bearer of-a-plugin", "Bearer dstok_x", "Basic cm9vdDpyb290"):
        answer = await server.client.get("/-/memory.json", headers={"authorization": authorization})
        assert answer.status_code == 401


async def test_who_is_signed_in_reads(server: Any, token: dict[str, str]) -> None:
    other = {"ds_actor": server.sign({"a": {"id": "ada"}}, "actor")}
    for options in ({"cookies": signed_in(server)}, {"cookies": other}, {"headers": token}):
        for asked in ("/", "/-/memory/memories.json", "/memory/memories.json?_shape=array", "/-/versions.json"):
            answer = await server.client.get(asked, **options)
            assert answer.status_code == 200, (asked, options)
        assert "make ship" in (await server.client.get("/-/memory/memories.json", **options)).text
        assert "make ship" in (await server.client.get("/memory/memories.json?_shape=array", **options)).text


async def test_the_page_says_how_to_sign_in(server: Any) -> None:
    answer = await server.client.get("/", cookies={}, headers=BROWSER)
    page = BeautifulSoup(answer.text, "html.parser")
    words = " ".join(page.get_text().split())
    for expected in (
        "make serve",
        "memory-db serve",
        "--root",
        "memory-db file tokens add NAME",
        "--open-to-this-machine",
    ):
        assert expected in words
    assert page.html and page.html["lang"] == "en" and page.title and page.h1
    assert not page.select("script, link, img, a")


async def test_who_one_is_and_the_link_are_for_everybody(server: Any) -> None:
    assert (await server.client.get("/-/actor.json", cookies={})).json()["actor"] is None
    assert (await server.client.get("/-/auth-token?token=wrong", cookies={})).status_code == 403


async def test_open_to_this_machine_everybody_reads_and_nobody_writes(path: Path) -> None:
    with serving.running(path, open_to_this_machine=True) as running:
        with httpx2.Client(base_url=running.url, timeout=WAIT_S) as visitor:
            for asked in ("/", "/-/memory/memories.json", "/memory/memories.json?_shape=array"):
                answer = visitor.get(asked)
                assert answer.status_code == 200 and ("make ship" in answer.text or asked == "/")
            sent = visitor.post("/-/memory/memories.json", json={"text": "Deploy on Tuesdays.", "user": True})
            assert sent.status_code == 403
        with httpx2.Client(base_url=running.url, timeout=WAIT_S) as visitor:
            assert visitor.get(running.link).status_code in (200, 302)
            assert visitor.get("/-/actor.json").json()["actor"]["id"] == "root"


@pytest.mark.parametrize("value", [False, None, "yes", 1, []])
async def test_only_true_opens_the_pages(path: Path, value: object) -> None:
    metadata = metadata_for(path)
    metadata["plugins"]["memory-db"]["open_to_this_machine"] = value
    await assert_refused(await started(path, metadata), "/-/memory.json")


async def test_another_plugin_can_be_given_a_page_to_sign_in(path: Path) -> None:
    metadata = metadata_for(path)
    metadata["plugins"]["memory-db"]["sign_in_paths"] = ["/-/versions.json", "/-/static/"]
    datasette = await started(path, metadata)
    for asked in ("/-/versions.json", "/-/static/app.css"):
        assert (await datasette.client.get(asked, cookies={})).status_code == 200
    for asked in ("/-/versions", "/-/versions.json/x", "/-/static", "/-/memory.json"):
        await assert_refused(datasette, asked)


@given(st.text(max_size=30), st.sampled_from(["", "/", "/-/", "/-/memory", "/-/auth-token", "/-/actor.json"]))
def test_no_other_path_is_open(text: str, start: str) -> None:
    asked = start + text
    assert sign_in.is_open(asked, sign_in.OPEN_PATHS) == (asked in sign_in.OPEN_PATHS)


async def test_the_link_used_again_leads_home(server: Any) -> None:
    link = "/-/auth-token?token=used"
    again = await server.client.get(link)
    assert again.status_code == 303 and again.headers["location"] == "/"
    assert (await server.client.get(link, cookies={})).status_code == 403
    odd = await server.client.get("/\\evil.example/-/auth-token")
    assert "location" not in odd.headers


async def test_a_socket_is_closed() -> None:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def nobody(scope: dict[str, Any], receive: Any) -> bool:
        return False

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        raise AssertionError(scope)

    page = serving.PLUGINS / "templates" / "memory_sign_in.html"
    closed = sign_in.signed_in_only(app, nobody, open_paths=sign_in.OPEN_PATHS, page=page)
    await closed({"type": "websocket", "path": "/-/actor.jso", "headers": []}, None, send)
    assert sent == [{"type": "websocket.close", "code": 1008}]
    assert json.dumps(sign_in.HOW)
