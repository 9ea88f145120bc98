"""Who is no more where they were, or away for a time, so that what they do may be another one's by now.

In: two texts. Out: why the earlier one, which names somebody, may be over; '' where nothing says so. Invariant: pure,
and linear in the length of the texts.
"""

from __future__ import annotations

import re

from memory_db.text.opposites import GROUP_OF
from memory_db.text.places import PLACES
from memory_db.text.statements import CURLY, READ_CHARACTERS, WEAK, answered
from memory_db.text.topics import LETTER

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

OTHERS = (
    r"(?:(?:the |an? |our )?(?!same\b)(?:[\w-]+ ){1,3}?(?:team|squad|group|crew|department|desk|guild|division|unit"
    r"|side|office|company|firm)\b|(?:sales|support|trading|finance|marketing|operations|research|security|compliance"
    r"|consulting|management|product|legal|hr)\b(?! (?:\w+ )?(?:server|cluster|host|bucket|account|project|folder|repo"
    r"|channel|queue|db|database)\b))"
)
"""Where people go, who did something else before."""

THEIRS = (
    r"(?:(?:the |our )?(?:[\w-]+ )?(?:rota|rotation|roster|on-?call|company|firm|team|squad|project)\b"
    r"|us\b(?! (?:an?|the|with|to)\b)|(?:last|this|in|on) (?:week|month|spring|summer|autumn|fall|winter|\w+day|\w+uary"
    r"|march|april|may|june|july|august|\w+ember|october)\b)"
)
"""What people leave, or when."""

MOVES_ON = re.compile(
    r"(?<!\bthe )(?<!\bour )(?<!\bthis )(?<!\bthat )(?<!\bmy )(?<!\ba )(?<!\ban )(?<!\bno )(?<!\ball )(?<![\w./-])"
    rf"(?P<who>{LETTER}{{3,20}})(?: has|'s| is)?(?: now| just| already| also| then)? "
    r"(?:(?:went|goes|gone|going|moved|moves|moving|switched|switches|switching|transferred|changed|changes)"
    rf"(?: over| across)? to {OTHERS}|(?:left|leaves|leaving|quits?|quitting) {THEIRS}"
    rf"|(?:no longer works|doesn't work|does not work) (?:here|with us|for us)\b|joined {OTHERS})"
)
"""Somebody who went to do something else, whose name may be written small."""

ACTS = r"(?:'s| (?!is\b|was\b|has\b)[a-z]{2,}[a-z]s| (?:is|was) (?:the|our|on|in charge|responsible|who)|,? who)\b"
"""Behind a name: what somebody does, or what is theirs."""

ASKED = (
    r"\b(?:ask|asks|ping|tell|mail|call|cc|with|by|to|from|via|through|only|reviewers?(?: is| are)?|owner is"
    r"|approver is|assign|assigned|it's|let|except|unless) "
)
"""Before a name: who is asked, or does it."""

NO_NAMES = WEAK | GROUP_OF.keys() | PLACES.keys()
"""Words that are nobody's name."""


def tells_of_leave(text: str) -> bool:
    """Whether a text says of somebody that they are no more where they were, or are away."""
    return LEAVES.search(text) is not None or MOVES_ON.search(text.translate(CURLY)) is not None


def moved_on(later: str, earlier: str) -> str:
    """Who went to do something else, of whom the earlier text tells what they do; '' where nobody did."""
    before = earlier[:READ_CHARACTERS].translate(CURLY)
    for match in MOVES_ON.finditer(later):
        who = match["who"]
        if who.casefold() in NO_NAMES:
            continue
        name = rf"(?<!\bthe )(?<!\bour )(?<!\ba )(?<![\w./-]){who}"
        does = re.search(rf"{name}{ACTS}|{ASKED}{who}(?![\w./-])", before, re.IGNORECASE)
        if does is not None:
            return who
    return ""


def left(later: str, earlier: str) -> str:
    """Somebody left, handed over or is away for a time, and the earlier text names them."""
    said = answered(later[:READ_CHARACTERS].translate(CURLY))[1]
    if who := moved_on(said, earlier):
        return f"{who} is no more where they were"
    for match in LEAVES.finditer(said):
        who = match["who"] or match["absent"] or match["away"] or match["person"]
        case = re.IGNORECASE if " leave" in match[0] else re.NOFLAG  # things are gone too, but only people are on leave
        if who.casefold() not in WEAK and re.search(rf"\b{re.escape(who)}(?:\b|s\b)", earlier, case):
            return f"{who} is {'away' if match['away'] or match['person'] else 'no more where they were'}"
    return ""
