"""Numbers that are written out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.text.attribute_values import settings_of
from memory_db.text.number_words import in_figures
from memory_db.text.relations import CONTRADICTS, SUPERSEDES, Statement, relation


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("for ten minutes", "for 10 minutes"),
        ("every twenty-five days", "every 25 days"),
        ("forty two hours", "42 hours"),
        ("half an hour of it", "30 minutes of it"),
        ("an hour and a half", "90 minutes"),
        ("two and a half hours", "150 minutes"),
        ("two hours and a half", "150 minutes"),
        ("a quarter of an hour", "15 minutes"),
        ("three quarters of an hour", "45 minutes"),
        ("a half-hour window", "a 30 minutes window"),
        ("half a minute", "30 seconds"),
        ("a dozen days", "12 days"),
        ("which one, and ten of them", "which one, and ten of them"),
        ("half of an apple, an hour", "half of an apple, an hour"),
    ],
)
def test_numbers_before_a_unit_are_figures(said: str, wanted: str) -> None:
    assert in_figures(said) == wanted


@given(st.text(alphabet="a half anhour twenty-one minute.", max_size=60))
def test_what_is_in_figures_stays(said: str) -> None:
    once = in_figures(said)
    assert in_figures(once) == once


def test_a_written_value_is_the_value() -> None:
    assert (
        settings_of("Sessions expire after half an hour.").values
        == settings_of("Sessions expire after 30 minutes.").values
        == {"duration": frozenset({"30 minute"})}
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Watch the error rate for ten minutes after each deploy.",
         "Watch the error rate for half an hour after each deploy."),
        ("Sessions expire after thirty minutes.", "Sessions expire after an hour and a half now."),
        ("After each deploy watch the error rate for ten minutes before you close the ticket.",
         "We watched ten minutes after the last deploy and the leak showed after 20. so it's half an hour of error rate"
         " and memory after each deploy."),
        ("After each deploy watch the error rate for ten minutes before you close the ticket.",
         "So it's half an hour of error rate and memory after each deploy."),
        ("The backup job runs every ten minutes.", "The backup job runs every 20 minutes now."),
    ],
)  # fmt: skip
def test_another_written_value_is_a_change(old: str, new: str) -> None:
    earlier, later = (
        Statement(old, said_at="2026-10-01", by_user=True),
        Statement(new, said_at="2026-11-01", by_user=True),
    )
    found = relation(later, earlier)
    assert found is not None and found.kind in (SUPERSEDES, CONTRADICTS)


def test_what_happened_is_not_what_is_set() -> None:
    said = "We ran 40 workers and the box died, so it's 12 workers from now on."
    assert settings_of(said).values == {"worker": frozenset({"12 worker"})} and settings_of(said).tells_change
    said = "It's 12 workers. We ran 40 and the box died."
    assert {"12", "40"} <= {value.split()[0] for values in settings_of(said).values.values() for value in values}


def test_the_same_value_in_other_words_is_none() -> None:
    earlier = Statement("Sessions expire after half an hour.", said_at="2026-10-01")
    later = Statement("Sessions expire after 30 minutes.", said_at="2026-11-01")
    found = relation(later, earlier)
    assert found is not None and found.kind not in (SUPERSEDES, CONTRADICTS)


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("ada has it tue and thu mornings", "ada has it tuesday and thursday mornings"),
        ("tue + thu 05:30", "tuesday + thursday 05:30"),
        ("the window is sun 04:00", "the window is sunday 04:00"),
        ("he sat on it", "he sat on it"),
        ("the sun is out", "the sun is out"),
        ("see fri.example.com", "see fri.example.com"),
    ],
)
def test_days_that_are_cut_are_in_full(text: str, spelt: str) -> None:
    assert in_figures(text) == spelt
