"""Taking passages out of any text that copies them.

In: what must not be said any more, and a text. Out: the text with a mark in the place of each copy. Pure.
Invariants: a copy is the whole passage, however its lines were broken, and not a part of other words or numbers; a text
that holds no copy comes back as it was. What only shares a phrase with a passage can be told, and is never changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress

FORGOTTEN = "[forgotten]"
"""What stands where something was taken out."""

LEAST = 32
"""Characters in a row that two texts share by more than chance. Source: ours; some five words of English."""

PROBE = 16
"""Characters that are looked up. Of a text it is enough to look them up every `STEP`."""

STEP = LEAST - PROBE + 1

SHORTEST = 4
"""A passage of fewer characters is no passage: words like `ok` stand everywhere."""

END_MARKS = " \t\n.,;:!?\"'`"


class Passages:
    """Passages that are to be forgotten.

    `least_within`: a shorter passage is only found as the whole of a text. `is_bounded`: a passage is not found where
    it is a part of other words or numbers, as `port 543` of `port 5433`.
    """

    def __init__(self, texts: Iterable[str], *, least_within: int = SHORTEST, is_bounded: bool = True) -> None:
        meant = [text for text in texts if len(flat_text(text).replace(FORGOTTEN, "").strip()) >= SHORTEST]
        self.texts = sorted({flat_text(text) for text in meant})
        self.is_bounded = is_bounded
        self.forms = {form for text in meant for form in forms_of(text)}
        self.within = sorted(form for form in self.forms if len(form) >= least_within)
        self.short = [form for form in self.within if len(form) < LEAST]
        self.probes: dict[str, list[tuple[str, int]]] = {}
        for form in self.within:
            if len(form) >= LEAST:
                for start in range(STEP):
                    self.probes.setdefault(form[start : start + PROBE], []).append((form, start))

    def __bool__(self) -> bool:
        return bool(self.texts)

    def equals(self, text: str) -> bool:
        """Whether a text is one of the passages, as a whole."""
        return flat_text(text) in self.texts

    def repeats(self, text: str) -> bool:
        """Whether a text holds a copy of one of the passages."""
        flat = flat_text(text)
        return flat in self.forms or any(True for _ in self.spans(flat))

    def scrub(self, text: str) -> str:
        """The text with `FORGOTTEN` in the place of each copy; the same text if there is none."""
        if not self.repeats(text):
            return text
        flat, places = flattened(text)
        spans = [(0, len(flat))] if flat in self.forms else joined(sorted(self.spans(flat)))
        for start, end in reversed(spans):
            text = text[: places[start]] + FORGOTTEN + text[places[end - 1] + 1 :]
        return text

    def spans(self, flat: str) -> Iterator[tuple[int, int]]:
        """Where passages stand whole in a text with single spaces."""
        for passage in self.short:
            start = flat.find(passage)
            while start >= 0:
                if self.is_whole(flat, start, start + len(passage)):
                    yield start, start + len(passage)
                start = flat.find(passage, start + 1)
        if not self.probes:
            return
        for at in range(0, len(flat) - PROBE + 1, STEP):
            for passage, offset in self.probes.get(flat[at : at + PROBE], ()):
                start = at - offset
                end = start + len(passage)
                if start >= 0 and flat.startswith(passage, start) and self.is_whole(flat, start, end):
                    yield start, end

    def is_whole(self, flat: str, start: int, end: int) -> bool:
        """Whether what stands there is no part of other words or numbers, where that matters."""
        if not self.is_bounded:
            return True
        before = start > 0 and joins(flat[start - 1]) and joins(flat[start])
        after = end < len(flat) and joins(flat[end - 1]) and joins(flat[end])
        return not before and not after


class Phrases:
    """What passages share with other texts: `LEAST` characters in a row, or the whole but for capitals and end marks.

    By it somebody is told what else to look at; nothing is taken out for it.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        folded = {flat_text(text).casefold().strip(END_MARKS) for text in texts}
        self.texts = sorted(text for text in folded if len(text) >= SHORTEST)
        self.probes: dict[str, list[tuple[str, int]]] = {}
        for text in self.texts:
            for start in range(len(text) - PROBE + 1 if len(text) >= LEAST else 0):
                self.probes.setdefault(text[start : start + PROBE], []).append((text, start))

    def shared_by(self, text: str) -> bool:
        """Whether a text shares a phrase with one of the passages."""
        flat = flat_text(text).casefold()
        if any(short in flat for short in self.texts if len(short) < LEAST):
            return True
        for at in range(0, len(flat) - PROBE + 1, STEP):
            for passage, start in self.probes.get(flat[at : at + PROBE], ()):
                if agreeing(flat, at, passage, start) >= LEAST:
                    return True
        return False


def agreeing(text: str, at: int, passage: str, start: int) -> int:
    """How many characters in a row a text shares with a passage around a place where both have the same ones."""
    back = 0
    while back < min(at, start) and text[at - back - 1] == passage[start - back - 1]:
        back += 1
    on, most = 0, min(len(text) - at, len(passage) - start)
    while on < most and text[at + on] == passage[start + on]:
        on += 1
    return back + on


def flat_text(text: str) -> str:
    """A text with single spaces for all white space."""
    return " ".join(text.split())


def forms_of(text: str) -> set[str]:
    """The ways in which a passage stands in other texts: as it is, and as a text of JSON."""
    quoted = {json.dumps(text, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)}
    return {flat_text(text), *map(flat_text, quoted)}


def joins(character: str) -> bool:
    """Whether a character makes one word or number with its like; those of scripts without spaces do not."""
    return character == "_" or character.isdigit() or character.lower() != character.upper()


# ------------------------------------------------------------------------ cells


STRING_OR_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*', re.DOTALL)
"""What JSON is made of, but for its marks and its three words."""


def cell_repeats(passages: Passages, text: object, *, numbers_are_ours: bool = False) -> bool:
    """Whether a cell of a table holds a copy, also within JSON.

    `numbers_are_ours`: the numbers of its JSON were computed, and have no digits of anybody's words.
    """
    if not isinstance(text, str) or not text:
        return False
    is_there = passages.repeats(text)
    if is_there and numbers_are_ours and text[0] in "[{":
        is_there = passages.repeats(STRING_OR_NUMBER.sub(lambda found: found[0] if found[0][0] == '"' else "0", text))
    if not is_there and text[0] in "[{" and "\\" in text:
        with suppress(ValueError, RecursionError):
            value = json.loads(text)
            return bool(scrubbed_value(passages, value, numbers_are_ours) != value)
    return is_there


def scrubbed_cell(passages: Passages, text: str, *, numbers_are_ours: bool = False) -> str:
    """A cell without the passages; JSON stays JSON."""
    if text[:1] in ("[", "{"):
        with suppress(ValueError, RecursionError):
            return json.dumps(scrubbed_value(passages, json.loads(text), numbers_are_ours), ensure_ascii=False)
    return passages.scrub(text)


def scrubbed_value(passages: Passages, value: object, numbers_are_ours: bool = True) -> object:
    """A value of JSON whose texts have lost the passages, and numbers too that somebody said."""
    if isinstance(value, str):
        return passages.scrub(value)
    if isinstance(value, list):
        return [scrubbed_value(passages, each, numbers_are_ours) for each in value]
    if isinstance(value, dict):
        return {passages.scrub(key): scrubbed_value(passages, each, numbers_are_ours) for key, each in value.items()}
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return FORGOTTEN if is_number and not numbers_are_ours and passages.repeats(json.dumps(value)) else value


# ------------------------------------------------------------------------ places


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
