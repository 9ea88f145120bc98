"""A sentence with a question mark that states something, as a statement: a proposal that was taken up, a question tag.

In: a sentence of a message and its exchange. Out: the sentence, perhaps without its mark or its tag. Invariants: pure;
a sentence stays a slice of its message.
"""

from __future__ import annotations

import re

from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.prose import spelt_out
from memory_db.extract.rules.surroundings import is_taken_up
from memory_db.text.quoting import OPENS_QUESTION
from memory_db.text.sentences import Sentence

PROPOSES = re.compile(
    r"^(?!(?:what|how|why|when|where|which|who|is|are|does|do|did|can|could|should)\b).*, \d[\d.]*\?$"
)
"""How somebody proposes a value."""

NOD = re.compile(
    r",? (?:(?:that |it |which )?(?:makes|make) sense,? (?:no|right|yes|or)"
    r"|(?<=[,;] )(?:(?:that |it )?makes sense|ok|okay|agreed|understood|got it|get it|clear|you know|you see|remember"
    r"|if you (?:see|get|know) what i mean|vale|entendido"
    r"|d'accord|capito|alles klar|verstanden))\s*\?\s*$",
    re.IGNORECASE,
)
"""What asks at the end of a statement for no more than a nod."""

CHECK = re.compile(
    r"(?<=[,;] )(?:no|right|correct|yes|yeah|eh|huh|innit|don't you think|verdad|ne|nicht|nicht wahr|gell|hein"
    r"|n'est-ce pas|né|vero|(?:is|are|was|were|do|does|did|has|have|ca|could|should|would|wo)n't (?:it|we"
    r"|they|you|he|she|i|that))"
    r"\s*\?\s*$",
    re.IGNORECASE,
)
"""What asks at the end of a statement whether it is so, unless that tells why it is or that it changed."""

IS_SURE_OF_IT = re.compile(
    r"\b(?:because|since (?:the|we|they|it|\w+day|last)|so that|otherwise|from now on|no longer|any ?more|used to"
    r"|before(?: that)?,? (?:it|that) was|instead of|until (?:last|now))\b",
    re.IGNORECASE,
)
"""Why something is so, or that it changed: whoever tells that knows it."""

FEWEST_TOLD = 4
"""Words of the shortest statement that has a tag. Source: ours."""


def as_told(exchange: Exchange, sentence: Sentence) -> Sentence:
    """A proposal whose value an edit took up ("a little less, 20?") and what has a tag ("..., ok?") as statements."""
    lower = spelt_out(sentence.masked)
    if PROPOSES.search(lower) and is_taken_up(exchange, lower):
        return sentence._replace(masked=sentence.masked.rstrip("? ").ljust(len(sentence.masked)))
    return without_tag(sentence)


def without_tag(sentence: Sentence) -> Sentence:
    """A statement without the question at its end that asks for no more than a nod."""
    tag = NOD.search(sentence.masked)
    if tag is None and IS_SURE_OF_IT.search(sentence.masked):
        tag = CHECK.search(sentence.masked)
    if (
        tag is None
        or OPENS_QUESTION.match(sentence.masked)
        or len(sentence.masked[: tag.start()].split()) < FEWEST_TOLD
    ):
        return sentence
    said = sentence.masked[: tag.start()].rstrip(" ,;")
    if "?" in said:
        return sentence
    return sentence._replace(end=sentence.start + len(said), text=sentence.text[: len(said)], masked=said)
