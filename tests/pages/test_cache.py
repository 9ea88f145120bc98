"""Connections and answers that the server keeps between requests."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_db.errors import MissingFileError
from memory_db.pages.cache import POOL, cached, pooled
from memory_db.store.connection import connect

pytestmark = pytest.mark.pinned_datasette  # asks no page: no Datasette is in it


def add_project(path: Path, name: str) -> None:
    db = connect(path, write=True)
    db.execute(
        "insert into projects (name, canonical_path, created_at) values (:name, :name, '2026-01-01')", {"name": name}
    )
    db.close()


def names(db: sqlite3.Connection) -> list[str]:
    return [row[0] for row in db.execute("select name from projects order by id")]


@pytest.fixture
def served(db: sqlite3.Connection, db_path: Path) -> Path:
    """A file that somebody else has open, as Datasette has."""
    db.execute("select count(*) from projects").fetchone()
    return db_path


def test_the_same_connection_serves_again_and_sees_what_others_wrote(served: Path) -> None:
    with pooled(served) as first:
        assert names(first) == []
    add_project(served, "one")
    with pooled(served) as second:
        assert second is first
        assert names(second) == ["one"]


def test_a_block_in_a_block_and_another_thread_have_connections_of_their_own(served: Path) -> None:
    found = []

    def look() -> None:
        with pooled(served) as db:
            found.append(db)

    with pooled(served) as outer, pooled(served) as inner:
        assert outer is not inner
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found[0] is not outer
    assert found[0] is not inner


def test_what_reads_may_not_write_and_what_writes_is_another(served: Path) -> None:
    with pooled(served) as reading, pooled(served, write=True) as writing:
        assert reading is not writing
        with pytest.raises(sqlite3.OperationalError):
            reading.execute("delete from projects")


def test_a_transaction_left_open_ends_with_its_block(served: Path) -> None:
    with pooled(served, write=True) as db:
        db.execute("begin immediate")
    add_project(served, "not locked out")
    with pooled(served) as reading:
        assert names(reading) == ["not locked out"]


def test_a_block_that_fails_gives_no_connection_back(served: Path) -> None:
    with pytest.raises(ZeroDivisionError), pooled(served) as db:
        _ = 1 / 0
    with pooled(served) as again:
        assert again is not db


def test_another_file_at_the_same_path_is_read(served: Path, tmp_path: Path, db: sqlite3.Connection) -> None:
    other = tmp_path / "other.db"
    db.execute("vacuum into ?", [str(other)])
    add_project(other, "of the other")
    with pooled(served) as db_before:
        assert names(db_before) == []
    db.close()
    POOL.idle[served, False][0][1].execute("select 1")
    for end in ("-wal", "-shm"):
        Path(f"{served}{end}").unlink(missing_ok=True)
    shutil.move(other, served)
    with pooled(served) as db_after:
        assert names(db_after) == ["of the other"]


def test_a_file_that_is_gone_is_missing(served: Path) -> None:
    with pooled(served) as db:
        assert names(db) == []
    served.unlink()
    with pytest.raises(MissingFileError), pooled(served):
        pass


# --------------------------------------------------------------------- answers


def count(db: sqlite3.Connection) -> int:
    return int(db.execute("select count(*) from projects").fetchone()[0])


class Counted:
    """Makes an answer, and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, db: sqlite3.Connection) -> int:
        self.times += 1
        return count(db)


def test_an_answer_is_cached_until_somebody_writes(served: Path) -> None:
    make = Counted()
    assert [cached(served, "projects", make) for _ in range(3)] == [0, 0, 0]
    assert make.times == 1
    assert cached(served, "another", make) == 0 and make.times == 2
    add_project(served, "one")
    assert [cached(served, "projects", make) for _ in range(2)] == [1, 1]
    assert make.times == 3


def test_an_answer_is_not_cached_for_another_file(served: Path, tmp_path: Path) -> None:
    add_project(served, "one")
    path, other = tmp_path / "moving.db", tmp_path / "other.db"
    for target in (path, other):
        with closing(connect(served)) as source:
            source.execute("vacuum into ?", [str(target)])
    add_project(other, "two")
    assert cached(path, "projects", count) == 1
    for end in ("-wal", "-shm"):
        for of in (path, other):
            Path(f"{of}{end}").unlink(missing_ok=True)
    other.rename(path)
    assert cached(path, "projects", count) == 2


def test_a_write_while_an_answer_is_made_is_seen_next_time(served: Path) -> None:
    def make(db: sqlite3.Connection) -> int:
        found = count(db)
        if found == 0:
            add_project(served, "one")
        return found

    assert [cached(served, "projects", make) for _ in range(2)] == [0, 1]


def test_an_answer_that_fails_is_made_again(served: Path) -> None:
    def fail(db: sqlite3.Connection) -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        cached(served, "projects", fail)
    assert cached(served, "projects", count) == 0


@given(steps=st.lists(st.sampled_from(["write", "a", "b"]), max_size=12))
@settings(max_examples=15)
@pytest.mark.slow
def test_whatever_is_asked_and_written_no_answer_is_old(served: Path, steps: list[str]) -> None:
    for number, step in enumerate(steps):
        if step == "write":
            add_project(served, f"{uuid4()} {number}")
        else:
            with pooled(served) as db:
                assert cached(served, step, count) == count(db)
