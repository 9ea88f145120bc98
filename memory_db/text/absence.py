"""Who is no more where they were, or away for a time, so that what they do may be another one's by now.

In: two texts. Out: why the earlier one, which names somebody, may be over; '' where nothing says so. Invariant: pure,
and linear in the length of the texts.
"""

from __future__ import annotations

import re

from memory_db.text.statements import CURLY, READ_CHARACTERS, WEAK, answered

AWAY = (
    r"(?:not back|away|out|off(?: sick)?|(?:off )?sick|ill|gone|not (?:here|in|around|with us)|on holiday|on vacation)"
    r" (?:again )?(?:till?|until|before|for (?:a|the|some|two|three|four|several) |since|as of|from)"
)
"""Behind somebody: that they are away for a time."""

LEAVES = re.compile(
    r"(?:^|(?<=[.,;!] )|(?<=so )|(?<=and ))(?P<absent>[a-z][\w-]{2,}) is (?:on (?:\w+ )?leave|not with us|"
    r"no longer here)\b|"
    r"\b(?P<who>[A-Z][\w-]+)(?:'s| is| has| was)? (?:(?:now|just|finally|also) )?(?:left\b|gone to\b|gone\b"
    r"|leaving\b|moved (?:on|to|over)\b|went to\b|retired\b|quit\b|stepped down\b|gave up\b|handed over\b"
    r"|on (?:\w+ )?leave\b|no longer\b|doesn't work\b|not with us\b|replaced by\b)"
    rf"|\b(?P<away>[A-Z][\w-]+)(?:'s| is|'ll be| will be) {AWAY}"
    r"|\b(?P<person>[A-Z][\w-]+)(?:'s)? (?=[^.;!?]{1,120}?\b(?:he|she|they)(?:'s| is|'re| are|'ll be| will be) "
    rf"{AWAY})"
)
"""Somebody who is no more where they were, or is away."""


def left(later: str, earlier: str) -> str:
    """Somebody left, handed over or is away for a time, and the earlier text names them."""
    for match in LEAVES.finditer(answered(later[:READ_CHARACTERS].translate(CURLY))[1]):
        who = match["who"] or match["absent"] or match["away"] or match["person"]
        case = re.IGNORECASE if " leave" in match[0] else re.NOFLAG  # things are gone too, but only people are on leave
        if who.casefold() not in WEAK and re.search(rf"\b{re.escape(who)}(?:\b|s\b)", earlier, case):
            return f"{who} is {'away' if match['away'] or match['person'] else 'no more where they were'}"
    return ""
