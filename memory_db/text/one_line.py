"""Texts as a terminal may show them.

In: any text. Out: one line of it. Invariant: no control character is left, for a terminal must not obey a transcript.
"""


def printable(text: str, length: int) -> str:
    """Text on one line without control characters, cut with an ellipsis."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat if len(flat) <= length else flat[: length - 1] + "…"
