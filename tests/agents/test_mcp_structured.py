"""A recall over MCP with data beside its text, where a program asks for it."""

from __future__ import annotations

import re
import sys
from contextlib import closing
from datetime import datetime
from pathlib import Path

import jsonschema
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from memory_db.agents.reader.reader import Reader
from memory_db.knowledge.memories import add_memory
from memory_db.recall.answer_schema import answer_schema, schema_of
from memory_db.store import settings
from memory_db.store.schema import open_database
from memory_db.transcripts.projects import make_project
from tests.support.mcp_client import connected

FACT = "The test database listens on port 5433."
QUESTION = {"query": "port of the test database"}


@pytest.fixture
def path(db_path: Path, now: datetime) -> Path:
    """A small file that nobody has open."""
    with closing(open_database(db_path, now=now)) as db:
        settings.put(db, "embedding_model", "none", now=now)
        project_id = make_project(db, "/home/dev/shop", None, now)
        add_memory(db, text=FACT, kind="environment", scope="project", project_id=project_id, now=now)
    return db_path


@pytest.fixture
def reader(path: Path, now: datetime) -> Reader:
    return Reader(path, Path("/home/dev/shop/src"), lambda: now)


@pytest.mark.slow
async def test_a_recall_carries_data_where_a_program_asks_for_it(reader: Reader) -> None:
    async with connected(reader, structured=True) as client:
        [recall, *others] = (await client.list_tools()).tools
        result = await client.call_tool("recall", QUESTION)
        silent = await client.call_tool("recall", {"query": "zebra quantum"})
        failed = await client.call_tool("recall", {"query": "port", "kind": "nonsense"})
    assert recall.output_schema == answer_schema() and all(tool.output_schema is None for tool in others)
    jsonschema.Draft202012Validator.check_schema(recall.output_schema)
    [part] = result.content
    data = result.structured_content
    for each in (data, silent.structured_content):
        jsonschema.validate(each, recall.output_schema)
    assert f'recall="{data["recall_uid"]}"' in part.text
    assert all(role["lines"][0]["line"] in part.text for role in data["roles"] if role["lines"])
    assert data["others"] == [] and data["hits"][0]["text"] == FACT
    assert silent.structured_content["abstained"] and failed.is_error and failed.structured_content is None


async def test_the_text_is_the_same_with_data_beside_it(reader: Reader) -> None:
    texts = []
    for structured in (False, True):
        async with connected(reader, structured=structured) as client:
            answer = await client.call_tool("recall", QUESTION)
        texts.append(re.sub(r'recall="\w+"', "", answer.content[0].text))
    assert texts[0] == texts[1]


@pytest.mark.slow
async def test_a_process_is_told_to_send_data(path: Path) -> None:
    words = ["-m", "memory_db", "mcp", "--structured", "-d", str(path)]
    async with Client(stdio_client(StdioServerParameters(command=sys.executable, args=words))) as client:
        result = await client.call_tool("recall", {**QUESTION, "project": "shop"})
    assert result.structured_content["hits"][0]["project"] == "shop"


def test_a_type_without_a_schema_is_told() -> None:
    with pytest.raises(TypeError, match="has no JSON schema here"):
        schema_of(set[str], {})
