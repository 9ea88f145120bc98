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


CLAUSE = later(r"(?<=[.!?;:\n])[\s)\"']+|,\s+(?=(?:and|so|but|or)\b)|\s[-–—]\s")
"""Where one clause of a prompt ends."""

LED_IN = frozenset(
    "and but so ok okay hm hmm well oh also then or ah btw right cool good thanks thx now anyway".split()
)
"""Words before a question."""

WANTS_TO_KNOW = later(
    r"\b(?:remind me|tell me (?:what|which|who|where|when|why|how|if)|(?:do|can) you (?:know|remember|recall)"
    r"|i (?:forget|forgot|always forget|never remember)|(?:can't|cannot|don't) remember|help:)",
    re.IGNORECASE,
)
"""How somebody asks without a question."""


AUXILIARIES = frozenset("do does did is are was were can could should shall will would may must has have had".split())
"""Words by which "when" and "where" open a question and no other clause."""


def asks_within(text: str) -> bool:
    """Whether any clause of a prompt asks to know something: "i sit at the box. what do i curl"."""
    return asks_to_know(text) or bool(clauses_that_ask(text))


def clauses_that_ask(text: str) -> list[str]:
    """The clauses of a prompt that ask to know something, each with the one behind it, which says what is meant.

    "Which one was it?" goes with the one before it.
    """
    clauses = [each for each in CLAUSE.split(text) if each.strip()]
    asking = [place for place, each in enumerate(clauses) if opens_question(each) or WANTS_TO_KNOW.search(each)]
    return [" ".join(clauses[place - starts_before(clauses, place) : place + 2]) for place in asking]


def starts_before(clauses: list[str], place: int) -> int:
    """1 where a clause asks which one of what the clause before it is about, else 0."""
    return int(
        place > 0 and clauses[place].casefold().lstrip(" -").startswith(("which one", "what was it", "which was"))
    )


def opens_question(clause: str) -> bool:
    """Whether a clause asks to know something by its mark or its first words."""
    words = WORD.findall(clause.casefold())
    while words and words[0] in LED_IN:
        words = words[1:]
    if not words or words[0] in REQUESTING:
        return False
    if words[0] in ("when", "where"):
        return is_question(clause) or words[1:2] == [] or words[1] in AUXILIARIES
    return words[0] in ASKING or is_question(clause)


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
