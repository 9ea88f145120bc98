"""What memory-db runs on, and what the doctor says where some of it is missing."""

from __future__ import annotations

import re
import shlex
import sqlite3
import sys
import tomllib
from datetime import datetime
from pathlib import Path

import pytest

from memory_db.extras import DISTRIBUTION, EXTRAS, INSTALLERS, PURPOSE, how_to_install, requirement
from memory_db.upkeep import doctor_environment
from memory_db.upkeep.doctor_environment import environment, extras, programs
from memory_db.upkeep.doctor_report import DoctorContext

ROOT = Path(__file__).parents[2]


@pytest.fixture
def context(db: sqlite3.Connection, db_path: Path, now: datetime) -> DoctorContext:
    return DoctorContext(db_path, db, now, ())


def test_python_and_sqlite_are_named(context: DoctorContext, monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = environment(context)
    assert line.level == "fine" and sqlite3.sqlite_version in line.what and "full text" in line.what
    monkeypatch.setattr(doctor_environment, "OLDEST_SQLITE", (99, 1))
    (line,) = environment(context)
    assert line.level == "failure" and "lacks what came with 99.1" in line.what and "uv python install" in line.fix


def test_an_extra_that_is_missing_comes_with_its_command(
    context: DoctorContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    for extra in EXTRAS:
        monkeypatch.setitem(EXTRAS, extra, ("sqlite3",))
    assert [line.what for line in extras(context)] == ["Extras installed: serve, notebooks, local, encrypted, fleet"]
    monkeypatch.setitem(EXTRAS, "local", ("sqlite3", "no_such_module"))
    _, note = extras(context)
    assert note.what == "Not installed: no_such_module (extra local, for models that run on this machine)"
    assert note.fix == f"Run `{how_to_install('local')}`."
    assert EXTRAS.keys() == PURPOSE.keys()


@pytest.mark.parametrize(
    ("where", "asked"),
    [
        ({}, '"memory-db[local]"'),
        ({"url": "file:///a/b/memory_db-1-py3-none-any.whl", "archive_info": {}},
         "'memory-db[local] @ file:///a/b/memory_db-1-py3-none-any.whl'"),
        ({"url": "file:///a/my%20clone", "dir_info": {"editable": True}}, "-e '/a/my clone[local]'"),
        ({"url": "file:///a/clone", "dir_info": {}}, "'memory-db[local] @ file:///a/clone'"),
        ({"url": "https://a.example/clone.git", "vcs_info": {"vcs": "git", "commit_id": "0a"}},
         "'memory-db[local] @ git+https://a.example/clone.git'"),
        ({"url": None}, '"memory-db[local]"'),
    ],
)  # fmt: skip
def test_an_extra_is_asked_for_where_the_package_came_from(where: dict[str, object], asked: str) -> None:
    assert requirement("local", where) == asked
    assert len(shlex.split(asked)) == 1 + asked.startswith("-e ")


def test_an_extra_is_installed_by_what_made_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert how_to_install("local").startswith("pip install ")
    for file, command in INSTALLERS.items():
        (tmp_path / file).touch()
        assert how_to_install("local").startswith(command)
        (tmp_path / file).unlink()


def test_the_distribution_has_one_name() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["name"] == DISTRIBUTION and project["optional-dependencies"].keys() == {*EXTRAS, "all"}
    named = re.compile(rf"{DISTRIBUTION}\[")
    code = [path for folder in ("memory_db", "plugins") for path in (ROOT / folder).rglob("*.py")]
    assert [path.name for path in code if named.search(path.read_text("utf-8"))] == []


def test_the_agent_is_looked_for(context: DoctorContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (line,) = programs(context)
    assert line.level == "note" and line.fix == "Run `npm install -g @anthropic-ai/claude-code`."
    (tmp_path / "claude").touch(mode=0o755)
    assert not list(programs(context))
