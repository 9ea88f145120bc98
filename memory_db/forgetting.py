"""What somebody wants forgotten: which rows that is, and which passages must not be found any more.

In: the uid of a memory, an entry or a session, the name of a project, or words. Out: a `Target`. Nothing is changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field

from memory_db.connection import id_list
from memory_db.errors import InputError, NotFoundError
from memory_db.projects import project_named
from memory_db.scrubbing import FORGOTTEN, SHORTEST, Passages

TEXTS_OF_MEMORIES = """
select title from memory_versions where memory_id in ({ids})
union select text from memory_versions where memory_id in ({ids})
union select quote from memory_sources where memory_id in ({ids})
"""

LEFT_WITHOUT_SOURCE = """
select s.memory_id from memory_sources s where s.entry_id is not null group by s.memory_id
having sum(s.entry_id in ({ids})) > 0 and sum(s.entry_id not in ({ids})) = 0
"""


@dataclass(slots=True)
class Target:
    """What is to be forgotten.

    `is_everywhere`: whoever repeats one of its passages loses that too, as for a memory or for words. Of an entry, a
    session or a project goes what was made of it: another session that says the same has said it by itself.
    """

    what: str
    memory_ids: set[int] = field(default_factory=set)
    entry_ids: set[int] = field(default_factory=set)
    session_ids: set[int] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    is_everywhere: bool = False

    @property
    def passages(self) -> Passages:
        """What must not be found any more."""
        return Passages(self.texts)


def by_uid(db: sqlite3.Connection, uid: str) -> Target:
    """What a uid names: a memory, an entry, or a session with its entries. Raises: NotFoundError."""
    if found := one(db, "select id from memories where uid = ?", uid):
        target = Target(f"memory {uid}", memory_ids={found}, is_everywhere=True)
    elif found := one(db, "select id from entries where uid = ?", uid):
        target = Target(f"entry {uid}", entry_ids={found})
    elif found := one(db, "select id from sessions where uid = ?", uid):
        target = Target(f"session {uid}", session_ids={found})
    else:
        raise NotFoundError(f"No memory, entry or session {uid[:80]!r}. `memory-db recall` shows uids in brackets.")
    return completed(db, target)


def by_project(db: sqlite3.Connection, name: str) -> Target:
    """Every session and memory of a project. Raises: NotFoundError."""
    project_id = project_named(db, name)
    return completed(
        db,
        Target(
            f"project {name}",
            memory_ids=ids(db, "select id from memories where project_id = ?", project_id),
            session_ids=ids(db, "select id from sessions where project_id = ?", project_id),
        ),
    )


def by_words(db: sqlite3.Connection, text: str) -> Target:
    """Words wherever they stand, and the memories that say them. Raises: InputError, NotFoundError."""
    words = " ".join(text.split())
    if len(words) < SHORTEST or FORGOTTEN in words:
        raise InputError(f"{words!r} cannot be forgotten: {SHORTEST} characters at least say what is meant.")
    target = completed(db, Target(f"the words {words[:40]!r}", texts={words}, is_everywhere=True))
    if not target.memory_ids and not said_by(db, target.passages):
        raise NotFoundError(f"The words {words[:40]!r} stand in no entry and no memory. Nothing was changed.")
    return target


def completed(db: sqlite3.Connection, target: Target) -> Target:
    """The target with the rows that go with it, and with the words of all of them."""
    if target.session_ids:
        among = f"session_id in ({id_list(target.session_ids)})"
        target.entry_ids |= ids(db, f"select entry_id from session_entries where {among}")
        target.entry_ids |= ids(db, f"select id from entries where {among}")
    if target.entry_ids:
        target.memory_ids |= ids(db, LEFT_WITHOUT_SOURCE.format(ids=id_list(target.entry_ids)))
        target.texts |= texts(db, f"select text from entries where id in ({id_list(target.entry_ids)})")
    if target.memory_ids:
        target.texts |= texts(db, TEXTS_OF_MEMORIES.format(ids=id_list(target.memory_ids)))
    if target.is_everywhere:
        passages = target.passages
        saying = {
            row["id"]
            for row in db.execute("select m.id, v.title, v.text from memories m join memory_versions v"
                                  " on v.memory_id = m.id")
            if passages.repeats(row["text"]) or passages.repeats(row["title"])
        }  # fmt: skip
        if saying - target.memory_ids:
            target.memory_ids |= saying
            target.texts |= texts(db, TEXTS_OF_MEMORIES.format(ids=id_list(saying)))
    return target


def said_by(db: sqlite3.Connection, passages: Passages) -> bool:
    """Whether any entry repeats one of the passages."""
    return any(passages.repeats(row["text"]) for row in db.execute("select text from entries"))


def one(db: sqlite3.Connection, sql: str, *values: object) -> int | None:
    """An id, or None."""
    row = db.execute(sql, values).fetchone()
    return int(row[0]) if row else None


def ids(db: sqlite3.Connection, sql: str, *values: object) -> set[int]:
    """The ids that a query gives."""
    return {int(row[0]) for row in db.execute(sql, values) if row[0] is not None}


def texts(db: sqlite3.Connection, sql: str) -> set[str]:
    """The texts that a query gives, but for those forgotten already."""
    return {str(row[0]) for row in db.execute(sql) if row[0] and FORGOTTEN not in str(row[0])}


def paths_of(db: sqlite3.Connection, entry_ids: Iterable[int]) -> list[str]:
    """The files outside that entries were read from."""
    rows = db.execute(
        "select distinct s.path from sources s join entries e on e.source_id = s.id"
        f" where e.id in ({id_list(entry_ids)}) order by s.path"
    )
    return [str(row[0]) for row in rows]
