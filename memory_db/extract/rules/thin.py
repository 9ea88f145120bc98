"""Whether words of the user that a model quotes say too little to be kept unasked.

In: an exchange and the words that are quoted of it. Out: the reason in a few words, '' where they say enough.
Invariant: pure.
"""

from __future__ import annotations

import dataclasses

from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.prose import READ_CHARACTERS, ProseFinding, joined, judge, spelt_out, tables_of_all
from memory_db.extract.rules.surroundings import bonus_of, is_taken_up
from memory_db.extract.rules.unfit import SETS_VALUE
from memory_db.text.attribute_values import settings_of
from memory_db.text.sentences import split

ENOUGH, ENOUGH_AT_FIRST = 2, 3
"""Points of its cues and its surroundings from which a sentence says enough, and one of a first message.

Source: ours; of what readers say is worth knowing in the seen half of bench/data/sessions 4 in 5 have as many, of what
they say is not 1 in 2, mostly for another reason.
"""

OFFSET = 30
"""What is added so that a sentence without any cue is judged at all, and taken off again."""

OF_TROUBLE = frozenset({"date", "host", "number", "path", "share", "time", "weekday"})
"""Sorts of values with which the trouble is told that a session begins with."""

SAYS_LITTLE, IS_TROUBLE = "nothing in its words says that it lasts", "what a session began with, which may be over"


def thin(exchange: Exchange, quote: str) -> str:
    """Why words say too little; '' where a cue, a value, a question that they answer or an edit speaks for them."""
    lower = spelt_out(quote)
    values = settings_of(quote.lower()).values.keys() - (OF_TROUBLE if exchange.is_first else frozenset())
    if exchange.message.is_remark or values or is_taken_up(exchange, lower):
        return ""
    if exchange.said_before.rstrip("*_`) \n").endswith("?"):
        return ""
    start = exchange.message.prose[:READ_CHARACTERS].find(quote)
    if start < 0 or SETS_VALUE.match(lower):
        return ""
    best = strongest(exchange, start, start + len(quote))
    if best is not None and best.points >= (ENOUGH_AT_FIRST if exchange.is_first else ENOUGH):
        return ""
    return IS_TROUBLE if exchange.is_first else SAYS_LITTLE


def strongest(exchange: Exchange, start: int, end: int) -> ProseFinding | None:
    """The finding of most points in the sentences of a span; None where something vetoes all of them."""
    prose = exchange.message.prose[:READ_CHARACTERS]
    sentences = joined(split(prose), prose)
    tables = tables_of_all(sentences)
    found: list[ProseFinding] = []
    for number, sentence in enumerate(sentences):
        if sentence.start >= end or sentence.end <= start:
            continue
        bonus = bonus_of(exchange, sentence, is_opening=number == 0) + OFFSET
        after = exchange.action is not None
        made = judge(sentence, tables[number], role="user", after_action=after, bonus=bonus, fewest=1)
        if made is not None:
            found.append(dataclasses.replace(made, points=made.points - OFFSET))
    return max(found, key=lambda one: one.points, default=None)
