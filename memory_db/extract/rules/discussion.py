"""Whether a session only discusses: somebody thinks aloud with an agent that does nothing.

In: the messages of a session in which the agent used no tool, and its replies. Out: yes or no. Invariant: pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_db.extract.rules.error_fixes import LOOKS_ONLY, SHELL_TOOLS, ActionRow
from memory_db.extract.rules.musing_cues import SIGNS
from memory_db.extract.rules.prose import matching, spelt_out
from memory_db.text.acknowledging import is_acknowledgement
from memory_db.text.sentences import split

FEWEST_OF_TALK = 2
"""Messages with a sign of talk from which on a session may be a discussion, and sentences of a single message that only
talks. Source: ours."""

SHARE_OF_TALK = 1 / 3
"""Share of a session's messages from which on it is one. Source: 35 chats in which developers only discuss have a third
to all, 18 that come to a decision none, or one message of eight."""

CODE_SHOWN = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)
"""How an agent shows what it wrote, where it cannot write it into a file."""

LOOKING_TOOLS = frozenset(
    {"Read", "NotebookRead", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "TodoWrite", "read_file", "list_directory",
     "glob", "search_file_content"}
)  # fmt: skip
"""Tools by which an agent only looks something up, to explain it."""

MOST_CHARACTERS = 4_000
"""Characters of a message that are looked at: who discusses does so from the first sentences on. Source: ours."""


def is_discussion(messages: Sequence[str], replies: Sequence[str]) -> bool:
    """Whether the user only discusses with the agent in a session in which that did nothing."""
    if not replies or any(CODE_SHOWN.search(each) for each in replies):
        return False
    said = [each for each in messages if each.strip("\x00 \n") and not is_acknowledgement(each)]
    talks = sum(muses(each) for each in said) if len(said) >= FEWEST_OF_TALK else 0
    return talks >= FEWEST_OF_TALK and talks >= SHARE_OF_TALK * len(said)


def only_looks(action: ActionRow) -> bool:
    """Whether an action changes nothing and runs nothing: it reads or searches."""
    return action.tool in LOOKING_TOOLS or (action.tool in SHELL_TOOLS and LOOKS_ONLY.match(action.target) is not None)


def muses(said: str) -> bool:
    """Whether a sentence of some words shows that somebody thinks aloud, takes in or praises."""
    return any(map(is_musing, lowers_of(said)))


def mostly_muses(said: str) -> bool:
    """Whether two sentences of some words do so, or the only one: one beside what is told says little."""
    lowers = lowers_of(said)
    return sum(map(is_musing, lowers)) >= min(FEWEST_OF_TALK, len(lowers)) > 0


def lowers_of(said: str) -> list[str]:
    """The sentences at the beginning of a message, as cues read them."""
    return [spelt_out(each.masked) for each in split(said[:MOST_CHARACTERS].replace("\x00", " "))]


def is_musing(lower: str) -> bool:
    """Whether a sentence shows a sign of talk."""
    return any(matching(SIGNS, lower, "user", False))
