"""The words of a question as the file may write them: split, joined, or without a typing error.

In: a question and its terms. Out: `Wording`: the terms and their variants. `recallProfile` is also asked for as
`recall` and `profile`; `recall profile` also as `recallprofile`, where a text of the file has that word; and a word
that no text has as the known one nearest to it. Invariant: a term that a text has is never taken away or changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from itertools import pairwise

from memory_db.records import dataclass, field, later
from memory_db.text.terms import MAX_QUERY_CHARACTERS, MAX_TERMS, STOP_WORDS, WORD, match_any

HUMPED = later(r"\b[A-Za-z]+[a-z0-9][A-Z][A-Za-z0-9]*|\b[A-Z]{2,}[a-z][A-Za-z0-9]*")
"""A word in camelCase or PascalCase."""

HUMP = later(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
"""A part of such a word: `parseHTTPHeader` has parse, HTTP, Header."""

SHORTEST_PART = 3
"""Letters of the shortest part that is asked for by itself, and of the shortest word that is joined to another."""

SHORTEST_CORRECTED = 5
"""Letters of the shortest word that is corrected: shorter ones have too many neighbours."""


@dataclass(slots=True, frozen=True)
class Wording:
    """`terms` are the question's own; `variants` what else is asked, each with the terms that it stands for.

    `corrected` has the known word for each that no text has.
    """

    terms: tuple[str, ...]
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    corrected: Mapping[str, str] = field(default_factory=dict)

    @property
    def asked(self) -> tuple[str, ...]:
        """Everything that is asked of the full text, the question's own words first."""
        return (*self.terms, *self.variants)

    def worth(self, idf: Mapping[str, float]) -> dict[str, float]:
        """The idf of each term that some text has, as itself or as its variants: whichever is worth more.

        So a text that has one way of writing it is measured by that, not by all ways together.
        """
        offered: dict[str, float] = {}
        for variant, stands_for in self.variants.items():
            for term in stands_for if variant in idf else ():
                offered[term] = offered.get(term, 0.0) + idf[variant] / len(stands_for)
        found = {term: max(idf.get(term, 0.0), offered.get(term, 0.0)) for term in self.terms}
        return {term: value for term, value in found.items() if value}

    def counts(self, counted: Mapping[str, int]) -> dict[str, int]:
        """In how many texts each term is, or where it is in none its most frequent variant."""
        ways = {term: [counted[each] for each, stands_for in self.variants.items() if term in stands_for]
                for term in self.terms}  # fmt: skip
        return {term: counted[term] or max(ways[term], default=0) for term in self.terms}


def describe_wording(variants: Mapping[str, Iterable[str]], corrected: Mapping[str, str]) -> list[str]:
    """What was asked for besides the question's own words, in sentences: first what was read as another word."""
    lines = [f"asked for {known!r} instead of {typed!r}" for typed, known in corrected.items()]
    others = [word for word in variants if word not in corrected.values()]
    return lines + [f"also asked for {', '.join(others)}"] * bool(others)


def split_words(query: str, terms: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The parts of the question's words in camelCase, each with the word that it stands for."""
    text = query[:MAX_QUERY_CHARACTERS]
    if text.islower():
        return {}
    own = set(terms)
    parts: dict[str, tuple[str, ...]] = {}
    for word in HUMPED.findall(text):
        if (whole := word.casefold()) in own:
            for part in (part.casefold() for part in HUMP.findall(word)):
                if len(part) >= SHORTEST_PART and part not in STOP_WORDS and part not in own:
                    parts.setdefault(part, (whole,))
    return dict(list(parts.items())[:MAX_TERMS])


def joined_words(query: str, terms: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Neighbouring words of the question as one word, each with the terms that it stands for: `log in` as `login`."""
    own = set(terms)
    words = WORD.findall(query.casefold())[: 2 * MAX_TERMS]
    joined: dict[str, tuple[str, ...]] = {}
    for one, other in pairwise(words):
        stands_for = tuple(dict.fromkeys(word for word in (one, other) if word in own))
        # A letter alone is what an apostrophe parts: `s` of a genitive makes no other word.
        long_enough = min(len(one), len(other)) > 1 and max(len(one), len(other)) >= SHORTEST_PART
        if stands_for and long_enough and one + other not in own and not (one + other).isdigit():
            joined.setdefault(one + other, stands_for)
    return joined


VOCABULARIES = {"memory_fts": "memory_words", "entry_fts": "entry_words"}
"""The vocabulary of each full text."""


class FileWords:
    """Which words the full texts of a file have."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def known(self, tables: Iterable[str], words: Iterable[str]) -> set[str]:
        """Those of the words that a text of these full texts has."""
        left = list(words)
        known: set[str] = set()
        for table in tables:
            ask = f"select 1 from {table} where {table} match ? limit 1"
            if left and self.db.execute(ask, [match_any(tuple(left))]).fetchone():
                known |= {word for word in left if self.db.execute(ask, [f'"{word}"']).fetchone()}
                left = [word for word in left if word not in known]
        return known

    def stem_counts(self, tables: Iterable[str], stems: Iterable[str]) -> dict[str, int]:
        """In how many texts each stem is, of those that are in any."""
        counts: dict[str, int] = {}
        for stem in set(stems):
            for table in tables:
                sql = f"select doc from {VOCABULARIES[table]} where term = ?"
                if row := self.db.execute(sql, [stem]).fetchone():
                    counts[stem] = counts.get(stem, 0) + row[0]
        return counts

    def stems_between(self, table: str, start: str, end: str, most: int) -> list[tuple[str, int]]:
        """The first stems of a full text from one on and before another, each with the number of its texts."""
        sql = f"select term, doc from {VOCABULARIES[table]} where term >= ? and term < ? limit ?"
        return list(map(tuple, self.db.execute(sql, [start, end, most])))


def wording(
    known: FileWords,
    query: str,
    terms: tuple[str, ...],
    tables: tuple[str, ...],
    *,
    exact: Iterable[str] = (),
    correct: bool = True,
) -> Wording:
    """The terms with the variants that a text of these full texts has.

    Words of what is `exact` (the question's literals) keep their spelling; without `correct` all do.
    """
    joined = joined_words(query, terms)
    found = known.known(tables, joined)
    variants = split_words(query, terms) | {word: stands_for for word, stands_for in joined.items() if word in found}
    corrected: dict[str, str] = {}
    if correct:
        met = {term for stands_for in variants.values() for term in stands_for} | set(" ".join(exact).split())
        words = [word for word in terms if len(word) >= SHORTEST_CORRECTED and word.isalpha() and word not in met]
        there = known.known(tables, words)
        if unknown := [word for word in words if word not in there]:
            from memory_db.text import spelling  # noqa: PLC0415  # start-up: a hook corrects nothing

            corrected = spelling.corrections(known, tables, unknown)
            variants |= {word: (term,) for term, word in corrected.items() if word not in terms}
    return Wording(terms, variants, corrected)
