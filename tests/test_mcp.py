"""The reader over MCP: in process, and as an agent starts it."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import datetime
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from memory_db.connection import connect, transaction
from memory_db.dates import utc_text
from memory_db.db import open_database
from memory_db.mcp_reader import PAGE_BYTES, Reader, build_server
from memory_db.memories import add_memory
from memory_db.redact import strip_injected

MOST_ANSWER_BYTES = 4_000

LONG_ENTRY = "The deploy of the shop goes through staging first. " + " ".join(
    f"Step {number} copies höhe{number}." for number in range(400)
)


INSERT_ENTRY = """
insert into entries (id, uid, session_id, role, kind, text, created_at) values (?, ?, 1, 'user', 'prompt', ?, ?)
"""


@pytest.fixture
def path(db_path: Path, now: datetime) -> Path:
    """A small file that nobody has open: a session of three entries, memories that share words with them."""
    at = utc_text(now)
    with closing(open_database(db_path, now=now)) as db:
        with transaction(db):
            db.execute("insert into projects values (1, 'shop', '/home/dev/shop', null, ?)", [at])
            db.execute("insert into projects values (2, 'blog', '/home/dev/blog', null, ?)", [at])
            db.execute("insert into sessions (id, uid, format, project_id) values (1, 'session-1', 'claude-code', 1)")
            for number, text in enumerate([LONG_ENTRY, "Which port has the test database?", "Port 5433."], start=1):
                db.execute(INSERT_ENTRY, [number, f"entry-{number}", text, at])
                db.execute("insert into session_entries values (1, ?, ?)", [number, number])
        for text, kind, project_id in (
            ("The test database listens on port 5433.", "environment", 1),
            ("The blog deploys with rsync.", "convention", 2),
            ("Never push to main.", "correction", None),
        ):
            scope = "project" if project_id else "user"
            add_memory(db, text=text, kind=kind, scope=scope, project_id=project_id, now=now)
    return db_path


@pytest.fixture
def reader(path: Path, now: datetime) -> Reader:
    return Reader(path, Path("/home/dev/shop/src"), lambda: now)


@asynccontextmanager
async def client_of(reader: Reader) -> AsyncIterator[Client]:
    async with Client(build_server(reader)) as client:
        yield client


async def call(client: Client, tool: str, **arguments: object) -> str:
    """The text of a good answer, which is all that an answer has."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.structured_content is None
    [part] = result.content
    return str(part.text)


async def error_of(client: Client, tool: str, **arguments: object) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    text = str(result.content[0].text)
    assert "Traceback" not in text
    return text


def uid_of(path: Path, words: str) -> str:
    with closing(connect(path)) as db:
        return str(db.execute("select uid from memories where text like ?", [f"%{words}%"]).fetchone()["uid"])


def recalls_of(path: Path) -> list[sqlite3.Row]:
    with closing(connect(path)) as db:
        return db.execute("select * from recalls order by id").fetchall()


async def test_tools_cost_few_tokens(reader: Reader) -> None:
    async with client_of(reader) as client:
        tools = (await client.list_tools()).tools
    sent = json.dumps([tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools])
    assert [tool.name for tool in tools] == ["recall", "get"]
    assert len(sent) < 1_000
    assert all(tool.output_schema is None for tool in tools)
    assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)


async def test_recall_gives_the_brief_and_logs_it(reader: Reader, path: Path) -> None:
    async with client_of(reader) as client:
        text = await call(client, "recall", query="port of the test database")
    [row] = recalls_of(path)
    assert text.startswith(f'<memory-brief recall="{row["uid"]}">')
    assert f"[{uid_of(path, '5433')}] The test database listens on port 5433." in text
    assert "shown of" in text.splitlines()[-2]
    assert (row["surface"], row["project_id"], row["abstained"]) == ("mcp", 1, 0)
    with closing(connect(path)) as db:
        logged = db.execute("select * from recall_scores").fetchall()
    assert logged and all(abs(hit["score"] - hit["logged_score"]) < 1e-9 for hit in logged)


async def test_filters_narrow(reader: Reader) -> None:
    async with client_of(reader) as client:
        both = await call(client, "recall", query="deploy push", limit=50)
        blog = await call(client, "recall", query="deploy push", project="blog", limit=50)
        corrections = await call(client, "recall", query="deploy push", kind="Correction")
        by_path = await call(client, "recall", query="deploy push", project="/home/dev/blog/", limit=50)
    assert "through staging" in both and "rsync" in both
    assert "through staging" not in blog and "rsync" in blog and "Never push" in blog
    assert "Never push" in corrections and "rsync" not in corrections
    assert [line for line in by_path.splitlines() if line.startswith("- [")] == [
        line for line in blog.splitlines() if line.startswith("- [")
    ]


async def test_nothing_found_is_an_answer(reader: Reader, path: Path) -> None:
    async with client_of(reader) as client:
        text = await call(client, "recall", query="xylophone", kind="decision")
    assert "Nothing to show (0 considered)" in text
    assert "without project and kind" in text
    assert recalls_of(path)[0]["abstained"] == 1


async def test_answers_stay_small(reader: Reader, path: Path, now: datetime) -> None:
    with closing(open_database(path, now=now)) as db:
        for number in range(12):
            text = f"Ünïcödé nümbér {number}: " + "größe äußerst hübsch übermäßig " * 40
            add_memory(db, text=text, kind="quirk", scope="user", now=now)
    async with client_of(reader) as client:
        text = await call(client, "recall", query="größe hübsch")
        entry = await call(client, "get", uids=["entry-1"])
    assert text.count("- [m") >= 3
    assert len(text.encode()) <= MOST_ANSWER_BYTES
    assert len(entry.encode()) <= MOST_ANSWER_BYTES


async def test_get_reads_on_to_the_end(reader: Reader) -> None:
    pages, offset = [], 0
    async with client_of(reader) as client:
        while True:
            body = (await call(client, "get", uids=["entry-1"], offset=offset)).removeprefix("<memory-brief>\n")
            body = body.removesuffix("\n</memory-brief>")
            text, more, place = body.rpartition("\n(characters ")
            pages.append(text if more else body)
            if not more:
                break
            offset = int(place.partition("offset=")[2].partition(")")[0].split()[0])
        past = await error_of(client, "get", uids=["entry-1"], offset=1_000_000)
    assert len(pages) > 2
    assert LONG_ENTRY in "".join(pages)
    assert all(len(text.encode()) <= PAGE_BYTES for text in pages)
    assert "outside the text of" in past and "offset 0" in past


async def test_get_takes_every_sort_of_uid(reader: Reader, path: Path) -> None:
    async with client_of(reader) as client:
        await call(client, "recall", query="test database port")
        recall_uid = recalls_of(path)[0]["uid"]
        memory_uid = uid_of(path, "5433")
        memory = await call(client, "get", uids=[f"[{memory_uid}]"])
        recall = await call(client, "get", uids=[recall_uid])
        several = await call(client, "get", uids=["entry-2", "entry-3", "entry-2"])
        session = await call(client, "get", uids=["session-1"])
    assert "environment of shop" in memory and "confidence 0." in memory
    assert "test database port" in recall and memory_uid in recall
    assert several.count("[entry-2]") == 1 and "Port 5433." in several
    assert session.index("[entry-1]") < session.index("[entry-2]") < session.index("[entry-3]")


async def test_answers_do_not_come_back_as_memories(reader: Reader) -> None:
    async with client_of(reader) as client:
        for text in (
            await call(client, "recall", query="test database port"),
            await call(client, "recall", query="xylophone", kind="decision"),
            await call(client, "get", uids=["entry-1"]),
        ):
            assert strip_injected(text)[0].strip() == ""


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("recall", {"query": "port", "kind": "rumour"}, ["'rumour'", "decision, convention"]),
        ("recall", {"query": "port", "project": "sh"}, ["'sh'", "blog, shop"]),
        ("recall", {"query": "?!"}, ["no word", "'?!'"]),
        ("recall", {"query": "port", "limit": 500}, ["limit", "50"]),
        ("recall", {}, ["query", "required"]),
        ("get", {"uids": ["m00000000"]}, ["'m00000000'", "recall"]),
        ("get", {"uids": []}, ["0 uids", "1 to 20"]),
    ],
)
async def test_errors_say_what_to_do(reader: Reader, tool: str, arguments: dict[str, object], words: list[str]) -> None:
    async with client_of(reader) as client:
        text = await error_of(client, tool, **arguments)
    assert all(word in text for word in words), text


async def test_the_answer_comes_when_the_file_cannot_be_written(reader: Reader, path: Path) -> None:
    with closing(connect(path, write=True)) as other:
        other.execute("begin immediate")
        async with client_of(reader) as client:
            text = await call(client, "recall", query="test database port")
        other.rollback()
    assert "5433" in text
    assert "not logged" in text and "locked" in text
    assert text.startswith("<memory-brief>")
    assert recalls_of(path) == []


async def test_the_log_may_be_refused(reader: Reader, path: Path) -> None:
    with closing(connect(path, write=True)) as db:
        db.execute("create trigger refused before insert on hits begin select raise(abort, 'refused'); end")
    async with client_of(reader) as client:
        text = await call(client, "recall", query="test database port")
    assert "5433" in text and "not logged" in text
    assert recalls_of(path) == []


async def test_the_file_may_come_later_and_be_replaced(path: Path, tmp_path: Path, now: datetime) -> None:
    later = tmp_path / "later.db"
    reader = Reader(later, tmp_path, lambda: now)
    async with client_of(reader) as client:
        missing = await error_of(client, "recall", query="port")
        assert "No database at" in missing and "memory-db run" in missing
        path.rename(later)
        assert "5433" in await call(client, "recall", query="test database port")
        later.unlink()
        with closing(open_database(later, now=now)) as db:
            add_memory(db, text="The test database is gone.", kind="issue", scope="user", now=now)
        assert "is gone" in await call(client, "recall", query="test database port")
        later.write_bytes(b"no database at all" * 100)
        assert "not an SQLite database" in await error_of(client, "recall", query="port")


async def test_as_a_process_over_stdio(path: Path, tmp_path: Path) -> None:
    noise = tmp_path / "stderr.txt"
    server = StdioServerParameters(command=sys.executable, args=["-m", "memory_db.mcp_reader", "-d", str(path)])
    with noise.open("w") as errors:
        async with Client(stdio_client(server, errlog=errors)) as client:
            assert len((await client.list_tools()).tools) == 2
            text = await call(client, "recall", query="test database port")
            assert "rumour" in await error_of(client, "recall", query="port", kind="rumour")
            assert "5433" in await call(client, "get", uids=[uid_of(path, "5433")])
    assert "5433" in text
    assert [row["surface"] for row in recalls_of(path)] == ["mcp"]
    assert noise.read_text() == ""
