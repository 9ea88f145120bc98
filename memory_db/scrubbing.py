"""Taking passages out of any text that repeats them, whole or in part.

In: what must not be said any more, and a text. Out: the text with a mark in the place of each repetition. Pure.
Invariants: a repetition of `LEAST` characters and more goes, however lines were broken and wherever it was cut; so does
a shorter passage where all of it stands; a text that repeats nothing comes back as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

FORGOTTEN = "[forgotten]"
"""What stands where something was taken out."""

LEAST = 32
"""Characters in a row that two texts share by more than chance. Source: ours; some five words of English."""

PROBE = 16
"""Characters that are looked up. One of the probes lies within any `LEAST` characters: they begin `STEP` apart."""

STEP = LEAST - PROBE + 1

SHORTEST = 4
"""A passage of fewer characters is no passage: words like `ok` stand everywhere."""


class Passages:
    """Passages that are to be forgotten."""

    def __init__(self, texts: Iterable[str]) -> None:
        flat = {" ".join(text.split()) for text in texts}
        self.texts = sorted(text for text in flat if len(text) >= SHORTEST and FORGOTTEN not in text)
        self.short = [text for text in self.texts if len(text) < LEAST]
        self.probes: dict[str, list[tuple[int, int]]] = {}
        for number, text in enumerate(self.texts):
            if len(text) >= LEAST:
                for start in range(0, len(text) - PROBE + 1, STEP):
                    self.probes.setdefault(text[start : start + PROBE], []).append((number, start))

    def __bool__(self) -> bool:
        return bool(self.texts)

    def scrub(self, text: str) -> str:
        """The text with `FORGOTTEN` in the place of each repetition; the same text if there is none."""
        if not self.repeats(text):
            return text
        flat, places = flattened(text)
        spans = joined(sorted([*self.long_spans(flat), *self.short_spans(flat)]))
        for start, end in reversed(spans):
            text = text[: places[start]] + FORGOTTEN + text[places[end - 1] + 1 :]
        return text

    def repeats(self, text: str) -> bool:
        """Whether a text repeats one of the passages."""
        flat = " ".join(text.split())
        return any(True for _ in self.short_spans(flat)) or any(True for _ in self.long_spans(flat))

    def short_spans(self, flat: str) -> Iterator[tuple[int, int]]:
        """Where short passages stand whole."""
        for passage in self.short:
            start = flat.find(passage)
            while start >= 0:
                yield start, start + len(passage)
                start = flat.find(passage, start + 1)

    def long_spans(self, flat: str) -> Iterator[tuple[int, int]]:
        """Where at least `LEAST` characters of a long passage stand, as far as the two agree."""
        if not self.probes or len(flat) < LEAST:
            return
        at = 0
        while at <= len(flat) - PROBE:
            end = at
            for number, start in self.probes.get(flat[at : at + PROBE], ()):
                first, last = agreeing(flat, at, self.texts[number], start)
                if last - first >= LEAST:
                    yield first + (flat[first] == " "), last - (flat[last - 1] == " ")
                    end = max(end, last - PROBE)
            at = max(at + 1, end)


def agreeing(text: str, at: int, passage: str, start: int) -> tuple[int, int]:
    """How far a text agrees with a passage around a place where both have the same characters."""
    back = 0
    while back < min(at, start) and text[at - back - 1] == passage[start - back - 1]:
        back += 1
    on, most = 0, min(len(text) - at, len(passage) - start)
    while on < most and text[at + on] == passage[start + on]:
        on += 1
    return at - back, at + on


def flattened(text: str) -> tuple[str, list[int]]:
    """A text with single spaces for all white space, and where each of its characters stood."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if not character.isspace():
            characters.append(character)
            places.append(place)
        elif characters and characters[-1] != " ":
            characters.append(" ")
            places.append(place)
    if characters and characters[-1] == " ":
        characters.pop()
        places.pop()
    return "".join(characters), places


def joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, those that touch as one."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
