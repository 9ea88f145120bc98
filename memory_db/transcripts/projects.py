"""Which project a session belongs to.

In: the folder an agent worked in, and its git remote where one is known. Out:
the id of a project. Invariants: a project is known by its paths and its
remote, never by the name of a transcript folder; credentials of a remote are
never stored; a path belongs to one project; memories of a linked project hold in
this one too, and a link goes one way and no further.
"""

from __future__ import annotations

import re
import sqlite3
from datetime import datetime
from itertools import chain, count
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

from memory_db.errors import InputError, NotFoundError
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.transcripts.project_merge import merge_projects
from memory_db.transcripts.repositories import Repository, normal_remote, repository

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Sequence

CONTAINER = re.compile(
    r"/|[A-Za-z]:\\|(?:/private)?(?:/var)?/tmp|/root|/home|/Users|/workspaces?|/mnt|/opt|/srv"
    r"|(?:/home/[^/]+|/Users/[^/]+|/root|[A-Za-z]:\\Users\\[^\\]+)"
    r"(?:[/\\](?:code|coding|dev|development|documents|desktop|downloads|git|github|gitlab|projects?|repos?|repositories"
    r"|source|src|work|workspaces?))?",
    re.IGNORECASE,
)
"""Folders that hold projects without being the root of them: what is below belongs to itself."""

AGENT_WORKTREE = re.compile(r"^(.+?)[/\\]\.claude[/\\]worktrees[/\\][^/\\]+")
"""Where Claude Code puts the worktrees that it makes: inside the project."""


def resolve_project(db: sqlite3.Connection, cwd: str, git_remote: str | None = None, *, now: datetime) -> int:
    """The id of the project that a folder belongs to; made where there is none.

    In this order: a known path; the top of the git repository around it; a
    known project above it; a project with the same remote; a new project.
    Raises: InputError for an empty folder.
    """
    path = normal_path(cwd)
    with transaction(db):
        on_disk = repository(path)
        remote = normal_remote(git_remote) if git_remote else on_disk.remote if on_disk else None
        project_id = known_path(db, path)
        if project_id is None:
            project_id = adopt(db, path, on_disk, remote, now)
        return learn_remote(db, project_id, remote) if remote else project_id


def known_project(db: sqlite3.Connection, folder: Path) -> int | None:
    """The known project that a folder of this disk belongs to, by its path or its repository; makes none."""
    path = normal_path(str(folder))
    on_disk = repository(path)
    found = known_path(db, path) or (known_path(db, on_disk.root) if on_disk else None) or known_above(db, path)
    if found is None and on_disk and on_disk.remote:
        row = db.execute("select id from projects where git_remote = ? order by id", [on_disk.remote]).fetchone()
        found = int(row["id"]) if row else None
    return found


MEANT = """
select id, canonical_path = :name as is_path, lower(name) = lower(:name) as is_name from projects
    where canonical_path = :name or lower(name) = lower(:name)
union all select project_id, path = :name, 0 from project_aliases
    where path = :name or substr(path, -length(:name) - 1) = '/' || :name
order by id
"""


def projects_meant(db: sqlite3.Connection, name: str) -> list[int]:
    """The projects that a path or a name means: those of that path or name, else those with such a folder's name.

    A path means its project alone; a word that is a path and the name of another project means both.
    """
    wanted = name.strip().rstrip("/")
    found = db.execute(MEANT, {"name": wanted}).fetchall() if wanted else []
    by_path = [row["id"] for row in found if row["is_path"]]
    by_name = [row["id"] for row in found if row["is_name"]]
    if by_path and ("/" in wanted or "\\" in wanted):
        by_name = []
    return list(dict.fromkeys(by_path + by_name or [row["id"] for row in found]))


def find_project(db: sqlite3.Connection, name: str) -> int | None:
    """The project of that path or name, or with a folder of that name among its paths; None where there is none.

    Raises: InputError where several are meant, with their paths.
    """
    meant = projects_meant(db, name)
    if len(meant) > 1:
        raise InputError(
            f"{len(meant)} projects are meant by {name[:80]!r}: {places(db, meant)}. Name one by its path, or make them"
            " one: `memory-db project merge PATH PATH`."
        )
    return meant[0] if meant else None


def places(db: sqlite3.Connection, ids: Sequence[int]) -> str:
    """Names and paths of projects; of many the first ones."""
    marks = ",".join("?" * len(ids))
    rows = db.execute(f"select name, canonical_path from projects where id in ({marks}) order by id", list(ids))
    listed = [f"{row['name']} at {row['canonical_path']}" for row in rows]
    return ", ".join(listed[:MOST_PLACES]) + (", ..." if len(listed) > MOST_PLACES else "")


MOST_PLACES = 5
"""Projects that a message lists."""


def project_named(db: sqlite3.Connection, name: str) -> int:
    """The id of a project by its path, an alias or its name.

    Raises: NotFoundError; InputError where several are meant.
    """
    found = find_project(db, name)
    if found is None:
        rows = db.execute("select distinct name from projects order by name limit 30")
        names = ", ".join(row["name"] for row in rows)
        raise NotFoundError(f"No project {name[:80]!r}. There are: {names or 'none yet'}.")
    return found


def adopt(db: sqlite3.Connection, path: str, on_disk: Repository | None, remote: str | None, now: datetime) -> int:
    """Finds or makes the project of a path that nobody has seen, and remembers the path."""
    agent_tree = AGENT_WORKTREE.match(path)
    root = on_disk.root if on_disk else agent_tree[1] if agent_tree else path
    reason = "worktree" if agent_tree or (on_disk and on_disk.is_worktree) else "cwd"
    project_id = known_path(db, root)
    if project_id is None and on_disk is None:
        project_id = known_above(db, root)
    if project_id is None and remote:
        row = db.execute(
            "select id, canonical_path from projects where git_remote = ? order by id limit 1", [remote]
        ).fetchone()
        if row is not None:
            project_id = int(row["id"])
            has_moved = on_disk is not None and not Path(row["canonical_path"]).exists()
            add_path(db, project_id, root, "moved" if has_moved else "git remote", now)
    if project_id is None:
        project_id = make_project(db, root, remote, now)
    add_path(db, project_id, path, reason, now)
    return project_id


def known_path(db: sqlite3.Connection, path: str) -> int | None:
    """The project that has this path as its own or as an alias."""
    row = db.execute(
        "select id from projects where canonical_path = :path"
        " union all select project_id from project_aliases where path = :path limit 1",
        {"path": path},
    ).fetchone()
    return int(row[0]) if row else None


def known_above(db: sqlite3.Connection, path: str) -> int | None:
    """The project whose root is the nearest folder above, unless that only holds projects or is a subfolder itself."""
    for folder in pure(path).parents:
        if CONTAINER.fullmatch(str(folder)):
            return None
        project_id = known_path(db, str(folder))
        if project_id is not None:
            return project_id
    return None


def make_project(db: sqlite3.Connection, path: str, remote: str | None, now: datetime) -> int:
    """A new project, named after the last part of its path, or after more of it where another has that name."""
    name = free_name(db, path)
    made = db.execute(
        "insert into projects (name, canonical_path, git_remote, created_at) values (?, ?, ?, ?)",
        [name, path, remote, utc_text(now)],
    )
    return int(made.lastrowid or 0)


def free_name(db: sqlite3.Connection, path: str, own_id: int | None = None) -> str:
    """The shortest end of a path that is the name of no other project."""
    taken = {row["name"].lower() for row in db.execute("select name from projects where id is not ?", [own_id])}
    plain = pure(path)
    parts = plain.parts[1:] if plain.anchor else plain.parts
    ends = ["/".join(parts[-length:]) for length in range(1, len(parts) + 1)]
    numbered = (f"{path} {number}" for number in count(2))
    return next(name for name in chain(ends, [path], numbered) if name.lower() not in taken)


def add_path(db: sqlite3.Connection, project_id: int, path: str, reason: str, now: datetime) -> None:
    """Remembers that a path belongs to a project, unless it already belongs to one."""
    if known_path(db, path) is None:
        db.execute(
            "insert into project_aliases (project_id, path, reason, created_at) values (?, ?, ?, ?)",
            [project_id, path, reason, utc_text(now)],
        )


def learn_remote(db: sqlite3.Connection, project_id: int, remote: str) -> int:
    """Gives a project its remote; where another one has the same, both become the older one. The id that remains."""
    own = db.execute("select git_remote from projects where id = ?", [project_id]).fetchone()["git_remote"]
    if own is not None and own != remote:
        return project_id
    other = db.execute(
        "select id from projects where git_remote = ? and id <> ? order by id limit 1", [remote, project_id]
    ).fetchone()
    if other is not None:
        into, gone = sorted((project_id, int(other["id"])))
        merge_projects(db, into, gone, reason="git remote")
        project_id = into
    db.execute("update projects set git_remote = ? where id = ? and git_remote is null", [remote, project_id])
    return project_id


def settle_paths(db: sqlite3.Connection) -> int:
    """Names each project that has moved after the place where it was last worked on; gives how many changed.

    Only places that have been a project's own root count: worktrees and subfolders never become it.
    """
    moved = 0
    with transaction(db):
        for row in db.execute(NEWEST_CWD).fetchall():
            roots = [
                alias["path"]
                for alias in db.execute(
                    "select path from project_aliases where project_id = ? and reason in ('git remote', 'moved')"
                    " order by length(path) desc",
                    [row["id"]],
                )
            ]
            here = next((root for root in roots if pure(row["cwd"]).is_relative_to(root)), None)
            if here is None or pure(row["cwd"]).is_relative_to(row["canonical_path"]):
                continue
            db.execute("delete from project_aliases where path = ?", [here])
            db.execute(
                "update projects set canonical_path = ?, name = ? where id = ?",
                [here, free_name(db, here, row["id"]), row["id"]],
            )
            db.execute(
                "insert into project_aliases (project_id, path, reason, created_at) values (?, ?, 'moved', ?)",
                [row["id"], row["canonical_path"], row["created_at"]],
            )
            moved += 1
    return moved


NEWEST_CWD = """
select p.id, p.canonical_path, p.created_at, s.cwd from projects p
join sessions s on s.id = (
    select t.id from sessions t join session_entries se on se.session_id = t.id join entries e on e.id = se.entry_id
    where t.project_id = p.id and t.cwd is not null order by e.created_at desc, t.uid limit 1)
where exists (select 1 from project_aliases a where a.project_id = p.id and a.reason in ('git remote', 'moved'))
"""


def normal_path(text: str) -> str:
    """A folder as the file keeps it: cleaned, without `.` parts and a slash at its end.

    Raises: InputError for an empty one.
    """
    path = clean(text)[0].strip()
    if not path:
        raise InputError(f"{text!r} is no folder. Give the path that the agent works in.")
    parts = pure(path)
    kept: list[str] = []
    for part in parts.parts[1:] if parts.anchor else parts.parts:
        if part == "..":
            del kept[-1:]
        else:
            kept.append(part)
    return str(type(parts)(parts.anchor, *kept)) if parts.anchor or kept else path


def pure(path: str) -> PurePath:
    """A path by the rules of the system it comes from, whichever this one is."""
    is_windows = re.match(r"[A-Za-z]:[/\\]|\\\\", path) is not None
    return PureWindowsPath(path) if is_windows else PurePosixPath(path)


LISTED = """
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


def link_projects(db: sqlite3.Connection, project_id: int, other_id: int, *, by: str, now: datetime) -> bool:
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


def unlink_projects(db: sqlite3.Connection, project_id: int, other_id: int) -> bool:
    """Takes a link away; whether there was one."""
    with transaction(db):
        cursor = db.execute(
            "delete from project_links where project_id = ? and linked_project_id = ?", [project_id, other_id]
        )
    return cursor.rowcount > 0


def list_projects(db: sqlite3.Connection) -> list[sqlite3.Row]:
    """Every project by name: path, remote, sessions and active memories, and what is linked to it."""
    return db.execute(LISTED).fetchall()
