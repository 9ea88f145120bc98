"""A fault that was reported and mended is over: it is not kept as how things are."""

from __future__ import annotations

import pytest

from tests.extract.test_exchange_unit import Turn, kept

BEGUN: tuple[Turn, ...] = (
    ("user", "how many kilns are there"), ("bash", "make count", "ok 4"), ("say", "There are four kilns."),
)  # fmt: skip
MENDED: tuple[Turn, ...] = (
    ("edit", "list.py", "n - 1", "n"), ("bash", "make test", "ok"), ("say", "It cut the last one off; the tests pass."),
)  # fmt: skip

FAULTS = (
    "the totals differ by a cent between the two reports",
    "Login fails for anyone with an umlaut in the name.",
    "the nightly job hangs at 95% since monday",
    "the page shows last week's prices, ours are right in the db",
    "Labels come out upside down since the update of the press. Could you have a look?",
)


@pytest.mark.parametrize("said", FAULTS)
def test_what_was_mended_upon_the_report_is_over(said: str) -> None:
    assert kept(*BEGUN, ("user", said), *MENDED, ("user", "lovely. commit it")) == []


@pytest.mark.parametrize("said", FAULTS[:3])
def test_so_is_what_was_mended_once_the_user_agreed(said: str) -> None:
    asked: Turn = ("say", "The last one is cut off. Shall I correct that?")
    assert kept(*BEGUN, ("user", said), asked, ("user", "yes please"), *MENDED, ("user", "thanks, works")) == []


@pytest.mark.parametrize(
    ("followed", "then"),
    [
        (MENDED, "it still hangs"),
        (MENDED, "no, that was not it"),
        ((("say", "I cannot see why."),), "then leave it for now"),
        ((("edit", "list.py", "n - 1", "n"), ("bash", "make test", "fails: 1"), ("say", "Not yet.")), "go on"),
    ],
)
def test_what_was_not_mended_is_kept(followed: tuple[Turn, ...], then: str) -> None:
    said = "the nightly job hangs at 95% since monday"
    assert kept(*BEGUN, ("user", said), *followed, ("user", then)) == ["The nightly job hangs at 95% since monday."]


@pytest.mark.parametrize(
    "said",
    [
        "The carrier's API drops the last row of every page.",
        "The list must never lose a kiln, the insurance counts them.",
        "Prices are wrong on purpose in the demo, so that nobody orders there.",
    ],
)
def test_a_rule_and_what_others_do_is_kept_whatever_was_mended(said: str) -> None:
    assert kept(*BEGUN, ("user", said), *MENDED, ("user", "lovely. commit it")) == [said]


PROPOSED: Turn = ("say", "Number them, or put the parent before them.")
MORE_FAULTS = (
    "Very nice. There are two headings called Note, and both get the same anchor, so that the second can never be "
    "reached. What do you propose?",
    "the second mail is never sent when two people share an address. what would you do?",
    "a cancelled order comes back after a reload, can you find out why?",
)


@pytest.mark.parametrize("said", MORE_FAULTS)
def test_so_is_what_was_mended_in_the_way_that_the_user_chose(said: str) -> None:
    chosen: Turn = ("user", "number them, the anchors that exist must stay as they are")
    found = " ".join(kept(*BEGUN, ("user", said), PROPOSED, chosen, *MENDED, ("user", "very nice, next")))
    assert not any(fault in found for fault in ("same anchor", "never sent", "comes back"))


def test_what_was_chosen_and_not_mended_is_kept() -> None:
    left: Turn = ("user", "leave it as it is")
    found = kept(*BEGUN, ("user", MORE_FAULTS[0]), PROPOSED, left, ("say", "Ok."), ("user", "next"))
    assert any("same anchor" in each for each in found)
