"""Fewer checkpoints while much is written, and as many as before afterwards."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from memory_db.store.checkpoints import MANY_PAGES, fewer_checkpoints


def pages(db: sqlite3.Connection) -> int:
    """After how many pages of the log a checkpoint is made."""
    return int(db.execute("pragma wal_autocheckpoint").fetchone()[0])


def test_a_checkpoint_comes_later_for_as_long_as_much_is_written(db: sqlite3.Connection) -> None:
    before = pages(db)
    with fewer_checkpoints(db):
        assert pages(db) == MANY_PAGES > before
    assert pages(db) == before


def test_who_fails_or_closes_the_file_within_it_is_told_of_that_alone(tmp_path: Path, db: sqlite3.Connection) -> None:
    before = pages(db)
    with pytest.raises(ValueError, match="stopped"), fewer_checkpoints(db):
        raise ValueError("stopped")
    assert pages(db) == before
    other = sqlite3.connect(tmp_path / "other.db")
    with fewer_checkpoints(other):
        other.close()
