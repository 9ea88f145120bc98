"""Who writes for long leaves the write lock to others, and takes nothing back that stands for itself."""

import sqlite3
import threading
import time
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from llm.embeddings_migrations import embeddings_migrations
from llm.migrations import migrate
from sqlite_utils import Database

from memory_db.store.connection import HOLD_MS, TURNS, connect, transaction
from memory_db.store.llm_tables import make_tables
from memory_db.store.schema import open_database

INSERT = "insert into settings (name, value, changed_at) values (?, '1', '2026-01-01T00:00:00.000Z')"


def names(db: sqlite3.Connection) -> set[str]:
    return {row[0] for row in db.execute("select name from settings")}


def test_what_was_done_before_others_had_their_turn_stays(db: sqlite3.Connection, db_path: Path) -> None:
    with closing(connect(db_path, write=True)) as other:
        with pytest.raises(ValueError, match="stop"), transaction(db) as lock:
            db.execute(INSERT, ["first"])
            lock.let_others()
            assert "first" not in names(other)  # not held for long yet
            TURNS.held_ms = HOLD_MS
            lock.let_others()
            assert "first" in names(other)
            db.execute(INSERT, ["second"])
            raise ValueError("stop")
        assert names(other) >= {"first"} and "second" not in names(other)


def test_an_inner_transaction_lets_nobody_in(db: sqlite3.Connection) -> None:
    with pytest.raises(ValueError, match="stop"), transaction(db):
        with transaction(db) as inner:
            db.execute(INSERT, ["first"])
            TURNS.held_ms = HOLD_MS
            inner.let_others()
            assert not inner.is_long()
        raise ValueError("stop")
    assert "first" not in names(db)


def test_who_waits_gets_the_lock_between_transactions_that_follow_each_other(
    db_path: Path, db: sqlite3.Connection
) -> None:
    has_written = threading.Event()

    def write_on() -> None:
        with closing(connect(db_path, write=True)) as own:
            while not has_written.is_set():
                with transaction(own):
                    time.sleep(0.02)

    writer = threading.Thread(target=write_on)
    writer.start()
    try:
        with closing(sqlite3.connect(db_path, timeout=60, isolation_level=None)) as other:
            other.execute(INSERT, ["patient"])
    finally:
        has_written.set()
        writer.join()
    assert "patient" in names(db)


@pytest.mark.slow
def test_patience_ends_and_stays_as_it_was(db_path: Path, db: sqlite3.Connection) -> None:
    with closing(connect(db_path, write=True, busy_ms=300)) as other, transaction(db):
        with pytest.raises(sqlite3.OperationalError, match="locked"), transaction(other):
            pass
        assert other.execute("pragma busy_timeout").fetchone()[0] == 300
        assert not other.in_transaction


@pytest.mark.slow
def test_tables_of_llm_are_those_that_llm_makes(tmp_path: Path, now: datetime) -> None:
    found = []
    for name in ("copied", "stepped"):
        with closing(open_database(tmp_path / f"{name}.db", now=now)) as file:
            for apply in (embeddings_migrations.apply, migrate):
                if name == "copied":
                    make_tables(file, apply)
                    make_tables(file, apply)  # nothing is left to do
                else:
                    apply(Database(file, execute_plugins=False))
            objects = {row["name"]: row["sql"] for row in file.execute("select name, sql from sqlite_master")}
            steps = [row[0] for row in file.execute("select name from _llm_migrations order by rowid")]
            sets = [
                tuple(row) for row in file.execute("select migration_set, name from _sqlite_migrations order by id")
            ]
            found.append((objects, steps, sets))
    assert found[0] == found[1]
