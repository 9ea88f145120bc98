"""How somebody ends what was agreed, and what that says of what was known."""

from __future__ import annotations

import pytest

from memory_db.text.perhaps_over import perhaps_over
from memory_db.text.relations import CONTRADICTS, SUPERSEDES, Statement, relation
from memory_db.text.taking_back import taking_back, turns_round

ENDS = (
    "I changed my mind about the retries: three of them.",
    "We do put the names on the board after all.",
    "Let's drop the two reviewers rule, we are three people.",
    "So forget about the nightly dump, please.",
    "The freeze rule is gone.",
    "It may write to the archive share now.",
    "You can merge it yourself from now on.",
    "I was wrong about the plain text mails, we need HTML.",
    "We don't sign the tags any more.",
)

GOES_ON = (
    "Don't forget the changelog.",
    "Drop the staging database and import it again.",
    "The tests no longer pass.",
    "Did you change your mind about the retries?",
    "I can't log in any more.",
    "You may skip empty lines.",
    "Nobody has enough memory for that.",
    "Go back to main and commit the rest.",
)


@pytest.mark.parametrize("sentence", ENDS)
def test_a_sentence_that_ends_something_is_known(sentence: str) -> None:
    assert turns_round(sentence)


@pytest.mark.parametrize("sentence", GOES_ON)
def test_one_that_ends_nothing_is_not(sentence: str) -> None:
    assert not turns_round(sentence)


def test_a_sentence_goes_with_what_it_leans_on() -> None:
    text = "I have to take that back. The guests asked for it. Names go onto the board."
    assert taking_back(text) == [(text, False)]
    assert taking_back("The guests asked for it. So they may be named after all.")[0][0].startswith("The guests")


TURNED = (
    ("Leave the tagging to me, tags are signed on my laptop.", "You may tag now, the server signs."),
    ("Names of guests stay off the board, they did not want to be read.",
     "We do put the names of guests on the board after all, they asked for it themselves."),
    ("No retries on the uploader, because the vendor counts each call.",
     "I changed my mind about the retries: three of them, the vendor has lifted the cap."),
    ("Never write to the archive share.", "It may write to the archive share now, Ines has given us a quota."),
)  # fmt: skip


@pytest.mark.parametrize(("old", "new"), TURNED)
def test_what_was_barred_and_is_allowed_stands_against_it(old: str, new: str) -> None:
    found = relation(Statement(new, by_user=True), Statement(old, by_user=True))
    assert found is not None and found.kind in (CONTRADICTS, SUPERSEDES)


def test_what_is_barred_after_all_stands_against_nothing_that_bars_it() -> None:
    old, new = "Names of guests stay off the board.", "Names of guests do stay off the board after all."
    found = relation(Statement(new, by_user=True), Statement(old, by_user=True))
    assert found is None or found.kind not in (CONTRADICTS, SUPERSEDES)


def test_the_sort_of_thing_that_is_over_need_not_be_said() -> None:
    old = "Every pull request needs two reviewers."
    found = relation(Statement("Let's drop the two reviewers rule, we are three people."), Statement(old))
    assert found is not None and found.kind == SUPERSEDES


ASKED = (
    ("We stay with plain text mails.", "I was wrong about the plain text mails, we need HTML for the logo."),
    ("No automatic second trip, because Marta would rather phone around.",
     "What is left shall be a second trip of the same van. So forget about the list, please."),
)  # fmt: skip


@pytest.mark.parametrize(("old", "new"), ASKED)
def test_what_may_be_turned_round_is_asked(old: str, new: str) -> None:
    assert perhaps_over(new, old)


def test_what_may_be_done_again_ends_what_stood_against_it() -> None:
    """Leave that was never taken away is told apart: it ends only a ban."""
    assert taking_back("mila put 3.11 on the staging box, so match is legal again") == [
        ("mila put 3.11 on the staging box, so match is legal again", False)
    ]
    assert taking_back("match is fine now") == [("match is fine now", True)]
