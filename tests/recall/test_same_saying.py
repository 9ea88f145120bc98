"""Rules that say the same in other words, and what is said around a rule."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.knowledge.memories import add_memory
from memory_db.recall.brief.same_saying import is_about_same, says_same, without_asides
from memory_db.recall.brief.session_start import block


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("I told you the other day, I make the commits.", "Never commit for me, I do the commits myself.", True),
        ("Don't use pip here.", "No pip, in no project.", True),
        ("Always squash.", "Never squash.", False),
        ("The limit is 60 requests.", "The limit is 120 requests.", False),
        ("Never commit for me.", "No emojis in commit messages.", False),
        ("Don't edit `a.py`.", "Don't edit `b.py`.", False),
        ("", "", False),
    ],
)
def test_what_says_the_same(one: str, other: str, is_same: bool) -> None:
    assert says_same(one, other) == says_same(other, one) == is_same


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("I told you the other day, I make the commits.", "I make the commits."),
        ("Build it concurrently, how often do I have to say it.", "Build it concurrently."),
        ("The limit is 120, please remember that.", "The limit is 120."),
        ("I said it.", "I said it."),
        ("Remember that the port is 5433.", "Remember that the port is 5433."),
    ],
)
def test_what_is_said_around_a_rule_is_left_out(text: str, left: str) -> None:
    assert without_asides(text) == left


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_texts_are_compared_both_ways_alike(one: str, other: str) -> None:
    assert says_same(one, other) == says_same(other, one)
    assert bool(without_asides(one).strip()) == bool(one.strip())


def test_a_session_begins_with_each_rule_once(db: sqlite3.Connection, now: datetime) -> None:
    texts = ("I told you the other day, I make the commits.", "Never commit for me, I do the commits myself.")
    uids = [add_memory(db, text=text, kind="preference", scope="user", now=now) for text in texts]
    answer = block(db, None, None, now=now)
    assert [hit.uid for hit in answer.shown] == [uids[1]]
    assert answer.left_out == {"says the same as a shown hit": 1}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (
            "some colour for the screen, as Tomas reads it there",
            "Not red and green, Tomas cannot tell them apart.",
            True,
        ),
        ("how strict is the pair check by now", "The pair check is at 12 percent.", True),
        ("what does git rebase --onto do", "Never copy things onto the machines of others.", False),
        ("how does a freezer work?", "8080 belongs to the freezer monitor.", False),
    ],
)
def test_texts_are_about_the_same_by_two_words_or_a_proper_name(one: str, other: str, expected: bool) -> None:
    assert is_about_same(one, other) == expected
