"""A value that is all somebody says, told with what it is the value of: "no, 28" after "titles are cut at 32".

In: a sentence of a message and its exchange. Out: the finding with the corrected statement as its text, or None.
Invariants: pure; the statement is the agent's or the user's own, but for the number that is corrected; where more than
one number of it may be meant, nothing is told.
"""

from __future__ import annotations

import re

from memory_db.extract.rules.error_fixes import EDITING_TOOLS, changed_lines
from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.negative_cues import VETOES
from memory_db.extract.rules.patterns import STATIVE
from memory_db.extract.rules.phrasing import tidied
from memory_db.extract.rules.prose import ProseFinding, matching, spelt_out
from memory_db.extract.rules.surroundings import VALUE, MessageFinding
from memory_db.text.sentences import Sentence, split

CORRECTS = (
    r"no|nope|nah|wait|sorry|actually|hm+|oh|ah|argh|correction|measured|counted|checked|again|"
    r"(?:make|set|put) (?:that|it)(?: to)?|(?:it|that)(?:'s| is| was)|its|should be|has to be|must be|rather|better|"
    r"i meant?|more like"
)
OPENS = r"ok|okay|so|then|and|but|well|it|only"

NUMBER = r"\d[\d.,]*\d|\d"

BARE = re.compile(
    rf"^\W*(?P<lead>(?:(?:{CORRECTS}|{OPENS})\b[\s,.:!-]*)*)(?P<new>{NUMBER})(?: ?(?P<unit>[a-z%]{{1,12}}))??"
    rf"(?:,? (?:and )?(?:not|instead of|rather than) (?P<old>{NUMBER})(?: ?[a-z%]{{1,12}})?)?"
    r"(?:[\s,]+(?:then|please|it is|it was|after all|sorry|now))*\W*$"
)
"""A sentence that says a value and nothing of what."""

DOES_CORRECT = re.compile(rf"\b(?:{CORRECTS})\b")

NUMBERS = re.compile(rf"(?<![\w.,/:#-])(?:{NUMBER})(?![\w/:-]|[.,]\d)(?: ?(?P<unit>[a-z%]{{1,12}}))?")
"""Numbers of a statement that stand alone, each with the word behind it: no version, no path, no hash."""

SETS = re.compile(rf"\b{STATIVE}\b|\b(?:cut|limited|capped|set|kept|rounded|split)\b|[\w-]+ ?= ?\d")
OF_ONE_RUN = re.compile(
    r"\b(?:commit\w*|merged|pushed|tests?|failed|passed|pass|took|ran|found|loaded|imported|rows?|files?|changed)\b"
)
"""What tells of the outcome of one run, whose numbers are no setting."""

MOST_STATED = 200
"""Characters of the longest statement that is told with another value. Source: ours."""


def bare_value(exchange: Exchange, sentence: Sentence, *, is_told: bool) -> MessageFinding | None:
    """The statement that a bare value corrects, with that value in it.

    Where the sentence `is_told` in another way, with its edit, it has to say itself that it corrects something.
    """
    said = BARE.match(spelt_out(sentence.masked))
    if said is None or exchange.is_first or exchange.message.is_remark:
        return None
    new, old = said["new"], said["old"] or ""
    replaced = replaced_by(exchange, new)
    is_edited = bool(replaced) and not is_told
    if not old and not is_edited and DOES_CORRECT.search(said["lead"]) is None:
        return None
    for told in (exchange.said_before, exchange.earlier_words):
        for one in reversed(split(told.replace("\x00", " "))):
            text = corrected(one, new, old, said["unit"] or "", replaced)
            if text:
                found = ProseFinding(
                    sentence.start, sentence.end, sentence.text, "correction", "corrects a value", VALUE, ("value",)
                )
                return MessageFinding(found, text)
    return None


def replaced_by(exchange: Exchange, new: str) -> set[str]:
    """The numbers in the place of which an edit that followed wrote another one."""
    found: set[str] = set()
    for action in exchange.followed:
        if action.tool in EDITING_TOOLS and not action.is_error:
            before, after = (set(re.findall(NUMBER, " ".join(lines))) for lines in changed_lines(action.input))
            found |= before - after if new in after - before else set()
    return found


def corrected(one: Sentence, new: str, old: str, unit: str, replaced: set[str]) -> str:
    """A statement with another value for the one that is meant; '' where it sets none, or more than one may be."""
    lower = spelt_out(one.masked)
    if len(one.text) > MOST_STATED or SETS.search(lower) is None or OF_ONE_RUN.search(lower):
        return ""
    if lower.rstrip().endswith("?") or any(matching(VETOES, lower, "user", False)):
        return ""
    found = [match for match in NUMBERS.finditer(one.text.lower()) if not unit or (match["unit"] or unit) == unit]
    meant = [match for match in found if number_of(match) == old or number_of(match) in replaced] or found
    if len({number_of(match) for match in meant}) != 1 or number_of(meant[0]) == new:
        return ""
    if old and number_of(meant[0]) != old:
        return ""
    start = meant[0].start()
    end = start + len(number_of(meant[0]))
    return tidied(f"{(one.text[:start] + new + one.text[end:]).rstrip('.!')}, not {one.text[start:end]}")


def number_of(match: re.Match[str]) -> str:
    """The number of a match without its unit."""
    return re.match(NUMBER, match[0])[0]  # type: ignore[index]
