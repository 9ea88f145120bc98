"""Files of up to millions of entries, generated: words as common as in prose, sessions with topics, made vectors.

In: a database and a number of entries. Out: rows of sessions and entries by the tables and triggers that every import
uses, so that full text is real; vectors are numbers by chance of the length that the models give, because embedding a
million texts takes days. Invariant: the same seed gives the same rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from bench.material import NOW
from memory_db.index.build import make_collection
from memory_db.index.texts import ENTRIES, batches
from memory_db.models import embedders
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.text import static_vectors

WORDS = 60_000
"""Distinct words, about as many as an English dictionary for the desk."""

ZIPF_SHIFT = 2.7
"""Added to the rank before 1 is divided by it. Source: Mandelbrot's form of Zipf's law, as it is fitted to English."""

STOP_RANKS = 100
"""The most common words, half of any text, which no question is asked for: what stop words are in English."""

TOPIC_WORDS = 40
"""Words that a session comes back to; every fifth word of its texts is one of them."""

PER_SESSION = 60

SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "ol")]

FULL_DIMENSIONS = 384

PORTION = 10_000
"""Vectors made between two commits."""

Ranks = NDArray[np.int64]


def vocabulary() -> list[str]:
    """Words by rank, each of two or three syllables of its own."""
    count = len(SYLLABLES)
    pairs = [SYLLABLES[number // count] + SYLLABLES[number % count] for number in range(count * count)]
    return [pairs[number % len(pairs)] + (SYLLABLES[number // len(pairs)] if number >= len(pairs) else "")
            for number in range(WORDS)]  # fmt: skip


class Writer:
    """Sessions of texts, one after the other, drawn by chance from the vocabulary."""

    def __init__(self, seed: int = 5) -> None:
        self.chance = np.random.default_rng(seed)
        self.words = np.array(vocabulary(), dtype=object)
        shares = 1 / (np.arange(WORDS) + ZIPF_SHIFT)
        self.ends = np.cumsum(shares / shares.sum())

    def ranks(self, count: int) -> Ranks:
        """So many words by their rank, each as often as Zipf's law says."""
        found: Ranks = np.minimum(np.searchsorted(self.ends, self.chance.random(count)), WORDS - 1)
        return found

    def session(self, count: int) -> list[str]:
        """The texts of one session: 30 words each on average, from 4 up."""
        lengths = np.maximum(4, self.chance.lognormal(3.1, 0.75, count).astype(np.int64))
        ranks = self.ranks(int(lengths.sum()))
        topic = self.ranks(TOPIC_WORDS)
        places = np.flatnonzero(self.chance.random(len(ranks)) < 0.2)
        ranks[places] = topic[self.chance.integers(0, TOPIC_WORDS, len(places))]
        ends = np.cumsum(lengths)
        return [" ".join(self.words[ranks[end - length : end]]) for end, length in zip(ends, lengths, strict=True)]

    def questions(self, texts: Sequence[str], words: int = 5) -> list[str]:
        """For each text a question of words that it has, the most common words left out."""
        common = set(self.words[:STOP_RANKS])
        found = []
        for text in texts:
            rare = sorted(set(text.split()) - common)
            self.chance.shuffle(rare)
            found.append(" ".join(rare[:words]))
        return [question for question in found if question]


def add_sessions(db: sqlite3.Connection, writer: Writer, count: int, first: int) -> None:
    """Adds `count` entries in sessions of one project; `first` is the id of the first one."""
    with transaction(db):
        db.execute(
            "insert or ignore into projects (id, name, canonical_path, created_at) values (1, 'bench', '/bench', ?)",
            [utc_text(NOW)],
        )
    for start in range(first, first + count, PER_SESSION):
        texts = writer.session(min(PER_SESSION, first + count - start))
        session = start // PER_SESSION + 1
        began = NOW - timedelta(minutes=61 * session)
        rows = [
            (start + place, f"e{start + place}", session, "user" if place % 2 else "assistant",
             "prompt" if place % 2 else "reply", text, utc_text(began + timedelta(minutes=place)))
            for place, text in enumerate(texts)
        ]  # fmt: skip
        with transaction(db):
            db.execute(
                "insert or ignore into sessions (id, uid, format, project_id) values (?, ?, 'claude-code', 1)",
                [session, f"bench-{session}"],
            )
            db.executemany(
                "insert into entries (id, uid, session_id, role, kind, text, created_at) values (?, ?, ?, ?, ?, ?, ?)",
                rows,
            )
            db.executemany("insert into session_entries values (?, ?, ?)", [(session, row[0], row[0]) for row in rows])


def add_static(db: sqlite3.Connection, ids: range) -> None:
    """Gives entries static vectors by chance."""
    size = static_vectors.DIMENSIONS
    for numbers in batches(ids, PORTION):
        values = np.random.default_rng(numbers[0]).integers(-127, 128, (len(numbers), size), dtype=np.int8)
        with transaction(db):
            db.executemany(
                "insert into static_vectors (entry_id, model, vector) values (?, ?, ?)",
                [(key, static_vectors.MODEL_ID, row.tobytes()) for key, row in zip(numbers, values, strict=True)],
            )


def add_full(db: sqlite3.Connection, ids: range) -> None:
    """Gives entries full embeddings by chance, each of length 1."""
    collection = make_collection(db, ENTRIES, embedders.MINILM)
    for numbers in batches(ids, PORTION):
        values = np.random.default_rng(numbers[0]).normal(size=(len(numbers), FULL_DIMENSIONS)).astype("<f4")
        values /= np.linalg.norm(values, axis=1, keepdims=True)
        with transaction(db):
            db.executemany(
                "insert into embeddings (collection_id, id, embedding, content_hash, updated) values (?, ?, ?, ?, 0)",
                [(collection, str(key), row.tobytes(), key.to_bytes(16))
                 for key, row in zip(numbers, values, strict=True)],
            )  # fmt: skip
