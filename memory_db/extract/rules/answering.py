"""What a message answers that the agent asked.

In: one exchange. Out: the answer with its question as a text that stands alone. Invariant: pure; every word of it is
the user's or the agent's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.negative_cues import VETOES
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
    ASKS_HOW,
    ASKS_LEAVE,
    ASKS_STATE,
    ASKS_WHERE,
    DENIES,
    HOW,
    OPENING,
    Asked,
    alternatives,
    asked,
    chosen,
    one_line,
)
from memory_db.extract.rules.surroundings import (
    ANSWER,
    IS_TASK,
    MOST_JOINED_WORDS,
    ON_TASK,
    MessageFinding,
    content,
    leans_back,
    may_attach,
)
from memory_db.text.sentences import Sentence


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
    option = chosen(exchange.said_before, first.text)
    if not option and (question.is_one_off or not answers(question, first)):
        return None
    if any(matching(VETOES, lower, "user", False)) or (ON_TASK.search(lower) and not option):
        return None
    taken = begun + 1
    while taken < len(sentences) and taken_on(prose, sentences, taken):
        taken += 1
    start, end = sentences[0].start, sentences[taken - 1].end
    quote = prose[start:end]
    if "\x00" in quote:
        return None
    text = statement_of(question, exchange.said_before, quote, option)
    kind = answered_kind(question, first)
    finding = ProseFinding(start, end, quote, kind, "answers a question", ANSWER, ("answers a question",))
    return MessageFinding(finding, text), taken


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
    if (IS_TASK.search(lower) and not HOW.search(question.question)) or re.match(
        r"^\W*(?:sec|wait|hm+|dunno|not sure|idk)\b", lower
    ):
        return False
    is_yes_or_no = bool(AFFIRMS.match(lower) or DENIES.match(lower))
    if not content(body):
        words = re.findall(r"[\w'-]+", body)
        if words and question.is_choice and all(word in question.question.lower() for word in words):
            return True
        return is_yes_or_no and not question.is_choice and ASKS_STATE.match(question.question) is not None
    return len(lower.split()) <= ANSWER_WORDS or is_yes_or_no or question.is_choice


def taken_on(prose: str, sentences: Sequence[Sentence], number: int) -> bool:
    """Whether a sentence goes on with the answer before it."""
    one, other = sentences[number - 1], sentences[number]
    lower = spelt_out(other.masked)
    is_short = len(lower.split()) <= 6
    leans = leans_back(other) or lower.startswith(CONTINUES)
    return "\n" not in prose[one.end : other.start] and (leans or is_short) and may_attach(other)


def statement_of(question: Asked, reply: str, quote: str, option: str) -> str:
    """An answer with its question, as a text that stands alone."""
    said = one_line(quote).rstrip(".!")
    body = OPENING.sub("", said).strip() or said
    sides = alternatives(reply)
    if option:
        return f'Asked "{shown(question.whole)}", the user chose {option.rstrip(".")} ("{said}").'
    leave = ASKS_LEAVE.match(question.question)
    if leave and question.whole == question.question:
        wish = question.question[leave.end() :].rstrip("? ")
        answered = body if sides and not DENIES.match(said) else said
        return f"Asked whether to {wish}, the user said: {answered}."
    return f'Asked "{shown(question.whole)}", the user said: {said}.'


def shown(question: str) -> str:
    """A question as it stands within quotation marks."""
    return question.replace('"', "'")
