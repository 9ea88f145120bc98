"""What a text gives to compare with another by: words, names, numbers, its grammatical subject, keys of its code.

In: a text of a memory or of what somebody said. Out: stems, names and values. Invariant: pure and bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memory_db.text.attribute_values import IDLE, UNITS
from memory_db.text.languages import function_words, language_of
from memory_db.text.statements import CURLY, KNOWN_TEXTS, NUMBERS, READ_CHARACTERS, WEAK, answered, stem

EDIT = re.compile(r"`(?P<old>[^`]{1,200})` became `(?P<new>[^`]{1,200})`")
"""How the text of a memory tells what an edit did."""


CODE = re.compile(r"`[^`]{1,300}`|(?<![\w/.*-])(?:[\w@*-]{1,60}[./]){1,9}[\w*/-]{1,60}")
"""Commands, files and hosts, whose words tell little of what is spoken of."""


NUMBER = re.compile(r"(?<![\w.])(?P<number>\d[\d_,]*)(?: ?(?P<unit>[a-z%]{1,8}))?(?![\d.]*\d)")


SPELT = re.compile(rf"\b(?:{'|'.join(NUMBERS)})(?= [a-z])")
"""A number in words before what it counts."""


UNIT_NAMES = {"s": "second", "sec": "second", "m": "minute", "min": "minute", "h": "hour", "hr": "hour", "d": "day"}


LITERAL = re.compile(r"[\"'](?P<literal>[^\"']{3,80})[\"']")


LETTER = r"[^\W\d_]"
"""A letter of any alphabet: names are written in many."""

WORD = re.compile(r"[^\W\d_\u3040-\u30ff\u3400-\u9fff]{3,}")
"""A word; of Chinese and Japanese, which part none, only the names in other letters are compared."""


NAME = re.compile(r"(?<=[\w,;] )[A-Z][\w-]+|(?<![.!?] )(?<!^)(?<![\"'] )(?<!said: )\b[A-Z][\w-]+")


JOINS = frozenset(
    """otherwise else though although however therefore besides anyway whatever whoever wherever moreover furthermore
    meanwhile nevertheless unless whether thus hence rather either neither perhaps maybe indeed anyhow
    somehow may might must shall""".split()
)
"""Words that join what is said, or go with its verb, and say nothing themselves."""

SAYS_LITTLE = WEAK | IDLE | JOINS
"""Words that tell nothing of what a text is about."""


FRAME = frozenset("asked user said agent ran when whether what found became other others never ever".split())
"""Words by which the text of a memory tells who spoke."""


CODE_NAME = re.compile(r"(?<![\w/.-])[\w-]*\w[._][\w.-]*\w")
"""Names of files, keys and functions."""


SHORTENED = 7
"""Letters of a word that are compared in languages whose endings nobody here takes off. Source: ours."""


SUBJECT = re.compile(
    r"(?:the |our |my |all |a |an )?(?P<subject>[\w' -]{3,60}?) (?:is|are|has|have|should|must|can|may|will|runs?"
    r"|goes|go|lives?|uses?|takes?|gets?|comes?|sits?|needs?|starts?|stays?|lies|keeps?)\b"
)
"""What a sentence is about, before its verb."""


MOST_SUBJECT_WORDS = 3
"""Words of the longest subject that says of one thing what it is. Source: ours."""


@dataclass(slots=True, frozen=True)
class Topic:
    """What a text gives to compare: stems of what it speaks of, names among them, values of its numbers."""

    words: frozenset[str]
    names: frozenset[str]
    hosts: frozenset[str]
    numbers: frozenset[tuple[str, str]]


@lru_cache(maxsize=KNOWN_TEXTS)
def grammatical_subject(text: str) -> frozenset[str]:
    """The stems of what the first sentence of a text is about: what stands before its verb; none where it is long."""
    match = SUBJECT.match(" ".join(answered(flat(text))[1].split()))
    found = stems_of(match["subject"]) if match else frozenset()
    return found if len(found) <= MOST_SUBJECT_WORDS else frozenset()


@lru_cache(maxsize=KNOWN_TEXTS)
def names_of_code(text: str) -> frozenset[str]:
    """The names of files, keys and functions in a text."""
    bare = text[:READ_CHARACTERS].translate(CURLY).casefold()
    return frozenset(name for name in CODE_NAME.findall(bare) if any(map(str.isalpha, name)) and len(name) > 5)


@lru_cache(maxsize=KNOWN_TEXTS)
def topic_of(text: str) -> Topic:
    """What a text gives to compare."""
    text = text[:READ_CHARACTERS].translate(CURLY)
    bare = CODE.sub(" ", text)
    words = stems_of(bare)
    names = frozenset(stem(part) for name in NAME.findall(bare) for part in WORD.findall(name.casefold()))
    hosts = stems_of(" ".join(CODE.findall(EDIT.sub(" ", text))))
    return Topic(words, names & words, hosts, frozenset(values_of(EDIT.sub(" ", text))))


def stems_of(text: str) -> frozenset[str]:
    """The stems of words that say what a text is about."""
    language = language_of(text)
    idle = function_words(language)
    parts = naming_words(text)
    return frozenset(part[:SHORTENED] if language else stem(part) for part in parts if part not in idle)


def naming_words(text: str) -> Iterator[str]:
    """The words of a text that name something, in lower case."""
    return (part for part in WORD.findall(text.casefold()) if part not in SAYS_LITTLE and part not in FRAME)


def raw_words(text: str) -> frozenset[str]:
    """The words of a text, those of hosts and paths too, without the s of a plural."""
    return frozenset(word.removesuffix("s") for word in WORD.findall(text[:READ_CHARACTERS].casefold()))


def values_of(text: str) -> set[tuple[str, str]]:
    """The numbers of a text with their units in one spelling, '' for none."""
    found = set()
    for match in NUMBER.finditer(SPELT.sub(lambda match: NUMBERS[match.group()], text.casefold())):
        unit = match["unit"] or ""
        unit = UNIT_NAMES.get(unit, unit.rstrip("s") if len(unit) > 2 else unit)
        is_unit = unit in UNITS or unit in UNIT_NAMES.values()
        found.add((match["number"].replace("_", "").replace(",", ""), unit if is_unit else ""))
    return found


KEYED = re.compile(r"[\"'](?P<key>[\w.-]+)[\"'](?=\s*(?:=>|:))")
"""A key in quotation marks, which names what is set: `'free_hours' => 48`."""


def key_of(code: str) -> frozenset[str]:
    """The words of the names in a line of code."""
    found = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", LITERAL.sub(" ", KEYED.sub(r"\g<key>", code)))
    return frozenset(stem(part.casefold()) for part in found if len(part) > 2)


def plain_code(code: str) -> str:
    """Code without spaces."""
    return "".join(code.split())


def flat(text: str) -> str:
    """A text on one line in lower case."""
    return " ".join(text[:READ_CHARACTERS].translate(CURLY).casefold().replace("`", "").split())
