"""Projects whose memories hold in another one too.

In: two projects. Out: a row of `project_links`. Invariants: a link goes one way; what a linked project is linked to
does not follow; nothing of a project that is not linked is let in.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime

from memory_db.errors import InputError
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

PROJECTS = """
select p.name, p.canonical_path, p.git_remote,
    (select count(*) from sessions s where s.project_id = p.id) as sessions,
    (select count(*) from memories m where m.project_id = p.id and m.status = 'active') as memories,
    (select group_concat(o.name, ', ') from project_links l join projects o on o.id = l.linked_project_id
        where l.project_id = p.id) as linked,
    (select count(*) from project_links l join memories m on m.project_id = l.linked_project_id
        where l.project_id = p.id and m.status = 'active') as linked_memories,
    p.id as project_id
from projects p order by p.name, p.id
"""


def link(db: sqlite3.Connection, project_id: int, other_id: int, *, by: str, now: datetime) -> bool:
    """Says that memories of the other project hold in this one too; whether that was new.

    Raises: InputError for a project with itself.
    """
    if project_id == other_id:
        raise InputError(f"Project {project_id} cannot be linked to itself. Name two different projects.")
    with transaction(db):
        cursor = db.execute(
            "insert or ignore into project_links (project_id, linked_project_id, created_by, created_at)"
            " values (?, ?, ?, ?)",
            [project_id, other_id, clean(by)[0], utc_text(now)],
        )
    return cursor.rowcount > 0


def unlink(db: sqlite3.Connection, project_id: int, other_id: int) -> bool:
    """Takes a link away; whether there was one."""
    with transaction(db):
        cursor = db.execute(
            "delete from project_links where project_id = ? and linked_project_id = ?", [project_id, other_id]
        )
    return cursor.rowcount > 0


def listed(db: sqlite3.Connection) -> list[sqlite3.Row]:
    """Every project by name: path, remote, sessions and active memories, and what is linked to it."""
    return db.execute(PROJECTS).fetchall()
