"""Projects of two files: which are one, and under which path and name.

In: a file, and another one as a copy that may be changed. Out: in each of the two, one project for all paths that
either file, or a git remote, says belong together; then rows of `projects` and `project_aliases`. Invariants: what is
one project on one side is one on both; the older one's path stays its path; no two have one name.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from memory_db.transcripts.project_merge import merge_projects
from memory_db.transcripts.projects import free_name
from memory_db.upkeep.merge.rows import OTHER, Counts, make_map, number_new

HANDLES = """
select id, 'path ' || canonical_path as handle from {schema}.projects
union all select id, 'remote ' || git_remote from {schema}.projects where git_remote is not null
union all select project_id, 'path ' || path from {schema}.project_aliases
"""
"""What a project is known by: two projects with one of these in common are one."""

SAME_NAME = """
select id, canonical_path from main.projects p where exists (
    select 1 from main.projects o where lower(o.name) = lower(p.name)
        and (o.created_at, o.canonical_path) < (p.created_at, p.canonical_path))
order by created_at, canonical_path
"""


def groups_of(db: sqlite3.Connection, copy: sqlite3.Connection) -> dict[str, int]:
    """What belongs together by what either file says: the number of a group for each handle."""
    return grouped([*handles(db).values(), *handles(copy).values()])


def unify(db: sqlite3.Connection, groups: Mapping[str, int]) -> int:
    """Makes one of all projects of a file that belong together; how many went into others."""
    known = handles(db)
    first: dict[int, int] = {}
    gone = 0
    for project_id in by_age(db):
        group = groups[next(iter(known[project_id]))]
        if group in first:
            merge_projects(db, first[group], project_id, reason="git remote")
            gone += 1
        first.setdefault(group, project_id)
    return gone


def handles(db: sqlite3.Connection, schema: str = "main") -> dict[int, set[str]]:
    """What each project of a file is known by."""
    found: dict[int, set[str]] = {}
    for row in db.execute(HANDLES.format(schema=schema)):
        found.setdefault(row[0], set()).add(row[1])
    return found


def by_age(db: sqlite3.Connection) -> list[int]:
    """The projects of a file, the oldest first."""
    return [row[0] for row in db.execute("select id from projects order by created_at, canonical_path").fetchall()]


def grouped(sets: Iterable[set[str]]) -> dict[str, int]:
    """The number of the group of each handle: sets with a handle in common are one group, and so on."""
    groups: dict[str, int] = {}
    members: dict[int, set[str]] = {}
    for number, each in enumerate(sets):
        whole = set(each)
        for other in {groups[handle] for handle in each if handle in groups}:
            whole |= members.pop(other)
        members[number] = whole
        groups |= dict.fromkeys(whole, number)
    return groups


def bring_projects(db: sqlite3.Connection, counts: Counts) -> None:
    """Brings projects and their paths, once `unify` made them one on both sides."""
    make_map(db, "projects")
    ours = {handle: number for number, found in handles(db).items() for handle in found}
    for number, found in handles(db, OTHER).items():
        same = next((ours[handle] for handle in sorted(found) if handle in ours), None)
        if same is not None:
            db.execute("insert into temp.map_projects values (?, ?, 0)", [number, same])
            counts.add("projects", changed=settle_one(db, same, number))
    number_new(db, "projects")
    added = db.execute(
        "insert into main.projects (id, name, canonical_path, git_remote, created_at)"
        f" select p.own_id, o.name, o.canonical_path, o.git_remote, o.created_at from {OTHER}.projects o"
        " join temp.map_projects p on p.other_id = o.id where p.is_new = 1 order by p.own_id"
    ).rowcount
    counts.add("projects", new=added)
    bring_paths(db, counts)
    for row in db.execute(SAME_NAME).fetchall():
        db.execute("update main.projects set name = ? where id = ?", [free_name(db, row[1], row[0]), row[0]])


def settle_one(db: sqlite3.Connection, own_id: int, other_id: int) -> bool:
    """Lets a project of ours be as the older of two knows it; whether that changed it."""
    ours = db.execute("select * from main.projects where id = ?", [own_id]).fetchone()
    other = db.execute(f"select * from {OTHER}.projects where id = ?", [other_id]).fetchone()
    older = min((ours, other), key=lambda row: (row["created_at"], row["canonical_path"], row["name"]))
    remote = older["git_remote"] or ours["git_remote"] or other["git_remote"]
    if dict(older) | {"id": 0, "git_remote": remote} == dict(ours) | {"id": 0}:
        return False
    if older["canonical_path"] != ours["canonical_path"]:
        db.execute("delete from main.project_aliases where path = ?", [older["canonical_path"]])
        keep_path(db, own_id, ours)
    db.execute(
        "update main.projects set name = ?, canonical_path = ?, git_remote = ?, created_at = ? where id = ?",
        [older["name"], older["canonical_path"], remote, older["created_at"], own_id],
    )
    return True


def keep_path(db: sqlite3.Connection, own_id: int, row: sqlite3.Row) -> None:
    """Keeps a path that is no longer a project's own among its others."""
    db.execute(
        "insert or ignore into main.project_aliases (project_id, path, reason, created_at)"
        " values (?, ?, 'git remote', ?)",
        [own_id, row["canonical_path"], row["created_at"]],
    )


def bring_paths(db: sqlite3.Connection, counts: Counts) -> None:
    """Brings the other paths of projects, and the own ones of those that have another one here."""
    for row in db.execute(
        f"select o.*, p.own_id from {OTHER}.projects o join temp.map_projects p on p.other_id = o.id"
    ):
        known = "select 1 from main.projects where canonical_path = ?"
        if db.execute(known, [row["canonical_path"]]).fetchone() is None:
            keep_path(db, row["own_id"], row)
    added = db.execute(
        "insert into main.project_aliases (project_id, path, reason, created_at)"
        f" select p.own_id, o.path, o.reason, o.created_at from {OTHER}.project_aliases o"
        " join temp.map_projects p on p.other_id = o.project_id where true"
        " and o.path not in (select canonical_path from main.projects)"
        " on conflict (path) do update set reason = min(reason, excluded.reason),"
        " created_at = min(created_at, excluded.created_at)"
        " where (reason, created_at) <> (min(reason, excluded.reason), min(created_at, excluded.created_at))"
    ).rowcount
    counts.add("project_aliases", new=added)
