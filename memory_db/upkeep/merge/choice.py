"""Which of two rows that say the same is taken, and what comes of their columns. Pure.

In: two rows with one key, what they refer to as names. Out: the row that both become. Invariants: it does not matter
which row is the first; a row with itself stays as it is; of three rows it does not matter which two are joined first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memory_db.text.scrubbing import FORGOTTEN

Row = Mapping[str, Any]

REDACTED = "[redacted:"
"""How the mark of something begins that redaction took out."""


def joined(one: Row, other: Row, wins: Sequence[str], columns: Mapping[str, str]) -> dict[str, Any]:
    """The row that two become: the better one, with the columns that go by rules of their own."""
    names = sorted(one.keys() - columns.keys())
    best = one if is_better(one, other, wins, names) else other
    return dict(best) | {name: COLUMN_RULES[rule](one[name], other[name]) for name, rule in columns.items()}


def is_better(one: Row, other: Row, wins: Sequence[str], names: Sequence[str]) -> bool:
    """Whether the first of two rows is taken: by the rules, else as the greater text."""
    for rule in wins:
        how, _, name = rule.partition(" ")
        first, second = RANKS[how](one[name]), RANKS[how](other[name])
        if first != second:
            return bool(first < second if how in LEAST_WINS else first > second)
    return as_text(one, names) >= as_text(other, names)


def as_text(row: Row, names: Sequence[str]) -> str:
    """A row as one text."""
    return json.dumps([row[name] for name in names], default=bytes.hex)


def most(value: Any) -> tuple[bool, Any]:
    """The rank of a value of which the greatest wins: none is the least."""
    return (value is not None, 0 if value is None else value)


def least(value: Any) -> tuple[bool, Any]:
    """The rank of a value of which the smallest wins: none is the greatest."""
    return (value is None, 0 if value is None else value)


RANKS: Mapping[str, Callable[[Any], Any]] = {
    "largest": most,
    "latest": most,
    "smallest": least,
    "earliest": least,
    "has": lambda value: value is not None,
    "done": lambda value: value == "done",
    "shortest": lambda value: len(value or ""),
    "most_redacted": lambda value: (value or "").count(REDACTED),
    "most_forgotten": lambda value: (value or "").count(FORGOTTEN),
}
"""What is compared of a column, by the first word of a rule."""

LEAST_WINS = ("smallest", "earliest", "shortest")


def earliest(one: Any, other: Any) -> Any:
    """The smaller of two values, of which none is no value."""
    return min((each for each in (one, other) if each is not None), default=None)


def latest(one: Any, other: Any) -> Any:
    """The greater of two values, of which none is no value."""
    return max((each for each in (one, other) if each is not None), default=None)


def scrubbed(one: str, other: str) -> str:
    """Of two texts the one of which words were taken out; nothing of them where other words are out of each."""
    marked = {text for text in (one, other) if FORGOTTEN in text}
    if len(marked) > 1:
        return FORGOTTEN
    return marked.pop() if marked else better_text(one, other)


def better_text(one: str, other: str) -> str:
    """Of two texts the one with more redacted, else the greater."""
    return max(one, other, key=lambda text: (text.count(REDACTED), text))


COLUMN_RULES: Mapping[str, Callable[[Any, Any], Any]] = {"earliest": earliest, "latest": latest, "scrubbed": scrubbed}
"""What comes of two values of a column, by the name of its rule."""
