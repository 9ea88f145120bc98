"""Late interaction: how well each token of a question is met by some token of a text.

In: the tokens of texts and of a question, as MiniLM gives them. Out: one bit a number of each token (48 bytes), and for
texts that have such bits in the file, the mean over the question's tokens of the best likeness that any of the text's
reaches, each token counted by what its word is worth. Reads only, and loads no model.

Invariants: a similarity belongs to the question and one text, whatever else is asked; a text without bits has none.

Source: the best similarities of tokens, added up, are ColBERT's (Khattab and Zaharia 2020, "ColBERT: Efficient and
Effective Passage Search via Contextualized Late Interaction over BERT"); signs as a sketch of the angle are
Charikar's (2002, "Similarity estimation techniques from rounding algorithms").
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memory_db.store.connection import id_list, tuples
from memory_db.text.terms import WORD

if TYPE_CHECKING:
    from memory_db.models.minilm import Tokens

MOST_TOKENS = 64
"""Tokens of a text that are kept, the first ones: 3 kB.

Source: with 128 the labelled questions of all sets find the same to a hundredth, and long replies take twice the room.
"""

SIGNS = 384
"""Numbers of a token's vector, of each of which one bit is kept."""

TOKEN_BYTES = SIGNS // 8

TOKEN_WORDS = SIGNS // 64
"""The bits of a token as whole numbers of 64 bits, which are compared at once."""

LIKENESSES = np.maximum(np.cos(np.pi * np.arange(SIGNS + 1) / SIGNS), 0.0)
"""The cosine that so many differing signs stand for: their share of all is that of the angle of a half turn.

Opposed tokens count 0.
"""

COLUMN = {"memories": "memory_version_id", "entries": "entry_id"}
"""The column of `token_signs` that names what the bits of a sort belong to."""


@dataclass(frozen=True, slots=True, eq=False)
class AskedTokens:
    """The tokens of a question: their bits, 64-bit words of shape (tokens, 6), and the word that each is part of.

    A token that is in no word, such as a question mark, has an empty one.
    """

    signs: NDArray[np.uint64]
    words: tuple[str, ...]


def packed(tokens: Tokens) -> bytes:
    """The bits of a text's first tokens, as they are stored: 48 bytes a token."""
    return np.packbits(tokens.vectors[:MOST_TOKENS] > 0, axis=1).tobytes()


def asked_tokens(text: str, tokens: Tokens) -> AskedTokens:
    """The tokens of a question, each with the word of full text that it is a piece of."""
    signs = np.packbits(tokens.vectors > 0, axis=1).view(np.uint64)
    spans = [(match.start(), match.end(), match.group().casefold()) for match in WORD.finditer(text)]
    words = (next((word for start, end, word in spans if start <= at < end), "") for at, _ in tokens.spans)
    return AskedTokens(signs, tuple(words))


def stored_signs(db: sqlite3.Connection, sort: str, model: str, ids: Iterable[int]) -> list[tuple[int, bytes]]:
    """(id, bits) of those ids that have any by that model."""
    sql = f"select {COLUMN[sort]}, signs from token_signs where {COLUMN[sort]} in ({id_list(ids)}) and model = ?"
    return tuples(db, sql, [model])


def met_words(asked: AskedTokens, rows: Iterable[tuple[int, bytes]]) -> dict[str, float]:
    """For each word of a question how well the text that meets it best does so, from 0 to 1: the mean of its tokens."""
    best: dict[str, float] = {}
    places: dict[str, list[int]] = {}
    for place, word in enumerate(asked.words):
        if word:
            places.setdefault(word, []).append(place)
    for _, bits in rows:
        tokens = np.frombuffer(bits, dtype=np.uint64).reshape(-1, TOKEN_WORDS)
        if not len(tokens):
            continue
        differing = np.bitwise_count(tokens[None, :, :] ^ asked.signs[:, None, :]).sum(axis=2, dtype=np.uint16)
        nearest = LIKENESSES[differing.min(axis=1)]
        for word, own in places.items():
            best[word] = max(best.get(word, 0.0), float(nearest[own].mean()))
    return best


def similarities(
    asked: AskedTokens, weights: Mapping[str, float], rows: Iterable[tuple[int, bytes]]
) -> dict[int, float]:
    """For each text of (id, bits) how well it meets the question, from 0 to 1; `weights` has the idf of its words.

    Tokens of no such word, such as a question mark, are not compared. Nothing where no word is worth anything.
    """
    worth = np.array([weights.get(word, 0.0) for word in asked.words])
    found = [(identifier, bits) for identifier, bits in rows if bits]
    if not found or worth.sum() <= 0:
        return {}
    counts = np.array([len(bits) // TOKEN_BYTES for _, bits in found])
    starts = np.cumsum(counts) - counts
    columns = np.ascontiguousarray(
        np.frombuffer(b"".join(bits for _, bits in found), dtype=np.uint64).reshape(-1, TOKEN_WORDS).T
    )
    total = np.zeros(len(found))
    for signs, share in zip(asked.signs, worth / worth.sum(), strict=True):
        if share:
            differing = np.zeros(columns.shape[1], dtype=np.uint16)
            for column, word in zip(columns, signs, strict=True):
                differing += np.bitwise_count(column ^ word)
            total += share * LIKENESSES[np.minimum.reduceat(differing, starts)]
    return dict(zip((identifier for identifier, _ in found), total.tolist(), strict=True))
