"""A backup is private, whole and verified, or there is none."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from memory_db.cli.group import cli
from memory_db.errors import CorruptError, InputError
from memory_db.knowledge.memories import add_memory
from memory_db.store.backup import back_up, folder_of, latest, new_target, row_counts, verified, verify
from memory_db.store.connection import connect
from memory_db.store.schema import open_database
from memory_db.upkeep.check import check


@pytest.fixture
def filled(db: sqlite3.Connection, now: datetime) -> sqlite3.Connection:
    for number in range(50):
        add_memory(db, text=f"Rule number {number} holds everywhere.", kind="convention", scope="user", now=now)
    return db


@pytest.mark.slow
def test_the_copy_is_private_and_the_same(filled: sqlite3.Connection, db_path: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    with closing(connect(db_path)) as reader:
        made = back_up(reader, target)
    assert target.stat().st_mode & 0o777 == 0o600
    with closing(connect(target)) as copy:
        assert row_counts(copy) == row_counts(filled)
        assert len(row_counts(copy)) == made.tables > 20
        assert (made.path, made.bytes, made.rows) == (target, target.stat().st_size, sum(row_counts(copy).values()))
        assert check(copy, thorough=True) == []
        assert copy.execute("select count(*) from memory_fts where memory_fts match 'rule'").fetchone()[0] == 50
    assert sorted(path.name for path in tmp_path.glob("copy.db.*")) == []


@pytest.mark.slow
def test_a_restored_copy_goes_on(filled: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    target = tmp_path / "copy.db"
    back_up(filled, target)
    with closing(open_database(target, now=now)) as restored:
        assert restored.execute("pragma journal_mode").fetchone()[0] == "wal"
        add_memory(restored, text="One more rule.", kind="convention", scope="user", now=now)
        assert row_counts(restored)["memories"] == 51


def test_nothing_is_written_over(filled: sqlite3.Connection, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    target.write_text("mine")
    with pytest.raises(InputError, match="already"):
        back_up(filled, target)
    assert target.read_text() == "mine"


def test_a_place_that_is_not_there(filled: sqlite3.Connection, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Cannot make"):
        back_up(filled, tmp_path / "no such folder" / "copy.db")


def test_what_a_killed_backup_left_is_replaced(filled: sqlite3.Connection, tmp_path: Path) -> None:
    (tmp_path / "copy.db.partial").write_bytes(b"half a copy")
    back_up(filled, tmp_path / "copy.db")
    assert not (tmp_path / "copy.db.partial").exists()


@pytest.mark.slow
def test_a_copy_with_other_counts_is_refused(filled: sqlite3.Connection, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    back_up(filled, target)
    counts = row_counts(filled)
    verify(target, counts, counts)
    verify(target, counts | {"memories": 49}, counts | {"memories": 52})
    with pytest.raises(CorruptError, match="50 rows of memories"):
        verify(target, counts | {"memories": 51}, counts | {"memories": 52})


@pytest.mark.slow
def test_rows_that_come_and_go_meanwhile_are_no_damage(
    filled: sqlite3.Connection, db_path: Path, tmp_path: Path
) -> None:
    copies = 0

    def others(statement: str) -> None:
        """Adds a row before the first copy is made, and takes it away after."""
        nonlocal copies
        if statement.startswith("vacuum into"):
            copies += 1
        with closing(sqlite3.connect(db_path, timeout=30)) as other, other:
            if statement.startswith("vacuum into") and copies == 1:
                other.execute("insert into query_sets (name, description, created_at) values ('a', '', '')")
            elif copies == 1 and statement.startswith("select count"):
                other.execute("delete from query_sets")

    filled.set_trace_callback(others)
    copy = back_up(filled, tmp_path / "copy.db")
    filled.set_trace_callback(None)
    assert copies == 2
    with closing(connect(copy.path)) as db:
        assert db.execute("select count(*) from query_sets").fetchone()[0] == 0
    assert not list(tmp_path.glob("copy.db.partial*"))


def test_a_damaged_copy_is_refused(filled: sqlite3.Connection, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    back_up(filled, target)
    counts = row_counts(filled)
    content = bytearray(target.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    target.write_bytes(content)
    with pytest.raises(CorruptError):
        verify(target, counts, counts)


def test_a_damaged_file_gives_no_copy(filled: sqlite3.Connection, db_path: Path, tmp_path: Path) -> None:
    page = filled.execute("select rootpage from sqlite_master where name = 'memories'").fetchone()[0]
    filled.close()
    content = bytearray(db_path.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    db_path.write_bytes(content)
    with closing(connect(db_path)) as damaged, pytest.raises(CorruptError):
        back_up(damaged, tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()
    assert not (tmp_path / "copy.db.partial").exists()


@pytest.mark.slow
def test_copies_have_a_folder_and_the_newest_is_found(filled: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    assert latest(db_path) is None
    first = back_up(filled, new_target(db_path, now))
    second = back_up(filled, new_target(db_path, now + timedelta(hours=1)))
    (folder_of(db_path) / "other-20261101-120000.db").write_text("of another file")
    (folder_of(db_path) / "memory-notes.db").write_text("no copy")
    assert folder_of(db_path).stat().st_mode & 0o777 == 0o700
    assert latest(db_path) == second.path != first.path
    again = verified(second.path)
    assert (again.bytes, again.tables, again.rows) == (second.bytes, second.tables, second.rows)


@pytest.mark.slow
def test_the_shell_backs_up_and_verifies(filled: sqlite3.Connection, db_path: Path) -> None:
    run = CliRunner()
    made = run.invoke(cli, ["-d", str(db_path), "file", "backup", "--json"])
    assert made.exit_code == 0, made.output
    data = json.loads(made.stdout)
    assert latest(db_path) == Path(data["path"])
    assert data["rows"] == sum(row_counts(filled).values())
    checked = run.invoke(cli, ["-d", str(db_path), "file", "backup", "--verify"])
    assert checked.exit_code == 0 and data["path"] in checked.stdout
    assert [each.name for each in Path(data["path"]).parent.iterdir()] == [Path(data["path"]).name]


@pytest.mark.slow
def test_a_copy_that_is_not_whole_is_not_verified(filled: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    made = back_up(filled, new_target(db_path, now)).path
    made.write_bytes(made.read_bytes()[:20_000])
    with pytest.raises(CorruptError):
        verified(made)
