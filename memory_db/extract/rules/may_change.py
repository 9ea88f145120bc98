"""Sentences that give something another value and have no cue to be kept for: news, if it was known otherwise.

In: an exchange, and what was found in its message. Out: further findings, by the rule `MAY_CHANGE`. Invariants: pure;
none overlaps what was found; nothing here says that it is worth knowing: the gate keeps it only where it changes what
is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory_db.extract.rules.ends_soon import ends_soon
from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.frames import alone
from memory_db.extract.rules.negative_cues import VETOES
from memory_db.extract.rules.passing import is_taken_back
from memory_db.extract.rules.phrasing import stated
from memory_db.extract.rules.prose import MOST_WORDS, READ_CHARACTERS, ProseFinding, matching, spelt_out, word_count
from memory_db.extract.rules.surroundings import EXACT, MessageFinding
from memory_db.extract.rules.unfit import FOR_THE_MOMENT, TASK_FOR_NOW, is_dropped, unfit
from memory_db.text.absence import tells_of_leave
from memory_db.text.attribute_values import settings_of
from memory_db.text.duties import tells_duty
from memory_db.text.pair_tests import MAY_CHANGE
from memory_db.text.sentences import Sentence, split
from memory_db.text.until_then import tells_end

MOST_FOUND = 3
"""Such findings of one message: one that has more tells a story. Source: ours."""

FEWEST_WORDS = 4
"""Words of the shortest sentence that says of what it gives a value. Source: ours."""

ASKS_BEHIND = re.compile(
    r",? (?:so|and|but),? (?:please )?(?:would|could|can|will|do|should) (?:you|we|i)\b.{0,200}\?\W*$", re.IGNORECASE
)
"""What is asked for behind the news: "it's KL-522, so would you change the tags?"."""


def changing(exchange: Exchange, found: Sequence[MessageFinding]) -> list[MessageFinding]:
    """What a message may change of what is known, besides what was found in it."""
    prose = exchange.message.prose[:READ_CHARACTERS]
    taken = [(one.finding.start, one.finding.end) for one in found]
    free = [
        sentence
        for sentence in split(prose, with_values=True)
        if all(sentence.end <= start or sentence.start >= end for start, end in taken)
    ]
    if not free or is_dropped(exchange):
        return []
    made = list(findings(exchange, prose, free))
    return made if len(made) <= MOST_FOUND else []


def findings(exchange: Exchange, prose: str, sentences: Sequence[Sentence]) -> Iterator[MessageFinding]:
    """The sentences that give another value, or tell that somebody left, each as a finding."""
    for sentence in sentences:
        asked = ASKS_BEHIND.search(sentence.masked)
        end = sentence.start + asked.start() if asked else sentence.end
        quote = prose[sentence.start : end]
        lower = spelt_out(sentence.masked[: end - sentence.start])
        if "\x00" in quote or not FEWEST_WORDS <= word_count(lower) <= MOST_WORDS or not tells_news(quote):
            continue
        if any(matching(VETOES, lower, "user", False)) or ends_soon(quote) or is_taken_back(quote, prose[end:]):
            continue
        if unfit(exchange, quote) not in ("", TASK_FOR_NOW, FOR_THE_MOMENT):
            continue  # a value that a task sets, or that is told by the way, may be another one than before
        text = alone(exchange, stated(quote), lower, is_enough=False, is_opening=sentence is sentences[0])
        if text:
            kind = "environment" if EXACT.search(quote) else "domain"
            yield MessageFinding(ProseFinding(sentence.start, end, quote, kind, MAY_CHANGE, 0, (MAY_CHANGE,)), text)


def tells_news(quote: str) -> bool:
    """Whether a sentence says that something is otherwise: it sets a value, or calls one over, or somebody left.

    So it does where it tells who does something by now, or that what others wait for has come.
    """
    said = settings_of(quote)
    is_news = said.tells_change and bool(said.values or said.gone) and said.is_statement
    return is_news or tells_of_leave(quote) or tells_duty(quote) or tells_end(quote)
