"""What a test of a pair of memories found, in the words of the two.

In: the name of the test, its reason and both texts. Out: a clause. Pure; pages and the command line say the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_db.text.perhaps_over import as_said

FOUND_BY = {
    "opposed": "one says to do what the other says not to do",
    "turned_round": "the later one takes back what the other rules out",
    "changed_value": "they give different values for the same",
    "changed_setting": "the later one sets another value",
    "overwritten": "an edit overwrote what the earlier one names",
    "explicit_part": "the later one says that a part of it is over",
}
"""What tests of a pair found, in words."""

OPPOSED = {
    "sets aside ": "one sets aside what the other says: {words}",
    "opposed on ": "one says to do what the other says not to do, on: {words}",
}
"""The same of opposed texts, by how the reason begins."""


def found_in_words(found: Mapping[str, Any], texts: str) -> str:
    """What the test of a pair found (`found_by`, `reason`), with its words as the texts have them."""
    found_by = FOUND_BY.get(found["found_by"], found["found_by"].replace("_", " "))
    said = opposed_in_words(found["reason"], texts) if found["found_by"] == "opposed" else ""
    return said or f"{found_by} ({found['reason']})"


def opposed_in_words(reason: str, texts: str) -> str:
    """In which way two texts are opposed, with the words of theirs; empty for any other reason."""
    for begins, said in OPPOSED.items():
        if reason.startswith(begins):
            return said.format(words=as_said(reason.removeprefix(begins).split(", "), texts))
    return ""
