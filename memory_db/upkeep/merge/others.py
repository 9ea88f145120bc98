"""Tables of other programs in the two files, such as llm's log.

In: an attached file. Out: its rows in tables that tell rows by a name of their own. Invariant: a table that only has
numbers is left alone, for of these nobody knows what they name.
"""

from __future__ import annotations

import sqlite3

from memory_db.store.connection import tuples
from memory_db.upkeep.merge.rows import OTHER, Counts
from memory_db.upkeep.merge.tables import TABLES

PLAIN = f"""
select t.name, m.sql from pragma_table_list t join {OTHER}.sqlite_master m on m.name = t.name and m.type = 'table'
where t.schema = '{OTHER}' and t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\'
    and t.name not in (select name from pragma_table_list where schema = '{OTHER}' and type = 'shadow')
order by t.name
"""

LEFT = ("collections", "embeddings", "_llm_migrations")
"""Tables of llm's that are brought otherwise, or that say how far llm came in one file."""


def bring_others(db: sqlite3.Connection, counts: Counts) -> None:
    """Brings rows of other programs' tables, whose keys are texts; a table that is not here is made."""
    here = {name for (name,) in tuples(db, "select name from main.sqlite_master where type = 'table'", ())}
    for table, sql in tuples(db, PLAIN, ()):
        if table in TABLES or table in LEFT or not is_named(db, table):
            continue
        if table not in here:
            db.execute(sql)
        columns = ", ".join(f'"{name}"' for name in shared_columns(db, table))
        added = db.execute(
            f'insert or ignore into main."{table}" ({columns}) select {columns} from {OTHER}."{table}" order by rowid'
        ).rowcount
        counts.add(table, new=added)


def is_named(db: sqlite3.Connection, table: str) -> bool:
    """Whether the rows of a table are told by texts alone."""
    keys = tuples(db, f"select type from pragma_table_info(?, '{OTHER}') where pk > 0", [table])
    return bool(keys) and all(sort.upper() == "TEXT" for (sort,) in keys)


def shared_columns(db: sqlite3.Connection, table: str) -> list[str]:
    """The columns that a table has in both files."""
    ours = {name for (name,) in tuples(db, "select name from pragma_table_info(?, 'main')", [table])}
    return [
        name for (name,) in tuples(db, f"select name from pragma_table_info(?, '{OTHER}')", [table]) if name in ours
    ]
