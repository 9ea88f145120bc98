"""Whether a prompt takes back what a memory says, or tells it anew with another value: then it is not told of it.

In: a prompt and the text of a memory. Out: yes or no. Pure. Invariant: whoever only asks for something, or for the
contrary of a rule, takes nothing back: that is when the rule is needed.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

from memory_db.recall.brief.same_saying import forbids, subject
from memory_db.records import DOTALL, IGNORECASE, later
from memory_db.text.stated_anew import changes_told, has_another_value
from memory_db.text.taking_back import taking_back

FEWEST_SHARED = 2
"""Distinctive words that a memory shares with what is taken back. Source: ours."""

SHORT = 5
"""Distinctive words up to which a memory is about one thing, which is then enough. Source: ours."""

SAYING = "the user said: "
SAID = later(rf"^(?:Asked|On|When|After) .{{1,2000}}\b{SAYING}", DOTALL)
"""What stands before somebody's words in a memory."""

RESERVES = later(r"\b(?:leave|keep|left) [^.;!?]{1,40}\b(?:to|for) me\b", IGNORECASE)
"""How somebody keeps a thing for themselves, beside words of denial."""


def is_taken_back(prompt: str, text: str) -> bool:
    """Whether a prompt says that what a memory says no longer holds, or sets another rule on the same matter."""
    own = SAID.sub("", text) if SAYING in text else text
    if is_told_anew(prompt, own):
        return True
    said = taking_back(prompt)
    if not said:
        return False
    about = subject(own)
    is_barred = forbids(own) or RESERVES.search(own) is not None
    fewest = 1 if len(about) <= SHORT else FEWEST_SHARED
    return any(len(about & subject(sentence)) >= fewest and (is_barred or not is_leave) for sentence, is_leave in said)


def is_told_anew(prompt: str, own: str) -> bool:
    """Whether a prompt tells that what a memory says has another value by now: "mila put 3.11 on the staging box"."""
    about = subject(own)
    fewest = 1 if len(about) <= SHORT else FEWEST_SHARED
    return any(
        has_another_value(clause, own) and len(about & subject(clause)) >= fewest for clause in changes_told(prompt)
    )
