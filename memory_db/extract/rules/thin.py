"""Whether words of the user that a model quotes say too little to be kept unasked.

In: an exchange, the words that are quoted of it and what is told of them. Out: the reason in a few words, '' where they
say enough. Invariant: pure.
"""

from __future__ import annotations

import dataclasses
import re

from memory_db.extract.rules.backing import ACCEPTS, DENIES, GOES_AHEAD
from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.mended import reports_to_mend
from memory_db.extract.rules.prose import READ_CHARACTERS, ProseFinding, joined, judge, spelt_out, tables_of_all
from memory_db.extract.rules.surroundings import bonus_of, is_taken_up
from memory_db.extract.rules.unfit import SETS_VALUE
from memory_db.text.acknowledging import is_acknowledgement
from memory_db.text.attribute_values import Settings, settings_of
from memory_db.text.sentences import split
from memory_db.text.statements import reading

ENOUGH, ENOUGH_AT_FIRST = 2, 3
"""Points of its cues and its surroundings from which a sentence says enough, and one of a first message.

Source: ours; of what readers say is worth knowing in the seen half of bench/data/sessions 4 in 5 have as many, of what
they say is not 1 in 2, mostly for another reason.
"""

DOUBTED = -3
"""Points up to which a sentence is of the moment, whatever values it has. Source: ours, as above."""

OFFSET = 30
"""What is added so that a sentence without any cue is judged at all, and taken off again."""

OF_TROUBLE = frozenset({"date", "host", "number", "path", "share", "time", "weekday"})
"""Sorts of values with which the trouble is told that a session begins with."""

OF_ANYTHING = frozenset({"date", "month", "number", "share", "weekday"})
"""Sorts of values that small talk has too: they speak for words that set or change something."""

EVERYDAY = frozenset(
    "black bun cookies dark express fetch first fish fly last light nose oracle requests second solid teams".split()
)
"""Names of tools and the like that are words of every day as well."""

IDLE_TALK = frozenset({"off the subject", "only now"})
"""Cues of small talk and of the moment, which only a value that is no chance outweighs."""

CONFIRMS = re.compile(
    r"^\W*(?:(?:oh|ah|uh|hm+|so|well)\W+)*(?:you(?:'re| are)(?: \w+)? right|(?:oh,? )?the (?:former|latter)\b|"
    r"jep|jup|that's (?:it|why|the (?:cause|reason|one))|thats (?:it|why))",
    re.IGNORECASE,
)
"""How a sentence begins that takes an explanation or one of two ways of the agent, beside what begins a message so."""

FEWEST_CONFIRMED = 3
"""Distinctive words of what is told that stood in what the agent said. Source: ours."""

MUCH_SHARED = 5
"""Distinctive words that what is told shares with words which a memory was made of, so that it is of the same matter.

Source: ours; with fewer six of what readers call not worth keeping came in for the sake of the rest of a message.
"""

MOST_IN_BRACKETS = 200
"""Characters on either side of words in which their brackets stand. Source: ours."""

HOLDS_ON = re.compile(
    r"\bhenceforth\b|\bno longer\b|\bbecause\b|\bso that\b|\bmust (?:not|never|stay|always)\b|\botherwise\b|"
    r"\b(?:nobody|no one|no-one|nothing) else\b|\b(?:whichever|whoever|whatever) \w+|\bthat(?:'s| is) why\b|"
    r"(?<!ever )\bsince (?:they|it|we|our|he|she)\b|, since the\b|\bthe (?:deal|rule|agreement|promise|habit)\b|"
    r"\bevery \w+ (?:gets|has|needs|goes|comes)\b|\bonly (?:on )?\w+days?\b|\bno \w+ of (?:ours|mine)\b|"
    r"\b(?:nobody|no one|never) (?:\w+ ){0,4}ever\b|\bnot only (?:in|on|with|here|there)\b|"
    r"\blike (?:all )?the (?:others?|older ones?|rest)\b|"
    r"\bfrom (?:(?:next|this|the) )?(?:now|then|here|today|tonight|tomorrow|\w+day|week|month|\d\w*) on(?:wards?)?\b|"
    r"^\W*(?:everything|anything) (?!(?:is|was|are|works?|fails?|broke)\b)\w|"
    r"\b(?:everything|anything|whatever) (?:else )?(?:i|we)\b|"
    r"\b(?:in|for) (?:all|each|every one) (?:of )?(?:my|our)\b",
)
"""Words that say for how long, how widely or for which reason others hold."""

HANDED_OVER = re.compile(
    r"\b(?:they|he|she|somebody|someone|the \w+) (?:(?:has|have|just|also) )*(?:sent|mailed|gave|given|handed"
    r"|forwarded) (?:me |us )?(?:an?|the|this|these|some|another)\b"
)
"""Something to work with that somebody brought."""

LISTED = re.compile(r"\?[^?]{0,300}\b1\b[^?]*\b2\b[^?]*$", re.DOTALL)
"""How what the agent said ends that asks, and numbers what may be answered. Source: ours."""

CHOSEN = re.compile(
    r"^\W*(?:\d(?![.%]\d|%)|the (?:first|second|third|last))\b"
    r"(?! (?:of|min|minutes?|sec|seconds?|hours?|days?|weeks?|months?|years?|users?)\b)"
)
"""How a message begins that takes one of several."""

ASIDE = "said by the way, in brackets"
IN_WORK = "trouble that was to be mended, and may be over"
SAYS_LITTLE, IS_TROUBLE = "nothing in its words says that it lasts", "what a session began with, which may be over"


def thin(exchange: Exchange, quote: str, told: str = "") -> str:
    """Why words say too little; '' where a cue, a value, a question that they answer or an edit speaks for them.

    `told` is what a model makes of them: where the user says yes to what the agent said, that is what they mean.
    """
    lower = spelt_out(quote)
    start = exchange.message.prose[:READ_CHARACTERS].find(quote)
    found = findings(exchange, start, start + len(quote)) if start >= 0 else []
    points = max((one.points for one in found), default=0)
    if (
        answers(exchange, start, lower)
        or SETS_VALUE.match(lower)
        or is_taken_up(exchange, lower)
        or confirms(exchange, quote, told)
    ):
        return ""
    reason = IS_TROUBLE if exchange.is_first else SAYS_LITTLE
    holds_on = HOLDS_ON.search(lower) is not None
    if reports_to_mend(exchange, quote) and not holds_on:
        return IN_WORK
    if is_in_brackets(exchange.message.prose, quote) and not settings_of(quote.lower()).values and not holds_on:
        return ASIDE
    if found and points <= DOUBTED and not holds_on:
        return reason
    if exchange.message.is_remark or has_value(exchange, settings_of(quote.lower()), found):
        return reason if HANDED_OVER.search(lower) else ""
    if start < 0 or holds_on:
        return ""
    is_enough = points >= (ENOUGH_AT_FIRST if exchange.is_first else ENOUGH)
    return "" if found and is_enough and (says_something(found) or not is_idle(found)) else reason


def is_in_brackets(said: str, quote: str) -> bool:
    """Whether words stand within round brackets, beside what a sentence says."""
    at = said.find(quote)
    before, behind = said[max(0, at - MOST_IN_BRACKETS) : at], said[at + len(quote) :][:MOST_IN_BRACKETS]
    if at < 0:
        return False
    inner = quote.strip().removeprefix("(").removesuffix(")")
    is_open = before.rfind("(") > before.rfind(")") or quote.startswith("(")
    is_closed = 0 <= behind.find(")") < (behind.find("(") if "(" in behind else MOST_IN_BRACKETS) or quote.endswith(")")
    return is_open and is_closed and "(" not in inner and ")" not in inner


def opens_at(exchange: Exchange) -> int:
    """Where the first word of a message stands."""
    prose = exchange.message.prose
    return len(prose) - len(prose.lstrip("\x00 \n"))


def answers(exchange: Exchange, start: int, lower: str) -> bool:
    """Whether words answer what the agent asked last: they open the message, or take up a word of the question."""
    before = exchange.said_before.rstrip("*_`) \n")
    if not before.endswith("?"):
        return LISTED.search(before) is not None and CHOSEN.match(lower) is not None and start == opens_at(exchange)
    said = exchange.message.prose[:READ_CHARACTERS]
    opening = [one for one in split(said) if not is_acknowledgement(one.text)][:1]
    if start < 0 or not opening or start < opening[0].end:
        return True
    return not reading(lower).terms.isdisjoint(reading(split(exchange.said_before)[-1].text).terms)


def confirms(exchange: Exchange, quote: str, told: str) -> bool:
    """Whether the user says yes to what the agent said just before, and that is what is told."""
    common = reading(told).terms & reading(exchange.said_before).terms
    if len(common) < FEWEST_CONFIRMED:
        return False
    said = [one.text for one in split(quote)]
    agrees = any(each.search(one) for one in said for each in (ACCEPTS, GOES_AHEAD, CONFIRMS))
    return agrees and DENIES.search(said[0]) is None


def has_value(exchange: Exchange, found: Settings, sentences: list[ProseFinding]) -> bool:
    """Whether words have a value that is there by no chance."""
    sorts = found.values.keys() - (OF_TROUBLE if exchange.is_first else frozenset())
    own = {sort for sort in sorts if not found.values[sort] <= EVERYDAY}
    if own - OF_ANYTHING:
        return True
    return bool(own) and (found.tells_change or found.is_conditional) and not is_idle(sentences)


def is_idle(found: list[ProseFinding]) -> bool:
    """Whether a sentence is small talk or of the moment."""
    return any(not IDLE_TALK.isdisjoint(one.cues) for one in found)


def says_something(found: list[ProseFinding]) -> bool:
    """Whether a cue of its own, and not only what stands around it, speaks for one of the sentences."""
    return any(not IDLE_TALK.issuperset(one.cues) for one in found)


def findings(exchange: Exchange, start: int, end: int) -> list[ProseFinding]:
    """What the cues say of the sentences of a span; nothing of one that something vetoes."""
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
    return found


def is_of_same(told: str, quote: str) -> bool:
    """Whether what is told is in the words that a memory was made of, and not only a few beside them."""
    terms = reading(told).terms
    return len(terms & reading(quote).terms) >= min(MUCH_SHARED, len(terms))
