"""Contradictions of two files: a pair is one, whichever of the two memories a file numbered first.

In: rows of `contradictions`. Out: the same with those of the other file. Invariant: what is said of the first memory is
said of that memory, wherever it stands in the pair.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from memory_db.upkeep.merge.choice import earliest, is_better
from memory_db.upkeep.merge.rows import OTHER, Counts, make_map

ROWS = """
select c.*, m.uid as uid, o.uid as other_uid from {schema}.contradictions c
join {schema}.memories m on m.id = c.memory_id join {schema}.memories o on o.id = c.other_memory_id
"""

SWAPPED = {"first": "second", "second": "first"}

WINS = ("has resolved_at", "latest resolved_at", "earliest found_at")

SAID = (
    "found_by", "reason", "score", "quote", "other_quote", "found_at", "state", "resolution", "note", "resolved_by",
    "resolved_at", "effects",
)  # fmt: skip


def bring_contradictions(db: sqlite3.Connection, counts: Counts) -> None:
    """Brings pairs that stand against each other, once memories are there."""
    make_map(db, "contradictions")
    ours = {key_of(row): row for row in by_uid(db, "main")}
    for theirs in by_uid(db, OTHER):
        mine = ours.get(key_of(theirs))
        if mine is None:
            new_id = insert(db, theirs)
            counts.add("contradictions", new=1)
        else:
            new_id = mine["id"]
            counts.add("contradictions", changed=settle(db, mine, theirs))
        db.execute("insert into temp.map_contradictions values (?, ?, ?)", [theirs["id"], new_id, mine is None])


def by_uid(db: sqlite3.Connection, schema: str) -> list[dict[str, Any]]:
    """The pairs of a file, each with the memory first whose uid is the smaller."""
    rows = [dict(row) for row in db.execute(ROWS.format(schema=schema)).fetchall()]
    return [row if row["uid"] < row["other_uid"] else turned(row) for row in rows]


def turned(row: dict[str, Any]) -> dict[str, Any]:
    """A pair the other way round."""
    return row | {
        "uid": row["other_uid"], "other_uid": row["uid"], "quote": row["other_quote"], "other_quote": row["quote"],
        "resolution": SWAPPED.get(row["resolution"], row["resolution"]),
    }  # fmt: skip


def key_of(row: dict[str, Any]) -> tuple[str, str]:
    """What tells a pair."""
    return row["uid"], row["other_uid"]


def numbered(db: sqlite3.Connection, row: dict[str, Any]) -> dict[str, Any]:
    """A pair as it is written here: the memory first whose number is the smaller."""
    ids = [db.execute("select id from main.memories where uid = ?", [uid]).fetchone()[0] for uid in key_of(row)]
    new = row if ids[0] < ids[1] else turned(row)
    return new | {"memory_id": min(ids), "other_memory_id": max(ids)}


def insert(db: sqlite3.Connection, row: dict[str, Any]) -> int:
    """Writes a pair that is new; its number."""
    new = numbered(db, row)
    names = ("memory_id", "other_memory_id", *SAID)
    marks = ", ".join(f":{name}" for name in names)
    cursor = db.execute(f"insert into main.contradictions ({', '.join(names)}) values ({marks})", new)
    return int(cursor.lastrowid or 0)


def settle(db: sqlite3.Connection, mine: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Writes what two rows of one pair become; whether that changed ours."""
    best = mine if is_better(mine, theirs, WINS, SAID) else theirs
    best = best | {"found_at": earliest(mine["found_at"], theirs["found_at"])}
    if all(best[name] == mine[name] for name in SAID):
        return False
    new = numbered(db, best) | {"id": mine["id"]}
    sets = ", ".join(f"{name} = :{name}" for name in SAID)
    db.execute(f"update main.contradictions set {sets} where id = :id", new)
    return True
