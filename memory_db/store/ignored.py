"""Folders that a person wants left alone: nothing below them is read, answered or sent.

In: a file, and folders as agents name them. Out: why a folder is ignored, and the list of those that are. Invariants:
the standard library alone, since every hook asks; a folder is ignored with all that is below it; a worktree of a
repository is ignored with the repository; what cannot be looked at on this disk goes by its path alone.
"""

from __future__ import annotations

import os

from memory_db.store.connection import rows_there
from memory_db.store.json_text import dumps, loads

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterator

SETTING = "ignored_folders"
"""The row of `settings` that holds the folders, as a JSON list; it is changed by `memory-db project ignore` alone."""

MARKER = ".memory-db-ignore"
"""A file of this name says that its folder is ignored, whatever the settings say."""

IGNORED = "an ignored project"
"""Why a hook did nothing."""

IGNORED_SOURCE = "ignored: "
"""How the reason begins of a source that is not read for that."""

POINTER_BYTES = 4_096
"""How much of a worktree's `.git` file is read; it holds one path."""


def ignored_folders(db: sqlite3.Connection) -> list[str]:
    """The folders that a person named, sorted; none where the row is not there or holds something else."""
    rows = rows_there(db, "select value from settings where name = ?", [SETTING])
    try:
        found = loads(rows[0][0]) if rows else []
    except ValueError:
        return []
    return sorted(each for each in found if isinstance(each, str)) if isinstance(found, list) else []


def put_ignored(db: sqlite3.Connection, folders: Collection[str], moment: str) -> None:
    """Writes down the folders that are ignored, as of a moment (UTC text); within the caller's transaction."""
    db.execute(
        "insert into settings (name, value, changed_at) values (?, ?, ?)"
        " on conflict (name) do update set value = excluded.value, changed_at = excluded.changed_at"
        " where value <> excluded.value",
        [SETTING, dumps(sorted(set(folders)), ensure_ascii=False), moment],
    )


def why_ignored(folder: str, ignored: Collection[str]) -> str:
    """Which folder or file says that a folder is ignored; '' where none does."""
    if not folder:
        return ""
    for place in places_of(folder):
        if place in ignored:
            return place
        marker = f"{place.rstrip('/')}/{MARKER}"
        try:
            if os.path.lexists(marker):
                return marker
        except ValueError:  # a folder with a character that no path has
            return ""
    return ""


def is_ignored(db: sqlite3.Connection, *folders: str) -> bool:
    """Whether any of these folders is to be left alone."""
    ignored = ignored_folders(db)
    return any(why_ignored(folder, ignored) for folder in folders)


def places_of(folder: str) -> Iterator[str]:
    """A folder and those above it, and of a worktree also those of the repository that it belongs to."""
    main = ""
    for place in above(folder):
        yield place
        main = main or main_repository(place)
    if main:
        yield from above(main)


def above(folder: str) -> Iterator[str]:
    """A folder and those above it; by the rules of the system that it comes from."""
    place = folder.rstrip("/\\") or folder[:1]
    while place:
        yield place
        cut = max(place.rfind("/"), place.rfind("\\"))
        place = place[:cut] if cut > 0 else ("/" if cut == 0 and place != "/" else "")


def main_repository(top: str) -> str:
    """The top of the repository whose worktree begins at `top`; '' where none does."""
    try:
        with open(f"{top}/.git", encoding="utf-8", errors="replace") as pointer:  # noqa: PTH123  # start-up
            said = pointer.read(POINTER_BYTES)
    except (OSError, ValueError):
        return ""
    target = said.strip().removeprefix("gitdir:").strip()
    whole = target if target.startswith("/") or target[1:2] == ":" else f"{top}/{target}"
    head, found, _ = os.path.normpath(whole).partition(f"{os.sep}.git{os.sep}")
    return head if found else ""
