"""bm25 of a shard's texts as if all shards were one file.

SQLite's bm25 counts rows, lengths and words of the file that it is asked in. Asked for one word alone it tells how
often that word stands in each text, for all else of the formula is known: the idf of the word here, and the lengths.
With that, and with the counts of all shards, the same formula gives what one file would.

In: full texts of a shard, and counts of all. Out: ids with bm25. Invariants: reads only; times are whole numbers, so
nothing is lost on the way.

Source: SQLite's documentation of bm25 in FTS5, with k1 = 1.2 and b = 0.75; a word that more than half of the texts have
counts 1e-6.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory_db.store.connection import tuples
from memory_db.text.terms import match_term

K1, B = 1.2, 0.75

CONTEXT_SHARE = 0.2
"""How much the context of a memory counts in its rank, as the schema says."""

Floats = NDArray[np.float64]

OWN, ALL = "own", "all"

COLUMNS = {
    "memory_fts": {OWN: "1.0, 1.0, 1.0, 0.0, 1.0", ALL: "1.0, 1.0, 1.0, 1.0, 1.0"},
    "entry_fts": {OWN: "1.0", ALL: "1.0"},
    "memory_gram_fts": {OWN: "1.0, 1.0, 1.0, 0.0, 1.0", ALL: "1.0, 1.0, 1.0, 1.0, 1.0"},
    "entry_gram_fts": {OWN: "1.0", ALL: "1.0"},
    "condition": {OWN: "0.0, 0.0, 0.0, 0.0, 1.0", ALL: "0.0, 0.0, 0.0, 0.0, 1.0"},
}
"""The weights of each full text's columns, without and with the context of a memory; `condition` is memory_fts asked
for conditions alone."""

TABLES = {"condition": "memory_fts"}


@dataclass(frozen=True, slots=True)
class Size:
    """How large a full text is: its rows, and the words of all."""

    rows: int = 0
    tokens: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(self.rows + other.rows, self.tokens + other.tokens)


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """The texts that have a word: ids in order, how often each has it without and with context, and their lengths."""

    ids: NDArray[np.int64]
    own: Floats
    all: Floats
    lengths: Floats


def idf(rows: int, having: int) -> float:
    """How distinctive a word is, to the letter as FTS5's bm25 counts it."""
    value = math.log((rows - having + 0.5) / (having + 0.5))
    return value if value > 0 else 1e-6


def numbers_in(block: bytes) -> list[int]:
    """The whole numbers of a block, each of seven bits a byte as SQLite writes them."""
    found, value, place = [], 0, 0
    for byte in block:
        place += 1
        if place == 9:
            found.append(value << 8 | byte)
        elif byte & 0x80:
            value = value << 7 | byte & 0x7F
            continue
        else:
            found.append(value << 7 | byte)
        value, place = 0, 0
    return found


def length_in(block: bytes) -> int:
    """The sum of such numbers: of a text of fewer than 128 words a column, that of its bytes."""
    return sum(block) if block.isascii() else sum(numbers_in(block))


def size_of(db: sqlite3.Connection, table: str) -> Size:
    """How large a full text is, as it counts itself."""
    row = db.execute(f"select block from {TABLES.get(table, table)}_data where id = 1").fetchone()
    rows, *tokens = numbers_in(row[0]) if row and row[0] else [0]
    return Size(rows, sum(tokens))


def matched(table: str, term: str) -> str:
    """What a full text is asked for one word."""
    return f"condition : {match_term(term)}" if table == "condition" else match_term(term)


def postings(db: sqlite3.Connection, table: str, term: str, size: Size) -> Postings:
    """The texts of a shard that have a word."""
    real, columns = TABLES.get(table, table), COLUMNS[table]
    # A full text of one column is asked for its bm25 once.
    context = f"-bm25({real}, {columns[ALL]})" if columns[ALL] != columns[OWN] else "null"
    rows = tuples(
        db,
        f"select {real}.rowid, -bm25({real}, {columns[OWN]}), {context}, d.sz"
        f" from {real} join {real}_docsize d on d.id = {real}.rowid where {real} match ? order by {real}.rowid",
        [matched(table, term)],
    )
    ids, own, full, blocks = zip(*rows, strict=True) if rows else ((), (), (), ())
    lengths = np.array([length_in(block) for block in blocks], dtype=np.float64)
    local = idf(size.rows, len(rows)) if rows else 0.0
    average = size.tokens / size.rows if size.rows else 1.0
    without = times_of(np.array(own, dtype=np.float64), local, lengths, average)
    if columns[ALL] != columns[OWN]:
        whole = times_of(np.array(full, dtype=np.float64), local, lengths, average)
    else:
        whole = without
    return Postings(np.array(ids, dtype=np.int64), without, whole, lengths)


def times_of(scores: Floats, word_idf: float, lengths: Floats, average: float) -> Floats:
    """How often the word stands in each text, from the bm25 that it alone has there."""
    held = K1 * (1 - B + B * lengths / average)
    found: Floats = np.rint(scores * held / (word_idf * (K1 + 1.0) - scores)) if len(scores) else scores
    return found


def part_of(word_idf: float, times: Floats, lengths: Floats, average: float) -> Floats:
    """What a word adds to the bm25 of texts, in SQLite's order of operations: so the last digit is the same."""
    found: Floats = word_idf * ((times * (K1 + 1.0)) / (times + K1 * (1 - B + B * lengths / average)))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Texts with their bm25 without context, with all of it, and with a fifth of it, by which they are ranked."""

    ids: NDArray[np.int64]
    own: Floats
    all: Floats
    rank: Floats

    def best(self, most: int) -> NDArray[np.int64]:
        """The places of the best, by rank and then by id."""
        places = np.arange(len(self.ids))
        if 0 < most < len(places) // 4:  # only what may be among them is put in order
            least = np.partition(self.rank, len(places) - most)[len(places) - most]
            places = np.flatnonzero(self.rank >= least)
        order: NDArray[np.int64] = np.lexsort((self.ids[places], -self.rank[places]))[:most]
        return places[order]


def ranked(found: Iterable[tuple[str, Postings]], counts: Mapping[str, int], size: Size) -> Ranked:
    """The texts that have any of the words, in which each word counts as in all shards: `counts` and `size` are theirs.

    `found` are the words in the order in which they are asked, with the texts of this shard that have them.
    """
    asked = list(found)
    ids = np.unique(np.concatenate([each.ids for _, each in asked])) if asked else np.zeros(0, dtype=np.int64)
    own, full, rank = (np.zeros(len(ids)) for _ in range(3))
    average = size.tokens / size.rows if size.rows else 1.0
    for term, each in asked:
        if not len(each.ids):
            continue
        places, weight = np.searchsorted(ids, each.ids), idf(size.rows, counts[term])
        own[places] += part_of(weight, each.own, each.lengths, average)
        full[places] += part_of(weight, each.all, each.lengths, average)
        times = each.own + CONTEXT_SHARE * (each.all - each.own)
        rank[places] += part_of(weight, times, each.lengths, average)
    return Ranked(ids, own, full, rank)
