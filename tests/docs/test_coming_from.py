"""What docs/coming-from.md says of other memory systems is complete, and every place that it names answers."""

from __future__ import annotations

import re
import shlex
import sqlite3
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path
from typing import Any

import click
import coming_from
import pytest
import yaml
from coming_from import Reference

from memory_db import slash
from memory_db.agents.mcp import definitions
from memory_db.cli import cli
from memory_db.hooks import run as hooks
from memory_db.pages.web.shelf import METADATA
from memory_db.store import api_tokens
from memory_db.store.presets import PRESETS
from memory_db.store.settings import SETTINGS as OWN_SETTINGS
from tests.support.in_process import served

ROOT = METADATA.parent

SYSTEMS = {system["name"]: system for system in coming_from.systems()}

HAVE = {"memem": 100, "agentmemory": 109, "claude-memory": 76, "MemLayer": 53}
"""How many parts each system has, as its pages and its code name them."""


def rows() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every part of every system: the system, the part's name, its row."""
    for system in SYSTEMS.values():
        for parts in system["rows"].values():
            for name, row in parts.items():
                yield system["name"], name, row


def named(*sorts: str) -> list[str]:
    """Every name of places of these sorts, each once."""
    found = {place for _, _, row in rows() for place in coming_from.places(row)}
    return sorted(place.name for place in found if place.sort in sorts)


# --------------------------------------------------------------- completeness


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_part_has_a_row_and_no_row_is_of_something_else(name: str) -> None:
    system = SYSTEMS[name]
    assert list(system["names"]) and set(system["names"]) == set(system["rows"])
    for title, names in system["names"].items():
        assert names == sorted(set(names)), title
        assert set(system["rows"][title]) == set(names), title
    assert sum(len(names) for names in system["names"].values()) == HAVE[name]


def test_every_row_has_a_place_or_a_reason() -> None:
    for system, name, row in rows():
        assert set(row) in ({"here"}, {"here", "note"}, {"not"}), (system, name)
        assert row.get("here") or len(row["not"].split()) >= 2, (system, name)
        assert all(place.sort in coming_from.WORDS and place.name for place in coming_from.places(row)), (system, name)


def test_what_is_here_in_one_part_is_not_missing_in_another() -> None:
    sorts = {sort for sort in coming_from.WORDS if named(sort)}
    assert sorts == set(coming_from.WORDS)
    assert sum("here" in row for _, _, row in rows()) > 250


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_page_has_every_part(name: str) -> None:
    text = (ROOT / "docs" / "coming-from.md").read_text("utf-8")
    section = text.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    for names in SYSTEMS[name]["names"].values():
        for each in names:
            assert f"| `{each}` | " in section, each
    assert f"Bringing data over from {name}" in section


def test_a_place_is_written_for_people() -> None:
    assert Reference("page", "/-/memory/memories/{memory}.json").markdown() == "`/-/memory/memories/UID.json`"
    assert Reference("send", "/-/memory/capture.json").markdown() == "POST `/-/memory/capture.json`"
    assert Reference("doc", "docs/install.md").markdown() == "[install.md](install.md)"


# --------------------------------------------------------------------- places


def command_named(words: list[str]) -> click.Command:
    """A command by the words that call it."""
    command: click.Command = cli
    for word in words:
        assert isinstance(command, click.Group), words
        found = command.get_command(click.Context(command), word)
        assert found is not None, words
        command = found
    return command


@pytest.mark.parametrize("name", named("command"))
def test_command_is_there_with_its_options(name: str) -> None:
    words = shlex.split(name)
    command = command_named(list(takewhile(lambda word: not word.startswith("-"), words)))
    options = {option for each in command.params if isinstance(each, click.Option) for option in each.opts}
    assert {word for word in words if word.startswith("-")} <= options


def test_settings_hooks_slash_commands_and_profiles_are_there() -> None:
    assert set(named("setting")) <= {setting.name for setting in OWN_SETTINGS}
    assert set(named("hook")) == set(hooks.HANDLERS)
    assert set(named("slash")) <= set(slash.COMMANDS)
    assert set(named("profile")) <= set(PRESETS)


def test_mcp_tools_are_there() -> None:
    assert set(named("tool")) == {tool["name"] for tool in definitions.tools(write=True)}


@pytest.mark.parametrize("name", named("view", "table"))
def test_table_or_view_is_there(db: sqlite3.Connection, name: str) -> None:
    sort = db.execute("select type from sqlite_master where name = ?", [name]).fetchone()[0]
    assert name in named(sort)
    db.execute(f"select * from {name} limit 1")


@pytest.mark.slow
def test_ready_questions_are_there() -> None:
    assert set(named("query")) <= set(yaml.safe_load(METADATA.read_text("utf-8"))["databases"]["memory"]["queries"])


def test_documents_targets_and_variables_are_there() -> None:
    assert all((ROOT / name).is_file() for name in named("doc"))
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M)
    assert set(named("make")) <= set(targets)
    source = (ROOT / "memory_db" / "cli" / "common.py").read_text("utf-8")
    assert all(f'environ.get("{name}")' in source for name in named("variable"))


# ----------------------------------------------------------------------- paths


@pytest.fixture
async def server(sample_path: Path) -> AsyncIterator[Any]:
    async with served(sample_path) as datasette:
        yield datasette


def filled(db: sqlite3.Connection, path: Path, text: str) -> str:
    """A path with the uids of the sample."""
    values = {
        "memory": db.execute("select uid from memories where status = 'active'").fetchone()[0],
        "session": db.execute("select uid from sessions where uid not like '%/%'").fetchone()[0],
        "recall": db.execute("select uid from recalls where surface = 'hook'").fetchone()[0],
        "entity": db.execute("select id from entities").fetchone()[0],
        "database": path.stem,
    }
    return text.format(**values)


@pytest.mark.slow
async def test_every_page_answers(server: Any, sample_db: sqlite3.Connection, sample_path: Path) -> None:
    cookies = {"ds_actor": server.sign({"a": {"id": "root"}}, "actor")}  # an export, and tokens, are for a person
    for path in named("page"):
        url = filled(sample_db, sample_path, path)
        response = await server.client.get(url, cookies=cookies, follow_redirects=True)
        assert response.status_code == 200, path
        if path.partition("?")[0].endswith(".json"):
            assert response.json(), path


@pytest.mark.slow
async def test_every_path_takes_what_is_sent(server: Any, sample_db: sqlite3.Connection, sample_path: Path) -> None:
    token = {"authorization": f"Bearer {api_tokens.add(sample_db, 'program', now=datetime.now(UTC))}"}
    for path in named("send"):
        url = filled(sample_db, sample_path, path)
        assert (await server.client.post(url, json={"q": "port"}, cookies={})).status_code == 401, path
        response = await server.client.post(url, json={"q": "port"}, headers=token)
        reads = path in ("/-/memory/recall.json", "/-/memory/brief.json")
        assert response.status_code == (200 if reads else 400), path  # the others know no field of that name
        assert response.json()["ok"] is reads
