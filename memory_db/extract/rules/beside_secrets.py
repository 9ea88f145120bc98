"""What a text says beside a secret that was redacted in it.

In: a redacted text. Out: the text without the sentence or clause that told the secret, where the rest says something by
itself. Pure. Invariant: a text that says enough with its marks, or too little without them, comes back as it was.
"""

from __future__ import annotations

import re

from memory_db.extract.rules.patterns import STATIVE

MARKER = re.compile(r"\[redacted:[a-z0-9-]+\]")

FEWEST_WORDS_BESIDE = 15
"""Words of a text with a secret in it that is not about the secret. Source: ours."""

FEWEST_WORDS_LEFT = 4
"""Words of the shortest rest that says something by itself. Source: ours."""

PART = re.compile(r"(?<=[.!?])\s+|(?:[,;]\s+|\s+)(?:and|but|und|aber)\s+|;\s+", re.IGNORECASE)
"""What stands between two sentences or clauses."""

TELLS_SECRET = re.compile(
    r"(?:pass(?:word|wd|phrase|code|wort)?|kennwort|pwd|pw|secret|token|key|pin|code|credentials?)\b[^.!?]*\[redacted:",
    re.IGNORECASE,
)
"""A clause that names what was redacted, and not only the end of one that goes on."""

LEANS = re.compile(r"\W*(?:it|its|it's|they|their|this|that|these|those|which|es|sie|das|der|die)\b", re.IGNORECASE)
"""The beginning of what speaks of the clause before it."""

JOINS = re.compile(r"\W*(?:and|but|und|aber)\s+", re.IGNORECASE)

STATES = re.compile(rf"\b{STATIVE}\b|\b(?:use|run|keep|put|ist|läuft|nutzt)\b", re.IGNORECASE)


def says_little(text: str) -> bool:
    """Whether a text has a mark of redaction and too few words beside it to be about anything else."""
    return bool(MARKER.search(text)) and len(re.findall(r"\w+", MARKER.sub("", text))) < FEWEST_WORDS_BESIDE


def beside_secrets(text: str) -> str:
    """The text without what told a secret, where that is its beginning or its end and the rest says something."""
    if not says_little(text):
        return text
    starts = [0, *(found.end() for found in PART.finditer(text))]
    ends = [*(found.start() for found in PART.finditer(text)), len(text)]
    parts = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    telling = [number for number, part in enumerate(parts) if MARKER.search(part)]
    first, last = telling[0], telling[-1]
    if not all(TELLS_SECRET.search(parts[number]) for number in telling):
        return text
    if last == len(parts) - 1 and first > 0:
        rest = text[: ends[first - 1]]
    elif first == 0 and last + 1 < len(parts) and not LEANS.match(parts[last + 1]):
        rest = text[starts[last + 1] :]
    else:
        return text
    rest = rest[joined.end() :] if (joined := JOINS.match(rest)) else rest
    return ended(rest) if len(rest.split()) >= FEWEST_WORDS_LEFT and STATES.search(rest) else text


def ended(rest: str) -> str:
    """What is left as a sentence of its own."""
    rest = rest.strip(" ,;")
    rest = rest[:1].upper() + rest[1:] if rest.split(" ", 1)[0].isalpha() else rest
    return rest if rest.endswith((".", "!", "?")) else f"{rest}."
