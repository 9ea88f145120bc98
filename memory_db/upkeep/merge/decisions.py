"""Numbers that stand in the log of decisions: of versions, of decisions and of items.

In: decisions, proposals, contradictions and batches of two files. Out: the same, with the numbers that what they name
has now. Invariants: the latest decision on a candidate has the greatest number, for by that it is known; a decision
that was taken back is still the one that was.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from memory_db.store.connection import tuples
from memory_db.upkeep.merge.rows import OTHER, Counts

WITH_EFFECTS = ("decisions", "proposals", "contradictions")

BOTH = """
select d.candidate_id, d.id, d.decided_at from main.decisions d
where d.candidate_id in (select n.candidate_id from main.decisions n join temp.map_decisions p on p.own_id = n.id
    where p.is_new = 1)
order by d.candidate_id, d.id
"""
"""Decisions on candidates of which some came."""

ITEM_TABLES = {"c": "candidates", "p": "proposals", "x": "contradictions"}


def renumber_effects(db: sqlite3.Connection, schema: str, renumbered: Mapping[str, Mapping[int, int]]) -> None:
    """Tells a file's records of what was changed which numbers versions have now."""
    for table in WITH_EFFECTS if renumbered else ():
        rows = tuples(db, f"select id, effects from {schema}.{table} where effects like '%\"changed\"%'", ())
        for number, text in rows:
            with suppress(ValueError):
                effects = json.loads(text)
                changed = effects["changed"]
                new = {uid: [renumbered.get(uid, {}).get(each, each) for each in both] for uid, both in changed.items()}
                if new != changed:
                    said = json.dumps(effects | {"changed": new}, ensure_ascii=False)
                    db.execute(f"update {schema}.{table} set effects = ? where id = ?", [said, number])


def order_decisions(db: sqlite3.Connection) -> None:
    """Gives the decisions on a candidate, of which some came, numbers in the order in which they were made."""
    of_candidate: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for candidate_id, number, decided_at in tuples(db, BOTH, ()):
        of_candidate[candidate_id].append((decided_at, number))
    moved: dict[int, int] = {}
    for found in of_candidate.values():
        numbers = [number for _, number in found]
        moved |= {old: new for (_, old), new in zip(sorted(found), numbers, strict=True) if old != new}
    if not moved:
        return
    db.executemany("update main.decisions set id = -? where id = ?", [(new, old) for old, new in moved.items()])
    db.execute("update main.decisions set id = -id where id < 0")
    for table, column in (("main.decisions", "reverts_id"), ("temp.map_decisions", "own_id")):
        db.executemany(
            f"update {table} set {column} = -? where {column} = ?", [(new, old) for old, new in moved.items()]
        )
        db.execute(f"update {table} set {column} = -{column} where {column} < 0")
    for number, text in tuples(db, "select id, items from main.review_batches", ()):
        items = [item | {"decision": moved.get(item["decision"], item["decision"])} for item in json.loads(text)]
        db.execute("update main.review_batches set items = ? where id = ?", [json.dumps(items), number])


def bring_batches(db: sqlite3.Connection, counts: Counts) -> None:
    """Brings what a person decided at once, its items under the numbers that they have here."""
    known = {key_of(row): row for row in db.execute("select * from main.review_batches").fetchall()}
    for row in db.execute(f"select * from {OTHER}.review_batches order by id").fetchall():
        mine = known.get(key_of(row))
        items = json.dumps([renumbered(db, item) for item in json.loads(row["items"])])
        if mine is None:
            db.execute(
                "insert into main.review_batches (action, items, decided_by, decided_at, undone_at)"
                " values (?, ?, ?, ?, ?)",
                [row["action"], items, row["decided_by"], row["decided_at"], row["undone_at"]],
            )
            counts.add("review_batches", new=1)
        elif row["undone_at"] and not mine["undone_at"]:
            db.execute(
                "update main.review_batches set items = ?, undone_at = ? where id = ?",
                [items, row["undone_at"], mine["id"]],
            )
            counts.add("review_batches", changed=1)


def key_of(row: sqlite3.Row) -> tuple[str, str, str]:
    """What tells a batch."""
    return row["action"], row["decided_by"], row["decided_at"]


def renumbered(db: sqlite3.Connection, item: dict[str, Any]) -> dict[str, Any]:
    """An item of a batch with the numbers that it has here."""
    letter = item["item"][0]
    if letter not in ITEM_TABLES:
        return item | {side: with_project(db, item[side]) for side in ("before", "after") if side in item}
    found = own_number(db, ITEM_TABLES[letter], int(item["item"][1:]))
    return item | {"item": f"{letter}{found}", "decision": own_number(db, "decisions", item["decision"])}


def with_project(db: sqlite3.Connection, values: dict[str, Any]) -> dict[str, Any]:
    """Columns of a memory that was changed together with others, its project under the number that it has here."""
    if values.get("project_id") is None:
        return values
    return values | {"project_id": own_number(db, "projects", values["project_id"])}


def own_number(db: sqlite3.Connection, table: str, number: int | None) -> int | None:
    """The number that a row of the other file has here; of one that is gone there, none has it."""
    row = db.execute(f"select own_id from temp.map_{table} where other_id = ?", [number]).fetchone()
    return int(row[0]) if row else None
