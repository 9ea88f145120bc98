"""Long runs of the characters that tokens are made of, and whether one looks made by chance.

In: a text. Out: places. A text is looked through at the speed of `bytes.translate` and `bytes.find`, so that only the
few runs that are long cost anything.
"""

from __future__ import annotations

from itertools import pairwise
from math import log2

from memory_db.records import later

SHORTEST = 14
"""Characters of the shortest run that is looked at. Source: the shortest token of gitleaks' list without letters of
its own has as many (linkedin-client-id)."""

_TOKEN_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+/")
_KINDS = bytes(ord("a") if byte in _TOKEN_BYTES else ord(" ") for byte in range(256))
_UUID = later(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_HEX = later(r"[0-9a-f]+|[0-9A-F]+")
_WORDLIKE = later(r"[A-Z]?[a-z]{4,}|[A-Z]{5,}")
_SORTS = {
    **dict.fromkeys("abcdefghijklmnopqrstuvwxyz", "l"), **dict.fromkeys("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "u"),
    **dict.fromkeys("0123456789", "d"),
}

LEAST_ENTROPY = 3.2
"""Bits a character that a token made by chance has at least, by what stands in it; hexadecimal digits have fewer."""

LEAST_CHANGES = 0.4
"""Share of neighbours that are of another sort (lower case, upper case, digit)."""

FEW_DIGITS, MOST_WORDLIKE = 3, 0.5
"""With so few digits, a token of which so much stands in words is the name of a class."""

LEAST_SWITCHES = 5
"""Times that letters and digits take turns, which suffices where a token has one case alone.

Source of all: measured. Of tokens by chance of 24 characters they find 92 % (one case and digits) to 99 %
(hexadecimal), of 40 characters all but one in two hundred; of the 27,950 runs of
names, paths and words in six megabytes of Python none but names of models and pieces of base64.
"""


def long_runs(text: str, shortest: int = SHORTEST) -> list[tuple[int, int]]:
    """Start and end of each run of at least so many letters, digits and `_-+/`."""
    kinds = text.encode("latin-1", "replace").translate(_KINDS)
    wanted, runs, end = b"a" * shortest, [], 0
    while (start := kinds.find(wanted, end)) >= 0:
        end = kinds.find(b" ", start)
        if end < 0:
            end = len(kinds)
        runs.append((start, end))
    return runs


def entropy(value: str) -> float:
    """Bits a character by how often each stands in it. Source: Shannon 1948; gitleaks measures so."""
    shares = [value.count(each) / len(value) for each in set(value)]
    return -sum(share * log2(share) for share in shares)


def is_uuid(token: str) -> bool:
    """Whether it is written as a UUID."""
    return bool(_UUID.fullmatch(token))


def is_hex(token: str) -> bool:
    """Whether it is of hexadecimal digits alone, as hashes are."""
    return bool(_HEX.fullmatch(token))


def changes(token: str) -> float:
    """Share of neighbours, signs left out, that are of another sort: lower case, upper case, digit."""
    sorts = [sort for each in token if (sort := _SORTS.get(each))]
    return sum(one != other for one, other in pairwise(sorts)) / max(1, len(sorts) - 1)


def wordlike(token: str) -> float:
    """Share of a token's characters that stand in what could be words of at least four letters."""
    return sum(map(len, _WORDLIKE.findall(token))) / max(1, len(token))


def switches(token: str) -> int:
    """How often letters and digits take turns, signs left out."""
    digits = [each.isdigit() for each in token if each.isalnum()]
    return sum(one != other for one, other in pairwise(digits))


def looks_random(token: str) -> bool:
    """Whether a token looks made by chance, and not by a person as the name of something. Never for a UUID."""
    if not any(map(str.isdigit, token)) or is_uuid(token):
        return False
    if sum(map(str.isdigit, token)) <= FEW_DIGITS and wordlike(token) >= MOST_WORDLIKE:
        return False
    least = LEAST_ENTROPY - 0.5 * is_hex(token)
    return entropy(token) >= least and (changes(token) >= LEAST_CHANGES or switches(token) >= LEAST_SWITCHES)
