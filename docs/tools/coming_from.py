"""Where the parts of four other memory systems are here, as Markdown.

In: docs/coming_from.yml, which names each part with a place or a reason. Out: the sections of docs/coming-from.md, the
same at every call; the tests look whether every place answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml
from generate import table

from memory_db.pages.web.serve import METADATA

SOURCE = METADATA.parent / "docs" / "coming_from.yml"

WORDS = {
    "command": "`memory-db {}`",
    "page": "`{}`",
    "send": "POST `{}`",
    "query": "ready question [`{0}`](questions.md)",
    "view": "view [`{0}`](schema.md#{0})",
    "table": "table [`{0}`](schema.md#{0})",
    "tool": "MCP tool `{}`",
    "hook": "hook `{}`",
    "slash": "`/mem:{}`",
    "setting": "setting `{}`",
    "variable": "variable `{}`",
    "make": "`make {}`",
    "profile": "profile `{}`",
    "doc": "[{0}]({0})",
}
"""How a place of each sort is written."""

EXAMPLES = {"{memory}": "UID", "{session}": "UID", "{recall}": "UID", "{database}": "memory"}
"""What stands on the page for the parts of a path that differ from file to file."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Where something is: its sort, one of `WORDS`, and its name there."""

    sort: str
    name: str

    def markdown(self) -> str:
        """The place as the page writes it."""
        name = self.name.removeprefix("docs/")
        for part, example in EXAMPLES.items():
            name = name.replace(part, example)
        return WORDS[self.sort].format(name)


def systems() -> list[dict[str, Any]]:
    """The systems as the file has them."""
    found: list[dict[str, Any]] = yaml.safe_load(SOURCE.read_text("utf-8"))["systems"]
    return found


def places(row: dict[str, Any]) -> list[Reference]:
    """The places of one part of a system; none for what is not here."""
    pairs = (str(text).partition(" ") for text in row.get("here", ()))
    return [Reference(sort, name) for sort, _, name in pairs]


def page() -> str:
    """A section for each system: how its data comes over, and a table for each sort of parts."""
    return "".join(section(system) for system in systems()) + "\n"


def section(system: dict[str, Any]) -> str:
    """One system."""
    data = "".join(f"- {text}\n" for text in system["data"])
    parts = [f"\n## {system['name']}\n\n{system['about']}\n\n### Bringing data over from {system['name']}\n\n{data}"]
    for title, names in system["names"].items():
        rows = [row_of(name, system["rows"][title][name]) for name in names]
        columns = (title, "Here", "Note")
        parts.append(f"\n### {title} of {system['name']}\n{table(columns, rows).rstrip()}\n")
    return "".join(parts)


def row_of(name: str, row: dict[str, Any]) -> tuple[str, str, str]:
    """A part, where it is, and what there is to say of it."""
    if "not" in row:
        return f"`{name}`", "not here", row["not"]
    return f"`{name}`", ", ".join(place.markdown() for place in places(row)), row.get("note", "")
