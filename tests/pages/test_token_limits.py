"""Tokens that may do less: read and change nothing, or see one project alone."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from datasette.database import QueryInterrupted

from memory_db.cli import cli
from memory_db.index import build as index
from memory_db.knowledge.memories import add_memory
from memory_db.pages.web.routes import ROUTES
from memory_db.store import api_tokens
from memory_db.transcripts.projects import project_named
from tests.support.in_process import made
from tests.support.session_rows import add_project

OURS, THEIRS, EVERYWHERE = "Deploy tidepool with ferrywire.", "Deploy quayside with ferrywire.", "Deploy by day only."


@pytest.fixture
def uids(db: sqlite3.Connection, now: datetime) -> dict[str, str]:
    """A memory of each of two projects, and one that holds everywhere."""
    tidepool, quayside = (add_project(db, f"/home/dev/{name}") for name in ("tidepool", "quayside"))
    found = {
        text: add_memory(
            db, text=text, kind="convention", scope="project" if where else "user", project_id=where, now=now
        )
        for text, where in ((OURS, tidepool), (THEIRS, quayside), (EVERYWHERE, None))
    }
    index.run(db, now=now, entries=False)
    return found


@pytest.fixture
async def server(uids: dict[str, str], db_path: Path) -> AsyncIterator[Any]:
    datasette = made(db_path)
    await datasette.invoke_startup()
    yield datasette
    for database in datasette.databases.values():
        database.close()


def limited(db: sqlite3.Connection, name: str, **limits: Any) -> dict[str, str]:
    """The header of a new token."""
    text = api_tokens.add(db, name, now=datetime.now(UTC), **limits)
    return {"authorization": f"Bearer {text}", "content-type": "application/json"}


async def test_a_token_that_only_reads_changes_nothing(
    server: Any, db: sqlite3.Connection, uids: dict[str, str]
) -> None:
    headers = limited(db, "reader", may_write=False)
    before = [tuple(row) for row in db.execute("select uid, text, status, lock_level from memories")]
    assert (await server.client.get("/-/memory/memories.json", headers=headers)).status_code == 200
    for path in ("memories.json", f"memories/{uids[OURS]}/retire.json", "capture.json", "settings.json"):
        answer = await server.client.post(f"/-/memory/{path}", headers=headers, content="{}")
        assert answer.status_code == 403, path
    assert [tuple(row) for row in db.execute("select uid, text, status, lock_level from memories")] == before


async def test_a_token_of_a_project_reads_that_and_what_holds_everywhere(server: Any, db: sqlite3.Connection) -> None:
    headers = limited(db, "ci", project_id=project_named(db, "tidepool"))
    asked = {"q": "deploy with ferrywire", "project": "quayside", "only_project": "", "as": "hook"}
    for path in ("recall.json", "brief.json", "memories.json"):
        fields = asked if path != "memories.json" else {"project": "quayside"}
        if path == "brief.json":
            fields = {name: asked[name] for name in ("q", "project")}
        answer = await server.client.get(f"/-/memory/{path}", params=fields, headers=headers)
        assert answer.status_code == 200, answer.text
        assert OURS in answer.text and THEIRS not in answer.text, path
        posted = await server.client.post(f"/-/memory/{path}", content=json.dumps(fields), headers=headers)
        assert THEIRS not in posted.text, path


@pytest.mark.slow
async def test_every_other_path_is_closed_to_a_token_of_a_project(
    server: Any, db: sqlite3.Connection, uids: dict[str, str]
) -> None:
    headers = limited(db, "ci", project_id=project_named(db, "tidepool"))
    open_to_it = {"/-/memory/recall", "/-/memory/brief.json", "/-/memory/memories"}
    ours = {route.path for route in ROUTES} - open_to_it
    assert len(ours) > 20
    sql = "/memory.json?sql=select+text+from+memories"
    theirs = {"/", "/memory", "/memory/memories.json", sql, "/-/databases.json", "/-/mcp"}
    for path in sorted(ours | theirs):
        answer = await server.client.get(with_parts(path, uids[THEIRS]), headers=headers)
        assert answer.status_code == 403 and THEIRS not in answer.text, path
        assert "one project" in answer.json()["error"]


async def test_a_token_is_known_where_every_query_runs_out_of_time(
    server: Any, db: sqlite3.Connection, uids: dict[str, str]
) -> None:
    headers = limited(db, "ci", project_id=project_named(db, "tidepool"))

    async def interrupted(sql: str, params: Any = None, *more: Any, **others: Any) -> Any:
        raise QueryInterrupted(sqlite3.OperationalError("interrupted"), sql, params)

    for database in server.databases.values():
        database.execute = interrupted
    answer = await server.client.get("/-/memory/review.json", headers=headers)
    assert answer.status_code == 403 and "one project" in answer.json()["error"]


def with_parts(path: str, uid: str) -> str:
    """A path of a route with something in each of its variable parts."""
    parts = {"UID": uid, "SESSION": "s", "ENTITY": "1", "ACTION": "lock", "NAME": "check", "FORM": "json", "ID": "1"}
    for name, value in parts.items():
        path = path.replace(name, value)
    return path


async def test_what_a_token_of_a_project_adds_belongs_to_it(server: Any, db: sqlite3.Connection) -> None:
    headers = limited(db, "ci", project_id=project_named(db, "tidepool"))
    sent = {"text": "Rebuild the index on Fridays.", "project": "quayside"}
    for fields in (sent, {"text": "Rebuild the docs on Mondays.", "user": True}):
        answer = await server.client.post("/-/memory/memories.json", content=json.dumps(fields), headers=headers)
        assert answer.status_code == 200, answer.text
    places = db.execute(
        "select distinct p.name from memories m left join projects p on p.id = m.project_id"
        " where m.text like 'Rebuild%'"
    ).fetchall()
    assert [tuple(row) for row in places] == [("tidepool",)]


def test_the_command_limits_a_token_and_says_so(db: sqlite3.Connection, uids: dict[str, str], db_path: Path) -> None:
    def run(*arguments: str) -> Any:
        return CliRunner().invoke(cli, ["-d", str(db_path), "file", "tokens", *arguments])

    assert run("add", "ci", "--project", "tidepool", "--read-only").exit_code == 0
    assert run("add", "all").exit_code == 0
    refused = run("add", "other", "--project", "nowhere")
    assert refused.exit_code == 1 and "nowhere" in refused.output
    listed = run("list").output
    assert "read /home/dev/tidepool" in listed and "read and write" in listed and "other" not in listed
