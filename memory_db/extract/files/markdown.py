"""Markdown as items: each bullet or paragraph with its line and the headings above it.

In: the text of a file. Out: `MarkdownItem`s in order. Pure. Invariants: an item's quote is verbatim lines of the text;
code blocks, tables, comments, badges and front matter are no items; a bullet below one that ends in a colon knows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

FENCE = re.compile(r"^\s*(```|~~~)")
HEADING = re.compile(r"^ {0,3}(?P<marks>#{1,6})\s+(?P<title>.*?)\s*#*\s*$")
UNDERLINE = re.compile(r"^ {0,3}(?:={3,}|-{3,})\s*$")
BULLET = re.compile(r"^(?P<indent>\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?P<text>\S.*)$")
NOTHING = re.compile(r"^\s*(?:$|\||>|<|!\[|\[!\[|\[[^\]]+\]:|(?:[-*_]\s*){3,}$|={3,}\s*$|@[\w./~-]+\s*$)")
"""Lines that are blank, tables, quotations, HTML, badges, link targets, rules and imports of other files."""

COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
BOLD_HEADING = re.compile(r"^\s*(?:\*\*|__)(?P<title>[^*_]{2,60}?):?(?:\*\*|__):?\s*$")
PICTURE = re.compile(r"!\[[^\]]*\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
LINK = re.compile(r"!?\[([^\]]*)\]\((?:[^()\s]|\([^)]*\))*(?:\s+\"[^\"]*\")?\)")
EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1|(?<![\w*])([*_])(?=[^\s*_])([^*_\n]+?)(?<=\S)\3(?![\w*])")
CODE = re.compile(r"(`[^`\n]+`)")
BOX = re.compile(r"^\[[ xX]\]\s+")
PICTURES = re.compile(r"^[^\w\s`\"'(\[*_./~$@-]+\s*")
"""Emoji and marks before the first word."""


@dataclass(slots=True)
class MarkdownItem:
    """A bullet or a paragraph: its first line, its verbatim lines, its words on one line, the headings above it."""

    line: int
    quote: str
    text: str
    headings: tuple[str, ...]
    is_bullet: bool
    is_task: bool = False
    indent: int = 0
    under: str = ""
    lines: list[str] = field(default_factory=list, repr=False)


def items(text: str) -> Iterator[MarkdownItem]:
    """The bullets and paragraphs of a Markdown text, in order."""
    headings: list[tuple[int, str]] = []
    bullets: list[MarkdownItem] = []
    current: MarkdownItem | None = None
    for number, line, following in prose_lines(text):
        heading = heading_of(line, following)
        bullet = BULLET.match(line)
        if heading is not None or bullet or NOTHING.match(line):
            if current is not None:
                yield finished(current)
            current = None
        if heading is not None:
            level, title = heading
            headings = [each for each in headings if each[0] < level] + ([(level, plain(title))] if title else [])
            bullets = []
        elif bullet:
            indent = len(bullet["indent"].expandtabs(4))
            bullets = [each for each in bullets if each.indent < indent]
            current = MarkdownItem(number, "", "", titles(headings), True, indent=indent, lines=[line])
            current.under = above(bullets)
            bullets.append(current)
        elif not NOTHING.match(line):
            if current is None:
                current = MarkdownItem(number, "", "", titles(headings), False)
                if not line.startswith((" ", "\t")):
                    bullets = []
            current.lines.append(line)
            if not current.is_bullet and line.rstrip().endswith(":"):
                bullets = [current]
                current.indent = -1
    if current is not None:
        yield finished(current)


def prose_lines(text: str) -> Iterator[tuple[int, str, str]]:
    """Lines outside of code blocks, comments and front matter, with their number and the line that follows."""
    blanked = COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    lines = blanked.split("\n")
    fence = ""
    is_front = lines[0].strip() == "---"
    for number, line in enumerate(lines, 1):
        if is_front:
            is_front = number == 1 or line.strip() != "---"
            continue
        mark = FENCE.match(line)
        if mark:
            fence = "" if fence == mark[1] else fence or mark[1]
            yield number, "", ""
        elif fence:
            continue
        else:
            yield number, line, lines[number] if number < len(lines) else ""


def heading_of(line: str, following: str) -> tuple[int, str] | None:
    """The level and the words of a heading; a line of `===` below one is a heading without words."""
    if found := HEADING.match(line):
        return len(found["marks"]), found["title"]
    if bold := BOLD_HEADING.match(line):
        return 7, bold["title"]
    if UNDERLINE.match(following) and line.strip() and not BULLET.match(line) and not NOTHING.match(line):
        return (1 if following.strip().startswith("=") else 2), line.strip()
    return None


def titles(headings: list[tuple[int, str]]) -> tuple[str, ...]:
    """The words of headings, the outermost first."""
    return tuple(title for _, title in headings)


def above(bullets: list[MarkdownItem]) -> str:
    """What the bullets and the line above say, where it ends in a colon or is short: the item below needs it."""
    if not bullets:
        return ""
    text = plain(" ".join(BULLET.sub(r"\g<text>", line).strip() for line in bullets[-1].lines))
    return text.rstrip(":").rstrip() if text.endswith(":") or len(text.split()) <= 4 else ""


def finished(item: MarkdownItem) -> MarkdownItem:
    """An item with its words, once all of its lines are there."""
    item.quote = "\n".join(item.lines).strip()
    words = " ".join(line.strip() for line in item.lines)
    found = BULLET.match(words)
    words = found["text"] if found and item.is_bullet else words
    item.is_task = BOX.match(words) is not None
    item.text = plain(BOX.sub("", words))
    return item


def plain(words: str) -> str:
    """Words without the marks of Markdown: no emphasis, links as their words, no emoji in front."""
    words = LINK.sub(lambda found: found[1], PICTURE.sub("", words))
    parts = CODE.split(words)
    for _ in range(2):
        parts[::2] = [EMPHASIS.sub(lambda found: found[2] or found[4], part) for part in parts[::2]]
    words = "".join(parts)
    if "`" in words:  # what is emphasised may hold code
        words = re.sub(r"(\*\*|__)(?=\S)([^*_]*`[^`]*`[^*_]*)(?<=\S)\1", r"\2", words)
    return " ".join(PICTURES.sub("", words).split())
