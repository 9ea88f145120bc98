"""Another number for what an earlier text sets, where the later one names the old number only in what it answers, or
gives the new one to the same thing.

In: two texts. Out: the new number and the old one, '' where there is none. Invariant: pure, and linear in the length
of the texts.
"""

from __future__ import annotations

import re

from memory_db.text.addresses import BESIDES, SENTENCE
from memory_db.text.attribute_values import settings_of
from memory_db.text.moved import flat
from memory_db.text.statements import answered

NUMBER = re.compile(r"(?<![\w.:/#@-])(?P<number>\d{2,6})(?![\w:%/-]|[.,]\d)|(?<=[a-z\]]):(?P<port>\d{2,5})(?![\w:.])")
"""A bare number of more than one figure, or a port behind a host."""

YEAR = re.compile(r"(?:19|20)\d\d")

FEWEST_FIGURES = 4
"""Figures of the shortest number that tells by itself what it is of, as that of a port does. Source: ours."""

ONCE = re.compile(
    r"\b(?:for (?:now|today|this|the (?:moment|run|test|demo))|just (?:this )?once|temporar\w+|meanwhile|until|while|"
    r"on (?:my|your) (?:machine|box|laptop))\b"
)
"""How a number is given that does not hold from now on."""


ON_THE_THING = re.compile(
    r"\W*?(?P<new>(?<!\w)-?\d+(?:\.\d+)?) ?(?:[a-z%]{1,4} )?(?:on|for|in|at) (?:the|our) (?P<what>[a-z][\w-]{2,19})\b"
    r"(?! (?:this|today|tonight|tomorrow)\b)"
)
"""How a sentence begins that gives a thing its number."""

STANDS_AT = (
    r"\b(?:the|our) (?:[\w-]+ ){{0,2}}{0} (?:is|stays|sits|stands|runs|remains|goes)(?: only| always)?(?: at| on| to)? "
    r"(?P<old>-?\d+(?:\.\d+)?)\b"
)
"""How a text says at which number a thing stands."""

ALONE = re.compile(r"\W*\d{4,6}\W*")
"""A sentence that is a number and no more."""


def answered_value(later: str, earlier: str) -> str:
    """The number that the later text sets in the place of one that it answers and the earlier text sets."""
    asked, said = answered(flat(later))
    if not asked or not settings_of(later).is_statement:
        return ""
    known = answered(flat(earlier))[1]
    over = (numbers(asked) & numbers(known)) - numbers(said)
    changes = settings_of(said).tells_change
    for sentence in SENTENCE.split(said):
        if not changes and ALONE.fullmatch(sentence) is None:
            continue
        new = numbers(sentence) - numbers(asked) - numbers(known)
        if len(new) != 1 or BESIDES.search(sentence) or ONCE.search(sentence):
            continue
        number = new.pop()
        for old in sorted(over):
            if len(old) == len(number) and (tells_itself(old, number) or is_of_one(asked, sentence, known, old)):
                return f"{number}, was {old}"
    return ""


def number_of_thing(later: str, earlier: str) -> str:
    """The number that a sentence of the later text begins with for a thing that the earlier text has at another one.

    "-18 on the bus, she measured it" and "the master bus stays at -12 dB"; '' where there is none.
    """
    known = answered(flat(earlier))[1]
    for sentence in SENTENCE.split(answered(flat(later))[1]):
        given = ON_THE_THING.match(sentence)
        if given is None or not settings_of(sentence).is_statement or ONCE.search(sentence) or BESIDES.search(sentence):
            continue
        stands = re.search(STANDS_AT.format(re.escape(given["what"])), known)
        if stands is not None and stands["old"] != given["new"]:
            return f"{given['new']} on the {given['what']}, was {stands['old']}"
    return ""


def numbers(text: str) -> set[str]:
    """The numbers of a text that are no years."""
    found = {match["number"] or match["port"] for match in NUMBER.finditer(text)}
    return {number for number in found if not YEAR.fullmatch(number)}


def tells_itself(old: str, new: str) -> bool:
    """Whether numbers are so long that two texts which both have one speak of the same."""
    return len(old) >= FEWEST_FIGURES and len(new) >= FEWEST_FIGURES


def is_of_one(asked: str, said: str, known: str, old: str) -> bool:
    """Whether the sentence of an earlier text that has a number speaks of what is asked or said."""
    spoken = settings_of(asked).subject | settings_of(said).subject
    return any(
        not spoken.isdisjoint(settings_of(sentence).subject)
        for sentence in SENTENCE.split(known)
        if old in numbers(sentence)
    )
