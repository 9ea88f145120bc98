"""Making, migrating and keeping in step, on real files."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from sqlite_utils import Database, Migrations

from memory_db.errors import DatabaseFileError, MissingFileError, NewerSchemaError, NotADatabaseError, OlderSchemaError
from memory_db.store import schema as keeping
from memory_db.store.connection import APPLICATION_ID, SCHEMA_VERSION, connect, identity
from memory_db.store.migrations import migrations
from memory_db.store.presets import PRESETS
from memory_db.store.schema import in_step, open_database, wanted_objects
from memory_db.store.seeds import KINDS

A_MEMORY = (
    "insert into memories (uid, kind, scope, title, text, tokens, origin, content_hash, valid_from, changed_by,"
    " change_reason, created_at, updated_at) values ('m1', 'fix', 'user', 'Port', 'The port is 5433', 5, 'user', 'h',"
    " '2026-10-01T10:00:00.000Z', 'test', 'new', '2026-10-01T10:00:00.000Z', '2026-10-01T10:00:00.000Z')"
)


def older_file(path: Path, now: datetime, version: int) -> Path:
    """A file as it was with the first so many migrations, with a project in it."""
    some = Migrations("memory_db")
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        for migration in list(migrations.pending(Database(old, execute_plugins=False)))[:version]:
            some(name=migration.name)(migration.fn)
        some.apply(Database(old, execute_plugins=False))
        old.execute("insert into projects (name, canonical_path, created_at) values ('tern', '/home/sam/tern', 'then')")
        old.execute(f"pragma application_id = {APPLICATION_ID}")
        old.execute(f"pragma user_version = {version}")
    return path


def foreign_file(path: Path) -> Path:
    """An SQLite file of another program."""
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("create table birds (name text)")
        other.execute("insert into birds values ('tern')")
    return path


# ---------------------------------------------------------------- making


def test_a_new_file_is_whole_and_private(db_path: Path, now: datetime) -> None:
    path = db_path.parent / "deeper" / "still" / "memory.db"
    with closing(open_database(path, now=now)) as db:
        assert identity(db)[:2] == (APPLICATION_ID, SCHEMA_VERSION)
        assert {row["name"] for row in db.execute("select name from kinds")} == {kind.name for kind in KINDS}
        assert {row["name"] for row in db.execute("select name from newest_profiles")} == set(PRESETS)
        assert in_step(db)
        assert db.execute("pragma journal_mode").fetchone()[0] == "wal"
        assert db.execute("pragma foreign_keys").fetchone()[0] == 1
        assert db.execute("pragma integrity_check").fetchone()[0] == "ok"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert sorted(item.name for item in path.parent.iterdir()) == ["memory.db"]


def test_the_schema_version_is_the_number_of_migrations(db_path: Path) -> None:
    with closing(sqlite3.connect(db_path)) as empty:
        assert len(list(migrations.pending(Database(empty, execute_plugins=False)))) == SCHEMA_VERSION


def test_an_empty_file_becomes_a_database(db_path: Path, now: datetime) -> None:
    db_path.touch()
    open_database(db_path, now=now).close()
    with closing(connect(db_path)) as db:
        assert identity(db)[:2] == (APPLICATION_ID, SCHEMA_VERSION)


def test_opening_again_writes_nothing(db_path: Path, now: datetime) -> None:
    with closing(open_database(db_path, now=now)) as db:
        db.execute(A_MEMORY)
    before = db_path.read_bytes()
    for _ in range(2):
        with closing(open_database(db_path, now=now)) as db:
            assert db.total_changes == 0
    assert db_path.read_bytes() == before


@pytest.mark.slow
def test_processes_that_open_a_fresh_file_at_once_make_one(db_path: Path) -> None:
    program = (
        "import sys; from datetime import UTC, datetime; from pathlib import Path;"
        "from memory_db.store.schema import open_database;"
        "db = open_database(Path(sys.argv[1]), now=datetime(2026, 11, 1, tzinfo=UTC));"
        "print(db.execute('select count(*) from profiles').fetchone()[0])"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(db_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(8)
    ]
    ended = [(*process.communicate(), process.returncode) for process in processes]
    assert ended == [(f"{len(PRESETS)}\n", "", 0)] * 8
    with closing(connect(db_path)) as db:
        assert in_step(db)
        assert db.execute("select max(version) from profiles").fetchone()[0] == 1
    assert sorted(item.name for item in db_path.parent.iterdir() if "-" not in item.name) == ["memory.db"]


# ---------------------------------------------------------------- migrating


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
@pytest.mark.slow
def test_an_older_file_is_migrated_after_a_private_copy(version: int, db_path: Path, now: datetime) -> None:
    older_file(db_path, now, version)
    with pytest.raises(OlderSchemaError):
        connect(db_path)
    with closing(open_database(db_path, now=now)) as db:
        assert identity(db)[1] == SCHEMA_VERSION
        assert [row["name"] for row in db.execute("select name from projects")] == ["tern"]
        assert in_step(db)
    copy = db_path.with_name(f"memory.db.before-schema-{SCHEMA_VERSION}-from-{version}")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with closing(sqlite3.connect(copy)) as old:
        assert old.execute("pragma user_version").fetchone()[0] == version
        assert old.execute("select name from projects").fetchall() == [("tern",)]
    assert {item.name for item in db_path.parent.iterdir()} == {"memory.db", copy.name}


def test_a_copy_cut_short_is_made_again(db_path: Path, now: datetime) -> None:
    older_file(db_path, now, 2)
    copy = db_path.with_name(f"memory.db.before-schema-{SCHEMA_VERSION}-from-2")
    copy.with_name(copy.name + ".partial").write_bytes(b"half a copy")
    open_database(db_path, now=now).close()
    with closing(sqlite3.connect(copy)) as old:
        assert old.execute("select name from projects").fetchall() == [("tern",)]
    assert not copy.with_name(copy.name + ".partial").exists()


def test_a_migration_that_fails_leaves_the_file_as_it_was(db_path: Path, now: datetime) -> None:
    older_file(db_path, now, 2)
    with closing(sqlite3.connect(db_path)) as db, db:
        db.execute("create table profiles (mine text)")  # stands in the way of a migration
    with pytest.raises(DatabaseFileError, match="already exists"):
        open_database(db_path, now=now)
    with closing(sqlite3.connect(db_path)) as db:
        assert db.execute("pragma user_version").fetchone()[0] == 2
        assert db.execute("select count(*) from sqlite_master where name = 'recalls'").fetchone()[0] == 0


# ---------------------------------------------------------------- in step


@pytest.mark.slow
def test_our_views_and_triggers_are_replaced_when_their_sql_changes(db_path: Path, now: datetime) -> None:
    with closing(open_database(db_path, now=now)) as db:
        db.execute("drop view never_recalled")
        db.execute("create view never_recalled as select 1 as old")
        db.execute("update schema_objects set sql = 'create view never_recalled as select 1 as old'"
                   " where name = 'never_recalled'")  # fmt: skip
        db.execute("create view left_over as select 2 as old")
        db.execute(
            "insert into schema_objects values ('left_over', 'view', 'create view left_over as select 2 as old')"
        )
        assert not in_step(db)
    with closing(open_database(db_path, now=now)) as db:
        assert in_step(db)
        made = {row["name"]: row["type"] for row in db.execute("select name, type from sqlite_master")}
        assert "left_over" not in made
        assert [row[0] for row in db.execute("pragma table_info(never_recalled)")] != ["old"]
        assert {name: kind for name, (kind, _) in wanted_objects().items()}.items() <= made.items()


@pytest.mark.slow
def test_a_view_of_the_users_own_stays(db_path: Path, now: datetime) -> None:
    with closing(open_database(db_path, now=now)) as db:
        db.execute("create view mine as select title from memories")
        db.execute("create trigger mine_too after insert on settings begin select 1; end")
        db.execute("update schema_objects set sql = 'old' where name = 'never_recalled'")
    with closing(open_database(db_path, now=now)) as db:
        assert in_step(db)
        names = {row["name"] for row in db.execute("select name from sqlite_master")}
        assert {"mine", "mine_too"} <= names


@pytest.mark.slow
def test_missing_kinds_come_back_and_edited_ones_stay(db_path: Path, now: datetime) -> None:
    with closing(open_database(db_path, now=now)) as db:
        db.execute("delete from kinds where name = 'episode'")
        db.execute("update kinds set half_life_days = 7 where name = 'fix'")
        db.execute("insert into kinds values ('recipe', 'How to cook', 1, 1, 10)")
    with closing(open_database(db_path, now=now)) as db:
        kinds = {row["name"]: row["half_life_days"] for row in db.execute("select name, half_life_days from kinds")}
    assert kinds["fix"] == 7
    assert {"episode", "recipe"} <= kinds.keys()


@pytest.mark.slow
def test_a_shipped_profile_that_changed_is_a_new_version(db_path: Path, now: datetime) -> None:
    with closing(open_database(db_path, now=now)) as db:
        db.execute("update profiles set weights = '{\"keyword\": 1.0}' where name = 'default'")
    for _ in range(2):
        open_database(db_path, now=now).close()
    with closing(connect(db_path)) as db:
        rows = db.execute("select version, weights from profiles where name = 'default' order by version").fetchall()
    assert [tuple(row) for row in rows] == [
        (1, '{"keyword": 1.0}'),
        (2, keeping.weights_json(PRESETS["default"].weights)),
    ]


def test_a_profile_that_the_user_saved_over_a_shipped_one_stays(db_path: Path, now: datetime) -> None:
    with closing(open_database(db_path, now=now)) as db:
        db.execute(
            "insert into profiles (name, version, weights, description, fitted_on, created_at)"
            " values ('default', 2, '{\"keyword\": 1.0}', 'mine', 'set by hand', 'then')"
        )
    with closing(open_database(db_path, now=now)) as db:
        assert db.execute("select max(version) from profiles where name = 'default'").fetchone()[0] == 2


# ---------------------------------------------------------------- refusing


def test_a_newer_file_is_refused_unchanged(db_path: Path, now: datetime) -> None:
    with closing(open_database(db_path, now=now)) as db:
        db.execute(f"pragma user_version = {SCHEMA_VERSION + 1}")
    before = db_path.read_bytes()
    for opening in (lambda: open_database(db_path, now=now), lambda: connect(db_path)):
        with pytest.raises(NewerSchemaError, match=f"schema {SCHEMA_VERSION + 1}"):
            opening()
    assert db_path.read_bytes() == before


def test_another_programs_file_is_refused_unchanged(db_path: Path, now: datetime) -> None:
    before = foreign_file(db_path).read_bytes()
    for opening in (lambda: open_database(db_path, now=now), lambda: connect(db_path)):
        with pytest.raises(NotADatabaseError, match="another program"):
            opening()
    assert db_path.read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"no database at all\n" * 100, b"\0" * 4096, b"SQLite format 3\0" + b"\xff" * 4000]
)
def test_what_is_no_database_is_refused_unchanged(content: bytes, db_path: Path, now: datetime) -> None:
    db_path.write_bytes(content)
    for opening in (lambda: open_database(db_path, now=now), lambda: connect(db_path)):
        with pytest.raises(DatabaseFileError):
            opening()
    assert db_path.read_bytes() == content
    assert [item.name for item in db_path.parent.iterdir()] == ["memory.db"]


def test_a_folder_a_device_and_a_missing_file_are_refused(tmp_path: Path, now: datetime) -> None:
    for place in (tmp_path, Path("/dev/null")):
        for opening in (lambda place=place: open_database(place, now=now), lambda place=place: connect(place)):
            with pytest.raises(NotADatabaseError):
                opening()
    with pytest.raises(MissingFileError):
        connect(tmp_path / "none.db")
    (tmp_path / "file").touch()
    with pytest.raises(DatabaseFileError, match="Cannot make"):
        open_database(tmp_path / "file" / "memory.db", now=now)
    assert [item.name for item in tmp_path.iterdir()] == ["file"]
