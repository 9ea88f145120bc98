"""A value that is all somebody says, told with what it is the value of: "no, 28" after "titles are cut at 32".

In: a sentence of a message and its exchange. Out: the finding with the corrected statement as its text, or None.
Invariants: pure; the statement is the agent's or the user's own, but for the number that is corrected; where more than
one number of it may be meant, nothing is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memory_db.extract.rules.error_fixes import changed_lines
from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.negative_cues import VETOES
from memory_db.extract.rules.patterns import STATIVE
from memory_db.extract.rules.phrasing import tidied
from memory_db.extract.rules.prose import ProseFinding, matching, spelt_out
from memory_db.extract.rules.surroundings import NUMBER_WORDS, UNFIT, VALUE, MessageFinding, content
from memory_db.extract.rules.values_made import edits_made
from memory_db.text.sentences import Sentence, split

CORRECTS = (
    r"no|nope|nah|wait|sorry|actually|hm+|oh|ah|argh|correction|measured|counted|checked|again|"
    r"(?:make|set|put) (?:that|it)(?: to)?|(?:it|that)(?:'s| is| was)|its|should be|has to be|must be|rather|better|"
    r"i meant?|more like"
)
OPENS = r"ok|okay|so|then|and|but|well|it|only|just|keep|take|use|have|hmpf|ugh|uff|phew|lol"

NUMBER = r"\d[\d.,]*\d|\d"

LEAD = rf"^\W*(?P<lead>(?:(?:{CORRECTS}|{OPENS})\b[\s,.:!-]*)*)"
LAST = r"(?:[\s,]+(?:then|please|pls|it is|it was|after all|sorry|now|instead))*\W*$"
NEW, OLD = rf"(?P<new>{NUMBER})", rf"(?P<old>{NUMBER})"
COUNTED = r"(?: (?P<unit>(?!is\b|are\b|was\b)[a-z]{2,12}))?"

OF_TALK = r"(?:things?|points?|questions?|remarks?|notes?|issues?|rules?|objections?|wish(?:es)?|bugs?|more)\b"
"""What somebody counts who is about to say so many: "no, two things."."""

BARE = re.compile(
    rf"{LEAD}{NEW}(?: ?(?P<unit>(?!{OF_TALK})[a-z%]{{1,12}}))??"
    rf"(?:,? (?:and )?(?:not|instead of|rather than) {OLD}(?: ?[a-z%]{{1,12}})?)?{LAST}"
)
"""A sentence that says a value and nothing of what."""

SETS_ANEW = (
    r"(?:(?:so|then|better|rather|but|and|please|lets|let's|i'd|we'd|i|we|it|should be|has to be)\b[ ,]*)*"
    r"(?:(?:make|set|take|use|keep|put|have|want|say|do|go (?:with|for|down to|up to))\b[ ,]*)?"
    r"(?:(?:it|that|them|to|at|only|be)\b[ ,]*)*"
)

OTHERWISE = (
    BARE,
    re.compile(rf"{LEAD}{OLD}{COUNTED} {UNFIT}[^.?;]{{0,80}}?[,;:–-]+ {SETS_ANEW}{NEW}(?: ?[a-z%]{{1,12}})?{LAST}"),
    re.compile(
        rf"{LEAD}{NEW}{COUNTED} (?:is|are) (?:enough|plenty|fine)\b[^?;]{{0,40}}?\b{OLD}(?: \w+)? [^?;]{{1,60}}$"
    ),
    re.compile(
        rf"{LEAD}(?:i|we|you) (?:said|had|wrote|told you) {OLD}{COUNTED}[^?;]{{0,40}}?[,;:–-]+ "
        rf"{SETS_ANEW}{NEW}(?: ?[a-z%]{{1,12}})?{LAST}"
    ),
)
"""Ways of saying that a number is another one, and nothing of what."""

TOO_MUCH = re.compile(rf"{LEAD}{OLD}{COUNTED} {UNFIT}")
"""A sentence that says of a number that it is not to stay."""

DOES_CORRECT = re.compile(rf"\b(?:{CORRECTS})\b")

WRITTEN = re.compile(r"\b(?:" + "|".join(word for word in NUMBER_WORDS if word != "one") + r")\b")

NUMBERS = re.compile(rf"(?<![\w.,/:#-])(?:{NUMBER}|{WRITTEN.pattern})(?![\w/:-]|[.,]\d)(?: ?(?P<unit>[a-z%]{{1,12}}))?")
"""Numbers of a statement that stand alone, each with the word behind it: no version, no path, no hash."""

SETS = re.compile(rf"\b{STATIVE}\b|\b(?:cut|limited|capped|set|kept|rounded|split)\b|[\w-]+ ?= ?\d")
OF_ONE_RUN = re.compile(
    r"\b(?:commit\w*|merged|pushed|tests?|failed|passed|pass|took|ran|found|loaded|imported|rows?|files?|changed)\b"
)
"""What tells of the outcome of one run, whose numbers are no setting."""

MOST_STATED = 200
"""Characters of the longest statement that is told with another value. Source: ours."""

MOST_BACK = 30
"""Exchanges within which somebody said what a number is of. Source: ours; a long morning's work."""

FEWEST_STATED = 4
"""Words that mean something in the shortest statement that is told without the sentence before it. Source: ours."""


class Said(NamedTuple):
    """A value that somebody says: the `new` one, perhaps the `old` one and the `unit`, and whether it corrects."""

    new: str
    old: str
    unit: str
    does_correct: bool


def with_bare_values(
    exchange: Exchange, sentences: Sequence[Sentence], found: list[MessageFinding]
) -> list[MessageFinding]:
    """The findings of a message in order, with what a sentence corrects that says a value alone in that one's place.

    So too in the place of a finding that has one more sentence, the reason: "The disk is small. 5 is too many, make it
    3".
    """
    for number, one in enumerate(sentences):
        before = sentences[number - 1] if number else None
        start = before.start if before is not None and says_both(one, before) else one.start
        beside = [
            each for each in found if not (start <= each.finding.start and one.start < each.finding.end <= one.end)
        ]
        is_free = not any(each.finding.start < one.end and one.start < each.finding.end for each in beside)
        made = bare_value(exchange, one, is_told=len(beside) < len(found), before=before) if is_free else None
        found = [*beside, made] if made is not None else found
    return sorted(found, key=lambda each: each.finding.start)


def bare_value(
    exchange: Exchange, sentence: Sentence, *, is_told: bool, before: Sentence | None = None
) -> MessageFinding | None:
    """The statement that a bare value corrects, with that value in it; `before` is the sentence before it.

    Where the sentence `is_told` in another way, with its edit, it has to say itself that it corrects something.
    """
    said = said_in(sentence, before)
    if said is None or exchange.is_first or exchange.message.is_remark:
        return None
    replaced = replaced_by(exchange, said.new)
    is_edited = bool(replaced) and not is_told
    if not said.old and not is_edited and not said.does_correct:
        return None
    text = next((text for told in told_before(exchange) if (text := anew_in(told, said, replaced))), "")
    text = text or said_long_ago(exchange, said, replaced)
    if len([word for word in content(text) if not word[0].isdigit() and word not in NUMBER_WORDS]) < FEWEST_NAMED:
        return None
    rule = "corrects a value"
    found = ProseFinding(sentence.start, sentence.end, sentence.text, "correction", rule, VALUE, ("value",))
    return MessageFinding(found, text)


def says_both(sentence: Sentence, before: Sentence) -> bool:
    """Whether a sentence, with the one before it, says a value and the one that it replaces, and nothing of what."""
    said = said_in(sentence, before)
    return said is not None and bool(said.old)


def said_in(sentence: Sentence, before: Sentence | None) -> Said | None:
    """The value that a sentence says and nothing of what, with what the one before it calls unfit; else None."""
    lower = in_digits(spelt_out(sentence.masked))
    match = next((match for way in OTHERWISE if (match := way.match(lower))), None)
    if match is None:
        return None
    old, unit = match["old"] or "", match["unit"] or ""
    unfit = TOO_MUCH.match(in_digits(spelt_out(before.masked))) if before is not None and not old else None
    if unfit is not None:
        old, unit = unfit["old"], unit or unfit["unit"] or ""
    return Said(match["new"], old, unit, DOES_CORRECT.search(match["lead"]) is not None)


def in_digits(lower: str) -> str:
    """A sentence in lower case with its small numbers in digits."""
    return WRITTEN.sub(lambda match: NUMBER_WORDS[match[0]], lower)


def told_before(exchange: Exchange) -> tuple[str, str]:
    """What the agent said right before a message, and what the user said before that."""
    return exchange.said_before, exchange.earlier_words


def anew_in(told: str, said: Said, replaced: set[str]) -> str:
    """The last statement of a text that a value corrects, with it; '' where there is none."""
    for one in reversed(split(told.replace("\x00", " "))):
        if text := corrected(one, said.new, said.old, said.unit, replaced):
            return text
    return ""


def said_long_ago(exchange: Exchange, said: Said, replaced: set[str]) -> str:
    """The one statement of the user, earlier in the session, of the number that is replaced, with the new one."""
    old = said.old or (next(iter(replaced)) if len(replaced) == 1 else "")
    if not old:
        return ""
    found: set[str] = set()
    for told in user_words(exchange):
        sentences = split(told.replace("\x00", " "))
        for number, one in enumerate(sentences):
            if text := corrected(one, said.new, old, said.unit, set(), by_user=True):
                is_short = number > 0 and len(content(one.masked)) < FEWEST_STATED
                lead = sentences[number - 1].text.strip() if is_short else ""
                found.add(text if not lead or lead.endswith("?") else tidied(f"{lead} {text[0].lower()}{text[1:]}"))
    return found.pop() if len(found) == 1 else ""


def user_words(exchange: Exchange) -> Iterator[str]:
    """What the user said earlier in the session, the last first."""
    one = exchange.before
    for _ in range(MOST_BACK):
        if one is None:
            return
        yield one.message.prose
        one = one.before


def replaced_by(exchange: Exchange, new: str) -> set[str]:
    """The numbers in the place of which an edit that followed wrote another one."""
    found: set[str] = set()
    for action in edits_made(exchange):
        before, after = (set(re.findall(NUMBER, " ".join(lines))) for lines in changed_lines(action.input))
        found |= before - after if new in after - before else set()
    return found


FEWEST_NAMED = 2
"""Words that mean something in the shortest statement that tells what its value is of: not "10, not three". Source:
ours."""

ASKS = re.compile(
    r"^\W*(?:(?:so|and|but|ok|hm+|wait|well)[, ]+)*(?:is|are|was|does|do|did|should|can|could|would|will|has|have|what|"
    r"how|why|which|when|where|who) (?:the|that|this|it|we|you|i|there|[a-z]+|\d+) (?!not\b)"
)
"""How a question begins that may have no mark: "is three sane at all, what happens then"."""


def corrected(one: Sentence, new: str, old: str, unit: str, replaced: set[str], *, by_user: bool = False) -> str:
    """A statement with another value for the one that is meant; '' where it sets none, or more than one may be.

    What the user says themselves may be worded as a task: "keep the last 5".
    """
    lower = spelt_out(one.masked)
    is_setting = by_user or SETS.search(lower) is not None
    if len(one.text) > MOST_STATED or not is_setting or OF_ONE_RUN.search(lower):
        return ""
    if lower.rstrip().endswith("?") or ASKS.match(lower) or any(matching(VETOES, lower, "user", False)):
        return ""
    found = [match for match in NUMBERS.finditer(one.text.lower()) if may_count(match["unit"] or "", unit, by_user)]
    meant = [match for match in found if number_of(match) == old or number_of(match) in replaced] or found
    if len({number_of(match) for match in meant}) != 1 or number_of(meant[0]) == new:
        return ""
    if old and number_of(meant[0]) != old:
        return ""
    start = meant[0].start()
    end = start + len(as_written(meant[0]))
    return tidied(f"{(one.text[:start] + new + one.text[end:]).rstrip('.!')}, not {one.text[start:end]}")


def may_count(stated: str, unit: str, by_user: bool) -> bool:
    """Whether a number with one word behind it may be what another word is said of.

    Of the user's own words only what both count in the plural tells one from the other: "after 10 wrong passwords".
    """
    if not unit or not stated or stated == unit:
        return True
    return by_user and not (stated.endswith("s") and unit.endswith("s"))


def as_written(match: re.Match[str]) -> str:
    """The number of a match without its unit, as it stands there."""
    return re.match(rf"{NUMBER}|[a-z]+", match[0])[0]  # type: ignore[index]


def number_of(match: re.Match[str]) -> str:
    """The number of a match without its unit, in digits."""
    return NUMBER_WORDS.get(as_written(match), as_written(match))
