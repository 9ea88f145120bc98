"""Lines that say the same in other words, and words in a line that say nothing to an agent.

In: texts. Out: whether two say the same; a text without its asides. Pure. Invariants: what differs in a number, a name
to the letter or in being allowed says something else; in doubt two texts differ, for one of them may be the new one.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

from memory_db.records import IGNORECASE, later
from memory_db.text.names.literals import literals_in
from memory_db.text.terms import STOP_WORDS, WORD

SHARED = 0.6
"""Share of the distinctive words of two texts that both must have to say the same.

Source: ours; in the sample "I make the commits" and "Never commit for me" share all, "No emojis, nor in commit
messages" a fourth.
"""

MOST_APART = 6
"""Distinctive words up to which a text is one short rule: a longer one may differ in the rest."""

FORBIDDING = later(
    r"\b(?:never|don't|dont|do not|doesn't|must not|mustn't|no|not|nor|without|mine|myself)\b"
    r"|\bi (?:make|do|run|push|commit|merge|deploy|apply|release|tag|write)\b",
    IGNORECASE,
)
"""Words of denial, and those by which somebody keeps a thing to do for themselves."""

FILLING = frozenset(
    """never always don doesn not no must should please prefer like want told tell said say day other myself mine own
    do does project projects every all any again already here everywhere rule thing things sure remember""".split()
)
"""Words by which a rule is put, whatever it is about."""

ENDINGS = ("ing", "ed", "es", "s")

ASIDES = later(
    r"(?:^|(?<=[.!?;,]))\s*(?:while we're here|by the way|btw|as i said(?: before)?|like i said"
    r"|i (?:already )?(?:told|said)(?: you)?(?: (?:that|this|so|it))?(?: (?:already|before|again|last time|yesterday"
    r"|the other day|in \w+ already))*(?: and it holds everywhere)?"
    r"|how (?:often|many times) do i have to (?:say|tell you|repeat) (?:it|this|that)"
    r"|please remember (?:that|this|it)|remember (?:that|this)(?= *[.!]?$))\s*(?:[,:!?.…-]+|(?=$))\s*",
    IGNORECASE,
)
"""What somebody says around a rule: when they said it before, and how often."""


ASIDE_MARKS = ("while we're", "by the way", "btw", " said", "i told", "already told", "do i have to", "remember ")
"""One of these stands in each of them."""


def says_same(one: str, other: str) -> bool:
    """Whether two short rules say the same in other words."""
    words, others = subject(one), subject(other)
    if not words or not others or max(len(words), len(others)) > MOST_APART or forbids(one) != forbids(other):
        return False
    if set(literals_in(one)) != set(literals_in(other)) or numbers(one) != numbers(other):
        return False
    return len(words & others) >= SHARED * len(words | others)


PROPER = later(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b")
"""A name within a sentence."""

FEWEST_SHARED = 2
"""Distinctive words that two texts share which are about the same. Source: ours; one is said by chance."""


def is_about_same(one: str, other: str) -> bool:
    """Whether two texts share two distinctive words, or name the same person or thing by its proper name."""
    names = {*PROPER.findall(one), *PROPER.findall(other)}
    words = {word.casefold() for word in names if word in one and word in other}
    return bool(words) or len(subject(one) & subject(other)) >= FEWEST_SHARED


def forbids(text: str) -> bool:
    """Whether a rule keeps an agent from something: by a word of denial, or since the user does it."""
    return FORBIDDING.search(text) is not None


def subject(text: str) -> frozenset[str]:
    """What a text is about: its distinctive words without their endings."""
    return frozenset(
        stem(word) for word in WORD.findall(without_asides(text).casefold())
        if word not in STOP_WORDS and word not in FILLING and len(word) > 1
    )  # fmt: skip


def stem(word: str) -> str:
    """A word without an English ending."""
    ending = next((each for each in ENDINGS if word.endswith(each) and len(word) > len(each) + 2), "")
    found = word.removesuffix(ending)
    is_doubled = ending in ("ing", "ed") and found[-1:] == found[-2:-1] and found[-1] not in "lsz"
    return found[:-1] if is_doubled else found


def numbers(text: str) -> frozenset[str]:
    """The numbers in a text."""
    return frozenset(word for word in WORD.findall(text) if word[0].isdigit())


def without_asides(text: str) -> str:
    """A text without what its speaker said around it; as it is where nothing else would be left."""
    folded = text.casefold()
    if not any(mark in folded for mark in ASIDE_MARKS):
        return text  # most texts have none, and the pattern takes a hook a millisecond to compile
    found = ASIDES.sub(" ", text).strip(" ,;-")
    if not found or found == text:
        return text
    found = found[0].upper() + found[1:] if text[:1].isupper() else found
    return found if found[-1] in ".!?…`\"'" or text[-1:] not in ".!?" else f"{found}{text[-1]}"


def says_of(told: str, text: str) -> float:
    """The share of a text's distinctive words that another one has."""
    words = subject(text)
    return len(words & subject(told)) / len(words) if words and told else 0.0
