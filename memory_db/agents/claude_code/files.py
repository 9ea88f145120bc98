"""A folder of files that memory-db put somewhere for another program, and takes out again.

In: the folder, and the files that shall be in it. Out: the changes, as texts to look at before they are made. Each
folder carries a list of what was put there, with hashes, so that it can be taken out without any database.

Invariants: a file appears whole or not at all; what a person changed is copied before it is replaced, and is kept when
the rest is taken out; a folder that holds anything without that list is somebody else's, and is left alone.
"""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

from memory_db.errors import InstallError

LIST = "installed.json"
"""The list of what was put there."""

UNFINISHED = re.compile(r"\.[a-z0-9_]{8}")
"""How the name of a file ends that is being written. Source: tempfile.mkstemp."""

FORMAT = 1

Sort = Literal["add", "replace", "remove", "keep"]

Content: TypeAlias = "str | bytes"
"""A file's text, or the bytes of a picture."""


@dataclass(slots=True, frozen=True)
class ConfigChange:
    """What happens to one file. `backup` is where a copy goes first, None where nothing of a person's is in it."""

    place: str
    sort: Sort
    before: bytes | None
    after: bytes | None
    backup: Path | None = None


@dataclass(slots=True, frozen=True)
class Listed:
    """A list of what was put into a folder: hashes by place, and how many folders above were made for it."""

    files: dict[str, str]
    folders_above: int


def read_list(folder: Path) -> Listed | None:
    """The list of a folder; None where there is none, so that nothing in the folder is ours.

    Raises: InstallError if it cannot be read or understood.
    """
    data = read(folder / LIST)
    if data is None:
        return None
    try:
        values: Any = json.loads(data)
        files = {str(place): str(value) for place, value in values["files"].items()}
        above = int(values["folders_above"])
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InstallError(f"{folder / LIST} is damaged. Delete the folder {folder}, then install again.") from error
    if any(not is_inside(folder, place) for place in files):
        raise InstallError(f"{folder / LIST} names files outside. Delete the folder {folder}, then install again.")
    return Listed(files, above)


def is_inside(folder: Path, place: str) -> bool:
    """Whether a place leads into the folder, by its words alone."""
    return not Path(place).is_absolute() and ".." not in Path(place).parts and place != ""


def plan(folder: Path, wanted: Mapping[str, Content], *, now: datetime) -> list[ConfigChange]:
    """What must change so that the folder holds these files and nothing else of ours; empty where nothing must.

    Raises: InstallError for a folder of somebody else, and for one that cannot be read.
    """
    listed = read_list(folder)
    if listed is None and folder.exists() and not folder.is_dir():
        raise InstallError(f"{folder} is a file, where a folder has to be. Move it away, then install again.")
    if listed is None and folder.is_dir() and has_others(folder, wanted):
        raise InstallError(f"{folder} belongs to something else. Move it away, then install again.")
    known = listed.files if listed else {}
    changes = []
    for place in known:
        if place not in wanted and (before := read(folder / place)) is not None:
            changes.append(ConfigChange(place, *removal(before, known[place])))
    for place, text in wanted.items():
        before, after = read(folder / place), as_bytes(text)
        if before is None:
            changes.append(ConfigChange(place, "add", None, after))
        elif before != after:
            is_theirs = digest(before) != known.get(place)
            backup = backup_of(folder / place, now) if is_theirs else None
            changes.append(ConfigChange(place, "replace", before, after, backup))
    return changes


def has_others(folder: Path, wanted: Mapping[str, Content]) -> bool:
    """Whether a folder without our list holds more than an install left that was killed before it wrote the list."""
    left = set(unfinished(folder, wanted))
    return any(path not in left for path in folder.rglob("*") if not path.is_dir() or path.is_symlink())


def unfinished(folder: Path, places: Iterable[str]) -> Iterator[Path]:
    """Files that `write` had not put in place when it was killed, of the list and of these places."""
    for path in (folder / place for place in (LIST, *places)):
        yield from (each for each in path.parent.glob(f".{path.name}.*") if UNFINISHED.fullmatch(each.suffix))


def apply(folder: Path, wanted: Mapping[str, Content], changes: Sequence[ConfigChange]) -> None:
    """Makes planned changes, then writes the list. Killed in between, a second run ends it.

    Raises: InstallError.
    """
    listed = read_list(folder)
    above = listed.folders_above if listed else sum(1 for parent in folder.parents if not parent.exists())
    files = digests(wanted)
    for left in list(unfinished(folder, {**files, **(listed.files if listed else {})})):
        remove(left)
    # The list first holds old and new: what is written before the process is killed is known as ours.
    write_list(folder, Listed({**(listed.files if listed else {}), **files}, above))
    for change in changes:
        path = folder / change.place
        if change.backup is not None and change.before is not None:
            write(change.backup, change.before)
        if change.after is not None:
            write(path, change.after)
        elif change.sort == "remove":
            remove(path)
            remove_empty([parent for parent in path.parents if folder in parent.parents])
    write_list(folder, Listed(files, above))


def plan_removal(folder: Path) -> list[ConfigChange]:
    """What taking everything out would change: the last file that was put in goes first. Raises: InstallError."""
    listed = read_list(folder)
    changes = []
    for place in reversed(listed.files if listed else {}):
        before = read(folder / place)
        if before is not None and listed is not None:
            changes.append(ConfigChange(place, *removal(before, listed.files[place])))
    return changes


def removal(before: bytes, hash_of_ours: str) -> tuple[Sort, bytes, bytes | None]:
    """What becomes of a file: what a person changed is kept."""
    return ("remove", before, None) if digest(before) == hash_of_ours else ("keep", before, before)


def take_out(folder: Path, changes: Sequence[ConfigChange]) -> None:
    """Removes what was put there, then the list, then the folders that were made for it, if they are empty.

    Raises: InstallError.
    """
    listed = read_list(folder)
    for left in list(unfinished(folder, listed.files if listed else ())):
        remove(left)
    for change in changes:
        if change.sort == "remove":
            remove(folder / change.place)
    remove(folder / LIST)
    parents = {parent for change in changes for parent in (folder / change.place).parents if folder in parent.parents}
    made = [folder, *folder.parents][: 1 + (listed.folders_above if listed else 0)]
    remove_empty([*sorted(parents, key=lambda path: -len(path.parts)), *made])


def remove_empty(folders: Sequence[Path]) -> None:
    """Takes folders away, the innermost first; one that is not empty, a link, or gone is left as it is."""
    for path in folders:
        with contextlib.suppress(OSError):
            path.rmdir()


# ------------------------------------------------------------------- printing


def diff(folder: Path, changes: Sequence[ConfigChange]) -> Iterator[str]:
    """Changes as a unified diff, line by line."""
    for change in changes:
        if change.sort == "keep":
            continue
        path = str(folder / change.place)
        before, after = lines_of(change.before), lines_of(change.after)
        names = (path if change.before is not None else "/dev/null", path if change.after is not None else "/dev/null")
        yield from (line.rstrip("\n") for line in difflib.unified_diff(before, after, *names))


def lines_of(data: bytes | None) -> list[str]:
    """The lines of a file, whatever its bytes; of a picture how long it is."""
    if data is not None and b"\0" in data:
        return [f"({len(data):,} bytes that are no text)\n"]
    return (data or b"").decode("utf-8", "replace").splitlines(keepends=True)


def as_bytes(content: Content) -> bytes:
    """What a file is made of, as it is stored."""
    return content if isinstance(content, bytes) else content.encode()


def digests(files: Mapping[str, Content]) -> dict[str, str]:
    """The hash of each file, by its place."""
    return {place: digest(as_bytes(content)) for place, content in files.items()}


def digest(data: bytes) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(data).hexdigest()


def folder_digest(files: Mapping[str, str]) -> str | None:
    """One hash of many: of places and hashes, in the order of places; None of nothing."""
    return digest(json.dumps(sorted(files.items())).encode()) if files else None


# ------------------------------------------------------------- files as such


def backup_of(path: Path, now: datetime) -> Path:
    """Where the copy of a file goes: beside it, under a name that no program takes for the file."""
    return path.with_name(f"{path.name}.before-{now:%Y%m%dT%H%M%S}")


def read(path: Path) -> bytes | None:
    """A file's bytes; None where there is none. Raises: InstallError."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise trouble("read", path, error) from error


def write(path: Path, data: bytes) -> None:
    """Puts a file in place whole, with the mode of the one before. A link is followed, and stays a link.

    Raises: InstallError.
    """
    temporary = None
    try:
        target = path.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        else:
            Path(temporary).chmod(0o644)
        Path(temporary).replace(target)
    except (OSError, RuntimeError) as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise trouble("write", path, error) from error


def write_list(folder: Path, listed: Listed) -> None:
    """Writes the list of a folder. Raises: InstallError."""
    values = {"format": FORMAT, "by": "memory-db", "folders_above": listed.folders_above, "files": listed.files}
    write(folder / LIST, (json.dumps(values, indent=2) + "\n").encode())


def remove(path: Path) -> None:
    """Takes a file away, if it is there. Raises: InstallError."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise trouble("remove", path, error) from error


def trouble(what: str, path: Path, error: OSError | RuntimeError) -> InstallError:
    """The system's refusal, in words."""
    reason = error.strerror if isinstance(error, OSError) else "it is a link to itself"
    return InstallError(f"Cannot {what} {path}: {reason}. Nothing else was lost; mend that, then run it again.")
