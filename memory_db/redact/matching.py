"""Where the shapes of the tables stand in a text: each literal is looked for by its rarest character.

In: a text. Out: each rule with its match, in no order. Invariant: a text costs linear time, and next to nothing where
no literal stands in it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache, cached_property

from memory_db.records import dataclass, later
from memory_db.redact.rules import INJECTIONS, RULES, WITH_A_RUN
from memory_db.redact.shape import Rule

# Characters that are rare in prose and code, the rarest first. A literal is looked for by one of these: an expression
# that begins with one character runs about twenty times as fast as one that begins with a choice.
_RARE = "JAGTSB_-:zkxwb/=fpgcs"
_Located = tuple[Rule, int]  # a rule, and how far from the rare character it begins

_SHORT = 4_000  # up to so many characters each literal is looked for by itself; above, one scan is faster


_RUN = later(r"[A-Za-z0-9_=+/.~:@-]{16}")
"""What every long token has; most lines have none, and the rules of `WITH_A_RUN` are not tried there."""


@dataclass(frozen=True, slots=True, eq=False)
class Gates:
    """The gates of a table, and those of them that a text without a long run can pass."""

    every: list[_Gate]
    without_runs: list[_Gate]


class _Gate:
    """One scan for all literals that share a rare character; group n of `pattern` stands for `rules[n - 1]`."""

    def __init__(self, fold: bool, needs_run: bool, anchor: str, literals: dict[str, list[Rule]]) -> None:
        self.fold, self.needs_run, self.anchor = fold, needs_run, anchor
        self.literals = dict(sorted(literals.items(), key=lambda item: -len(item[0])))  # the longest first

    def may_match(self, text: str) -> bool:
        """Whether the scan could find anything in a text with the anchor: most gates never need their pattern."""
        if len(text) > _SHORT:
            return True
        for literal in self.literals:  # noqa: SIM110  # `any` takes twice as long
            if literal in text:
                return True
        return False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        neighbours: set[str] = set()
        choices = []
        for literal in self.literals:
            before, _, after = literal.partition(self.anchor)
            choices.append(f"((?<={re.escape(before + self.anchor)})(?={re.escape(after)}))")
            neighbours.add(before[-1:])
        guard = "" if "" in neighbours else f"(?<=[{re.escape(''.join(neighbours))}]{re.escape(self.anchor)})"
        return re.compile(f"{re.escape(self.anchor)}{guard}(?:{'|'.join(choices)})")

    @cached_property
    def rules(self) -> list[tuple[_Located, ...]]:
        """The rules of each literal, and of those that can stand around the same rare character as well."""
        return [
            tuple(
                (rule, rule.offset - other.index(self.anchor))
                for other, sharing in self.literals.items()
                if self.overlap(literal, other)
                for rule in sharing
            )
            for literal in self.literals
        ]

    def overlap(self, one: str, other: str) -> bool:
        """Whether one text can have both literals around the same rare character, as EZAKIA has EZAK and AKIA."""
        (before, _, after), (ahead, _, behind) = one.partition(self.anchor), other.partition(self.anchor)
        both_before = before.endswith(ahead) or ahead.endswith(before)
        return both_before and (after.startswith(behind) or behind.startswith(after))


def _anchor(literal: str) -> str:
    return next((character for character in _RARE if character in literal), literal[0])


@cache
def _compiled(rule: Rule) -> re.Pattern[str]:
    """The rule's pattern, compiled when first needed: all of them at once would cost a hook more than its work."""
    return re.compile(rule.pattern, re.I if rule.fold else 0)


@cache
def _secret_gates() -> Gates:
    return _build_gates(RULES)


@cache
def injection_gates() -> Gates:
    """The gates of what an attack says."""
    return _build_gates(INJECTIONS)


def _build_gates(rules: tuple[Rule, ...]) -> Gates:
    """A gate for each rare character."""
    groups: dict[tuple[bool, bool, str], dict[str, list[Rule]]] = defaultdict(lambda: defaultdict(list))
    for rule in rules:
        for literal in rule.literals:
            groups[rule.fold, rule.name in WITH_A_RUN, _anchor(literal)][literal].append(rule)
    every = [_Gate(*shared, literals) for shared, literals in groups.items()]
    return Gates(every, [gate for gate in every if not gate.needs_run])


_SCANS = [(rule.pattern.lstrip("\\")[0], rule) for rule in RULES if not rule.literals]
RANK = {rule.name: rank for rank, rule in reversed(list(enumerate(RULES)))}


def matches(text: str, gates: Gates) -> Iterator[tuple[Rule, re.Match[str]]]:
    """Each rule of some gates with its match in a text."""
    # The one letter whose lower case is longer would move every place after it.
    folded = text.replace("İ", "i").lower()
    for gate in gates.every if _RUN.search(text) else gates.without_runs:
        hay = folded if gate.fold else text
        if gate.anchor not in hay or not gate.may_match(hay) or not (first := gate.pattern.search(hay)):
            continue
        resume: dict[Rule, int] = {}  # a run that a rule has taken is not tried again from within
        for hit in gate.pattern.finditer(hay, first.start()):
            for rule, offset in gate.rules[(hit.lastindex or 1) - 1]:
                start = hit.start() + offset
                if start >= resume.get(rule, 0) and (match := _compiled(rule).match(text, start)):
                    resume[rule] = match.end()
                    yield rule, match


def secret_matches(text: str) -> Iterator[tuple[Rule, re.Match[str]]]:
    """Each rule for secrets with its match in a text; rules without a literal are searched for."""
    yield from matches(text, _secret_gates())
    for first, rule in _SCANS:
        if first in text:
            for match in _compiled(rule).finditer(text):
                yield rule, match
