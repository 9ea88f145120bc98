"""A page as one file of HTML, to hand to somebody who cannot reach the server.

In: a page of ours that was answered. Out: the same as an attachment. Invariants: it opens without a server and loads
nothing; what only works with one (the menu, forms, scripts, links to other pages) is not in it, the words are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from memory_db.pages.web import compat
from memory_db.pages.web.copying import Copying, tag_of

FIELD = "as_file"
"""The field of an address that asks for it."""

DROPPED = frozenset(("nav", "form", "script", "button"))
"""Elements that need the server, or lead through it."""

AROUND = frozenset(("header", "footer"))
"""Elements that do outside of what the page is about; within it they belong to a part of it."""

MARKED = frozenset(("skip", "share", "judging", "weights", "to-about", "to-facets", "suggestions", "with-server"))
"""Classes of elements of ours that do."""

EMPTY = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
"""Elements without an end. Source: the HTML standard, void elements."""

FOR_PROGRAMS = (".json", ".csv", ".ipynb")
"""How the paths of links end that a reader of the file has no use for."""

FEW_LETTERS = 24
"""A small paragraph that leads to forms for programs and says no more than this beside its links goes with them."""

NOTE = '<p class="quiet small">A copy of a page of memory-db, made on {day}. Its links lead only within this page.</p>'


@dataclass(slots=True)
class Small:
    """A small paragraph: where it starts among the parts, and what it has: letters beside links, and what links."""

    start: int
    letters: int = 0
    is_in_link: bool = False
    has_links: bool = False
    is_for_programs: bool = False

    def says_nothing(self) -> bool:
        """Whether nothing is said in it but where its links led."""
        most = FEW_LETTERS if self.is_for_programs else 0
        return (self.has_links or self.is_for_programs) and self.letters <= most


class Copier(Copying):
    """Gives a page back as one that needs no server; `styles` has the text of each style sheet by its address."""

    def __init__(self, styles: Mapping[str, str], day: str) -> None:
        super().__init__()
        self.styles, self.note = styles, NOTE.format(day=day)
        self.dropped, self.depth, self.is_inside = "", 0, False
        self.small: Small | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if self.dropped:
            self.depth += tag == self.dropped
        elif tag == "link":
            if style := self.styles.get(given.get("href") or ""):
                self.parts.append(f"<style>{style}</style>")
        elif self.is_dropped(tag, given):
            if tag not in EMPTY:
                self.dropped, self.depth = tag, 1
        elif tag == "a" and urlsplit(given.get("href") or "").path.endswith(FOR_PROGRAMS):
            self.dropped, self.depth = tag, 1
            self.leave_out_mark()
        elif tag not in ("input", "base"):
            if tag == "p" and "small" in (classes := (given.get("class") or "").split()) and "chosen" not in classes:
                self.small = Small(len(self.parts))
            elif tag == "a" and self.small and self.leads_elsewhere(given):
                self.small.is_in_link = self.small.has_links = True
            self.parts.append(self.kept(tag, given))
            if tag == "main":
                self.is_inside = True
                self.parts.append(self.note)

    def is_dropped(self, tag: str, given: dict[str, str | None]) -> bool:
        """Whether an element goes with all that is in it."""
        if tag in DROPPED or (tag in AROUND and not self.is_inside):
            return True
        return bool(MARKED & set((given.get("class") or "").split()))

    def kept(self, tag: str, given: dict[str, str | None]) -> str:
        """A tag without what leads elsewhere."""
        if self.leads_elsewhere(given):
            del given["href"]
            given.pop("title", None)
        return tag_of(tag, given, (self.get_starttag_text() or "").endswith("/>"))

    def leads_elsewhere(self, given: Mapping[str, str | None]) -> bool:
        """Whether a tag leads out of the page."""
        return not (given.get("href") or "#").startswith("#")

    def leave_out_mark(self) -> None:
        """Takes off the mark between links, before one that goes."""
        if self.parts:
            self.parts[-1] = re.sub(r"\s*·\s*$", " ", self.parts[-1])
        if self.small:
            self.small.is_for_programs = True

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self.dropped and tag not in DROPPED:
            self.parts.append(self.kept(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if self.dropped:
            self.depth -= tag == self.dropped
            self.dropped = self.dropped if self.depth else ""
        else:
            self.is_inside = self.is_inside and tag != "main"
            self.parts.append(f"</{tag}>")
            if self.small and tag == "a":
                self.small.is_in_link = False
            elif self.small and tag == "p":
                if self.small.says_nothing():
                    del self.parts[self.small.start :]
                self.small = None

    def add(self, text: str) -> None:
        """Keeps a piece of the page, if it is in nothing that is dropped."""
        if not self.dropped:
            self.parts.append(text)
            if self.small and not self.small.is_in_link:
                self.small.letters += sum(map(str.isalpha, text))


STYLE_SHEET = re.compile(r'<link rel="stylesheet" href="([^"]+)"')


async def as_file(datasette: Any, request: Any, response: Any, *, now: datetime) -> Any:
    """A page that was answered, as an attachment that is named after its path."""
    html = response.body if isinstance(response.body, str) else response.body.decode()
    who = {"authorization": request.headers["authorization"]} if "authorization" in request.headers else {}
    styles = {}
    for address in dict.fromkeys(STYLE_SHEET.findall(html)):
        path = urlsplit(address).path.removeprefix(datasette.setting("base_url").rstrip("/"))
        answer = await datasette.client.get(path, cookies=request.cookies, headers=who)
        if answer.status_code == 200:
            styles[address] = answer.text
    copier = Copier(styles, f"{now:%Y-%m-%d}")
    copier.feed(html)
    copier.close()
    name = re.sub(r"[^A-Za-z0-9]+", "-", request.path.removeprefix("/-/memory")).strip("-") or "home"
    headers = {"content-disposition": f'attachment; filename="{name}-{now:%Y-%m-%d}.html"', "cache-control": "no-store"}
    return compat.html_file("".join(copier.parts), headers=headers)
