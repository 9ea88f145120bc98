"""The ordinary tables of a file: no views, no full text and nothing of what that keeps, none of SQLite's own.

`pragma_table_list` says the same, but reads every view for it: after each opening of a file, and after each change of
its schema, that takes several times as long as all else that is asked of a small file.
"""

from __future__ import annotations

import re
import sqlite3

SHADOWS = {
    "fts3": ("content", "docsize", "segdir", "segments", "stat"),
    "fts4": ("content", "docsize", "segdir", "segments", "stat"),
    "fts5": ("config", "content", "data", "docsize", "idx"),
    "rtree": ("node", "parent", "rowid"),
    "rtree_i32": ("node", "parent", "rowid"),
    "geopoly": ("node", "parent", "rowid"),
}
"""How tables are called, after the name of a virtual one, in which its module keeps what it has. Source: `xShadowName`
of the modules that SQLite brings; those of another module are ordinary for SQLite too, where it does not know it."""

MODULE = re.compile(r"\busing\s+[\"'`\[]?(\w+)", re.IGNORECASE)
"""The module of a virtual table, in how it was made."""

MADE = "select name, sql, rootpage from main.sqlite_master where type = 'table' order by name"


def ordinary_tables(db: sqlite3.Connection) -> list[str]:
    """Their names, in order."""
    made = db.execute(MADE).fetchall()
    shadows = {
        f"{name}_{part}".casefold()
        for name, sql, root in made
        if not root and (module := MODULE.search(sql))
        for part in SHADOWS.get(module[1].casefold(), ())
    }
    return [
        name for name, _, root in made if root and name.casefold() not in shadows and not name.startswith("sqlite_")
    ]
