"""Whether a session only discusses: somebody thinks aloud with an agent that changes nothing.

In: the messages of a session in which the agent changed nothing, and its replies; or one sentence. Out: yes or no.
Invariants: pure; where as much is decided as thought aloud, it is no discussion.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_db.extract.rules.error_fixes import FILE_TOOLS, LOOKS_ONLY, SHELL_TOOLS, ActionRow
from memory_db.extract.rules.musing_cues import SIGNS
from memory_db.extract.rules.order_cues import ORDERS
from memory_db.extract.rules.prose import matching, spelt_out
from memory_db.extract.rules.questions import asked
from memory_db.text.acknowledging import is_acknowledgement
from memory_db.text.sentences import split

FEWEST_OF_TALK = 2
"""Messages with a sign of talk from which on a session may be a discussion, and sentences of a single message that only
talks. Source: ours."""

SHARE_OF_TALK = 1 / 3
"""Share of a session's messages from which on it is one. Source: 35 chats in which developers only discuss have a third
to all, 18 that come to a decision none, or one message of eight."""

CODE_SHOWN = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)
"""How an agent shows what it wrote, where it cannot write it into a file."""

LOOKING_TOOLS = FILE_TOOLS | {"NotebookRead", "WebFetch", "WebSearch", "TodoWrite"}
"""Tools by which an agent only looks something up, to explain it."""

MOST_CHARACTERS = 4_000
"""Characters of a message that are looked at: who discusses does so from the first sentences on. Source: ours."""

HISTORY = re.compile(
    r"\b(?:when|since|once|after|before|because|back when|until) (?:we|they|you) (?:\w+ )?(?:decided|agreed|settled)\b|"
    r"\b(?:back then|at the time|originally|years ago|historically|in the past|at some point)\b"
)
"""How somebody tells of what was decided once."""

UNSURE = re.compile(
    r"\b(?:would|could|might|may be|maybe|perhaps|probably|possibly|should probably|wouldn't|i think|in theory|"
    r"theoretically|hypothetically|ideally|presumably|what if|if we)\b"
)
"""Words of who does not say that it is so."""

CLAUSE = re.compile(r"(?:[,;:] |(?<=\w) [-–—] |\.\.+ )(?:(?:but|and|so|though) )*")
"""Where another part of a sentence begins."""

CORRECTS = re.compile(
    r"^\W*(?:(?:hm+|well|oh|ah|hey|sorry|actually)\b\W+)*(?:no|nope|nah|wrong|not quite|absolutely not|never)\b"
    r"(?!\W+(?:i\b|i'm|i've|we (?:didn't|haven't|weren't)|worries|problem|rush|need|idea|(?:that|it)(?:'s| is| makes) "
    r"(?:fine|ok|okay|clear|good|great|helpful|all|perfect|sense|it)\b|not (?:yet|really)))|"
    r"^\W*(?:(?:that|this|it)(?:'s| is| was)|[\w `'.()-]{2,40} (?:is|are))(?:n't| not)? (?:wrong|incorrect|"
    r"backwards|right(?= - | – |, ))\b"
)
"""How somebody sets right what the agent said."""

ASKS_ORDER = re.compile(
    r"\b(?:should|shall) (?:i|we|it|this|that|they|the|a|an)\b|\bdo you want\b|\bwant me to\b|\bwould you (?:like|"
    r"prefer)\b|\b(?:which|what|how (?:many|long|much|often)) [^?]*\b(?:do (?:we|you) (?:want|use|keep)|should|limit|"
    r"ceiling|rule|policy)\b|\bdo (?:i|we) (?!have\b|know\b|see\b)[a-z]|\bwant (?:a|an|the|it|me)\b|"
    r"\b(?:keep|skip|leave|drop|allow|move|use|take) (?:it|that|them|the)\b[^?]*\?|\b(?:correct|confirmed)\?$|"
    r"\bbefore or after\b|\bhow many\b",
    re.IGNORECASE,
)
"""How an agent asks what it is to do, or what holds."""

CORRECTED_SENTENCES = 2
"""Sentences from the beginning of a message within which what it sets right stands. Source: ours."""


def is_discussion(messages: Sequence[tuple[str, str]], replies: Sequence[str]) -> bool:
    """Whether the user only discusses with the agent in a session in which that changed nothing.

    `messages` are what the user said, each behind what the agent said before it.
    """
    if not replies or any(CODE_SHOWN.search(each) for each in replies):
        return False
    said = [(before, each) for before, each in messages if each.strip("\x00 \n") and not is_acknowledgement(each)]
    talks = sum(muses(each) for _, each in said) if len(said) >= FEWEST_OF_TALK else 0
    if talks < FEWEST_OF_TALK or talks < SHARE_OF_TALK * len(said):
        return False
    return talks > sum(decides(before, each) for before, each in said)


def only_looks(action: ActionRow) -> bool:
    """Whether an action changes nothing and runs nothing: it reads or searches."""
    return action.tool in LOOKING_TOOLS or (action.tool in SHELL_TOOLS and LOOKS_ONLY.match(action.target) is not None)


def muses(said: str) -> bool:
    """Whether a sentence of some words shows that somebody thinks aloud, takes in or praises."""
    return any(map(is_musing, lowers_of(said)))


def mostly_muses(said: str) -> bool:
    """Whether two sentences of some words do so, or the only one: one beside what is told says little."""
    lowers = lowers_of(said)
    return sum(map(is_musing, lowers)) >= min(FEWEST_OF_TALK, len(lowers)) > 0


def lowers_of(said: str) -> list[str]:
    """The sentences at the beginning of a message, as cues read them."""
    return [spelt_out(each.masked) for each in split(said[:MOST_CHARACTERS].replace("\x00", " "))]


def is_musing(lower: str) -> bool:
    """Whether a sentence shows a sign of talk."""
    return any(matching(SIGNS, lower, "user", False))


def decides(before: str, said: str) -> bool:
    """Whether a message orders or decides something, sets right what the agent said, or tells it what it asked for."""
    return any(map(sets, lowers_of(said))) or sets_right(said) or (asks_order(before) and not muses(said))


def asks_order(reply: str) -> bool:
    """Whether an agent asks at the end of its reply what it is to do, or what holds."""
    question = asked(reply) if reply else None
    return question is not None and ASKS_ORDER.search(question.whole) is not None


def sets_right(said: str) -> bool:
    """Whether a message begins with setting the agent right, perhaps behind a first word."""
    return any(map(CORRECTS.match, lowers_of(said)[:CORRECTED_SENTENCES]))


def sets(lower: str) -> bool:
    """Whether a sentence orders, decides, forbids or limits, and neither guesses nor tells how it came about.

    What it begins with may be talk: "good point, but we never ship on fridays".
    """
    if lower.rstrip().endswith("?") or UNSURE.search(lower) or HISTORY.search(lower):
        return False
    said = [lower, *(lower[cut.end() :] for cut in CLAUSE.finditer(lower))]
    return any(any(matching(ORDERS, each, "user", False)) and not is_musing(each) for each in said)
