"""The engine: where secrets stand in a text, by every table and in every view, and the text without them.

In: a text. Out: edits, or the text with them made. Invariants: what was replaced is not found again; a view's match
redacts the original characters that it stands for.
"""

from __future__ import annotations

import re
from functools import cache

from memory_db.records import later, replace
from memory_db.redact import personal, wanted
from memory_db.redact.checks import CHECKS, MARKER
from memory_db.redact.dense import LONG_TOKEN, dense_spans
from memory_db.redact.edits import Edit, Finding, splice
from memory_db.redact.gates import Gate, compiled
from memory_db.redact.rule import LAST_GROUP, Rule
from memory_db.redact.rules import RULES
from memory_db.redact.runs import entropy, long_runs
from memory_db.redact.unfold import View, is_folded, views
from memory_db.redact.vendors import NEARBY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Span = tuple[int, int, int]
"""Start, end, and rank of the rule by which it is named."""

BY_LOOK: tuple[tuple[str, str], ...] = (
    *((name, f"{name.replace('-', ' ').capitalize()}, where {' or '.join(vendors)} stands nearby. Source: gitleaks,"
             f" {name}.") for name, vendors, _, _ in NEARBY),
    (LONG_TOKEN, "Long token made by chance, beside a telling word. Source: measured, `runs.py`."),
)  # fmt: skip
"""Kinds that no literal begins: name and description."""

TAKEN_OUT: tuple[tuple[str, str], ...] = (
    *((rule.name, rule.description) for rule in RULES),
    *BY_LOOK,
    *((rule.name, f"If asked for: {rule.description[0].lower()}{rule.description[1:]}") for rule in personal.RULES),
)
"""Everything that may be taken out: name and description, in the order in which they name what they find."""

_NAMES = tuple(name for name, _ in TAKEN_OUT)
_RANK = {name: rank for rank, name in reversed(list(enumerate(_NAMES)))}
_CATEGORY = {rule.name: rule.category for rule in (*RULES, *personal.RULES)}

_SCANS = [(rule.pattern.lstrip("\\")[0], rule.needs, rule) for rule in RULES if not rule.literals]
_CHECKS = CHECKS | personal.CHECKS


@cache
def _gate() -> Gate:
    return Gate(RULES)


def _matches(text: str) -> Iterator[tuple[Rule, re.Match[str]]]:
    yield from _gate().matches(text)
    for first, needed, rule in _SCANS:
        if first in text and (not needed or needed in text):
            for match in compiled(rule).finditer(text):
                yield rule, match
    for rule in personal.RULES if wanted.is_on() else ():
        if rule.needs in text:
            for match in compiled(rule).finditer(text):
                yield rule, match


def _spans(text: str) -> Iterator[Span]:
    """What the rules find in a text as it stands."""
    for rule, match in _matches(text):
        start, end = match.span((match.lastindex or 0) if rule.group == LAST_GROUP else rule.group)
        value = text[start:end]
        is_dense = not rule.entropy or entropy(match[0]) >= rule.entropy
        if start < end and is_dense and MARKER.sub("", value) and _is_secret(rule, match, value):
            yield start, end, _RANK[rule.name]


_ENDS = later(r"(?<![.…])[.,;:!?)\]}*»”’。，—–]{1,2}\Z")
"""Signs that end a sentence or a quotation. Dots in a row stand for what is left out."""


def _is_secret(rule: Rule, match: re.Match[str], value: str) -> bool:
    """Whether a rule's check agrees on a value, as it stands or without the signs that end its sentence."""
    check = _CHECKS[rule.check]
    if check(match, value):
        return True
    bare = _ENDS.sub("", value)
    return bare != value and bool(MARKER.sub("", bare)) and check(match, bare)


def _long_spans(text: str, runs: list[tuple[int, int]]) -> Iterator[Span]:
    for start, end, name in dense_spans(text, runs):
        yield start, end, _RANK[name]


def _view_spans(text: str, view: View) -> Iterator[Span]:
    """What is found in a view, where it stands in the text. What a marker is part of has been found before."""
    found = list(_spans(view.text))
    if view.is_plain:
        found += _long_spans(view.text, long_runs(view.text))
    for first, last, rank in found:
        start, end = view.place(first, last)
        if start < end and "[redacted:" not in text[start:end]:
            yield start, end, rank


def _edits(text: str) -> list[Edit]:
    """The places to redact, sorted; where two overlap, one that covers both, named by the first rule of the table."""
    runs = long_runs(text)
    spans = list(_spans(text))
    if runs:
        spans += _long_spans(text, runs)
    if runs or is_folded(text):
        for view in views(text, runs):
            spans += _view_spans(text, view)
    return [
        Edit(start, end, f"[redacted:{_NAMES[rank]}]", _NAMES[rank], _CATEGORY.get(_NAMES[rank], "secret"))
        for start, end, rank in _merged(spans)
    ]


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end, rank in sorted(spans):
        if merged and start < merged[-1][1]:
            first, last, best = merged.pop()
            start, end, rank = first, max(end, last), min(rank, best)
        merged.append((start, end, rank))
    return merged


_PASSES = 20
_LONG, _NEAR = 20_000, 4_000  # of a text longer than the first, only what is so near a change is looked at again


def take_out(text: str, findings: list[Finding]) -> tuple[str, list[Finding]]:
    """The text with each secret replaced, and what was found, with what was found before."""
    edits = _edits(text)
    # A marker can give its neighbour an edge that a rule waits for, hence again until nothing more is found.
    for _ in range(_PASSES):
        if not edits:
            break
        text, findings = splice(text, edits, findings)
        edits = _edits(text) if len(text) <= _LONG else _edits_near(text, edits)
    return text, findings


def _edits_near(text: str, made: list[Edit]) -> list[Edit]:
    """The places to redact near changes that were made, by whole lines where these are not too long."""
    parts: list[tuple[int, int]] = []
    moved = 0
    for edit in made:
        at = edit.start + moved
        moved += len(edit.put) - (edit.end - edit.start)
        first = max(0, at - _NEAR)
        start = max(text.rfind("\n", max(0, first - _NEAR), first) + 1, first - _NEAR, 0)
        last = min(len(text), at + len(edit.put) + _NEAR)
        end = text.find("\n", last, last + _NEAR)
        end = min(len(text), last + _NEAR) if end < 0 else end
        if parts and start <= parts[-1][1]:
            start = parts.pop()[0]
        parts.append((start, end))
    return [
        replace(edit, start=edit.start + start, end=edit.end + start)
        for start, end in parts
        for edit in _edits(text[start:end])
    ]
