"""The rows of an attached file brought into this one, by the rules of `tables`.

In: a connection with the other file attached as `other`, within a transaction. Out: rows, and for each table which
number of ours each number of the other file stands for (`temp.map_TABLE`). Invariants: a number is never taken for a
name; a table comes after all that it refers to, but for itself; what is there and is no worse stays untouched.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from memory_db.store.connection import tuples
from memory_db.upkeep.merge.choice import joined
from memory_db.upkeep.merge.tables import LAST_ENTRY, NAMES, ROWS, MergedTable

OTHER = "other"
"""The schema that the other file is attached as."""

LAST = "{last_entry}"
"""The measure of `tables.LAST_ENTRY` among the rules of a table."""


@dataclass(slots=True)
class Counts:
    """What came: rows that are new, and rows that changed, by table."""

    new: dict[str, int] = field(default_factory=dict)
    changed: dict[str, int] = field(default_factory=dict)

    def add(self, table: str, *, new: int = 0, changed: int = 0) -> None:
        """Counts rows of a table."""
        for counts, number in ((self.new, new), (self.changed, changed)):
            if number:
                counts[table] = counts.get(table, 0) + number


class Shape:
    """A table as it stands in the file: its columns, and what they refer to."""

    def __init__(self, db: sqlite3.Connection, table: str, rule: MergedTable) -> None:
        self.table, self.rule = table, rule
        self.info = {row[1]: bool(row[3]) or bool(row[5]) for row in db.execute(f"pragma table_info({table})")}
        keys = db.execute(f"pragma foreign_key_list({table})").fetchall()
        self.refers = {row["from"]: row["table"] for row in keys if row["to"] in (None, "id")}
        if table == "memory_versions":
            self.refers["project_id"] = "projects"

    @property
    def has_id(self) -> bool:
        """Whether its rows have numbers."""
        return "id" in self.info

    @cached_property
    def brought(self) -> list[str]:
        """The columns that one file tells the other."""
        return [name for name in self.info if name != "id" and name not in self.rule.stays]

    def here(self, column: str, row: str = "o") -> str:
        """SQL for a column of the other file's row, as it is said here."""
        parent = self.refers.get(column)
        plain = f"{row}.{column}"
        return f"(select own_id from temp.map_{parent} where other_id = {plain})" if parent else plain

    def rows_in(self, schema: str) -> str:
        """SQL for the rows of a file that are merged, with `nth` where the key alone tells none."""
        if self.rule.only == "true" and not self.rule.nth:
            return f"{schema}.{self.table}"
        parts, order = ", ".join(self.rule.key), f"{self.rule.nth}, id" if self.rule.nth != "id" else "id"
        number = f", row_number() over (partition by {parts} order by {order}) as nth" if self.rule.nth else ""
        return f"(select *{number} from {schema}.{self.table} where {self.rule.only})"

    @cached_property
    def matches(self) -> str:
        """SQL that holds where a row `m` of ours is the row `o` of the other file."""
        same = [
            f"m.{name} {'=' if self.info[name] and name not in self.refers else 'is'} {self.here(name)}"
            for name in self.rule.key
        ]
        return " and ".join([*same, "m.nth = o.nth"] if self.rule.nth else same)


def make_map(db: sqlite3.Connection, table: str) -> None:
    """Makes the empty table that says which number of ours stands for which of the other file."""
    db.execute(f"drop table if exists temp.map_{table}")
    db.execute(
        f"create temp table map_{table}"
        " (other_id integer primary key, own_id integer not null, is_new integer not null)"
    )


def bring(db: sqlite3.Connection, table: str, rule: MergedTable, counts: Counts) -> None:
    """Brings the rows of one table: those that both have become one, the others are added."""
    shape = Shape(db, table, rule)
    if not shape.has_id:
        bring_unnumbered(db, shape, counts)
        return
    make_map(db, table)
    db.execute(
        f"insert or ignore into temp.map_{table} select o.id, m.id, 0 from {shape.rows_in(OTHER)} o"
        f" cross join {shape.rows_in('main')} m on {shape.matches}"
    )
    number_new(db, table, rule.only)
    counts.add(table, changed=join_rows(db, shape))
    # Two versions of one memory may have become one, of which a recall then has one hit.
    counts.add(table, new=add_rows(db, shape, verb="insert or ignore" if table == "hits" else "insert"))


def number_new(db: sqlite3.Connection, table: str, only: str = "true") -> None:
    """Gives each row of the other file that is not here the number that it will have."""
    db.execute(
        f"insert into temp.map_{table} select id, row_number() over (order by id)"
        f" + (select coalesce(max(id), 0) from main.{table}), 1 from {OTHER}.{table}"
        f" where id not in (select other_id from temp.map_{table}) and ({only})"
    )


def add_rows(db: sqlite3.Connection, shape: Shape, *, verb: str = "insert", **instead: str) -> int:
    """Adds the rows that are new under their numbers; `instead` is SQL for columns that do not come as they are."""
    columns = shape.brought
    values = ", ".join(instead.get(name) or shape.here(name) for name in columns)
    return db.execute(
        f"{verb} into main.{shape.table} (id, {', '.join(columns)}) select p.own_id, {values}"
        f" from temp.map_{shape.table} p join {OTHER}.{shape.table} o on o.id = p.other_id"
        " where p.is_new = 1 order by p.own_id"
    ).rowcount


def bring_unnumbered(db: sqlite3.Connection, shape: Shape, counts: Counts) -> None:
    """The same of a table whose rows have no number."""
    columns, table = shape.brought, shape.table
    pairs = f"{shape.rows_in(OTHER)} o cross join main.{table} m on {shape.matches}"
    if shape.rule.how == ROWS:
        counts.add(table, changed=settle(db, shape, pairs))
    values = ", ".join(shape.here(name) for name in columns)
    added = db.execute(
        f"insert into main.{table} ({', '.join(columns)}) select {values} from {shape.rows_in(OTHER)} o"
        f" where not exists (select 1 from main.{table} m where {shape.matches})"
    ).rowcount
    counts.add(table, new=added)


def join_rows(db: sqlite3.Connection, shape: Shape) -> int:
    """Makes rows that both files have one, where they differ; how many of ours changed."""
    table = shape.table
    pairs = (
        f"temp.map_{table} p join {OTHER}.{table} o on o.id = p.other_id join main.{table} m on m.id = p.own_id"
        " and p.is_new = 0"
    )
    return settle(db, shape, pairs)


def settle(db: sqlite3.Connection, shape: Shape, pairs: str) -> int:
    """Writes what two rows become, for each of some pairs (m, o) that differ; how many of ours changed."""
    names = [name for name in shape.brought if name not in shape.rule.key]
    if not names:
        return 0
    differ = " or ".join(f"m.{name} is not {shape.here(name)}" for name in names)
    keys = ["id"] if shape.has_id else list(shape.rule.key)
    listed = ", ".join([f"m.{name}" for name in (*keys, *names)] + [shape.here(name) for name in names])
    measure = f", {LAST_ENTRY.format(schema='main', row='m')}, {LAST_ENTRY.format(schema=OTHER, row='o')}"
    measured = [LAST] if any(LAST in rule for rule in shape.rule.wins) else []
    found = tuples(db, f"select {listed}{measure if measured else ''} from {pairs} where {differ}", ())
    changed = 0
    for row in found:
        key, ours, rest = row[: len(keys)], row[len(keys) : len(keys) + len(names)], row[len(keys) + len(names) :]
        one = dict(zip(names, ours, strict=True)) | dict(zip(measured, rest[len(names) :][:1], strict=True))
        other = dict(zip([*names, *measured], [*rest[: len(names)], *rest[len(names) + 1 :]], strict=True))
        changed += put(db, shape, dict(zip(keys, key, strict=True)), one, other)
    return changed


def put(
    db: sqlite3.Connection, shape: Shape, key: Mapping[str, Any], one: dict[str, Any], other: dict[str, Any]
) -> bool:
    """Writes what two rows become over ours; whether that changed it."""
    new = joined(named(db, shape, one), named(db, shape, other), shape.rule.wins, shape.rule.columns)
    numbers = {**ids_by_name(db, shape, one), **ids_by_name(db, shape, other)}
    values = {name: numbers.get((name, value), value) for name, value in new.items() if name != LAST}
    values = {name: value for name, value in values.items() if value != one[name]}
    if not values:
        return False
    sets = ", ".join(f"{name} = :{name}" for name in values)
    where = " and ".join(f"{name} is :key_{name}" for name in key)
    db.execute(
        f"update main.{shape.table} set {sets} where {where}",
        values | {f"key_{name}": value for name, value in key.items()},
    )
    return True


def named(db: sqlite3.Connection, shape: Shape, row: Mapping[str, Any]) -> dict[str, Any]:
    """A row that names what it refers to, as every file does."""
    return {
        name: name_of(db, shape.refers[name], value) if name in shape.refers else value for name, value in row.items()
    }


def ids_by_name(db: sqlite3.Connection, shape: Shape, row: Mapping[str, Any]) -> dict[tuple[str, Any], Any]:
    """The numbers that a row refers to, by column and name."""
    return {(name, name_of(db, shape.refers[name], row[name])): row[name] for name in row if name in shape.refers}


def name_of(db: sqlite3.Connection, table: str, number: int | None) -> str | None:
    """What tells a row that another one refers to."""
    if number is None:
        return None
    row = db.execute(f"select {NAMES[table]} from main.{table} where id = ?", [number]).fetchone()
    return str(row[0]) if row else f"number {number}"
