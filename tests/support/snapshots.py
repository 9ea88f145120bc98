"""What a page and a JSON answer say, as text that can be kept and compared line by line.

In: a page's HTML, or the value of a JSON answer. Out: text without what varies. Invariants: headings, links, tables,
forms and their fields stay visible; a list shows its first parts and says how many more there are; what is replaced
is a rule of `VARIES` or `VARYING_FIELDS`, each with its reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from bs4 import BeautifulSoup, NavigableString, Tag
from bs4.element import PreformattedString
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

LISTED = 3
"""Parts of a list on a page that are kept: the others are alike."""

LISTED_IN_JSON = 2
"""The same in JSON, whose parts are longer."""

LONGEST = 400
"""Characters of a line: what the sample says at length is its own matter."""

DIGITS = 2
"""Digits of a fraction that is compared; one of more digits may depend on the processor, by its embeddings."""


class Rule(NamedTuple):
    """What stands in the place of something that varies, and why it varies."""

    name: str
    reason: str
    pattern: re.Pattern[str]
    instead: str


PATH = r"(?<![\w<])/[^\s\"'<>]*"
"""An absolute path, from its first stroke on."""

VARIES = (
    Rule("file", "a test's file is in a new folder each time", re.compile(PATH + r"/sample\.db"), "<FILE>"),
    Rule("backups", "beside the file", re.compile(PATH + "/backups"), "<BACKUPS>"),
    Rule("transcript", "beside the file", re.compile(PATH + r"\.jsonl"), "<TRANSCRIPT>"),
    Rule("recall", "the process that asked is part of a recall's uid", re.compile(r"\br[0-9a-f]{8}\b"), "<RECALL>"),
    Rule("duration", "how busy the machine is", re.compile(r"\b\d[\d,.]* ms\b"), "<N> ms"),
    Rule("durations by day", "the same", re.compile(r"(milliseconds): .*"), r"\1: <N>"),
    Rule(
        "SQL", "Datasette 1.0 answers it at a path of its own", re.compile(r"/sample/-/query(\.\w+)?\?sql="),
        r"/sample\1?sql=",
    ),
    Rule("age", "SQLite's own clock goes on while ours stands", re.compile(r"(oldest: )\d+ days"), r"\1<N> days"),
    Rule("room", "what else is on the disk", re.compile(r"\b[\d,.]+ [kMG]B of disk"), "<N> of disk"),
    Rule("digits", "a score or its part, as in JSON", re.compile(r"(?<![\w.$])\d*\.\d{2,}(?![\w.])"), "<fraction>"),
    Rule("size", "versions of SQLite lay pages out otherwise", re.compile(r"takes [\d,.]+ [kMG]B"), "takes <N>"),
)  # fmt: skip
"""What is another one on another machine or in another run."""

VARYING_FIELDS = re.compile(r"(?:^|_)(?:ms|bytes|age_days)$|^days_open$|^p\d+_height$|^(?:pages|sqlite)$")
"""Fields of JSON that hold a duration, drawn or not, an age by SQLite's own clock, which goes on while ours stands, a
size on disk, or how this version of SQLite lays a file out."""


class OneFileASnapshot(SingleFileSnapshotExtension):
    """A text file for each page, in the folder of its test module."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


def scrubbed(text: str) -> str:
    """A text without what varies."""
    for rule in VARIES:
        text = rule.pattern.sub(rule.instead, text)
    return text


def shortened(line: str) -> str:
    """A line of a length that can be read."""
    return line if len(line) <= LONGEST else f"{line[:LONGEST]} …"


def page_text(page: BeautifulSoup) -> str:
    """A page's main part: a line for each block, links and fields in brackets, rows of tables with bars."""
    main = page.select_one("main")
    assert isinstance(main, Tag)
    return "".join(f"{shortened(scrubbed(line))}\n" for line in PageReader().lines_of(main))


def words_of(element: Tag) -> str:
    """The words of an element, in one line."""
    return " ".join(element.get_text().split())


def field_of(element: Tag) -> str:
    """A field of a form: its name, type and value."""
    given = {name: element.get(name) for name in ("type", "name", "value", "placeholder")}
    if given["name"] == "csrftoken":
        return ""  # of the session
    flags = [name for name in ("checked", "required", "disabled") if element.has_attr(name)]
    return f"[input {' '.join([*(f'{name}={value!r}' for name, value in given.items() if value), *flags])}]"


def choice_of(element: Tag) -> str:
    """A list to choose from: the first options, the chosen one with a star."""
    options = element.select("option")
    named = [f"{words_of(each)}{'*' if each.has_attr('selected') else ''}" for each in options[:LISTED]]
    named += [f"… {len(options) - LISTED} more"] * (len(options) > LISTED)
    return f"[select {element.get('name', '')}: {', '.join(named)}]"


def picture_of(element: Tag) -> str:
    """A picture by its name, and how many links are in it."""
    title = element.select_one("title")
    name = element.get("aria-label") or (words_of(title) if title else "")
    links = len(element.select("a"))
    return f"[picture {name}{f'; {links} links' if links else ''}]"


INLINE: dict[str, Callable[[Tag], str]] = {
    "a": lambda each: f"[{words_of(each)}]({each.get('href', '')})",
    "button": lambda each: f"[button {words_of(each)}{' disabled' if each.has_attr('disabled') else ''}]",
    "input": field_of,
    "select": choice_of,
    "textarea": lambda each: f"[textarea {each.get('name', '')}: {words_of(each)}]",
    "svg": picture_of,
    "canvas": picture_of,
    "br": lambda each: " ",
    "script": lambda each: "",
    "style": lambda each: "",
    "template": lambda each: "",
}
"""What stands in a line, by tag."""

BEFORE: dict[str, Callable[[Tag], str]] = {
    **{f"h{level}": lambda each, level=level: "#" * level + " " for level in range(1, 7)},  # type: ignore[misc]
    "li": lambda each: "- ",
    "dt": lambda each: ": ",
    "summary": lambda each: "> ",
}
"""What a line of such a block begins with."""

BLOCKS = frozenset(
    "p div ul ol li dl dt dd section article aside header footer nav figure figcaption details summary blockquote pre"
    " legend fieldset form table h1 h2 h3 h4 h5 h6 main label caption".split()
)

REPEATED = ("li", "tr", "article", "div")
"""Tags of which only the first are kept where siblings of one class follow each other."""


class PageReader:
    """Walks an element and gathers lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.line = ""

    def lines_of(self, element: Tag) -> list[str]:
        """The lines of what an element holds."""
        self.read_children(element)
        self.end_line()
        return self.lines

    def end_line(self) -> None:
        """Closes the line, if something stands in it."""
        line = re.sub(r" ([.,;:)])", r"\1", " ".join(self.line.split()))
        if line.strip("-:># "):
            self.lines.append(line)
        self.line = ""

    def read_children(self, element: Tag) -> None:
        """All that an element holds; of many alike the first."""
        counts: dict[tuple[str, str], int] = {}
        for child in element.children:
            if isinstance(child, Tag):
                key = (child.name, str(child.get("class", "")))
                counts[key] = counts.get(key, 0) + 1
                if child.name not in REPEATED or counts[key] <= LISTED:
                    self.read(child)
            elif isinstance(child, NavigableString) and not isinstance(child, PreformattedString):
                self.line += child
        for (name, _), count in counts.items():
            if name in REPEATED and count > LISTED:
                self.end_line()
                self.lines.append(f"… {count - LISTED} more")

    def read(self, element: Tag) -> None:
        """One element."""
        if element.name in INLINE:
            self.line += INLINE[element.name](element)
        elif element.name == "tr":
            self.end_line()
            self.lines.append(f"| {' | '.join(cells_of(element))} |")
        elif element.name in BLOCKS:
            self.end_line()
            if element.name == "form":
                self.lines.append(f"form {str(element.get('method', 'get')).upper()} {element.get('action', '')}")
            self.line = BEFORE[element.name](element) if element.name in BEFORE else ""
            self.read_children(element)
            self.end_line()
            if element.name == "form":
                self.lines.append("end of form")
        else:
            self.read_children(element)
            self.line += " "


def cells_of(row: Tag) -> list[str]:
    """What the cells of a row say; a number in a column of milliseconds varies."""
    table = row.find_parent("table")
    heads = [words_of(cell) for cell in table.select("thead th")] if table else []
    cells = [" / ".join(PageReader().lines_of(cell)) for cell in row.find_all(["td", "th"], recursive=False)]
    return [
        "<N>" if len(heads) == len(cells) and heads[number] == "ms" and cell.strip().isdigit() else cell
        for number, cell in enumerate(cells)
    ]


def json_text(value: Any) -> str:
    """JSON as indented text; of a list the first parts and those of other fields."""
    return json.dumps(thinned(value), indent=1, ensure_ascii=False) + "\n"


def thinned(value: Any, name: str = "") -> Any:
    """A value without what varies, and of a list only what tells something new."""
    if isinstance(value, dict):
        return {key: thinned(each, key) for key, each in value.items()}
    if isinstance(value, list):
        kept = [each for number, each in enumerate(value) if number < LISTED_IN_JSON or is_new(each, value[:number])]
        more = [f"… {len(value) - len(kept)} more"] * (len(value) > len(kept))
        return [*(thinned(each, name) for each in kept), *more]
    if value is not None and VARYING_FIELDS.search(name):
        return f"<{type(value).__name__}>"
    if isinstance(value, float):
        return value if value == round(value, DIGITS) else "<fraction>"
    return shortened(scrubbed(value)) if isinstance(value, str) else value


def is_new(part: Any, earlier: list[Any]) -> bool:
    """Whether a part of a list has fields that no earlier one has."""
    return isinstance(part, dict) and not part.keys() <= {key for each in earlier for key in each}
