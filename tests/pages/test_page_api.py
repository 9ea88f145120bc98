"""What programs ask of the server and change through it, on the sample history."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from memory_db.pages.web.routes import ROUTES
from memory_db.pages.web.shelf import PLUGINS
from memory_db.store import api_tokens
from tests.support.in_process import one
from tests.support.page_routes import registered, registered_by_plugins

pytestmark = pytest.mark.slow

PORT = "m4cef8e1f"
"""A memory of the sample: the port of a database."""

ADDRESS = "http://127.0.0.1:8001"

TUESDAY = "Deploy on Tuesdays only, after the stand-up."


async def get(server: Any, path: str, status: int = 200) -> Any:
    response = await server.client.get(f"/-/memory/{path}")
    assert response.status_code == status, response.text
    assert response.headers["content-type"].startswith("application/json")
    data = response.json()
    assert data["ok"] == (status == 200)
    return data


@pytest.fixture
def token(server: Any, sample_db: sqlite3.Connection) -> str:
    """What a program shows that may write."""
    return api_tokens.add(sample_db, "notes", now=datetime.now(UTC))


async def post(server: Any, path: str, token: str | None, status: int = 200, **body: Any) -> Any:
    """What a program sends with its token, or without one."""
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
    response = await server.client.post(f"/-/memory/{path}", content=json.dumps(body), headers=headers, cookies={})
    assert response.status_code == status, response.text
    data = response.json()
    assert data["ok"] == (status == 200)
    if status != 200:
        assert data["status"] == status and "\n" not in data["error"]
    return data


def contents(db: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """What a dry run must leave as it is."""
    tables = ("memories", "memory_versions", "evidence", "entries", "sessions", "tags", "embeddings", "recalls")
    return [
        *((table, one(db, f"select count(*) from {table}")) for table in tables),
        *(tuple(row) for row in db.execute("select uid, status, change_reason from memories order by id")),
    ]


def audited(db: sqlite3.Connection) -> tuple[Any, ...]:
    """The last row of the audit log."""
    return tuple(db.execute("select actor, target, outcome from audit_log order by id desc limit 1").fetchone())


# --------------------------------------------------------------------- reading


async def test_stats_count_what_is_there(server: Any, sample_db: sqlite3.Connection) -> None:
    data = await get(server, "stats.json")
    assert data["totals"]["active"] == one(sample_db, "select count(*) from memories where status = 'active'")
    assert sum(kind["memories"] for kind in data["kinds"]) == data["totals"]["active"]
    assert sum(origin["memories"] for origin in data["origins"]) == data["totals"]["active"]
    assert data["totals"]["entries"] == one(sample_db, "select count(*) from entries") and data["file_bytes"] > 0


async def test_projects_and_tags_are_listed_with_counts(server: Any, sample_db: sqlite3.Connection) -> None:
    projects = (await get(server, "projects.json"))["projects"]
    assert {project["name"] for project in projects} == {"tidepool", "quayside", "lanternfish"}
    of_agents = "select count(*) from sessions where parent_session_id is null and agent is null"
    assert sum(project["sessions"] for project in projects) == one(sample_db, of_agents)
    tags = (await get(server, "tags.json"))["tags"]
    assert [tag["memories"] for tag in tags] == sorted((tag["memories"] for tag in tags), reverse=True)
    active = "select count(*) from tags t join memories m on m.id = t.memory_id where m.status = 'active'"
    assert sum(tag["memories"] for tag in tags) == one(sample_db, active)


async def test_pages_of_a_list_hold_each_memory_once(server: Any) -> None:
    uids: list[str] = []
    while True:
        data = await get(server, f"memories.json?limit=40&offset={len(uids)}")
        if not data["memories"]:
            break
        uids += [memory["uid"] for memory in data["memories"]]
    assert len(uids) == len(set(uids)) == data["total"] > 80


@pytest.mark.parametrize(
    ("query", "name", "value"),
    [
        ("project=tidepool", "project", "tidepool"),
        ("kind=fix", "kind", "fix"),
        ("scope=user", "scope", "user"),
        ("origin=rules", "origin", "rules"),
        ("status=superseded", "status", "superseded"),
    ],
)
async def test_a_list_is_filtered(server: Any, query: str, name: str, value: str) -> None:
    data = await get(server, f"memories.json?limit=200&{query}")
    assert data["total"] == len(data["memories"]) > 0
    assert {memory[name] for memory in data["memories"]} == {value}


async def test_a_list_is_filtered_by_tag_lock_and_time(server: Any) -> None:
    everything = (await get(server, "memories.json?limit=200"))["memories"]
    tagged = await get(server, "memories.json?limit=200&tag=database&tag=api")
    wanted = {memory["uid"] for memory in everything if {"database", "api"} & set(memory["tags"])}
    assert {memory["uid"] for memory in tagged["memories"]} == wanted != set()
    locked = await get(server, "memories.json?locked=true")
    assert {memory["lock_level"] for memory in locked["memories"]} == {"user"}
    middle = sorted(memory["created_at"] for memory in everything)[50][:10]
    since = (await get(server, f"memories.json?since={middle}"))["total"]
    before = (await get(server, f"memories.json?before={middle}"))["total"]
    assert since + before == len(everything) and since and before


async def test_related_memories_come_by_similarity_and_edges(server: Any) -> None:
    data = await get(server, f"memories/{PORT}/related.json?limit=3")
    assert len(data["related"]) == 3 and PORT not in [hit["uid"] for hit in data["related"]]
    scores = [hit["score"] for hit in data["related"]]
    assert scores == sorted(scores, reverse=True)
    assert data["edges"] and all(edge["uid"] != PORT for edge in data["edges"])


async def test_a_brief_keeps_its_budget(server: Any) -> None:
    data = await get(server, "brief.json?q=postgres+port&project=tidepool&budget=200")
    assert 0 < data["tokens"] <= data["budget_tokens"] == 200 and "5433" in data["text"]
    lines = [line for role in data["roles"] for line in role["lines"]]
    assert lines and all(line["line"] in data["text"] for line in lines)
    start = await get(server, "brief.json?start=1&project=tidepool")
    assert "tidepool" in start["text"] and start["tokens"] <= start["budget_tokens"]


async def test_only_what_a_program_asks_with_its_token_is_logged(
    server: Any, sample_db: sqlite3.Connection, token: str
) -> None:
    count = one(sample_db, "select count(*) from recalls")
    assert (await get(server, "brief.json?q=postgres"))["recall"] is None
    assert one(sample_db, "select count(*) from recalls") == count
    uid = (await post(server, "brief.json", token, q="postgres", project="tidepool"))["recall"]
    assert one(sample_db, "select query from recalls where uid = ?", uid) == "postgres"
    assert (await get(server, f"recalls/{uid}.json"))["recall"]["surface"] == "brief"


async def test_recall_takes_its_fields_as_json_too(server: Any, token: str) -> None:
    asked = await get(server, "recall.json?q=postgres+port&project=tidepool&kind=environment&limit=3")
    body = {"q": "postgres port", "project": "tidepool", "kind": ["environment"], "limit": 3}
    sent = await post(server, "recall.json", token, **body)
    uids = [hit["uid"] for hit in sent["answer"]["hits"]]
    assert uids == [hit["uid"] for hit in asked["answer"]["hits"]] and PORT in uids


async def test_what_a_description_is_about_can_be_forgotten_and_is_not(
    server: Any, sample_db: sqlite3.Connection
) -> None:
    before = contents(sample_db)
    data = await get(server, "forget.json?q=the+port+of+postgres&project=tidepool&limit=3")
    assert PORT in [match["uid"] for match in data["matches"]]
    assert all(match["command"] == f"memory-db memory forget {match['uid']}" for match in data["matches"])
    assert contents(sample_db) == before


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("memories.json?colour=red", 400, "No field 'colour'"),
        ("memories.json?limit=0", 400, "limit '0'"),
        ("memories.json?limit=9999", 400, "from 1 to 200"),
        ("memories.json?offset=-1", 400, "offset '-1'"),
        ("memories.json?status=lost", 400, "No status 'lost'"),
        ("memories.json?locked=perhaps", 400, "Give true or false"),
        ("memories.json?since=never", 400, "names no date"),
        ("memories.json?kind=song", 404, "No kind 'song'"),
        ("memories.json?project=nowhere", 404, "No project 'nowhere'"),
        ("memories/mnone/related.json", 404, "No memory"),
        ("brief.json", 400, "Give q, or start=1"),
        ("brief.json?q=a&start=1", 400, "Give q, or start=1"),
        ("brief.json?q=postgres&budget=none", 400, "budget 'none'"),
        ("forget.json", 400, "question"),
        ("capture.json", 405, "Only POST"),
        ("memories/retire.json", 405, "Only POST"),
        ("memories/restore.json", 405, "Only POST"),
    ],
)
async def test_what_cannot_be_read_is_said_in_one_line(server: Any, path: str, status: int, words: str) -> None:
    data = await get(server, path, status)
    assert words in data["error"] and "\n" not in data["error"] and data["status"] == status


# --------------------------------------------------------------------- writing


async def test_a_memory_is_added_once(server: Any, sample_db: sqlite3.Connection, token: str) -> None:
    sent = {"text": TUESDAY, "project": "tidepool", "kind": "convention", "tag": ["deployment"], "importance": 4}
    data = await post(server, "memories.json", token, **sent)
    assert data["is_new"] and audited(sample_db) == ("token:notes", "/-/memory/memories", "done")
    row = sample_db.execute("select text, importance, origin from memories where uid = ?", [data["uid"]]).fetchone()
    assert tuple(row) == (TUESDAY, 4, "user")
    again = await post(server, "memories.json", token, **sent)
    assert again["uid"] == data["uid"] and not again["is_new"]
    hits = (await get(server, "recall.json?q=deploy+on+tuesdays"))["answer"]["hits"]
    assert data["uid"] in [hit["uid"] for hit in hits]


async def test_an_exchange_is_taken_in_once(server: Any, sample_db: sqlite3.Connection, token: str) -> None:
    sent = {"prompt": "Which port?", "response": "It is 5433.", "model": "some-model", "project": "tidepool"}
    data = await post(server, "capture.json", token, **sent)
    assert data["entries_added"] == 2 and audited(sample_db) == ("token:notes", "/-/memory/capture", "done")
    project = "select p.name from sessions s join projects p on p.id = s.project_id where s.uid = ?"
    assert one(sample_db, project, data["session"]) == "tidepool"
    assert (await post(server, "capture.json", token, **sent))["entries_added"] == 0
    long = "word " * 100_000
    assert (await post(server, "capture.json", token, prompt="Why?", response=long))["entries_added"] == 2


async def test_many_are_retired_and_come_back(server: Any, sample_db: sqlite3.Connection, token: str) -> None:
    before = (await get(server, "memories.json?tag=deployment"))["total"]
    found = await post(server, "memories/retire.json", token, tag="deployment")
    assert found["dry_run"] and found["batch"] is None and "nothing was changed" in found["said"]
    done = await post(server, "memories/retire.json", token, tag="deployment", dry_run=False, reason="moved house")
    assert done["count"] == found["count"] == before - len(done["locked"])
    assert audited(sample_db) == ("token:notes", "/-/memory/memories/retire", "done")
    assert (await get(server, "memories.json?tag=deployment"))["total"] == len(done["locked"])
    reason = one(sample_db, "select change_reason from memories where uid = ?", done["memories"][0]["uid"])
    assert "moved house" in reason and "token:notes" in reason
    back = await post(server, "memories/restore.json", token, batch=done["batch"], dry_run=False)
    assert back["count"] == done["count"] and audited(sample_db)[1:] == ("/-/memory/memories/restore", "done")
    assert (await get(server, "memories.json?tag=deployment"))["total"] == before


async def test_named_ones_are_retired_and_come_back(server: Any, token: str) -> None:
    done = await post(server, "memories/retire.json", token, uid=[PORT, PORT], dry_run=False)
    assert [each["uid"] for each in done["memories"]] == [PORT]
    back = await post(server, "memories/restore.json", token, uid=PORT, dry_run="false")
    assert [each["uid"] for each in back["memories"]] == [PORT]


async def test_locked_ones_are_left_alone(server: Any, sample_db: sqlite3.Connection, token: str) -> None:
    uid = one(sample_db, "select uid from memories where lock_level = 'user'")
    done = await post(server, "memories/retire.json", token, uid=uid, dry_run=False)
    assert done["count"] == 0 and [each["uid"] for each in done["locked"]] == [uid] and "left alone" in done["said"]
    assert one(sample_db, "select status from memories where uid = ?", uid) == "active"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("memories.json", {"text": TUESDAY, "user": True, "dry_run": True}),
        ("capture.json", {"prompt": "Which port?", "response": "It is 5433.", "dry_run": 1}),
        ("memories/retire.json", {"project": "tidepool"}),
        ("memories/retire.json", {"kind": ["fix", "decision"], "dry_run": True}),
    ],
)
async def test_a_dry_run_changes_nothing_and_leaves_an_audit_row(
    server: Any, sample_db: sqlite3.Connection, token: str, path: str, body: dict[str, Any]
) -> None:
    before = contents(sample_db)
    data = await post(server, path, token, **body)
    assert data["dry_run"] and "nothing was changed" in data["said"] and contents(sample_db) == before
    assert audited(sample_db)[2] == "done"


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("memories.json", {"text": "x", "colour": "red"}, 400, "No field 'colour'"),
        ("memories.json", {"text": TUESDAY}, 400, "Give user: true, or a project"),
        ("memories.json", {"text": " ", "user": True}, 400, "is empty"),
        ("memories.json", {"text": TUESDAY, "project": "nowhere"}, 404, "No project 'nowhere'"),
        ("memories.json", {"text": TUESDAY, "user": True, "kind": "song"}, 400, "No kind 'song'"),
        ("memories.json", {"text": TUESDAY, "user": True, "importance": 9}, 400, "importance '9'"),
        ("capture.json", {"prompt": "Why?"}, 400, "The response is empty"),
        ("capture.json", {"prompt": "a", "response": "b", "said_at": "once"}, 400, "is no time"),
        ("capture.json", {"prompt": "a", "response": "b", "colour": "red"}, 400, "No field 'colour'"),
        ("memories/retire.json", {}, 400, "Nothing says which memories"),
        ("memories/retire.json", {"tagg": "api"}, 400, "No field 'tagg'"),
        ("memories/retire.json", {"tag": "api", "dry_run": "maybe"}, 400, "Give true or false"),
        ("memories/retire.json", {"uid": "mnone"}, 404, "No memory 'mnone'"),
        ("memories/retire.json", {"uid": PORT, "tag": "api"}, 400, "not by both"),
        ("memories/retire.json", {"tag": "api", "reason": "x" * 501}, 400, "too long"),
        ("memories/restore.json", {}, 400, "Nothing says which memories"),
        ("memories/restore.json", {"batch": "%"}, 404, "No memory is retired in batch"),
        ("memories/restore.json", {"uid": PORT}, 400, "not retired"),
    ],
)
async def test_what_cannot_be_done_is_said_in_one_line_and_changes_nothing(
    server: Any, sample_db: sqlite3.Connection, token: str, path: str, body: dict[str, Any], status: int, words: str
) -> None:
    before = contents(sample_db)
    assert words in (await post(server, path, token, status, **body))["error"]
    assert contents(sample_db) == before
    assert audited(sample_db)[2] == "refused"


@pytest.mark.parametrize("path", ["memories.json", "capture.json", "memories/retire.json", "memories/restore.json"])
async def test_nobody_writes_without_a_token(server: Any, sample_db: sqlite3.Connection, path: str) -> None:
    before = contents(sample_db)
    body = {"text": TUESDAY, "user": True, "prompt": "a", "response": "b", "uid": PORT, "dry_run": False}
    assert "memory-db file tokens add" in (await post(server, path, None, 401, **body))["error"]
    assert contents(sample_db) == before and one(sample_db, "select count(*) from audit_log") == 0


# --------------------------------------------------------------- the documentation


def curls() -> list[list[str]]:
    """The examples of docs/json-api.md, each split as a shell would."""
    text = (PLUGINS.parent / "docs" / "json-api.md").read_text("utf-8")
    return [shlex.split(line[2:]) for line in re.findall(r"^\$ curl .*$", text, re.M)]


async def test_every_example_of_the_documentation_answers(server: Any, token: str, sample_path: Path) -> None:
    examples = curls()
    assert len(examples) > 25
    for words in examples:
        options = list(pairwise(words))
        headers = dict(value.split(": ", 1) for name, value in options if name == "-H")
        headers = {name: value.replace("$TOKEN", token) for name, value in headers.items()}
        data = next((value for name, value in options if name == "-d"), None)
        url = next(word for word in words if word.startswith(ADDRESS)).removeprefix(ADDRESS)
        url = re.sub(r"^/memory/", f"/{sample_path.stem}/", url)
        if data is None:
            response = await server.client.get(url, headers=headers, cookies={}, follow_redirects=True)
        else:
            response = await server.client.post(url, content=data, headers=headers, cookies={})
        assert response.status_code == 200, (words, response.text)
        assert response.json()


def nameless(path: str) -> str:
    """A path without the names of its parts that vary."""
    return re.sub(r"/[A-Z]+", "/X", path)


async def test_the_documentation_describes_paths_as_the_table_of_pages_has_them(server: Any) -> None:
    text = (PLUGINS.parent / "docs" / "json-api.md").read_text("utf-8")
    methods = {nameless(route.json_path): set(route.methods) for route in ROUTES if route.json_path}
    described = re.findall(r"^\| ((?:GET|POST)(?: or POST)?) `(/-/memory[^`?]*)`", text, re.M)
    assert len(described) > 35
    for named, path in described:
        assert set(named.split(" or ")) <= methods[nameless(path)], path
    assert set(registered_by_plugins(server)) == set(registered())
