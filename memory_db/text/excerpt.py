"""What is asked of memory where a prompt is long: its beginning and its end.

In: a text as it was typed. Out: at most 4,000 characters of it, and what redaction found. Invariant: what is cut was
redacted before, since half a secret looks like none.
"""

from __future__ import annotations

from memory_db.redact.clean import Finding, clean

HEAD_CHARACTERS, TAIL_CHARACTERS = 3_000, 1_000
"""How much of a long prompt is asked for: a pasted log stands between its beginning and its end."""


def head_and_tail(text: str) -> tuple[str, list[Finding]]:
    """A text, or of a long one its redacted beginning and end, with what redaction found in it."""
    if len(text) <= HEAD_CHARACTERS + TAIL_CHARACTERS:
        return text, []
    text, findings = clean(text)
    return f"{text[:HEAD_CHARACTERS]}\n{text[-TAIL_CHARACTERS:]}", findings


def paragraph_count(text: str) -> int:
    """How many paragraphs a text has: runs of lines that an empty line parts."""
    count, was_empty = 0, True
    for line in text.splitlines():
        is_empty = not line.strip()
        count += was_empty and not is_empty
        was_empty = is_empty
    return count
