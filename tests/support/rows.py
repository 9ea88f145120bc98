"""What a query gives, of an open file or of one by its path."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from memory_db.store.connection import connect


def rows(file: sqlite3.Connection | Path, sql: str, *values: object) -> list[tuple[Any, ...]]:
    """The rows as tuples."""
    return [tuple(row) for row in named_rows(file, sql, *values)]


def named_rows(file: sqlite3.Connection | Path, sql: str, *values: object) -> list[sqlite3.Row]:
    """The rows, their values by name."""
    if isinstance(file, sqlite3.Connection):
        return file.execute(sql, values).fetchall()
    with closing(connect(file)) as db:
        return db.execute(sql, values).fetchall()
