"""A copy in the place of the file: verified before, and nothing that stood there is lost."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from memory_db.knowledge.memories import add_memory
from memory_db.store import backup
from memory_db.store.connection import connect
from memory_db.store.schema import open_database
from memory_db.upkeep.check import check
from tests.support.command import run, scalar

OLDEST = sorted(Path(__file__).parents[1].joinpath("data", "schemas").glob("*.db.gz"))[-1]


@pytest.fixture
def copied(db: sqlite3.Connection, db_path: Path, now: datetime) -> Path:
    """A copy of a file with one memory, which has two by now; its connection is open, with a log."""
    add_memory(db, text="Tests use port 5433.", kind="environment", scope="user", now=now)
    made = backup.back_up(db, backup.new_target(db_path, now)).path
    add_memory(db, text="Deploy on Tuesdays only.", kind="convention", scope="user", now=now)
    return made


@pytest.mark.slow
def test_the_newest_copy_comes_back_and_what_stood_there_is_put_aside(
    db: sqlite3.Connection, db_path: Path, copied: Path, now: datetime
) -> None:
    assert "--replace" in run(db_path, "file", "restore", code=1).output
    assert "Would put aside" in run(db_path, "file", "restore", "--replace", "--dry-run").stdout
    assert scalar(db_path, "select count(*) from memories") == 2
    done = json.loads(run(db_path, "file", "restore", "--replace", "--json").stdout)
    assert scalar(db_path, "select count(*) from memories") == 1 and done["from"] == str(copied) and copied.exists()
    assert scalar(Path(done["aside"]), "select count(*) from memories") == 2
    assert db_path.stat().st_mode & 0o777 == 0o600
    with closing(open_database(db_path, now=now)) as restored:
        assert check(restored) == [] and restored.execute("pragma journal_mode").fetchone()[0] == "wal"


@pytest.mark.slow
def test_a_damaged_file_is_replaced(db: sqlite3.Connection, db_path: Path, copied: Path) -> None:
    db.close()
    db_path.write_bytes(b"no database any more" * 1_000)
    aside = Path(json.loads(run(db_path, "file", "restore", "--replace", "--json").stdout)["aside"])
    assert aside.read_bytes().startswith(b"no database") and scalar(db_path, "select count(*) from memories") == 1


@pytest.mark.slow
def test_a_log_without_its_file_does_not_spoil_the_copy(db: sqlite3.Connection, db_path: Path, copied: Path) -> None:
    log = db_path.with_name(f"{db_path.name}-wal")
    assert log.stat().st_size
    db_path.rename(db_path.with_name("away.db"))
    run(db_path, "file", "restore")
    assert scalar(db_path, "select count(*) from memories") == 1
    assert list(db_path.parent.glob("*.before-restore-*-wal"))


def test_a_copy_that_is_not_right_changes_nothing(db: sqlite3.Connection, db_path: Path, copied: Path) -> None:
    copied.write_bytes(copied.read_bytes()[:20_000])
    for words in ((), (db_path.with_name("none.db"),), (db_path.parent,)):
        refused = run(db_path, "file", "restore", *words, "--replace", code=1).output
        assert refused.startswith("Error: ") and refused.count("\n") == 1
    assert scalar(db_path, "select count(*) from memories") == 2
    assert not list(db_path.parent.glob("*before-restore*")) and not list(db_path.parent.glob(".*"))


@pytest.mark.slow
def test_a_copy_of_an_earlier_schema_is_restored_and_then_migrated(tmp_path: Path, now: datetime) -> None:
    old, path = tmp_path / "old.db", tmp_path / "memory.db"
    old.write_bytes(gzip.decompress(OLDEST.read_bytes()))
    assert "verified" in run(path, "file", "restore", old).stdout
    with closing(open_database(path, now=now)) as migrated:
        rows = migrated.execute("select count(*) from entries").fetchone()[0]
    with closing(connect(path)) as db:
        assert db.execute("select count(*) from entries").fetchone()[0] == rows > 0
