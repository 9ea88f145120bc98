"""What memory-db runs on, and what the doctor says where some of it is missing."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path

import pytest

from memory_db.upkeep import doctor_environment
from memory_db.upkeep.doctor_environment import environment, extras, programs
from memory_db.upkeep.doctor_report import DoctorContext
from memory_db.upkeep.extras import EXTRAS, PURPOSE


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
    assert note.fix == 'Run `pip install "memory-db[local]"`.'
    assert EXTRAS.keys() == PURPOSE.keys()


def test_the_agent_is_looked_for(context: DoctorContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (line,) = programs(context)
    assert line.level == "note" and line.fix == "Run `npm install -g @anthropic-ai/claude-code`."
    (tmp_path / "claude").touch(mode=0o755)
    assert not list(programs(context))
