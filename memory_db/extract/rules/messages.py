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
from memory_db.extract.rules.frames import alone, is_objection, with_name
from memory_db.extract.rules.language_cues import Tables, tables_for, tables_of
from memory_db.extract.rules.momentary import is_momentary
from memory_db.extract.rules.patterns import STATIVE
from memory_db.extract.rules.phrasing import standing, tidied
from memory_db.extract.rules.prose import (
    CONTINUES,
    ENGLISH,
    FEWEST_WORDS,
    NO_CUE,
    READ_CHARACTERS,
    ProseFinding,
    joined,
    judge,
    judge_as_one,
    matching,
    spelt_out,
    tables_of_all,
)
from memory_db.extract.rules.run_on import may_be_cut, runs
from memory_db.extract.rules.surroundings import (
    CHANGED,
    EXACT,
    IS_TASK,
    MOST_JOINED_WORDS,
    OBJECTION,
    ON_TASK,
    PLAIN,
    TASK_WAIVED,
    TELLS_LITTLE,
    TURN,
    MessageFinding,
    bonus_of,
    content,
    is_for_now,
    is_named_in_edit,
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
    r"going on|the move|up (?:there|with))|can you see why|any idea|investigate|what happened|wtf|no idea (?:since|"
    r"why)|look please|(?:so|but|and) why)\b|\bwhy\W*$|\bwhat's that\W*$"
)
"""How a message asks to find out about the trouble that it tells."""

COMPLAINS = re.compile(
    r"^(?:(?:hey|no|whoa|wait|stop|hm+|eh|um|sorry)[,.! ]+)*i (?:didn't|did not|never) (?:ask|say|tell|want|mean)\b"
    r"(?:\W+\w+){0,8}\W*$"
)
"""What only complains of what was done: beside it stands what the user wants."""

BESIDES = re.compile(r"\b(?:btw|by the way|mind you|fyi|for the record)\b")
"""How somebody tells something beside the matter."""

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

PROPOSES = re.compile(
    r"^(?!(?:what|how|why|when|where|which|who|is|are|does|do|did|can|could|should)\b).*, \d[\d.]*\?$"
)

ENOUGH_AT_FIRST = 5
"""Points from which a sentence of a session's first message is kept: most of those tell a task, or the trouble that it
is about. Source: ours, by eye, on the sessions of the sample and the seen half of bench/data/sessions."""

ENOUGH_ELSEWHERE = 3
"""The same in other languages than English, which have fewer cues, and of fewer points. Source: ours."""

OF_TROUBLE = frozenset({"known trouble", "odd behaviour", "sometimes"})
"""Cues of the trouble that a session begins with, and which is over at its end."""

SURE = frozenset(
    {"remember", "from now on", "always or never", "not allowed", "I like", "ask me first", "we decided",
     "we do", "we are changing", "told before", "use this not that", "port, host or version", "forbids", "means",
     "the decision", "in this project", "everywhere I work", "by the way", "permits", "on this, that"}
)  # fmt: skip
"""Cues that are enough there all the same."""

ASKS_OR_WISHES = re.compile(
    r"^(?:and |so |but |ok |also )?(?:does|did|can|could|how|what|why|where|which) [^.!]*$|\b(?:will|we|i|"
    r"they) need\b|"
    r"\bneeds? to\b|\bi'll\b|\bi will\b|\bof course\b|!$"
)
"""What asks without its mark, wishes or exclaims."""

ANCHOR = re.compile(
    r"\d|`|\w[_./]\w|(?<!\w)--?[a-z]|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|"
    r"\b(?:only|each|every|both|never|always|nur|jede\w?|immer|nie|seul\w*|chaque|toujours|jamais|solo|cada|siempre|"
    r"nunca|sempre|ogni|każd\w+|zawsze|nigdy|только|всегда|никогда|кажд\w+)\b|[都只每]|だけ|毎|항상|만 "
)
"""What a statement names to the letter, or says of all."""

NAMED_WITHIN = re.compile(r"(?<=[\w,;] )[A-Z]\w|\b[a-z]+[A-Z]\w")
"""A name; of German, which writes every noun so, it tells nothing."""

HOW_IT_IS = re.compile(rf"\b{STATIVE}\b")
TO_COME = re.compile(
    r"\b(?:will|shall|i'll|we'll|he'll|she'll|they'll|it'll|"
    r"won't(?! (?:fly|work|do\b|help|run|build|start|cut it))|wird|werden|werde|würde\w*|hätte\w*|wäre\w*)\b"
)
"""What is to come, or would be: no statement of how things are."""

FEWEST_TOLD = 3
"""Words that mean something in the shortest statement without a cue that is kept. Source: ours."""

PLACE = re.compile(r"[\w-]+/[\w./-]+|\b(?:folder|directory|module|package|table|schema|file|repo)\b", re.IGNORECASE)


@dataclass(slots=True, frozen=True)
class Part:
    """A sentence of a message with its finding if it says enough; `is_enough` if it does whatever surrounds it.

    `is_cut` where it is a run of clauses, the rest of whose sentence is left out.
    """

    sentence: Sentence
    finding: ProseFinding | None
    is_enough: bool = False
    is_cut: bool = False


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
    if len(found) > 1:
        found = [one for one in found if COMPLAINS.match(spelt_out(one.finding.quote)) is None] or found
    whole = None if found else judge_as_one(sentences, prose, role="user", after_action=after)
    if whole is not None and "\x00" not in whole.quote and not unfit(exchange, whole.quote):
        found = [MessageFinding(whole, tidied(standing(whole.quote)))]
    return found


def part_of(exchange: Exchange, tables: Tables, sentences: Sequence[Sentence], number: int) -> Part:
    """What one sentence is in its message."""
    sentence = as_told(exchange, sentences[number])
    finding, is_enough = judged(exchange, tables, sentence, is_opening=number == 0)
    if finding is None or unfit(exchange, finding.quote):
        lower = spelt_out(sentence.masked)
        vetoes = {cue.name for cue in matching(tables.vetoes, lower, "user", False)}
        doubts = {cue.name for cue in matching(tables.doubts, lower, "user", False)}
        for run in runs(sentence) if may_be_cut(sentence, vetoes, doubts) else ():
            found, is_enough = judged(exchange, tables, run, is_opening=False)
            if found is not None and not unfit(exchange, found.quote):
                return Part(run, found, is_enough, is_cut=True)
    return Part(sentence, finding, is_enough)


def judged(
    exchange: Exchange, tables: Tables, sentence: Sentence, *, is_opening: bool
) -> tuple[ProseFinding | None, bool]:
    """The finding in a sentence, if it says enough, and whether it does whatever surrounds it."""
    after = exchange.action is not None
    finding = judge(sentence, tables, role="user", after_action=after)
    if finding is not None:
        return finding, True
    lower = spelt_out(sentence.masked)
    bonus = bonus_of(exchange, sentence, is_opening=is_opening)
    is_taken = is_taken_up(exchange, lower)
    if bonus and (tells(sentence.masked) or is_taken) and not is_for_now(exchange, sentence):
        fewest = 2 if bonus >= OBJECTION else FEWEST_WORDS
        is_named = not is_taken and is_named_in_edit(exchange, sentence.text)
        bonus += TASK_WAIVED if is_taken or is_named else PLAIN if is_plain(exchange, tables, sentence) else 0
        finding = judge(sentence, tables, role="user", after_action=after, bonus=bonus, fewest=fewest)
    return finding, False


def is_plain(exchange: Exchange, tables: Tables, sentence: Sentence) -> bool:
    """Whether a sentence states something of what it names to the letter, and nothing speaks against it."""
    lower = spelt_out(sentence.masked)
    if exchange.is_first or lower.rstrip().endswith(("?", "!")) or TO_COME.search(lower):
        return False
    if not ANCHOR.search(lower) and (tables is tables_of("de") or not NAMED_WITHIN.search(sentence.masked)):
        return False
    if tables is ENGLISH and not HOW_IT_IS.search(lower):
        return False
    if len(content(sentence.masked)) < FEWEST_TOLD or IS_TASK.search(lower) or is_momentary(sentence.text):
        return False
    against = (*matching(tables.vetoes, lower, "user", False), *matching(tables.doubts, lower, "user", False))
    return not against


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
        if parts[number].is_cut:
            found.append((number, number))
            number = free = number + 1
            continue
        first = last = number
        while first > free and leans_on(parts, first) and is_beside(prose, parts, first - 1):
            first -= 1
        if (
            first > free
            and OF_THAT.search(spelt_out(parts[first].sentence.masked))
            and tells_deed(prose, parts, first - 1)
        ):
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


def leans_on(parts: Sequence[Part], number: int) -> bool:
    """Whether a sentence cannot be understood without the one before it, or says "this tag" of what that one names."""
    one = parts[number].sentence
    named = THIS.findall(spelt_out(one.masked)) if number else []
    before = set(re.findall(r"[a-z]+", spelt_out(parts[number - 1].sentence.masked))) if named else set()
    return leans_back(one) or any(name in before for name in named)


def is_beside(prose: str, parts: Sequence[Part], number: int) -> bool:
    """Whether a sentence and the next one stand in one block, and it may go with it."""
    one, other = parts[number].sentence, parts[number + 1].sentence
    between = prose[one.end : other.start]
    return "\n\n" not in between and "\x00" not in between and not one.masked.rstrip().endswith("?")


def tells_deed(prose: str, parts: Sequence[Part], number: int) -> bool:
    """Whether a sentence tells what the agent did, and the next one is of that."""
    one, other = parts[number].sentence, parts[number + 1].sentence
    between = prose[one.end : other.start]
    return "\n\n" not in between and "\x00" not in between and YOU_DID.match(spelt_out(one.masked)) is not None


def goes_on(parts: Sequence[Part], prose: str, first: int, last: int) -> bool:
    """Whether the sentence behind a group belongs to it."""
    following = parts[last + 1]
    if following.is_cut or not is_beside(prose, parts, last):
        return False
    if len(prose[parts[first].sentence.start : following.sentence.end].split()) > MOST_JOINED_WORDS:
        return False
    lower = spelt_out(following.sentence.masked)
    leans = (leans_on(parts, last + 1) or lower.startswith(CONTINUES)) and not ON_TASK.search(lower)
    if leans and not lower.endswith("?") and (following.finding is not None or not IS_TASK.search(lower)):
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
    if asks_to_look(prose) and not exchange.message.is_remark and not is_told_besides(strong, quote):
        return None
    if best.rule in TELLS_LITTLE and ASKS_OR_WISHES.search(spelt_out(quote)):
        return None
    kind = kind_in(exchange, best, quote)
    if "correction" in {one.kind for one in strong} or exchange.message.is_remark:
        kind = "correction"
    cues = tuple(dict.fromkeys(cue for one in strong for cue in one.cues))
    finding = ProseFinding(start, end, quote, kind, best.rule, best.points, cues)
    is_enough = any(part.is_enough for part in parts[first : last + 1])
    plain = tidied(standing(quote))
    said = with_name(plain, prose[:start])
    lower = spelt_out(parts[first].sentence.masked if said == plain else said)
    text = alone(exchange, said, lower, is_enough=is_enough)
    return MessageFinding(finding, text) if text else None


@lru_cache(maxsize=8)
def asks_to_look(prose: str) -> bool:
    """Whether a message asks to find out about the trouble that it tells; remembered, as each finding in it asks."""
    return LOOKS_INTO.search(spelt_out(prose)) is not None


def is_told_besides(strong: Sequence[ProseFinding], quote: str) -> bool:
    """Whether a message that asks to find out about some trouble tells something else here."""
    lower = spelt_out(quote)
    is_sure = any(not SURE.isdisjoint(one.cues) for one in strong)
    return is_sure or CHANGED.search(lower) is not None or BESIDES.search(lower) is not None


def is_sure(best: ProseFinding, quote: str, prose: str) -> bool:
    """Whether a finding is more than the task that a session begins with."""
    lower = spelt_out(quote)
    enough = ENOUGH_AT_FIRST if tables_for(quote) is None else ENOUGH_ELSEWHERE
    is_told = best.points >= enough and not ASKS_OR_WISHES.search(lower)
    if best.rule in OF_TROUBLE and not CHANGED.search(lower):
        return False
    if asks_to_look(prose):
        return best.rule in SURE
    if is_told or best.rule in SURE or CHANGED.search(lower):
        return True
    return best.rule == "lives in" and PLACE.search(quote) is not None


def kind_in(exchange: Exchange, best: ProseFinding, quote: str) -> str:
    """The kind of a group, where its cues say little of it."""
    if best.rule == NO_CUE and best.points > TURN + PLAIN:
        return "decision"
    if best.rule == NO_CUE:
        return "environment" if EXACT.search(quote) else "domain"
    if best.kind == "structure" and best.rule in TELLS_LITTLE and not PLACE.search(quote):
        return "environment" if EXACT.search(quote) else "domain"
    return best.kind
