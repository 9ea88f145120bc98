"""Leave that is given or taken back for what an agent may do to a repository."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.text.change_markers import marks
from memory_db.text.changed_attributes import changed_attribute
from memory_db.text.leave import leave_turned
from memory_db.text.relations import CONTRADICTS, Statement, relation

KEPT = (
    "hands off git commit, here and anywhere. i read the diff first", "Never commit for me.", "No commits, please.",
    "Leave the committing to me, I go through the diff anyway.", "I commit things myself.", "Committing is mine.",
    "i do the commits", "don't just commit it",
)  # fmt: skip
GIVEN = (
    "you can commit yourself as you go, one thing per commit. Pushing stays with me",
    "From now on you may just commit it.", "feel free to commit", "commit things yourself, in small pieces",
)  # fmt: skip


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("given_now", GIVEN)
def test_leave_stands_against_what_was_kept_and_the_other_way_round(kept: str, given_now: str) -> None:
    assert leave_turned(given_now, kept) == "commit"
    assert leave_turned(kept, given_now) == "commit"


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("you can push it", "never commit"),
        ("Pushing is mine", "No pushing, commits are mine as well"),
        ("you can commit, but never push", "you may commit. pushing stays with me"),
        ("the release notes are cut from it", "never release on fridays"),
        ("Don't push unless I said ship it.", "When I say ship it, push without asking."),
        ("tagline goes below the title", "no tag without a note"),
    ],
)
def test_other_acts_and_the_same_side_say_nothing(later: str, earlier: str) -> None:
    assert leave_turned(later, earlier) == ""


def test_a_rule_that_gives_leave_contradicts_the_one_that_withheld_it() -> None:
    old = Statement("No hands off git commit, here and on the site.", "convention", said_at="2026-01-01")
    new = Statement("Wont do that again, you can commit yourself as you go.", "convention", said_at="2026-01-02")
    found = relation(new, old)
    assert found is not None and (found.kind, found.test) == (CONTRADICTS, "turned_round")
    assert found.reason == "takes back what is said of commit"


def test_any_more_of_something_is_not_what_is_over() -> None:
    assert marks("Ada doesn't want any more afternoons, from now on it's mondays").gone == ()
    assert marks("the kiln isn't used any more since may").gone == ("the kiln isn't used",)


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("It is on, takes three minutes and your change is gone", ("your change",)),
        ("redis and celery are gone", ("redis and celery", "redis")),
        ("redis and celery is gone", ("redis and celery", "redis")),
        ("Made up payloads in tests/payloads, nothing recorded any more", ()),
        ("Not Wim any more: Friday was his last day", ("wim",)),
    ],
)
def test_what_is_over_is_a_thing(text: str, gone: tuple[str, ...]) -> None:
    assert marks(text).gone == gone


def test_long_texts_change_a_value_only_where_both_speak_of_the_same_beside_it() -> None:
    earlier = (
        "The yard looks at it on old tablets, Fergus has given up asking for others, and the lift page is slow there. "
        "So no fancy layout, nothing from the last five years really. Put a class on it and be done with it."
    )
    assert (
        changed_attribute("Fergus says a lift has to be out three weeks before it is due, from this month", earlier)
        is None
    )


@given(st.text(max_size=200), st.text(max_size=200))
def test_it_is_the_same_whichever_is_later(one: str, other: str) -> None:
    assert leave_turned(one, other) == leave_turned(other, one)
