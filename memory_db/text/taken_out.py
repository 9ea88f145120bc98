"""What is out again of where an earlier text puts it, back where one kept it out, or set for each and not for all.

In: two texts of one place. Out: what is otherwise by now, in a few words; '' where nothing is. Invariant: pure, and
linear in the length of the texts; the earlier text has to name the thing and its place, or its words for all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memory_db.text.attribute_values import TELLS_NO_CHANGE
from memory_db.text.statements import KNOWN_TEXTS, NEGATIVE, answered, stem
from memory_db.text.topics import flat, naming_words

NONE: frozenset[str] = frozenset()

THE = r"(?:the |our |your |those |these |all |that |my )?"
BEGIN = r"(?:^|[.,;:!] |\b(?:so|and|ok|please|that|then|but|now) )(?:(?:so|and|ok|please|then|but|now),? )*"
THING = r"(?P<what>[\w-]+(?: (?!out\b|off\b|from\b|in\b|on\b|again\b)[\w-]+){0,4}?)"
PLACE = r"(?P<where>[\w-]+(?: (?!again\b|please\b|because\b|as\b|since\b|and\b|so\b|now\b)[\w-]+){0,2}?)"
END = r"(?= again\b| now\b| please\b| after all\b| because\b| as\b| since\b| and\b| so\b|[.,;:!)]|$)"

OUT = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:take|leave|keep|throw|pull|rip|kick|cut|get|move|took|threw|kicked|taken|moved|drop|strip) {THE}"
        rf"{THING} (?:back )?(?:out of|off) {THE}{PLACE}{END}",
        rf"\b(?:remove|drop|delete|strip|removed|dropped|deleted|stripped) {THE}{THING} from {THE}{PLACE}{END}",
        rf"{BEGIN}{THE}{THING} (?:is|are|goes|go|comes|come|stays?) (?:now )?"
        rf"(?:back )?(?:out of|off|gone from) {THE}{PLACE}{END}",
    )
)
"""How a thing is out of a place."""

BACK = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:put|bring|take|get|add|want|wants|puts|brought) {THE}{THING} back (?:in|into|to|on|onto) {THE}{PLACE}"
        rf"{END}",
        rf"{BEGIN}{THE}{THING} (?:is|are|goes|go|comes|come) back (?:in|into|to|on|onto) "
        rf"{THE}{PLACE}{END}",
    )
)
"""How a thing is back in a place."""

MANNER = frozenset("it this that them those these one way order box main track hand head hold date start end".split())
"""Words for no thing, and no place: "take it off the start"."""

FOR_EACH = re.compile(r"\b(?:per|each|every) (?P<what>[a-z][a-z-]{2,20})\b")
"""For each of which something is set."""

SETS_EACH = re.compile(
    r"\bhas to be\b|\bmust be\b|\bshould be\b|\bis now\b|\bare now\b|\bnow\b|\bfrom now on\b|\b(?:its|their) own\b|"
    r"\binstead\b|\banother\b|\bno longer\b|\bany ?more\b"
)
"""How a text says that something is to be set so."""

FOR_ALL = re.compile(
    r"\b(?:one|same|single|constant|common|global|shared|fixed|identical)\b[^.;!?]{0,60}?"
    r"\b(?:all|every|any|each)(?: of)?(?: the| our)? (?P<what>[a-z][a-z-]{2,20})\b"
)
"""For all of which something is one."""

TIMES = frozenset(map(stem, "second minute hour day night week month year time run".split()))
"""What is no thing that has something of its own."""


@dataclass(slots=True, frozen=True)
class Move:
    """A thing that is out of a place, or back in it, by their stems, and how that is told."""

    what: frozenset[str]
    where: frozenset[str]
    is_back: bool
    reason: str


def taken_out(later: str, earlier: str) -> str:
    """What is no more, or again, where an earlier text says; '' where the later one says nothing of it."""
    said, before = flat(answered(later)[1]), flat(answered(earlier)[1])
    told = moves(said)
    known = words_of(before) if told else NONE
    is_barred = bool(told) and not NEGATIVE.isdisjoint(re.findall(r"[\w']+", before))
    for move in told:
        if move.is_back is is_barred and move.what <= known and move.where <= known:
            return move.reason
    return set_for_each(said, before)


@lru_cache(maxsize=KNOWN_TEXTS)
def moves(said: str) -> tuple[Move, ...]:
    """What words in lower case say is out of a place, or back in one."""
    found = []
    for ways, told in ((OUT, "out of"), (BACK, "back in")):
        for match in (each for way in ways for each in way.finditer(said)):
            what, where = words_of(match["what"]), words_of(match["where"])
            if what and where and what.isdisjoint(where):
                reason = f"{match['what']} is {told} {match['where']} by now"
                found.append(Move(what, where, told == "back in", reason))
    return () if found and TELLS_NO_CHANGE.search(said) else tuple(found)


def set_for_each(said: str, before: str) -> str:
    """What is set for each of some things, that was one for all of them."""
    kinds = for_all(before)
    if not kinds or SETS_EACH.search(said) is None or TELLS_NO_CHANGE.search(said):
        return ""
    for each in FOR_EACH.finditer(said):
        of = stem(each["what"])
        if of in kinds and words_of(said) & words_of(before) - {of}:
            return f"it is set for each {each['what']} by now"
    return ""


@lru_cache(maxsize=KNOWN_TEXTS)
def for_all(before: str) -> frozenset[str]:
    """The stems of what words in lower case say something is one for all of."""
    return frozenset(stem(match["what"]) for match in FOR_ALL.finditer(before)) - TIMES


@lru_cache(maxsize=KNOWN_TEXTS)
def words_of(text: str) -> frozenset[str]:
    """The stems of the words that name a thing or a place."""
    return frozenset(stem(word) for word in naming_words(text) if word not in MANNER)
