"""Views over a few rows of the tables that they read: a filter that SQL cannot push through their windows and sums.

In: a connection, views by name, a condition for each table. Out: the beginning of a statement, in which the tables
have the rows of their conditions alone and the views are themselves over those. Invariant: what a view says stands in
its own text, which is read from the file; nothing of it is written down here.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from types import MappingProxyType

BODY = re.compile(r"create view \S+ as\b\s*(.*)", re.IGNORECASE | re.DOTALL)
"""What a view selects."""

NONE: Mapping[str, str] = MappingProxyType({})

VIEW = "select sql from sqlite_master where type = 'view' and name = ?"


def narrowed(
    db: sqlite3.Connection,
    views: Sequence[str],
    tables: Mapping[str, str],
    *,
    rows: Mapping[str, str] = NONE,
    given: Mapping[str, str] = NONE,
) -> str:
    """`with ...` for a select of these views, each named after those that it reads; conditions may have parameters.

    `rows` are conditions for rows of the views, `given` are selects that stand for views whose rows are known. The
    caller answers for conditions that leave every row which a row of the answer rests on.
    """
    found = [f"{table} as (select * from main.{table} where {condition})" for table, condition in tables.items()]
    found += [f"{view} as materialized ({select})" for view, select in given.items()]
    for view in views:
        text = BODY.fullmatch(db.execute(VIEW, [view]).fetchone()[0])
        assert text is not None, view
        body = f"select * from ({text[1]}) where {rows[view]}" if view in rows else text[1]
        found.append(f"{view} as ({body})")
    return f"with {', '.join(found)}\n"
