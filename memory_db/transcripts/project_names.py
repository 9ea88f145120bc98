"""What a person means by the name of a project, where more than its id is wanted.

In: a name or a path. Out: ids, a folder, a name that sums go by. Invariant: a name that two projects have is never
taken for one of them without the other being told.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path

from memory_db.errors import InputError, NotFoundError
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.transcripts.projects import find_project, places, project_named, projects_meant, pure


def two_named(db: sqlite3.Connection, name: str, other: str) -> tuple[int, int]:
    """The ids of two projects; where a name means both, it is the one that the other name does not mean.

    Raises: NotFoundError, InputError.
    """
    first, second = projects_meant(db, name), projects_meant(db, other)
    if len(first) > 1 and len(second) == 1:
        first = [each for each in first if each not in second]
    elif len(second) > 1 and len(first) == 1:
        second = [each for each in second if each not in first]
    return (
        first[0] if len(first) == 1 else project_named(db, name),
        second[0] if len(second) == 1 else project_named(db, other),
    )


def project_name(db: sqlite3.Connection, name: str) -> str:
    """The name of the project that was named, by name, path or alias, for what is added up by names.

    Raises: NotFoundError; InputError where several are meant, or another project has the same name.
    """
    project_id = project_named(db, name)
    row = db.execute("select name from projects where id = ?", [project_id]).fetchone()
    same = [each["id"] for each in db.execute("select id from projects where name = ?", [row["name"]])]
    if len(same) > 1:
        raise InputError(
            f"{len(same)} projects share the name {row['name']}, and sums go by names: {places(db, same)}. Make them"
            " one: `memory-db project merge PATH PATH`."
        )
    return str(row["name"])


def at_home(folder: Path) -> Path:
    """A folder with the home folder in the place of ~. Raises: InputError where nobody has that name."""
    try:
        return folder.expanduser()
    except RuntimeError as error:
        raise InputError(f"There is no home folder for {folder}. Name the path in full.") from error


def named_folder(db: sqlite3.Connection, given: str) -> str:
    """The folder of the project that was named, or a folder as it was given, which may be none of this disk.

    Raises: InputError where several projects are meant; NotFoundError for a word that is neither.
    """
    found = find_project(db, given)
    if found is not None:
        return str(db.execute("select canonical_path from projects where id = ?", [found]).fetchone()[0])
    folder = at_home(Path(given))
    if folder.is_absolute() or pure(given).is_absolute():
        return str(folder)
    if not folder.is_dir():
        names = ", ".join(row["name"] for row in db.execute("select name from projects order by name limit 30"))
        raise NotFoundError(
            f"No project {given[:80]!r}. There are: {names or 'none yet'}. For a new one give the path of its folder."
        )
    return str(folder.resolve())


MOST_NAME = 80


def rename(db: sqlite3.Connection, project_id: int, name: str, *, by: str, now: datetime) -> str:
    """Gives a project another name, with a row of `audit_log`; the name that it had.

    Raises: NotFoundError; InputError for a name that another project has, that says nothing or that cannot be shown.
    """
    wanted = " ".join(name.split())
    if not wanted or len(wanted) > MOST_NAME or not wanted.isprintable() or clean(wanted)[0] != wanted:
        raise InputError(f"{name[:60]!r} is no name for a project. Give 1 to {MOST_NAME} printable characters.")
    with transaction(db):
        row = db.execute("select name from projects where id = ?", [project_id]).fetchone()
        if row is None:
            raise NotFoundError(f"No project {project_id}. `memory-db project list` lists them.")
        if taken := db.execute("select id from projects where name = ? and id <> ?", [wanted, project_id]).fetchone():
            raise InputError(f"Project {taken['id']} is called {wanted} already. Give another name, or merge the two.")
        db.execute("update projects set name = ? where id = ?", [wanted, project_id])
        db.execute(
            "insert into audit_log (actor, action, target, outcome, said, started_at, finished_at)"
            " values (?, 'projects rename', ?, 'done', ?, ?, ?)",
            [by, str(row["name"]), wanted, utc_text(now), utc_text(now)],
        )
    return str(row["name"])
