"""Whose memories a client of MCP may be told: those of the project it works in, and which others.

In: the folder where the client works, a project that it named, and the setting `mcp_other_projects`. Out: a
`AccessScope`, or whether one uid may be read. Invariant: without a word from the client or a person nothing of another
project is told.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from memory_db.errors import InputError
from memory_db.knowledge.belonging import is_linked
from memory_db.store import settings
from memory_db.transcripts.projects import known_project, project_named

SETTING = "mcp_other_projects"

NEVER, NAMED, ALWAYS = "never", "named", "always"

UNKNOWN_FOLDER = "This folder belongs to no project that is known here: only what holds in every project was asked."

NAME_ONE = f"{UNKNOWN_FOLDER} Name one with project."
"""The same for who asks with a tool, which takes a project."""

OWNERS = """
select project_id, scope = 'user' as is_everywhere from memories where uid = :uid
union all select s.project_id, 0 from entries e join sessions s on s.id = e.session_id where e.uid = :uid
union all select project_id, 0 from sessions where uid = :uid
union all select project_id, project_id is null from recalls where uid = :uid
union all select project_id, 0 from procedures where uid = :uid
"""


@dataclass(slots=True, frozen=True)
class AccessScope:
    """Where a question is asked: its project, whether all others are left out, and what to tell of that."""

    project_id: int | None
    only: bool
    note: str = ""


def place_of(db: sqlite3.Connection, folder: Path | None, project: str) -> AccessScope:
    """Where a client asks: in the project that it names, else in that of its folder.

    A client without a folder, which asks over HTTP, asks all projects unless the setting is never.
    Raises: NotFoundError for an unknown project; InputError for one that the setting keeps apart.
    """
    rule = settings.get_text(db, SETTING)
    here = known_project(db, folder) if folder else None
    if project.strip():
        named = project_named(db, project)
        if rule == NEVER and not holds_in(db, here, named):
            raise apart(f"Project {project.strip()[:60]!r}")
        return AccessScope(named, only=True)
    if rule == ALWAYS or (folder is None and rule == NAMED):
        return AccessScope(here, only=False)
    return AccessScope(here, only=True, note="" if here else NAME_ONE)


def may_read(db: sqlite3.Connection, folder: Path | None, uid: str) -> None:
    """Lets pass what a uid names, unless the setting keeps its project apart. Raises: InputError."""
    if settings.get_text(db, SETTING) != NEVER:
        return
    here = known_project(db, folder) if folder else None
    row = db.execute(OWNERS, {"uid": uid}).fetchone()
    if row and not row["is_everywhere"] and not holds_in(db, here, row["project_id"]):
        raise apart(f"[{uid}]")


def holds_in(db: sqlite3.Connection, here: int | None, project_id: int | None) -> bool:
    """Whether what belongs to a project holds here: it is the same one, or linked to it."""
    if here is None or project_id is None:
        return False
    linked = f"select {is_linked(':other')}"
    return here == project_id or bool(db.execute(linked, {"project_id": here, "other": project_id}).fetchone()[0])


def readable_projects(db: sqlite3.Connection, ids: list[int | None]) -> frozenset[str | None]:
    """Names of projects and of those linked to them; None, for what belongs to no project, is always one."""
    known = [each for each in ids if each is not None]
    marks = ",".join("?" * len(known))
    rows = db.execute(
        f"select name from projects where id in ({marks}) or id in"
        f" (select linked_project_id from project_links where project_id in ({marks}))",
        [*known, *known],
    )
    return frozenset({None, *(row["name"] for row in rows)})


def apart(what: str) -> InputError:
    """The refusal of what belongs to another project."""
    return InputError(
        f"{what} belongs to another project, which this file keeps apart. Ask in this project; a person can allow"
        f" more: `memory-db settings {SETTING} {NAMED}`."
    )
