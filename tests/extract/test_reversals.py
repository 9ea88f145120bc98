"""What ends something that was agreed is kept, where it says of what; a thing to do now is none."""

from __future__ import annotations

import pytest

from tests.extract.test_exchange_unit import kept
from tests.extract.test_run_on import BEGUN


@pytest.mark.parametrize(
    "said",
    [
        "I changed my mind about the retries: three of them, the vendor has lifted the cap.",
        "Let's drop the two reviewers rule, we are three people.",
        "We do put the names of guests on the board after all, they want to be read.",
        "What does not fit shall be a second oven run of the same day. So forget about the waiting list, please.",
        "We don't glaze on Fridays any more, the shop is open then.",
        "The apprentice may fire the small kiln now, she has her certificate.",
        "I was wrong about the plain text mails, we need HTML for the logo.",
        "What is not sold goes back to the shelf, in the second row.",
        "Ada told me they all pay by card since this month, so the 10 ct thing is off, she wants exact cents.",
        "The harbour master called: the 10 cm rounding is off, he wants full centimetres.",
        "Forget berths. The office has a view of that name in the same file. So berth_lines it is.",
        "So postgres 15 it is.",
    ],
)
def test_the_end_of_a_rule_is_kept(said: str) -> None:
    assert [each.rpartition("the user said: ")[2] for each in kept(*BEGUN, ("user", said))] == [said]


@pytest.mark.parametrize(
    "said",
    [
        "run the tests after all",
        "commit it after all",
        "ok forget about that, show me the log",
        "What does the oven do after that is over",
        "you may go on now",
        "I have to take something back.",
        "forget the log. show me the test. so slow as it is",
        "so that is how it is",
    ],
)
def test_what_is_to_be_done_now_is_not(said: str) -> None:
    assert kept(*BEGUN, ("user", said)) == []
