"""Whether two long texts that share a word speak of the same thing where they share it.

In: texts, clauses, words. Out: yes or no. Invariant: pure. A short text is of one matter; a long message has several,
and that a word of one stands in another tells little: there the words around it have to agree too.
"""

from __future__ import annotations

import re

from memory_db.text.attribute_values import IDLE, QUALIFIERS
from memory_db.text.changed_attributes import MOST_OF_ONE_MATTER
from memory_db.text.clauses import OF_MANY, OF_TIME, SAID_OF_ALL, is_used, numbers_of
from memory_db.text.languages import ENGLISH
from memory_db.text.moved import flat
from memory_db.text.opposites import GROUP_OF
from memory_db.text.statements import Clause, answered, own_words, reading, stem, stems

FEWEST_TELLING = 2
"""Telling words that two clauses of long texts share, if they are to clash. Source: ours."""

SENTENCE = re.compile(r"(?<=[.!?;])\s+")

FEWEST_CHARACTERS = 2
"""Characters of a word, that is no number, which names something that could be over."""

NOBODY = ENGLISH | {"one", "an", "it", "that", "those"}
"""Words that name nothing that could be over."""

OF_CHANGE = frozenset(map(stem, IDLE))
"""Words that say that something changes, and not what."""

AGREES = re.compile(
    r"\W*(?:yes|yep|yeah|yup|ok|okay|sure|right|exactly|agreed|good|great|fine|do (?:it|that|so)|go ahead|please do"
    r"|ja|genau|oui|sí|si|sì|sim|tak|да|好|是|はい|네)(?![\w-])",
    re.IGNORECASE,
)
"""How an answer begins that takes up what was asked or done."""

IDENTIFYING = frozenset(
    stem(word) for word, group in GROUP_OF.items() if group not in OF_MANY and group not in QUALIFIERS
)
"""Names of tools, which mean the same thing wherever they stand."""


def claimed(text: str) -> str:
    """What a text claims: without the words that it answers, unless it takes them up."""
    asked, said = answered(text)
    return text if asked and AGREES.match(said) else said


def over_words(phrase: str) -> frozenset[str]:
    """The distinctive words of what is called over, all of them where none is; none where it names nothing."""
    gone = frozenset(stems(phrase)) or frozenset(phrase.split()) - NOBODY
    return gone if any(len(word) >= FEWEST_CHARACTERS or word.isdigit() for word in gone) else frozenset()


def is_long(text: str) -> bool:
    """Whether a text has room for more than one matter, with what it answers and without its edit."""
    return len(own_words(text).split()) > MOST_OF_ONE_MATTER


def telling(words: frozenset[str]) -> frozenset[str]:
    """The words that tell what is spoken of: no numbers, units of time, verbs said of all things or of any change."""
    return words - numbers_of(words) - OF_TIME - SAID_OF_ALL - OF_CHANGE


def identifies(words: frozenset[str]) -> bool:
    """Whether one of some words means the same thing wherever it stands: a tool, a file, a flag, a name of code."""
    return any(word in IDENTIFYING or re.search(r"[a-z\d][._/][a-z\d]|^--?\w|^[/~]", word) for word in words)


def clash_on_one(one: Clause, other: Clause, later: str, earlier: str) -> bool:
    """Whether clauses of two texts that clash are about the same.

    In long texts by two telling words, or one that tells it by itself. A later clause that says itself that something
    changed, or gives a measure, needs one, if its text is short or shares another.
    """
    if not is_long(later) and not is_long(earlier):
        return True
    common = (one.terms | one.rejected) & (other.terms | other.rejected)
    shared = telling(common)
    if len(shared) >= FEWEST_TELLING or identifies(shared):
        return True
    is_measured = bool(common & OF_TIME) and bool(numbers_of(common))
    is_elsewhere = bool(telling(reading(later).terms & reading(earlier).terms) - shared)
    return bool(shared) and (one.is_new or is_measured) and (not is_long(later) or is_elsewhere)


def gone_of_one(phrase: str, gone: frozenset[str], later: str, earlier: str) -> bool:
    """Whether a sentence of an earlier text that names what a later one calls over is about what that one is about.

    Two words that tell it are enough, that it is used ("we use dayjs"), and between short texts any.
    """
    is_told = len(telling(gone)) >= FEWEST_TELLING or identifies(gone)
    if is_told or is_used(phrase, earlier) or not (is_long(later) or is_long(earlier)):
        return True
    fewest = FEWEST_TELLING - len(telling(gone))
    around = [reading(each).terms for each in sentences(later) if phrase in flat(each)]
    spoken = frozenset().union(*around) if around else reading(later).terms
    for sentence in sentences(earlier):
        terms = reading(sentence).terms
        named = gone & (terms | frozenset(re.findall(r"[\w']+", sentence.casefold())))
        if named and len(telling(spoken & terms) - gone) >= fewest:
            return True
    return False


def sentences(text: str) -> list[str]:
    """The sentences of what a text itself says; of one that answers a question, with the question."""
    asked, said = answered(own_words(text).replace("`", ""))
    first, *more = SENTENCE.split(said)
    return [f"{asked} {first}".strip(), *more]
