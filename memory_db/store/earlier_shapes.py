"""Gives a file that an earlier text of a migration made the shape that today's text makes.

In: a connection to a file of ours, in a transaction. Out: the file with the tables, columns and indexes that the
migrations applied to it stand for. Invariants: rows stay; what the user made is left alone; a file that is right is
not written.

Files were made while the texts of migrations still changed. The texts are frozen, so that nothing is ever added here:
what must change is a new migration.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

from sqlite_utils import Database

from memory_db.store.migrations import migrations

COLUMNS = (
    ("labelled_queries", "style", "text not null default ''"),
    ("extraction_runs", "is_dry_run", "integer not null default 0 check (is_dry_run in (0, 1))"),
    ("extraction_progress", "skip_reason", "text"),
    ("model_calls", "left_out", "text not null default '[]'"),
)
"""Columns that tables were made without: table, name, definition."""

REMADE = ("edges", "signature_blocks", "review_batches")
"""Tables that were made with other constraints or a column more."""

LEFT_OVER = {"related_terms": "table", "api_calls_session": "index", "edges_into": "index"}
"""What was made and is no longer: name -> type."""

Definitions = dict[str, tuple[str, str]]


def mend_shape(db: sqlite3.Connection) -> None:
    """Makes what is missing, makes again what is defined in another way, and takes away what is left over.

    Raises: sqlite3.Error.
    """
    with closing(sqlite3.connect(":memory:")) as model:
        apply_the_same(db, model)
        wanted = definitions(model)
        for table, column, definition in COLUMNS:
            if table in wanted and column in columns_of(model, table) - columns_of(db, table):
                db.execute(f"alter table {table} add column {column} {definition}")
        there = definitions(db)
        for table in REMADE:
            if table in wanted and table in there and plain(wanted[table][1]) != plain(there[table][1]):
                make_again(db, table, wanted[table][1])
        drop_left_over(db, wanted)
        there = definitions(db)
        for name, (kind, sql) in sorted(wanted.items(), key=lambda item: item[1][0], reverse=True):
            if kind == "index" and name in there and plain(there[name][1]) != plain(sql):
                db.execute(f"drop index {name}")
                del there[name]
            if name not in there:
                db.execute(sql)


def apply_the_same(db: sqlite3.Connection, model: sqlite3.Connection) -> None:
    """Applies to an empty database what was applied to a file, as the texts are now."""
    applied = {migration.name for migration in migrations.applied(Database(db, execute_plugins=False))}
    empty = Database(model, execute_plugins=False)
    for migration in migrations.pending(empty):
        if migration.name in applied:
            migration.fn(empty)


def definitions(db: sqlite3.Connection) -> Definitions:
    """Tables and indexes that a statement made: name -> (type, SQL); without virtual tables and what is below them."""
    rows = db.execute(
        "select name, type, sql from sqlite_master where type in ('table', 'index') and sql is not null"
        " and sql not like 'create virtual%' and name not like '%@_fts@_%' escape '@'"
    )
    return {name: (kind, sql) for name, kind, sql in rows}


def columns_of(db: sqlite3.Connection, table: str) -> set[str]:
    """The names of a table's columns; none where there is no table."""
    return {row[1] for row in db.execute(f"pragma table_info({table})")}


def plain(sql: str) -> str:
    """A definition as it is compared, whatever its spaces and quotes."""
    return "".join(sql.lower().replace('"', "").split())


def make_again(db: sqlite3.Connection, table: str, sql: str) -> None:
    """Makes a table by another definition, with its rows; a column that is no more must be empty, or all stays."""
    before = columns_of(db, table)
    with closing(sqlite3.connect(":memory:")) as model:
        model.execute(sql)
        after = columns_of(model, table)
    if any(db.execute(f"select 1 from {table} where {column} is not null").fetchone() for column in before - after):
        return
    kept = ", ".join(sorted(before & after))
    db.execute(f"create table {table}_before as select * from {table}")
    db.execute(f"drop table {table}")
    db.execute(sql)
    db.execute(f"insert into {table} ({kept}) select {kept} from {table}_before")
    db.execute(f"drop table {table}_before")


def drop_left_over(db: sqlite3.Connection, wanted: Definitions) -> None:
    """Drops indexes that are no longer wanted, and tables if nothing is in them."""
    there = definitions(db)
    for name, kind in LEFT_OVER.items():
        is_empty = name in there and (kind == "index" or db.execute(f"select 1 from {name}").fetchone() is None)
        if is_empty and name not in wanted:
            db.execute(f"drop {kind} {name}")
