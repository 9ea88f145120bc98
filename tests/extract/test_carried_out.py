"""What the user asks for once is not kept where the agent did it at once, and a rule that sounds like it is."""

from __future__ import annotations

import pytest

from tests.extract.test_exchange_unit import kept
from tests.extract.test_polite_rules import DONE

EDITED = (("edit", "ovens.py", "a = 2", "a = 3"), ("say", "It does that now."), ("user", "good"))
"""What follows an order that is carried out at once."""


@pytest.mark.parametrize(
    "said",
    [
        "then we need a name with the plate",
        "next i want a rename() in plates.py, takes the old name and says None if it has none. thx",
        "we also need a second list for the broken ones, so ada can send it out when somebody rings",
        "now i would like a report of the plates that came back, newest first",
        "ovens.py should say which oven it was when it fails",
        "the list should also show the weight",
        "The export ought to warn if a plate has no number.",
        "Ilse should be able to start it on the real machine too.",
        "The server should answer that properly instead of falling over.",
    ],
)
def test_a_thing_to_build_is_no_rule_once_it_is_built(said: str) -> None:
    assert kept(*DONE, ("user", said), *EDITED) == []


@pytest.mark.parametrize(
    "said",
    [
        "i want a changelog line for every change that customers see",
        "the list should never show the weight, customers argue about it",
        "the list should only show plates that are paid",
        "an error should say what to do, because nobody here reads a trace",
        "ovens.py should warn 3 days before the filter is due",
    ],
)
def test_a_wish_that_holds_on_is_kept(said: str) -> None:
    followed = (("edit", "ovens.py", "days = 2", "days = 3"), ("say", "It does that now."), ("user", "good"))
    assert len(kept(*DONE, ("user", said), *followed)) == 1


@pytest.mark.parametrize(
    "said",
    [
        "Now I need a short summary of yesterday's numbers for the board.",
        "i need 3 sentences for the newsletter, what is new and since when",
        "Could you write a note for the shop? Four or five lines are enough.",
        "I have read it twice, so you may commit it now.",
        "it is all fine, you can push this one",
        "And pass it on in web.py please",
        "the status is full of temporary files, ignore them, then commit",
        "for the diary: why did the oven go off at noon",
        "I haven't seen that file since the summer.",
        "No need to test that, it's only for the party on saturday.",
        "let's keep both files for now, i will decide on friday",
        "i think the fuse blows because of the dryer, can you look",
        "O-17 can't be right.",
        "Such a mistake should be found without a customer.",
        "I would like to have it the same way here.",
        "My own oven is cold by now, and so am I.",
        "show me the crc thing before you change a line",
    ],
)
def test_what_is_asked_once_is_nothing_to_keep(said: str) -> None:
    assert kept(*DONE, ("user", said), ("say", "Done."), ("user", "good")) == []


@pytest.mark.parametrize(
    "said",
    [
        "two sentences are enough, for everything you tell me",
        "you may push to the demo branch, never to main",
        "we pack every plate the same way here: two layers of paper, label on top",
        "show me the plan before you change anything that other people call",
        "for releases: when the tests are red nothing goes out",
        "careful with the numbers, they are printed on the labels. never renumber",
        "no need to ask me before a commit, ever",
    ],
)
def test_a_rule_that_sounds_like_it_is_kept(said: str) -> None:
    assert len(kept(*DONE, ("user", said), ("say", "Done."), ("user", "good"))) == 1


def test_an_offer_that_is_turned_down_is_over() -> None:
    offered = ("say", "The new list is sorted. I can sort the old ones as well if you like.")
    assert kept(("user", "sort the list"), offered, ("user", "nah, leave them as they are")) == []
    said = "no, never touch the old ones, customers quote their numbers"
    assert len(kept(("user", "sort the list"), offered, ("user", said))) == 1


def test_leave_for_a_thing_at_hand_is_no_rule_once_it_was_used() -> None:
    used = (("bash", "git branch -d ovens", "ok"), ("say", "Gone."), ("user", "good"))
    assert kept(*DONE, ("user", "You may delete the branch, I have merged it."), *used) == []
    assert len(kept(*DONE, ("user", "You may delete the old branches whenever a request is merged."), *used)) == 1
