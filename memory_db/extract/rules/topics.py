"""Findings of one message that are of one topic, as one, with the sentences beside them that tell more of it.

In: the findings of a message, in order, and its sentences. Out: findings that hold a whole topic each: what somebody
says in a row until they turn to something else, ask, or come to a rule of another scope. Invariants: pure; findings do
not overlap and stand in the order of the message; each quote is a slice of it, and each text is made of
it and of what its first finding was framed with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memory_db.extract.rules.addressed import begins_for_another
from memory_db.extract.rules.answering import asked_before
from memory_db.extract.rules.beside import AGREES_ONLY, ANOTHER, COMPLAINS, asks, is_next_of_several, names_the_same
from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.frames import what_was_before
from memory_db.extract.rules.groups import OF_SOMEBODY, Part
from memory_db.extract.rules.negative_cues import DOUBTS, VETOES
from memory_db.extract.rules.patterns import LEAD, RULE_WORDS
from memory_db.extract.rules.phrasing import stated
from memory_db.extract.rules.prose import ProseFinding, matching, spelt_out
from memory_db.extract.rules.questions import AFFIRMS, DENIES, EXCLAIMS, OPENING, SAYS_NOTHING
from memory_db.extract.rules.run_on import LOCAL_DOUBTS, LOCAL_VETOES
from memory_db.extract.rules.surroundings import (
    ANOTHER_MATTER,
    BELONGS,
    IS_TASK,
    NUMBER_WORDS,
    ON_TASK,
    MessageFinding,
    content,
    leans_back,
)
from memory_db.extract.rules.titles import FRAME, SCENE
from memory_db.extract.rules.unfit import unfit
from memory_db.extract.rules.where import holds_everywhere, scope_of
from memory_db.text.acknowledging import is_acknowledgement
from memory_db.text.sentences import Sentence

MOST_WORDS = 70
"""Words of the longest topic. Source: ours, on bench/data/sessions; with 45 as many of its facts stand whole in one
memory, but reasons and exceptions are cut off."""

MADE_ANEW = "corrects a value"
"""The rule whose text is no part of the message: an earlier statement with another value."""

IN_A_LIST = re.compile(r"\n\s*(?:[-*•–]|\d+[.)]) ")
"""What parts the items of a list, which say a thing each."""

SETS = re.compile(
    r"\d|\b(?:" + "|".join(NUMBER_WORDS) + r"|no|not|never|only|always|instead|don't|without|half|twice|every|each)\b"
)
"""What a task sets or rules out, so that it tells more than what is to be done now."""

FEWEST_TOLD = 1
FEWEST_OF_TASK = 2
"""Words that mean something in the shortest sentence that tells more of a topic, and in the shortest task, unless they
set or rule out something. Source: ours."""

MOST_WORDS_OF_REMARK = 4
"""Words of a remark that the rule behind it goes with: "not like that". Source: ours."""

POINTS = re.compile(r"^[^,;.]*?\b(?:them|those|these|it)\b(?! (?:is|are|was|if|when|the)\b)")
"""Words by which a rule is of what stands before it: "hands off those"."""

QUALIFIES_TASK = re.compile(r"^\W*(?:(?:and|but|so) )?(?:for|to|with|at|in|on|from|by|after|before|until|like|as) ")
"""How words begin that only say how, when or where the task before them is to be done."""

OF_THEIR_CLAUSE = LOCAL_DOUBTS | {"somebody else says", "about a person", "it does this now"}
"""Doubts that do not speak against a sentence as the reason of what stands beside it: "they want a person on each"."""

CHOSEN = " the user chose "
"""What stands in the text of an answer that picks one of what was offered."""

WANTS_TO_SEE = re.compile(
    LEAD
    + r"(?:(?:now|then|and|first|next|please)\W+)*(?:show|tell|print|open|look|check|explain|find|search|read|list|"
    r"try|run|start|rerun|commit|push)\b"
)
"""An order to find out or to run something, which changes nothing."""

BLANK_LINE = re.compile(r"\n\s*\n")
"""What parts one paragraph of a message from the next."""

STANDING_RULES = frozenset(
    {"always or never", "from now on", "not allowed", "we do", "use this not that", "must or must not", "permits",
     "forbids", "in this project", "ask me first", "none of that", "everywhere in it", "spare me that", "whose it is",
     "gave their word", "only on days", "allows more or less"}
)  # fmt: skip
"""Cues of a rule that needs nothing beside it: two such rules in a row are two memories, of which one may end."""


OF_ANYTHING = frozenset(
    {"states a fact", "odd behaviour", "sometimes", "environment", "business", "people here", "needs",
     "forbids after action", "part of the system", "generic object", "reason", "every or all"}
)  # fmt: skip
"""Cues that small talk shows too."""

MOST_OF_LITTLE = 4
"""Words that mean something in the longest talk of which nothing is kept that only such a cue speaks for. Source: ours;
bench/data/sessions loses nothing worth knowing by it."""

ENOUGH_POINTS = 5
"""Points from which more than such a cue speaks for it. Source: ours; a change or an objection has as many."""

ANCHORED = re.compile(r"\d|`|\w[_./@]\w|\b[A-Z]")
"""A value or a name."""


LABELLED = re.compile(
    r"^\W*(?!(?:so|note|ps|reason|reasons|because|meaning|example|eg|also|and|but|then|next|now|first|second|third|last|"
    r"rule|rules|hint|tip|remember|important|always|never|only|otherwise|instead|except|exception)\b)"
    r"[a-z][\w-]{2,20}: (?=\S+ \S+)"
)
"""How somebody comes to the next of several things: "interlock: right fix, but ..."."""


AND_ALSO = re.compile(r"(?:and|also)\b", re.IGNORECASE)
"""How somebody goes on to the next thing."""


def by_topic(
    exchange: Exchange,
    prose: str,
    sentences: Sequence[Sentence],
    parts: Sequence[Part],
    found: Sequence[MessageFinding],
) -> list[MessageFinding]:
    """The findings of a message, those of one topic as one, with the sentences that go on with it or lead to it."""
    joined: list[MessageFinding] = []
    for one in found:
        if joined and (both := together(prose, sentences, joined[-1], one)) is not None:
            joined[-1] = both
        else:
            joined.append(one)
    whole = extended(exchange, prose, list(pieces(sentences, parts)), joined)
    return [one for one in whole if not says_little(exchange, one)]


def says_little(exchange: Exchange, one: MessageFinding) -> bool:
    """Whether a finding has too few words of a meaning to be read alone, and no rule, value or name speaks for it."""
    core = (one.core or one).finding
    if exchange.message.is_remark or " became `" in one.text or (FRAME.match(one.text) and not core.cues):
        return False
    if core.points >= ENOUGH_POINTS or not OF_ANYTHING.issuperset(core.cues):
        return False
    said = said_in(one.text)
    if ANCHORED.search(said[1:]) or re.search(rf"\b(?:{RULE_WORDS})\b", said.lower()):
        return False
    return len(set(content(said))) <= MOST_OF_LITTLE


def pieces(sentences: Sequence[Sentence], parts: Sequence[Part]) -> Iterator[Part]:
    """The parts of a message with what was left out of those that were cut."""
    for whole, part in zip(sentences, parts, strict=True):
        cut = part.sentence
        if cut.start > whole.start:
            yield Part(slice_of(whole, whole.start, cut.start), None)
        yield part
        if cut.end < whole.end:
            yield Part(slice_of(whole, cut.end, whole.end), None)


def slice_of(sentence: Sentence, start: int, end: int) -> Sentence:
    """A part of a sentence as one of its own, without what parts it from the rest."""
    masked = sentence.masked[start - sentence.start : end - sentence.start]
    first = len(masked) - len(masked.lstrip(" ,;:-–—("))
    last = len(masked.rstrip(" ,;:-–—("))
    text = sentence.text[start - sentence.start : end - sentence.start]
    return Sentence(start + first, start + last, text[first:last], masked[first:last], sentence.paragraph)


# ------------------------------------------------------------------ one finding and the next


def together(
    prose: str, sentences: Sequence[Sentence], one: MessageFinding, other: MessageFinding
) -> MessageFinding | None:
    """Two findings as one with what stands between them; None where they are of two topics."""
    start, end = one.finding.end, other.finding.start
    between = [each for each in sentences if start <= each.start and each.end <= end]
    if not is_one_block(prose[start:end]) or any(each.masked.rstrip().endswith("?") for each in between):
        return None
    if MADE_ANEW in (one.finding.rule, other.finding.rule) or turns(other.finding.quote):
        return None
    if is_next_of_several(prose[: one.finding.start], other.finding.quote):
        return None
    is_next = AND_ALSO.match(other.finding.quote) is not None and not STANDING_RULES.isdisjoint(one.finding.cues)
    if is_next and any(IS_TASK.search(spelt_out(each.masked)) for each in between):
        return None  # what is to be done of the first parts it from the next
    if is_too_much(prose[one.finding.start : other.finding.end]) or are_two_rules(one.finding, other.finding):
        return None
    finding = spanning(prose, one.finding, other.finding)
    whole = (one.finding, other.finding, finding)
    if len({scope_of(each, has_project=True, with_machine=False) for each in whole}) != 1:
        return None
    told = [each.text for each in between if not is_acknowledgement(each.masked)]
    text = " ".join([one.text, *map(stated, told), said_in(other.text)])
    if is_plain(one) and is_plain(other):
        text = stated(finding.quote)
    return MessageFinding(finding, text, core=stronger(one, other))


def is_plain(one: MessageFinding) -> bool:
    """Whether the text of a finding is its quote and nothing else."""
    return one.text == stated(one.finding.quote)


def spanning(prose: str, one: ProseFinding, other: ProseFinding) -> ProseFinding:
    """A finding of all from the beginning of one to the end of another; a correction stays one."""
    best = max(one, other, key=lambda each: each.points)
    kind = "correction" if "correction" in (one.kind, other.kind) else best.kind
    cues = tuple(dict.fromkeys((*one.cues, *other.cues)))
    return ProseFinding(one.start, other.end, prose[one.start : other.end], kind, best.rule, best.points, cues)


def stronger(one: MessageFinding, other: MessageFinding) -> MessageFinding:
    """The finding with more points of two, each as it was before it was joined to others."""
    first, second = one.core or one, other.core or other
    return second if second.finding.points > first.finding.points else first


def are_two_rules(one: ProseFinding, other: ProseFinding) -> bool:
    """Whether a finding is a rule that needs nothing before it, and names nothing of the one that stands there."""
    is_remark = len(one.quote.split()) <= MOST_WORDS_OF_REMARK
    return not is_remark and stands_alone(other) and not names_the_same(one.quote, other.quote)


def stands_alone(one: ProseFinding) -> bool:
    """Whether a finding is a rule that needs nothing before it."""
    said = Sentence(one.start, one.end, one.quote, one.quote, 0)
    leans = leans_back(said) or POINTS.search(spelt_out(one.quote)) is not None
    return not STANDING_RULES.isdisjoint(one.cues) and not leans


def turns(said: str) -> bool:
    """Whether words turn to something else than what stands before them, or to another project."""
    lower = spelt_out(said)
    is_other = any(each.match(lower) for each in (ANOTHER_MATTER, ANOTHER, OF_SOMEBODY, LABELLED))
    return is_other or begins_for_another(said)


def is_one_block(between: str) -> bool:
    """Whether nothing parts what stands before some characters from what stands behind them."""
    return "\x00" not in between and not BLANK_LINE.search(between) and not IN_A_LIST.search(between)


def is_too_much(said: str) -> bool:
    """Whether words are more than a memory has, or not all of somebody's own."""
    return len(said.split()) > MOST_WORDS or "\x00" in said


# ------------------------------------------------------------------ what stands beside a finding


def extended(
    exchange: Exchange, prose: str, parts: Sequence[Part], found: Sequence[MessageFinding]
) -> Iterator[MessageFinding]:
    """Findings with the sentences before and behind them that are of their topic."""
    free = 0
    for number, one in enumerate(found):
        limit = found[number + 1].finding.start if number + 1 < len(found) else len(prose)
        if one.finding.rule != MADE_ANEW and not exchange.is_first and not exchange.is_discussed:
            is_whole = stands_alone(one.finding)
            if not holds_everywhere(one.finding.quote):
                one = with_what_follows(exchange, prose, parts, one, limit, is_whole=is_whole)
            one = with_what_leads(exchange, prose, parts, one, free, is_whole=is_whole)
        free = one.finding.end
        yield one


def with_what_follows(
    exchange: Exchange, prose: str, parts: Sequence[Part], one: MessageFinding, limit: int, *, is_whole: bool
) -> MessageFinding:
    """A finding with the sentences behind it, up to a place in the message; with no task where it is whole."""
    for part in parts:
        start, end = part.sentence.start, part.sentence.end
        if start < one.finding.end:
            continue
        whole = prose[one.finding.start : end]
        between = prose[one.finding.end : start]
        if end > limit or not is_one_block(between) or is_too_much(whole) or not goes_along(exchange, part):
            break
        finding = replace(one.finding, end=end, quote=whole)
        text = stated(whole) if is_plain(one) else f"{one.text} {stated(part.sentence.text)}"
        one = MessageFinding(finding, text, core=one.core or one)
    return one


def with_what_leads(
    exchange: Exchange, prose: str, parts: Sequence[Part], one: MessageFinding, free: int, *, is_whole: bool
) -> MessageFinding:
    """A finding with the sentences before it, down to a place in the message; with none but an answer where it is
    whole."""
    for part in reversed(parts):
        start, end = part.sentence.start, part.sentence.end
        if end > one.finding.start:
            continue
        whole = prose[start : one.finding.end]
        between = prose[end : one.finding.start]
        if start < free or not is_one_block(between) or is_too_much(whole) or turns(one.finding.quote):
            break
        asked = answered(exchange, part.sentence.masked)
        is_of_task = IS_TASK.search(spelt_out(part.sentence.masked)) is not None
        is_of_task = is_of_task and QUALIFIES_TASK.match(spelt_out(one.finding.quote)) is None
        if not asked and (is_whole or is_of_task):
            break
        if not leads(exchange, part) or CHOSEN in one.text:
            break
        frame = FRAME.match(one.text)
        cut = frame.start("said") if frame else 0
        text = f"{one.text[:cut]}{stated(part.sentence.text)} {one.text[cut:]}"
        text = stated(whole) if is_plain(one) else text
        text = text if frame else f"{asked}{text}"
        one = MessageFinding(replace(one.finding, start=start, quote=whole), text, core=one.core or one)
    return one


def goes_along(exchange: Exchange, part: Part) -> bool:
    """Whether a sentence that says too little by itself may stand beside a finding: it asks nothing, is no word on the
    work under way, and turns to nothing else.

    A sentence that is left out for what it is, a task or of the moment, stays out.
    """
    said = part.sentence.masked
    lower = spelt_out(said)
    if not said or is_acknowledgement(said) or (part.finding is not None and unfit(exchange, part.finding.quote)):
        return False
    if asks(lower) or ON_TASK.search(lower) or turns(said) or COMPLAINS.match(lower):
        return False
    if any(each.match(lower) for each in (SAYS_NOTHING, AGREES_ONLY, WANTS_TO_SEE)):
        return False
    fewest = FEWEST_OF_TASK if IS_TASK.search(lower) else FEWEST_TOLD
    if len(content(said)) < fewest and SETS.search(lower) is None:
        return False
    vetoes = {cue.name for cue in matching(VETOES, lower, "user", False)}
    doubts = (cue.points for cue in matching(DOUBTS, lower, "user", False) if cue.name not in OF_THEIR_CLAUSE)
    return vetoes <= LOCAL_VETOES and sum(doubts) >= BELONGS


def answered(exchange: Exchange, said: str) -> str:
    """What the agent asked, of a message that begins with yes or no, as the beginning of a text; '' for any other."""
    lower = spelt_out(EXCLAIMS.sub("", said))
    if asked_before(exchange) is None or (AFFIRMS.match(lower) is None and DENIES.match(lower) is None):
        return ""
    before = what_was_before(exchange, lower, is_short=False)
    return f"{before}{'' if before.endswith(' and') else ','} the user said: " if before else ""


def leads(exchange: Exchange, part: Part) -> bool:
    """Whether a sentence before a finding is what that is about: an answer of more than yes or no, or one that goes
    along and is more than a word, unless it sets something, and not how it came to be said."""
    said = part.sentence.masked
    if part.finding is None and OPENING.sub("", spelt_out(said)).strip(" .!") and answered(exchange, said):
        return SAYS_NOTHING.search(spelt_out(said)) is None
    whole = said.rstrip(" .,!")
    scene = SCENE.match(f"{whole}. and so on")
    is_told = len(content(said)) > FEWEST_TOLD or SETS.search(spelt_out(said)) is not None
    return goes_along(exchange, part) and is_told and (scene is None or scene.end() < len(whole))


# ------------------------------------------------------------------ words


def said_in(text: str) -> str:
    """What the user says in a text, without what that answers."""
    frame = FRAME.match(text)
    return frame["said"] if frame else text
