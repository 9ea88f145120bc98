"""All rows of a file by names instead of numbers, so that two files compare whatever order they were made in."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from memory_db.store.connection import open_raw
from memory_db.upkeep.merge.contradictions import by_uid
from memory_db.upkeep.merge.removed import removed_in
from memory_db.upkeep.merge.rows import Shape
from memory_db.upkeep.merge.tables import DERIVED, NAMES, STAYS, TABLES

MADE_OF_TEXTS = ("static_vectors", "condition_vectors", "token_signs", "prompt_vectors")
"""Made again at will; the tests of the index compare them."""

NUMBERED = {"review_batches": ("items",), "decisions": ("reverts_id",), "removed_parts": ("value",)}
"""Columns that hold numbers of one file."""


def natural_rows(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of every table that is merged, by table, sorted."""
    with closing(open_raw(path, write=False)) as db:
        found = {}
        for table, rule in TABLES.items():
            if rule.how in (STAYS, DERIVED) or table in MADE_OF_TEXTS:
                continue
            found[table] = sorted(rows_of(db, table), key=repr)
        return found


def rows_of(db: sqlite3.Connection, table: str) -> Iterator[tuple[Any, ...]]:
    """The rows of one table, what they refer to as names."""
    if table == "removed_parts":
        yield from removed_in(db, "main")
        return
    shape = Shape(db, table, TABLES[table])
    if table == "contradictions":
        yield from contradictions(db)
        return
    columns = [name for name in shape.brought if name not in NUMBERED.get(table, ())]
    listed = ", ".join(
        f"(select {NAMES[shape.refers[name]]} from {shape.refers[name]} where id = o.{name})"
        if name in shape.refers
        else f"o.{name}"
        for name in columns
    )
    where = "where stage <> 'merge'" if table == "runs" else f"where {TABLES[table].only}"
    yield from map(tuple, db.execute(f"select {listed} from {table} o {where}"))


def contradictions(db: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """Pairs that stand against each other, whichever of the two has the smaller number."""
    for row in by_uid(db, "main"):
        yield tuple(value for name, value in row.items() if not name.endswith("id"))


def differences(one: Path, other: Path) -> dict[str, dict[str, list[Any]]]:
    """By table, the rows that only one of two files has."""
    ours, theirs = natural_rows(one), natural_rows(other)
    found = {}
    for table in ours:
        mine, their = multiset(ours[table]), multiset(theirs[table])
        if mine != their:
            found[table] = {"one": sorted(mine - their)[:5], "other": sorted(their - mine)[:5]}
    return found


def multiset(rows: list[tuple[Any, ...]]) -> set[str]:
    """Rows as texts, of which the second of one kind differs from the first."""
    seen: dict[str, int] = {}
    for row in rows:
        text = json.dumps(row, default=repr)
        seen[text] = seen.get(text, 0) + 1
    return {f"{text} x{number}" for text, number in seen.items()}
