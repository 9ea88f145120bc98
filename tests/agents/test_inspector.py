"""The MCP inspector's command line against our server, as `install` names it."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memory_db.knowledge.memories import add_memory
from tests.support.real_clients import ClientEnvironment, client_environment, memory_db, needs

pytestmark = [pytest.mark.slow, needs("mcp-inspector", "node")]


@pytest.fixture
def here(tmp_path: Path) -> ClientEnvironment:
    return client_environment(tmp_path)


@pytest.fixture
def path(db_path: Path, db: sqlite3.Connection, now: datetime) -> Path:
    add_memory(db, text="The test database listens on port 5433.", kind="environment", scope="user", now=now)
    return db_path


def inspect(here: ClientEnvironment, path: Path, *words: str) -> dict[str, Any]:
    """What the server that `install --print` names answers."""
    server = json.loads(memory_db(here, path, ["install", "--print"]))["mcpServers"]["memory"]
    done = here.run("mcp-inspector", "--cli", server["command"], *server["args"], *words)
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    return answer


def test_tools_are_listed(here: ClientEnvironment, path: Path) -> None:
    tools = inspect(here, path, "--method", "tools/list")["tools"]
    assert {"recall", "get"} <= {tool["name"] for tool in tools}
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools)


def test_a_tool_is_called(here: ClientEnvironment, path: Path) -> None:
    words = ["--method", "tools/call", "--tool-name", "recall", "--tool-arg", "query=port of the test database"]
    answer = inspect(here, path, *words)
    assert not answer.get("isError")
    assert "5433" in answer["content"][0]["text"]


def test_trouble_is_reported_as_an_error_of_the_tool(here: ClientEnvironment, path: Path) -> None:
    answer = inspect(here, path, "--method", "tools/call", "--tool-name", "get", "--tool-arg", 'uids=["m00000000"]')
    assert answer["isError"]
    assert "m00000000" in answer["content"][0]["text"]
