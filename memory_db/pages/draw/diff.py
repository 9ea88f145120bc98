"""Two texts as one, with what went and what came, word by word.

In: an old and a new text. Out: parts in order, each with what became of it. Pure. Invariant: the parts that stayed or
went, joined, are the old text; those that stayed or came are the new one.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

WORDS = re.compile(r"\s+|\w+|[^\w\s]")

MOST_WORDS = 2_000
"""Words, spaces and signs of a text beyond which it is not compared but shown as replaced.

Source: comparing costs the square of it at worst; two texts of so many take some tenth of a second.
"""

SAME, GONE, NEW = "same", "gone", "new"

Part = tuple[str, str]
"""What became of it (`SAME`, `GONE` or `NEW`), and the words."""


def word_diff(old: str, new: str) -> list[Part]:
    """The parts of two texts, each as long as it can be."""
    if old == new:
        return [(SAME, old)] if old else []
    before, after = WORDS.findall(old), WORDS.findall(new)
    if max(len(before), len(after)) > MOST_WORDS:
        return [part for part in ((GONE, old), (NEW, new)) if part[1]]
    parts: list[Part] = []
    for code, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if code == "equal":
            parts.append((SAME, "".join(before[i:j])))
            continue
        parts += [part for part in ((GONE, "".join(before[i:j])), (NEW, "".join(after[k:m]))) if part[1]]
    return parts
