"""Texts for comparing: what two that say the same in the same words have in common."""

from __future__ import annotations

import re
from hashlib import sha256


def normalised(text: str) -> str:
    """A text for comparing: lower case, single spaces, no marks around words."""
    return " ".join(
        re.sub(
            r"[\s.,;:!?\"'`*()\u2018\u2019\u201c\u201d\u2026]+(?=\s|$)|(?:^|(?<=\s))[\"'`*(\u2018\u201c]+",
            " ",
            text.casefold(),
        ).split()
    )


def content_hash(text: str) -> str:
    """What two texts that say the same in the same words have in common."""
    return sha256(normalised(text).encode()).hexdigest()
