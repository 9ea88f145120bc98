"""What an agent may do by itself, and what its user keeps: commit, push, merge, deploy and the like.

In: two texts. Out: the act for which the later one gives the leave that the earlier one withheld, or withholds the
leave that it gave. Invariant: pure; an act of which a text says both, or only for a condition, says nothing.
"""

from __future__ import annotations

import re

ACTS = ("commit", "push", "merge", "deploy", "release", "publish", "tag", "restart", "rebase", "ship", "install")
"""What is done to a repository or a machine that others see, of which people say whose it is."""

KNOWN_BY = 4
"""Letters by which an act is known in any of its forms, all of a shorter one."""

ACT = f"({'|'.join(ACTS)})"
FORM = f"({'|'.join(act.removesuffix('e') for act in ACTS)})(?:e|t|p|g)?(?:ing|s|es)?"
BETWEEN = r"(?:(?:just|also|now|happily|git|simply|always|the|it|them|this|that|my|your|own|each|every|all)[ ,]+){0,3}"
MINE = r"(?:mine|my (?:job|thing|business)|for me|with me|with these|to me|up to me)"

GIVES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\byou (?:can|may|could|should|(?:might|may) as well|are free to|are allowed to)(?: now)? {BETWEEN}{ACT}\b",
        rf"\b(?:feel free to|go ahead and|do) {ACT}\b",
        rf"\b{ACT} (?:it |them |things |everything )?(?:yourself|by yourself|without asking|as you go)\b",
    )
)
"""How leave for an act is given."""

KEEPS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:hands off|never|don't|do not|dont|no|not|stop|without|nor) {BETWEEN}{FORM}\b",
        rf"\bleave {BETWEEN}{FORM} (?:to|for|with) (?:me|us)\b",
        rf"\bi (?:do |make |will |want to |always |only )*{ACT} (?:it |them |things |everything )?(?:myself|by hand)\b",
        rf"\b{FORM} (?:is|are|stays?|remains?) {MINE}\b",
        rf"\bonly i {ACT}\b|\bi (?:do|make) (?:the |all |all the )?{ACT}s\b",
    )
)
"""How somebody keeps an act for themselves, or bars it."""

CONDITION = re.compile(r"\b(?:unless|if|when|whenever|once|until|till|except|without|before)\b(?! (?:asking|me)\b)")
"""Words by which leave or ban holds at times alone."""

SENTENCE = re.compile(r"(?<=[.!?;]) ")
"""Where a sentence of a text on one line ends."""


def acts(text: str, ways: tuple[re.Pattern[str], ...]) -> set[str]:
    """The acts that a text speaks of in one of some ways."""
    lower = " ".join(text.replace("’", "'").casefold().split())
    plain = [each for each in SENTENCE.split(lower) if CONDITION.search(each) is None]
    found = (form for each in plain for way in ways for match in way.finditer(each) for form in match.groups() if form)
    return {act for form in found for act in ACTS if form[:KNOWN_BY] == act[:KNOWN_BY]}


def leave_turned(later: str, earlier: str) -> str:
    """The acts whose leave a later text turns round; '' where there are none."""
    gives, keeps = acts(later, GIVES), acts(later, KEEPS)
    gave, kept = acts(earlier, GIVES), acts(earlier, KEEPS)
    turned = ((gives - keeps) & (kept - gave)) | ((keeps - gives) & (gave - kept))
    return ", ".join(sorted(turned))
