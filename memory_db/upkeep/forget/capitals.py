"""In which capitals words stand: so that they can be forgotten however they are written.

In: a connection and words. Out: the words, written in each of those ways; what says them in others. Nothing is changed.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from memory_db.text.scrubbing import flat_text
from memory_db.upkeep.forget.places import copies_in, numbers_of, text_columns
from memory_db.upkeep.forget.target import FORGETS, Fate, ForgetTarget, completed, fates_of


def in_any_capitals(db: sqlite3.Connection, words: str) -> set[str]:
    """Words as they are given, in the capitals that are usual, and in those in which any text of the file has them."""
    words = flat_text(words)
    if not words:
        return set()
    found = {words, words.lower(), words.upper(), words.capitalize(), words.title()}
    pattern = re.compile(re.escape(words), re.IGNORECASE)
    for table, column in text_columns(db):
        for row in db.execute(f'select distinct "{column}" from "{table}"'):
            for text in texts_of(row[0]):
                found.update(match[0] for match in pattern.finditer(flat_text(text)))
    return found


@dataclass(frozen=True, slots=True)
class Otherwise:
    """What says words in other capitals than they are given in, and would keep them.

    `fates` are its memories, in any version, and entries; `places` counts all texts by table and column; `target` has
    the words as they are written there.
    """

    target: ForgetTarget
    fates: list[Fate]
    places: dict[str, int]


def said_otherwise(db: sqlite3.Connection, words: str, going: Iterable[Fate] = ()) -> Otherwise:
    """What would still say words in other capitals, once what is `going` is forgotten."""
    writings = in_any_capitals(db, words) - {flat_text(words)}
    target = completed(db, ForgetTarget("other capitals", texts=writings, is_everywhere=True, is_words=True))
    gone = {fate.uid for fate in going if fate.what == FORGETS}
    fates = [fate for fate in fates_of(db, target) if fate.uid not in gone]
    return Otherwise(target, fates, numbers_of(copies_in(db, target), ()))


def texts_of(cell: object) -> Iterator[str]:
    """A cell as text, and the texts within its JSON, where these are written in another way there."""
    if isinstance(cell, str):
        yield cell
        if cell[:1] in ("[", "{") and "\\" in cell:
            with suppress(ValueError, RecursionError):
                yield from texts_within(json.loads(cell))


def texts_within(value: object) -> Iterator[str]:
    """Every text of a value of JSON, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from texts_within(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from texts_within(each)
