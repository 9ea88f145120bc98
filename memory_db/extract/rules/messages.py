"""What a user's message says in its exchange that is worth keeping.

In: one exchange. Out: findings, each with the verbatim span it rests on, and a text that stands alone. Invariants:
pure; spans lie in what the user typed, and do not overlap; a sentence that says enough by itself is found here as
`read_prose` finds it, whatever surrounds it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from memory_db.extract.rules.answering import answer, asked_before
from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.frames import alone, is_objection
from memory_db.extract.rules.language_cues import Tables
from memory_db.extract.rules.phrasing import standing, tidied
from memory_db.extract.rules.prose import (
    CONTINUES,
    FEWEST_WORDS,
    NO_CUE,
    READ_CHARACTERS,
    ProseFinding,
    joined,
    judge,
    judge_as_one,
    spelt_out,
    tables_of_all,
)
from memory_db.extract.rules.surroundings import (
    CHANGED,
    EXACT,
    IS_TASK,
    MOST_JOINED_WORDS,
    OBJECTION,
    ON_TASK,
    TASK_WAIVED,
    TELLS_LITTLE,
    MessageFinding,
    bonus_of,
    is_for_now,
    is_taken_up,
    leans_back,
    may_attach,
    tells,
)
from memory_db.extract.rules.unfit import is_dropped, unfit
from memory_db.text.acknowledging import is_acknowledgement
from memory_db.text.sentences import Sentence, split

LOOKS_INTO = re.compile(
    r"\b(?:(?:have|take) a (?:look|dig|peek)|look (?:into|at it|at this|what)|dig into|find out why|"
    r"what(?:'s| is) (?:it|wrong|"
    r"going on)|can you see why|any idea|investigate|what happened)\b"
)
"""How a message asks to find out about the trouble that it tells."""

ADDS = re.compile(r"^(?:and|also|or|nor|neither|same)\b")
MOST_ADDED_WORDS = 6
"""Words of the longest sentence that only adds to the one before it: "and text only, no html". Source: ours."""

PROPOSES = re.compile(
    r"^(?!(?:what|how|why|when|where|which|who|is|are|does|do|did|can|could|should)\b).*, \d[\d.]*\?$"
)

ENOUGH_AT_FIRST = 5
"""Points from which a sentence of a session's first message is kept: most of those tell a task, or the trouble that it
is about. Source: ours, by eye, on the sessions of the sample and the seen half of bench/data/sessions."""

SURE = frozenset(
    {"remember", "from now on", "always or never", "not allowed", "I like", "ask me first", "we decided",
     "we do", "we are changing", "told before", "use this not that", "port, host or version", "forbids", "means",
     "the decision", "in this project", "everywhere I work"}
)  # fmt: skip
"""Cues that are enough there all the same."""

ASKS_OR_WISHES = re.compile(
    r"^(?:and |so |but |ok |also )?(?:does|did|can|could|how|what|why|where|which) [^.!]*$|\b(?:will|we|i|"
    r"they) need\b|"
    r"\bneeds? to\b|\bi'll\b|\bi will\b|\bof course\b|!$"
)
"""What asks without its mark, wishes or exclaims."""

PLACE = re.compile(r"[\w-]+/[\w./-]+|\b(?:folder|directory|module|package|table|schema|file|repo)\b", re.IGNORECASE)


@dataclass(slots=True, frozen=True)
class Part:
    """A sentence of a message with its finding if it says enough; `is_enough` if it does whatever surrounds it."""

    sentence: Sentence
    finding: ProseFinding | None
    is_enough: bool = False


def read_message(exchange: Exchange) -> list[MessageFinding]:
    """The findings in a user's message, in order and without overlap."""
    prose = exchange.message.prose[:READ_CHARACTERS]
    sentences = joined(split(prose), prose)
    if not sentences or (is_acknowledgement(prose.replace("\x00", " ")) and asked_before(exchange) is None):
        return []
    if is_dropped(exchange):
        return []
    answered = answer(exchange, prose, sentences)
    taken = answered[1] if answered else 0
    tables = tables_of_all(sentences)
    parts = [part_of(exchange, tables[number], sentences, number) for number in range(len(sentences))]
    found = [answered[0]] if answered else []
    for first, last in groups(parts, prose, taken):
        made = finding_of(exchange, prose, parts, first, last)
        if made is not None and not unfit(exchange, made.finding.quote):
            found.append(made)
    after = exchange.action is not None
    whole = None if found else judge_as_one(sentences, prose, role="user", after_action=after)
    if whole is not None and "\x00" not in whole.quote and not unfit(exchange, whole.quote):
        found = [MessageFinding(whole, tidied(standing(whole.quote)))]
    return found


def part_of(exchange: Exchange, tables: Tables, sentences: Sequence[Sentence], number: int) -> Part:
    """What one sentence is in its message."""
    sentence = as_told(exchange, sentences[number])
    finding = judge(sentence, tables, role="user", after_action=exchange.action is not None)
    if finding is not None:
        return Part(sentence, finding, is_enough=True)
    bonus = bonus_of(exchange, sentence, is_opening=number == 0)
    is_told = bonus and (tells(sentence.masked) or is_taken_up(exchange, spelt_out(sentence.masked)))
    if is_told and not is_for_now(exchange, sentence):
        fewest = 2 if bonus >= OBJECTION else FEWEST_WORDS
        after = exchange.action is not None
        bonus += TASK_WAIVED if is_taken_up(exchange, spelt_out(sentence.masked)) else 0
        finding = judge(sentence, tables, role="user", after_action=after, bonus=bonus, fewest=fewest)
    return Part(sentence, finding)


def as_told(exchange: Exchange, sentence: Sentence) -> Sentence:
    """A proposal whose value an edit took up as a statement: "a little less, 20?"."""
    lower = spelt_out(sentence.masked)
    if not PROPOSES.search(lower) or not is_taken_up(exchange, lower):
        return sentence
    return sentence._replace(masked=sentence.masked.rstrip("? ").ljust(len(sentence.masked)))


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
        first = last = number
        while first > free and leans_back(parts[first].sentence) and is_beside(prose, parts, first - 1):
            first -= 1
        if (
            first > free
            and is_objection(spelt_out(parts[first - 1].sentence.masked))
            and is_beside(prose, parts, first - 1)
        ):
            first -= 1
        while last + 1 < len(parts) and goes_on(parts, prose, first, last):
            last += 1
        found.append((first, last))
        number = free = last + 1
    return found


def is_beside(prose: str, parts: Sequence[Part], number: int) -> bool:
    """Whether a sentence and the next one stand in one block, and it may go with it."""
    one, other = parts[number].sentence, parts[number + 1].sentence
    between = prose[one.end : other.start]
    return "\n\n" not in between and "\x00" not in between and not one.masked.rstrip().endswith("?")


def goes_on(parts: Sequence[Part], prose: str, first: int, last: int) -> bool:
    """Whether the sentence behind a group belongs to it."""
    following = parts[last + 1]
    if not is_beside(prose, parts, last):
        return False
    if len(prose[parts[first].sentence.start : following.sentence.end].split()) > MOST_JOINED_WORDS:
        return False
    lower = spelt_out(following.sentence.masked)
    leans = (leans_back(following.sentence) or lower.startswith(CONTINUES)) and not ON_TASK.search(lower)
    if leans and not lower.endswith("?") and not IS_TASK.search(lower):
        return True
    if "\n" in prose[parts[last].sentence.end : following.sentence.start]:
        return False
    if following.is_enough and ADDS.match(lower) and len(lower.split()) <= MOST_ADDED_WORDS:
        return True
    return not following.is_enough and may_attach(following.sentence)


def finding_of(exchange: Exchange, prose: str, parts: Sequence[Part], first: int, last: int) -> MessageFinding | None:
    """A group as one finding with its text; None where nothing says what it is about."""
    strong = [part.finding for part in parts[first : last + 1] if part.finding is not None]
    best = max(strong, key=lambda one: one.points)
    start, end = parts[first].sentence.start, parts[last].sentence.end
    quote = prose[start:end]
    if "\x00" in quote:
        return None
    is_opening = first == 0 or not re.search(r"\d|\w@\w|\w\.\w", quote) or asks_to_look(prose)
    if exchange.is_first and is_opening and not is_sure(best, quote, prose):
        return None
    if best.rule in TELLS_LITTLE and ASKS_OR_WISHES.search(spelt_out(quote)):
        return None
    kind = kind_in(exchange, best, quote)
    if "correction" in {one.kind for one in strong} or exchange.message.is_remark:
        kind = "correction"
    cues = tuple(dict.fromkeys(cue for one in strong for cue in one.cues))
    finding = ProseFinding(start, end, quote, kind, best.rule, best.points, cues)
    is_enough = any(part.is_enough for part in parts[first : last + 1])
    text = alone(exchange, tidied(standing(quote)), spelt_out(parts[first].sentence.masked), is_enough=is_enough)
    return MessageFinding(finding, text) if text else None


@lru_cache(maxsize=8)
def asks_to_look(prose: str) -> bool:
    """Whether a message asks to find out about the trouble that it tells; remembered, as each finding in it asks."""
    return LOOKS_INTO.search(spelt_out(prose)) is not None


def is_sure(best: ProseFinding, quote: str, prose: str) -> bool:
    """Whether a finding is more than the task that a session begins with."""
    lower = spelt_out(quote)
    is_told = best.points >= ENOUGH_AT_FIRST and not ASKS_OR_WISHES.search(lower)
    if asks_to_look(prose):
        return best.rule in SURE
    if is_told or best.rule in SURE or CHANGED.search(lower):
        return True
    return best.rule == "lives in" and PLACE.search(quote) is not None


def kind_in(exchange: Exchange, best: ProseFinding, quote: str) -> str:
    """The kind of a group, where its cues say little of it."""
    if best.rule == NO_CUE:
        return "decision"
    if best.kind == "structure" and best.rule in TELLS_LITTLE and not PLACE.search(quote):
        return "environment" if EXACT.search(quote) else "domain"
    return best.kind
