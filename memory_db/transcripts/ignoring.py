"""Projects and folders that a person wants left alone, named and counted.

In: a name or a path. Out: the row of `settings` that lists them, and what was read of them already. Invariant: nothing
that was read is changed or erased here; a path is listed as it is, or refused.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime

from memory_db.errors import InputError, NotFoundError
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.store.ignored import MARKER, SETTING, above, ignored_folders, put_ignored, why_ignored
from memory_db.transcripts.project_names import named_folder
from memory_db.transcripts.projects import find_project, normal_path

PATHS = """
select canonical_path as path from projects where id = :id
union select path from project_aliases where project_id = :id order by path
"""

PROJECTS = """
select p.id, p.canonical_path,
    (select count(*) from sessions s where s.project_id = p.id) as sessions,
    (select count(*) from entries e join sessions s on s.id = e.session_id where s.project_id = p.id) as entries,
    (select count(*) from memories m where m.project_id = p.id) as memories
from projects p order by p.canonical_path
"""


@dataclass(slots=True, frozen=True)
class ReadBefore:
    """What the file has of a project that is ignored, by the path of the project."""

    project: str
    sessions: int
    entries: int
    memories: int


@dataclass(slots=True, frozen=True)
class Ignoring:
    """What was put on the list or taken off it; `read_before` is what was read of it by then."""

    folders: tuple[str, ...]
    changed: tuple[str, ...]
    read_before: tuple[ReadBefore, ...]


def ignore(db: sqlite3.Connection, given: str, *, now: datetime) -> Ignoring:
    """Puts a project, with every folder of it that is known, or a folder on the list of what is ignored.

    Raises: NotFoundError for what is neither; InputError where several projects are meant, and for a folder that cannot
    be listed.
    """
    folders = folders_meant(db, given)
    with transaction(db):
        before = ignored_folders(db)
        put_ignored(db, [*before, *folders], utc_text(now))
    changed = tuple(each for each in folders if each not in before)
    return Ignoring(folders, changed, tuple(read_before(db, folders)))


def unignore(db: sqlite3.Connection, given: str, *, now: datetime) -> Ignoring:
    """Takes a project or folder off the list.

    Raises: NotFoundError for what is neither a project, a folder nor on the list; InputError where it stays ignored by
    a folder above it or by a file, which is named.
    """
    with transaction(db):
        before = ignored_folders(db)
        listed = given.rstrip("/\\") or given
        folders = (listed,) if listed in before else folders_meant(db, given)
        left = [each for each in before if each not in folders]
        put_ignored(db, left, utc_text(now))
        for folder in folders:
            if place := why_ignored(folder, left):
                how = (
                    f"Remove {place}" if place.endswith(MARKER) else f"`memory-db project unignore {place}` frees both"
                )
                raise InputError(f"{folder} is ignored by {place}. {how}.")
    changed = tuple(each for each in folders if each in before)
    return Ignoring(folders, changed, tuple(read_before(db, folders)))


def folders_meant(db: sqlite3.Connection, given: str) -> tuple[str, ...]:
    """The folders that a name or a path means. Raises: NotFoundError, InputError."""
    if not given.strip():
        raise InputError("No project is named. Give its name or a folder.")
    project_id = find_project(db, given)
    if project_id is not None:
        return tuple(row["path"] for row in db.execute(PATHS, {"id": project_id}))
    folder = named_folder(db, given)
    path = normal_path(folder)
    if path != folder.rstrip("/\\") and path != folder:
        raise InputError(f"The path {path} cannot be listed as it is. Put an empty file {MARKER} into the folder.")
    if len([*above(path)]) < 2:  # the top of a disk has nothing above it
        raise InputError(f"{path} holds every project. Name a folder in it, or use `memory-db hook pause`.")
    return (path,)


def read_before(db: sqlite3.Connection, folders: tuple[str, ...]) -> list[ReadBefore]:
    """What the file has of the projects in some folders."""
    return [
        ReadBefore(row["canonical_path"], row["sessions"], row["entries"], row["memories"])
        for row in db.execute(PROJECTS)
        if (row["sessions"] or row["memories"]) and not {*above(row["canonical_path"])}.isdisjoint(folders)
    ]


def listed_folders(db: sqlite3.Connection) -> list[str]:
    """The folders on the list. Raises: NotFoundError where the list is no list."""
    row = db.execute("select value from settings where name = ?", [SETTING]).fetchone()
    found = ignored_folders(db)
    if row is not None and not found and row["value"] != "[]":
        raise NotFoundError("The list of ignored folders cannot be read. Name each again: `memory-db project ignore`.")
    return found
