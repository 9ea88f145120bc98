"""The prefilter: rules are tried only where one of their literals stands.

In: a text. Out: matches of rules, not yet checked. Invariant: a text is turned into the set of its three neighbouring
characters once, which costs about 60 ns a character and rules nearly all literals out; only those left are searched
for, and a pattern is compiled when it is first needed. For the few texts of a short process the set is not worth it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from operator import add

from memory_db.packed import pattern
from memory_db.records import IGNORECASE
from memory_db.redact.rule import Rule

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    import re

_COMMON = "etaoinsrhldcumfpgwybvkxjqz /.\"':,_-="
"""Characters, the most frequent in prose and code first."""

_RANKS = {each: rank for rank, each in enumerate(_COMMON)}
_RARE = 39
"""The rank of a character, and of one that is not among them."""

PORTION = 1_500
"""Characters that are looked at together: few enough that most literals can be ruled out of each portion."""

UNSORTED = 16
"""Portions that are looked at before literals are sorted. Source: measured; to sort them takes as long as twenty."""

_Entry = tuple[str, bool, tuple[Rule, ...]]
"""A literal, whether it is looked for in small letters, and the rules that it may begin."""


@cache
def compiled(rule: Rule) -> re.Pattern[str]:
    """The rule's pattern, compiled when first needed: all of them at once would cost a hook more than its work."""
    made: re.Pattern[str] = pattern(rule.pattern, IGNORECASE if rule.fold else 0)
    return made


class Gate:
    """The literals of many rules, by the rarest three characters of each."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        sharing: dict[tuple[str, bool], list[Rule]] = defaultdict(list)
        for rule in rules:
            for literal in rule.literals:
                sharing[literal.lower() if rule.fold else literal, rule.fold].append(rule)
        self.all: list[_Entry] = [(literal, fold, tuple(those)) for (literal, fold), those in sharing.items()]
        self.beside = [rule for rule in rules if rule.beside]
        self.longest = max(len(literal) for literal, _ in sharing)
        self.looked_at = 0
        self.short: list[_Entry] = []
        self.entries: dict[tuple[str, ...], list[_Entry]] = {}
        self.keys: frozenset[tuple[str, ...]] = frozenset()

    def among(self, part: str) -> list[_Entry]:
        """The literals that may stand in a portion of a text in small letters: of the first texts those that do."""
        self.looked_at += 1
        if self.looked_at <= UNSORTED:
            return [entry for entry in self.all if entry[0].lower() in part]
        if not self.keys:
            self.sort()
        found = self.short[:]  # characters side by side are taken faster than texts of three
        for key in self.keys.intersection(zip(part, part[1:], part[2:], strict=False)):
            found += self.entries[key]
        return found

    def sort(self) -> None:
        """Sorts the literals by their rarest characters; threads that do so at once come to the same."""
        entries: dict[tuple[str, ...], list[_Entry]] = defaultdict(list)
        for entry in self.all:
            if len(entry[0]) >= 3:
                entries[_rarest(entry[0].lower())].append(entry)
        self.short = [entry for entry in self.all if len(entry[0]) < 3]
        self.entries, self.keys = entries, frozenset(entries)

    def matches(self, text: str) -> Iterator[tuple[Rule, re.Match[str]]]:
        """Where rules match, by their literals; in no order.

        For a short text no pattern is compiled that cannot match it for want of what stands beside its literal.
        """
        # The one letter whose lower case is longer would move every place after it.
        folded = text.replace("İ", "i").lower()
        resume: dict[tuple[str, Rule], int] = {}  # a run that a rule has taken is not tried again from within
        is_short = len(folded) <= PORTION
        idle = {rule for rule in self.beside if is_short and not any(each in folded for each in rule.beside)}
        for start in range(0, len(folded), PORTION):
            end = start + PORTION + self.longest - 1
            part = folded[start:end]
            for literal, fold, rules in self.among(part):
                hay = folded if fold else text
                at = hay.find(literal, start, end)
                while at >= 0:
                    for rule in rules:
                        first = at + rule.offset
                        if rule in idle or first < resume.get((literal, rule), 0):
                            continue
                        if match := compiled(rule).match(text, first):
                            resume[literal, rule] = match.end()
                            yield rule, match
                    at = hay.find(literal, at + 1, end)


def _rarest(literal: str) -> tuple[str, ...]:
    """The three neighbouring characters of a literal that stand in the fewest texts, as far as letters tell."""
    if len(literal) == 3:
        return tuple(literal)
    ranks = [_RANKS.get(each, _RARE) for each in literal]
    sums = list(map(add, map(add, ranks, ranks[1:]), ranks[2:]))
    at = sums.index(max(sums))
    return tuple(literal[at : at + 3])
