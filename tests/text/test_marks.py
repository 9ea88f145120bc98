"""Patterns that are compiled only where a text has one of their marks: none is passed over for want of one."""

from __future__ import annotations

import re

import pytest

from memory_db.records import later, marked
from memory_db.redact.attacks import INJECTIONS
from memory_db.text import asked_values, limits, questions, taking_back
from memory_db.text.commands import asking
from tests.support.marks import marked_patterns, needs_a_mark

PATTERNS = [
    *((each.pattern, each.flags, each.marks)
      for module in (asked_values, limits, questions, taking_back) for each in marked_patterns(vars(module).values())),
    *((rule.pattern, re.IGNORECASE, rule.beside) for rule in INJECTIONS if rule.beside),
    (questions.CLAUSE.pattern, re.IGNORECASE, tuple(questions.PARTING)),
    (asking.SENTENCE.pattern, 0, tuple(asking.SENTENCE_SIGNS)),
    (asking.PASSIVE.pattern, 0, asking.PASSIVE_MARKS),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "flags", "marks"), PATTERNS, ids=[each[0][:30] for each in PATTERNS])
def test_what_a_pattern_matches_has_a_mark(pattern: str, flags: int, marks: tuple[str, ...]) -> None:
    assert needs_a_mark(pattern, flags, marks)


@pytest.mark.parametrize(
    ("pattern", "marks", "is_so"),
    [
        (r"how (?:long|much)", ("how long", "how much"), True),
        (r"how (?:long|much|often)", ("how long", "how much"), False),
        (r"(?:very )*late\b", ("late",), True),
        (r"(?:late)?r", ("late",), False),
        (r"a\w+ on", (" on",), True),
        (r"not (?:an?y )?more", ("not more", "any more"), False),
    ],
)
def test_a_missing_mark_is_seen(pattern: str, marks: tuple[str, ...], is_so: bool) -> None:
    assert needs_a_mark(pattern, 0, marks) == is_so


def test_a_marked_pattern_finds_what_the_plain_one_does() -> None:
    plain, own = later(r"\bhow (?:long|much)\b", re.I), marked(r"\bhow (?:long|much)\b", re.I, marks=("how ",))
    for text in ("How long is it?", "long", "show longer", "", "HOW MUCH"):
        found, expected = own.search(text), plain.search(text)
        assert (found and found.span()) == (expected and expected.span())


def test_patterns_with_marks_are_known() -> None:
    assert len(PATTERNS) >= 20
