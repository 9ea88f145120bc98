"""Blocks that are not ours to keep: private sections, our own briefs, what other systems inject.

In: a text. Out: the text without them, a `Finding` for each. Source of the names: `INJECTED_TAGS`.
"""

from __future__ import annotations

from collections import defaultdict

from memory_db.records import IGNORECASE, later
from memory_db.redact.attacks import INJECTED_TAGS, PRIVATE
from memory_db.redact.edits import Edit, Finding, splice

_NAMES = "|".join(name.replace("*", r"[\w-]{0,40}") for name in INJECTED_TAGS)  # of letters, lines and a star
# Attributes stay on the line and hold no bracket, so that neither a removal nor a marker can make a tag.
_TAG = later(
    rf"<(?:(?P<close>/)(?P<closed>{_NAMES})[ \t]{{0,4}}>|(?P<name>{_NAMES})(?:[ \t][^<>\n\[\]]{{0,400}})?>)", IGNORECASE
)


def _blocks(text: str) -> list[tuple[int, int | None, str]]:
    """Each opening tag: start, end of its block (None: never closed), name."""
    waiting: dict[str, list[int]] = defaultdict(list)
    ends: dict[int, int] = {}
    last_close: dict[str, tuple[int, int]] = {}
    opened = []
    for match in _TAG.finditer(text):
        if text[match.start() - 1 : match.start()] + text[match.end() : match.end() + 1] == "``":
            continue  # a tag named in code marks, not a block
        name = (match["name"] or match["closed"]).lower()
        if match["close"]:
            last_close[name] = match.span()
            if waiting[name]:
                ends[waiting[name].pop()] = match.end()
        else:
            waiting[name].append(match.start())
            opened.append((match.start(), name))
    blocks = []
    for start, name in opened:
        end = ends.get(start)
        if end is None and name != PRIVATE and last_close.get(name, (-1, 0))[0] > start:
            end = last_close[name][1]
        blocks.append((start, end, name))
    return blocks


def _joint(text: str, start: int, end: int) -> str:
    """What stands where a block was: a line end where a half tag waits for its rest, a space between two words."""
    line = text[max(text.rfind("\n", 0, start) + 1, start - 500) : start]
    if line.rfind("<") > line.rfind(">"):
        return "\n"
    return " " if not text[start - 1 : start].isspace() and not text[end : end + 1].isspace() else ""


def strip(text: str, findings: list[Finding]) -> tuple[str, list[Finding]]:
    """The text without private sections, our own briefs and the blocks that other systems inject; and what went.

    Source: `INJECTED_TAGS`. A private section never closed runs to the end; another block never closed does so where
    it begins a line, else it is only a mention. A tag in code marks is a mention as well.
    """
    if "<" not in text:
        return text, findings
    edits: list[Edit] = []
    done = 0
    blank_since = 0  # the line before this place holds nothing but removed blocks
    for start, end, name in _blocks(text):
        if start < done:
            continue
        line_start = text.rfind("\n", done, start) + 1 or done
        starts_line = not text[line_start:start].strip() and (line_start > done or done == blank_since)
        if end is None and not (name == PRIVATE or starts_line):
            continue  # named in passing
        end = len(text) if end is None else end
        put = _joint(text, start, end) if start > 0 and end < len(text) and start > done else ""
        edits.append(Edit(start, end, put, name, PRIVATE))
        blank_since = end if starts_line or put == "\n" else -1
        done = end
    return splice(text, edits, findings)
