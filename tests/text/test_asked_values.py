"""Which sort of value a prompt asks for, and whether a text gives one, whatever words either has."""

from __future__ import annotations

import pytest

from memory_db.text.asked_values import gives, sorts_asked
from memory_db.text.questions import asks_within, reports_failure


@pytest.mark.parametrize(
    ("prompt", "text", "sort"),
    [
        ("how strict are we with the pairs these days?", "She wants it tighter, 12 percent and signed.", "limit"),
        ("what's our threshold for a retry", "At most 4 tries, then it gives up.", "limit"),
        ("mo is coming over. what do i send him, the address i mean", "8080 is taken, so we go to 8127.", "address"),
        ("which box does the collector sit on?", "It runs on attic.example as user moth.", "address"),
        ("she patches the box of the collector. which one was it", "Mind the box, attic.example.", "address"),
        ("when do the digests go out?", "From now on they go out at 19:30 the day before.", "day"),
        ("when do the tenants get to see that?", "New versions only go out on Mondays.", "day"),
        ("who do i ask for another number in there", "That file belongs to Ilse in hardware.", "person"),
        ("and how long do we keep the raw lines?", "Cal lab needs them, so 90 days.", "duration"),
        ("which python can i use over there?", "The box has python 3.8 and stays there.", "version"),
        ("whats the most we may send at once", "Never more than a page.", "limit"),
        ("how old may a reading be", "At most 3 days.", "limit"),
        ("are there days on which the gate stays shut", "Not on the first working day of a month.", "day"),
        ("for how long do we hold the logs, somebody asks", "They go after 30 days.", "duration"),
        ("remind me why there is no queue here", "No queue, because it is one more thing to run.", "reason"),
    ],
)
def test_a_text_gives_what_is_asked_for_in_other_words(prompt: str, text: str, sort: str) -> None:
    assert sort in sorts_asked(prompt)
    assert gives(text, (sort,))


@pytest.mark.parametrize(
    "prompt",
    [
        "set the limit to 12 percent, then commit",
        "put the address into the footer please",
        "when i sit at the box i see it too.",
        "can you raise the limit?",
        "ok run the tests",
    ],
)
def test_who_does_not_ask_asks_for_no_value(prompt: str) -> None:
    assert sorts_asked(prompt) == ()


def test_a_memory_of_a_fault_tells_a_reason_whatever_its_words() -> None:
    assert gives("The clock is read before it is set.", ("reason",), "quirk")
    assert not gives("The clock is read before it is set.", ("reason",), "convention")


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("E   assert 17 == 18\n\nwhat was it", True),
        ("go says:\nwindow.go:9:2: package iter is not in std", True),
        ("fatal: refusing to merge unrelated histories", True),
        ("ModuleNotFoundError again", True),
        ('the kiln says "Firing exceeded limit for gas", i only wanted a small one', True),
        ("curl: unable to get local issuer certificate", True),
        ("quota exceeded in the shop account", True),
        ("the exceeding plates go to the second shelf", False),
        ("give the error page a friendly sentence", False),
        ("the meeting is at 10:30: bring the plan", False),
    ],
)
def test_what_a_tool_said_that_failed_is_known_by_its_form(prompt: str, expected: bool) -> None:
    assert reports_failure(prompt) == expected


def test_a_text_without_a_value_gives_none() -> None:
    assert not gives("The page never writes anything.", ("address", "limit", "day", "person", "duration", "version"))


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("the page is up again. what do i curl there", True),
        ("ok, and how do i start it?", True),
        ("they are on the phone, help: what do we do with a line that has no number", True),
        ("commit that, and tell me if it goes out tomorrow", True),
        ("do both, and a check that it really sorts", False),
        ("the box is down, how do i get the old version back", True),
        ("three parts of 100, which part gets the rest", True),
        ("for how long do we keep them, the auditor asks", True),
        ("did we settle on a region", True),
        ("isn't the other one faster", True),
        ("put it in the README, which is in docs", False),
        ("move it to where the others are, where it is read", False),
        ("add a test for the parser, how it fails on empty input", False),
        ("when the code has run out, tell the renter", False),
        ("Could you put that right, please?", False),
        ("mark the bad ones when they are high", False),
    ],
)
def test_a_prompt_asks_in_any_of_its_clauses(prompt: str, expected: bool) -> None:
    assert asks_within(prompt) == expected
