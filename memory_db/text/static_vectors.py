"""Semantic similarity in a few milliseconds, with the standard library alone.

A text enters; an int8 vector of 256 numbers leaves, the weighted mean of the
vectors of its word pieces. The vectors of all pieces are rows of a read-only
SQLite file in this package, distilled from all-MiniLM-L6-v2 by
`bench/build_static_vectors.py`, which also says where the weights come from.

    words   lower-case, without accents and punctuation, camelCase opened
    pieces  each word cut greedily into the longest pieces the file knows
    vector  sum of weight * vector over the pieces, scaled to length 127

Invariant: sums are exact integers, so that the same text gives the same bytes
on every machine, in a hook as in the index.

Source: the cutting is BERT's (Devlin et al. 2019, arXiv 1810.04805, and its
published tokenization.py); the mean of distilled token vectors is model2vec's
(MinishLab, github.com/MinishLab/model2vec).
"""

from __future__ import annotations

import math
import os
import sqlite3
import sys
import unicodedata
from array import array
from functools import cache, lru_cache
from operator import mul

from memory_db.errors import ModelError
from memory_db.records import later
from memory_db.store.connection import file_uri
from memory_db.text.scripts import mostly_another_script

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Sequence

DIMENSIONS = 256
# Which vectors these are: stored beside every vector made from them. The hash is of the file's rows.
MODEL_ID = "minilm-static-256-e94223023673"
MAX_TEXT_CHARS = 2_000  # what a text is about stands at its beginning; the rest would only blur the mean
MAX_WORD_CHARS = 24  # longer "words" are hashes and encoded data, without meaning
SIGN_BYTES = 16  # of a word's vector the signs of the first 128 numbers, which vary most, are kept for late interaction
SCALE = 127  # the length of every vector, so that each of its numbers fits int8

ASSET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static_vectors.db")
_CACHED_WORDS = 10_000  # about 1 kB each
_LANES = "I"  # unsigned 32 bits: 255 * MAX_WEIGHT * 16,000 pieces still fit
MAX_WEIGHT = 1_023
_BIAS = 128  # makes every int8 positive, so that lanes never borrow from each other
_RAISED = bytes((number + _BIAS) % 256 for number in range(256))  # an int8 as it is stored, plus the bias
_LANE_BYTES = DIMENSIONS * array(_LANES).itemsize

# Where camelCase opens: before a capital after a small letter, before the last capital of "HTTPServer".
_HUMP = later(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_HUMPED_WORD = later(r"[A-Za-z0-9]*(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2})[A-Za-z0-9]*")

# What some pieces add up to: weight * (vector + bias), its lanes packed in one integer; and their weight.
PackedSum = tuple[int, int]


class _Cleaning(dict[int, str]):
    """What stands for a character before accents are taken off: itself, a space, or nothing."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if character in "\t\n\r" or category[0] == "Z" or _is_ideograph(code):
            clean = " "
        elif code == 0xFFFD or category[0] == "C":
            clean = ""
        else:
            clean = character
        self[code] = clean
        return clean


class _Splitting(dict[int, str]):
    """What stands for a character once accents are apart: marks go, punctuation becomes a space."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        symbol = code < 128 and character.isprintable() and not character.isalnum() and character != " "
        if category == "Mn":
            split = ""
        elif symbol or category[0] == "P":
            split = " "
        else:
            split = character
        self[code] = split
        return split


# Source: the blocks of tokenization.py's _is_chinese_char.
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
_CLEANING = _Cleaning()
_SPLITTING = _Splitting()


def _is_ideograph(code: int) -> bool:
    return code >= 0x3400 and any(first <= code <= last for first, last in _IDEOGRAPHS)


@cache
def _asset() -> sqlite3.Connection:
    if not os.path.isfile(ASSET):
        raise ModelError(f"the static vectors are missing at {ASSET}: install memory-db again")
    # Immutable: no lock and no look for a journal. Reading alone is safe from any thread.
    return sqlite3.connect(f"{file_uri(ASSET)}?mode=ro&immutable=1", uri=True, check_same_thread=False)


@cache
def _longest_token() -> int:
    return int(meta()["longest_token_chars"])


def meta() -> dict[str, str]:
    """What the file of vectors says about itself: model_id, method, sizes.

    Raises:
        ModelError: the file is missing.
    """
    return dict(_asset().execute("select key, value from meta"))


def split_words(text: str) -> list[str]:
    """The words of a text as the vocabulary writes them: "Ünit-testRun" gives ["unit", "test", "run"]."""
    cleaned = text.translate(_CLEANING)
    opened = cleaned if cleaned.islower() else _HUMPED_WORD.sub(_open_humps, cleaned)
    decomposed = opened if opened.isascii() else unicodedata.normalize("NFD", opened)
    return decomposed.translate(_SPLITTING).lower().split()


def _open_humps(found: re.Match[str]) -> str:
    word = found.group()
    if len(word) <= MAX_WORD_CHARS and _token_row(word.lower()):  # JavaScript is a word of its own
        return word
    return _HUMP.sub(" ", word)


def words_in(text: str) -> list[str]:
    """The words of a text that count for its vector; none of one in another script."""
    return [] if mostly_another_script(text) else split_words(text[:MAX_TEXT_CHARS])


def lanes_of(words: Iterable[str]) -> tuple[bytes, int]:
    """What the vectors of words add up to, 256 unsigned numbers of 32 bits, and by how much each is too high.

    Raises:
        ModelError: the file of vectors is missing.
    """
    rows = [_word_row(word) for word in words]
    packed = sum(lanes for lanes, _ in rows)
    return packed.to_bytes(_LANE_BYTES, sys.byteorder), _BIAS * sum(weight for _, weight in rows)


def split_pieces(word: str) -> list[str]:
    """The pieces of one word, the longest known ones first; [] if some part of it is unknown."""
    pieces: list[str] = []
    start = 0
    length = len(word) if len(word) <= MAX_WORD_CHARS else 0
    while start < length:
        prefix = "##" if start else ""
        for end in range(min(length, start + _longest_token()), start, -1):
            piece = prefix + word[start:end]
            if _token_row(piece):
                break
        else:
            return []
        pieces.append(piece)
        start = end
    return pieces


@lru_cache(maxsize=2 * _CACHED_WORDS)
def _token_row(token: str) -> PackedSum | None:
    query = "select weight, vector from static_vectors where token = ?"
    found = _asset().execute(query, (token,)).fetchone()
    if found is None:
        return None
    weight, vector = found
    lanes = array(_LANES, [number + _BIAS for number in array("b", vector)])
    return weight * int.from_bytes(lanes.tobytes(), sys.byteorder), weight


def is_word(word: str) -> bool:
    """Whether a word in small letters is one of the vocabulary, whole: a common one of English.

    Raises:
        ModelError: the file of vectors is missing.
    """
    return _token_row(word) is not None


@lru_cache(maxsize=_CACHED_WORDS)
def _word_row(word: str) -> PackedSum:
    rows = [row for piece in split_pieces(word) if (row := _token_row(piece))]
    return sum(lanes for lanes, _ in rows), sum(weight for _, weight in rows)


@lru_cache(maxsize=_CACHED_WORDS)
def word_signs(word: str) -> bytes:
    """The signs of the first numbers of a word's vector, a bit each; nothing for a word that it does not know.

    Raises:
        ModelError: the file of vectors is missing.
    """
    packed, weight = _word_row(word)
    if not weight:
        return b""
    numbers = array(_LANES, packed.to_bytes(_LANE_BYTES, sys.byteorder))[: 8 * SIGN_BYTES]
    middle = _BIAS * weight
    digits = "".join(["1" if number > middle else "0" for number in numbers])
    return int(digits, 2).to_bytes(SIGN_BYTES, "little")


def text_vector(text: str, level: Callable[[str], int] | None = None) -> bytes | None:
    """The vector of a text: int8[256] of length 127, or None if it has no known word or is of another script.

    Args:
        text: its first MAX_TEXT_CHARS characters count.
        level: how often each word counts, beside its weight; once unless given.

    Raises:
        ModelError: the file of vectors is missing.
    """
    by_level: dict[int, list[PackedSum]] = {}
    for word in words_in(text):
        by_level.setdefault(level(word) if level else 1, []).append(_word_row(word))
    sums = [0] * DIMENSIONS
    for times, rows in by_level.items():
        # One addition of long integers adds all 256 numbers at once.
        packed = sum(lanes for lanes, _ in rows)
        bias = _BIAS * sum(weight for _, weight in rows)
        lanes = array(_LANES, packed.to_bytes(_LANE_BYTES, sys.byteorder))
        sums = [total + times * (lane - bias) for total, lane in zip(sums, lanes, strict=True)]
    length = math.sqrt(sum(map(mul, sums, sums)))
    if not length:
        return None
    return array("b", [round(SCALE * number / length) for number in sums]).tobytes()


def text_vectors(texts: Iterable[str]) -> Iterator[bytes | None]:
    """`text_vector` of each text, in order; words met before cost nothing again.

    Raises:
        ModelError: the file of vectors is missing.
    """
    return map(text_vector, texts)


def numbers(vector: bytes) -> list[int]:
    """The 256 numbers of a stored vector: the form in which a query is compared with many."""
    return array("b", vector).tolist()


def cosine(query: Sequence[int], vector: bytes) -> float:
    """The cosine of two vectors, -1 to 1; unrelated texts are near 0.

    Args:
        query: one vector as `numbers` gives it.
        vector: the other as `text_vector` gives it.
    """
    dot: int = sum(map(mul, query, array("b", vector)))
    return max(-1.0, min(1.0, dot / (SCALE * SCALE)))


def cosines(query: Sequence[int], vectors: Sequence[bytes]) -> list[float]:
    """`cosine` of many vectors, several times as fast, to the last bit.

    One multiplication of a long integer multiplies a number of the query with that number of every vector.
    """
    count = len(vectors)
    joined = b"".join(vectors).translate(_RAISED)
    lanes = bytearray(3 * count)  # 24 bits: 256 * 127 * 255 still fits
    above = below = 0
    for place, number in enumerate(query):
        if number:
            lanes[::3] = joined[place::DIMENSIONS]
            column = int.from_bytes(lanes, "little")
            if number > 0:
                above += number * column
            else:
                below -= number * column
    bias = _BIAS * sum(query)
    return [
        max(-1.0, min(1.0, (more - less - bias) / (SCALE * SCALE)))
        for more, less in zip(_lanes_of(above, count), _lanes_of(below, count), strict=True)
    ]


def _lanes_of(packed: int, count: int) -> array[int]:
    """The numbers of 24 bits that a long integer is made of."""
    narrow = packed.to_bytes(3 * count, "little")
    wide = bytearray(4 * count)
    for byte in range(3):
        wide[byte::4] = narrow[byte::3]
    found = array(_LANES, bytes(wide))
    if sys.byteorder == "big":
        found.byteswap()
    return found
