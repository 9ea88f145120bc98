"""Whether a word that may forbid is a thing where it stands: "the list is by stop", "a drop of oil".

In: a word, the text before it. Out: yes or no. Invariant: pure.
"""

from __future__ import annotations

import re

THINGS_TOO = frozenset("stop stops drop drops skip skips".split())
"""Words that forbid as verbs, and nothing as things. Source: ours."""

BEFORE_THING = re.compile(
    r"(?:\b(?:the|this|any|every|each|an?|new|next|last|first|by|per|of|at|my|our|his|her|their|one)|'s|\d) $"
)
"""What stands before a thing."""


def is_thing(word: str, text: str, start: int) -> bool:
    """Whether a word at a place of a text in lower case is a thing and forbids nothing."""
    return word in THINGS_TOO and BEFORE_THING.search(text, max(start - 12, 0), start) is not None
