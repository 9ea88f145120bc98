"""Proof that a pattern can match no text without one of its marks.

In: a pattern, its marks, and where only some texts are asked about the characters that these have and how long their
words are. Out: whether each such text that it matches has a mark, as far as its letters tell.
"""

from __future__ import annotations

import itertools
import string
from collections.abc import Iterable
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

ANYTHING = "\0"
"""Stands in a wording for what the pattern leaves open."""

MOST_WORDINGS = 20_000

REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, getattr(codes, "POSSESSIVE_REPEAT", None))

IN_WORDS = frozenset(string.ascii_letters + string.digits + "_-+/=.")
"""Characters of which a run of so many is a longer word than the texts have that are asked about."""


class Proof:
    """What a text has that a pattern matches: one of some marks, or what the texts that are asked about have not."""

    def __init__(self, marks: tuple[str, ...], alphabet: frozenset[str] | None = None, longest: int = 0) -> None:
        self.marks, self.alphabet, self.longest = marks, alphabet, longest

    def holds(self, pattern: str, flags: int) -> bool:
        """Whether it is so for each text that a pattern matches."""
        return self.has(parser.parse(pattern, flags))

    def has(self, parts: Iterable[Any]) -> bool:
        """Whether whatever some parts of a pattern match has it: in one part, or where several follow each other."""
        known = list(parts)
        return any(map(self.part_has, known)) or all(
            any(mark in each for mark in self.marks) for each in self.sequence(known)
        )

    def part_has(self, part: tuple[Any, Any]) -> bool:
        """Whether whatever one part of a pattern matches has it."""
        code, value = part
        if code is codes.BRANCH:
            return all(map(self.has, value[1]))
        if code is codes.SUBPATTERN:
            return self.has(value[3])
        if code is codes.ASSERT:  # what it looks at stands in the text
            return self.has(value[1])
        if code in REPEATS:
            is_long = 0 < self.longest < value[0] and len(value[2]) == 1 and self.is_within_words(value[2][0])
            return is_long or (value[0] > 0 and self.has(value[2]))
        return self.is_foreign(part)

    def is_foreign(self, part: tuple[Any, Any]) -> bool:
        """Whether a character is none of the texts that are asked about, in whatever case."""
        code, value = part
        if self.alphabet is None or code not in (codes.LITERAL, codes.IN, codes.RANGE, codes.CATEGORY):
            return False
        if code is codes.IN:
            return all(map(self.is_foreign, value))
        if code is codes.CATEGORY:
            return value is codes.CATEGORY_DIGIT
        first, last = (value, value) if code is codes.LITERAL else value
        return not any(first <= ord(each) <= last for one in self.alphabet for each in (one, one.swapcase()))

    def is_within_words(self, part: tuple[Any, Any]) -> bool:
        """Whether a character stands within a word."""
        code, value = part
        if code is codes.IN:
            return all(map(self.is_within_words, value))
        if code is codes.CATEGORY:
            return value in (codes.CATEGORY_DIGIT, codes.CATEGORY_WORD)
        if code is codes.RANGE:
            return all(chr(each) in IN_WORDS for each in range(value[0], value[1] + 1))
        return code is codes.LITERAL and chr(value) in IN_WORDS

    def wordings(self, part: tuple[Any, Any]) -> set[str]:
        """The texts that a part of a pattern matches, each with one mark instead where it has one."""
        code, value = part
        if code is codes.LITERAL:
            return {chr(value).casefold()}
        if code is codes.IN and all(each[0] is codes.LITERAL for each in value):
            return {chr(each[1]).casefold() for each in value}
        if code is codes.IN and value == [(codes.CATEGORY, codes.CATEGORY_SPACE)] and self.alphabet is not None:
            return {each for each in self.alphabet if each.isspace()}
        if code in (codes.AT, codes.ASSERT, codes.ASSERT_NOT):
            return {""}
        if code is codes.BRANCH:
            return set().union(*map(self.sequence, value[1]))
        if code is codes.SUBPATTERN:
            return self.sequence(value[3])
        if code in REPEATS:
            least, most, repeated = value
            once = self.sequence(repeated)
            fewest = once if least < 2 else self.sequence(list(repeated) * min(least, 4))
            more = {a + ANYTHING + b for a, b in itertools.product(fewest, once)} if most > max(least, 1) else set()
            return fewest | more | ({""} if least == 0 else set())
        return {ANYTHING}

    def sequence(self, parts: Iterable[Any]) -> set[str]:
        """The texts that parts of a pattern match one behind the other; all that can be where they are too many."""
        found = {""}
        for each in parts:
            after = self.wordings(each)
            if len(found) * len(after) > MOST_WORDINGS:
                return {ANYTHING}
            found = {self.shorter(a + b) for a in found for b in after}
        return found

    def shorter(self, wording: str) -> str:
        """A mark that a wording has, else the wording."""
        return next((mark for mark in self.marks if mark in wording), wording)


def needs_a_mark(pattern: str, flags: int, marks: tuple[str, ...]) -> bool:
    """Whether each text that a pattern matches has one of some marks, once its letters are small."""
    return Proof(marks).holds(pattern, flags)


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
