"""Tables of another library in our file, made as that library makes them but at once.

In: what brings a file's tables up to date, step by step. Out: the same tables in ours. Invariant: all or none; what is
here in part is brought up to date by the library itself.

Its steps alter tables one after the other, for which SQLite reads every view and trigger of ours anew: seconds, in
which nobody else can write. So they are taken in an empty database in memory, and what comes of them is copied.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

from sqlite_utils import Database

from memory_db.store.connection import transaction

STEPS = {"_sqlite_migrations": ("migration_set", "name", "applied_at"), "_llm_migrations": ("name", "applied_at")}
"""The tables in which sqlite-utils and llm note which steps were taken, with their columns but for numbers."""


def make_tables(db: sqlite3.Connection, apply: Callable[[Any], object]) -> None:
    """Makes the tables that `apply` makes, given a database of sqlite-utils."""
    with closing(sqlite3.connect(":memory:")) as memory:
        copy = Database(memory, execute_plugins=False)
        apply(copy)
        wanted = copy.query("select name, type, sql from sqlite_master where sql is not null order by rowid")
        objects = {row["name"]: (row["type"], row["sql"]) for row in wanted}
        virtual = [f"{name}_" for name, (_, sql) in objects.items() if sql.startswith("CREATE VIRTUAL")]
        with transaction(db):
            here = {row[0] for row in db.execute("select name from sqlite_master")}
            if here & (objects.keys() - {"_sqlite_migrations", *indexes_of(copy, "_sqlite_migrations")}):
                apply(Database(db, execute_plugins=False))
                return
            for name, (kind, sql) in objects.items():
                is_made_by_another = kind == "table" and name.startswith(tuple(virtual))
                if name not in here and not is_made_by_another:
                    db.execute(sql)
            for table, columns in STEPS.items():
                if table in objects:
                    listed = ", ".join(columns)
                    rows = [tuple(row.values()) for row in copy.query(f"select {listed} from {table} order by rowid")]
                    db.executemany(f"insert into {table} ({listed}) values ({', '.join('?' * len(columns))})", rows)


def indexes_of(database: Database, table: str) -> set[str]:
    """The names of a table's indexes."""
    return {row["name"] for row in database.query("select name from sqlite_master where tbl_name = ?", [table])}
