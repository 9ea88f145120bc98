"""Texts on one line.

In: any text. Out: one line of it. Invariant: `printable` leaves no control character, for a terminal must not obey a
transcript.
"""

from __future__ import annotations

from memory_db.records import later

SENTENCE_END = later(r"""[.!?…。！？]["'”’)\]]*(?=\s|$)|[。！？]|\n""")


def printable(text: str, length: int) -> str:
    """Text on one line without control characters, cut with an ellipsis."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat if len(flat) <= length else flat[: length - 1] + "…"


def one_line(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


def cut(text: str, most: int) -> str:
    """A text on one line, at most so many characters: whole sentences if one ends in time, else whole words."""
    line = one_line(text)
    if len(line) <= most:
        return line
    ends = [found.end() for found in SENTENCE_END.finditer(line[: most + 1]) if found.end() <= most]
    if ends and ends[-1] >= most // 3:
        return line[: ends[-1]].rstrip()
    head = line[: most - 1]
    blank = head.rfind(" ")
    return f"{head[:blank] if blank >= most // 3 else head}…".replace(" …", "…")
