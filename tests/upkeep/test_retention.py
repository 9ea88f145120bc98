"""Hits age out of the log; what was shown, and what somebody judged, does not."""

from __future__ import annotations

import sqlite3
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from memory_db.cli import cli
from memory_db.recall.brief import select as brief
from memory_db.recall.search import Question
from memory_db.store import settings
from memory_db.upkeep import retention
from memory_db.upkeep.check import check
from memory_db.upkeep.worker import Worker, work


@pytest.fixture
def asked(sample_db: sqlite3.Connection, now: datetime) -> sqlite3.Connection:
    """A sample in which one question was asked 200 days ago, and today; the first kept hits that were not shown."""
    for days in (200, 0):
        question = Question("which port does the dev server run on?", profile="default", limit=3)
        answer = brief.ask(sample_db, question, surface="cli", now=now - timedelta(days=days))
        assert len(answer.shown) == 3 and any(hit.rank is None for hit in answer.hits)
    return sample_db


def hits(db: sqlite3.Connection, recall: str = "min") -> tuple[int, int]:
    """Hits of the oldest or newest recall of the command line: shown and not."""
    row = db.execute(
        f"select sum(rank is not null), sum(rank is null) from hits where recall_id ="
        f" (select {recall}(id) from recalls where surface = 'cli')"
    ).fetchone()
    return row[0], row[1]


@pytest.mark.slow
def test_old_hits_that_were_not_shown_go(asked: sqlite3.Connection, now: datetime) -> None:
    before, recent = hits(asked), hits(asked, "max")
    assert retention.run(asked, now=now)["hits_aged"] == before[1]
    assert hits(asked) == (3, 0) and hits(asked, "max") == recent
    assert retention.run(asked, now=now)["hits_aged"] == 0
    assert check(asked) == []


def test_the_setting_says_how_long(asked: sqlite3.Connection, now: datetime) -> None:
    before = hits(asked)
    settings.put(asked, "hits_days", "201", now=now)
    retention.run(asked, now=now)
    assert hits(asked) == before


def test_what_was_judged_is_kept(asked: sqlite3.Connection, now: datetime) -> None:
    before = hits(asked)
    asked.execute(
        "update labelled_queries set recall_id = (select min(id) from recalls where surface = 'cli')"
        " where id = (select min(id) from labelled_queries)"
    )
    retention.run(asked, now=now)
    assert hits(asked) == before


def test_many_go_in_portions(asked: sqlite3.Connection, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "PORTION", 2)
    gone: list[int] = []
    count = retention.run(asked, now=now, progress=lambda what, done, total: gone.append(done))["hits_aged"]
    assert gone[-1] == count > 4 and hits(asked) == (3, 0)


def test_the_command_shows_what_it_would_do(asked: sqlite3.Connection, sample_path: Path) -> None:
    settings.put(asked, "hits_days", "1", now=datetime(2026, 11, 1, tzinfo=UTC))
    unshown = asked.execute(
        "select count(*) from hits where rank is null"
        " and recall_id not in (select recall_id from labelled_queries where recall_id is not null)"
    ).fetchone()[0]
    found = [
        CliRunner().invoke(cli, ["-d", str(sample_path), "file", "prune", *option]).output
        for option in (["--dry-run"], [])
    ]
    assert found == [f"Would delete {unshown:,} hits.\n", f"Deleted {unshown:,} hits.\n"]


def test_a_worker_lets_them_age_once_a_day(asked: sqlite3.Connection, sample_path: Path, now: datetime) -> None:
    unshown = hits(asked)[1]
    worker = Worker(sample_path, asked, lambda: now, threading.Event())
    counts = [stage.counts for stage in work(worker, once=True).stages if stage.name == "retention"]
    assert counts == [{"hits_aged": unshown}] and hits(asked)[1] == 0
    assert not retention.is_due(asked, now=now)
