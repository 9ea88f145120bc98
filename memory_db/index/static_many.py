"""Static vectors and signs of many texts at once, to the last bit as `text.static_vectors` makes them one by one.

In: texts. Out: what the rows of `static_vectors` hold of each. Invariant: sums are whole numbers, and roots and
quotients of them are rounded by the same rules, so that it does not matter who made a vector.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memory_db.text.static_vectors import DIMENSIONS, SCALE, lanes_of, words_in
from memory_db.text.word_signs import packed_words

AT_ONCE = 256
"""Texts that are turned into vectors together: half a megabyte of numbers. Source: ours."""


def vectors_of(texts: Sequence[str]) -> list[bytes]:
    """The vector of each text, int8[256] of length 127; nothing for one without a known word. Raises: ModelError."""
    return made([words_in(text) for text in texts])


def vectors_and_signs(texts: Sequence[str]) -> list[tuple[bytes, bytes]]:
    """The vector of each text, and the signs of its telling words. Raises: ModelError."""
    words = [words_in(text) for text in texts]
    return list(zip(made(words), map(packed_words, words), strict=True))


def made(texts: Sequence[Sequence[str]]) -> list[bytes]:
    """The vectors of texts given as words."""
    found: list[bytes] = []
    for start in range(0, len(texts), AT_ONCE):
        sums = [lanes_of(words) for words in texts[start : start + AT_ONCE]]
        lanes = np.frombuffer(b"".join(each for each, _ in sums), dtype=np.uint32).reshape(-1, DIMENSIONS)
        numbers = lanes.astype(np.int64) - np.array([bias for _, bias in sums], dtype=np.int64)[:, None]
        lengths = np.sqrt((numbers * numbers).sum(axis=1))
        units = np.rint(SCALE * numbers / np.where(lengths > 0, lengths, 1)[:, None]).astype(np.int8)
        found += [row.tobytes() if length else b"" for row, length in zip(units, lengths, strict=True)]
    return found
