"""What pages keep between requests: connections, and answers that took long."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from pathlib import Path

import pytest

from memory_db.errors import MissingFileError
from memory_db.pages.web.connections import IDLE, opened
from memory_db.pages.web.query_cache import part
from memory_db.store.connection import connect

pytestmark = pytest.mark.pinned_datasette  # asks no page: no Datasette is in it


def add_project(path: Path, name: str) -> None:
    db = connect(path, write=True)
    db.execute("insert into projects (name, canonical_path, created_at) values (?1, ?1, '2026-01-01')", [name])
    db.close()


def names(db: sqlite3.Connection) -> list[str]:
    return [row[0] for row in db.execute("select name from projects order by id")]


@pytest.fixture
def served(db: sqlite3.Connection, db_path: Path) -> Path:
    """A file that somebody else has open, as Datasette has."""
    db.execute("select count(*) from projects").fetchone()
    return db_path


def test_the_same_connection_serves_again_and_sees_what_others_wrote(served: Path) -> None:
    with opened(served) as first:
        assert names(first) == []
    add_project(served, "one")
    with opened(served) as second:
        assert second is first
        assert names(second) == ["one"]


def test_a_block_in_a_block_and_another_thread_have_connections_of_their_own(served: Path) -> None:
    found = []

    def look() -> None:
        with opened(served) as db:
            found.append(db)

    with opened(served) as outer, opened(served) as inner:
        assert outer is not inner
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found[0] is not outer
    assert found[0] is not inner


def test_what_reads_may_not_write_and_what_writes_is_another(served: Path) -> None:
    with opened(served) as reading, opened(served, write=True) as writing:
        assert reading is not writing
        with pytest.raises(sqlite3.OperationalError):
            reading.execute("delete from projects")


def test_a_transaction_left_open_ends_with_its_block(served: Path) -> None:
    with opened(served, write=True) as db:
        db.execute("begin immediate")
    add_project(served, "not locked out")
    with opened(served) as reading:
        assert names(reading) == ["not locked out"]


def test_a_block_that_fails_keeps_nothing(served: Path) -> None:
    with pytest.raises(ZeroDivisionError), opened(served) as db:
        _ = 1 / 0
    with opened(served) as again:
        assert again is not db


def test_another_file_at_the_same_path_is_read(served: Path, tmp_path: Path, db: sqlite3.Connection) -> None:
    other = tmp_path / "other.db"
    db.execute("vacuum into ?", [str(other)])
    add_project(other, "of the other")
    with opened(served) as db_before:
        assert names(db_before) == []
    db.close()
    IDLE.kept[served, False][1].execute("select 1")
    for end in ("-wal", "-shm"):
        Path(f"{served}{end}").unlink(missing_ok=True)
    shutil.move(other, served)
    with opened(served) as db_after:
        assert names(db_after) == ["of the other"]


def test_a_file_that_is_gone_is_missing(served: Path) -> None:
    with opened(served) as db:
        assert names(db) == []
    served.unlink()
    with pytest.raises(MissingFileError), opened(served):
        pass


def test_a_part_is_made_again_only_when_its_state_has_changed(served: Path) -> None:
    made: list[int] = []

    def make() -> list[str]:
        made.append(1)
        return names(db)

    with opened(served) as db:
        assert part(db, "names", (0,), make) == []
        assert part(db, "names", (0,), make) == []
        assert len(made) == 1
        add_project(served, "one")
        assert part(db, "names", (1,), make) == ["one"]
        assert part(db, "other names", (1,), make) == ["one"]
        assert len(made) == 3
