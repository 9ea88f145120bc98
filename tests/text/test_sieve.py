"""Which patterns may match a text, by the literals that they need."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.extract.rules.language_cues import LANGUAGES, tables_of
from memory_db.extract.rules.prose import ENGLISH
from memory_db.text.sieve import Sieve, literals_of

ALL = [cue.pattern for tables in (ENGLISH, *map(tables_of, LANGUAGES)) for table in tables for cue in table]
SIEVE = Sieve(ALL)
PARTS = sorted({word for pattern in ALL for word in literals_of(pattern) or ()})


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"\b(?:always|never)\b", {"always", "never"}),
        (r"colou?r", {"color", "colour"}),
        (r"[Uu]se \w+ instead", {" instead"}),
        (r"(?:ab)+cde", {"cde"}),
        (r"(?:tell|ask) .{1,9}(?:him|her)self", {"himself", "herself"}),
        (r"(?:was|were) (?:\w+ )?due|root", {"was ", "were ", "root"}),
        (r"(?!never)always", {"always"}),
        (r"x*y?", None),
        (r"[a-z]+", None),
        (r"[^x]", None),
        (r"(?i)always", None),
        (r"(?:a|b+)?", None),
    ],
)
def test_the_words_without_which_a_pattern_cannot_match(pattern: str, words: set[str] | None) -> None:
    assert literals_of(re.compile(pattern)) == words


@given(st.lists(st.sampled_from(PARTS) | st.text(max_size=8), max_size=12).map("".join))
def test_no_pattern_that_matches_is_left_out(text: str) -> None:
    possible = SIEVE.possible(text)
    assert not [pattern for place, pattern in enumerate(ALL) if pattern.search(text) and not possible >> place & 1]


def test_most_cues_are_ruled_out_of_a_plain_sentence() -> None:
    sentence = "the invoices of june are late again"
    assert ENGLISH.cues.sieve.possible(sentence).bit_count() < len(ENGLISH.cues) / 4
