"""Short forms of the long measurements: everybody at once, kills in every command, inputs by chance; and their checks.

The long forms are `python -m bench soak`, `kills` and `fuzz`.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from bench import fuzz, kills, soak
from bench.fuzz_sources import Imports
from bench.kill_cases import CASES
from bench.kill_states import Clean, differs, faults_after_kill, state_of
from bench.mutations import damaged_bytes, odd_json, odd_text
from bench.soak_actors import LOCKED
from memory_db.errors import BusyError
from memory_db.store.connection import explain, transaction
from memory_db.store.schema import open_database

COMMANDS = ("add", "backup", "export a file", "install", "hook at a prompt", "fleet import")


@pytest.mark.slow
def test_everybody_at_once_loses_nothing() -> None:
    found = soak.measured(0.1, seed=3, with_model=False)
    lost, wrong = found["lost"], found["wrong"]
    assert lost["lines written"] > 5 and lost["memories added"] > 0
    assert sum(each["started"] for each in found["hooks"].values()) >= 8
    assert {name: lost[name] for name in lost if "written" not in name and name not in ADDED} == dict.fromkeys(
        NOTHING, 0
    )
    assert (wrong["tracebacks"], wrong["integrity"], wrong["file check, disagreements"]) == (0, "ok", 0)
    assert wrong["commands locked out"] == wrong["hooks with errors or another code"] == 0


ADDED = ("memories added", "memories forgotten")

NOTHING = (
    "lines not in the file", "lines with another text", "recalls shown by hooks, not logged",
    "hooks that answered, without a row", "memories lost", "forgotten, still there",
)  # fmt: skip


@pytest.mark.slow
def test_kills_in_commands_of_every_sort() -> None:
    cases = tuple(each for each in CASES if each.name in COMMANDS)
    found = kills.measured(len(COMMANDS) * 2, seed=5, cases=cases)
    assert found["kills"] >= len(COMMANDS)
    assert found["faults"] == dict.fromkeys(kills.SORTS, 0)


@pytest.mark.slow
def test_inputs_by_chance_stop_nothing(tmp_path: Path) -> None:
    found = fuzz.measured(100, seed=7, faults=tmp_path / "faults")
    assert found["inputs"] == 100
    assert found["faults"] == 0, [path.read_text("utf-8") for path in tmp_path.glob("faults/*.txt")]


# ---------------------------------------------------------------- what would be told


@pytest.fixture
def clean(db: sqlite3.Connection, db_path: Path, tmp_path: Path) -> Clean:
    """A home before and after a command that adds a setting and writes a text."""
    before = state_of(tmp_path)
    with transaction(db):
        db.execute("insert into projects (name, canonical_path, created_at) values ('one', '/one', '2026-01-01')")
    (tmp_path / "memories.json").write_text('[{"uid": "m1"}]\n')
    after = state_of(tmp_path)
    return Clean(before, after, after, after, (after, after, after), frozenset())


def test_rows_that_are_gone_are_told(clean: Clean, db: sqlite3.Connection, tmp_path: Path) -> None:
    grown = Clean(clean.once, clean.once, clean.once, clean.once, clean.indexed, frozenset())
    assert faults_after_kill(tmp_path, grown) == {}
    with transaction(db):
        db.execute("delete from projects")
    assert "rows lost" in faults_after_kill(tmp_path, grown)
    assert "projects" in differs(state_of(tmp_path), clean.once, clean.once, clean.twice)


def test_a_half_made_file_is_told(clean: Clean, tmp_path: Path) -> None:
    assert faults_after_kill(tmp_path, clean) == {}
    (tmp_path / "memories.json").write_text('[{"uid":')
    assert "half-made files under a final name" in faults_after_kill(tmp_path, clean)


@pytest.mark.slow
def test_a_damaged_file_and_copy_are_told(db_path: Path, tmp_path: Path, now: datetime) -> None:
    open_database(db_path, now=now).close()
    shutil.copy(db_path, tmp_path / "copy.db")
    before = state_of(tmp_path)
    clean = Clean(before, before, before, before, (before, before, before), frozenset())
    assert faults_after_kill(tmp_path, clean) == {}
    (tmp_path / "copy.db").write_bytes(db_path.read_bytes()[:20_000])
    assert "half-made files under a final name" in faults_after_kill(tmp_path, clean)
    db_path.write_bytes(db_path.read_bytes()[:20_000])
    assert "files that do not open or are damaged" in faults_after_kill(tmp_path, clean)


@pytest.mark.slow
def test_what_an_import_leaves_out_is_told(tmp_path: Path) -> None:
    with closing(Imports(tmp_path)) as target:
        db = target.connection()
        place = tmp_path / "one"
        place.mkdir()
        path, read, must_stay = target.transcript(place, random.Random(1))
        whole = path.read_bytes()
        path.write_bytes(b"\n".join(whole.splitlines()[:-1]) + b"\n")
        assert "not read" in target.imported(db, path, read, must_stay).fault


def test_a_lock_is_known_by_its_words() -> None:
    said = str(explain(sqlite3.OperationalError("database is locked"), Path("/somewhere/memory.db")))
    assert LOCKED.search(said) and LOCKED.search("database is locked") and LOCKED.search(BusyError.__name__)
    assert not LOCKED.search("A worker is busy with it")


def test_the_same_seed_gives_the_same_input() -> None:
    def made(seed: int) -> list[object]:
        chance = random.Random(seed)
        return [odd_text(chance), repr(odd_json(chance)), damaged_bytes(b"whole words", chance)]

    assert made(1) == made(1) != made(2)
