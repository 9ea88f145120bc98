"""Jobs: leased by one worker at a time, never lost, dead after three failures."""

import sqlite3
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memory_db.errors import ModelError, NotFoundError
from memory_db.store import jobs
from memory_db.store.connection import connect

KIND = "count-to-three"
SECOND = timedelta(seconds=1)


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Registers a kind of job that counts to three, a number a portion, and gives what it counted."""
    counted: list[int] = []

    def count(db: sqlite3.Connection, job: jobs.Job, now: datetime, progress: jobs.Progress | None) -> bool:
        if job.payload.get("breaks"):
            raise ModelError("the model is out of order")
        counted.append(len(counted) + 1)
        return len(counted) == 3

    monkeypatch.setattr(jobs, "HANDLERS", {})
    jobs.handles(KIND)(count)
    yield counted


def row(db: sqlite3.Connection, key: str = "a") -> sqlite3.Row:
    return db.execute("select * from jobs where key = ?", [key]).fetchone()


def test_the_same_job_is_enqueued_once(db: sqlite3.Connection, now: datetime) -> None:
    assert jobs.enqueue(db, KIND, "a", {"x": 1}, now) is True
    before = tuple(row(db))
    assert jobs.enqueue(db, KIND, "a", {"x": 2}, now + SECOND) is False
    assert tuple(row(db)) == before


def test_portions_are_done_one_by_one_until_nothing_is_left(
    db: sqlite3.Connection, now: datetime, done: list[int]
) -> None:
    jobs.enqueue(db, KIND, "a", {}, now)
    outcomes = [jobs.work_once(db, now=now + n * SECOND) for n in range(4)]
    assert [outcome["released"] for outcome in outcomes] == [1, 1, 0, 0]
    assert [outcome["done"] for outcome in outcomes] == [0, 0, 1, 0]
    assert [outcome["leased"] for outcome in outcomes] == [1, 1, 1, 0]
    assert done == [1, 2, 3]
    assert (row(db)["state"], row(db)["attempts"], row(db)["leased_until"]) == ("done", 0, None)


def test_a_done_job_can_be_enqueued_again(db: sqlite3.Connection, now: datetime, done: list[int]) -> None:
    jobs.enqueue(db, KIND, "a", {}, now)
    while jobs.work_once(db, now=now)["leased"]:
        pass
    assert jobs.enqueue(db, KIND, "a", {"again": True}, now) is True
    assert (row(db)["state"], row(db)["payload"]) == ("due", '{"again": true}')


def test_a_leased_job_is_nobody_elses_until_its_lease_ends(
    db: sqlite3.Connection, db_path: Path, now: datetime, done: list[int]
) -> None:
    jobs.enqueue(db, KIND, "a", {}, now)
    mine = jobs.lease(db, now)
    assert mine is not None and mine.attempts == 1
    other = connect(db_path, write=True)
    assert jobs.lease(other, now + jobs.LEASE - SECOND) is None
    taken_over = jobs.lease(other, now + jobs.LEASE)
    assert taken_over is not None and (taken_over.id, taken_over.attempts) == (mine.id, 2)
    other.close()


def test_the_oldest_job_goes_first(db: sqlite3.Connection, now: datetime, done: list[int]) -> None:
    for key in ("b", "a"):
        jobs.enqueue(db, KIND, key, {}, now)
    leased = [jobs.lease(db, now) for _ in range(3)]
    assert [job.key for job in leased if job] == ["b", "a"]
    assert leased[2] is None


def test_a_kind_without_a_handler_waits(db: sqlite3.Connection, now: datetime, done: list[int]) -> None:
    jobs.enqueue(db, "of another program", "a", {}, now)
    assert jobs.work_once(db, now=now)["leased"] == 0
    assert row(db)["state"] == "due"


def test_a_failing_job_rests_longer_each_time_then_dies_with_its_error(
    db: sqlite3.Connection, now: datetime, done: list[int]
) -> None:
    jobs.enqueue(db, KIND, "a", {"breaks": True}, now)
    assert jobs.work_once(db, now=now)["failed"] == 1
    assert (row(db)["state"], row(db)["attempts"]) == ("due", 1)
    assert row(db)["last_error"] == "the model is out of order"
    assert jobs.work_once(db, now=now + jobs.RETRY_AFTER - SECOND)["leased"] == 0
    second = now + jobs.RETRY_AFTER
    assert jobs.work_once(db, now=second)["failed"] == 1
    assert jobs.work_once(db, now=second + jobs.RETRY_AFTER)["leased"] == 0
    third = second + 2 * jobs.RETRY_AFTER
    assert jobs.work_once(db, now=third)["dead"] == 1
    assert (row(db)["state"], row(db)["attempts"]) == ("dead", jobs.MAX_ATTEMPTS)
    assert row(db)["last_error"] == "the model is out of order"
    assert jobs.work_once(db, now=third + timedelta(days=9))["leased"] == 0
    assert jobs.enqueue(db, KIND, "a", {}, third) is False


def test_a_job_that_kills_its_workers_dies(db: sqlite3.Connection, now: datetime, done: list[int]) -> None:
    jobs.enqueue(db, KIND, "a", {}, now)
    for attempt in range(jobs.MAX_ATTEMPTS):
        assert jobs.lease(db, now + attempt * jobs.LEASE) is not None
    assert jobs.lease(db, now + jobs.MAX_ATTEMPTS * jobs.LEASE) is None
    assert (row(db)["state"], row(db)["last_error"]) == ("dead", jobs.WORKER_DIED)


def test_a_dead_job_can_be_revived_and_no_other(db: sqlite3.Connection, now: datetime, done: list[int]) -> None:
    jobs.enqueue(db, KIND, "a", {}, now)
    job_id = row(db)["id"]
    with pytest.raises(NotFoundError, match=f"no dead job {job_id}"):
        jobs.revive(db, job_id, now)
    db.execute("update jobs set state = 'dead', attempts = 3, last_error = 'x'")
    jobs.revive(db, job_id, now)
    assert (row(db)["state"], row(db)["attempts"], row(db)["last_error"]) == ("due", 0, None)


def test_a_person_may_take_a_job_in_any_state(db: sqlite3.Connection, now: datetime, done: list[int]) -> None:
    jobs.enqueue(db, KIND, "a", {"x": 1}, now)
    for state in ("due", "running", "done", "dead"):
        db.execute("update jobs set state = ?", [state])
        job = jobs.take(db, KIND, "a", now)
        assert (job.key, job.payload, row(db)["state"]) == ("a", {"x": 1}, "running")
    with pytest.raises(NotFoundError, match="no job count-to-three b"):
        jobs.take(db, KIND, "b", now)


def test_an_error_that_is_not_ours_is_not_swallowed(
    db: sqlite3.Connection, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(db: sqlite3.Connection, job: jobs.Job, now: datetime, progress: jobs.Progress | None) -> bool:
        raise ZeroDivisionError

    monkeypatch.setattr(jobs, "HANDLERS", {KIND: broken})
    jobs.enqueue(db, KIND, "a", {}, now)
    with pytest.raises(ZeroDivisionError):
        jobs.work_once(db, now=now)
    assert row(db)["state"] == "running"


def test_a_job_given_back_is_as_if_never_leased(db: sqlite3.Connection, now: datetime, done: list[int]) -> None:
    jobs.enqueue(db, KIND, "a", {"breaks": True}, now)
    jobs.work_once(db, now=now)
    later = now + jobs.RETRY_AFTER
    leased = jobs.lease(db, later)
    assert leased is not None and leased.attempts == 2
    jobs.give_back(db, leased, later)
    assert (row(db)["state"], row(db)["attempts"], row(db)["leased_until"]) == ("due", 1, None)


def test_only_the_kind_and_keys_asked_for_are_leased(db: sqlite3.Connection, now: datetime) -> None:
    for kind, key in (("one", "a"), ("two", "b"), ("two", "c")):
        jobs.enqueue(db, kind, key, {}, now)
    assert jobs.lease(db, now, kind="two", keys=["a"]) is None
    leased = [jobs.lease(db, now, kind="two", keys=["a", "c"]), jobs.lease(db, now, kind="two")]
    assert [job and job.key for job in leased] == ["c", "b"]
    assert jobs.lease(db, now, kind="two") is None


def test_jobs_of_dead_workers_are_reclaimed_until_they_are_dead_themselves(
    db: sqlite3.Connection, now: datetime
) -> None:
    jobs.enqueue(db, KIND, "a", {}, now)
    for attempts in (1, 2, 3):
        leased = jobs.lease(db, now, kind=KIND)
        assert leased is not None and leased.attempts == attempts
        assert jobs.lease(db, now, kind=KIND) is None
        assert jobs.reclaim(db, KIND, now) == 1
    assert (row(db)["state"], row(db)["last_error"]) == ("dead", jobs.WORKER_DIED)
    assert jobs.reclaim(db, KIND, now) == 0
