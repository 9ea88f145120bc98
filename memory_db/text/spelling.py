"""Words that no text has, as the known words nearest to them.

In: words without a text, and the full texts' vocabularies. Out: the known word for each that has one near. Candidates
are written first and looked up then, so the time does not depend on how many words the file knows; the full text keeps
stems, and SQLite's own tokenizer says which stem a candidate has.

Invariants: a known word is never changed; nor is a word of ordinary English, for a file merely need not have it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from string import ascii_lowercase
from typing import TYPE_CHECKING

from memory_db.text.static_vectors import is_word

if TYPE_CHECKING:
    from memory_db.text.wording import FileWords

LONG = 8
"""Letters from which on a word may have two errors."""

LONGEST = 40
"""Letters of the longest word that is corrected: what is longer is no word, and has too many candidates to write."""

SAME_START = 3
"""Letters that a word with two errors must share with the known one: they bound what is looked through."""

SHORTEST_PART = 4
"""Letters of the shortest part of a word that is joined from two, as `firewall` is."""

MOST_WORDS = 6
"""Words corrected at once: a text full of unknown words is in no need of spelling."""

MOST_COMPARED = 500
"""Known words that one word is compared with."""

FORMS = ("s", "es", "d", "ed", "ing", "r", "er", "ers", "est", "ly", "ings")
"""Endings of forms of a word."""

ENDINGS = ("e", "s", "ed", "ing", "ion", "ions", "ate", "es", "al", "er", "ly")
"""What a stem may have lost."""

STEMS = """
create virtual table texts using fts5(text, tokenize='porter unicode61 remove_diacritics 2');
create virtual table words using fts5vocab(texts, instance);
"""


def corrections(known: FileWords, tables: Sequence[str], words: Iterable[str]) -> dict[str, str]:
    """The nearest known word for each word that has one: at one error, and for long words at two.

    Of several the one in most texts; errors are a letter too many, missing, wrong, or two exchanged.
    Source: Damerau 1964, A technique for computer detection and correction of spelling errors, which found four of five
    errors to be one of these; Norvig, How to Write a Spelling Corrector, for writing the candidates first.
    """
    found: dict[str, str] = {}
    unknown = [
        word for word in words if len(word) <= LONGEST and word.isascii() and word.isalpha() and not is_english(word)
    ][:MOST_WORDS]
    for word in unknown:
        near = known_at_one_error(known, tables, word)
        if near is None and len(word) >= LONG:
            near = known_at_two_errors(known, tables, word)
        if near is not None:
            found[word] = near
    return found


def is_english(word: str) -> bool:
    """Whether a word is a common one of English, one of its forms, or joined from two of them."""
    forms = [word]
    for ending in FORMS:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            base = word.removesuffix(ending)
            forms += [base, base + "e", base[:-1] + "y" if base[-1] == "i" else base]
            forms += [base[:-1]] if base[-1] == base[-2] else []
    return any(is_word(form) or is_joined(form) for form in forms)


def is_joined(word: str) -> bool:
    """Whether a word is two common ones written as one."""
    ends = range(SHORTEST_PART, len(word) - SHORTEST_PART + 1)
    return any(is_word(word[:end]) and is_word(word[end:]) for end in ends)


def one_error(word: str) -> list[str]:
    """Every word of small letters that one error turns into this one or this one into."""
    parts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    made = [left + right[1:] for left, right in parts if right]
    made += [left + right[1] + right[0] + right[2:] for left, right in parts if len(right) > 1]
    made += [left + letter + right[1:] for left, right in parts if right for letter in ascii_lowercase]
    made += [left + letter + right for left, right in parts for letter in ascii_lowercase]
    return [each for each in dict.fromkeys(made) if each != word]


def stems_of(words: Sequence[str]) -> list[str]:
    """The stem of each word, as the full texts of a file have it."""
    with closing(sqlite3.connect(":memory:")) as memory:
        memory.executescript(STEMS)
        memory.execute("insert into texts values (?)", [" ".join(words)])
        return [row[0] for row in memory.execute("select term from words order by offset")]


def known_at_one_error(known: FileWords, tables: Sequence[str], word: str) -> str | None:
    """The word at one error that most texts have, if any has one."""
    candidates = one_error(word)
    stems = stems_of(candidates)
    counts = known.stem_counts(tables, stems)
    return best_of((counts.get(stem, 0), candidate) for stem, candidate in zip(stems, candidates, strict=True))


def known_at_two_errors(known: FileWords, tables: Sequence[str], word: str) -> str | None:
    """A word whose stem is at two errors from the word's own: the one in most texts among those that begin alike."""
    start, stem = word[:SAME_START], stems_of([word])[0]
    counts: dict[str, int] = {}
    for table in tables:
        end = start[:-1] + chr(ord(start[-1]) + 1)
        for term, texts in known.stems_between(table, start, end, MOST_COMPARED):
            if abs(len(term) - len(stem)) <= 2 and len(term) >= LONG - 2 and within_two(stem, term):
                counts[term] = counts.get(term, 0) + texts
    nearest = best_of((texts, term) for term, texts in counts.items())
    return nearest and written_out(nearest)


def written_out(stem: str) -> str | None:
    """A word of this stem, since a stem asked for may be cut again: `databas` as `database`."""
    candidates = [*([stem[:-1] + "y"] if stem.endswith("i") else []), stem, *(stem + ending for ending in ENDINGS)]
    return next((word for word, found in zip(candidates, stems_of(candidates), strict=True) if found == stem), None)


def best_of(counted: Iterable[tuple[int, str]]) -> str | None:
    """The word with the greatest count above 0; of equals the first by its letters."""
    known = [(-count, word) for count, word in counted if count]
    return min(known)[1] if known else None


def within_two(one: str, other: str) -> bool:
    """Whether at most two errors lie between the words. Source: Damerau's distance, of neighbouring letters only."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        before, above, row = row, before, [at]
        for place, wanted in enumerate(other, start=1):
            cost = min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != wanted))
            if at > 1 and place > 1 and letter == other[place - 2] and one[at - 2] == wanted:
                cost = min(cost, above[place - 2] + 1)
            row.append(cost)
        if min(row) > 2 and min(before) > 2:
            return False
    return row[-1] <= 2
