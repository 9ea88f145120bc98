"""The difference between held-out and briefed sessions, and how sure it is."""

from __future__ import annotations

import math
import sqlite3
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.evaluation.uplift import FEWEST_SESSIONS, MEASURES, uplift, uplifts
from memory_db.knowledge.memories import add_memory
from tests.support.feedback_sessions import agents_life
from tests.support.session_rows import add_project


def test_no_data_yet(db: sqlite3.Connection) -> None:
    assert uplifts(db) == []


def test_a_plain_difference_is_found_and_none_is_unsure() -> None:
    found = uplift("corrections", [0.0, 1.0] * 10, [3.0, 4.0] * 10)
    assert (found.briefed, found.held_out, found.difference) == (0.5, 3.5, -3.0)
    assert found.low < -3 < found.high < 0 and found.helps == "yes"
    assert uplift("outcome_score", [0.0, 1.0] * 10, [3.0, 4.0] * 10).helps == "no"
    assert uplift("tokens", [1.0, 2.0] * 10, [2.0, 1.0] * 10).helps == "unsure"


def test_few_sessions_have_no_interval() -> None:
    found = uplift("corrections", [0.0] * FEWEST_SESSIONS, [5.0] * (FEWEST_SESSIONS - 1))
    assert found.difference == -5 and math.isnan(found.low) and found.helps == "unsure"
    assert math.isnan(uplift("corrections", [], [1.0]).difference)


@given(st.lists(st.floats(-5, 5), min_size=10, max_size=30), st.lists(st.floats(-5, 5), min_size=10, max_size=30))
@pytest.mark.slow
def test_the_interval_is_the_same_each_time_and_holds_the_difference(ours: list[float], others: list[float]) -> None:
    found = uplift("outcome_score", [*ours, math.nan], others)
    assert found == uplift("outcome_score", ours, others)
    assert found.low - 1e-9 <= found.difference <= found.high + 1e-9
    turned = uplift("outcome_score", others, ours)
    assert turned.difference == pytest.approx(-found.difference)


def test_the_view_gives_the_arms(db: sqlite3.Connection, now: datetime) -> None:
    project = add_project(db)
    for text in ("Ferries sail at nine", "Pilots board at Harwich", "Buoys are lit at dusk"):
        add_memory(db, text=text, kind="domain", scope="project", project_id=project, now=now)
    agents_life(db, now)
    found = {each.measure: (each.briefed, each.held_out) for each in uplifts(db)}
    assert set(found) == set(MEASURES)
    assert found["repeated"] == (1.0, 0.0) and found["corrections"] == (0.0, 0.0)
    assert found["outcome_score"][1] == 1.0 and math.isnan(found["tokens"][0])
