"""What the folders of a project are, as far as its README draws them or its packages say.

In: a tree drawn in a README, the metadata of packages. Out: `FileFact`s. Pure. Invariant: a folder that nobody
describes is none: an agent can list folders itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from memory_db.extract.files.facts import FileFact

BRANCH = re.compile(
    r"^\s*(?P<bars>(?:[│|]\s*)*)(?:[├└]─*|\|--|`--|\+--)\s*(?P<name>[\w.@/-]+)\s*(?:#|//|<-+|←|[-–—:]|\s{2,})\s*(?P<what>\w.*\S)\s*$"
)
"""A line of a drawn tree: the folder and what is said of it."""

PLAIN_BRANCH = re.compile(
    r"^(?P<name>\.?[\w@-]+(?:/[\w@.-]+)*/)\s+(?:#|<-+|←|[-–—:]|\s)\s*(?P<what>[A-Za-z]\w*.*\S)\s*$"
)
"""The same without lines, in a code block: `src/   the application`."""

ROW = re.compile(r"^\s*\|\s*`(?P<name>\.?[\w@.-]+(?:/[\w@.*-]*)*)`\s*\|\s*(?P<what>[^|]*\w[^|]*?)\s*\|")
"""A row of a table whose first cell is a folder."""

FENCE = re.compile(r"^\s*(?:```|~~~)")
MOST_FOLDERS = 20
MOST_CHARACTERS = 160


def layout_facts(text: str, path: str, is_there: Callable[[str], bool]) -> Iterator[FileFact]:
    """The folders that a README describes in a tree or a table; `is_there` tells of a path whether it exists."""
    found: set[str] = set()
    is_block = False
    for number, line in enumerate(text.split("\n"), 1):
        if FENCE.match(line):
            is_block = not is_block
            continue
        match = BRANCH.match(line) or (PLAIN_BRANCH.match(line) if is_block else ROW.match(line))
        if match is None or ("bars" in match.groupdict() and match["bars"].strip()):
            continue
        name = match["name"].rstrip("/")
        if name in found or len(match["what"]) > MOST_CHARACTERS or len(found) >= MOST_FOLDERS or not is_there(name):
            continue
        found.add(name)
        yield folder_fact(path, number, line.strip(), match["name"], match["what"])


def folder_fact(path: str, line: int, quote: str, name: str, what: str) -> FileFact:
    """A folder and what it is, as a fact."""
    told = what.strip(" .")
    told = told[0].lower() + told[1:] if told.startswith(("The ", "A ", "An ", "All ", "Our ")) else told
    shown = name if name.endswith("/") or "." in name.rpartition("/")[2] else f"{name}/"
    return FileFact(path, line, quote, f"`{shown}`: {told}.", "structure", "layout", title=f"What is in {shown}"[:60],
                    paths=(shown,))  # fmt: skip


def package_folder(path: str, line: int, quote: str, description: str, taken: Collection[str]) -> FileFact | None:
    """The folder of a package below the top, by the description in its metadata; None where the README says more."""
    folder = path.rpartition("/")[0]
    if not folder or folder in taken or len(description.split()) < 2 or len(description) > MOST_CHARACTERS:
        return None
    return folder_fact(path, line, quote, f"{folder}/", description)
