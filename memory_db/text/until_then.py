"""What held until something came, which a later text says is there: "leave it alone until the audit is through".

In: two texts of one place. Out: what has come, in a few words; '' where nothing has. Invariant: pure, and linear in the
length of the texts; that something goes on, or is late, ends nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memory_db.text.attribute_values import TELLS_NO_CHANGE
from memory_db.text.statements import KNOWN_TEXTS, NEGATIVE, answered, stem
from memory_db.text.topics import flat, naming_words

UNTIL = re.compile(
    r"\b(?:until|till|'til|as long as|for as long as)(?: the| our| his| her| their| that| this| a| an)? "
    r"(?P<event>[^.,;:!?()\"]{4,60})"
)
"""What something holds until, or as long as."""

COMES = (
    r"(?:through|done|over|finished|complete|completed|ended|ends|end|back|here|there|out|merged|landed|shipped|arrived"
    r"|arrives|comes|came|come|fixed|ready|live|signed|released|installed|gone|left|in|up|online|runs|running|works|"
    r"tested|approved|migrated|moved|replaced|closed|paid|settled)"
)
"""How it is said that something has come to its end, or has come."""

HAS_COME = re.compile(
    rf"(?P<thing>[^.,;:!?()\"]{{3,60}}?)(?: is| are| was| has been| have been| has| have|'s| got)?"
    rf"(?: now| finally| just| all| already| at last| since \w+){{0,2}} {COMES}\b"
    rf"(?! (?:in (?:\d|a |two |three |the )|next|tomorrow|soon|on (?:monday|tuesday|wednesday|thursday|friday)))"
)
"""What has come, in one clause."""

LATER = re.compile(r"\b(?:will|not|never|until|till|if|when|once|unless|almost|nearly|soon|still|be)\b|n't\b")
"""Words by which something has not come yet."""

CLAUSE = re.compile(r"[.,;:!?()]\s+|[.,;:!?()]$| and | so ")

IS_THROUGH = re.compile(
    r"\b(?:is|are|'s|got|has|have|was|were)(?: been)?(?: now| finally| just| all| already| at last){0,2} "
    r"(?:back|through|over|ended|signed|merged|landed|arrived|installed)\b(?! (?:to|in|on|the|a)\b)"
)
"""How something is said to be through, or somebody to be back."""

SAID_OF_ENDS = frozenset(
    map(
        stem,
        "through done over finished complete completed ended ends back here there out merged landed arrived arrives "
        "comes came fixed ready live released installed gone left online runs running works approved new real whole "
        "finally already last yet".split(),
    )
)
"""Words that say that something comes or ends, and not what."""

LOOPS = re.compile(r"\b(?:retry|retries|waits?|loops?|polls?|repeat|sleeps?|blocks?|spins?) (?:\w+ )?$")
"""What a program does until something is so, time and again."""

OTHER_ONE = re.compile(r"\b(?:old|other|first|next|another)\b")


def until_then(later: str, earlier: str) -> str:
    """What the earlier text says something holds until, where the later one says that it has come."""
    awaited = events(flat(answered(earlier)[1]))
    for subject, come, others in ends_told(flat(answered(later)[1])) if awaited else ():
        for event, thing, told in awaited:
            if thing <= come and subject <= thing and told == others:
                return f"it was until {event!r}, which has come"
    return ""


@lru_cache(maxsize=KNOWN_TEXTS)
def events(before: str) -> tuple[tuple[str, frozenset[str], tuple[str, ...]], ...]:
    """What words in lower case wait for: as they say it, its stems, and which one of several it is."""
    found = []
    for match in UNTIL.finditer(before):
        event = match["event"].strip()
        thing = things_of(event)
        is_loop = LOOPS.search(before[: match.start()]) is not None
        if thing and not is_loop and NEGATIVE.isdisjoint(event.split()):
            found.append((event, thing, tuple(OTHER_ONE.findall(event))))
    return tuple(found)


@lru_cache(maxsize=KNOWN_TEXTS)
def ends_told(said: str) -> tuple[tuple[frozenset[str], frozenset[str], tuple[str, ...]], ...]:
    """What words in lower case say has come: the stems before the verb, all of the clause, which one of several."""
    found = []
    for clause in CLAUSE.split(said):
        match = HAS_COME.match(clause.strip())
        if match is not None and not LATER.search(clause):
            subject, come = things_of(match["thing"]), things_of(clause)
            found.append((subject, come, tuple(OTHER_ONE.findall(clause))))
    return () if found and TELLS_NO_CHANGE.search(said) else tuple(found)


def tells_end(text: str) -> bool:
    """Whether a text tells that somebody is back, or that something is through, in so many words."""
    said = flat(text)
    return IS_THROUGH.search(said) is not None and LATER.search(said) is None


def things_of(text: str) -> frozenset[str]:
    """The stems of the words that name something, without those that say that it comes or ends."""
    return frozenset(map(stem, naming_words(text))) - SAID_OF_ENDS
