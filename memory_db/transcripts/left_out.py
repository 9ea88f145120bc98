"""Transcripts that are not read though they could be: of our own questions, and of folders to be left alone.

In: the path of a transcript. Out: why it is left out, and its row that says so. Invariants: no text of it is kept; what
is left out is asked again at each import, so that it is read once nothing speaks against it.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection
from datetime import datetime
from pathlib import Path

from memory_db.store.ignored import IGNORED_SOURCE, MARKER, why_ignored
from memory_db.store.own_agent import OWN_FOLDER
from memory_db.transcripts.sources import note_unreadable
from memory_db.transcripts.writer import ImportCounts

OWN_SESSION = "a session in which memory-db itself asked an agent's program as a model"
"""Why a transcript is not read that Claude Code kept of our own question: it repeats what other sessions said."""

IGNORED_FILE = f"{IGNORED_SOURCE}{{place}} is in its folder"
IGNORED_PLACE = f"{IGNORED_SOURCE}`memory-db project unignore {{place}}` has it read"
"""Why a transcript is not read whose session was in a folder that is to be left alone."""

FOLDER_OF_SESSION = re.compile(rb'"cwd":\s*"([^"]*)"')
"""The folder that a record names. Within a text of a transcript the quotes are escaped, so only a field matches."""

MOST_OF_FOLDER = 5_000
"""Bytes that are looked at twice, so that a folder's name between two blocks is found. Source: the longest path of
Linux has 4,096."""

HEAD_BYTES = 2**20
"""How far into a transcript its folder is looked for. Source: ours; a question with its portion is a tenth of that."""


def is_own_session(path: Path) -> bool:
    """Whether a transcript is of a session that began in the folder where memory-db asks agents' programs.

    Raises: OSError where it cannot be opened.
    """
    with path.open("rb") as handle:
        found = FOLDER_OF_SESSION.search(handle.read(HEAD_BYTES))
    return found is not None and re.split(rb"[/\\]", found[1])[-1] == OWN_FOLDER.encode()


def ignored_place(path: Path, ignored: Collection[str]) -> str:
    """The folder or file for whose sake a transcript is not read: one of its records was made there; '' for none.

    Raises: OSError where it cannot be opened.
    """
    folders: set[bytes] = set()
    with path.open("rb") as handle:
        before = b""
        while block := handle.read(HEAD_BYTES):
            folders.update(FOLDER_OF_SESSION.findall(before + block))
            before = block[-MOST_OF_FOLDER:]
    told = (folder.replace(rb"\\\\", rb"\\").decode("utf-8", "replace") for folder in sorted(folders))
    return next((place for folder in told if (place := why_ignored(folder, ignored))), "")


def note_ignored(
    db: sqlite3.Connection, path: Path, format_name: str, place: str, counts: ImportCounts, now: datetime
) -> None:
    """Keeps a row for a file of an ignored project; it is read by the first import after it is not ignored any more."""
    reason = (IGNORED_FILE if place.endswith(MARKER) else IGNORED_PLACE).format(place=place)
    note_unreadable(db, path, format_name, reason, counts, now)
    counts.files_unreadable -= 1
    counts.files_ignored += 1
