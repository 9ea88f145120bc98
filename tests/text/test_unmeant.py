"""A model's quote states nothing lasting where its sentence asks or speaks of now, unless that says otherwise."""

from __future__ import annotations

import pytest

from memory_db.text.quoting import unmeant


@pytest.mark.parametrize(
    ("message", "quote"),
    [
        ("The cost centre has a new number, it's AB-12, so would you change the tags?", "it's AB-12"),
        ("Staging has moved to port 8010, could you put that into the readme?", "Staging has moved to port 8010"),
        ("Would you give the plan as a table henceforth?", "give the plan as a table henceforth"),
        ("Can you name the file in every commit from now on?", "name the file in every commit from now on"),
        ("The numbers go out always on the fifth day, this is today.", "The numbers go out always on the fifth day"),
        ("From tonight on the job starts at 03:30.", "From tonight on the job starts at 03:30"),
    ],
)
def test_what_lasts_is_a_statement_in_a_question_and_beside_today(message: str, quote: str) -> None:
    assert unmeant(message, quote) == ""


@pytest.mark.parametrize(
    ("message", "quote", "why"),
    [
        ("Is it AB-12, or would you change it?", "Is it AB-12", "a question"),
        ("Would you change the tags?", "change the tags", "a question"),
        ("Could we run it on port 8010, or will you leave it?", "run it on port 8010", "a question"),
        ("Start the job at 03:30 tonight.", "Start the job at 03:30 tonight", "holds for now alone"),
        ("I never saw it fail, use the old port today.", "use the old port today", "holds for now alone"),
    ],
)
def test_what_is_asked_or_is_for_now_is_none(message: str, quote: str, why: str) -> None:
    assert unmeant(message, quote) == why
