"""Who changed what through the server: a row before the change, finished with how it ended."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path

import pytest

from memory_db.errors import InputError
from memory_db.store import audit


def rows(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    return [tuple(row) for row in db.execute("select actor, action, target, outcome, said from audit_log order by id")]


def recorded(path: Path, now: datetime, work: object, target: str = "/-/memory/judge") -> object:
    return audit.recorded(path, "root", "judge", target, work, said=str, clock=lambda: now)  # type: ignore[arg-type]


def test_the_row_is_there_before_the_work_and_shows_the_end(
    db: sqlite3.Connection, db_path: Path, now: datetime
) -> None:
    seen = []

    def work() -> str:
        seen.extend(rows(db))
        return "Judged."

    assert recorded(db_path, now, work) == "Judged."
    assert seen == [("root", "judge", "/-/memory/judge", "started", None)]
    assert rows(db) == [("root", "judge", "/-/memory/judge", "done", "Judged.")]


@pytest.mark.parametrize(
    ("error", "outcome"), [(InputError("no such hit"), "refused"), (sqlite3.OperationalError("disk"), "failed")]
)
def test_what_went_wrong_is_reported_and_raised(
    db: sqlite3.Connection, db_path: Path, now: datetime, error: Exception, outcome: str
) -> None:
    def work() -> str:
        raise error

    with pytest.raises(type(error)):
        recorded(db_path, now, work)
    assert rows(db) == [("root", "judge", "/-/memory/judge", outcome, str(error))]


def test_no_secret_and_no_long_text_is_kept(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    key = "AKIA" + "Z7QXN4M2K9L5P3RT"
    recorded(db_path, now, lambda: f"{key} {'x' * 2000}", target="/-/memory/" + "y" * 1000)
    ((_, _, target, _, said),) = rows(db)
    assert key not in str(said) and len(str(said)) == audit.MOST_SAID
    assert len(str(target)) == audit.MOST_TARGET
