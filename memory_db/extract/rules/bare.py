"""Statements that only tell how something is: how much they matter, and whether they say too little to be kept unasked.

In: the cue that found one, and its text. Out: whether it only tells; the reason against it in a few words, '' where it
says enough. Invariant: pure.
"""

from __future__ import annotations

from memory_db.extract.rules.surroundings import EXACT, content
from memory_db.text.attribute_values import settings_of
from memory_db.text.statements import answered, own_words
from memory_db.text.terms import PATH

MOST_BARE_WORDS = 5
"""Words that mean something in the longest text that is bare.

Source: the seen half of bench/data/sessions: of texts that stand without a question or an action before them, 3 in 10
of those with at most five such words are useful and can be read alone, 7 in 10 of the longer ones.
"""

TELLS_ONLY = frozenset(
    {"business", "how I work", "is in charge", "known trouble", "names a term",
     "odd behaviour", "part of the system", "people here", "reason", "sometimes", "states a fact",
     "things in general", "what surrounds it"}
)  # fmt: skip
"""Cues of who tells how something is, which small talk has too.

Source: as above; of the bare texts that one of these found one in eight is of use, of those by cues that forbid, order
or ask one in two.
"""

OF_WHEN = ("time", "weekday")
"""Sorts of values by which a few words tell when something is, which is seldom said for nothing."""

SAYS_FEW_WORDS = "a few words that may say nothing by themselves"


def only_tells(rule: str, text: str) -> bool:
    """Whether a statement only tells how something is: to no question, after no action, and no edit took it up."""
    return rule in TELLS_ONLY and not answered(text)[0] and own_words(text) == text


def bare(rule: str, text: str) -> str:
    """Why a statement says too little; '' where its cue, its length, a path, code or when it is speaks for it."""
    if not only_tells(rule, text) or len(content(text)) > MOST_BARE_WORDS or EXACT.search(text) or PATH.search(text):
        return ""
    values = settings_of(text.lower()).values
    return "" if any(values.get(sort) for sort in OF_WHEN) else SAYS_FEW_WORDS
