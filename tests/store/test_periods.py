"""The span of days that is looked at."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.errors import InputError
from memory_db.knowledge.memories import add_memory, correct
from memory_db.store.dates import utc_text
from memory_db.store.periods import ALL, LENGTHS, WEEK, period, week_of


def asked(db: sqlite3.Connection, moment: datetime, surface: str = "hook") -> None:
    """A recall at that moment."""
    profile = db.execute("select min(id) from profiles").fetchone()[0]
    db.execute(
        "insert into recalls (uid, query, scope, surface, profile_id, context, features, considered_count, left_out,"
        " abstained, shown_text, shown_tokens, asked_at, duration_ms)"
        " values (?, 'q', 'all', ?, ?, '{}', '{}', 0, '{}', 1, '', 0, ?, 1.0)",
        [f"r{moment:%m%d%H%M}", surface, profile, utc_text(moment)],
    )


def test_a_period_is_whole_days_and_ends_with_today(db: sqlite3.Connection, now: datetime) -> None:
    asked(db, now)
    found = period(db, "7", now)
    assert (found.first_day, found.last_day, found.days, found.is_current) == ("2026-10-26", "2026-11-01", 7, True)
    assert found.name == "7 days to 2026-11-01"
    assert found.before == found.since - timedelta(days=7)
    whole = period(db, ALL, now)
    assert (whole.days, whole.before, whole.name) == (None, None, "all time")


def test_where_nothing_happened_lately_it_ends_when_something_did(db: sqlite3.Connection, now: datetime) -> None:
    asked(db, now - timedelta(days=20))
    assert (period(db, "7", now).last_day, period(db, "7", now).is_current) == ("2026-10-12", False)
    assert (period(db, "30", now).last_day, period(db, "30", now).is_current) == ("2026-11-01", True)


def test_a_person_who_looks_at_an_old_history_does_not_end_it_today(db: sqlite3.Connection, now: datetime) -> None:
    asked(db, now - timedelta(days=20))
    asked(db, now, "datasette")
    assert (period(db, "7", now).last_day, period(db, "7", now).is_current) == ("2026-10-12", False)


def test_a_memory_that_a_person_corrects_in_an_old_history_does_not_end_it_today(
    db: sqlite3.Connection, now: datetime
) -> None:
    uid = add_memory(db, text="Staging is 5433.", kind="environment", scope="user", now=now - timedelta(days=30))
    assert period(db, "7", now).last_day == "2026-10-02", "where no agent did anything, what a person added counts"
    asked(db, now - timedelta(days=20))
    correct(db, uid, "Staging is 5434.", reason="moved", by="user", now=now)
    assert (period(db, "7", now).last_day, period(db, "7", now).is_current) == ("2026-10-12", False)


def test_an_empty_calendar_week_tells_when_something_happened_last(db: sqlite3.Connection, now: datetime) -> None:
    assert period(db, "last-week", now).active_week is None, "nothing ever did"
    asked(db, now - timedelta(days=20))
    empty, full = period(db, "last-week", now), period(db, "2026-W42", now)
    assert (empty.active_week, empty.last_active_day) == ("2026-W42", "2026-10-12")
    assert (full.active_week, full.last_active_day) == (None, None)
    assert empty.as_dict()["active_week"] == "2026-W42"


def test_a_day_begins_one_and_nothing_else_does(db: sqlite3.Connection, now: datetime) -> None:
    found = period(db, "2026-10-01", now)
    assert (found.first_day, found.last_day, found.name) == ("2026-10-01", "2026-11-01", "since 2026-10-01")
    for word in ("", "8", "yesterday", "2026-13-01", "2027-01-01"):
        with pytest.raises(InputError):
            period(db, word, now)


def test_its_lasting_word_names_the_same_days_a_year_later(db: sqlite3.Connection, now: datetime) -> None:
    asked(db, now - timedelta(days=20))
    for word, named in (("7", "2026-10-06..2026-10-12"), ("2026-10-01", "2026-10-01..2026-11-01"), ("all", "all"),
                        ("last-week", "2026-W43"), ("2026-W41", "2026-W41")):  # fmt: skip
        found = period(db, word, now)
        assert found.lasting_word == named
        again = period(db, named, now + timedelta(days=365))
        assert word == "all" or (again.since, again.until) == (found.since, found.until)
    found = period(db, "2026-10-06..2026-10-12", now)
    assert (found.name, found.is_current, found.days) == ("2026-10-06 to 2026-10-12", False, 7)
    assert found.before == found.since - timedelta(days=7)
    for word in ("2026-10-12..2026-10-06", "2026-10-06..2027-01-01", "2026-10-06..", "..2026-10-06"):
        with pytest.raises(InputError):
            period(db, word, now)


def test_a_calendar_week_is_monday_to_sunday_beside_the_one_before(db: sqlite3.Connection, now: datetime) -> None:
    last = period(db, "last-week", now)  # now is a Sunday
    assert (last.first_day, last.last_day, last.days, last.is_current) == ("2026-10-19", "2026-10-25", 7, False)
    assert last.name == "last week, 2026-10-19 to 2026-10-25"
    assert last.before == last.since - timedelta(days=7)
    assert (last.week_before, last.week_after) == ("2026-W42", "2026-W44")
    this = period(db, "2026-W44", now)
    assert (this.first_day, this.last_day, this.is_current, this.week_after) == ("2026-10-26", "2026-11-01", True, None)
    tuesday = period(db, "2026-W44", now - timedelta(days=5))
    assert (tuesday.last_day, tuesday.days, tuesday.name) == ("2026-10-27", 2, "week 44, 2026-10-26 to 2026-10-27")
    assert period(db, "2021-W01", now).week_before == "2020-W53" and period(db, "7", now).week_before is None
    for word in ("2026-W45", "2026-W54", "2026-W00", "2021-W53", "2026-w44", "last-month"):
        with pytest.raises(InputError):
            period(db, word, now)


TABLES = {"recalls": "asked_at, surface", "api_calls": "created_at", "hook_runs": "started_at",
          "memory_versions": "recorded_to, valid_from, changed_by"}  # fmt: skip


def empty_tables() -> sqlite3.Connection:
    """The tables that a period asks, without a row."""
    empty = sqlite3.connect(":memory:")
    for table, columns in TABLES.items():
        empty.execute(f"create table {table} ({columns})")
    return empty


MOMENTS = st.integers(0, 3_000_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))


@given(MOMENTS, st.sampled_from(list(LENGTHS)))
def test_now_is_in_every_current_period(moment: datetime, word: str) -> None:
    with closing(empty_tables()) as empty:
        found = period(empty, word, moment)
    assert found.since <= moment < found.until and found.until - found.since == timedelta(days=LENGTHS[word])


@given(MOMENTS, MOMENTS)
def test_weeks_follow_each_other_without_a_gap(moment: datetime, now: datetime) -> None:
    moment, now = sorted((moment, now))
    with closing(empty_tables()) as empty:
        found = period(empty, week_of(moment), now)
        assert found.since <= moment < found.until <= found.since + WEEK and found.since.weekday() == 0
        if found.week_after:
            assert period(empty, found.week_after, now).since == found.until
