"""Anything by its uid, or by the beginning of one: a memory, an entry, a session, a recall or a procedure, whole.

A brief names an entry by the letter e and eight characters of its uid. A beginning that only one thing has names it;
one that several have is refused, with their uids.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from memory_db.errors import InputError, NotFoundError
from memory_db.knowledge.as_of import memory_as_of
from memory_db.knowledge.memories import get_memory
from memory_db.recall.explain.procedures import procedure
from memory_db.recall.explain.why import explain_recall
from memory_db.store.findable import findable

SHORTEST = 4
"""Characters of a uid from which on a beginning is looked for, as git asks for."""

MOST_TOLD = 5
"""Uids that are named where a beginning means several."""

IS_UID = """
select 1 where exists (select 1 from memories where uid = :uid) or exists (select 1 from recalls where uid = :uid)
    or exists (select 1 from entries where uid = :uid) or exists (select 1 from sessions where uid = :uid)
"""

BEGINNING = """
select uid from (
    select uid from memories where uid >= :start and uid < :after union all
    select uid from recalls where uid >= :start and uid < :after union all
    select uid from entries where uid >= :start and uid < :after union all
    select uid from sessions where uid >= :start and uid < :after union all
    select uid from entries where :short <> '' and uid >= :short and uid < :after_short
) limit :most
"""


def whole_uid(db: sqlite3.Connection, name: str) -> str:
    """The uid that a name means: itself, or the only one that begins so; the name where nothing does.

    Raises: InputError where several begin so.
    """
    if len(name) < SHORTEST or db.execute(IS_UID, {"uid": name}).fetchone():
        return name
    short, last = name[1:] if name.startswith("e") and len(name) > SHORTEST else "", chr(0x10FFFF)
    values = {"start": name, "after": name + last, "short": short, "after_short": short + last, "most": MOST_TOLD + 1}
    found = list(dict.fromkeys(row[0] for row in db.execute(BEGINNING, values)))
    if len(found) > 1:
        told = ", ".join(found[:MOST_TOLD]) + (" and more" if len(found) > MOST_TOLD else "")
        raise InputError(f"{name!r} is the beginning of several uids: {told}. Give more of the one you mean.")
    return found[0] if found else name


def look_up(db: sqlite3.Connection, uid: str, as_of: str | None = None) -> dict[str, Any]:
    """The row that a uid names, with what belongs to it, as a plain dict whose `type` says what it is.

    `as_of` is a moment as the file keeps it, for a memory as it was known then: what was said stays as it was said.
    Raises: NotFoundError; InputError for a moment with what is no memory, and for the beginning of several uids.
    """
    uid = whole_uid(db, uid)
    is_memory = db.execute("select 1 from memories where uid = ?", [uid]).fetchone() is not None
    if as_of is not None:
        if not is_memory:
            raise InputError(f"{uid!r} is no memory: what was said or asked does not change. Leave out --as-of.")
        return {"type": "memory", **memory_as_of(db, uid, as_of)}
    if is_memory:
        return {"type": "memory", **get_memory(db, uid)}
    if db.execute("select 1 from recalls where uid = ?", [uid]).fetchone():
        return {"type": "recall", **explain_recall(db, uid)}
    for kind, find in (("entry", entry), ("session", session), ("procedure", procedure)):
        found = find(db, uid)
        if found is not None:
            return {"type": kind, **found}
    raise NotFoundError(f"Nothing has the uid {uid!r}. `memory-db recall` prints the uids of what it shows.")


def entry(db: sqlite3.Connection, uid: str) -> dict[str, Any] | None:
    """An entry with its session, project, actions and the memories made from it."""
    row = db.execute(
        "select e.uid, e.role, e.kind, e.text, e.model, e.is_sidechain, e.image_count, e.created_at, s.uid as session,"
        " p.name as project, e.id from entries e join sessions s on s.id = e.session_id"
        " left join projects p on p.id = s.project_id where e.uid = ?",
        [uid],
    ).fetchone()
    if row is None:
        return None
    found = dict(row)
    entry_id = found.pop("id")
    found["actions"] = rows(
        db, "select uid, tool, target, is_error, excerpt from actions where entry_id = ? order by id", entry_id
    )
    found["memories"] = rows(
        db,
        "select m.uid, m.title, s.quote from memory_sources s join memories m on m.id = s.memory_id"
        " where s.entry_id = ? order by m.id",
        entry_id,
    )
    return found


def session(db: sqlite3.Connection, uid: str) -> dict[str, Any] | None:
    """A session with its entries in order."""
    row = db.execute("select * from session_summaries where uid = ?", [uid]).fetchone()
    if row is None:
        return None
    found = dict(row)
    found["entry_list"] = rows(
        db,
        "select e.uid, e.role, e.kind, e.created_at, e.text from session_entries se join entries e"
        f" on e.id = se.entry_id where se.session_id = ? and {findable('e')} order by se.position",
        found.pop("session_id"),
    )
    return found


def rows(db: sqlite3.Connection, sql: str, *parameters: object) -> list[dict[str, Any]]:
    """Rows as dicts."""
    return [dict(row) for row in db.execute(sql, parameters)]
