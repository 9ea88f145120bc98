"""A document of ours in a file of the user's, such as CLAUDE.md: a marked block, and nothing but that block.

In: a path and a document. Out: `FileChange`: the file as it would be, with a diff to look at; and, once somebody
agreed, the file itself with its former state beside it. Invariants: every byte outside the block stays as it is;
writing the same again changes nothing; a block is known to importers as ours, so that memory does not learn from its
own echo.
"""

from __future__ import annotations

import difflib
import os
import re
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from memory_db.errors import ConflictError, InputError

TAG = "memory-portrait"
"""The tag around a block, one of `redact_rules.INJECTED_TAGS`: what stands in it never becomes an entry."""

OPENING = '<!-- <{tag} of="{name}"> Made by memory-db from what is remembered; edits in this block are overwritten. -->'
CLOSING = "<!-- </{tag}> -->"

LARGEST_BYTES = 4 * 1024 * 1024

BACKUP_ENDING = ".before-memory-db"


@dataclass(slots=True, frozen=True)
class FileChange:
    """A file before (None: there is none) and after, as bytes; `path` is the real one, whatever links lead to it."""

    path: Path
    before: bytes | None
    after: bytes

    @property
    def is_change(self) -> bool:
        """Whether anything would be written."""
        return self.before != self.after

    def diff(self) -> str:
        """The change as a unified diff, empty where there is none."""
        old, new = ((data or b"").decode().splitlines(keepends=True) for data in (self.before, self.after))
        lines = difflib.unified_diff(old, new, "as it is", "as it would be")
        return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def planned(path: Path, document: str, name: str) -> FileChange:
    """What a file would be with a document in the block of that name; a file that is missing is made of the block.

    Raises: InputError for what is no text file of a usual size, whose folder is missing, or that a link leads to from
    another folder; and where the marks of the block are not one pair.
    """
    real = real_path(path)
    before = read(real) if real.exists() else None
    text = (before or b"").decode()
    safe = re.sub(r"[^\w .-]", "-", name)[:80]
    opening, closing = OPENING.format(tag=TAG, name=safe), CLOSING.format(tag=TAG)
    found = list(re.finditer(rf'<!-- <{TAG} of="{re.escape(safe)}">[^\r\n]*-->', text))
    place = text[found[0].end() :] if found else text
    ending = "\r\n" if (place.startswith("\r\n") if found else "\r\n" in text) else "\n"
    block = ending.join([opening, *document.strip("\n").split("\n"), closing])
    if not found:
        gap = "" if not text else ending if text.endswith("\n") else ending * 2
        return FileChange(real, before, f"{text}{gap}{block}{ending}".encode())
    end = text.find(closing, found[0].end())
    nested = text.find(f"<!-- <{TAG} ", found[0].end())
    if len(found) > 1 or end < 0 or 0 <= nested < end:
        raise InputError(f"The marks of memory-db in {path} are not one pair. Remove them by hand, then write again.")
    return FileChange(real, before, f"{text[: found[0].start()]}{block}{text[end + len(closing) :]}".encode())


def real_path(path: Path) -> Path:
    """Where a file really is. A link may lead to another name in its folder, and nowhere else. Raises: InputError."""
    folder = path.parent.resolve()
    if not folder.is_dir():
        raise InputError(f"There is no folder {path.parent}. Make it, or name another file.")
    real = (folder / path.name).resolve()
    if real.parent != folder:
        raise InputError(f"{path} is a link to {real}. Name that file itself if it is meant.")
    if real.exists() and not real.is_file():
        raise InputError(f"{path} is not a file. Name a text file.")
    return real


def read(path: Path) -> bytes:
    """The bytes of a text file. Raises: InputError."""
    data = path.read_bytes() if path.stat().st_size <= LARGEST_BYTES else b""
    if path.stat().st_size > LARGEST_BYTES:
        raise InputError(f"{path} is larger than {LARGEST_BYTES // 1024 // 1024} MiB. Name a smaller file.")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text. Nothing was changed.") from error
    if "\0" in text:
        raise InputError(f"{path} is not a text file. Nothing was changed.")
    return data


def write(change: FileChange) -> Path | None:
    """Writes a planned change, all of it or nothing; where the former file was kept, None if there was none.

    Raises: ConflictError where the file is not as it was when the change was planned.
    """
    now = read(change.path) if change.path.exists() else None
    if now != change.before:
        raise ConflictError(f"{change.path} changed in the meantime. Look at the difference again.")
    if not change.is_change:
        return None
    backup = None
    mode = 0o644
    if change.before is not None:
        mode = stat.S_IMODE(change.path.stat().st_mode)
        backup = change.path.with_name(change.path.name + BACKUP_ENDING)
        replace(backup, change.before, mode)
    replace(change.path, change.after, mode)
    return backup


def replace(path: Path, data: bytes, mode: int) -> None:
    """Puts a file in its place at once, so that nobody meets half of it."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
