"""Which sentences of a message belong together: one that says enough, with what it needs to be understood.

In: the sentences of a message, each with its finding if it has one. Out: the first and last sentence of each group.
Invariants: pure; groups do not overlap, and stand in the order of the message.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory_db.extract.rules.beside import (
    AGREES_ONLY,
    ANOTHER,
    ASIDE,
    BANS_IT,
    FRAGMENT,
    SETS_NUMBER,
    asks,
    goes_with_scope,
    is_next_of_several,
    is_of_its_time,
    names_the_same,
)
from memory_db.extract.rules.frames import is_objection
from memory_db.extract.rules.negative_cues import VETOES
from memory_db.extract.rules.patterns import LEAD
from memory_db.extract.rules.prose import CONTINUES, ProseFinding, matching, spelt_out
from memory_db.extract.rules.surroundings import (
    IS_TASK,
    MOST_ATTACHED_WORDS,
    MOST_JOINED_WORDS,
    ON_TASK,
    leans_back,
    may_attach,
    misses_noun,
)
from memory_db.extract.rules.where import holds_everywhere, qualifies
from memory_db.text.sentences import Sentence

YOU_DID = re.compile(
    r"^(?:(?:hey|no|whoa|wait|stop|what|so|did)[,.! ]+)*you (?:(?:just|really|also|again|already) )*"
    r"(?!can\b|could\b|should\b|may\b|must\b|want\b|know\b|have to\b|need\b|will\b|are\b)"
    r"[a-z]+(?:ed|t|e|ut|an|id|ook)\b"
)
"""What the agent did, told by the user, with whatever mark."""

THIS = re.compile(r"\b(?:this|that|these|those) ([a-z]{3,})\b")
"""What a sentence points at by its name: "this tag"."""


OF_THAT = re.compile(r"\b(?:do|did|does|done|doing|try) (?:that|this|it|so)\b")
"""A sentence that says what not to do, and not what it is."""

ADDS = re.compile(r"^(?:and|also|or|nor|neither|same)\b")
MOST_ADDED_WORDS = 6
"""Words of the longest sentence that only adds to the one before it: "and text only, no html". Source: ours."""


LACKS = re.compile(
    r"^\W*(?:(?:and|but|so|btw|also|well|no|ah|oh),? )*(?:there(?:'s| is| are) (?:no|not any|only)\b|"
    r"(?!i\b|you\b|we\b)(?:[\w'/.-]+ ){1,5}?(?:has|have)(?: got)? (?:no|only)\b)"
)
"""What is missing somewhere, which is the reason of the rule behind it: "there's no bash on the scan pc"."""


SELF_ANSWER = re.compile(r"^\W*(?:(?:hm+|well|actually|ah|oh|ok)[ ,.!]+)*(?:no|nah|nope)\b[ ,.!]*", re.IGNORECASE)
"""How somebody begins to answer what they just asked themselves."""

OF_A_PROJECT = re.compile(r"\d{3,}|\w/\w|\w\.[a-z]{1,4}\b")
"""A port, a path or a file, which belongs to one project."""

SAYS_WHERE = re.compile(r"^\W*(?:that|that's|thats|this|same|it|it's|these|those)\b")
"""How a sentence begins that says of the one before it where it holds: "that's in all my repos"."""

MOST_WORDS_BEFORE = 10
"""Words of the longest rule that goes with the next one, of which it is said where it holds. Source: ours."""

FORM_OF_IT = re.compile(LEAD + r"(?:show|write|print|display|format|give|spell) (?:it|them|those|these) (?:as|like)\b")
"""How something is to be written that stands in the sentence before."""

OBJECT = re.compile(r"\b(?:see|want|need|do|have|keep|like|mean) (?:it|them)\b")
"""What a sentence says something of that stands before it."""

FORBIDS = re.compile(
    r"^\W*(?:(?:no|wait|hm+|please|ah|oh)\b[\s,.!]*)*(?P<ban>(?:not|don't|do not|never|rather|leave)\b.*)"
)
"""How a remark begins that says what not to do."""

MOST_WORDS_OF_REMARK = 4
"""Words of a rule that is too short to be read without what stands behind it: "not in there". Source: ours."""


ORDERS = re.compile(
    r"^\W*(?:(?:so|and|but|no|please)\W+)*(?:you (?:never|always|only|don't|do not|must|mustn't|may only|may not|"
    r"ask|tell)|nobody|never|don't|do not)\b[^,;:.]*"
    r"\b(?:there|it|them|those|these|in here|her|him)\b(?! \w+s\b)"
)
"""What the agent is to do or not to do with what the sentence before it names."""

MY_DAY = re.compile(
    r"^\W*so (?:i(?:'m| am| have| had| can|'ll| will)\b(?! (?:always|never|only)\b)|"
    r"there(?:'s| is) no (?:hurry|rush)\b)"
)
"""What something means for somebody's day: "so i have a day less than i thought"."""

FEWEST_ASKED = 4
"""Words of the shortest such question: "maybe?" repeats what somebody else said. Source: ours."""

MOST_TOGETHER_WORDS = 45
"""Words of the longest memory that is joined from several that say enough by themselves. Source: ours; nine of ten of
what readers call a thing worth knowing have fewer."""

MOST_CHARACTERS = 300
"""Characters of the longest memory that is joined from what is not to be done and what is, instead. Source: ours."""

POINTS_BACK = re.compile(
    r"^\W*(?:what(?:ever)? (?:they|he|she|it)|but|so|because|otherwise|therefore|hence|mine|theirs|"
    r"both|neither|there|this|that|these|those|its?|it's|they|"
    r"their|he|she|his|her|him|them)\b|\b(?:there|here) (?:too|as well|either)\b|"
    r"\b(?:must|has to|have to|should) (?:work|run|build|pass|compile|hold|fit|start) there\W*$"
)
"""How a sentence points at the one before it."""

ALTERNATIVE = re.compile(
    r"^\W*(?:without (?!you|me)\S|otherwise\b|or else\b|if (?:you|we) do\b|instead\b|rather\b|"
    r"(?:please )?(?:use|take|set|run|call|write) \S.*\b(?:for|instead|there|then)\b)|\binstead\W*$|"
    r"^\W*(?:the |its )?(?:[\w-]+ ){1,4}only(?:,|\W*$)"
)
"""What happens otherwise, or what is to be done instead, behind what is not to be done."""

NOT_TO_DO = re.compile(r"\b(?:never|do not|don't|no|not)\b")

SETS_FORM = re.compile(
    r"^\W*(?:(?:so|then|please|now) )*make (?:it|them|that|those) (?!(?:so|sure|work|pass|"
    r"green|right|go|better|faster|"
    r"nicer|bigger|smaller|shorter|longer|stop|start|"
    r"look|happen|run|simpler|cleaner|possible|easier)\b)(?:[\w-]+ ?){1,6}\W*$"
)
"""What something is to be from then on: "make them ints in cent"."""

CONCLUDES = re.compile(
    r"^\W*(?:therefore|hence|thus|consequently|that is why|that's why|"
    r"for (?:that|this) reason|because of (?:that|this))\b"
)
"""How a rule begins whose reason is the sentence before it."""

OF_SOMEBODY = re.compile(
    r"^\W*and (?!i\b|we\b|you\b|they\b|he\b|she\b|it\b)(?:[\w'-]+ ){1,2}(?:\([^)]*\) )?"
    r"(?:wants|needs|insists|asks|asked)\b"
)
"""How somebody goes on to what somebody else wants."""

REQUESTS = re.compile(r"^\W*(?:(?:and|so|but|also|ok) )*(?:can|could|would|will) you\b")


@dataclass(slots=True, frozen=True)
class Part:
    """A sentence of a message with its finding if it says enough; `is_enough` if it does whatever surrounds it.

    `is_cut` where it is a run of clauses, the rest of whose sentence is left out; `opens` where that begins with it.
    """

    sentence: Sentence
    finding: ProseFinding | None
    is_enough: bool = False
    is_cut: bool = False
    opens: bool = True


def groups(parts: Sequence[Part], prose: str, start: int) -> list[tuple[int, int]]:
    """The first and last sentence of each group that becomes one candidate: one that says enough, with what leans on it
    or stands right behind it; before it what it leans on."""
    found: list[tuple[int, int]] = []
    number = start
    free = start
    while number < len(parts):
        if parts[number].finding is None:
            number += 1
            continue
        if not parts[number].opens:
            is_short = misses_noun(spelt_out(parts[number].sentence.masked))
            goes_back = is_short and number > free and is_beside(prose, parts, number - 1)
            found.append((number - goes_back, number))
            number = free = number + 1
            continue
        first = last = number
        while first > free and leans_on(parts, first) and is_beside(prose, parts, first - 1):
            is_so = spelt_out(parts[first].sentence.masked).startswith("so ")
            is_agreed = AGREES_ONLY.match(spelt_out(parts[first - 1].sentence.masked)) is not None
            if (is_so and is_agreed) or is_aside(parts[first - 1]):
                break
            first -= 1
        is_deed = first > free and OF_THAT.search(spelt_out(parts[first].sentence.masked)) is not None
        if is_deed and tells_deed(prose, parts, first - 1):
            first -= 1
        if (
            first > free
            and is_objection(spelt_out(parts[first - 1].sentence.masked))
            and is_beside(prose, parts, first - 1)
        ):
            first -= 1
        is_form = FORM_OF_IT.match(spelt_out(parts[first].sentence.masked)) is not None
        if first > free and is_form and is_beside(prose, parts, first - 1):
            first -= 1
        if first > free and (gives_reason(prose, parts, first - 1) or is_rule_of(prose, parts, first - 1)):
            first -= 1
        first = from_what_is_dropped(prose, parts, free, first, number)
        while not parts[last].is_cut and last + 1 < len(parts) and goes_on(parts, prose, first, last):
            last += 1
        found.append((first, last))
        number = free = last + 1
    return together(parts, prose, found)


DROPS = re.compile(
    r"(?:(?:no|ah|oh|ok(?:ay)?|right|well|so)[, ]+)*(?:forget(?: about)?|scrap|drop|ditch|scratch) "
    r"(?!(?:it|that|this)\b)[^,;:]{2,40}[.!]*"
)
"""A short sentence that takes something back by its name: "forget readouts"."""

SETTLES = re.compile(r"\bit is(?:,? then)?[.!]*$")
"""How a sentence ends that settles what comes in its place: "so well_results it is"."""

MOST_BETWEEN = 2
"""Sentences that tell why between the two. Source: ours."""


def from_what_is_dropped(prose: str, parts: Sequence[Part], free: int, first: int, number: int) -> int:
    """Where a group begins whose sentence settles what comes in the place of what one shortly before it drops."""
    if SETTLES.search(spelt_out(parts[number].sentence.masked)) is None:
        return first
    earliest = max(free, first - 1 - MOST_BETWEEN)
    for place in range(first - 1, earliest - 1, -1):
        if not is_beside(prose, parts, place):
            break
        if DROPS.fullmatch(spelt_out(parts[place].sentence.masked).strip()):
            return place
    return first


def together(parts: Sequence[Part], prose: str, found: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Groups with those that stand right behind another and are of the same matter joined to it."""
    joined: list[tuple[int, int]] = []
    for first, last in found:
        if joined and joined[-1][1] + 1 == first and are_one(parts, prose, joined[-1], (first, last)):
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    return joined


def are_one(parts: Sequence[Part], prose: str, one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two groups side by side are of one matter: the second points back, or names a thing of the first."""
    if parts[one[1]].is_cut or parts[other[0]].is_cut or not is_beside(prose, parts, one[1]):
        return False
    start, end = parts[one[0]].sentence.start, parts[other[1]].sentence.end
    between = prose[parts[one[1]].sentence.end : parts[other[0]].sentence.start]
    before, behind = prose[start : parts[one[1]].sentence.end], prose[parts[other[0]].sentence.start : end]
    lower = spelt_out(behind)
    is_other_way = NOT_TO_DO.search(spelt_out(before)) is not None and ALTERNATIVE.search(lower) is not None
    if SETS_NUMBER.match(spelt_out(before)) and re.search(r"\d", behind) and ANOTHER.match(lower) is None:
        return "\n" not in between
    if is_other_way and "\n" not in between and end - start <= MOST_CHARACTERS:
        return True
    if "\n" not in between and end - start <= MOST_CHARACTERS and qualifies(spelt_out(before), lower):
        return True
    if "\n" in between or len(prose[start:end].split()) > MOST_TOGETHER_WORDS:
        return False
    if OF_SOMEBODY.match(lower):
        return False
    if holds_everywhere(before):
        return goes_with_scope(lower)
    ban = FORBIDS.match(spelt_out(before))
    is_remark = ban is not None and len(ban["ban"].split()) <= MOST_WORDS_OF_REMARK
    if is_remark and ANOTHER.match(lower) is None and not holds_everywhere(behind):
        return True
    if holds_everywhere(behind):
        return is_short_rule(before) and OBJECT.search(lower) is not None
    if ANOTHER.match(lower):
        return False
    if is_of_its_time(spelt_out(before), lower):
        return True
    return POINTS_BACK.search(lower) is not None or names_the_same(before, behind)


def leans_on(parts: Sequence[Part], number: int) -> bool:
    """Whether a sentence cannot be understood without the one before it, or says "this tag" of what that one names."""
    one = parts[number].sentence
    named = THIS.findall(spelt_out(one.masked)) if number else []
    before = set(re.findall(r"[a-z]+", spelt_out(parts[number - 1].sentence.masked))) if named else set()
    if number and BANS_IT.match(spelt_out(one.masked)):
        return parts[number - 1].finding is not None or may_attach(parts[number - 1].sentence)
    if number and CONCLUDES.match(spelt_out(one.masked)) and may_attach(parts[number - 1].sentence):
        return True
    if parts[number].is_enough and ANOTHER.match(spelt_out(one.masked)):
        return False
    is_qualifier = number > 0 and qualifies(spelt_out(parts[number - 1].sentence.masked), spelt_out(one.masked))
    if is_qualifier and (parts[number - 1].finding is not None or may_attach(parts[number - 1].sentence)):
        return True
    if number and is_of_its_time(spelt_out(parts[number - 1].sentence.masked), spelt_out(one.masked)):
        return True
    return leans_back(one) or any(name in before for name in named)


def orders_on(part: Part) -> bool:
    """Whether a sentence is an order on what the one before it names: "you never write there"."""
    lower = spelt_out(part.sentence.masked)
    is_order = ORDERS.match(lower) is not None and not lower.endswith("?") and len(lower.split()) <= MOST_ATTACHED_WORDS
    return is_order and not any(matching(VETOES, lower, "user", False))


def is_beside(prose: str, parts: Sequence[Part], number: int) -> bool:
    """Whether a sentence and the next one stand in one block, and it may go with it."""
    one, other = parts[number].sentence, parts[number + 1].sentence
    between = prose[one.end : other.start]
    return "\n\n" not in between and "\x00" not in between and not one.masked.rstrip().endswith("?")


def is_aside(part: Part) -> bool:
    """Whether a sentence only asks, or remarks on what stands before it: "which is the best joke of the day"."""
    lower = spelt_out(part.sentence.masked)
    return part.finding is None and (asks(lower) or ASIDE.match(lower) is not None)


def gives_reason(prose: str, parts: Sequence[Part], number: int) -> bool:
    """Whether a sentence says what is missing somewhere, and the next one is the rule for it."""
    one, other = parts[number], parts[number + 1]
    if one.finding is not None or not other.is_enough or not is_beside(prose, parts, number):
        return False
    return LACKS.match(spelt_out(one.sentence.masked)) is not None and may_attach(one.sentence)


def is_rule_of(prose: str, parts: Sequence[Part], number: int) -> bool:
    """Whether a sentence is the rule of which the next one says where it holds: "a test first. I want it ..."."""
    one, behind = parts[number].sentence, parts[number + 1].sentence.text
    says_where = holds_everywhere(behind) and OBJECT.search(spelt_out(behind)) is not None
    return says_where and is_short_rule(one.text) and is_beside(prose, parts, number)


def is_short_rule(text: str) -> bool:
    """Whether a text is short, and neither a task nor only of one project."""
    is_other = OF_A_PROJECT.search(text) is not None or IS_TASK.search(spelt_out(text)) is not None
    return len(text.split()) <= MOST_WORDS_BEFORE and not is_other


def own_question(prose: str, parts: Sequence[Part], first: int) -> str:
    """The question that somebody asks themselves and answers with a group; '' where they ask none."""
    one = parts[first].sentence
    if not first or SELF_ANSWER.match(spelt_out(one.masked)) is None:
        return ""
    asked = parts[first - 1].sentence
    between = prose[asked.end : one.start]
    is_own = asked.masked.rstrip().endswith("?") and "\n" not in between and "\x00" not in asked.text
    is_own = is_own and len(asked.text.split()) >= FEWEST_ASKED
    return asked.text if is_own and REQUESTS.match(spelt_out(asked.masked)) is None else ""


def tells_deed(prose: str, parts: Sequence[Part], number: int) -> bool:
    """Whether a sentence tells what the agent did, and the next one is of that."""
    one, other = parts[number].sentence, parts[number + 1].sentence
    between = prose[one.end : other.start]
    return "\n\n" not in between and "\x00" not in between and YOU_DID.match(spelt_out(one.masked)) is not None


def goes_on(parts: Sequence[Part], prose: str, first: int, last: int) -> bool:
    """Whether the sentence behind a group belongs to it."""
    following = parts[last + 1]
    if not following.opens or not is_beside(prose, parts, last):
        return False
    start, lower = parts[first].sentence.start, spelt_out(following.sentence.masked)
    is_other = following.finding is not None and is_next_of_several(prose[:start], lower)
    if is_other or len(prose[start : following.sentence.end].split()) > MOST_JOINED_WORDS:
        return False
    if parts[last].finding is not None and not following.is_cut and orders_on(following):
        return "\n" not in prose[parts[last].sentence.end : following.sentence.start]
    if following.finding is None and MY_DAY.match(lower):
        return False
    behind = parts[last + 2].sentence.masked if last + 2 < len(parts) else ""
    group = prose[start : parts[last].sentence.end]
    if following.finding is not None and SAYS_WHERE.match(behind.lower()) and holds_everywhere(behind):
        if OF_A_PROJECT.search(group):
            return False
        if len(group.split()) <= MOST_WORDS_BEFORE and is_beside(prose, parts, last + 1):
            return True
    leans = (leans_on(parts, last + 1) or lower.startswith(CONTINUES)) and not ON_TASK.search(lower)
    does_ask = lower.endswith("?") if lower.startswith("so ") else asks(lower)
    if SETS_FORM.match(lower) and parts[last].finding is not None:
        return True
    if leans and not does_ask and (following.finding is not None or not IS_TASK.search(lower)):
        return True
    if "\n" in prose[parts[last].sentence.end : following.sentence.start]:
        return False
    if parts[last].finding is not None and FRAGMENT.match(lower):
        return True
    if following.is_enough and ADDS.match(lower) and len(lower.split()) <= MOST_ADDED_WORDS:
        return True
    return not following.is_enough and not following.is_cut and may_attach(following.sentence)
