"""What a user's message says in its exchange that is worth keeping.

In: one exchange. Out: findings, each with the verbatim span it rests on, and a text that stands alone. Invariants:
pure; spans lie in what the user typed, and do not overlap; a sentence that says enough by itself is found here as
`read_prose` finds it, whatever surrounds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from memory_db.extract.rules.answering import answer, asked_before
from memory_db.extract.rules.as_told import as_told
from memory_db.extract.rules.aside_cues import ASIDE_RULES, COMMAND_FIRST
from memory_db.extract.rules.bare_values import with_bare_values
from memory_db.extract.rules.beside import COMPLAINS, asks, is_excused
from memory_db.extract.rules.discussed import is_kept
from memory_db.extract.rules.ends_soon import PUT_OFF, ends_soon
from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.frames import alone, is_replaced, with_file, with_name
from memory_db.extract.rules.groups import REQUESTS, SELF_ANSWER, Part, groups, own_question
from memory_db.extract.rules.language_cues import Tables, tables_for, tables_of
from memory_db.extract.rules.momentary import is_momentary
from memory_db.extract.rules.negative_cues import VETOES
from memory_db.extract.rules.passing import is_taken_back
from memory_db.extract.rules.patterns import STATIVE
from memory_db.extract.rules.phrasing import stated, tidied
from memory_db.extract.rules.prose import (
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
from memory_db.extract.rules.questions import one_line
from memory_db.extract.rules.rivals import with_rival
from memory_db.extract.rules.run_as_told import TELLS_HOW, is_run_as_told
from memory_db.extract.rules.run_on import concludes_behind, may_be_cut, runs, without_passing
from memory_db.extract.rules.slight import is_slight
from memory_db.extract.rules.surroundings import (
    CHANGED,
    EXACT,
    IS_TASK,
    OBJECTION,
    OBJECTS,
    PLAIN,
    SETS_ANEW,
    SUBJECTLESS,
    TASK_WAIVED,
    TELLS_LITTLE,
    TURN,
    MessageFinding,
    bonus_of,
    content,
    is_for_now,
    is_named_in_edit,
    is_taken_up,
    tells,
)
from memory_db.extract.rules.topics import by_topic
from memory_db.extract.rules.unfit import MENDED, is_dropped, unfit
from memory_db.extract.rules.unmarked_cues import UNMARKED_RULES
from memory_db.extract.rules.values_made import edits_made, with_new_value
from memory_db.extract.rules.wanted_once import is_shown_next, is_wanted_once
from memory_db.extract.rules.where import points_behind, qualifies
from memory_db.text.acknowledging import is_acknowledgement
from memory_db.text.quoting import JOKE
from memory_db.text.sentences import Sentence, split
from memory_db.text.taking_back import turns_round

LOOKS_INTO = re.compile(
    r"\b(?:(?:have|take) a (?:look|dig|peek)|look (?:into|at it|at this|what)|dig into|find out why|"
    r"what(?:'s| is) (?:it|wrong|"
    r"going on|the move|up (?:there|with))|can you see why|any idea|investigate|what happened|wtf|(?:can|could|"
    r"would) you (?:please )?(?:look|check|investigate|find out)\W*$|no idea (?:since|"
    r"why)|look please|(?:so|but|and) why)\b|\bwhy\W*$|\bwhat's that\W*$"
)
"""How a message asks to find out about the trouble that it tells."""

BESIDES = re.compile(r"\b(?:btw|by the way|mind you|fyi|for the record)\b")
"""How somebody tells something beside the matter."""

TO_AGENT = re.compile(r"\b(?:you|your|please|thanks?|thx)\b")
"""How somebody speaks to the agent."""

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
     "the decision", "in this project", "everywhere I work", "by the way", "permits", "on this, that",
     "how I read you"} | UNMARKED_RULES | ASIDE_RULES
)  # fmt: skip
"""Cues that are enough there all the same."""

TELLS_RULE = frozenset(
    {"must or must not", "told before", "none of that", "a polite wish", "of whoever", "no more than", "whenever, then",
     "reason", "labelled", "lives in"}
)  # fmt: skip
"""Further cues by which a sentence before a question says more than what that one is about."""

OF_SOMEBODY, IN_CHARGE = frozenset({"somebody else says", "about a person"}), "is in charge"
"""Doubts whether what is told of somebody concerns the project, and the cue of who is responsible, which does."""

NOT_THAT = re.compile(
    r"(?<!does )(?<!do )(?<!did )(?<!is )(?<!are )(?<!was )(?<!has )(?<!have )(?<!will )(?<!can )\bnot (?!yet\b|"
    r"sure\b)\w"
)
"""How one thing is named in the place of another: "it is err not error"."""

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


def read_message(exchange: Exchange) -> list[MessageFinding]:
    """The findings in a user's message, in order and without overlap."""
    prose = exchange.message.prose[:READ_CHARACTERS]
    sentences = joined(split(prose, with_values=True), prose)
    if not sentences or (is_acknowledgement(prose.replace("\x00", " ")) and asked_before(exchange) is None):
        return []
    if is_dropped(exchange):
        return []
    answered = answer(exchange, prose, sentences)
    taken = answered[1] if answered else 0
    tables = tables_of_all(sentences)
    parts = [part_of(exchange, tables[number], sentences, number) for number in range(len(sentences))]
    parts = [rejoined(parts, sentences, number) for number in range(len(parts))]
    found = [answered[0]] if answered else []
    for first, last in groups(parts, prose, taken):
        made = finding_of(exchange, prose, parts, first, last)
        why_not = unfit(exchange, made.finding.quote) if made is not None else ""
        if made is not None and not why_not:
            found.append(made)
        elif (made is None or why_not == JOKE) and first < last:  # what stands beside it is no reason to lose it
            found += one_by_one(exchange, prose, parts, first, last)
    found = with_rival(exchange, sentences[taken:], with_bare_values(exchange, sentences[taken:], found))
    found = [one for one in found if not is_replaced(exchange, one.finding.quote)]
    if len(found) > 1:
        found = [one for one in found if COMPLAINS.match(spelt_out(one.finding.quote)) is None] or found
    beside = [(one, one.finding.quote, prose[one.finding.end :]) for one in found]
    found = [one for one, quote, behind in beside if not is_excused(quote, behind) and not is_taken_back(quote, behind)]
    found = [one for one in found if is_kept(exchange, prose, one.finding)]
    whole = None if found else judge_as_one(sentences, prose, role="user", after_action=exchange.action is not None)
    if whole is not None and not is_kept(exchange, prose, whole):
        return []
    if whole is not None and "\x00" not in whole.quote and not unfit(exchange, whole.quote):
        return [MessageFinding(whole, stated(whole.quote))]
    told = by_topic(exchange, prose, sentences, parts, found)
    return [one for one in told if not ends_soon(one.finding.quote) and not is_slight(exchange, one)]


def one_by_one(
    exchange: Exchange, prose: str, parts: Sequence[Part], first: int, last: int
) -> Iterator[MessageFinding]:
    """The findings of the sentences of a group, each by itself."""
    for number in range(first, last + 1):
        made = finding_of(exchange, prose, parts, number, number) if parts[number].finding is not None else None
        if made is not None and not unfit(exchange, made.finding.quote):
            yield made


def rejoined(parts: Sequence[Part], sentences: Sequence[Sentence], number: int) -> Part:
    """A part that was cut as its whole sentence, where the next one goes on with it: "... they ask. So it stays"."""
    part, following = parts[number], parts[number + 1 : number + 2]
    if not part.is_cut or not following or following[0].finding is None:
        return part
    behind = re.sub(r"^(?:and|but|so) ", "", spelt_out(following[0].sentence.masked))
    whole = sentences[number]
    lower = spelt_out(whole.masked)
    goes_on = SUBJECTLESS.match(behind) is not None or qualifies(lower, behind)
    if not goes_on or whole.paragraph != following[0].sentence.paragraph:
        return part
    left_out = spelt_out(whole.masked[: part.sentence.start - whole.start])
    is_other = TO_AGENT.search(left_out) is not None or any(matching(VETOES, lower, "user", False))
    is_other = is_other or IS_TASK.search(lower) is not None
    return part if is_other else Part(whole, part.finding, part.is_enough)


def part_of(exchange: Exchange, tables: Tables, sentences: Sequence[Sentence], number: int) -> Part:
    """What one sentence is in its message; nothing where it ends soon, whatever its clauses say."""
    sentence = as_told(exchange, sentences[number])
    if ends_soon(sentence.text):
        return Part(sentence, None, False)
    finding, is_enough = judged(
        exchange, tables, sentence, is_opening=number == 0, more=points_behind(sentences, number)
    )
    lasting = without_passing(sentence) if finding is None else None
    if lasting is not None:
        finding, is_enough = judged(exchange, tables, lasting, is_opening=number == 0)
    if finding is None or unfit(exchange, finding.quote):
        lower = spelt_out(sentence.masked)
        vetoes = {cue.name for cue in matching(tables.vetoes, lower, "user", False)}
        doubts = {cue.name for cue in matching(tables.doubts, lower, "user", False)}
        is_over = finding is not None and unfit(exchange, finding.quote) == MENDED
        is_over = is_over or is_wanted_once(exchange, sentence.text)
        for run in runs(sentence) if not is_over and may_be_cut(sentence, vetoes, doubts) else ():
            found, is_enough = judged(exchange, tables, run, is_opening=False)
            if found is not None and not unfit(exchange, found.quote):
                is_put_off = PUT_OFF.match(sentence.masked.lower(), run.end - sentence.start) is not None
                opens = run.start == sentence.start
                is_whole = is_put_off or concludes_behind(sentence, run)
                return Part(sentence if is_whole else run, found, is_enough, is_cut=True, opens=opens)
    return Part(sentence, finding, is_enough)


def judged(
    exchange: Exchange, tables: Tables, sentence: Sentence, *, is_opening: bool, more: int = 0
) -> tuple[ProseFinding | None, bool]:
    """The finding in a sentence, if it says enough, and whether it does whatever surrounds it."""
    after = exchange.action is not None
    finding = judge(sentence, tables, role="user", after_action=after)
    if finding is not None:
        return finding, True
    lower = spelt_out(sentence.masked)
    bonus = more + bonus_of(exchange, sentence, is_opening=is_opening)
    is_taken = is_taken_up(exchange, lower)
    if bonus and (tells(sentence.masked) or is_taken) and not is_for_now(exchange, sentence):
        fewest = 2 if bonus >= OBJECTION or COMMAND_FIRST.match(lower) else FEWEST_WORDS
        is_made = is_taken or is_run_as_told(exchange, lower) or is_named_in_edit(exchange, sentence.text)
        bonus += waived(tables, lower, is_made=is_made)
        bonus += TASK_WAIVED if is_made else PLAIN if is_plain(exchange, tables, sentence) else 0
        finding = judge(sentence, tables, role="user", after_action=after, bonus=bonus, fewest=fewest)
    return finding, False


def waived(tables: Tables, lower: str, *, is_made: bool) -> int:
    """Points of the doubts that do not count where somebody is told to have changed their mind, and where an edit made
    what they want: "she wants cents"."""
    is_in_charge = any(cue.name == IN_CHARGE for cue in matching(tables.cues, lower, "user", False))
    if not turns_round(lower) and not is_in_charge and not is_made:
        return 0
    names = OF_SOMEBODY | {"points at something"} if is_made else OF_SOMEBODY
    return -sum(cue.points for cue in matching(tables.doubts, lower, "user", False) if cue.name in names)


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


def finding_of(exchange: Exchange, prose: str, parts: Sequence[Part], first: int, last: int) -> MessageFinding | None:
    """A group as one finding with its text; None where nothing says what it is about."""
    strong = [part.finding for part in parts[first : last + 1] if part.finding is not None]
    best = max(strong, key=lambda one: one.points)
    start, end = parts[first].sentence.start, parts[last].sentence.end
    quote = prose[start:end]
    if "\x00" in quote:
        return None
    is_opening = first == 0 or not re.search(r"\d|\w@\w|\w\.\w", quote) or asks_to_look(prose)
    is_anew = SETS_ANEW.search(spelt_out(quote)) is not None and is_taken_up(exchange, spelt_out(quote))
    if exchange.is_first and is_opening and not is_anew and not is_sure(best, quote, prose):
        return None
    if asks_to_look(prose) and not exchange.message.is_remark and not is_told_besides(strong, quote):
        return None
    is_met = best.rule == "needs" and len(strong) == 1 and bool(edits_made(exchange))
    is_met = is_met and not is_taken_up(exchange, spelt_out(quote))
    if is_met or (best.rule in TELLS_LITTLE and ASKS_OR_WISHES.search(spelt_out(quote))):
        return None
    is_sign = not (SURE | TELLS_RULE).isdisjoint(cue for one in strong for cue in one.cues)
    is_sign = is_sign or CHANGED.search(spelt_out(quote)) is not None
    if not is_sign and (is_shown_next(prose, end) or is_background(parts, first, last, prose)):
        return None
    is_correction = "correction" in {one.kind for one in strong} or exchange.message.is_remark
    kind = "correction" if is_correction else kind_in(exchange, best, quote)
    cues = tuple(dict.fromkeys(cue for one in strong for cue in one.cues))
    finding = ProseFinding(start, end, quote, kind, best.rule, best.points, cues)
    is_enough = any(part.is_enough for part in parts[first : last + 1])
    plain = stated(quote)
    said = with_file(with_name(plain, prose[:start]), prose[:start])
    lower = spelt_out(parts[first].sentence.masked if said == plain else said)
    question = own_question(prose, parts, first)
    if question:
        told = tidied(SELF_ANSWER.sub("", said, count=1))
        asked = one_line(question).replace('"', "'")
        return MessageFinding(finding, f'On "{asked}", the user said: {told}')
    is_first = not any(says_something(part.sentence) for part in parts[:first]) and "\x00" not in prose[:start]
    text = with_new_value(exchange, alone(exchange, said, lower, is_enough=is_enough, is_opening=is_first))
    return MessageFinding(finding, text) if text else None


def says_something(sentence: Sentence) -> bool:
    """Whether a sentence is more than an opener, so that what follows may be about it."""
    return len(content(sentence.masked)) > 1 and not is_acknowledgement(sentence.masked)


def is_background(parts: Sequence[Part], first: int, last: int, prose: str) -> bool:
    """Whether a sentence only tells what the question behind it is about."""
    if first != last or last + 1 >= len(parts):
        return False
    one, behind = parts[last], spelt_out(parts[last + 1].sentence.masked)
    between = prose[one.sentence.end : parts[last + 1].sentence.start]
    if "\n" in between or "\x00" in between or not asks(behind) or REQUESTS.match(behind):
        return False
    lower = spelt_out(one.sentence.masked)
    return all(pattern.search(lower) is None for pattern in (OBJECTS, NOT_THAT, BESIDES))


@lru_cache(maxsize=8)
def asks_to_look(prose: str) -> bool:
    """Whether a message asks to find out about the trouble that it tells; remembered, as each finding in it asks."""
    return LOOKS_INTO.search(spelt_out(prose)) is not None


def is_told_besides(strong: Sequence[ProseFinding], quote: str) -> bool:
    """Whether a message that asks to find out about some trouble tells something else here."""
    lower = spelt_out(quote)
    is_sure = any(not (SURE | TELLS_RULE).isdisjoint(one.cues) for one in strong)
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
    if best.rule in TELLS_HOW and is_run_as_told(exchange, quote):
        return "environment"
    if best.rule == NO_CUE:
        return "decision" if best.points > TURN + PLAIN else "environment" if EXACT.search(quote) else "domain"
    if best.kind == "structure" and best.rule in TELLS_LITTLE and not PLACE.search(quote):
        return "environment" if EXACT.search(quote) else "domain"
    return best.kind
