"""Which agent and model: what sessions cost and how they went, each measure with its interval."""

from __future__ import annotations

import sqlite3

import pytest

from memory_db.evaluation.workers import LOWER_IS_BETTER, MEASURES, Measured, differ, measured
from tests.support.spending_rows import INPUT, add_call, add_entry, add_ferry, add_price, add_session, at


def by_measure(db: sqlite3.Connection, model: str) -> dict[str, Measured]:
    return {each.measure: each for each in measured(db) if each.model == model}


@pytest.fixture
def worked(db: sqlite3.Connection) -> sqlite3.Connection:
    """Six sessions of one model, a million input tokens each, and one of a model without a price."""
    project_id = add_ferry(db)
    add_price(db)
    for number in range(6):
        session_id = add_session(db, f"s{number}", project_id)
        add_entry(db, session_id, "prompt", "go on", at("10:00:00"))
        add_call(db, session_id, at("10:00:01"), 1_000_000)
        db.execute(
            "insert into session_outcomes (session_id, outcome, score, reason, rules_version, found_at)"
            " values (?, ?, 0, '', 1, '')",
            [session_id, "good" if number else "unknown"],
        )
    add_call(db, add_session(db, "free", project_id), at("11:00:00"), 5, model="house")
    return db


def test_nothing_is_said_of_an_empty_file(db: sqlite3.Connection) -> None:
    assert measured(db) == []


def test_a_session_counts_once_with_its_subagents(worked: sqlite3.Connection) -> None:
    before = by_measure(worked, "model-of-the-test")["cost"]
    assert (before.sessions, before.value) == (6, 1_000_000 * INPUT)
    assert before.low == before.high == before.value, "all cost the same"
    parent, project_id = worked.execute("select id, project_id from sessions where uid = 's1'").fetchone()
    child = add_session(worked, "below", project_id, parent_id=parent)
    add_call(worked, child, at("10:05:00"), 600_000)
    after = by_measure(worked, "model-of-the-test")["cost"]
    assert after.sessions == 6 and after.value == pytest.approx(6_600_000 * INPUT / 6)
    assert after.low is not None and after.high is not None and after.low < after.value < after.high


def test_what_is_not_known_is_left_out(worked: sqlite3.Connection) -> None:
    found = by_measure(worked, "model-of-the-test")
    assert set(found) <= set(MEASURES) and set(LOWER_IS_BETTER) < set(MEASURES)
    assert (found["good"].sessions, found["good"].value) == (5, 1.0), "an unknown outcome is none"
    assert "cost" not in by_measure(worked, "house"), "without a price there is no cost"


def test_only_intervals_that_do_not_touch_differ() -> None:
    def one(low: float | None, high: float | None) -> Measured:
        return Measured("a", "m", "good", 9, 0.5, low, high)

    assert differ(one(0.1, 0.2), one(0.3, 0.4)) and differ(one(0.3, 0.4), one(0.1, 0.2))
    assert not differ(one(0.1, 0.3), one(0.3, 0.4)) and not differ(one(None, None), one(0.3, 0.4))
