"""Proof that a pattern can match no text without one of its marks.

In: a pattern and its marks. Out: whether each text that it matches has one, as far as its letters tell.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

ANYTHING = "\0"
"""Stands in a wording for what the pattern leaves open."""

MOST_WORDINGS = 200_000


def needs_a_mark(pattern: str, flags: int, marks: tuple[str, ...]) -> bool:
    """Whether each text that a pattern matches has one of some marks, once its letters are small."""
    return _has(parser.parse(pattern, flags), marks)


def _has(parts: Iterable[Any], marks: tuple[str, ...]) -> bool:
    """Whether whatever some parts of a pattern match has a mark: in one part, or where several follow each other."""
    known = list(parts)
    if any(_part_has(each, marks) for each in known):
        return True
    wordings: list[set[str]] = [_wordings(each, marks) for each in known]
    total = 1
    for each in wordings:
        total *= len(each)
    if total > MOST_WORDINGS:
        return False
    return all(any(mark in "".join(each) for mark in marks) for each in itertools.product(*wordings))


def _part_has(part: tuple[Any, Any], marks: tuple[str, ...]) -> bool:
    code, value = part
    if code is codes.BRANCH:
        return all(_has(each, marks) for each in value[1])
    if code is codes.SUBPATTERN:
        return _has(value[3], marks)
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
        return value[0] > 0 and _has(value[2], marks)
    if code is codes.ASSERT:  # what it looks at stands in the text
        return _has(value[1], marks)
    return False


def _wordings(part: tuple[Any, Any], marks: tuple[str, ...]) -> set[str]:
    """The texts that a part of a pattern matches, each with one mark instead where it has one."""
    code, value = part
    if code is codes.LITERAL:
        return {chr(value).casefold()}
    if code is codes.IN and all(each[0] is codes.LITERAL for each in value):
        return {chr(each[1]).casefold() for each in value}
    if code in (codes.AT, codes.ASSERT, codes.ASSERT_NOT):
        return {""}
    if code is codes.BRANCH:
        return set().union(*[_sequence(each, marks) for each in value[1]])
    if code is codes.SUBPATTERN:
        return _sequence(value[3], marks)
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
        least, most, repeated = value
        once = _sequence(repeated, marks)
        fewest = {"".join(each) for each in itertools.product(once, repeat=max(least, 1))}
        more = set() if most == least else {a + ANYTHING + b for a in fewest for b in once}
        return fewest | (more if most > 1 else set()) | ({""} if least == 0 else set())
    return {ANYTHING}


def _sequence(parts: Iterable[Any], marks: tuple[str, ...]) -> set[str]:
    found = {""}
    for each in parts:
        found = {_shorter(a + b, marks) for a in found for b in _wordings(each, marks)}
    return found


def _shorter(wording: str, marks: tuple[str, ...]) -> str:
    return next((mark for mark in marks if mark in wording), wording)


def marked_patterns(values: Iterable[object]) -> list[Any]:
    """The patterns with marks among some values and within their tuples and dictionaries."""
    found: list[Any] = []
    for each in values:
        if type(each).__name__ == "_Marked":
            found.append(each)
        elif isinstance(each, (tuple, list)):
            found += marked_patterns(each)
        elif isinstance(each, dict):
            found += marked_patterns(each.values())
    return found
