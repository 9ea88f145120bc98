"""How a text names a project other than its own: by a path, by its name, or by what both have.

In: a text, and names and paths of projects. Out: the literal by which it names one; names of data files and hosts in
it. Pure: no database, no clock; linear in the length of the text.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import re

from memory_db.records import later

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Iterable

SHORTEST_NAME = 4
"""Letters of the shortest name that means a project. Source: ours; shorter ones are words."""

ORDINARY = frozenset(
    "admin backend client code common core data demo docs example frontend home infra main mobile notes project scripts"
    " server shared site test tests tools website work".split()
)
"""Names that mean a project only beside a word that says so: they are what many projects have. Source: ours."""

WORD_LIKE = r"(?<![\w-]){}(?![\w-])"
"""A name that is no part of a longer one: `kiln` does not stand in `kiln-ops`."""

WITHIN_PATH = r"(?:[\w.~-]*/)+{}(?:/[\w.-]+)+"
"""A name that is a folder of a path which goes on: `/opt/kiln/kiln/store.py`, `../kiln/store.py`."""

SHARED = later(
    r"(?<![\w/.@-])(?:[\w.-]+/)*(?P<file>[a-z0-9][\w-]{2,40}\.(?:db|sqlite3?|csv|tsv|jsonl|parquet|xlsx|sock|proto"
    r"|bin|dat))(?![\w.-])"
    r"|(?<![\w/.@-])(?P<host>[a-z][a-z0-9-]{1,40}(?:\.[a-z0-9-]{2,40}){0,3}\.(?:example|internal|local|lan|corp|home"
    r"|intra|test))(?![\w-])"
)
"""Files that hold data, and hosts of one's own: what belongs to few projects and is read by more than one."""

ORDINARY_FILES = frozenset(
    "data.csv data.db database.db db.sqlite db.sqlite3 example.csv input.csv output.csv test.csv test.db test.sqlite"
    " sample.csv app.db dev.db local.db results.csv out.csv cache.db".split()
)
"""Names that the data files of any project have. Source: ours."""


def name_in_text(name: str, text: str) -> str:
    """The name as it stands in a text as a word, or nothing; both in lower case."""
    found = re.search(WORD_LIKE.format(re.escape(name)), text) if name in text else None
    return found[0] if found else ""


def path_in_text(name: str, folders: Iterable[str], text: str) -> str:
    """The path in a text that leads into a project: its own folder, or one of its name that goes on; in lower case."""
    for folder in folders:
        if folder in text and (found := re.search(rf"{re.escape(folder)}(?![\w-])(?:/[\w.-]+)*", text)):
            return found[0]
    if f"/{name}/" not in text:
        return ""
    found = re.search(WITHIN_PATH.format(re.escape(name)), text)
    return found[0] if found else ""


def shared_names(text: str) -> set[str]:
    """Names of data files and of hosts of one's own that a text in lower case has."""
    found = {match["file"] or match["host"] for match in SHARED.finditer(text)}
    return found - ORDINARY_FILES
