"""The reader's tools over HTTP, from a served Datasette, by the SDK's own client."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextContent, TextResourceContents

from memory_db.agents.reader.reader import Reader
from memory_db.knowledge.memories import add_memory
from memory_db.pages.web import compat
from memory_db.pages.web import serve as serving
from memory_db.store import api_tokens
from memory_db.store.connection import connect
from memory_db.store.dates import utc_text
from memory_db.store.schema import open_database
from tests.support.mcp_client import connected
from tests.support.patience import WAIT_S

OURS = ("recall", "get", "timeline")


@pytest.fixture
def path(db_path: Path, now: datetime) -> Path:
    """A file with a memory of each of two projects."""
    with closing(open_database(db_path, now=now)) as db:
        for number, name in enumerate(("shop", "blog"), start=1):
            db.execute("insert into projects values (?, ?, ?, null, ?)", [number, name, f"/dev/{name}", utc_text(now)])
        for project_id, text in ((1, "The shop deploys with helm."), (2, "The blog deploys with rsync.")):
            add_memory(db, text=text, kind="convention", scope="project", project_id=project_id, now=now)
    return db_path


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every Datasette that is served, for signing cookies; only ada may look into it."""
    plain, make, found = serving.metadata_for, compat.make_datasette, []

    def keep(*arguments: Any, **options: Any) -> Any:
        found.append(make(*arguments, **options))
        return found[-1]

    def closed(path: Path) -> dict[str, Any]:
        metadata = plain(path)
        plugins = {**metadata["plugins"], "memory-db": {**metadata["plugins"]["memory-db"], "mcp_propose": True}}
        return {**metadata, "plugins": plugins, "allow": {"id": ["ada", "root"]}}

    monkeypatch.setattr(serving, "metadata_for", closed)
    monkeypatch.setattr(compat, "make_datasette", keep)
    return found


def signed_in(datasette: Any, actor: str) -> dict[str, str]:
    """The cookie of an actor."""
    return {"ds_actor": datasette.sign({"a": {"id": actor}}, "actor")}


def bearer(path: Path) -> dict[str, str]:
    """The header of a program with a token."""
    with closing(open_database(path, now=datetime.now(UTC))) as db:
        return {"authorization": f"Bearer {api_tokens.add(db, 'agent', now=datetime.now(UTC))}"}


@asynccontextmanager
async def client_of(
    url: str, cookies: dict[str, str] | None = None, headers: dict[str, str] | None = None
) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(cookies=cookies, headers=headers, timeout=WAIT_S) as http,
        Client(streamable_http_client(f"{url}/-/mcp", http_client=http)) as client,
    ):
        yield client


async def call(client: Client, tool: str, **arguments: object) -> tuple[bool, str]:
    """Whether it is an error, and the text."""
    result = await client.call_tool(tool, arguments)
    [part] = result.content
    assert isinstance(part, TextContent)
    return bool(result.is_error), part.text


def bare(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema without what the SDK adds: titles that repeat names, and defaults that are nothing."""
    properties = {
        name: {key: value for key, value in each.items() if key != "title" and (key != "default" or value)}
        for name, each in schema["properties"].items()
    }
    return {**{key: value for key, value in schema.items() if key != "title"}, "properties": properties}


@pytest.mark.slow
async def test_the_same_tools_answer(path: Path, now: datetime) -> None:
    async with connected(Reader(path, None, lambda: now)) as client:
        over_stdio = {tool.name: tool for tool in (await client.list_tools()).tools}
    with serving.running(path) as served:
        async with client_of(served.url, headers=bearer(path)) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            failed, text = await call(client, "recall", query="how does it deploy")
            _, narrow = await call(client, "recall", query="how does it deploy", project="blog")
            _, span = await call(client, "timeline", since="2020-01-01")
            wrong, error = await call(client, "get", uids=["m00000000"])
            uid = uid_of(path, "helm")
            [resource] = (await client.read_resource(f"memory://memory/{uid}")).contents
    assert set(OURS) <= set(tools) and "propose" not in tools
    for name in OURS:
        mine, theirs = over_stdio[name], tools[name]
        assert (mine.title, mine.description, mine.annotations) == (
            theirs.title,
            theirs.description,
            theirs.annotations,
        )
        assert mine.input_schema == bare(theirs.input_schema)
        assert theirs.output_schema is None
    assert not failed and "helm" in text and "rsync" in text, "no folder says which project is meant"
    assert "rsync" in narrow and "helm" not in narrow
    assert "helm" in span and wrong and "m00000000" in error
    assert isinstance(resource, TextResourceContents) and "helm" in resource.text
    with closing(connect(path)) as db:
        logged = [tuple(row) for row in db.execute("select surface, abstained from recalls order by id")]
    assert logged == [("mcp", 0), ("mcp", 0)]


@pytest.mark.slow
async def test_who_may_not_look_is_told_nothing(path: Path, made: list[Any]) -> None:
    with serving.running(path) as served:
        async with client_of(served.url, signed_in(made[0], "ada")) as client:
            assert "helm" in (await call(client, "recall", query="how does it deploy"))[1]
        async with client_of(served.url, headers=bearer(path)) as client:
            for tool, arguments in (
                ("recall", {"query": "deploy"}),
                ("get", {"uids": [uid_of(path, "helm")]}),
                ("timeline", {"about": "deploy"}),
            ):
                failed, text = await call(client, tool, **arguments)
                assert failed and "access" in text and "helm" not in text


@pytest.mark.slow
def test_who_shows_no_token_is_refused_in_a_line(path: Path) -> None:
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "recall", "arguments": {"query": "x"}},
    }
    with serving.running(path) as served, httpx2.Client(base_url=served.url, timeout=WAIT_S) as visitor:
        for headers in ({}, {"authorization": "Bearer of-a-plugin"}):
            answer = visitor.post("/-/mcp", json=body, headers=headers)
            assert answer.status_code == 401 and "memory-db file tokens add" in answer.json()["error"]
            assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.slow
async def test_who_may_write_may_propose(path: Path, made: list[Any]) -> None:
    wish = {"op": "deprecate", "uid": uid_of(path, "helm"), "reason": "helm is gone"}
    with serving.running(path) as served:
        async with client_of(served.url, signed_in(made[0], "ada")) as client:
            assert "propose" in {tool.name for tool in (await client.list_tools()).tools}
            failed, text = await call(client, "propose", **wish)
            assert failed and "may_write" in text
        async with client_of(served.url, signed_in(made[0], "root")) as client:
            failed, text = await call(client, "propose", **wish)
    assert not failed and "p1 waits for a person" in text
    with closing(connect(path)) as db:
        assert [tuple(row) for row in db.execute("select kind, state, proposed_by from proposals")] == [
            ("retire", "open", "mcp")
        ]
        assert db.execute("select count(*) from memories where status <> 'active'").fetchone()[0] == 0


def uid_of(path: Path, words: str) -> str:
    with closing(sqlite3.connect(path)) as db:
        return str(db.execute("select uid from memories where text like ?", [f"%{words}%"]).fetchone()[0])
