"""What a model may answer about a pair of memories, and what of it can be used.

In: the text of an answer, and the two texts that it is about. Out: a `Judgement`, or an `AnswerError` that says what is
wrong. Invariants: nothing that a model said is taken on trust; whoever says that two texts clash has shown the words of
both, as they stand there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memory_db.extract.model.answers import (
    QUOTE_CHARACTERS,
    AnswerError,
    find_quote,
    json_object,
    line,
    object_of,
    text_in,
    text_of,
)
from memory_db.extract.model.chunks import TranscriptLine

CONTRADICTS, REPLACES, NEITHER = "contradicts", "replaces", "neither"

REASON_CHARACTERS = 160

SUREST = 5
ORDINARY_SURENESS = 3

MOST_SCORE = 0.7
"""The score of what a model is surest of. Source: ours; below what the tests of relations give, which say what they
saw: that a text has the words does not mean that they clash."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """How the newer text stands to the older one, with the words of both; `score` is 0 to MOST_SCORE.

    `left_out` says why a clash cannot be used; its relation is then `neither`.
    """

    relation: str
    reason: str
    score: float
    older_words: str = ""
    newer_words: str = ""
    left_out: str = ""

    @property
    def reason_text(self) -> str:
        """The reason as a person reads it, with the words of both."""
        words = f"{line(self.older_words, REASON_CHARACTERS)!r} and {line(self.newer_words, REASON_CHARACTERS)!r}"
        return f"{self.reason or 'They clash.'} {words}"


def pair_schema() -> dict[str, Any]:
    """What a model is asked to answer about a pair."""
    return object_of(
        {
            "relation": {"type": "string", "enum": [CONTRADICTS, REPLACES, NEITHER]},
            "older_words": text_of(QUOTE_CHARACTERS, "words copied exactly from the older note; empty for neither"),
            "newer_words": text_of(QUOTE_CHARACTERS, "words copied exactly from the newer note; empty for neither"),
            "reason": text_of(REASON_CHARACTERS, "one short sentence"),
            "sure": {"type": "integer", "enum": list(range(1, SUREST + 1))},
        }
    )


def read_judgement(answer: str, older: str, newer: str) -> Judgement:
    """The answer about a pair of texts. Raises: AnswerError where it is none of those that were asked for."""
    value = json_object(answer)
    relation = text_in(value, "relation")
    if relation not in (CONTRADICTS, REPLACES, NEITHER):
        raise AnswerError("Its relation is none of those listed.")
    reason = line(text_in(value, "reason"), REASON_CHARACTERS)
    sure = value.get("sure")
    sureness = sure if type(sure) is int and 1 <= sure <= SUREST else ORDINARY_SURENESS
    score = MOST_SCORE * sureness / SUREST
    if relation == NEITHER:
        return Judgement(NEITHER, reason, score)
    found = [words_in(older, text_in(value, "older_words")), words_in(newer, text_in(value, "newer_words"))]
    for name, words in zip(("older", "newer"), found, strict=True):
        if not words:
            return Judgement(NEITHER, reason, score, left_out=f"{relation}: its words do not stand in the {name} text")
    return Judgement(relation, reason, score, *found)


def words_in(text: str, quote: str) -> str:
    """The quoted words as they stand in a text; empty where it does not have them, or where they prove nothing."""
    said = TranscriptLine(1, 1, "note", text, ((1, text),), "")
    entry_id, words = find_quote(quote, 1, [said])
    return words if entry_id is not None else ""
