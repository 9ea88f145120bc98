"""What an agent says after a tool in the tool's own words: somebody else's, whoever repeats them.

In: a reply, and what tools said before it. Out: whether a sentence of the reply stands nearly word by word in a line of
theirs. Invariants: pure; short sentences, such as counts of tests, repeat nothing.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import re

from memory_db.records import later
from memory_db.text.terms import STOP_WORDS, WORD

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Iterable

FEWEST_WORDS = 6
"""Distinctive words of the shortest sentence that can repeat something. Source: ours; results of tests have fewer."""

LEAST_SHARE = 0.7
"""Share of a sentence's distinctive words that stand in one line of a tool's, from which on it repeats that line.

Source: ours; of 60 planted texts three were so repeated by an agent, with shares of .7 to 1.
"""

MOST_SENTENCES, MOST_CHARACTERS, MOST_LINES = 12, 20_000, 40
"""How much is compared: sentences of a reply, characters of a result, lines of it that share a word."""

SENTENCE = later(r"[^.!?…\n]+(?:\.(?=\S)[^.!?…\n]+)*")


def repeats(reply: str, results: Iterable[str]) -> bool:
    """Whether a reply says again what a tool said before it."""
    said = [words for each in SENTENCE.findall(reply)[:MOST_SENTENCES] if len(words := telling(each)) >= FEWEST_WORDS]
    if not said:
        return False
    for result in results:
        text = result[:MOST_CHARACTERS].casefold()
        for words in said:
            longest = sorted(words, key=lambda word: (-len(word), word))[:3]
            if any(stands_in(words, line) for line in lines_with(text, longest)):
                return True
    return False


def telling(text: str) -> frozenset[str]:
    """The distinctive words of a sentence."""
    return frozenset(word for word in WORD.findall(text.casefold()) if word not in STOP_WORDS)


def lines_with(text: str, words: Iterable[str]) -> list[str]:
    """Lines of a text in which one of some words stands, each with the one after it: a sentence may be folded."""
    found: dict[int, str] = {}
    for word in words:
        for match in re.finditer(re.escape(word), text):
            start = text.rfind("\n", 0, match.start()) + 1
            if start not in found:
                end = text.find("\n", text.find("\n", match.end()) + 1) if "\n" in text[match.end() :] else len(text)
                found[start] = text[start : len(text) if end < 0 else end]
            if len(found) >= MOST_LINES:
                return list(found.values())
    return list(found.values())


def stands_in(words: frozenset[str], line: str) -> bool:
    """Whether most of a sentence's words stand in a line."""
    there = frozenset(WORD.findall(line))
    return sum(word in there for word in words) >= LEAST_SHARE * len(words)
