"""What somebody tells has changed, with its new value: "mila put 3.11 on the staging box over lunch".

In: a message; two texts. Out: its clauses that tell of a change with a value; the values of a text by their sort.
Pure, linear in the length of the text. Invariant: who asks for a thing to be done, or only asks, tells of no change.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

from memory_db.records import IGNORECASE, later

READ_CHARACTERS = 2_000
"""How much of a message is read."""

CLAUSE = later(
    r"(?<=[;!?])\s+|\n+|\.(?=\s|$)|:\s|\s[-–—]\s|,\s+(?:so|but|which|because|and)\s"
    r"|,\s+(?=(?:the|it|he|she|we|they|our|my)\s)"
)
"""Where a clause ends."""

ACTOR = r"(?!(?:please|then|and|to|so|ok|okay|now|can|could|you|should|don't|dont|not|but|also|just|or|must|lets?)\b)"

CHANGES = later(
    rf"(?:^|\s)(?:the |our |my |their )?{ACTOR}[\w'’.-]+ (?:(?:has|have|had|'s|just|now|already|finally) ){{0,2}}"
    r"(?:put|moved|changed|upgraded|updated|installed|switched|raised|lowered|bumped|shifted|swapped|replaced|set|made"
    r"|turned|took|widened|tightened|loosened|extended|shortened|renamed|migrated|went|runs|signed|wants|needs|gave|got"
    r"|fetches|comes|lives|listens|sits)\b"
    r"|\b(?:is|are|goes|stays|has|have) (?:now|by now|again|from now on|these days|since)\b"
    r"|\b(?:it's|it is|that's|they're|they are) [^,;]{1,40}\b(?:now|by now|from now on|these days)\b",
    IGNORECASE,
)
"""How somebody tells what somebody did or how a thing is by now: who did it stands before the verb."""

WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"

DATE_SAID = later(rf"\b(?:today|tomorrow|yesterday)(?:'s| is| was| will be)?,? (?:a )?{WEEKDAY}\b", IGNORECASE)
"""How somebody says which day it is: that is no value of anything."""

VALUES = (
    ("day", later(rf"\b({WEEKDAY})s?\b", IGNORECASE)),
    ("version", later(
        r"(?<![\w.:])v?(\d{1,3}\.\d{1,3}(?:\.\d{1,4})?)(?![\w.:]*\d)(?! ?(?:%|percent|kg|km|cm|mm|s\b))"
    )),
    ("share", later(r"(?<![\w.])(\d{1,3}(?:\.\d+)?) ?(?:%|percent\b)", IGNORECASE)),
    ("port", later(r"(?<![\w.:/-])(\d{4,5})(?![\w:-]|\.\d)|:(\d{4,5})\b")),
    ("time", later(r"(?<![\d:])(\d{1,2}:\d{2})(?![\d:])")),
    ("length", later(
        r"(?<![\w.])(\d{1,6}) ?(?:ms|seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|years?)\b", IGNORECASE
    )),
    ("count", later(
        r"(?<![\w.])(\d{1,4}) (?:times|tries|attempts|retries|copies|rows|lines|files|workers|threads|users|players)\b",
        IGNORECASE,
    )),
)  # fmt: skip
"""Sorts of values, as few as can be told apart for certain."""


def changes_told(message: str) -> list[str]:
    """The clauses of a message that tell of a change and have a value."""
    if "day" not in message.casefold() and not any(map(str.isdigit, message)):
        return []  # most prompts have no value, and a pattern takes a hook a millisecond to compile
    said = DATE_SAID.sub(" ", message[:READ_CHARACTERS].replace("’", "'"))
    clauses = [each.strip() for each in CLAUSE.split(said)]
    return [each for each in clauses if each[-1:] not in ("?", "？") and CHANGES.search(each) and values_in(each)]


def values_in(text: str) -> dict[str, set[str]]:
    """The values of a text, by sort."""
    found: dict[str, set[str]] = {}
    for sort, pattern in VALUES:
        values = {next(filter(None, match.groups())).casefold() for match in pattern.finditer(text[:READ_CHARACTERS])}
        if values:
            found[sort] = values
    return found


def has_another_value(clause: str, text: str) -> bool:
    """Whether a clause has a value of a sort that a text has otherwise, and none that the text has."""
    old, new = values_in(text), values_in(clause)
    return any(new[sort].isdisjoint(old[sort]) for sort in new.keys() & old.keys())
