"""A tool that is all somebody says, after the agent took its rival: "pnpm" after `npm install`.

In: an exchange and the sentences of its message. Out: the findings with the one that names both. Invariants: pure; the
rival stands in what the agent ran or said right before; where it may be more than one, nothing is told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_db.extract.rules.answering import asked_before
from memory_db.extract.rules.error_fixes import SHELL_TOOLS
from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.frames import done_before, last_words
from memory_db.extract.rules.prose import ProseFinding, spelt_out
from memory_db.extract.rules.surroundings import REMARK, MessageFinding
from memory_db.text.opposites import GROUPS
from memory_db.text.sentences import Sentence

OF_TOOLS = (
    "package manager of node", "package manager of python", "formatter", "linter", "type checker", "test runner",
    "browser tests", "database", "cache", "queue", "worker", "bundler", "container", "infrastructure", "http client",
    "styles", "state", "orm", "front end", "merging",
)  # fmt: skip
"""Groups of what one project takes one of."""

TOOLS = {tool: group for group in OF_TOOLS for tool in GROUPS[group].split()}

TOOL_ALONE = re.compile(
    r"^\W*(?:(?:no|nope|nah|hey|oh|wait|stop|please|sorry|ah|hm+|argh|ugh|use|with|via|in|it's|its|that's|should be|"
    r"rather|better|again)\b\W*)*(?P<tool>[\w.-]*\w)(?: (?:please|here|instead|rather|always|only|not \w+))*"
    r"(?=[,.;:!]|\W*$)"
)
"""A sentence that begins with a tool and does not say what of it."""

WORD = re.compile(r"[\w.-]*\w")


def with_rival(exchange: Exchange, sentences: Sequence[Sentence], found: list[MessageFinding]) -> list[MessageFinding]:
    """The findings of a message in order, with the tool that it names first, where the agent took another one."""
    first = sentences[0] if sentences else None
    if first is None or any(each.finding.start < first.end for each in found):
        return found
    text = rival_told(exchange, first)
    if not text:
        return found
    rule = "a rival tool"
    finding = ProseFinding(first.start, first.end, first.text, "correction", rule, REMARK, (rule,))
    return [MessageFinding(finding, text), *found]


def rival_told(exchange: Exchange, first: Sentence) -> str:
    """What the agent took, with the tool that the user names instead; '' where they name none."""
    said = TOOL_ALONE.match(spelt_out(first.masked))
    tool = said["tool"] if said else ""
    if tool not in TOOLS or "\x00" in first.masked or first.masked.rstrip().endswith("?") or asked_before(exchange):
        return ""
    action, words = exchange.action, last_words(exchange.said_before)
    if action is not None and action.tool in SHELL_TOOLS and (rival := taken(tool, action.target)):
        return f"{done_before(action)}, the user said: {tool}, not {rival}."
    rival = taken(tool, words)
    return f'On "{words}", the user said: {tool}, not {rival}.' if rival else ""


def taken(tool: str, text: str) -> str:
    """The one rival of a tool that a text names; '' where it names none, several, or the tool itself."""
    named = {word for word in WORD.findall(text.lower()) if TOOLS.get(word) == TOOLS[tool]}
    return named.pop() if len(named) == 1 and tool not in named else ""
