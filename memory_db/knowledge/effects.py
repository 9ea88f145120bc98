"""What a decision changed, as JSON, and how it is taken back exactly.

In: a piece of work on memories, within a transaction. Out: `recording` tells which rows it made and which columns of
which memories it changed; `take_back` undoes that. Invariants: rows are named by natural keys, so that effects can be
read and survive a copy of the file; what counted once is not deleted: a memory is retired, evidence is withdrawn, an
edge ends; what changed since is left as it is, and the whole is refused with the reason.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from memory_db.errors import ConflictError
from memory_db.knowledge.attributes import removing
from memory_db.knowledge.succession import PERSON, SUPERSEDES, memory_row
from memory_db.redact.clean import clean
from memory_db.store.connection import id_list, transaction
from memory_db.store.dates import utc_text
from memory_db.store.versions import VERSIONED
from memory_db.text.normalise import content_hash

Effects = dict[str, Any]
"""What was changed, by sort: `made` and `changed` memories, `edges`, `evidence`, `sources`, `contradictions`,
`suppressions`, `proposals`, `paths` and `tags`. A sort without a row is left out."""

HISTORY = "See it first: `memory-db memory history {uid}`."
"""Where to look at a memory that changed since."""

COLUMNS = (*VERSIONED, "tokens")
"""What a version keeps of a memory."""

NEWEST = """
select coalesce((select max(id) from memories), 0) as memories,
    coalesce((select max(id) from memory_versions), 0) as memory_versions,
    coalesce((select max(id) from edges), 0) as edges,
    coalesce((select max(id) from evidence), 0) as evidence,
    coalesce((select max(id) from memory_sources), 0) as memory_sources,
    coalesce((select max(id) from contradictions), 0) as contradictions,
    coalesce((select max(id) from suppressions), 0) as suppressions,
    coalesce((select max(id) from proposals), 0) as proposals
"""

MADE = {
    "edges": "select f.uid, t.uid, e.kind from edges e join memories f on f.id = e.from_memory_id"
    " join memories t on t.id = e.to_memory_id where e.id > :edges order by e.id",
    "evidence": "select m.uid, e.kind, e.source from evidence e join memories m on m.id = e.memory_id"
    " where e.id > :evidence order by e.id",
    "sources": "select m.uid, c.uid, e.uid from memory_sources s join memories m on m.id = s.memory_id"
    " left join candidates c on c.id = s.candidate_id left join entries e on e.id = s.entry_id"
    " where s.id > :memory_sources order by s.id",
    "contradictions": "select m.uid, o.uid from contradictions c join memories m on m.id = c.memory_id"
    " join memories o on o.id = c.other_memory_id where c.id > :contradictions order by c.id",
    "suppressions": "select m.uid, s.pattern from suppressions s join memories m on m.id = s.memory_id"
    " where s.id > :suppressions order by s.id",
    "proposals": "select uid from proposals where id > :proposals order by id",
}
"""The natural keys of rows that are newer than given."""

TABLES = {"sources": "memory_sources"}
"""The table of a sort, where it has another name."""

VERSIONS = """
select m.uid, min(v.version) - 1 as before, max(v.version) as after from memory_versions v
join memories m on m.id = v.memory_id where v.id > :memory_versions group by m.id order by m.id
"""

OF_MEMORIES = {
    "paths": "select m.uid, p.path from memory_paths p join memories m on m.id = p.memory_id where m.id in ({ids})",
    "tags": "select m.uid, t.tag from tags t join memories m on m.id = t.memory_id where m.id in ({ids})",
}

TAKEN_BACK = (
    "change_reason glob 'reverted decision [0-9]*' or change_reason glob 'reverted p[0-9]*'"
    " or change_reason glob 'reopened x[0-9]*'"
)
"""Versions that a person made only by taking something back."""

MEMORY = "(select id from memories where uid = ?)"

END_EDGE = (
    f"update edges set ended_at = max(created_at, ?) where from_memory_id = {MEMORY} and to_memory_id = {MEMORY}"
    " and kind = ? and ended_at is null"
)

EDGE = f"""
select created_at from edges
where from_memory_id = {MEMORY} and to_memory_id = {MEMORY} and kind = ? and ended_at is null
"""

REPLACING = f"""
select f.uid from edges e join memories f on f.id = e.from_memory_id
where e.to_memory_id = {MEMORY} and e.kind = ? and e.ended_at is null
"""

CLOSED = """
select max(v.version) from memory_versions v
join memory_versions b on b.memory_id = v.memory_id and b.version = v.version - 1
where v.memory_id = ? and v.status = 'superseded' and b.status = 'active'
"""
"""The version that another memory closed; what was retired since and came back as superseded has later ones."""

DELETE = {
    "sources": f"delete from memory_sources where memory_id = {MEMORY} and candidate_id is"
    " (select id from candidates where uid = ?) and entry_id is (select id from entries where uid = ?)",
    "contradictions": f"delete from contradictions where memory_id = {MEMORY} and other_memory_id = {MEMORY}"
    " and state = 'open'",
    "proposals": "delete from proposals where uid = ? and state = 'open'",
    "paths": f"delete from memory_paths where memory_id = {MEMORY} and path = ?",
    "tags": f"delete from tags where memory_id = {MEMORY} and tag = ?",
}


@contextmanager
def recording(db: sqlite3.Connection, memory_ids: Iterable[int | None] = ()) -> Iterator[Effects]:
    """Tells in the dict that it gives what the block changes. Within a transaction of the caller.

    Paths and tags are noticed for new memories and for those named.
    """
    named = [memory_id for memory_id in memory_ids if memory_id is not None]
    newest = dict(db.execute(NEWEST).fetchone())
    before = attached(db, named)
    effects: Effects = {}
    yield effects
    grown = {table for table, last in dict(db.execute(NEWEST).fetchone()).items() if last > newest[table]}
    rows = db.execute(VERSIONS, newest) if "memory_versions" in grown else ()
    versions = {row["uid"]: [row["before"], row["after"]] for row in rows}
    made = [uid for uid, (first, _) in versions.items() if first == 0]
    effects["made"] = made
    effects["changed"] = {uid: both for uid, both in versions.items() if uid not in made}
    for sort in [sort for sort in MADE if TABLES.get(sort, sort) in grown]:
        effects[sort] = [list(row) for row in db.execute(MADE[sort], newest)]
    after = attached(db, named)
    for sort in OF_MEMORIES:
        effects[sort] = sorted(list(pair) for pair in after[sort] - before[sort])
    for sort in [sort for sort, found in effects.items() if not found]:
        del effects[sort]


def attached(db: sqlite3.Connection, memory_ids: Sequence[int]) -> dict[str, set[tuple[str, str]]]:
    """Paths and tags of some memories, as (uid, value)."""
    if not memory_ids:
        return {sort: set() for sort in OF_MEMORIES}
    ids = id_list(memory_ids)
    return {
        sort: {(row[0], row[1]) for row in db.execute(query.format(ids=ids))} for sort, query in OF_MEMORIES.items()
    }


def as_json(effects: Effects) -> str:
    """Effects as they are stored."""
    return json.dumps(effects, ensure_ascii=False)


def take_back(db: sqlite3.Connection, effects: Effects, *, reason: str, by: str, now: datetime) -> list[str]:
    """Undoes what was recorded, in lines that say what was done. Within a transaction of the caller.

    A memory that was made is retired, unless something else that counts says the same: then it stays, without what
    this decision brought to it.
    Raises: ConflictError, before anything changes, where something else was made of it since.
    """
    kept = [uid for uid in effects.get("made", ()) if has_other_sources(db, uid, effects)]
    restored = {uid: columns_before(db, uid, *both) for uid, both in effects.get("changed", {}).items()}
    over = closed_at_once(db, effects)
    for uid in effects.get("made", ()):
        check_unused(db, uid, kept, over)
    for first, second in effects.get("contradictions", ()):
        check_open(db, first, second)
    lines = []
    for uid in effects.get("made", ()):
        opened = {"valid_to": None} if uid in over else {}
        if uid in kept:
            change(db, uid, opened and opened | {"status": "active"}, reason, by, now)
            lines.append(f"{uid} stays: others said it too")
        else:
            change(db, uid, opened | {"status": "retired"}, reason, by, now)
            lines.append(f"{uid} retired")
    for uid, columns in restored.items():
        change(db, uid, columns, reason, by, now)
        lines.append(f"{uid} as before: {', '.join(columns) or 'nothing left to restore'}")
    retired = set(effects.get("made", ())) - set(kept)
    with removing(db, now=now):
        for sort, statement in DELETE.items():
            rows = effects.get(sort, ())
            is_all = sort in ("contradictions", "proposals")
            db.executemany(statement, [row for row in rows if is_all or row[0] not in retired])
    db.executemany(END_EDGE, [[utc_text(now), *row] for row in effects.get("edges", ())])
    db.executemany(
        f"update evidence set withdrawn_at = ? where memory_id = {MEMORY} and kind = ? and source = ?"
        " and withdrawn_at is null",
        [[utc_text(now), *row] for row in effects.get("evidence", ())],
    )
    db.executemany(
        f"update suppressions set ended_at = ? where memory_id = {MEMORY} and pattern = ? and ended_at is null",
        [[utc_text(now), *row] for row in effects.get("suppressions", ())],
    )
    for sort in ("edges", "evidence", "contradictions", "suppressions", "proposals"):
        if effects.get(sort):
            lines.append(f"{len(effects[sort])} {sort} {'withdrawn' if sort == 'evidence' else 'taken back'}")
    return lines


def take_correction_back(
    db: sqlite3.Connection, old: str, new: str, *, reason: str, by: str, now: datetime
) -> list[str]:
    """Lets the memory `old` hold again that `new` replaced; a memory that was made for that is retired, if it is not
    already. The lines say what was done.

    Raises: NotFoundError; ConflictError, before anything changes, where one of them changed since.
    """
    with transaction(db):
        before, after = memory_row(db, old), memory_row(db, new)
        edge = db.execute(EDGE, [new, old, SUPERSEDES]).fetchone()
        if edge is None or before["status"] != "superseded":
            raise ConflictError(f"Memory {new} does not replace {old} (any more). There is nothing to take back.")
        if after["status"] not in ("active", "retired"):
            raise ConflictError(f"Memory {new} is {after['status']} since. {HISTORY.format(uid=new)}")
        closed = db.execute(CLOSED, [before["id"]]).fetchone()[0] or 0
        columns = columns_before(db, old, closed - 1, closed)
        lines = [f"{old} as before: {', '.join(columns)}"]
        change(db, old, columns, reason, by, now)
        db.execute(END_EDGE, [utc_text(now), new, old, SUPERSEDES])
        if after["created_at"] == edge["created_at"] and after["status"] == "active":
            change(db, new, {"status": "retired"}, reason, by, now)
            lines.append(f"{new} retired")
    return lines


def has_other_sources(db: sqlite3.Connection, uid: str, effects: Effects) -> bool:
    """Whether a memory stands on words that something else brought."""
    own = {(candidate, entry) for memory, candidate, entry in effects.get("sources", ()) if memory == uid}
    rows = db.execute(
        "select c.uid, e.uid from memory_sources s left join candidates c on c.id = s.candidate_id"
        f" left join entries e on e.id = s.entry_id where s.memory_id = {MEMORY}",
        [uid],
    )
    return any((row[0], row[1]) not in own for row in rows)


def closed_at_once(db: sqlite3.Connection, effects: Effects) -> list[str]:
    """The memories that a decision made and closed itself, and that nothing else replaces."""
    edges = [tuple(edge) for edge in effects.get("edges", ())]
    found = []
    for uid in effects.get("made", ()):
        replaced_by = [(row[0], uid, SUPERSEDES) for row in db.execute(REPLACING, [uid, SUPERSEDES])]
        if replaced_by and all(edge in edges for edge in replaced_by):
            found.append(uid)
    return found


def check_unused(db: sqlite3.Connection, uid: str, kept: Sequence[str], over: Sequence[str]) -> None:
    """Refuses to take a memory away of which a person or a later decision made something. Raises: ConflictError.

    `kept` are those that stay, `over` those whose end is of the very decision that made them.
    """
    row = db.execute("select * from memories where uid = ?", [uid]).fetchone()
    if row is None or uid in kept or row["status"] == "retired":
        return
    if row["lock_level"] != "none":
        raise ConflictError(f"Memory {uid} is locked. Unlock it first: `memory-db memory unlock {uid}`.")
    if row["status"] == "superseded" and uid not in over:
        raise ConflictError(f"Memory {uid} is superseded since. Revert that decision first.")
    by_person = db.execute(
        "select 1 from memory_versions where memory_id = ? and version > 1 and changed_by = ?"
        f" and not ({TAKEN_BACK})"
        " union all select 1 from evidence where memory_id = ? and kind = 'confirmed' and withdrawn_at is null",
        [row["id"], PERSON, row["id"]],
    ).fetchone()
    if by_person:
        raise ConflictError(f"A person changed or confirmed memory {uid} since. Retire it by hand if it is wrong.")


def check_open(db: sqlite3.Connection, first: str, second: str) -> None:
    """Refuses to take back a contradiction on which a person decided. Raises: ConflictError."""
    row = db.execute(
        f"select id, state from contradictions where memory_id = {MEMORY} and other_memory_id = {MEMORY}",
        [first, second],
    ).fetchone()
    if row is not None and row["state"] != "open":
        raise ConflictError(
            f"The contradiction of {first} and {second} is resolved since. Reopen it first: `memory-db review revert"
            f" x{row['id']}`."
        )


def columns_before(db: sqlite3.Connection, uid: str, before: int, after: int) -> dict[str, Any]:
    """The columns that a decision changed, with the values to go back to.

    A column that changed again since cannot go back, but for the keys: those that the decision added are taken out.
    Raises: ConflictError.
    """
    rows = {
        row["version"]: row
        for row in db.execute(
            f"select * from memory_versions where memory_id = {MEMORY} and version in (?, ?)", [uid, before, after]
        )
    }
    current = db.execute("select * from memories where uid = ?", [uid]).fetchone()
    if current is None or before not in rows or after not in rows:
        raise ConflictError(f"Memory {uid} lacks the versions that were changed. Nothing can be restored.")
    columns: dict[str, Any] = {}
    for name in COLUMNS:
        old, new, here = rows[before][name], rows[after][name], current[name]
        if old == new or here == old:
            continue
        if here == new:
            columns[name] = old
        elif name == "keys":
            added = set(json.loads(new)) - set(json.loads(old))
            columns[name] = json.dumps([key for key in json.loads(here) if key not in added], ensure_ascii=False)
        else:
            who = current["changed_by"]
            raise ConflictError(f"The {name} of memory {uid} changed since, by {who}. {HISTORY.format(uid=uid)}")
    return columns


def change(db: sqlite3.Connection, uid: str, columns: dict[str, Any], reason: str, by: str, now: datetime) -> None:
    """Sets columns of a memory, as a new version with its reason; what has these values already is left as it is."""
    row = db.execute("select * from memories where uid = ?", [uid]).fetchone()
    values = {name: value for name, value in columns.items() if row is not None and row[name] != value}
    if not values:
        return
    if "text" in values:
        values["content_hash"] = content_hash(values["text"])
    values |= {"changed_by": clean(by)[0], "change_reason": clean(reason)[0], "updated_at": utc_text(now)}
    names = ", ".join(f"{name} = :{name}" for name in values)
    db.execute(f"update memories set {names} where uid = :uid", values | {"uid": uid})
