"""Whether somebody who turned to another project within a message has come back to the one that they are in.

In: what a message says from there on, up to the end of the words in question. Out: whether these are of the session's
own project again. Invariant: the sentence that turns away never comes back itself, nor does one that only goes on.
"""

from __future__ import annotations

import re
import sqlite3
from itertools import pairwise

from memory_db.recall.meant import named_in
from memory_db.text.sentences import Sentence, split

BACK_HERE = re.compile(
    r"\b(?:back (?:here|to this)|as for (?:here|this)|(?:thanks?|thank you|thx) for|anyway|(?:so|and|ok) now|now to)\b",
    re.IGNORECASE,
)
"""How they come back, or thank for what was done here."""

BEGINS_BACK = re.compile(
    rf"^\W*(?:(?:and|but|so|ok|okay|well|right|oh)\W+){{0,2}}?{BACK_HERE.pattern}(?! (?:it|they|there)\b)",
    re.IGNORECASE,
)
"""A sentence that begins so, and not with what the other project does by now: "and now they want two"."""

HERE = re.compile(
    r"\b(?:(?P<other>not|n't|like|as(?! for\b)|than|from|except|until) )?(?:(?:for|in|about|over|back) )*"
    r"(?:here(?!['’]s\b)|this (?:project|repo|repository|codebase))\b",
    re.IGNORECASE,
)
"""The place that they are in; with `other` it is only what something else is measured by, or not meant at all."""

SHOWS = re.compile(
    r"^\W*(?:(?:and|also|so|ok|oh|but)\W+)*here(?:['’]?s| is| are| comes?| goes| you)\b\W*", re.IGNORECASE
)
"""A beginning that hands something over: "here is the mail"."""

OF_THEM = re.compile(r"^\W*(?:(?:and|but|so|also)\W+)*(?:it|its|they|their|there)\b", re.IGNORECASE)
"""How a sentence begins whose subject is what was spoken of before."""

GOES_ON = re.compile(rf"^\W*and\b|{OF_THEM.pattern}", re.IGNORECASE)
"""How a paragraph begins that goes on with the one before it."""

NEW_PARAGRAPH = re.compile(r"\n[ \t]*\n")


def has_come_back(db: sqlite3.Connection, said: str, home: int | None, other: int) -> bool:
    """Whether the last words of what is said after turning to the project `other` are of `home` again."""
    for before, sentence in pairwise(split(said)):
        if is_of_here(sentence) or names_home(db, sentence.text, home):
            return True
        if NEW_PARAGRAPH.search(said, before.end, sentence.start) and not GOES_ON.match(sentence.text):
            named = named_in(db, NEW_PARAGRAPH.split(said[sentence.start :])[0], home)
            if named is None or named.project_id != other:
                return True
    return False


def comes_back(said: str) -> bool:
    """Whether a sentence behind the first one is of the place that the speaker is in, by its own words."""
    return any(is_of_here(sentence) for sentence in split(said)[1:])


def is_of_here(sentence: Sentence) -> bool:
    """Whether a sentence says that it is of the place that the speaker is in."""
    rest = SHOWS.sub("", sentence.masked)
    return BEGINS_BACK.match(rest) is not None or any(match["other"] is None for match in HERE.finditer(rest))


def names_home(db: sqlite3.Connection, sentence: str, home: int | None) -> bool:
    """Whether a sentence names the speaker's own project, and not as what the other one deals with."""
    named = None if OF_THEM.match(sentence) else named_in(db, sentence, home)
    return named is not None and named.project_id == home
