"""Limits that a text sets, and prompts that go beyond one: "60 in the hall and not one more", "saturday with 75 kids".

In: the text of a memory, a prompt. Out: whether the text sets a limit that binds; the amounts of a prompt; whether one
of them is beyond it. Pure, linear in the length of the texts. Invariant: an amount is beyond a limit only where both
count the same things.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

from memory_db.records import IGNORECASE, later, marked

READ_CHARACTERS = 2_000
"""How much of a text is read."""

MOST_BEYOND = 50.0
"""How many times as much as a limit an amount is at most that is held against it: more is about something else."""

BINDS = marked(
    r"\bnot (?:one|a single|any) more\b|\b(?:at (?:the )?most|(?:no|not|never) more than|maximum(?: of)?|max\.?(?: of)?"
    r"|up to) \d|\b\d[\d.,]* (?:\w+ ){0,3}(?:at most|maximum|max\b|and (?:no|not|never) (?:one )?more\b)"
    r"|\bnothing (?:from|that|which)\b[^.;]{0,40}\bmay\b|\bno (?!one\b|idea\b|longer\b)\w+ on (?:it|there|them)\b"
    r"|\bmay (?:not|never)\b|\bmust (?:not|never)\b|\bmay only\b|\bnot ours to\b",
    IGNORECASE,
    marks=(
        "not one more", "not a single more", "not any more", "at most", "at the most", "no more", "no one more",
        "not more", "never more", "never one more", "max", "up to ", "nothing from", "nothing that", "nothing which",
        " on it", " on there", " on them", "may not", "may never", "must not", "must never", "may only", "not ours to",
    ),
)  # fmt: skip
"""How somebody sets a limit, or says what may not be."""

UPPER = later(
    r"\bnot (?:one|a single|any) more\b|\b(?:at (?:the )?most|(?:no|not|never) more than|max(?:imum|\.)?|up to"
    r"|limit(?:ed)?|cap(?:ped)?|(?:no|not|never) (?:one )?more)\b",
    IGNORECASE,
)
"""How somebody says that a number is the most."""

AMOUNT = later(
    r"(?<![\w.,:/#-])(?P<number>\d{1,6}(?:[.,]\d{1,3})?) ?(?P<scale>k\b)?\s?(?P<words>[a-z]+(?: [a-z]+)?)",
    IGNORECASE,
)
"""A number with the word behind it, and the one behind that: "75 kids", "20 small files"."""

PEOPLE = frozenset(
    """people person persons kid kids child children guest guests visitor visitors teacher teachers student students
    pupil pupils adult adults men women heads passenger passengers participant participants attendees climbers players
    colleagues runners swimmers singers dancers members""".split()
)
"""Words for those who are counted by heads."""

SIZES = {"kb": 1e-3, "mb": 1.0, "megabyte": 1.0, "gb": 1e3, "gigabyte": 1e3, "tb": 1e6}
"""Sizes, in megabytes."""

WEIGHTS = {"g": 1e-3, "gram": 1e-3, "kg": 1.0, "kilo": 1.0, "ton": 1e3, "tonne": 1e3}
"""Weights, in kilograms."""

NO_THINGS = frozenset(
    """and or of in on at to the a an is are was were be it that for from by with as times percent am pm o clock
    second minute hour day week month year sec min""".split()
)
"""Words that are no things which are counted here; a duration says too little of what it is the limit."""


def sets_limit(text: str) -> bool:
    """Whether a text sets a limit that binds, or says what may not be, whatever sort of memory it is."""
    return BINDS.search(text[:READ_CHARACTERS]) is not None


def amounts(text: str) -> list[tuple[float, str]]:
    """The amounts of a text: each a number and what is counted."""
    if not any(map(str.isdigit, text)):
        return []
    found = []
    for match in AMOUNT.finditer(text[:READ_CHARACTERS]):
        number = float(match["number"].replace(",", ".")) * (1_000 if match["scale"] else 1)
        for word in match["words"].casefold().split():
            things, factor = counted(word)
            if not things:
                break  # "15 to 17 the kids wall" counts no kids
            found.append((number * factor, things))
    return found


SENTENCE_ENDS = later(r"(?<=[.;!?])\s")


def amounts_at_stake(prompt: str) -> list[tuple[float, str]]:
    """The amounts of a prompt that a limit may be held against: none of a sentence that sets a limit itself."""
    if not any(map(str.isdigit, prompt)):
        return []
    sentences = SENTENCE_ENDS.split(prompt[:READ_CHARACTERS])
    return [each for sentence in sentences if UPPER.search(sentence) is None for each in amounts(sentence)]


def counted(word: str) -> tuple[str, float]:
    """What a word counts, and how many of it one is; nothing for a word that counts none."""
    stem = word.removesuffix("s")
    if word in PEOPLE:
        return "people", 1.0
    for name, units in (("size", SIZES), ("weight", WEIGHTS)):
        if word in units or stem in units:
            return name, units.get(word, units.get(stem, 1.0))
    return ("", 0.0) if word in NO_THINGS or stem in NO_THINGS or len(word) < 3 else (stem, 1.0)


def goes_beyond(asked: list[tuple[float, str]], text: str) -> bool:
    """Whether one of some amounts is more than a text says is the most of those things."""
    if not asked or UPPER.search(text[:READ_CHARACTERS]) is None:
        return False
    limits = amounts(text)
    return any(
        most < number <= MOST_BEYOND * most for number, things in asked for most, counts in limits if things == counts
    )
