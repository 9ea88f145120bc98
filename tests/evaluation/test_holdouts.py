"""A share of sessions is left without memory, by lot, so that help can be measured."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path

import pytest

from memory_db.errors import InputError
from memory_db.evaluation.holdouts import drawn, lot
from memory_db.hooks.log import INSERT_LOT
from memory_db.store import settings
from memory_db.store.dates import utc_text
from memory_db.store.schema import open_database


def is_held_out(db: sqlite3.Connection, uid: str, *, now: datetime) -> bool:
    """Whether a session is held out, with its lot written down as a hook does it."""
    is_held, lot_drawn = drawn(db, uid)
    if lot_drawn is not None:
        db.execute(INSERT_LOT, [uid, int(lot_drawn[0]), lot_drawn[1], utc_text(now)])
    return is_held


def rows(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    return [tuple(row) for row in db.execute("select session_uid, is_held_out, share from holdouts order by 1")]


def test_off_by_default_and_nothing_is_written(db: sqlite3.Connection, now: datetime) -> None:
    assert settings.get(db, "holdout_share") == 0.0
    assert not is_held_out(db, "s", now=now)
    settings.put(db, "holdout_share", "0", now=now)
    read: list[str] = []
    db.set_trace_callback(read.append)
    assert not is_held_out(db, "s", now=now)
    db.set_trace_callback(None)
    assert rows(db) == [] and len(read) == 1


def test_a_session_keeps_its_lot(db: sqlite3.Connection, now: datetime) -> None:
    settings.put(db, "holdout_share", "0.3", now=now)
    held = {f"s{number}": is_held_out(db, f"s{number}", now=now) for number in range(400)}
    assert 0.2 < sum(held.values()) / len(held) < 0.4
    assert {uid: is_held == 1 for uid, is_held, _ in rows(db)} == held
    assert held == {uid: lot(db, uid) < 0.3 for uid in held}
    settings.put(db, "holdout_share", "1", now=now)
    assert {uid: is_held_out(db, uid, now=now) for uid in held} == held
    assert is_held_out(db, "new", now=now)
    settings.put(db, "holdout_share", "0", now=now)
    assert not is_held_out(db, "new", now=now)


def test_files_hold_out_different_sessions(db: sqlite3.Connection, tmp_path: Path, now: datetime) -> None:
    other = open_database(tmp_path / "other.db", now=now)
    assert [lot(db, str(number)) for number in range(5)] != [lot(other, str(number)) for number in range(5)]
    other.close()


def test_no_session_is_never_held_out(db: sqlite3.Connection, now: datetime) -> None:
    settings.put(db, "holdout_share", "1", now=now)
    assert not is_held_out(db, "", now=now)
    assert is_held_out(db, "odd \ud800 name".encode("utf-8", "replace").decode(), now=now)
    assert len(rows(db)) == 1


@pytest.mark.parametrize("stored", ["no", "2", "-0.1", "nan", '"x"'])
def test_a_row_edited_by_hand_is_refused(db: sqlite3.Connection, now: datetime, stored: str) -> None:
    db.execute("insert into settings values ('holdout_share', ?, '')", [stored])
    with pytest.raises(InputError, match="holdout_share"):
        is_held_out(db, "s", now=now)
