"""What an earlier text still says where a later one calls a part of it over.

In: the earlier text, the distinctive words of what is over, and a reading of the later text. Out: the sentences that
do not speak of it, and whether it is certain that they hold on. Invariant: pure, and bounded by the text's length.
"""

from __future__ import annotations

import re

from memory_db.text.statements import Reading, answered, reading, share

PARTS = re.compile(r"(?<=[.!?;])\s+|,\s+(?=(?:and|but) (?!(?:not|no|then)\b))")
"""Where one thing that a text says ends and the next begins; a reason goes with what it is of."""

JOINS = re.compile(r"^(?:and|but|also|so) ", re.IGNORECASE)

FEWEST_BESIDES = 3
"""Distinctive words of a sentence that says something of its own. Source: ours."""

SURE_OF_PART = 2
"""Distinctive words of what is called over, from which on the rest of a text is known to hold. Source: ours."""

TELLING_ITSELF = 3
"""Distinctive words of what is called over that tell what it is without any around them. Source: ours."""

LEANING = re.compile(
    r"(?:^|[.!?;] )(?:it|its|they|them|their|this|that|these|those|so|then)\b|\botherwise\b", re.IGNORECASE
)
"""What stands alone as little as a reason does: "the list looked crooked otherwise"."""

LEAST_OF_DEED = 0.5
"""The share of the distinctive words of what is no longer done that a sentence on it has. Source: ours; one word is not
enough: "the pictures lie in assets" holds on where "we no longer cut the pictures to a square"."""


def says_besides(earlier: str, gone: frozenset[str], later: Reading, *, is_deed: bool = False) -> str:
    """What an earlier text says that does not speak of what is gone, and would be lost; '' where that is nothing.

    What the later text says too is not lost, nor is the reason of what is gone. A sentence speaks of it that has a
    word of it; of a deed that is no longer done, `LEAST_OF_DEED` of its words, or as many as any sentence has, unless
    it leans on the others.
    """
    parts = PARTS.split(answered(earlier)[1])
    of_parts = [reading(part).terms for part in parts]
    least = min(LEAST_OF_DEED, max(share(gone, terms) for terms in of_parts)) if is_deed else 0.0
    left = []
    for part, terms in zip(parts, of_parts, strict=True):
        is_over = bool(gone & terms) and (share(gone, terms) >= least or LEANING.search(as_sentence(part)) is not None)
        if len(terms) >= FEWEST_BESIDES and not is_over and not terms <= later.terms:
            left.append(part.strip())
    if len(parts) == 1 or not left:
        return ""
    return " ".join(as_sentence(part) for part in left)


def as_sentence(part: str) -> str:
    """A part of a sentence as one of its own."""
    said = JOINS.sub("", part).rstrip(" ,;")
    return said[:1].upper() + said[1:] + ("" if said.endswith((".", "!", "?")) else ".")


def is_told(gone: frozenset[str], besides: str, *, is_about: bool) -> bool:
    """Whether what is over is told well enough for the rest to hold on; `is_about` if both texts name more in common.

    Without that it is by its own words, if there are enough of them and the rest stands without them.
    """
    if is_about:
        return len(gone) >= SURE_OF_PART
    return len(gone) >= TELLING_ITSELF and LEANING.search(besides) is None
