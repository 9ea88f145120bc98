"""Where something is by now, of which an earlier text says where it was: "backfills go on wh_load from now on".

In: texts as `attribute_values` reads them. Out: what is where by now, in a few words; '' where nothing says so. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from memory_db.text.attribute_values import Settings, settings_of
from memory_db.text.number_words import in_figures
from memory_db.text.statements import CURLY, KNOWN_TEXTS, READ_CHARACTERS, answered, share, stems

SUBJECT = r"(?:the |our |all )?(?P<subject>[\w' -]{2,60}?)"
VALUE = r"(?P<value>[^,;.]+)"

MOVED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:^|[.,;:] ?){SUBJECT} (?:has |have |was |were |got |is |are )?(?:now )?"
        rf"(?:moved|switched|migrated|relocated|went over|changed over) (?:over )?(?:to|into|onto) {VALUE}",
        rf"(?:^(?:ok |okay |so |and )*|\b(?:we|i|they|ops)(?:'ve)? (?:have |just |finally )?)"
        rf"(?:moved|switched|migrated|changed|bumped|raised|shifted|upgraded|lowered) {SUBJECT} "
        rf"(?:over |up |down |back |out )?(?:to|into|onto) {VALUE}",
        rf"(?:^(?:ok |okay |so |and )?|\b(?:go|goes|going|went|switched|moved|we're|we are) )back to {VALUE}? "
        r"(?:for|with) (?:the |our |all )?(?P<subject>[^,;.]+)",
        rf"(?:^|[.,;:] ?){SUBJECT} (?:go(?:es)?|runs?|lives?|sits?|is sent|are sent|is|are) "
        rf"(?:to|on|in|over|through|with|via|at) {VALUE}? (?:now|these days|from now on|from here on|nowadays)\b",
    )
)
"""Ways of saying that something is elsewhere, or done with something else; the last one needs a name there before."""

SET_TO = re.compile(
    r"\b(?:in|at|on|with|to|via|through|over|using|by|is|are|called|named|lives?|uses?)\b (?:the |a |an |our )?"
    r"(?P<value>[\w./#@-]+)"
)
"""Where an earlier text names what something is in, on or with."""

PART = re.compile(r"[,;:!?] |\.(?: |$)| (?:because|since|so|but|and) ")
"""Where a part of a text ends that says something of one value."""

MOST_BESIDES = 3
"""Words that an earlier text may have besides what is moved: what it is set to, and little else."""


def moved_clause(after: Sequence[str], earlier: str) -> str:
    """What one of some later sentences says of where something is by now, of which a clause of an earlier text said
    where it was."""
    clauses = [clause for clause in PART.split(flat(answered(earlier)[1])) if SET_TO.search(clause)]
    for said in after:
        if not any(way.search(flat(said)) for way in MOVED):
            continue
        new = settings_of(said)
        for clause in clauses:
            if reason := moved(said, new, settings_of(clause), clause):
                return reason
    return ""


def moved(later: str, new: Settings, old: Settings, earlier: str) -> str:
    """Something that is elsewhere by now, by a name that is in no list."""
    plain, before = flat(later), flat(earlier)
    for way in MOVED:
        for match in way.finditer(plain):
            subject = frozenset(stems(match["subject"])) - frozenset(("we", "it"))
            if not subject or subject - old.subject:
                continue
            value = frozenset(stems(match["value"])) or frozenset(match["value"].split())
            known = old.subject | frozenset(stems(before))
            if not value or share(value, known) > 0:
                continue
            besides = old.subject - subject
            if len(besides) <= MOST_BESIDES and names_a_place(before, subject) and not old_sorts(old, new):
                return f"{match['subject'].strip()}: {match['value'].strip()[:40]} by now"
    return ""


def old_sorts(old: Settings, new: Settings) -> bool:
    """Whether an earlier text sets a value that no name takes the place of: a time, a length, a number."""
    others = {sort for sort in old.values if sort in ("schedule", "time", "duration", "size", "number", "switch")}
    return bool(others - new.values.keys())


def names_a_place(earlier: str, subject: frozenset[str]) -> bool:
    """Whether an earlier text says what something is in, on or with."""
    return any(not subject >= frozenset(stems(match["value"])) for match in SET_TO.finditer(earlier))


@lru_cache(maxsize=KNOWN_TEXTS)
def flat(text: str) -> str:
    """A text on one line in lower case."""
    return in_figures(" ".join(text[:READ_CHARACTERS].translate(CURLY).casefold().replace("`", "").split()))
