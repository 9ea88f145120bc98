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
        ("I take the first, because the links that exist today must stay.", "the links that exist today must stay"),
        ("go by the date, rows from before today have the old one", "go by the date, rows from before today"),
        (
            "The vendor sends at 4, so ours has to be done before, remember that if we ever touch it.",
            "The vendor sends at 4, so ours has to be done before",
        ),
        ("sync.py is anna's, i ask her before a byte changes there", "sync.py is anna's"),
        ("build.sh takes the lock itself", "build.sh takes the lock itself"),
        (
            "When a change reaches two files, I'd ask you to give me the plan first; I read fast.",
            "give me the plan first",
        ),
        ("About the prices: please show them as 7,50 with the sign behind.", "please show them as 7,50"),
        ("Please write dates with the day first.", "Please write dates with the day first."),
        ("From tonight on the job starts at 03:30.", "From tonight on the job starts at 03:30"),
        (
            "Tell Ida that it sails with tomorrow's ferry (they leave the quay at low tide).",
            "they leave the quay at low",
        ),
        (
            "The mast is short of one, so don't wonder if you ever meet the eight in the code",
            "The mast is short of one",
        ),
        ("Give me the depth first, I keep losing it in the text.", "Give me the depth first, I keep losing it"),
        ("we only count whole days anyway and a half day is none, right?", "we only count whole days anyway"),
        ("Ola doesn't like to turn the boat twice haha.", "Ola doesn't like to turn the boat twice haha."),
        ("Ida leaves tomorrow and stays away till March.", "Ida leaves tomorrow and stays away till March"),
    ],
)
def test_what_lasts_is_a_statement_in_a_question_and_beside_today(message: str, quote: str) -> None:
    assert unmeant(message, quote) == ""


@pytest.mark.parametrize(
    ("message", "quote", "why"),
    [
        ("Is it AB-12, or would you change it?", "Is it AB-12", "a question"),
        ("Would you change the tags?", "change the tags", "a question"),
        ("Does the lock open at six and close at ten, right?", "Does the lock open at six", "a question"),
        ("we don't like rain haha", "we don't like rain haha", "a joke"),
        ("Ida leaves tomorrow till Friday.", "Ida leaves tomorrow till Friday", "holds for now alone"),
        ("Could we run it on port 8010, or will you leave it?", "run it on port 8010", "a question"),
        ("run it on the old port today, it must be quick", "run it on the old port today", "holds for now alone"),
        ("Then show me the totals of May as well.", "show me the totals of May", "a thing to do now"),
        ("ok, write a test with two rows", "write a test with two rows", "a thing to do now"),
        ("Start the job at 03:30 tonight.", "Start the job at 03:30 tonight", "holds for now alone"),
        ("I never saw it fail, use the old port today.", "use the old port today", "holds for now alone"),
    ],
)
def test_what_is_asked_or_is_for_now_is_none(message: str, quote: str, why: str) -> None:
    assert unmeant(message, quote) == why


def test_what_is_known_to_be_typed_is_not_taken_for_a_paste() -> None:
    message = (
        "When I start it I get this:\n\nTraceback (most recent call last):\n"
        "OSError: [Errno 98] Address already in use\n\nI know why: the map service sits on 8000 here, and it stays."
    )
    quote = "the map service sits on 8000 here"
    assert unmeant(message, quote) == "it was pasted, not typed"
    assert unmeant(message, quote, is_typed=True) == ""
