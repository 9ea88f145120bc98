"""Projects: what each holds and costs, what it is called, which folders are it, and whose memories hold in it.

In: a path, an id, fields of a form or of a JSON body. Out: plain dicts. Invariants: the page does what `memory-db
project` does, with the same refusals; merging, which cannot be taken back, is shown first with its counts.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_db.errors import InputError, NotFoundError
from memory_db.knowledge.succession import PERSON
from memory_db.pages.cache import cached, rows
from memory_db.pages.forms import Fields, changing, check_known, first, flag, note_dry_run, undo_by
from memory_db.store.ignored import ignored_folders, why_ignored
from memory_db.transcripts import ignoring, project_merge
from memory_db.transcripts.project_names import rename
from memory_db.transcripts.projects import link_projects, project_named, unlink_projects

HERE = "/-/memory/projects"

FIELDS = ("name", "other", "sure", "dry_run")

PROJECTS = """
select p.id, p.name, p.canonical_path as path, p.git_remote,
    coalesce(m.times, 0) as memories, coalesce(s.times, 0) as sessions, coalesce(a.times, 0) as aliases,
    coalesce(d.times, 0) as procedures, coalesce(r.times, 0) as recalls
from projects p
left join (select project_id, count(*) as times from memories where status = 'active' group by 1) m
    on m.project_id = p.id
left join (select project_id, sum(parent_session_id is null and agent is null) as times from sessions group by 1) s
    on s.project_id = p.id
left join (select project_id, count(*) as times from project_aliases group by 1) a on a.project_id = p.id
left join (select project_id, count(*) as times from procedures group by 1) d on d.project_id = p.id
left join (select project_id, count(*) as times from recalls group by 1) r on r.project_id = p.id
order by memories desc, p.name, p.id
"""

COSTS = """
select project_id, count(*) as calls, sum(cost_nanocents) as cost_nanocents,
    sum(cost_nanocents is null) as calls_without_price, min(created_at) as first_at, max(created_at) as last_at
from call_costs where project_id is not null group by project_id
"""

ONBOARDED = """
select o.project_id, max(d.decided_at) as at, count(distinct d.memory_id) as memories
from decisions d join memories o on o.id = d.memory_id
where d.decided_by = 'onboard' and d.action in ('add', 'merge', 'supersede') and o.project_id is not null
group by o.project_id
"""

ALIASES = "select path from project_aliases where project_id = ?"

LINKS = """
select l.project_id, l.linked_project_id, p.name, o.name as linked, l.created_by, l.created_at
from project_links l join projects p on p.id = l.project_id join projects o on o.id = l.linked_project_id
where ? in (l.project_id, l.linked_project_id) order by l.created_at
"""

KINDS = """
select kind, count(*) as memories, sum(lock_level <> 'none') as locked, sum(tokens) as tokens
from memories where project_id = ? and status = 'active' group by kind order by memories desc, kind
"""

SESSIONS = """
with last as (
    select s.id, s.uid, s.title, (select min(e.created_at) from session_entries se join entries e on e.id = se.entry_id
        where se.session_id = s.id) as started_at
    from sessions s where s.project_id = ? and s.parent_session_id is null order by started_at desc limit 10
)
select l.uid, l.title, l.started_at,
    (select count(*) from session_entries se join entries e on e.id = se.entry_id
        where se.session_id = l.id and e.kind = 'prompt') as prompts,
    (select count(*) from actions a where a.session_id = l.id and a.is_error = 1) as errors
from last l where l.started_at is not null order by l.started_at desc
"""
"""What the view `session_summaries` says of the last ones, which would sum up all sessions for them."""


def projects(db: sqlite3.Connection, path: Path) -> dict[str, Any]:
    """Every project with its counts, what its sessions cost, when it was onboarded, and why it is ignored."""
    found = rows(db, PROJECTS)
    costs = {
        row["project_id"]: row
        for row in cached(path, "project costs", lambda reading: rows(reading, COSTS), by_table=True)
    }
    onboarded = {row["project_id"]: row["at"] for row in db.execute(ONBOARDED)}
    ignored = ignored_folders(db)
    for each in found:
        cost = costs.get(each["id"], {})
        each |= {name: cost.get(name) for name in ("calls", "cost_nanocents", "calls_without_price", "last_at")}
        each["onboarded_at"] = onboarded.get(each["id"])
        each["ignored_by"] = why_ignored(each["path"], ignored)
    return {"projects": found, "ignored": ignored}


def project(db: sqlite3.Connection, path: Path, key: str) -> dict[str, Any]:
    """One project by its number or name: the same, with folders, links, kinds and its last sessions.

    Raises: NotFoundError; InputError where a name means several.
    """
    number = id_of(db, key)
    everything = projects(db, path)
    found = next(each for each in everything["projects"] if each["id"] == number)
    return {
        "project": found,
        "aliases": rows(
            db, "select path, reason, created_at from project_aliases where project_id = ? order by path", [number]
        ),
        "links": rows(db, LINKS, [number]),
        "kinds": rows(db, KINDS, [number]),
        "last_sessions": rows(db, SESSIONS, [number]),
        "others": [each["name"] for each in everything["projects"] if each["id"] != number],
    }  # fmt: skip


def id_of(db: sqlite3.Connection, key: str) -> int:
    """The project of a number or name. Raises: NotFoundError, InputError."""
    if key.isascii() and key.isdigit():
        row = db.execute("select id from projects where id = ?", [int(key[:18])]).fetchone()
        if row is None:
            raise NotFoundError(f"No project {key[:20]}. The page {HERE} lists them.")
        return int(row["id"])
    return project_named(db, key)


# ---------------------------------------------------------------- what is done

Undo = tuple[str, dict[str, str]] | None
"""The action and the fields that take one back; None where nothing does."""

Act = Callable[[sqlite3.Connection, int, Fields, str, datetime], tuple[str, Undo]]
"""Does something about a project; what to say, and how that is taken back. Raises: MemoryDBError."""


def act(path: Path, key: str, action: str, fields: Fields, *, by: str, now: datetime) -> dict[str, Any]:
    """Does an action of `ACTIONS`; with `dry_run` it is done and taken back.

    Raises: NotFoundError, InputError, DatabaseFileError.
    """
    if action not in ACTIONS:
        raise NotFoundError(f"No action {action[:40]!r}. There are: {', '.join(ACTIONS)}.")
    check_known(fields, FIELDS)
    dry_run = flag(fields, "dry_run")
    with changing(path, dry_run=dry_run) as db:
        number = id_of(db, key)
        said, back = ACTIONS[action](db, number, fields, by, now)
    undo = undo_by(f"{HERE}/{number}/{back[0]}", **back[1]) if back else None
    said = note_dry_run(said, dry_run)
    return {"ok": True, "dry_run": dry_run, "said": said, "there": f"{HERE}/{number}", "undo": undo}


def name_it(db: sqlite3.Connection, number: int, fields: Fields, by: str, now: datetime) -> tuple[str, Undo]:
    """Gives it another name."""
    before = rename(db, number, first(fields, "name"), by=by, now=now)
    return f"{before} is called {first(fields, 'name')} now.", ("rename", {"name": before})


def link(db: sqlite3.Connection, number: int, fields: Fields, by: str, now: datetime) -> tuple[str, Undo]:
    """Memories of the other hold in it too."""
    other = first(fields, "other")
    is_new = link_projects(db, number, project_named(db, other), by=PERSON, now=now)
    back = ("unlink", {"other": other}) if is_new else None
    return f"Memories of {other} {'hold' if is_new else 'held already'} here too.", back


def unlink(db: sqlite3.Connection, number: int, fields: Fields, by: str, now: datetime) -> tuple[str, Undo]:
    """They no longer do."""
    other = first(fields, "other")
    was_there = unlink_projects(db, number, project_named(db, other))
    back = ("link", {"other": other}) if was_there else None
    return f"Memories of {other} {'no longer hold' if was_there else 'did not hold'} here.", back


def merge(db: sqlite3.Connection, number: int, fields: Fields, by: str, now: datetime) -> tuple[str, Undo]:
    """Makes the other a part of it, for good: field `sure` says that the counts were seen."""
    other = first(fields, "other")
    if not flag(fields, "sure") and not flag(fields, "dry_run"):
        raise InputError("Merging cannot be taken back. Tick that you are sure, or look at it first.")
    counts = project_merge.join(db, number, project_named(db, other), by=PERSON, now=now)
    listed = ", ".join(f"{table.replace('_', ' ')} {count:,}" for table, count in sorted(counts.items()))
    return f"{other} is part of it ({listed or 'it had nothing'}).", None


def ignore(db: sqlite3.Connection, number: int, fields: Fields, by: str, now: datetime) -> tuple[str, Undo]:
    """Leaves it alone from now on."""
    done = ignoring.ignore(db, path_of(db, number), now=now)
    read = sum(each.entries for each in done.read_before)
    said = f"Ignored: hooks are silent there and nothing is read. {read:,} entries were read before; they stay."
    return said, ("unignore", {})


def unignore(db: sqlite3.Connection, number: int, fields: Fields, by: str, now: datetime) -> tuple[str, Undo]:
    """Reads it again."""
    listed = set(ignored_folders(db))
    folders = [path_of(db, number), *(row[0] for row in db.execute(ALIASES, [number]))]
    own = [folder for folder in folders if folder in listed]
    for folder in own:
        ignoring.unignore(db, folder, now=now)
    if not own:
        return "It is not on the list of what is ignored.", None
    return "It is read again, at the next run.", ("ignore", {})


ACTIONS: dict[str, Act] = {
    "rename": name_it, "link": link, "unlink": unlink, "merge": merge, "ignore": ignore, "unignore": unignore,
}  # fmt: skip
"""What can be done about a project, by the end of its address."""


def path_of(db: sqlite3.Connection, number: int) -> str:
    """The folder of a project."""
    return str(db.execute("select canonical_path from projects where id = ?", [number]).fetchone()[0])
