"""Pages of HTML that are given back with some of it changed or left out.

In: a page, piece by piece, as the parser of the standard library reads it. Out: its parts. Invariant: what a copy does
not handle itself comes back as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from html.parser import HTMLParser


class Copying(HTMLParser):
    """Keeps every piece of a page but its tags, which a copy handles itself."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.parts: list[str] = []

    def add(self, text: str) -> None:
        """Keeps a piece of the page."""
        self.parts.append(text)

    def handle_data(self, data: str) -> None:
        self.add(data)

    def handle_entityref(self, name: str) -> None:
        self.add(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.add(f"&#{name};")

    def handle_decl(self, decl: str) -> None:
        self.add(f"<!{decl}>")


def tag_of(tag: str, attrs: Mapping[str, str | None], is_closed: bool) -> str:
    """A tag with these attributes."""
    written = "".join(f" {name}" if value is None else f' {name}="{escape(value)}"' for name, value in attrs.items())
    return f"<{tag}{written}{'/' if is_closed else ''}>"
