"""Prompts that lean on the turn before them, and prompts that ask the same.

In: the text of a prompt. Out: yes or no. Pure: no database, no clock.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

from functools import lru_cache

from memory_db.text.acknowledging import OPENING, is_acknowledgement, is_short_reply, names_something
from memory_db.text.questions import asks_to_know, asks_whether, is_question
from memory_db.text.terms import STOP_WORDS, WORD

CONNECTING = frozenset("and but so or also then plus".split())
"""Words by which a prompt goes on with what was said."""

POINTING = frozenset("it that this they them those these one ones other there he she him her".split())
"""Words that stand for something that was said."""

LEANING_WORDS, LEANING_TELLING = 9, 2
"""The longest question that needs the turn before it to say what it is about, and the words of its own that it may
have, one less where no connecting word opens it; then a pronoun must end it.

Source: the first half of `python -m bench brief_quality`: of 12 follow-ups 6 are such, and of the other prompts two,
which repeat a question; of the questions of the sample and of the developer set none.
"""


def leans(text: str) -> bool:
    """Whether a prompt says little without the turn before it."""
    return is_acknowledgement(text) or is_short_reply(text)


def asks_of_turn_before(text: str) -> bool:
    """Whether a question says by a pronoun alone what it is about: "and the two before it?"."""
    words = WORD.findall(text.casefold()) if len(text) <= LEANING_WORDS * 10 and not names_something(text) else []
    while words and words[0] in OPENING:
        del words[0]
    if not 0 < len(words) <= LEANING_WORDS or POINTING.isdisjoint(words):
        return False
    goes_on = words[0] in CONNECTING
    said = " ".join(words[1:] if goes_on else words) + "?" * is_question(text)
    if not (asks_to_know(said) or asks_whether(said)):
        return False
    telling = sum(word not in STOP_WORDS and word not in POINTING for word in words)
    return telling <= LEANING_TELLING if goes_on else telling < LEANING_TELLING and words[-1] in POINTING


def is_same(text: str, asked: str) -> bool:
    """Whether two prompts have the same distinctive words."""
    return bool(asked) and telling_words(text) == telling_words(asked)


@lru_cache(maxsize=2)  # one of the two texts is the same question each time
def telling_words(text: str) -> frozenset[str]:
    """The words of a text without those that say nothing; all of them where there are no others."""
    words = WORD.findall(text[:4_000].casefold())
    return frozenset(word for word in words if word not in STOP_WORDS) or frozenset(words)
