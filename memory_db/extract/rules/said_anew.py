"""What is given anew in words that need what stands around them: an address behind the news that it is another one by
now, and a number in the place of another one, under the message of somebody else that says so.

In: an exchange, and what was found in its message. Out: further findings, each with a text that stands alone.
Invariants: pure; none overlaps what was found; what is asked about, or holds for a time, is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory_db.extract.rules.ends_soon import ends_soon
from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.frames import MOST_QUOTED, alone, done_before
from memory_db.extract.rules.negative_cues import VETOES
from memory_db.extract.rules.passing import is_taken_back
from memory_db.extract.rules.phrasing import stated, tidied
from memory_db.extract.rules.prose import MOST_WORDS, READ_CHARACTERS, ProseFinding, matching, spelt_out, word_count
from memory_db.extract.rules.questions import one_line
from memory_db.extract.rules.surroundings import ANSWER, MessageFinding
from memory_db.extract.rules.unfit import TASK_FOR_NOW, is_dropped, unfit
from memory_db.text.addresses import ADDRESS, RENEWS, addresses, tells_new_address
from memory_db.text.moved import flat
from memory_db.text.sentences import Sentence, split
from memory_db.text.statements import CHANGING, answered

ANOTHER_ADDRESS, ANOTHER_NUMBER = "another address", "another number"
"""The rules by which these are found."""

ADDRESS_ALONE = re.compile(
    r"^\W*(?:(?:ok|so|and|then|it|it's|its|it is|is|that's|now|use|take|try|at|on|to|the|new|one|this|address|host|is"
    rf"|called|lives|please)\W+)*{ADDRESS.pattern}(?:\W+(?:now|instead|then|please|it is|from now on))*\W*$"
)
"""A sentence that says an address and nothing of what."""

NUMBER = r"\d[\d.,]*\d|\d"

NOW_NOT = re.compile(
    rf"^\W*(?:(?:so|ok|and|but|then|which means|meaning|it's|its|that's|we have|make it|only|the limit is)\W+)*"
    rf"(?P<new>{NUMBER})(?: ?[a-z%]{{1,12}})?(?: now| from now on| then)?,? (?:and )?"
    rf"(?:not|no longer|instead of|rather than|in place of) (?P<old>{NUMBER})(?: ?[a-z%]{{1,12}})?"
    r"(?: now| from now on| any ?more| any longer)?\W*$"
    rf"|^\W*(?:(?:so|ok|and|but|then)\W+)*(?:not )?(?P<was>{NUMBER})(?: ?[a-z%]{{1,12}})? (?:is over"
    rf"|is history|any ?more|"
    rf"is gone),? (?:but |it's |so |now )*(?P<now>{NUMBER})(?: ?[a-z%]{{1,12}})?(?: now| from now on)?\W*$"
)
"""A sentence that gives a number in the place of another one, and nothing of what."""

ORDERS = re.compile(
    r"\b(?:never|always|must|do not|don't|please|you (?:should|have to)|from now on you|reply|click"
    r"|run)\b",
    re.IGNORECASE,
)
"""How somebody else's words order something: none of those is told as what a number is of."""

QUOTE_MARK = re.compile(r"^[ \t]*>+ ?", re.MULTILINE)

END = re.compile(r"(?<=[.!?])\s+|\n{2,}")

MOST_SHOWN = 160
"""Characters of the longest sentence of somebody else that tells what a number is of. Source: ours."""


def said_anew(exchange: Exchange, found: Sequence[MessageFinding]) -> list[MessageFinding]:
    """The findings of a message in order, with what it gives anew, and that told with what it is about."""
    prose = exchange.message.prose[:READ_CHARACTERS]
    if is_dropped(exchange):
        return list(found)
    sentences = split(prose, with_values=True)
    told = [with_what_it_is_of(exchange, prose, one, sentences) for one in found]
    taken = [(one.finding.start, one.finding.end) for one in told]
    free = [one for one in sentences if all(one.end <= start or one.start >= end for start, end in taken)]
    made = [*new_addresses(exchange, prose, free), *new_numbers(exchange, prose, free)]
    return sorted([*told, *made], key=lambda one: one.finding.start)


def with_what_it_is_of(
    exchange: Exchange, prose: str, one: MessageFinding, sentences: Sequence[Sentence]
) -> MessageFinding:
    """What was found, with what it is of where it is no more than a new address or a number in the place of another."""
    if answered(one.text)[0]:
        return one
    own = [each for each in sentences if each.start < one.finding.end and one.finding.start < each.end]
    for made in (*new_addresses(exchange, prose, own), *new_numbers(exchange, prose, own)):
        is_all = made.finding.start <= one.finding.start and one.finding.end <= made.finding.end
        if is_all and answered(made.text)[0]:
            return MessageFinding(one.finding, made.text, one.core)
    return one


def new_addresses(exchange: Exchange, prose: str, free: Sequence[Sentence]) -> Iterator[MessageFinding]:
    """The sentences that say of an address that it is the new one of something, with the one before where that does."""
    for number, one in enumerate(free):
        before = free[number - 1] if number else None
        first = one
        if not tells_new_address(one.text):
            is_behind = before is not None and before.paragraph == one.paragraph and tells_change(before.text)
            if before is None or not is_behind or ADDRESS_ALONE.match(flat(one.text)) is None:
                continue
            first = before
        quote = prose[first.start : one.end]
        lower = spelt_out(first.masked if first is one else f"{first.masked} {one.masked}")
        if not is_news(exchange, quote, lower, prose[one.end :]):
            continue
        text = with_command(exchange, alone(exchange, stated(quote), lower, is_enough=False), quote)
        if text:
            finding = ProseFinding(
                first.start, one.end, quote, "environment", ANOTHER_ADDRESS, ANSWER, (ANOTHER_ADDRESS,)
            )
            yield MessageFinding(finding, text)


def tells_change(text: str) -> bool:
    """Whether a sentence without an address says that something changed."""
    said = flat(text)
    return not said.endswith("?") and (CHANGING.search(said) or RENEWS.search(said)) is not None


def is_news(exchange: Exchange, quote: str, lower: str, behind: str) -> bool:
    """Whether nothing speaks against keeping words that give something anew."""
    if "\x00" in quote or word_count(lower) > MOST_WORDS or any(matching(VETOES, lower, "user", False)):
        return False
    if ends_soon(quote) or is_taken_back(quote, behind):
        return False
    return unfit(exchange, quote) in ("", TASK_FOR_NOW)


def with_command(exchange: Exchange, text: str, quote: str) -> str:
    """A text on a new address with the command that failed right before with the old one, if one did."""
    action = exchange.action
    if action is None or not action.is_error or text.startswith("When the agent"):
        return text
    old, new = addresses(flat(action.target)), addresses(flat(quote))
    is_of_it = any(each.label == other.label or each.domain == other.domain for each in old for other in new)
    return f"{done_before(action)}, the user said: {tidied(stated(quote))}" if is_of_it else text


def new_numbers(exchange: Exchange, prose: str, free: Sequence[Sentence]) -> Iterator[MessageFinding]:
    """The sentences that give a number in the place of another one, with what the message shows above them."""
    for one in free:
        lower = spelt_out(one.masked)
        match = NOW_NOT.match(lower)
        if match is None or not is_news(exchange, one.text, lower, prose[one.end :]):
            continue
        new = match["new"] or match["now"]
        shown = shown_above(exchange, one, {new, match["old"] or match["was"]})
        if shown:
            text = f'On "{shown}", the user said: {one_line(one.text)}'
            finding = ProseFinding(one.start, one.end, one.text, "domain", ANOTHER_NUMBER, ANSWER, (ANOTHER_NUMBER,))
            yield MessageFinding(finding, text)


def shown_above(exchange: Exchange, one: Sentence, numbers: set[str]) -> str:
    """The sentence above one in its message that has one of some numbers, behind how the message begins; '' if none."""
    offset = exchange.message.offset
    above = QUOTE_MARK.sub("", str(exchange.message.entry["text"])[offset : offset + one.start])
    told = [one_line(each).replace('"', "'") for each in END.split(above) if each.strip()]
    named = [each for each in told if numbers & set(re.findall(NUMBER, each))]
    fit = [each for each in named if len(each) <= MOST_SHOWN and ORDERS.search(each) is None]
    if not fit:
        return ""
    begins = "" if told[0] == fit[-1] or len(told[0]) > MOST_SHOWN or ORDERS.search(told[0]) else f"{told[0]} "
    return f"{begins}{fit[-1]}"[:MOST_QUOTED]
