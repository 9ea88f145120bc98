"""Which of many patterns may match a text, by literals that they cannot match without.

In: patterns, then texts. Out: for each text the patterns that are worth trying. Invariant: a pattern that matches is
never left out; of one whose literals cannot be told, or that folds case, it is always said that it may.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from re import _constants as op  # type: ignore[attr-defined]  # the parser of `re` has no public name
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, TypeAlias

Words: TypeAlias = "frozenset[str]"
Key: TypeAlias = "tuple[str, ...]"
Entries: TypeAlias = "list[tuple[str, int]]"

MOST_WORDS = 600
"""Beginnings that are followed at once. Source: ours; the longest tables of cues list some 300 words."""

NEIGHBOURS = 4
"""How many characters in a row are looked up. Source: ours; of the words of all cues a sentence has the three rarest of
a hundred and the four rarest of half as many, and with five there are too many short words."""

KNOWN_TEXTS = 64
"""Texts that are kept as what `neighbours_in` makes of them: several sieves are asked about one sentence in turn."""

COMMON = "etaoinsrhldcumfpgwybvkxjqz '"
"""Characters, the most frequent in prose first."""

_RANKS = {each: rank for rank, each in enumerate(COMMON)}

_NOTHING: Words = frozenset({""})
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
_WITHOUT_WIDTH = (op.AT, op.ASSERT, op.ASSERT_NOT)


def literals_of(pattern: re.Pattern[str]) -> Words | None:
    """Words of which one stands in every text that a pattern matches; None where that cannot be told."""
    if pattern.flags & re.IGNORECASE:
        return None
    return needed(parser.parse(pattern.pattern, pattern.flags))


def needed(items: Iterable[Any]) -> Words | None:
    """Words of which one stands in whatever a sequence of the parser's items matches."""
    found: list[Words] = []
    run = _NOTHING
    for item, words in each_with_all(items):
        if words is not None and len(run) * len(words) <= MOST_WORDS:
            run = frozenset(one + other for one in run for other in words)
            continue
        found.append(run)
        run = words or _NOTHING
        if words is None and (inner := needed_by(item)) is not None:
            found.append(inner)
    best = max((*found, run), key=telling)
    return best if "" not in best else None


def telling(words: Words) -> tuple[int, int]:
    """How much words rule out: the shortest counts, then how few they are."""
    return min(6, min(map(len, words))), -len(words)


def needed_by(item: Any) -> Words | None:
    """Words of which one stands in whatever an item matches that does not match a few words alone."""
    kind, value = item
    if kind is op.SUBPATTERN:
        return None if value[1] & re.IGNORECASE else needed(value[3])
    if kind is op.ATOMIC_GROUP:
        return needed(value)
    if kind in _REPEATS:
        return needed(value[2]) if value[0] else None
    if kind is op.BRANCH:
        parts = [needed(branch) for branch in value[1]]
        return None if None in parts else frozenset().union(*(part for part in parts if part))
    return None


def all_of(item: Any) -> Words | None:
    """Everything that an item matches, where that is a few words; what has no width is taken for nothing."""
    kind, value = item
    if kind is op.LITERAL:
        return frozenset({chr(value)})
    if kind in _WITHOUT_WIDTH:
        return _NOTHING
    if kind is op.IN:
        members = [chr(member[1]) for member in value if member[0] is op.LITERAL]
        return frozenset(members) if len(members) == len(value) else None
    if kind is op.SUBPATTERN and not value[1] & re.IGNORECASE:
        return all_in(value[3])
    if kind is op.ATOMIC_GROUP:
        return all_in(value)
    if kind in _REPEATS and value[0] in (0, 1) and value[1] == 1:
        words = all_in(value[2])
        return words if words is None or value[0] else words | _NOTHING
    if kind is op.BRANCH:
        parts = [all_in(branch) for branch in value[1]]
        return None if None in parts else bounded(frozenset().union(*(part for part in parts if part)))
    return None


def all_in(items: Iterable[Any]) -> Words | None:
    """Everything that a sequence matches, where that is a few words."""
    run: Words | None = _NOTHING
    for _, words in each_with_all(items):
        if words is None or run is None:
            return None
        run = bounded(frozenset(one + other for one in run for other in words))
    return run


def each_with_all(items: Iterable[Any]) -> Iterator[tuple[Any, Words | None]]:
    """Each of the parser's items with everything that it matches; characters in a row count as one item."""
    word, last = "", None
    for item in items:
        if item[0] is op.LITERAL:
            word, last = word + chr(item[1]), item
            continue
        if word:
            yield last, frozenset({word})
            word = ""
        yield item, all_of(item)
    if word:
        yield last, frozenset({word})


def bounded(words: Words) -> Words | None:
    """Words, where they are few."""
    return words if len(words) <= MOST_WORDS else None


class Sieve:
    """Looks for the literals of some patterns in a text, all at once; made of them when first asked."""

    def __init__(self, patterns: Sequence[re.Pattern[str]]) -> None:
        self.patterns = patterns

    @cached_property
    def parts(self) -> tuple[int, Entries, dict[Key, Entries], frozenset[Key]]:
        """What may always match, short literals, the others by four of their characters, and these.

        A bit for each pattern; that of the first is the lowest.
        """
        always = 0
        bits: dict[str, int] = defaultdict(int)
        for place, pattern in enumerate(self.patterns):
            words = literals_of(pattern)
            always |= 0 if words else 1 << place
            for word in words or ():
                bits[word] |= 1 << place
        short: Entries = []
        long: dict[Key, Entries] = defaultdict(list)
        for word, those in bits.items():
            (short if len(word) < NEIGHBOURS else long[rarest(word)]).append((word, those))
        return always, short, dict(long), frozenset(long)

    def possible(self, text: str) -> int:
        """A bit for each pattern that may match a text, the lowest for the first."""
        found, short, long, keys = self.parts
        for word, bits in short:
            if word in text:
                found |= bits
        for key in keys & neighbours_in(text):
            for word, bits in long[key]:
                if bits & ~found and word in text:
                    found |= bits
        return found


@lru_cache(maxsize=KNOWN_TEXTS)
def neighbours_in(text: str) -> frozenset[Key]:
    """Every four characters that stand side by side in a text."""
    return frozenset(zip(text, text[1:], text[2:], text[3:], strict=False))


def rarest(word: str) -> Key:
    """The four neighbouring characters of a word that stand in the fewest texts, as far as letters tell."""
    ranks = [_RANKS.get(each, len(_RANKS) - 1) for each in word]
    sums = list(map(sum, zip(ranks, ranks[1:], ranks[2:], ranks[3:], strict=False)))
    at = sums.index(max(sums))
    return tuple(word[at : at + NEIGHBOURS])
