"""Links in folders that are read: what leads out of one is not followed.

In: a path, and the folder below which it was found. Out: the link that leads out. Invariant: the folder itself may be a
link, and so may whatever leads to a place within it; a path that somebody named is no matter of this.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import os

LEADS_OUT = "a link that leads out of the folder, which is not followed"
"""Why such a file is not read; `state_reason` of its row."""


def link_out(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> str | None:
    """The first link on the way from a folder to a path below it that leads out of the folder; None where none does."""
    top, found = os.path.realpath(folder), os.fspath(path)
    if is_within(os.path.realpath(found), top):
        return None
    way = [found]
    while len(way[-1]) > len(os.fspath(folder)):
        way.append(os.path.dirname(way[-1]))
    return next((step for step in reversed(way) if not is_within(os.path.realpath(step), top)), found)


def is_within(path: str, folder: str) -> bool:
    """Whether a real path is that of a folder, or of something below it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
