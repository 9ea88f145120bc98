"""A page as one file of HTML, to hand to somebody who cannot reach the server.

In: a page of ours that was answered. Out: the same as an attachment. Invariants: it opens without a server and loads
nothing; what only works with one (the menu, forms, scripts, links to other pages) is not in it, the words are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
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

MARKED = frozenset(("skip", "share", "judging", "weights", "to-about", "with-server"))
"""Classes of elements of ours that do."""

EMPTY = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
"""Elements without an end. Source: the HTML standard, void elements."""

NOTE = '<p class="quiet small">A copy of a page of memory-db, made on {day}. Its links lead only within this page.</p>'


class Copier(Copying):
    """Gives a page back as one that needs no server; `styles` has the text of each style sheet by its address."""

    def __init__(self, styles: Mapping[str, str], day: str) -> None:
        super().__init__()
        self.styles, self.note = styles, NOTE.format(day=day)
        self.dropped, self.depth, self.is_inside = "", 0, False

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
        elif tag not in ("input", "base"):
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
        if not (given.get("href") or "#").startswith("#"):
            del given["href"]
        return tag_of(tag, given, (self.get_starttag_text() or "").endswith("/>"))

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

    def add(self, text: str) -> None:
        """Keeps a piece of the page, if it is in nothing that is dropped."""
        if not self.dropped:
            self.parts.append(text)


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
