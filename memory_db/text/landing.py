"""How changes reach the main branch by now, where an earlier text says another way: "straight to main", "prs now".

In: two texts of one place. Out: the way by the later text, in a few words; '' where it says none, or the same.
Invariant: pure, and linear in the length of the texts.
"""

from __future__ import annotations

import re

from memory_db.text.attribute_values import TELLS_NO_CHANGE
from memory_db.text.duties import BY_NOW
from memory_db.text.statements import answered
from memory_db.text.topics import flat

MAIN = r"(?:main|master|trunk|develop)"
REQUEST = r"(?:prs?|pull requests?|mrs?|merge requests?)"

STRAIGHT = re.compile(
    rf"\b(?:straight|directly|right) (?:on|to|into|onto) (?:the )?{MAIN}\b|\b(?:commit|push)(?:es|s)? (?:on|to) {MAIN} "
    rf"directly\b|\b(?:no|without|skip(?: the)?) {REQUEST}\b"
)
"""Changes go to the main branch without anybody's look."""

BY_REQUEST = re.compile(
    rf"\b(?:through|via|by|in|as|with|open|opens|make|goes? (?:into|in)|it's|its|is|are) (?:an? |the )?{REQUEST}\b"
    rf"|\b{REQUEST} (?:now|these days|from now on|only|for everything|please)\b"
    rf"|\b(?:needs?|has to be|must be|wants?) (?:an? )?(?:branch|{REQUEST})\b"
    rf"|\bnot (?:straight|directly) (?:on|to) {MAIN}\b"
)
"""Somebody looks at changes first."""

CHANGED = re.compile(r"\bwe(?:'re| are)? (?:now )?(?:go|going|work|working|switch\w*|move\w*)\b|^\W*(?:no|ah|oh),? ")
"""Further ways to say that it is so by now."""


def lands_otherwise(later: str, earlier: str) -> str:
    """How changes land by the later text, where the earlier one says the other way."""
    said, known = flat(answered(later)[1]), flat(answered(earlier)[1])
    now, was = way_of(said), way_of(known)
    if not now or not was or now == was or TELLS_NO_CHANGE.search(said):
        return ""
    is_changed = BY_NOW.search(said) is not None or CHANGED.search(said) is not None
    return f"changes land {now} by now" if is_changed else ""


def way_of(text: str) -> str:
    """The way that a text in lower case tells; '' for none, and for both."""
    straight, request = STRAIGHT.search(text) is not None, BY_REQUEST.search(text) is not None
    if straight == request:
        return ""
    return "straight on the main branch" if straight else "by request"
