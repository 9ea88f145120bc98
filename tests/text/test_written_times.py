"""Times that are written as words of their own stand against others, and not against the same in another unit."""

from __future__ import annotations

import pytest

from memory_db.text.attribute_values import settings_of
from memory_db.text.relations import CONTRADICTS, SUPERSEDES, Statement, relation


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("a kiln is to be booked a fortnight ahead", {"2 week"}),
        ("a kiln is to be booked a week before it is fired", {"1 week"}),
        ("prices are sent a day in advance", {"1 day"}),
        ("we moved the ovens a fortnight ago", set()),
        ("the ovens are cleaned once a week before noon", set()),
    ],
)
def test_a_time_in_words(text: str, duration: set[str]) -> None:
    assert settings_of(text).values.get("duration", frozenset()) == duration


@pytest.mark.parametrize(
    ("before", "now", "is_change"),
    [
        ("A kiln is to be booked a fortnight ahead.", "A kiln is to be booked three weeks ahead from now on.", True),
        ("A kiln is to be booked a fortnight ahead.", "A kiln is to be booked 14 days ahead from now on.", False),
        ("Glaze dries for 90 minutes.", "From now on glaze dries for 2 hours.", True),
        ("Glaze dries for 120 minutes.", "From now on glaze dries for 2 hours.", False),
    ],
)
def test_only_another_time_is_a_change(before: str, now: str, is_change: bool) -> None:
    found = relation(Statement(now, said_at="2"), Statement(before, said_at="1"))
    assert (found is not None and found.kind in (CONTRADICTS, SUPERSEDES)) is is_change
