"""Copies come and go, and none goes before a new one was verified."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memory_db.errors import CorruptError, InputError
from memory_db.knowledge.memories import add_memory
from memory_db.store import backup, settings
from memory_db.store.keeping import keep_in
from memory_db.upkeep import backups
from memory_db.upkeep.doctor import doctor
from memory_db.upkeep.worker import Worked, Worker, work
from tests.support.command import run

DAY = timedelta(days=1)


@pytest.fixture
def filled(db: sqlite3.Connection, now: datetime) -> sqlite3.Connection:
    settings.put(db, "embedding_model", "none", now=now)
    add_memory(db, text="Tests use port 5433.", kind="environment", scope="user", now=now)
    return db


def copied(db: sqlite3.Connection, path: Path, *moments: datetime) -> list[Path]:
    """Copies as they were made at some moments: one is made, the others have its bytes."""
    made = backup.back_up(db, backup.new_target(path, moments[0])).path
    others = [backup.new_target(path, each) for each in moments[1:]]
    for each in others:
        each.write_bytes(made.read_bytes())
    return [made, *others]


@pytest.mark.slow
def test_old_copies_go_once_a_new_one_is_verified(filled: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    old = copied(filled, db_path, *(now - number * DAY for number in range(1, 6)))
    done = backups.rotate(filled, db_path, keep_in("3d"), now=now)
    assert set(done.deleted) == set(old[2:]) and done.kept == 3
    assert done.made is not None and backup.made_here(db_path) == [old[1], old[0], done.made.path]
    assert backup.verified(done.made.path).rows == done.made.rows
    again = backups.rotate(filled, db_path, keep_in("3d"), now=now + timedelta(hours=1))
    assert list(again.deleted) == [done.made.path], "one a day"


@pytest.mark.slow
def test_nothing_goes_where_the_new_copy_is_not_right(filled: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    old = copied(filled, db_path, *(now - number * DAY for number in range(1, 6)))
    before_schema = db_path.with_name(f"{db_path.name}.before-schema-14-from-13")
    before_schema.write_bytes(old[0].read_bytes())
    page = filled.execute("select rootpage from sqlite_master where name = 'memories'").fetchone()[0]
    filled.close()
    content = bytearray(db_path.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    db_path.write_bytes(content)
    with closing(sqlite3.connect(db_path, isolation_level=None)) as damaged:
        damaged.row_factory = sqlite3.Row
        with pytest.raises(CorruptError):
            backups.rotate(damaged, db_path, keep_in("1d"), now=now)
    assert set(backup.made_here(db_path)) == set(old) and before_schema.exists()
    (backup.folder_of(db_path) / f"memory-{now:%Y%m%d-%H%M%S}.db").write_text("in the way")
    with closing(sqlite3.connect(db_path, isolation_level=None)) as damaged, pytest.raises(InputError, match="already"):
        backups.rotate(damaged, db_path, keep_in("1d"), now=now)
    assert set(backup.made_here(db_path)) == set(old)


@pytest.mark.slow
def test_what_memory_db_did_not_make_stays(filled: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    (old, cut) = copied(filled, db_path, now - 40 * DAY, now - 50 * DAY)
    cut.write_bytes(cut.read_bytes()[:-4096])
    folder = backup.folder_of(db_path)
    foreign = folder / "memory-20200101-000000.db"
    foreign.write_text("named so by somebody")
    own = folder / "before-the-holidays.db"
    own.write_bytes(old.read_bytes())
    other = folder / "memory.sqlite-20200101-000000.db"
    other.write_bytes(old.read_bytes())
    linked = folder / "memory-20200102-000000.db"
    linked.symlink_to(own)
    impossible = folder / "memory-20209999-000000.db"
    impossible.write_bytes(old.read_bytes())
    done = backups.rotate(filled, db_path, keep_in("1d"), now=now)
    assert list(done.deleted) == [old]
    assert all(each.exists() for each in (cut, foreign, own, other, linked, impossible))
    assert backup.made_here(db_path.with_name("memory.sqlite")) == [other]


@pytest.mark.slow
def test_copies_from_before_a_change_of_the_schema_go(filled: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    copy = db_path.with_name(f"{db_path.name}.before-schema-14-from-13")
    copy.write_bytes(copied(filled, db_path, now - DAY)[0].read_bytes())
    mine = db_path.with_name(f"{db_path.name}.before-schema-change")
    mine.write_bytes(copy.read_bytes())
    os.utime(copy, (now.timestamp() + 60,) * 2)
    assert backups.superfluous(db_path, keep_in("2d"), now=now) == {}, "no verified copy is newer yet"
    os.utime(copy, (now.timestamp() - 60,) * 2)
    assert list(backups.rotate(filled, db_path, keep_in("2d"), now=now).deleted) == [copy]
    assert mine.exists() and not copy.exists()


def test_what_a_killed_copy_left_goes_after_a_day(filled: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    target = backup.new_target(db_path, now - 2 * DAY)
    partial, recent = target.with_name(f"{target.name}.partial"), backup.new_target(db_path, now - timedelta(minutes=1))
    recent = recent.with_name(f"{recent.name}.partial")
    for each, age in ((partial, 2 * DAY), (recent, timedelta(minutes=1))):
        each.write_bytes(b"half")
        os.utime(each, ((now - age).timestamp(),) * 2)
    assert list(backups.rotate(filled, db_path, keep_in("2d"), now=now).deleted) == [partial]
    assert recent.exists()


def worked_on(db: sqlite3.Connection, path: Path, now: datetime) -> Worked:
    return work(Worker(path, db, lambda: now, threading.Event()), once=True)


@pytest.mark.slow
def test_the_worker_makes_one_a_day(filled: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    first = worked_on(filled, db_path, now)
    assert [each.counts for each in first.stages if each.name == "backup"] == [{"copies_made": 1, "copies_deleted": 0}]
    assert len(backup.made_here(db_path)) == 1
    worked_on(filled, db_path, now + timedelta(hours=23))
    assert len(backup.made_here(db_path)) == 1
    for number in range(1, 60):
        worked_on(filled, db_path, now + number * timedelta(hours=25))
    copies = backup.made_here(db_path)
    assert 4 <= len(copies) <= 7 and backups.last_moment(db_path) == now + 59 * timedelta(hours=25)


def test_the_worker_makes_none_where_there_is_nothing_to_lose_or_it_is_off(
    db: sqlite3.Connection, db_path: Path, now: datetime
) -> None:
    worked_on(db, db_path, now)
    add_memory(db, text="Tests use port 5433.", kind="environment", scope="user", now=now)
    settings.put(db, "backup_keep", "off", now=now)
    worked_on(db, db_path, now)
    db.execute("insert into settings values ('sample', 'true', '2026-11-01')")
    settings.put(db, "backup_keep", "7d", now=now)
    worked_on(db, db_path, now)
    assert not backup.folder_of(db_path).exists()


def test_a_copy_that_cannot_be_made_is_told_and_the_work_goes_on(
    filled: sqlite3.Connection, db_path: Path, now: datetime
) -> None:
    backup.folder_of(db_path).write_text("a file in the way")
    done = worked_on(filled, db_path, now)
    assert done.troubles and done.failures == 1 and done.stages[-1].name == "jobs"
    row = filled.execute("select error from runs where stage = 'backup'").fetchone()
    assert "Cannot make" in row["error"]
    assert not worked_on(filled, db_path, now + timedelta(hours=1)).troubles, "tried again after a day"
    lines = doctor(db_path, now=now + timedelta(hours=1), transcripts=[]).lines
    assert any("backup" in each.what and "failed" in each.what for each in lines)


@pytest.mark.slow
def test_the_doctor_tells_the_age_of_the_last_verified_copy(
    filled: sqlite3.Connection, db_path: Path, now: datetime
) -> None:
    def said(moment: datetime) -> list[tuple[str, str]]:
        lines = doctor(db_path, now=moment, transcripts=[]).lines
        return [(each.level, each.what) for each in lines if "copy" in each.what]

    assert said(now) == [("note", "There is no verified copy of the file")]
    (old, new) = copied(filled, db_path, now - 3 * DAY, now - 2 * DAY)
    ((level, what),) = said(now)
    assert level == "fine" and "2 days ago" in what and new.name in what and "2 in all" in what
    assert said(now + 6 * DAY)[0][0] == "warning"
    new.write_bytes(new.read_bytes()[:-4096])
    ((worse, damage), (level, what)) = said(now)
    assert worse == "warning" and new.name in damage and "3 days ago" in what and old.name in what
    settings.put(filled, "backup_keep", "off", now=now)
    assert said(now + 6 * DAY)[-1][0] == "note"


@pytest.mark.slow
def test_the_shell_rotates(filled: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    old = copied(filled, db_path, *(now - number * DAY for number in range(400, 405)))
    told = run(db_path, "file", "backup", "--keep", "2d", "--dry-run").stdout
    assert told.count("Would delete") == 4 and len(backup.made_here(db_path)) == 5
    assert "2 copies would be kept" in told
    done = json.loads(run(db_path, "file", "backup", "--keep", "2d", "--json").stdout)
    assert sorted(done["deleted"]) == sorted(map(str, old[1:])) and len(backup.made_here(db_path)) == 2
    assert "verified" in run(db_path, "file", "backup", "--dry-run").stdout
    assert len(backup.made_here(db_path)) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--keep", "some"), "7d,4w,12m"),
        (("--keep", "7d", "--verify"), "only reads"),
        (("--keep", "7d", "copy.db"), "Leave out TARGET"),
    ],
)
def test_wrong_words_change_nothing(
    filled: sqlite3.Connection, db_path: Path, words: tuple[str, ...], said: str
) -> None:
    refused = run(db_path, "file", "backup", *words, code=1)
    assert said in refused.output and refused.output.count("\n") == 1
    assert not backup.folder_of(db_path).exists()
