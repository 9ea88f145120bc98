"""Texts as they read once unfolded: escapes, hidden characters, look-alikes, broken and joined strings, base64.

In: a text. Out: views of the parts around what is folded, each character with the place that it stands for. Invariants:
a view is no longer than what it was made from but for a line end between parts; views are made of views once, never
deeper; a text without a trigger costs a few searches for single characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from memory_db.records import dataclass, later
from memory_db.redact.checks import decoded_text
from memory_db.redact.runs import changes, long_runs

DEPTH = 2
"""How often a text is unfolded: what was joined may be base64, what was base64 may be escaped."""

AROUND = 240
"""Characters of the line before and behind something folded that a view shows."""

LEAST_BASE64 = 24
"""Characters of base64 that are decoded. Source: a key of 16 characters, the shortest with letters of its own."""

_TRIGGERS = ("%", "\\", "\n", '"', "'", "`", "&#", "\x1b", ";")

Fold = tuple[int, int, str]
"""Start, end, and what stands there once unfolded."""


@dataclass(frozen=True, slots=True)
class View:
    """An unfolded text; character n stands for `source[starts[n]:ends[n]]`.

    `joints`: the places in the view where lines were put together; `is_plain`: whether it reads as the text did.
    """

    text: str
    starts: list[int]
    ends: list[int]
    joints: list[int]
    is_plain: bool

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a part of the view stands in the source, cut where the next line is another matter."""
        for at in self.joints[bisect_right(self.joints, start) : bisect_right(self.joints, end - 1)]:
            index = bisect_right(self.joints, at)
            following = self.joints[index] if index < len(self.joints) else end
            if not _goes_on(self.text[at : min(end, following)]):
                end = at
                break
        return self.starts[start], self.ends[end - 1]


def is_folded(text: str) -> bool:
    """Whether a text has a character by which something may be folded."""
    return any(map(text.__contains__, _TRIGGERS)) or not text.isascii()


def views(text: str, runs: list[tuple[int, int]]) -> Iterator[View]:
    """Every view of a text; `runs` are its long runs of token characters."""
    for view in _views(text, runs):
        yield view
        for inner in _views(view.text, long_runs(view.text, LEAST_BASE64)):
            starts = [view.starts[at] for at in inner.starts]
            ends = [view.ends[at - 1] for at in inner.ends]
            yield View(inner.text, starts, ends, inner.joints, inner.is_plain)


def _views(text: str, runs: list[tuple[int, int]]) -> Iterator[View]:
    if folds := sorted(_escapes(text)):
        yield _view(text, folds, True)
    if joints := sorted(_joints(text)):
        yield _view(text, joints, False)
    if decoded := [(start, end, plain) for start, end in runs if (plain := _decoded(text, start, end))]:
        yield _whole(decoded)


def _goes_on(piece: str) -> bool:
    """Whether a line goes on with a token that the line before began: what reads as a word does not."""
    return any(map(str.isdigit, piece)) or changes(piece) >= 0.3


# --- what is folded -------------------------------------------------------------------------------------------------

_PERCENT = later(r"%([2-7][0-9A-Fa-f])")
_BACKSLASH = later(r"(?<!\\)\\{1,8}(?:(?:u00|x)([2-7][0-9A-Fa-f])|(?:x1b|u001b|033|e)\[[0-9;]{0,12}m|(/))", re.I)
_ENTITY = later(r"&(?:#(\d{2,3})|#x([2-7][0-9a-f])|(amp|quot|lt|gt|apos|equals|colon|lowbar|hyphen|sol|plus));", re.I)
_ENTITIES = {
    "amp": "&", "quot": '"', "lt": "<", "gt": ">", "apos": "'", "equals": "=", "colon": ":", "lowbar": "_",
    "hyphen": "-", "sol": "/", "plus": "+",
}
_ANSI = later("\x1b\\[[0-9;?]{0,12}[A-Za-z]")
_HIDDEN = later("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff\U000e0000-\U000e007f]+")
_WIDE = later("[\uff01-\uff5e\U0001d400-\U0001d7ff]")
_ALIKE = dict(zip(
    "АВЕЅІЈКМНОРСТУХѴаеѕіјорсухѵһԁɡӏԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανικρтмнк‐‑‒–—−",
    "ABESIJKMHOPCTYXVaesijopcyxvhdglqwABEZHIKMNOPTYXoavikptmhk------", strict=True,
))  # fmt: skip
"""Letters of other scripts, and dashes, that read as ASCII. Source: Unicode Technical Standard 39, confusables."""
_CLASS = "".join(_ALIKE)
_ALIKES = later(f"(?<=[A-Za-z0-9_-])[{_CLASS}]+|[{_CLASS}]+(?=[A-Za-z0-9_-])")


def _escapes(text: str) -> Iterator[Fold]:
    """Characters that stand for others, or for none."""
    if "%" in text:
        yield from ((*match.span(), chr(int(match[1], 16))) for match in _PERCENT.finditer(text))
    if "\\" in text:
        yield from ((*match.span(), chr(int(match[1], 16)) if match[1] else match[2] or "")
                    for match in _BACKSLASH.finditer(text))
    if "&" in text and ";" in text:
        yield from ((*match.span(), _entity(match)) for match in _ENTITY.finditer(text))
    if "\x1b" in text:
        yield from ((*match.span(), "") for match in _ANSI.finditer(text))
    if text.isascii():
        return
    yield from ((*match.span(), "") for match in _HIDDEN.finditer(text))
    yield from ((*match.span(), _narrow(ord(match[0]))) for match in _WIDE.finditer(text))
    yield from ((match.start() + at, match.start() + at + 1, _ALIKE[each])
                for match in _ALIKES.finditer(text) for at, each in enumerate(match[0]))


def _entity(match: re.Match[str]) -> str:
    if match[3]:
        return _ENTITIES[match[3].lower()]
    number = int(match[1]) if match[1] else int(match[2], 16)
    return chr(number) if 32 <= number < 127 else match[0]


def _narrow(code: int) -> str:
    """The ASCII character of a full-width or a mathematical one. Source: Unicode, FF00 and 1D400."""
    if code < 0x10000:
        return chr(code - 0xFEE0)
    if code >= 0x1D7CE:
        return chr(ord("0") + (code - 0x1D7CE) % 10)
    place = (code - 0x1D400) % 52
    return chr(ord("A") + place) if place < 26 else chr(ord("a") + place - 26)


_STRINGS = later(
    r"[\"'`](?<=[\w+/=.-].)(?:[ \t]{0,40}(?:[+.&~]|\|\||\.\.|<>)|[ \t]{1,40}\\?(?!\S)|(?=\\?\r?\n))"
    r"[ \t\\]{0,40}(?:\r?\n[ \t>|+]{0,40})?(?:[+.&][ \t]{0,8})?[fbru]?[\"'`](?=[\w+/=.-])")
_LINES = later(
    r"\n(?<=[A-Za-z0-9_+/=-]{8}\n)[ \t>|│+]{0,24}(?=[A-Za-z0-9_+/=-]{4})"
    r"|\n(?<=[A-Za-z0-9_+/=-]\\\n)[ \t]{0,24}")


def _joints(text: str) -> Iterator[Fold]:
    """What stands between the parts of a string that were put together, and line ends within a long run."""
    if '"' in text or "'" in text or "`" in text:
        yield from ((*match.span(), "") for match in _STRINGS.finditer(text))
    if "\n" in text:
        for match in _LINES.finditer(text):
            yield match.start() - (text[match.start() - 1] == "\\"), match.end(), ""


def _decoded(text: str, start: int, end: int) -> str:
    return decoded_text(text[start:end]) if end - start >= LEAST_BASE64 else ""


# --- making views ---------------------------------------------------------------------------------------------------


def _view(text: str, folds: Iterable[Fold], is_plain: bool) -> View:
    """The parts of the text around what is folded, unfolded."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    joints: list[int] = []
    done = 0  # the source up to here is in the view, or left out of it
    shown_to = -1  # as far as what is around the last fold reaches
    for start, end, plain in folds:
        if start < done:
            continue
        if start > shown_to:
            if shown_to >= 0:
                _copy(text, done, shown_to, parts, starts, ends)
                _put("\n\n", shown_to - 1, shown_to, parts, starts, ends)
            done = max(done, shown_to, _line_start(text, start))
        _copy(text, done, start, parts, starts, ends)
        if not plain and not is_plain and "\n" in text[start:end] and '"' not in text[start:end]:
            joints.append(len(starts))
        _put(plain, start, end, parts, starts, ends)
        done = end
        shown_to = max(end, _line_end(text, end))
    _copy(text, done, shown_to, parts, starts, ends)
    return View("".join(parts), starts, ends, joints, is_plain)


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", max(0, at - AROUND), at) + 1, at - AROUND, 0)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at, at + AROUND)
    return end if end >= 0 else min(len(text), at + AROUND)


def _copy(text: str, start: int, end: int, parts: list[str], starts: list[int], ends: list[int]) -> None:
    parts.append(text[start:end])
    starts.extend(range(start, end))
    ends.extend(range(start + 1, end + 1))


def _put(plain: str, start: int, end: int, parts: list[str], starts: list[int], ends: list[int]) -> None:
    parts.append(plain)
    starts.extend([start] * len(plain))
    ends.extend([end] * len(plain))


def _whole(decoded: list[Fold]) -> View:
    """Decoded texts one below the other, each character standing for all that was decoded with it."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end, plain in decoded:
        _put(plain, start, end, parts, starts, ends)
        _put("\n\n", end - 1, end, parts, starts, ends)
    return View("".join(parts), starts, ends, [], False)
