"""What backs the word of an agent: a passing rerun, an edit that stays, the user's next words.

In: a reply of the agent with what was done around it and what the user said next. Out: the backing, or that the user
rejected it. Invariant: pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from memory_db.extract.rules.error_fixes import (
    EDITING_TOOLS,
    SHELL_TOOLS,
    ActionRow,
    change_of,
    changed_lines,
    edit_detail,
)
from memory_db.extract.rules.exchanges import AgentWord
from memory_db.extract.rules.prose import spelt_out
from memory_db.extract.rules.surroundings import CHOOSES, IS_TASK, holds
from memory_db.text.questions import is_question
from memory_db.text.sentences import split
from memory_db.text.terms import STOP_WORDS

RERUN, EDIT, ACCEPTED, BUILT_ON = "passing rerun", "edit that stays", "the user's next words", "a decision built on it"
ANSWERED, RAN, SHOWN = "the user's answer to it", "a command that succeeded", "what a tool showed"

WEIGHTS = {RERUN: 0.7, ACCEPTED: 0.8, BUILT_ON: 0.5, RAN: 0.5, ANSWERED: 0.4, EDIT: 0.4, SHOWN: 0.3}
"""What each backing adds to a belief. Source: ours; less than the user's own statement, which counts 1, and with the
agent's own .3 no more than that where a test or the user speaks for it."""

BY_WORK = (RERUN, EDIT)
"""What backs a reply as a whole, whatever it says beside the work."""

ACCEPTS = re.compile(
    r"^\W*(?:(?:ah|oh|aha|ok|okay|yes|yep|yeah|right|great|nice|wow|hm+|cool)[,.!\s]+)*(?:ah,? right|"
    r"that(?:'?s| is| was) it|keep(?: it)?[.,!]|"
    r"good (?:catch|find|point|spot)|nice (?:catch|find|one)|makes sense|exactly|of course|right|correct|true|indeed|"
    r"i see|got it|perfect|great|excellent|beautiful|lovely|brilliant|awesome|nice|yes|yep|yeah|ah\b|aha|wow|fair|"
    r"well spotted|so that(?:'s| is)|"
    r"genau|richtig|stimmt(?! nicht)|passt(?! nicht)|gut gefunden|sehr (?:gut|schön)|exacte?ment|c'est ça|bien vu|"
    r"exacto|eso es|correcto|exato|isso|esatto|giusto|dokładnie|zgadza się|точно|верно|именно)\b|"
    r"^\W*(?:对|没错|是的|その通り|そうです|맞아|맞습니다)",
    re.IGNORECASE,
)
"""How a user's message begins that takes what the agent said for true."""

THANKS = re.compile(r"^\W*(?:(?:ah|oh|ok|okay|great|nice|cool)[,.!\s]+)*(?:thanks?|thx|ta|cheers)\b", re.IGNORECASE)
"""How one begins that thanks: for what the agent looked up, it takes it for true."""

REJECTS = re.compile(
    r"^\W*(?:(?:hm+|ok|well|uh|um|sorry)[,.!\s]+)*(?:no{1,9}\b(?! problem)|nope|nah|wrong|not (?:true|right|"
    r"quite|it|that)|stop\b|wait\b|"
    r"that(?:'?s| is) (?:not|wrong|bull)|actually,? (?:no|that)|are you sure|i (?:doubt|don'?t think)|"
    r"bullshit|nonsense|"
    r"(?:nein|falsch|stimmt nicht|quatsch|non|faux|c'est faux|incorrecto|errado|sbagliato|nieprawda|нет|неверно)\b|"
    r"不对|不是|违|違い|違う|아니)",
    re.IGNORECASE,
)
"""How one begins that does not."""

DOUBTS_IT = re.compile(
    r"^\W*(?:(?:no|nope|nah)\W+)?(?:wrong|(?:forget|drop|leave) (?:it|that)|nonsense|bullshit|"
    r"are you sure|not (?:true|right))\b",
    re.IGNORECASE,
)

DISAGREES = re.compile(
    r"\bbut (?:that|it|this)(?:'s| is| was|s)? not\b|\bnot the (?:cause|reason|problem)\b|\byou misread\b|"
    r"^(?:\W*(?:ah|oh|no|well|hm+|actually)\b)*\W*(?:that|this|it)(?:'s| has| is|s)? "
    r"(?:changed|old|outdated|no longer|not any ?more)\b|"
    r"\blook (?:again|once more|closer|more closely)\b|\bnothing was \w+ed\b|\b(?:that|it|this)(?:'s| is) (?:wrong|"
    r"not (?:right|true|it))\b|\byou(?:'re| are) wrong\b",
    re.IGNORECASE,
)
"""What says further on that it does not."""

DENIES = re.compile(r"\b(?:no|not|never|wrong|without|nothing)\b|n't\b", re.IGNORECASE)

GOES_AHEAD = re.compile(
    r"^\W*(?:(?:ah|oh|ok|okay|yes|yep|yeah|right|hm+|well|then|good|great)[,.!\s]+)*(?:go (?:on|ahead|for it)|"
    r"(?:let's |lets )?do (?:it|that|so)|agreed|sounds (?:good|right|fine)|works for me|fine(?: by me)?\b|"
    r"sure\b|please do|deal\b|"
    r"leave it|keep it|ok(?:ay)?\b)",
    re.IGNORECASE,
)
"""How a message begins that lets the agent act on what it said."""

CARRIES_OUT = re.compile(
    r"^\W*(?:(?:ah|oh|ok|okay|yes|yep|yeah|right|great|nice|good|perfect)[,.!\s]+)*(?:(?:that|it|this|both|all) )?"
    r"(?:done|(?:works?|worked|ran|did|pasted|applied|typed)(?!n't| not)(?: (?:it|that|them|both|all|now|fine|here))*)"
    r"(?=\W*$|[.,;!:)]| (?:and|now|too|so|thanks)\b)",
    re.IGNORECASE,
)
"""How a message begins of somebody who did what the agent gave them to run: "done, reloaded as well", "works"."""

STILL_SO = re.compile(r"^\W*(?:\S+ ){1,4}?still\b", re.IGNORECASE)
"""How an agent tells beside its work what it left as it was."""

TURNS_DOWN = re.compile(
    r"\bno(?:pe|t (?:that|the|this|for))?(?=[,.;!]| (?:need|point|use)\b|\W*$)|"
    r"\b(?:do|does|did|would|need)(?:n'?t| not) (?:want|need|like|care)\b",
    re.IGNORECASE,
)
"""How somebody turns a part down of what they were asked about: "the first one yes, the others no"."""

MAY_BE = re.compile(r"\b(?:would|could|might|may|perhaps|maybe|probably|presumably)\b", re.IGNORECASE)
"""How an agent tells what it has not seen."""

DRAWS_ON = re.compile(r"^\W*(?:ok |okay |right |yes )?(?:so|then)\b|\bthen\W*$", re.IGNORECASE)
"""How a message shows that it draws the conclusion."""

NAMES = re.compile(r"`([^`\n]{2,60})`|(?<![\w.])(\d[\d_.,]*)(?![\w-]*[-/]\d)")
"""What an edit that takes a statement up repeats: its numbers and what it writes as code."""

WORD = re.compile(r"[A-Za-z_][\w-]{3,}")

CODE_NAME = re.compile(r"\b[A-Za-z]\w*(?:[_.]\w+)+\b|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+")
"""Names that only code has."""

NAME_OF_PARTS = re.compile(r"\b[a-z]+(?:[A-Z][a-z]+)+\b|\b[a-z]+(?:_[a-z]+)+\b")
PART_OF_NAME = re.compile(r"[A-Z]?[a-z]+")
"""Names of code that are made of words, and those words."""

COMMAND_GIVEN = re.compile(r"[/=$`]|(?:^|\s)-{1,2}[a-z]")
"""What words of a command have and sentences have not."""

TROUBLE = re.compile(
    r"\b(?:\w*error|traceback|exception|fail(?:s|ed|ing)?|wrong|empty|missing|twice|dies|died|broken|breaks?|"
    r"crash\w*|doesn'?t|does not|isn'?t|won'?t|why|bug|lost|stuck|hangs?|never (?:comes?|shows?|arrives?))\b",
    re.IGNORECASE,
)
"""How somebody tells of trouble whose cause is to be found."""

HOW_IT_WORKS = re.compile(r"\b(?:how (?:do|does|is|are)|what (?:is|are|does|do)|explain|tell me)\b", re.IGNORECASE)
"""How somebody asks for no more than to be told."""

MENDS_IT = re.compile(
    r"\b(?:fix|correct|repair|mend|cure|solve|change|do|go|sort out)\b(?: it| that| this| them| the| ahead| for it)?\b"
)
"""A task that is to mend what was just explained."""

MOST_SINCE_FAILURE = 6
"""Actions since a failure that an explanation may be of. Source: ours."""

MOST_SINCE_EDIT = 3
"""Actions since an edit that a reply may report on. Source: ours."""

SAID_UPON = 200
"""Characters of the next words that answer a reply. Source: ours."""

FEWEST_SHARED = 2
"""Words of a reply in the lines that an edit changed, from which on the edit acts on it. Source: ours."""


class Backing(NamedTuple):
    """What backs a reply, how much it adds to a belief, and in a few words what it was."""

    kind: str
    weight: float
    note: str


def is_rejected(word: AgentWord) -> bool:
    """Whether the user's next words say that the reply is wrong."""
    said = word.next_words.replace("\x00", " ").strip()
    if word.entry["text"].rstrip("*_`) \n").endswith("?") and not DOUBTS_IT.match(said):
        return DISAGREES.search(said[:400]) is not None  # "no" answers the question
    return REJECTS.match(said) is not None or DISAGREES.search(said[:400]) is not None


def backing_of(word: AgentWord) -> Backing | None:
    """What backs a reply of the agent the most; None where it is the agent's word alone."""
    if is_rejected(word):
        return None
    rerun = passing_rerun(word)
    said = word.next_words.replace("\x00", " ").strip()
    is_told = word.has_acted or not is_question(word.request.replace("\x00", " "))
    if (is_told and ACCEPTS.match(said)) or (word.has_acted and THANKS.match(said)):
        return Backing(ACCEPTED, WEIGHTS[ACCEPTED], " ".join(word.next_words.split())[:80])
    if rerun is not None:
        return Backing(RERUN, WEIGHTS[RERUN], f"`{rerun}` passed after it had failed")
    if is_built_on(word):
        return Backing(BUILT_ON, WEIGHTS[BUILT_ON], " ".join(word.next_words.split())[:80])
    edit = staying_edit(word)
    return Backing(EDIT, WEIGHTS[EDIT], edit) if edit else None


def backing_of_quote(word: AgentWord, quote: str) -> Backing | None:
    """What backs words of a reply that a model quotes: what backs the reply, or the words by themselves."""
    if is_rejected(word):
        return None
    found = backing_of(word)
    if found is not None and found.kind not in BY_WORK:
        return found
    said = word.next_words.replace("\x00", " ").strip()
    note = " ".join(said.split())[:80]
    if GOES_AHEAD.match(said) and not DENIES.search(said[:SAID_UPON]):
        return Backing(ACCEPTED, WEIGHTS[ACCEPTED], note)
    if found is not None and not is_beside_the_work(word, quote):
        return found
    if CARRIES_OUT.match(said) and COMMAND_GIVEN.search(quote):
        return Backing(ACCEPTED, WEIGHTS[ACCEPTED], note)
    text = word.entry["text"].rstrip("*_`) \n")
    is_premise = text.endswith("?") and not quote.rstrip("*_`\"') \n").endswith("?")
    if is_premise and said and not DENIES.search(said[:SAID_UPON]):
        return Backing(ANSWERED, WEIGHTS[ANSWERED], note)
    is_otherwise = any(
        CHOOSES.match(spelt_out(one.masked)) and not shared_words(one.text, quote) for one in split(said)
    )
    if (
        DRAWS_ON.search(said[:SAID_UPON])
        and not is_otherwise
        and shared_words(quote, said)
        and not DENIES.search(said[:SAID_UPON])
    ):
        return Backing(BUILT_ON, WEIGHTS[BUILT_ON], note)
    edit = edit_with(word.followed, quote)
    return Backing(EDIT, WEIGHTS[EDIT], edit) if edit else None


def is_beside_the_work(word: AgentWord, quote: str) -> bool:
    """Whether words of a reply are borne out neither by an edit of what the reply names nor by a rerun that passed.

    What the agent left as it was, what it only thinks possible, and what it asked about where the answer turns a part
    of it down and no edit brings in a value of the very words.
    """
    if STILL_SO.search(quote) or MAY_BE.search(quote):
        return True
    return is_turned_down(word, quote)


def is_turned_down(word: AgentWord, quote: str) -> bool:
    """Whether an answer turns down a part of what a reply asks, and no edit brings in a value of the quoted words."""
    is_asked = word.entry["text"].rstrip("*_`) \n").endswith("?")
    is_refused = TURNS_DOWN.search(word.next_words[:SAID_UPON]) is not None
    return is_asked and is_refused and not edit_with((*word.followed, *word.then), quote)


def shared_words(one: str, other: str) -> set[str]:
    """The words that mean something and stand in both texts."""
    first, second = ({each.lower() for each in WORD.findall(text)} - STOP_WORDS for text in (one, other))
    return first & second


def edit_with(followed: Iterable[ActionRow], quote: str) -> str:
    """The first edit, not refused, that brings in a number or code of the quote; '' where none does."""
    names = [code or number.strip(".,") for code, number in NAMES.findall(quote)]
    for action in followed:
        if action.tool not in EDITING_TOOLS or action.is_error is not False:
            continue
        before, after = changed_lines(action.input)
        new, old = "\n".join(after), "\n".join(before)
        if any(stands_in(new, name) and not stands_in(old, name) for name in names):
            return change_of(action) or ""
    return ""


def stands_in(text: str, name: str) -> bool:
    """Whether a number, perhaps in a smaller unit, or a piece of code stands in a text."""
    return holds(text, name) if name[0].isdigit() else name in text


def passing_rerun(word: AgentWord) -> str | None:
    """The command that failed before a reply and passed around it; None where there is none.

    It passed after the reply and before the user's next words, or as the last thing before the reply.
    """
    failed: set[str] = set()
    last: str | None = None
    for action in word.done[-40:]:
        key = rerun_key(action)
        if key is None or action.is_error is None:
            continue
        if action.is_error:
            failed.add(key)
            last = None
        else:
            last = key if key in failed else None
            failed.discard(key)
    if last is not None:
        return last
    for action in word.followed:
        key = rerun_key(action)
        if key in failed and action.is_error is False:
            return key
    return None


def rerun_key(action: ActionRow) -> str | None:
    """What makes two runs the same command, whether it changes anything or not."""
    if action.tool not in SHELL_TOOLS:
        return None
    words = re.split(r"&&|;|\n|\|", action.target)[-1].split()
    return " ".join([word for word in words if not word.startswith("-")][:4]) or None


def staying_edit(word: AgentWord) -> str:
    """The first edit after a reply, not refused, of a file or of code that it names; '' where there is none.

    One that follows the user's next words counts too, since those do not say that the reply is wrong.
    """
    action = edit_upon(word, word.entry["text"])
    return (change_of(action) or "") if action is not None else ""


def edit_upon(word: AgentWord, text: str, *, with_tests: bool = True, by_letter: bool = False) -> ActionRow | None:
    """The first edit after a reply, not refused, of a file or of code that words of it name, perhaps of a test.

    `by_letter` those behind the user's next words, which may be of another matter, count where they are named exactly.
    """
    for place, action in enumerate((*word.followed, *word.then)):
        name = action.target.rsplit("/", 1)[-1]
        if action.tool not in EDITING_TOOLS or action.is_error is not False:
            continue
        if not with_tests and "test" in name.lower():
            continue
        fewest = None if by_letter and place >= len(word.followed) else FEWEST_SHARED
        is_named = name in text or names_code(text, action, fewest=fewest)
        if name and is_named:
            return action
    return None


def what_mended(word: AgentWord, quote: str) -> str:
    """The edit that mended the trouble which words of a reply explain, in a few words.

    '' where there was no trouble, where it was mended before it was explained, and where no edit followed, or one of an
    address.
    """
    if any(action.tool in EDITING_TOOLS for action in word.done[-MOST_SINCE_EDIT:]):
        return ""
    has_failed = any(action.is_error for action in word.done[-MOST_SINCE_FAILURE:])
    is_of_trouble = has_failed or TROUBLE.search(word.request) is not None
    action = edit_upon(word, quote, with_tests=False, by_letter=True) if is_of_trouble else None
    action = action or (agreed_edit(word) if is_fault(quote, word.request) else None)
    detail = edit_detail(action.input) if action is not None else ""
    if action is None or not detail or "://" in detail:  # a person would be asked about an address
        return ""
    return f"in `{action.target.rsplit('/', 1)[-1]}` {detail[2:-1]}"


def is_fault(quote: str, request: str) -> bool:
    """Whether words tell what goes wrong, and nobody only asked how things work."""
    return (DENIES.search(quote) or TROUBLE.search(quote)) is not None and HOW_IT_WORKS.search(request) is None


def agreed_edit(word: AgentWord) -> ActionRow | None:
    """The first edit, not refused and of no test, after the user agreed to a reply and asked for nothing else."""
    said = word.next_words.replace("\x00", " ").strip()
    if not (ACCEPTS.match(said) or GOES_AHEAD.match(said)):
        return None
    tasks = [lower for one in split(said) if IS_TASK.search(lower := spelt_out(one.masked))]
    if any(MENDS_IT.search(lower) is None for lower in tasks):
        return None
    made = [one for one in word.then if one.tool in EDITING_TOOLS and one.is_error is False]
    return next((one for one in made if "test" not in one.target.rsplit("/", 1)[-1].lower()), None)


def names_code(text: str, action: ActionRow, *, fewest: int | None = FEWEST_SHARED) -> bool:
    """Whether a text has a name of code, a number or `fewest` words of the lines that an edit changed."""
    changed = "\n".join(line for lines in changed_lines(action.input) for line in lines)
    if not changed:
        return False
    names = {code or number.strip(".,") for code, number in NAMES.findall(text)} | set(CODE_NAME.findall(text))
    if any(len(name) > 1 and stands_in(changed, name) for name in names) or tells_name(text, changed):
        return True
    return fewest is not None and len(shared_words(text, changed)) >= fewest


def tells_name(text: str, changed: str) -> bool:
    """Whether a text tells in words a name that an edit wrote as one: "the raw body" for `rawBody` or `raw_body`."""
    said = f" {' '.join(re.findall(r'[a-z]+', text.lower()))} "
    return any(f" {' '.join(PART_OF_NAME.findall(each)).lower()} " in said for each in NAME_OF_PARTS.findall(changed))


def is_built_on(word: AgentWord) -> bool:
    """Whether the user's next words go on with two of the reply's own words, and deny nothing."""
    if DENIES.search(word.next_words[:400]):
        return False
    return len(shared_words(word.entry["text"], word.next_words)) >= 2
