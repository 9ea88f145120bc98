"""Whose a thing is by now, where an earlier text says whose it was: "kafka went to radek", "deploys are bogdan's now".

In: two texts of one place. Out: the thing and who has it by now, in a few words; '' where nothing says so. Pure, and
linear in the length of the texts.
"""

from __future__ import annotations

import re

from memory_db.text.duties import duty_moved
from memory_db.text.statements import READ_CHARACTERS, WEAK, answered
from memory_db.text.topics import LETTER

WENT = re.compile(
    r"\b(?P<what>[a-z][\w.-]{2,}) (?:(?:has |have )?(?:went|gone|passed)|(?:is|are|was|were) (?:now )?handed)"
    rf"(?: over)? to (?P<who>{LETTER}(?:{LETTER}|-)+)\b(?! \d)",
    re.IGNORECASE,
)
"""How a thing went to somebody else."""

THEIRS = re.compile(
    r"\b(?P<what>[a-z][\w.-]{2,}(?:(?:, | and |, and )[a-z][\w.-]{2,}){0,3}) (?:is|are) (?:all |now )*"
    rf"(?P<who>{LETTER}[\w-]+)['’]s (?:job |business |turf )?(?:now|from now on|by now)\b",
    re.IGNORECASE,
)
"""How things are said to be somebody's by now."""

OWNED = re.compile(
    rf"\b(?:is|are) {LETTER}[\w-]+['’]s\b|\bask (?:her|him|{LETTER}[\w-]+)\b|"
    rf"\bgoes through (?:her|him|{LETTER}[\w-]+)\b|"
    rf"\bbelongs? to {LETTER}[\w-]+\b|\bis the one\b",
    re.IGNORECASE,
)
"""How a text says whose something is."""

NOBODY = frozenset(
    "prod production staging stage live dev test main master the end next version customers customer users everybody "
    "sleep bed hell waste monday tuesday wednesday thursday friday saturday sunday".split()
)
"""Where things go that nobody has, and whose they are not."""


def handed_over(later: str, earlier: str) -> str:
    """What the earlier text says somebody has, and who has it by the later one; '' where that says nothing of it."""
    said, before = answered(later[:READ_CHARACTERS])[1], answered(earlier[:READ_CHARACTERS])[1]
    known = frozenset(re.findall(r"[\w.-]+\w", before.casefold()))
    for way in (WENT, THEIRS) if OWNED.search(before) is not None else ():
        for match in way.finditer(said):
            who = match["who"].casefold()
            things = [word for word in re.findall(r"[\w.-]+\w", match["what"].casefold()) if word not in WEAK]
            thing = next((word for word in things if word in known), "")
            if thing and who not in known and who not in NOBODY and who not in WEAK:
                return f"{thing} is with {who} by now"
    return duty_moved(later, earlier)
