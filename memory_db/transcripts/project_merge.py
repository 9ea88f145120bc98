"""Makes two projects one.

In: two projects. Out: everything of the second belongs to the first, its paths too. Invariants: no row is lost but one
that would say the same twice; which columns name a project is read from the file's own schema, so that no table is
forgotten.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from memory_db.errors import InputError, NotFoundError
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

SAME_TWICE = {"project_links", "project_mentions", "instruction_files", "procedures", "procedure_progress"}
"""Tables in which two rows can say the same once their projects are one: one of them stays."""

WITHOUT_KEY = ("memory_versions", "project_id")
"""It names a project and is no foreign key. It goes first: a memory that agrees with its version opens no new one."""


MOST_TARGET, MOST_SAID = 300, 500
"""Characters kept of what was done to what. Source: as `audit` keeps them."""


def columns_of_projects(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """Every (table, column) that names a project, by the foreign keys of the file."""
    rows = db.execute(
        'select t.name, k."from" from sqlite_master t join pragma_foreign_key_list(t.name) k'
        " where t.type = 'table' and k.\"table\" = 'projects' order by t.name, k.\"from\""
    )
    return [WITHOUT_KEY, *((row[0], row[1]) for row in rows)]


def merge_projects(db: sqlite3.Connection, into: int, gone: int, *, reason: str = "user") -> dict[str, int]:
    """Makes two projects one: everything of `gone`, and its paths, belong to `into`. Gives how many rows, by table.

    Raises: NotFoundError, InputError.
    """
    if into == gone:
        raise InputError(f"Project {into} cannot be merged into itself. Name two different projects.")
    counts: dict[str, int] = {}
    with transaction(db):
        rows = {row["id"]: row for row in db.execute("select * from projects where id in (?, ?)", [into, gone])}
        for project_id in (into, gone):
            if project_id not in rows:
                raise NotFoundError(f"No project {project_id}. `memory-db project list` lists them.")
        for table, column in columns_of_projects(db):
            moved = move(db, table, column, into, gone)
            counts[table] = counts.get(table, 0) + moved
        keep_folder(db, rows[into], rows[gone], reason)
    return {table: count for table, count in counts.items() if count}


def join(db: sqlite3.Connection, into: int, gone: int, *, by: str, now: datetime) -> dict[str, int]:
    """The same as a person says it, with a row of `audit_log`; a folder that is there outlasts one that is gone.

    Raises: NotFoundError, InputError.
    """
    with transaction(db):
        paths = dict(db.execute("select id, canonical_path from projects where id in (?, ?)", [into, gone]).fetchall())
        has_moved = is_folder(paths.get(gone, "")) and not is_folder(paths.get(into, ""))
        counts = merge_projects(db, into, gone, reason="moved" if has_moved else "user")
        target = f"{paths[gone]} into {paths[into]}"
        said = ", ".join(f"{table} {count}" for table, count in sorted(counts.items()))
        db.execute(
            "insert into audit_log (actor, action, target, outcome, said, started_at, finished_at)"
            " values (?, 'projects merge', ?, 'done', ?, ?, ?)",
            [by, target[:MOST_TARGET], said[:MOST_SAID], utc_text(now), utc_text(now)],
        )
    return counts


def is_folder(path: str) -> bool:
    """Whether a folder of this disk has that path."""
    return Path(path).is_absolute() and Path(path).is_dir()


def move(db: sqlite3.Connection, table: str, column: str, into: int, gone: int) -> int:
    """Makes the rows of a table that name one project name the other; gives how many there were."""
    if table not in SAME_TWICE:
        return db.execute(f"update {table} set {column} = ? where {column} = ?", [into, gone]).rowcount
    moved = db.execute(f"update or ignore {table} set {column} = ? where {column} = ?", [into, gone]).rowcount
    return moved + db.execute(f"delete from {table} where {column} = ?", [gone]).rowcount


def keep_folder(db: sqlite3.Connection, into: Mapping[str, object], gone: Mapping[str, object], reason: str) -> None:
    """Removes the project whose rows have gone, and keeps its folder and remote with the other."""
    db.execute("delete from projects where id = ?", [gone["id"]])
    db.execute(
        "update projects set git_remote = ? where id = ? and git_remote is null", [gone["git_remote"], into["id"]]
    )
    db.execute(
        "insert or ignore into project_aliases (project_id, path, reason, created_at) values (?, ?, ?, ?)",
        [into["id"], gone["canonical_path"], reason, gone["created_at"]],
    )
