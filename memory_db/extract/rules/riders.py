"""What stands at the beginning or the end of a memory and is no part of it: a task of the moment, thanks or a groan,
something private, a story that only says why somebody knows, an opening that points at what was said before.

In: the text of a memory. Out: the same text without them, where what is left says the whole thing; its quote keeps
them. Invariants: pure; nothing is taken from the middle but brackets on somebody's private life; of a text that says
what the user answers, the answer itself and the edit that took up its value stay.
"""

from __future__ import annotations

import re

from memory_db.extract.rules.prose import spelt_out
from memory_db.extract.rules.rider_cues import (
    ASKED,
    BACK_TO,
    BRACKETS,
    CAN_WAIT,
    CLOSES,
    COUNTS_ON,
    ENDING,
    FOR_ME,
    GROANS,
    HOLDS,
    IN_THE_PAST,
    MISHAP,
    MORE_WORK,
    OF_EACH,
    OPENING,
    OPENS_ALONE,
    PRIVATE,
    SCENE_ALONE,
    SO,
    STEP,
    STEP_NOW,
    TELLS_NEWS,
    TIMES,
)
from memory_db.extract.rules.surroundings import IS_TASK, content, leans_back
from memory_db.extract.rules.titles import FRAME
from memory_db.text.acknowledging import is_acknowledgement
from memory_db.text.sentences import Sentence, split
from memory_db.text.statements import TAKEN

FEWEST_LEFT = 4
"""Words of the shortest text that is left, unless it is an answer; one of them means something. Source: ours."""

MOST_RIDERS = 3
"""Sentences at most that are taken off at either end: what has more of them is told for their sake. Source: ours."""

NAMES_IT = re.compile(r"\w: ")
"""How a sentence comes to what it tells."""


def without_riders(text: str) -> str:
    """The text of a memory without what stands at its ends and is no part of it."""
    frame, taken = FRAME.match(text), TAKEN.search(text)
    start, end = frame.start("said") if frame else 0, taken.start() if taken else len(text)
    said = BRACKETS.sub("", text[start:end])
    left = without_last(said, fewest=1 if frame else FEWEST_LEFT)
    left = left if frame else without_first(left)
    if left == text[start:end]:
        return text
    left = left[0].upper() + left[1:] if left[0].islower() and is_plain_word(left) and not frame else left
    return text[:start] + (left.rstrip(".") if taken else left) + text[end:]


def is_plain_word(text: str) -> bool:
    """Whether a text begins with a word that may have a capital: no path, flag or name in code."""
    first = text.split(" ", 1)[0]
    return first.rstrip(".,:;!?").isalpha() and first.islower()


def without_last(said: str, *, fewest: int) -> str:
    """What is said without the riders at its end, of which as many words are left."""
    sentences = split(said, with_values=True)
    keep = len(sentences)
    while keep > 1 and len(sentences) - keep < MOST_RIDERS and rides_behind(sentences[keep - 1], sentences[keep - 2]):
        left = said[: sentences[keep - 2].end]
        if not is_enough(left, fewest) or left.rstrip().endswith((":", ",")):
            break
        keep -= 1
    left = said if keep == len(sentences) else said[: sentences[keep - 1].end].rstrip()
    ending = ENDING.search(left)
    if ending is None or not is_enough(left[: ending.start()], fewest):
        return left
    return left[: ending.start()] + left[ending.end() :]


def without_first(said: str) -> str:
    """What is said without the riders at its beginning."""
    sentences = split(said, with_values=True)
    first = 0
    while first + 1 < len(sentences) and first < MOST_RIDERS and rides_before(sentences[first], sentences[first + 1]):
        if not is_enough(said[sentences[first + 1].start :], FEWEST_LEFT):
            break
        first += 1
    left = said[sentences[first].start :] if first else said
    opening = OPENING.match(left)
    if opening and COUNTS_ON.match(opening[0]) is None and says_enough(left[opening.end() :]):
        left = left[opening.end() :]
    so = SO.match(left)
    return left[so.end() :] if so and says_enough(left[so.end() :]) else left


def says_enough(left: str) -> bool:
    """Whether what is left begins with no word that stands for something before it, and has enough of its own."""
    sentences = split(left)
    return bool(sentences) and is_enough(left, FEWEST_LEFT) and not leans_back(sentences[0])


def is_enough(left: str, fewest: int) -> bool:
    """Whether so many words are left, and one that means something."""
    return len(left.split()) >= fewest and (fewest == 1 or bool(content(left)))


def rides_behind(sentence: Sentence, before: Sentence) -> bool:
    """Whether the last sentence of a text is no part of it."""
    if "`" in sentence.text or NAMES_IT.search(sentence.text):
        return False
    lower = spelt_out(sentence.masked)
    if thanks(sentence) or any(each.search(lower) for each in (CAN_WAIT, GROANS, CLOSES, BACK_TO, ASKED)):
        return True
    if tells_story(lower) or (OF_EACH.search(spelt_out(before.masked)) is None and is_work(lower)):
        return True
    return HOLDS.search(lower) is None and PRIVATE.search(lower) is not None


def is_work(lower: str) -> bool:
    """Whether a sentence is only a task of the moment."""
    if any(each.search(lower) for each in (STEP, MORE_WORK, FOR_ME)):
        return True
    is_now = STEP_NOW.match(lower) is not None and HOLDS.search(lower) is None
    return is_now and IS_TASK.search(re.sub(r"\bnow ", "", lower)) is not None


def thanks(sentence: Sentence) -> bool:
    """Whether a sentence only says yes, thanks or the like."""
    lower = spelt_out(sentence.masked)
    return is_acknowledgement(sentence.text) and HOLDS.search(lower) is None and TIMES.search(lower) is None


def rides_before(sentence: Sentence, following: Sentence) -> bool:
    """Whether the first sentence of a text is no part of it, and the next one does without it."""
    if "`" in sentence.text or leans_back(following) or sentence.text.rstrip().endswith(":"):
        return False
    lower = spelt_out(sentence.masked)
    if OPENS_ALONE.match(sentence.text) or thanks(sentence) or GROANS.search(lower):
        return True
    if tells_story(lower):
        return True
    return HOLDS.search(lower) is None and (SCENE_ALONE.match(lower) is not None or PRIVATE.search(lower) is not None)


def tells_story(lower: str) -> bool:
    """Whether a sentence only tells what once went wrong: "we had that in august, and it was in the newspaper"."""
    is_past = IN_THE_PAST.search(lower) is not None and "?" not in lower
    return is_past and MISHAP.search(lower) is not None and TELLS_NEWS.search(IN_THE_PAST.sub("", lower)) is None
