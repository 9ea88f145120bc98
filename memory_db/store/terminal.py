"""What a terminal may be given: in, any text; out, the same without what a terminal obeys."""

from __future__ import annotations

import unicodedata


def harmless(text: str) -> str:
    """Text without the control characters that a terminal obeys; line breaks and tabs stay."""
    return "".join(c if c in "\n\t" or unicodedata.category(c) != "Cc" else " " for c in text)
