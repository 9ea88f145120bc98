"""Every path that changes something, asked with `dry_run`: no row is another one then, and it is said what would be.

Which paths there are is read from the table of pages (page_routes.py) and docs/json-api.md: none can be forgotten.
"""

from __future__ import annotations

import hashlib
import json
import marshal
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from memory_db.pages import projects
from memory_db.pages.forms import DRY_RUN
from memory_db.pages.health.actions import OPERATIONS
from memory_db.pages.live import actions as live_actions
from memory_db.pages.memory.actions import ACTIONS
from memory_db.pages.web.shelf import CLONE
from memory_db.store.connection import connect
from memory_db.upkeep import history
from tests.conftest import NOW
from tests.support.in_process import one, served
from tests.support.page_routes import Route, registered, routes, shape_of

pytestmark = pytest.mark.slow

PORT, OTHER = "m4cef8e1f", "m8136e40e"
RECALL = "1"
"""A recall that showed the first of them."""

SESSION, ENTRY = "07555618-7bcd-510c-9f25-1bf6d1435a8e", "ca5770a9-3b2d-5584-9fba-51800809cac8"
"""Two memories of the sample."""

PROGRAM = {"content-type": "application/json", "authorization": "Bearer of-a-plugin"}

ONLY_TELL = {
    "/-/memory/words",
    "/-/memory/review/preview",
    "/-/memory/memories/edit/preview",
    "/-/memory/tokens",
    "/-/memory/export.<form>",
}
"""What only who may write is told, and what changes nothing."""

ASKS_A_MODEL = {"/-/memory/prose"}
"""What needs a model; test_answers_first.py asks it with one."""

LOG_ONLY = {"/-/memory/recall", "/-/memory/brief.json"}
"""What only logs what was asked: with `dry_run` it does not."""


@dataclass(frozen=True, slots=True)
class Case:
    """What is sent where; `writes` where rows are others afterwards if it is no dry run."""

    shape: str
    body: dict[str, Any] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    writes: bool = True

    def path(self) -> str:
        """The path to send it to."""
        path = self.shape
        for name, value in self.parts.items():
            path = path.replace(f"<{name}>", value)
        return path if path.endswith(".json") else f"{path}.json"


def action(name: str, uid: str = PORT, **body: Any) -> Case:
    return Case("/-/memory/memories/<uid>/<action>", body, {"uid": uid, "action": name})


def live(name: str, **body: Any) -> Case:
    return Case("/-/memory/live/<name>", body, {"name": name})


def project(what: str, key: str = "tidepool", **body: Any) -> Case:
    return Case("/-/memory/projects/<key>/<action>", body, {"key": key, "action": what})


def operation(name: str, *, writes: bool = False, **body: Any) -> Case:
    return Case("/-/memory/health/<name>", body, {"name": name}, writes)


CASES = [
    Case("/-/memory/memories", {"text": "Deploy on Tuesdays only.", "user": True}),
    Case("/-/memory/capture.json", {"prompt": "Which port?", "response": "It is 5433.", "project": "tidepool"}),
    Case("/-/memory/memories/retire.json", {"uid": [PORT]}),
    Case("/-/memory/memories/restore.json", {"uid": [PORT]}),
    Case("/-/memory/memories/edit", {"item": [PORT], "set_importance": 1}),
    action("confirm"), action("unconfirm"), action("lock", reason="so it is"), action("unlock"),
    action("retire"), action("restore"),
    action("suppress", pattern="harbour master"), action("unsuppress", suppression="1"),
    action("correct", uid=OTHER, text="The words are others now."),
    action("uncorrect", uid="m60bc9caa", old=OTHER),
    action("reword", uid=OTHER, text="The same said in other words."),
    live("wrong", uid=PORT, recall=RECALL), live("right", uid=PORT, recall=RECALL),
    live("later", uid=PORT, recall=RECALL),
    live("never", uid=PORT, pattern="harbour pilot"), live("remember", text="Tides are told in metres."),
    live("pause", length="1h"), live("resume"),
    Case("/-/memory/judge", {"recall": 2, "relevant": [f"memory:{PORT}"]}),
    Case("/-/memory/query-sets", {"name": "mine", "recall": [2]}),
    Case("/-/memory/review", {"items": ["x1"], "action": "both"}),
    Case("/-/memory/review/undo", {"batch": "1"}),
    Case("/-/memory/profiles", {"name": "mine", "w.recency": 0.5}),
    Case("/-/memory/settings", {"name": "recall_limit", "value": 7}),
    operation("backup"), operation("verify"), operation("retain"), operation("check"),
    operation("retry", job="all", writes=True), operation("pause", writes=True),
    Case("/-/memory/tokens/add", {"name": "ci"}),
    Case("/-/memory/tokens/revoke", {"name": "ci"}),
    Case("/-/memory/recall", {"q": "which port has postgres"}),
    Case("/-/memory/brief.json", {"q": "which port has postgres", "project": "tidepool"}),
    project("link", other="lanternfish"), project("unlink", other="lanternfish"), project("ignore"),
    project("unignore"), project("rename", name="tide-pool"),
    project("merge", "tide-pool", other="quayside", sure=True),
    Case("/-/memory/memories/<uid>/forget", {"confirm": PORT, "backups": "yes"}, {"uid": PORT}),
    Case("/-/memory/entries/<uid>/forget", {"confirm": ENTRY, "backups": "yes"}, {"uid": ENTRY}),
    Case("/-/memory/sessions/<uid>/forget", {"confirm": SESSION, "backups": "yes"}, {"uid": SESSION}),
    Case("/-/memory/words/forget", {"words": "postgres", "confirm": "postgres", "backups": "yes"}),
    Case("/-/memory/compare/measure", {"replay": "7", "profile": ["memem"]}),  # the last: it starts a worker
]  # fmt: skip
"""One after the other on the same file: some need what those before them did."""


@pytest.fixture
async def server(sample_path: Path, sample_db: sqlite3.Connection) -> AsyncIterator[Any]:
    with sample_db:
        sample_db.execute(
            "insert into jobs (kind, key, state, attempts, created_at, changed_at)"
            " values ('extract', 'x', 'dead', 3, '2026-10-01T00:00:00.000Z', '2026-10-01T00:00:00.000Z')"
        )
        history.leave_to_worker(sample_db, [], [], now=NOW)
    async with served(sample_path) as datasette:
        yield datasette


async def send(server: Any, path: str, body: dict[str, Any], actor: str = "root") -> Any:
    cookies = {"ds_actor": server.sign({"a": {"id": actor}}, "actor")}
    return await server.client.post(path, content=json.dumps(body), headers=PROGRAM, cookies=cookies)


PLAIN_FORMAT = 2
"""The format of `marshal` that writes each value as it is, the same bytes for the same rows each time: later ones say
of a value that they wrote it before."""


def state(path: Path) -> dict[str, Any]:
    """A digest of each table but the log of changes, and the files beside the database."""
    with closing(sqlite3.connect(path)) as db:
        tables = [row[0] for row in db.execute("select name from sqlite_master where type = 'table'")]
        found: dict[str, Any] = {}
        for table in tables:
            if table != "audit_log":
                rows = db.execute(f'select * from "{table}"').fetchall()
                found[table] = hashlib.sha256(marshal.dumps(rows, PLAIN_FORMAT)).hexdigest()
    logs = (f"{path.name}-wal", f"{path.name}-shm")
    return found | {"files": sorted(str(each) for each in path.parent.rglob("*") if each.name not in logs)}


async def test_a_dry_run_of_every_change_leaves_every_row(server: Any, sample_path: Path) -> None:
    before = state(sample_path)
    for case in CASES:
        dry = await send(server, case.path(), {**case.body, "dry_run": True})
        assert dry.status_code == 200, (case, dry.text)
        data = dry.json()
        if case.shape in LOG_ONLY:
            assert data["logged"] is False
        else:
            assert data["dry_run"] is True and data["said"].endswith(DRY_RUN) and data["said"] != DRY_RUN, case
            assert "mdb_" not in dry.text
        assert state(sample_path) == before, case
        odd = await send(server, case.path(), {**case.body, "colour": "red", "dry_run": True})
        line = odd.json()["error"]
        assert odd.status_code == 400 and line.startswith("No field 'colour'. There are: "), (case, line)
        assert "dry_run" in line and "\n" not in line
        vague = await send(server, case.path(), {**case.body, "dry_run": "perhaps"})
        assert vague.status_code == 400 and "Give true or false" in vague.json()["error"], (case, vague.text)
        assert state(sample_path) == before, case
        done = await send(server, case.path(), {**case.body, "dry_run": False})
        assert done.status_code == 200 and done.json()["ok"], (case, done.text)
        after = state(sample_path)
        assert after != before or not case.writes, case
        before = after


async def test_no_path_is_forgotten(server: Any, sample_db: sqlite3.Connection, sample_path: Path) -> None:
    """Whatever refuses who may not write is among the cases, with all that it can be asked to do."""
    changing = set()
    for route in routes(sample_db):
        if route.has_json and (await send(server, route.json_path(), {}, actor="guest")).status_code == 403:
            changing.add(route.shape)
    assert changing - ONLY_TELL - ASKS_A_MODEL == {case.shape for case in CASES} - LOG_ONLY
    for shape, part, names in (
        ("/-/memory/memories/<uid>/<action>", "action", ACTIONS),
        ("/-/memory/health/<name>", "name", OPERATIONS),
        ("/-/memory/live/<name>", "name", live_actions.ACTIONS),
        ("/-/memory/projects/<key>/<action>", "action", projects.ACTIONS),
    ):
        assert {case.parts[part] for case in CASES if case.shape == shape} == set(names), shape


async def test_nothing_that_is_sent_writes_in_a_dry_run(server: Any, sample_path: Path) -> None:
    """Pages that are only read, too: whatever a POST may log there."""
    with closing(connect(sample_path)) as db:
        every: list[Route] = routes(db)
    before = state(sample_path)
    for route in every:
        for path in {route.path, route.json_path()}:
            answer = await send(server, path, {"q": "which port", "dry_run": True})
            assert answer.status_code < 500, (path, answer.text[:300])
    assert state(sample_path) == before


async def test_the_documentation_has_every_path_that_changes_something(server: Any) -> None:
    text = (CLONE / "docs" / "json-api.md").read_text("utf-8")
    shown = set(re.findall(r"^\| (?:GET or )?POST `(/-/memory/[^`?]+)`", text, re.M))
    shown |= set(re.findall(r"\bPOST `(/-/memory/[^`?]+)`", text))
    names = {"UID": "<uid>", "SESSION": "<uid>", "ACTION": "<action>", "NAME": "<name>", "ID": "<key>"}
    documented = {re.sub(r"\b(?:UID|SESSION|ACTION|NAME|ID)\b", lambda found: names[found[0]], path) for path in shown}
    changing = {case.shape for case in CASES} | ASKS_A_MODEL
    assert documented == {shape.removesuffix(".json") + ".json" for shape in changing}
    shapes = {shape_of(pattern)[0].removesuffix(".json") + ".json" for pattern in registered()}
    assert documented <= shapes


async def test_forgetting_is_previewed_without_saying_it_twice(server: Any, sample_db: sqlite3.Connection) -> None:
    answer = await send(server, f"/-/memory/memories/{PORT}/forget.json", {"dry_run": True})
    data = answer.json()
    assert answer.status_code == 200 and data["dry_run"] and "Would forget" in data["said"]
    assert one(sample_db, "select count(*) from memories where uid = ?", PORT) == 1
