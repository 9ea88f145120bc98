"""Where commands and views are written, as tables for docs/architecture.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from generate import code, table

from memory_db.cli.group import COMMANDS
from memory_db.cli.lazy import LazyGroup
from memory_db.store import schema

CREATED_VIEW = re.compile(r"^create view (\w+)", re.MULTILINE)


def command_modules() -> str:
    """Which module of cli/ holds which commands."""
    held: dict[str, list[str]] = {}
    for words, place in command_places(COMMANDS):
        held.setdefault(place.partition(":")[0].replace(".", "/"), []).append(code(words))
    link = "[cli/{0}.py](../memory_db/cli/{0}.py)"
    return table(("Module", "Commands"), [(link.format(name), ", ".join(held[name])) for name in sorted(held)])


def command_places(tree: Mapping[str, str | LazyGroup], before: str = "") -> Iterator[tuple[str, str]]:
    """The words of each command with the place that it is loaded from."""
    for word, found in tree.items():
        if isinstance(found, str):
            yield before + word, found
        else:
            yield from command_places(found.places, f"{before}{word} ")


def view_files() -> str:
    """Which file of store/views/ creates which views."""
    rows = [
        (f"[{path.name}](../memory_db/store/views/{path.name})", ", ".join(map(code, CREATED_VIEW.findall(text))))
        for path in sorted((Path(schema.__file__).parent / "views").glob("*.sql"))
        if (text := path.read_text("utf-8"))
    ]
    return table(("File", "Views"), rows)
