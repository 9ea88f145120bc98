"""Answers that only take in what was asked, groan, praise or break off, and those that answer."""

from __future__ import annotations

import pytest

from memory_db.extract.rules.prose import spelt_out
from memory_db.extract.rules.questions import SAYS_NOTHING, TOLD_BEFORE
from tests.extract.test_exchange_unit import kept
from tests.extract.test_run_on import BEGUN

ASKED = "The mixer starts twice. Should the second start be refused, or wait?"


@pytest.mark.parametrize(
    "said",
    [
        "ah yes, that'll be it then",
        "oh, that must have been the reason",
        "hm, that could be the culprit i guess",
        "oh damn it",
        "Oh dear.",
        "ah. bugger!",
        "well, shit",
        "sorry, that catches everybody in their first week",
        "yes sorry, my typo",
        "yes, i cleaned the mixer in spring and forgot the timer",
        "ah i forgot about that one",
        "you absolute hero",
        "two, ada you genius",
        "you total muppet",
        "a queue of..",
        "a queue or..",
        "puh i've been telling this all morning",
    ],
)
def test_an_answer_that_says_nothing_is_not_kept(said: str) -> None:
    lower = spelt_out(said)
    assert SAYS_NOTHING.search(lower) or TOLD_BEFORE.search(lower)
    assert kept(*BEGUN, ("user", "why does it whine?"), ("say", ASKED), ("user", said)) == []


@pytest.mark.parametrize(
    "said",
    [
        "refused, always",
        "wait, for 30 s",
        "sorry, that must be refused",
        "sorry, i meant wait",
        "sorry, that should wait 30 s",
        "i forgot: it waits on mondays",
        "yes, i forgot, it must wait",
        "refused, ada's rule",
        "wait, but no longer than a minute",
        "refused of course, the mixer breaks otherwise",
        "it should wait, the hero of the day is the fuse",
    ],
)
def test_an_answer_is_one(said: str) -> None:
    assert SAYS_NOTHING.search(spelt_out(said)) is None


def test_what_stands_behind_it_is_kept_without_it() -> None:
    said = "ah yes, that'll be it then. Never start the mixer by hand, the relay melts."
    assert kept(*BEGUN, ("user", "why does it whine?"), ("say", ASKED), ("user", said)) == [
        "Never start the mixer by hand, the relay melts."
    ]
