"""Whether a prompt asks something, and whether it asks only to know.

In: a text. Out: yes or no. Pure: no database, no clock.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import re

from memory_db.records import later
from memory_db.text.terms import WORD

ASKING = frozenset(
    "what which who whom whose where when why how wie was wer wo wann warum welche welcher welches comment quel quelle"
    " où quand pourquoi qui qué cuál cómo dónde cuándo".split()
)
"""Words that open a question, whether or not it ends in its mark."""

REQUESTING = frozenset("can could will would shall should may might please let".split())
"""Words that open a request in the form of a question, or the question whether to do something."""


def is_question(text: str) -> bool:
    """Whether a text ends in a question mark."""
    return text.rstrip(" \n\t\"')").endswith(("?", "？"))


def asks(text: str) -> bool:
    """Whether a prompt is a question by its mark or its first word."""
    first = WORD.search(text.casefold())
    return is_question(text) or (first is not None and first.group() in ASKING)


def asks_for_something(text: str) -> bool:
    """Whether a prompt opens as a request: "can you ...", "please ..."."""
    first = WORD.search(text.casefold())
    return first is not None and first.group() in REQUESTING


def asks_to_know(text: str) -> bool:
    """Whether a prompt asks to know something, and not, in the form of a question, for something to be done."""
    return asks(text) and not asks_for_something(text)


ASKED_FOR = (
    r"(?:port|version|limit|number|size|rate|interval|timeout|budget|branch|host|address|url|day|time|hour|date|month|"
    r"year|price|name)s?"
)

VALUE_ASKED = later(
    r"\b(?:how (?:long|many|much|often|big|large|small|far|high|low|old|late|early|fast)"
    rf"|(?:what|which) {ASKED_FOR}|what(?:'s| is| are) (?:the|our|my) (?:[\w-]+ ){{0,3}}{ASKED_FOR}"
    r"|when (?:do|does|did|is|are|was|were|can|could|should|shall|will|would|may|must|has|have))\b",
    re.IGNORECASE,
)
"""How somebody asks for a number, a name or a day."""

VALUE = later(r"\d|`|\w[/.@]\w|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|--\w", re.IGNORECASE)


def has_asked_value(question: str, text: str) -> bool:
    """Whether a question asks for a value, and a text has one: a number, something to the letter, a weekday."""
    return asks_for_value(question) and has_value(text)


def asks_for_value(question: str) -> bool:
    """Whether a question asks for a number, a name or a day."""
    return VALUE_ASKED.search(question) is not None


def has_value(text: str) -> bool:
    """Whether a text has a number, something to the letter, or a weekday."""
    return VALUE.search(text) is not None
