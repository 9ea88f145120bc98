"""Texts as a reader would unfold them, so that a secret is found however it was wrapped.

In: a text. Out: other readings of it, each with where its characters stand in the text. Invariants: a reading costs
linear time, and nothing where its mark is absent; what is unfolded is unfolded once, never again from within.
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections.abc import Callable, Iterator

from memory_db.records import dataclass, later
from memory_db.redact.rules import INVISIBLE_ANY


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A text read in another way: character n of `text` stands at `starts[n]` up to `ends[n]` of the original."""

    text: str
    starts: list[int]
    ends: list[int]
    is_joined: bool = False


_URL = later(r"%[0-9A-Fa-f]{2}")
_JSON = later(r"\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\/")
_JOINT = later(
    r"[\"'`]\s{0,20}(?:[+.&\\]|\.\.|\|\|)\s{0,20}[\"'`](?=[\w+/-])|[\"'`]\s{1,20}[\"'`](?=[\w+/-])|\\\r?\n\s{0,40}"
    r"|(?<=[A-Za-z0-9+/_-]{16})\r?\n[ \t>|]{0,12}(?=[A-Za-z0-9+/_-]{4})|\x1b\[[0-9;]{0,12}m"
)
"""What stands between the parts of a text in parts: quotes with a sign of joining, the end of a line."""

_JOINS = ("\n", "\\", "\x1b", "`")
"""One of these, or four quotes, stands wherever `_JOINT` could."""

_BASE64 = later(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{24,8000}={0,2}(?![A-Za-z0-9+/_=-])")
_TO_STANDARD = str.maketrans("-_", "+/")

_WIDE = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_LOOK_ALIKE = dict(
    zip(
        "АВСЕНІЈКМОРЅТХУаеорсухіјѕԁһԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧοαν",
        "ABCEHIJKMOPSTXYaeopcyxijsdhqwABEZHIKMNOPTYXoav",
        strict=True,
    )
)
_PLAIN = {**_WIDE, **{ord(one): other for one, other in _LOOK_ALIKE.items()}}
_FOREIGN = later("[" + "".join(_LOOK_ALIKE) + "\uff01-\uff5e]")
"""Letters that look like Latin ones. Source: Unicode Technical Standard 39, confusables."""


_AROUND = 500
"""How far from a mark a text is unfolded, which is longer than any token that is known by its letters."""

_PIECE = 20_000
"""The longest piece that is unfolded at once: the places of its characters take memory."""


def readings(text: str) -> Iterator[Reading]:
    """Other readings of the parts of a text that have their marks."""
    if not text.isascii():
        yield from decoded(text, INVISIBLE_ANY, nothing, is_joined=True)
        yield from decoded(text, _FOREIGN, lambda found: found.translate(_PLAIN))
    if "%" in text:
        yield from decoded(text, _URL, lambda found: chr(int(found[1:], 16)))
    if "\\" in text:
        yield from decoded(text, _JSON, lambda found: "/" if found == r"\/" else chr(int(found[2:], 16)))
    if any(mark in text for mark in _JOINS) or text.count('"') > 3 or text.count("'") > 3:
        yield from decoded(text, _JOINT, nothing, is_joined=True)
    yield from of_base64(text)


def nothing(found: str) -> str:
    """What a joint says."""
    return ""


def pieces_around(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """The parts of a text that are near a mark, none longer than a piece and what overlaps with the next."""
    start = end = -1
    for match in pattern.finditer(text):
        first, last = max(0, match.start() - _AROUND), min(len(text), match.end() + _AROUND)
        if start >= 0 and first <= end and last - start <= _PIECE:
            end = last
            continue
        if start >= 0:
            yield start, end
        start, end = first, last
    if start >= 0:
        yield start, end


def decoded(
    text: str, pattern: re.Pattern[str], read: Callable[[str], str], *, is_joined: bool = False
) -> Iterator[Reading]:
    """The parts of a text around matches, each match as `read` reads it: as one character or none."""
    for first, last in pieces_around(text, pattern):
        found = decoded_piece(text[first:last], pattern, read)
        yield Reading(found.text, [first + at for at in found.starts], [first + at for at in found.ends], is_joined)


def decoded_piece(text: str, pattern: re.Pattern[str], read: Callable[[str], str]) -> Reading:
    """A whole text read so."""
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for match in pattern.finditer(text):
        start, end = match.span()
        put = read(match[0])
        pieces += text[done:start], put
        starts += range(done, start)
        ends += range(done + 1, start + 1)
        if put:
            starts.append(start)
            ends.append(end)
        done = end
    pieces.append(text[done:])
    starts += range(done, len(text))
    ends += range(done + 1, len(text) + 1)
    return Reading("".join(pieces), starts, ends)


def of_base64(text: str) -> Iterator[Reading]:
    """What base64 says, where it says something readable; a secret in it takes the whole of it."""
    for match in _BASE64.finditer(text):
        token = match[0].rstrip("=")
        if token.isalpha() or ("/" in token and token.count("/") > len(token) // 12):
            continue  # words, or a path
        try:
            said = a2b_base64(token.translate(_TO_STANDARD) + "=" * (-len(token) % 4)).decode("ascii")
        except ValueError:
            continue
        if said.isprintable() or said.replace("\n", "").replace("\t", "").isprintable():
            start, end = match.span()
            yield Reading(said, [start] * len(said), [end] * len(said))
