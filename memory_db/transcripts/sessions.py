"""Sessions: made when first named, completed as more is said about them.

In: what the items of a batch say. Out: ids by uid. Invariant: what is known
of a session is never replaced, but for a title that was only its first prompt.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable

from memory_db.transcripts.records import Item, Session

FACTS = ("cwd", "git_branch", "agent_version", "agent", "continued_from_uid", "parent_uid")
"""What the first record that says it decides."""

INSERT_SESSION = """
insert into sessions (uid, format, project_id, parent_session_id, continued_from_id, agent, title, cwd, git_branch,
    agent_version)
values (:uid, :format, :project_id, :parent_session_id, :continued_from_id, :agent, :title, :cwd, :git_branch,
    :agent_version)
"""

UPDATE_SESSION = """
update sessions set project_id = :project_id, parent_session_id = :parent_session_id,
    continued_from_id = :continued_from_id, agent = :agent, title = :title, cwd = :cwd, git_branch = :git_branch,
    agent_version = :agent_version
where uid = :uid
"""

LINEAGE = """
with recursive line(id, depth) as (
    select ?, 0
    union
    select s.continued_from_id, line.depth + 1 from line join sessions s on s.id = line.id
    where s.continued_from_id is not null and line.depth < 50
)
select distinct id from line order by depth
"""

Row = dict[str, object]


def write_sessions(
    db: sqlite3.Connection, format_name: str, items: list[Item], project_of: Callable[[str], int]
) -> dict[str, int]:
    """Makes or completes every session that the items name; ids by uid."""
    said = merged(items)
    rows = known_sessions(db, said)
    for session in said.values():
        if session.parent_uid and session.parent_uid not in rows:
            insert(db, rows, blank(session.parent_uid, format_name))
        old = rows.get(session.uid)
        row = dict(old) if old else blank(session.uid, format_name)
        complete(row, session, rows, is_new=old is None)
        if row["project_id"] is None:
            cwd, parent = row["cwd"], rows.get(session.parent_uid or "")
            row["project_id"] = project_of(str(cwd)) if cwd else parent["project_id"] if parent else None
        if old is None:
            insert(db, rows, row)
        elif row != old:
            db.execute(UPDATE_SESSION, row)
            rows[session.uid] = row
    return {uid: int(str(row["id"])) for uid, row in rows.items()}


def merged(items: list[Item]) -> dict[str, Session]:
    """What a batch says of each session, in the order in which they are first named."""
    said: dict[str, Session] = {}
    for item in items:
        for session in item.sessions:
            known = said.setdefault(session.uid, Session(session.uid, follows_uid=session.follows_uid))
            for name in FACTS:
                if getattr(known, name) is None:
                    setattr(known, name, getattr(session, name))
            known.title = known.title or session.title
            known.prompt_title = known.prompt_title or session.prompt_title
        if item.entry is not None:
            said.setdefault(item.entry.session_uid, Session(item.entry.session_uid))
    return said


def known_sessions(db: sqlite3.Connection, said: dict[str, Session]) -> dict[str, Row]:
    """The rows of these sessions and of those they point to, by uid."""
    uids = set(said)
    for session in said.values():
        uids |= {uid for uid in (session.parent_uid, session.continued_from_uid, session.follows_uid) if uid}
    found = db.execute(
        "select * from sessions where uid in (select value from json_each(?))", [json.dumps(sorted(uids))]
    )
    return {row["uid"]: dict(row) for row in found}


def blank(uid: str, format_name: str) -> Row:
    """A session of which only the uid is known."""
    names = ("project_id", "parent_session_id", "continued_from_id", "agent", "title", "cwd", "git_branch",
             "agent_version")  # fmt: skip
    return {"uid": uid, "format": format_name, **dict.fromkeys(names)}


def complete(row: Row, session: Session, rows: dict[str, Row], *, is_new: bool) -> None:
    """Fills what the row does not know yet."""
    for name in ("cwd", "git_branch", "agent_version", "agent"):
        if row[name] is None:
            row[name] = getattr(session, name)
    row["title"] = session.title or row["title"] or session.prompt_title
    links = {"parent_session_id": session.parent_uid, "continued_from_id": session.continued_from_uid}
    if is_new and session.continued_from_uid is None and session.parent_uid is None:
        links["continued_from_id"] = session.follows_uid
    for name, uid in links.items():
        if row[name] is None and uid and uid != session.uid and uid in rows:
            row[name] = rows[uid]["id"]


def insert(db: sqlite3.Connection, rows: dict[str, Row], row: Row) -> None:
    """Stores a new session and remembers its id."""
    row["id"] = db.execute(INSERT_SESSION, row).lastrowid
    rows[str(row["uid"])] = row


def link_continued(db: sqlite3.Connection, owners: dict[int, int]) -> None:
    """Says of sessions that repeat another's entries that they continue it: session id -> id of the owner."""
    for session_id, owner_id in owners.items():
        if session_id not in lineage(db, owner_id):
            db.execute(
                "update sessions set continued_from_id = ? where id = ? and continued_from_id is null"
                " and parent_session_id is null and (select parent_session_id from sessions where id = ?) is null",
                [owner_id, session_id, owner_id],
            )


def lineage(db: sqlite3.Connection, session_id: int) -> list[int]:
    """A session and those it continues, the nearest first."""
    return [row[0] for row in db.execute(LINEAGE, [session_id])]
