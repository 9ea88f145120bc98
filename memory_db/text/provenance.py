"""Where the words of an entry come from: typed by the user, pasted, an agent's, a tool's.

In: the stored text of an entry, its role and kind. Out: spans of it, each with a provenance. Invariants: pure; spans of
one entry follow one another, do not overlap, and only what is marked `typed` was typed by the user.

An entry that is wholly of one provenance has no span of its own: `whole_provenance` tells it by role and kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memory_db.text.sentences import FENCE, TAGGED

TYPED, PASTED, AGENT, TOOL, WEB, SUBAGENT, FILE, CLIENT = PROVENANCES = (
    "typed", "pasted", "agent", "tool", "web", "subagent", "file", "client",
)  # fmt: skip

PROVENANCE_VERSION = "1"
"""Another version reads the prompts of a file again."""

DENIAL = "the user said:\n"
REFUSAL = re.compile(r"(?:Error: )?The user doesn't want to [^\n]{0,400}?the user said:\n")
"""How the client begins the result of a call that the user refused with a remark; the remark follows."""
"""What stands before the user's words where a tool call was refused with a remark."""

WEB_TOOLS = frozenset({"WebFetch", "WebSearch"})
FILE_TOOLS = frozenset({"Read", "NotebookRead"})
SUBAGENT_TOOLS = frozenset({"Task", "Agent"})
"""Tools whose results are not their own words."""

BY_KIND = {
    "reply": AGENT, "thinking": AGENT, "tool_call": AGENT, "summary": AGENT, "tool_result": TOOL, "notice": CLIENT,
    "attachment": CLIENT, "queue": TYPED, "document": FILE, "prompt": TYPED,
}  # fmt: skip
"""The provenance of an entry without spans, by its kind."""

CLIENT_TAG = re.compile(
    r"<(?:system-reminder|command-[a-z]+|local-command-[a-z]+|bash-(?:input|stdout|stderr)|task-notification|"
    r"teammate-message|user-memory-input|ide_[a-z_]+)\b[^<>]*>"
)
"""A tag by which a client marks its own words; one that is never closed holds all that follows."""

MAIL_HEADER = re.compile(r"^[ \t]*(?:from|to|cc|subject|date|sent|reply-to|message-id|von|an|betreff|datum): \S", re.I)
MAIL_BEGINS = re.compile(r"^[ \t]*(?:-{3,} ?(?:original|forwarded) message ?-*|on .{5,80} wrote:)[ \t]*$", re.I)
FEWEST_HEADERS = 2

QUOTED_LINE = re.compile(r"^[ \t]*(?:>|\|.*\|[ \t]*$)")
MACHINE_LINE = re.compile(
    r"^(?:\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:|\s*\[?\d\d:\d\d:\d\d|diff --git |index [0-9a-f]{6,}|@@ |\+\+\+ |--- \S+/|"
    r"Traceback \(|\s+File \"|\s+at [\w.$<>]+ ?\(|\w*(?:Error|Exception): |\[(?:INFO|WARN|WARNING|ERROR|DEBUG)\]|"
    r"(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL)[ :\[]|[+-]\s{0,8}\S.*[;{}()=]\s*$|E   \S|npm (?:ERR|error)|\$ \S)"
)
"""Lines of logs, diffs and stack traces."""

ANNOUNCES = re.compile(
    r":\s*$|\b(?:(?:sent|gave|posted|wrote|mailed|got|found|says?|pasted?) (?:me |us )?(?:this|the following)|"
    r"here(?:'s| is| are)|see below|(?:it|the \w+) says|forwarded|copied from|this is (?:from|what))\b",
    re.IGNORECASE,
)
"""How a paragraph ends, or what it says, after which somebody else's words stand."""

LONG_LINES, LONG_CHARACTERS = 6, 700
"""A block of so many lines, or of so many characters, below other words is taken for pasted.

Source: ours; of the sample's and the benchmark's prompts no typed block is as long.
"""

ANNOUNCED_LINES, ANNOUNCED_CHARACTERS = 3, 240
"""So is a shorter one that the paragraph before it announces."""


ITEM = re.compile(r"\s*(?:[-*•]|\d+[.)])\s")
"""How the line of a list begins."""

OTHERS = re.compile(
    r"\b(?:sent|posted|wrote|writes|mail(?:ed|s)?|e-?mail|ticket|issue|readme|docs?|documentation|page|article|slack|"
    r"forwarded|copied|pasted|customer|client|vendor|says|log|output|spec)\b",
    re.IGNORECASE,
)
"""Words that speak of somebody else's text."""


class Span(NamedTuple):
    """A slice of an entry's text with its provenance, and the tool's name where it is one."""

    start: int
    end: int
    provenance: str
    tool: str = ""


def whole_provenance(role: str, kind: str, tool: str = "") -> str:
    """The provenance of an entry that is wholly of one, by its role, kind and tool."""
    if kind == "tool_result":
        return (
            WEB if tool in WEB_TOOLS else FILE if tool in FILE_TOOLS else SUBAGENT if tool in SUBAGENT_TOOLS else TOOL
        )
    if kind == "prompt" and role != "user":
        return CLIENT
    return BY_KIND.get(kind, CLIENT)


def spans_of(text: str, role: str, kind: str, tool: str = "") -> list[Span]:
    """The spans of an entry of more than one provenance; none where `whole_provenance` says it all.

    A result that refused a call with a remark of the user's is the client's up to that remark.
    """
    if kind == "tool_result":
        refused = REFUSAL.match(text)
        if refused is None:
            return []
        start = refused.end()
        typed = [Span(one.start + start, one.end + start, one.provenance) for one in typed_and_pasted(text[start:])]
        return [Span(0, start, CLIENT, tool), *typed]
    if kind == "prompt" and role == "user":
        found = typed_and_pasted(text)
        return found if any(one.provenance != TYPED for one in found) else []
    return []


def typed_and_pasted(text: str) -> list[Span]:
    """A user's message as spans of what was typed and of what is not, without gaps."""
    spans: list[Span] = []
    position = 0
    for start, end, provenance, _ in merged(foreign(text)):
        if position < start:
            spans.append(Span(position, start, TYPED))
        spans.append(Span(start, end, provenance))
        position = end
    if position < len(text):
        spans.append(Span(position, len(text), TYPED))
    return spans


def foreign(text: str) -> Iterable[Span]:
    """What is not typed, as spans that may overlap."""
    for pattern in (FENCE, TAGGED):
        for match in pattern.finditer(text):
            yield Span(match.start(), match.end(), CLIENT if CLIENT_TAG.match(match[0]) else PASTED)
    for match in CLIENT_TAG.finditer(text):
        if f"</{match[0][1:-1].split()[0]}>" not in text[match.end() :]:
            yield Span(match.start(), len(text), CLIENT)
    yield from quoted_lines(text)
    yield from long_blocks(text)


def quoted_lines(text: str) -> Iterable[Span]:
    """Quoted lines, tables, logs, diffs and traces; a mail from its headers on."""
    position, headers, first_header = 0, 0, 0
    for line in text.splitlines(keepends=True):
        if MAIL_HEADER.match(line):
            first_header = position if not headers else first_header
            headers += 1
        elif headers < FEWEST_HEADERS:
            headers = 0
        if headers >= FEWEST_HEADERS or MAIL_BEGINS.match(line):
            yield Span(first_header if headers else position, len(text), PASTED)
            return
        if QUOTED_LINE.match(line) or MACHINE_LINE.match(line):
            yield Span(position, position + len(line), PASTED)
        position += len(line)


def long_blocks(text: str) -> Iterable[Span]:
    """Blocks below other words that are too long to have been typed, or that those words announce.

    What is announced goes on over empty lines, up to a last block of one line.
    """
    parts = blocks(text)
    announced = False
    for number, (start, end) in enumerate(parts):
        block = text[start:end]
        lines = block.count("\n") + 1
        is_last_word = number == len(parts) - 1 and lines == 1 and number > 0 and len(block) < ANNOUNCED_CHARACTERS
        is_long = lines >= LONG_LINES or len(block) >= LONG_CHARACTERS
        is_shown = announced and (lines >= ANNOUNCED_LINES or len(block) >= ANNOUNCED_CHARACTERS)
        if number and not is_last_word and (is_long or is_shown) and not is_own_list(block, text[:start]):
            yield Span(start, end, PASTED)
            announced = True
        elif number == 0:
            yield from head_and_rest(text, start, end)
            announced = ANNOUNCES.search(block) is not None
        else:
            announced = (announced and lines < ANNOUNCED_LINES and not is_last_word) or ANNOUNCES.search(
                block
            ) is not None


def is_own_list(block: str, before: str) -> bool:
    """Whether a block is a list that the user typed: nothing but items, and nobody else is named before it."""
    return all(ITEM.match(line) for line in block.splitlines()) and OTHERS.search(before[-240:]) is None


def head_and_rest(text: str, start: int, end: int) -> Iterable[Span]:
    """What a first line announces and what follows it without an empty line."""
    first, _, rest = text[start:end].partition("\n")
    is_long = rest.count("\n") + 1 >= ANNOUNCED_LINES or len(rest) >= ANNOUNCED_CHARACTERS
    if rest and is_long and ANNOUNCES.search(first) and not ITEM.match(rest):
        yield Span(start + len(first) + 1, end, PASTED)


def blocks(text: str) -> list[tuple[int, int]]:
    """Spans between empty lines."""
    return [(match.start(), match.end()) for match in re.finditer(r"[^\n]+(?:\n[^\n]+)*", text) if match[0].strip()]


def merged(spans: Iterable[Span]) -> list[Span]:
    """Spans in order without overlap; the first provenance holds where two meet."""
    result: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        if result and span.start < result[-1].end:
            if span.end > result[-1].end:
                result[-1] = result[-1]._replace(end=span.end)
        elif span.start < span.end:
            result.append(span)
    return result


def only(text: str, spans: Sequence[Span], provenance: str = TYPED) -> str:
    """`text` in the same length, with all blanked that is not of this provenance; without spans all of it stays."""
    if not spans:
        return text
    result = list(re.sub(r"[^\n]", "\x00", text))
    for span in spans:
        if span.provenance == provenance:
            result[span.start : span.end] = text[span.start : span.end]
    return "".join(result)
