"""What a message answers that the agent asked.

In: one exchange. Out: the answer with its question as a text that stands alone. Invariant: pure; every word of it is
the user's or the agent's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_db.extract.rules.answer_alone import told_alone, value_first
from memory_db.extract.rules.beside import FRAGMENT, SETS_NUMBER, goes_with_scope
from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.frames import shares_a_word
from memory_db.extract.rules.negative_cues import VETOES
from memory_db.extract.rules.patterns import STATIVE
from memory_db.extract.rules.phrasing import tidied
from memory_db.extract.rules.prose import (
    CONTINUES,
    ProseFinding,
    judge,
    matching,
    spelt_out,
    tables_of_all,
)
from memory_db.extract.rules.questions import (
    AFFIRMS,
    ANSWER_WORDS,
    ASKS_AGREEMENT,
    ASKS_HOW,
    ASKS_LEAVE,
    ASKS_STATE,
    ASKS_WHERE,
    COUNTERS,
    DEFERS,
    DENIES,
    EXCLAIMS,
    HOW,
    LEANS_ON,
    OPENING,
    SAYS_NOTHING,
    TOLD_BEFORE,
    Asked,
    alternatives,
    asked,
    chosen,
    one_line,
    without_status,
)
from memory_db.extract.rules.surroundings import (
    ANSWER,
    IS_TASK,
    MOST_JOINED_WORDS,
    NUMBER_WORDS,
    OBJECTS,
    ON_TASK,
    MessageFinding,
    content,
    leans_back,
    may_attach,
)
from memory_db.text.acknowledging import is_acknowledgement
from memory_db.text.sentences import Sentence, split

LIKE_THAT = re.compile(r"^\W*(?:of course|exactly|like (?:that|this)|that way|do (?:it|that)(?: so)?|please do)\W*$")
"""How somebody says yes once more."""

HOW_TO = re.compile(
    r"^\W*(?:(?:yes|please|sure|ok)\W+)*(?:but )?(?:it's|that's|it is|that is|use|with|by|via|just)\b.*`"
)
"""How somebody tells the command for what they were asked leave for."""

REFUSES = re.compile(r"^(\W*(?:no|nope|nah)\b)\W*(?:forget|drop|leave) (?:it|that)\b(?=\W+\w)")
"""How a proposal is refused before it is said what holds instead."""

ANOTHER = re.compile(
    r"^\W*(?:and|also|plus|another|next|then|btw|by the way|one more|now|good|nice|great|thanks|thx|commit|push)\b"
)
"""How a sentence begins that comes to another matter."""

TURNS = re.compile(r"^\W*but (?:no|not|never|don't|do not|please|only)\b")
"""How somebody comes from an answer to a rule of its own: "yes, as a table. but no emojis please"."""

ENOUGH_ALONE = 5
"""Points from which such a rule needs no answer before it. Source: ours."""

DAY = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|"
    r"november|december|noon|midnight|mornings?|evenings?|tomorrow)"
)
INSTEAD = re.compile(
    rf"^\W*(?:(?:no|nah|well|hm+|um|oh|make (?:it|that)|take)\b\W*)*(?:on |at |in |the )?(?:{DAY}|[\w./:-]*\d[\w./:%-]*"
    rf"|(?!(?:rather|not|it|its|that|this|all|ok|done|good|fine|works?|yes|right|just|until|for|by|even|much|so|i|we|you|do|"
    rf"wait|much|is|was)\b)[\w./-]+(?: [\w./-]+)?)(?: \w+)? (?:rather|instead|better|nowadays|by now|now)\b|"
    rf"^\W*(?:(?:no|nah|well|hm+|um|oh|make (?:it|that)|take)\b\W*)*(?:on )?{DAY}(?=[,.;]|\W*$)"
)
"""How an answer names something else than what was asked about: "wednesday rather, she's moved her round"."""

STILL = re.compile(r"\b(?:still|right|correct|true|current|up to date)\b[^?]*\?$")
FEW_ASKED = 5
"""How an agent asks whether a value holds; words that mean something in a question that does not say of what. Source:
ours."""

NO_DENIAL = re.compile(
    r"^\W*(?:no (?:more|less|fewer|later|earlier|one)\b|nobody\b|never\b|not (?:more|less|"
    r"all)\b|don'?t (?:you|ever)\b)"
)
"""How a rule begins like a no."""

BUT = re.compile(
    r"\b(?:right|correct|fine|ok|okay|good)\b.{0,12}\bbut\b|, but (?:no|not|please|without|leave|put|"
    r"use)\b"
)
"""How somebody agrees in part."""

WHOLE = re.compile(
    r"\b(?:so please|so we|because)\b|^[\w'-]+ (?:says|sends|asks|wants|thinks|told|came|called)\b|"
    rf"\b(?:i|you|we|they|he|she|it|there|that's|it's|i'm) (?:\w+ )?\w+|^\W*(?:don't|do not|please|always) \w+|"
    rf"\b{STATIVE}\b"
)
"""Who does something, or how something is: a whole sentence."""

FEWEST_OF_ITS_OWN = 5
"""Words of the shortest sentence that says something of its own. Source: ours."""

OF_THE_REASON = frozenset({"about a person", "points at something", "state of now", "hedged", "past ways"})
"""Doubts that speak against a sentence by itself, and not against it as the reason of an answer."""

HESITATES = re.compile(r"^\W*(?:hm+|um+|well|let's see|let me (?:see|think))\b")
"""How somebody takes their time before the answer that counts."""

MOST_REPEATED_WORDS = 4
"""Words of the longest remark before that, which repeats what was asked. Source: ours."""

BEGINS_WITH_VALUE = re.compile(r"^[\w./:-]*\d[\w./:%-]*(?=[,.;!]|\W*$)")
"""How an answer begins with its value: "cp1252, and ..."."""

VALUE_FIRST = re.compile(r"^\W*\d[\w.,:]*\W*$")
"""An answer that is its value alone."""

MOST_ANSWERED_WORDS = 5
"""Words of the longest answer whose reason stands in the next sentence. Source: ours, by eye, on the seen half of
bench/data/sessions."""

NUMBER = re.compile(r"\d+(?:[.:]\d+)*")

VALUE = re.compile(r"\d|\b(?:" + "|".join(NUMBER_WORDS) + r"|half|once|twice|daily|hourly|weekly|monthly)\b")

GREETS = re.compile(
    r"^\W*(?:hi+|hello+|hey+|hola+|moin|hallo+|guten (?:morgen|tag)|buen[oa]s|bonjour|salut|ciao|(?:good )?morning)\b",
    re.IGNORECASE,
)
"""How a message begins before it comes to the matter."""

MOST_ABOUT = 120
"""Characters of the longest request that is told with the question that it led to. Source: ours; one sentence fits."""


def asked_before(exchange: Exchange) -> Asked | None:
    """What the agent asked right before a message."""
    if exchange.statement is None or exchange.message.is_remark:
        return None
    if exchange.action is not None and exchange.action.entry_id > exchange.statement["id"]:
        return None
    return asked(exchange.said_before)


def answer(exchange: Exchange, prose: str, sentences: Sequence[Sentence]) -> tuple[MessageFinding, int] | None:
    """The answer to the agent's question with which a message begins, and how many sentences it takes.

    None where the agent asked nothing, where it asked for leave to do one thing now, and where the message says by
    itself what it says.
    """
    question = asked_before(exchange)
    begun = next((number for number, one in enumerate(sentences) if OPENING.sub("", one.masked).strip(" .!")), 0)
    first = sentences[begun]
    lower = spelt_out(first.masked)
    if question is None or lower.rstrip().endswith("?") or len(lower.split()) > MOST_JOINED_WORDS:
        return None
    if question.is_one_off and (told := told_how(exchange, question, prose, sentences, begun)):
        return told
    if agreed := agreed_to(question, prose, sentences):
        return agreed
    option = chosen(exchange.said_before, first.text)
    is_beside = question.is_one_off or is_beside_it(exchange, question, prose, lower)
    if not option and (not answers(question, first) or (is_beside and not is_otherwise(question, sentences, begun))):
        return None
    kept = REFUSES.sub(r"\1", lower)
    if any(matching(VETOES, kept, "user", False)) or (ON_TASK.search(lower) and not option):
        return None
    taken = begun + 1
    if taken < len(sentences) and any(each(prose, sentences, taken) for each in (thinks_first, is_reason_of)):
        taken += 1
    while taken < len(sentences) and taken_on(prose, sentences, taken):
        taken += 1
    start, end = sentences[0].start, sentences[taken - 1].end
    quote = prose[start:end]
    if "\x00" in quote:
        return None
    is_last = value_first(one_line(quote)) != one_line(quote)
    alone = "" if option or is_last else told_alone(question, quote, sentences[:taken])
    text = alone or statement_of(about(question, exchange), exchange.said_before, quote, option)
    kind = answered_kind(question, first)
    finding = ProseFinding(start, end, quote, kind, "answers a question", ANSWER, ("answers a question",))
    return MessageFinding(finding, text), taken


def agreed_to(question: Asked, prose: str, sentences: Sequence[Sentence]) -> tuple[MessageFinding, int] | None:
    """What the agent proposed in the place of something else, where the user agrees and says no more."""
    if ASKS_AGREEMENT.match(question.question) is None or COUNTERS.search(question.whole) is None:
        return None
    taken = 0
    while taken < len(sentences) and agrees(sentences[taken].masked, is_first=taken == 0):
        taken += 1
    if not taken:
        return None
    start, end = sentences[0].start, sentences[taken - 1].end
    rule = "answers a question"
    finding = ProseFinding(start, end, prose[start:end], "decision", rule, ANSWER, (rule,))
    return MessageFinding(finding, f'On "{shown(question.whole)}", the user said: {tidied(finding.quote)}'), taken


def agrees(said: str, *, is_first: bool) -> bool:
    """Whether a sentence says yes, or behind one that does no more than that."""
    lower = spelt_out(EXCLAIMS.sub("", said))
    is_yes = AFFIRMS.match(lower) is not None and not content(OPENING.sub("", lower))
    return is_yes or (not is_first and (is_acknowledgement(lower) or LIKE_THAT.match(lower) is not None))


def answered_kind(question: Asked, first: Sentence) -> str:
    """The kind of an answer, by what was asked."""
    if ASKS_HOW.search(question.question):
        return "environment"
    if ASKS_WHERE.search(question.question):
        return "structure"
    finding = judge(first, tables_of_all([first])[0], role="user", after_action=False)
    return finding.kind if finding is not None and not question.is_choice else "decision"


def answers(question: Asked, first: Sentence) -> bool:
    """Whether a first sentence can be an answer that needs its question."""
    lower = spelt_out(first.masked)
    body = OPENING.sub("", lower)
    if question.is_offered and not set(content(body)) & set(content(question.question.lower())):
        return False
    if (IS_TASK.search(lower) and not HOW.search(question.question)) or DEFERS.match(lower):
        return False
    if SAYS_NOTHING.search(lower):
        return False
    if TOLD_BEFORE.search(lower) and not set(content(lower)) & set(content(question.whole.lower())):
        return False
    is_yes_or_no = bool(AFFIRMS.match(lower) or DENIES.match(lower))
    if (question.is_choice and VALUE.search(body)) or BEGINS_WITH_VALUE.match(body):
        return True
    if not content(body):
        words = re.findall(r"[\w'-]+", body)
        if words and question.is_choice and all(word in question.question.lower() for word in words):
            return True
        return is_yes_or_no and not question.is_choice and ASKS_STATE.match(question.question) is not None
    return len(lower.split()) <= ANSWER_WORDS or is_yes_or_no or question.is_choice


def is_beside_it(exchange: Exchange, question: Asked, prose: str, lower: str) -> bool:
    """Whether a first sentence says something of its own, rather than yes or no to what the agent asked.

    It is a whole sentence: of a question for leave whatever it names, of any other unless it names something of that.
    """
    said = EXCLAIMS.sub("", lower)
    if INSTEAD.match(said) and len(said.split()) <= ANSWER_WORDS:
        return False
    if question.is_choice or AFFIRMS.match(EXCLAIMS.sub("", prose)) or BEGINS_WITH_VALUE.match(said):
        return False
    is_no = (DENIES.match(said) or OBJECTS.search(said)) and NO_DENIAL.match(said) is None
    if is_no or BUT.search(said) or WHOLE.search(said) is None:
        return False
    if len(said.split()) < FEWEST_OF_ITS_OWN:
        return False
    is_for_leave = ASKS_AGREEMENT.match(question.question) or ASKS_LEAVE.match(question.question)
    return is_for_leave is not None or not shares_a_word(exchange, lower)


def is_otherwise(question: Asked, sentences: Sequence[Sentence], begun: int) -> bool:
    """Whether an answer turns from the value that was asked about to another one: "8080 is taken. 8081"."""
    named = set(NUMBER.findall(question.question))
    first, behind = sentences[begun], sentences[begun + 1 : begun + 2]
    is_named = not named.isdisjoint(NUMBER.findall(spelt_out(first.masked)))
    said = re.sub(r" (?:then|please|instead|rather)\b", "", spelt_out(behind[0].masked)) if behind else ""
    value = BEGINS_WITH_VALUE.match(said)
    return is_named and value is not None and named.isdisjoint(NUMBER.findall(value[0]))


def told_how(
    exchange: Exchange, question: Asked, prose: str, sentences: Sequence[Sentence], begun: int
) -> tuple[MessageFinding, int] | None:
    """The command by which to do what the agent asked leave for: "Please. It's just `make ship`."."""
    last = next(
        (n for n in range(begun, min(begun + 2, len(sentences))) if HOW_TO.match(spelt_out(sentences[n].masked))), -1
    )
    leave = ASKS_LEAVE.match(question.question)
    if last < 0 or leave is None or "`" not in sentences[last].text:
        return None
    one = sentences[last]
    finding = ProseFinding(one.start, one.end, one.text, "environment", "answers a question", ANSWER, ("how to run",))
    wish = question.question[leave.end() :].rstrip("? ")
    return MessageFinding(
        finding, f"Asked whether to {wish}, the user said: {OPENING.sub('', one_line(one.text)).rstrip('.')}."
    ), last + 1


def is_reason_of(prose: str, sentences: Sequence[Sentence], number: int) -> bool:
    """Whether a sentence stands behind an answer of a few words and says why, or how."""
    one, other = sentences[number - 1], sentences[number]
    lower = spelt_out(other.masked)
    is_short = len(spelt_out(one.masked).split()) <= MOST_ANSWERED_WORDS
    is_beside = "\n" not in prose[one.end : other.start] and "\x00" not in prose[one.start : other.end]
    is_turn = TURNS.match(lower) is not None and AFFIRMS.match(one.masked) is not None
    own = judge(other, tables_of_all([other])[0], role="user", after_action=False) if is_turn else None
    if own is not None and own.points >= ENOUGH_ALONE:
        return False
    return is_short and is_beside and ANOTHER.match(lower) is None and may_attach(other, OF_THE_REASON)


def thinks_first(prose: str, sentences: Sequence[Sentence], number: int) -> bool:
    """Whether a few words repeat what was asked, and the next sentence begins to think about it."""
    one, other = sentences[number - 1], sentences[number]
    is_short = len(one.text.split()) <= MOST_REPEATED_WORDS and "\n" not in prose[one.end : other.start]
    does_think = HESITATES.match(spelt_out(other.masked)) is not None
    return is_short and does_think and "\x00" not in prose[one.start : other.end]


def about(question: Asked, exchange: Exchange) -> Asked:
    """A question with the request that led to it, where it does not say what it is about."""
    request = first_words(exchange.earlier_words)
    is_bare = STILL.search(question.question) is not None and len(content(question.whole)) <= FEW_ASKED
    if not request or not (is_bare or LEANS_ON.search(split(question.whole)[0].masked)):
        return question
    return question._replace(whole=f"{request.rstrip('.!?')}: {question.whole}")


def first_words(said: str) -> str:
    """The first sentence that says something, where it is short enough to be told with a question; '' of an answer."""
    if AFFIRMS.match(said) or DENIES.match(said):
        return ""
    for one in split(said.replace("\x00", " ")):
        if len(content(one.masked)) > 2 and not GREETS.match(one.masked):
            return one_line(one.text) if len(one.text) <= MOST_ABOUT else ""
    return ""


def taken_on(prose: str, sentences: Sequence[Sentence], number: int) -> bool:
    """Whether a sentence goes on with the answer before it."""
    one, other = sentences[number - 1], sentences[number]
    lower = spelt_out(other.masked)
    is_short = len(lower.split()) <= 6 or is_rest(one, lower)
    leans = leans_back(other) or lower.startswith(CONTINUES)
    is_value = SETS_NUMBER.match(lower) is not None and VALUE_FIRST.match(spelt_out(sentences[0].masked)) is None
    return "\n" not in prose[one.end : other.start] and (is_value or ((leans or is_short) and may_attach(other)))


def is_rest(one: Sentence, lower: str) -> bool:
    """Whether a sentence without a verb goes on with what an answer says: "message with the well in it, code 2"."""
    return FRAGMENT.match(lower) is not None or (one.text.count(" ") > 0 and goes_with_scope(lower))


def statement_of(question: Asked, reply: str, quote: str, option: str) -> str:
    """An answer with its question, as a text that stands alone."""
    said = value_first(one_line(quote).rstrip(".!"))
    body = OPENING.sub("", said).strip() or said
    sides, whole = alternatives(reply), shown(without_status(question.whole))
    if option:
        return f'Asked "{whole}", the user chose {option.rstrip(".")} ("{said}").'
    leave = ASKS_LEAVE.match(question.question)
    if leave and question.whole == question.question:
        wish = question.question[leave.end() :].rstrip("? ")
        answered = body if sides and not DENIES.match(said) else said
        return f"Asked whether to {wish}, the user said: {answered}."
    return f'Asked "{whole}", the user said: {said}.'


def shown(question: str) -> str:
    """A question as it stands within quotation marks."""
    return question.replace('"', "'")
