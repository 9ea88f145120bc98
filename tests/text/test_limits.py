"""Limits that a text sets, and prompts that go beyond one."""

from __future__ import annotations

import pytest

from memory_db.text.limits import amounts, amounts_at_stake, goes_beyond, sets_limit

BEYOND = (
    ("The ferry takes 40 passengers, not one more.", "a choir of 55 people wants the nine o'clock ferry"),
    ("At most 12 guests at the long table.", "table for 14 adults on friday please"),
    ("Attachments: no more than 20 MB, their mail server says so.", "mail them the scan, it has 34 MB"),
    ("The lift is for 300 kg maximum.", "the new oven weighs 0.4 tons, take the lift?"),
    ("Max 8 workers on that box.", "start it with 16 workers then"),
    ("up to 500 rows go in one request", "send all 1200 rows at once"),
    ("30 swimmers at a time and never more.", "school asks for 45 kids on tuesday"),
)

WITHIN_OR_OTHER = (
    ("The ferry takes 40 passengers, not one more.", "a choir of 35 people wants the nine o'clock ferry"),
    ("The ferry takes 40 passengers, not one more.", "55 crates have to go on the ferry"),
    ("40 passengers came yesterday.", "a choir of 55 people wants the ferry"),
    ("At most 12 guests at the long table.", "the page had 90000 visitors"),
    ("Max 8 workers on that box.", "it failed at 16:30, restart it"),
    ("At most 5 seconds a call.", "it took 30 seconds today"),
    ("At most 12 guests at the long table.", "on the 15 the guests come"),
)

LIMITS = (
    "60 people in the hall and not one more", "nothing that writes may run then", "no compiler on it, only what it has",
    "at most 3 jobs at once", "the box may never be restarted by day", "that is not ours to change",
)  # fmt: skip

NO_LIMITS = (
    "one more thing about the hall", "it may rain", "I have no idea on it", "the box was restarted by day",
    "3 jobs ran at once", "nobody was there",
)  # fmt: skip


@pytest.mark.parametrize(("text", "prompt"), BEYOND)
def test_a_prompt_goes_beyond_a_limit(text: str, prompt: str) -> None:
    assert goes_beyond(amounts_at_stake(prompt), text)


@pytest.mark.parametrize(("text", "prompt"), WITHIN_OR_OTHER)
def test_what_is_within_it_or_of_other_things_does_not(text: str, prompt: str) -> None:
    assert not goes_beyond(amounts(prompt), text)


@pytest.mark.parametrize(
    "prompt", ["that's old. the ferry's limit is 60 people since may", "we are up to 55 people a trip by now"]
)
def test_a_prompt_that_sets_a_limit_itself_goes_beyond_none(prompt: str) -> None:
    assert goes_beyond(amounts(prompt), "The ferry takes 40 people, not one more.")
    assert not amounts_at_stake(prompt)


@pytest.mark.parametrize("text", LIMITS)
def test_a_limit_is_known_by_its_words(text: str) -> None:
    assert sets_limit(text)


@pytest.mark.parametrize("text", NO_LIMITS)
def test_what_only_has_such_words_sets_none(text: str) -> None:
    assert not sets_limit(text)
