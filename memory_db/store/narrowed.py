"""Views over a few rows of the tables that they read: a filter that SQL cannot push through their windows and sums.

In: a connection, views by name, a condition for each table. Out: the beginning of a statement, in which the tables
have the rows of their conditions alone and the views are themselves over those. Invariant: what a view says stands in
its own text, which is read from the file; nothing of it is written down here.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence

BODY = re.compile(r"create view \S+ as\b\s*(.*)", re.IGNORECASE | re.DOTALL)
"""What a view selects."""

VIEW = "select sql from sqlite_master where type = 'view' and name = ?"


def narrowed(db: sqlite3.Connection, views: Sequence[str], tables: Mapping[str, str]) -> str:
    """`with ...` for a select of these views, each named after those that it reads; conditions may have parameters.

    The caller answers for conditions that leave every row which a row of the answer rests on.
    """
    found = [f"{table} as (select * from main.{table} where {condition})" for table, condition in tables.items()]
    for view in views:
        text = BODY.fullmatch(db.execute(VIEW, [view]).fetchone()[0])
        assert text is not None, view
        found.append(f"{view} as ({text[1]})")
    return f"with {', '.join(found)}\n"
