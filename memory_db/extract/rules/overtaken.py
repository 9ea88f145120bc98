"""Whether what an agent tells of its work was changed again in the same session: then it is over, and not kept.

In: the words that are quoted of a reply, its entry, and the actions of the session. Out: yes or no. Invariant: pure;
only a value that the words name counts, with the file or a word of the line, which an edit before them wrote and one
behind them took out of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memory_db.extract.rules.backing import shared_words
from memory_db.extract.rules.error_fixes import EDITING_TOOLS, ActionRow, changed_lines

VALUE = re.compile(r"(?<![\w.])\d[\w.]*\w|(?<![\w.])\d(?!\w)")
"""A number, perhaps with its unit, in words or in code."""


AT_PRESENT = re.compile(
    r"\b(?:at present|currently|presently|at the moment|right now|so far|as of now|for now|today)\b", re.IGNORECASE
)
"""How an agent says that it tells of how things stand before anything is done."""


def is_overtaken(quote: str, entry_id: int, actions: Sequence[ActionRow]) -> bool:
    """Whether an edit after a reply took a value out of a line that an edit before it wrote, and the quote names it.

    Where the quote says that it tells of how things stand at present, whoever wrote that line.
    """
    named = values_of(quote)
    if not named:
        return False
    is_of_now = AT_PRESENT.search(quote) is not None
    written = {line for _, _, after in edits(one for one in actions if one.entry_id <= entry_id) for line in after}
    for name, before, after in edits(one for one in actions if one.entry_id > entry_id):
        kept = "\n".join(after)
        before = [line for line in before if name in quote or shared_words(quote, line)]
        for line in before:
            gone = (values_of(line) - values_of(kept)) & named
            if gone and (is_of_now or any(line in each for each in written)):
                return True
    return False


def edits(actions: Iterable[ActionRow]) -> Iterator[tuple[str, list[str], list[str]]]:
    """Of each edit that succeeded the file's name, the lines that it took out, and those that it wrote."""
    for action in actions:
        if action.tool in EDITING_TOOLS and action.is_error is False:
            yield action.target.rsplit("/", 1)[-1], *changed_lines(action.input)


def values_of(text: str) -> set[str]:
    """The numbers of a text."""
    return set(VALUE.findall(text))
