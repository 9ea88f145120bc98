"""A ready question of metadata.yml, asked from a page or a terminal: its first rows and how many there are.

In: a file, the name of the question and its parameters. Out: a `ReadyRows` as a dict. Invariants: reads only; a query
that takes too long is given up, and its page on Datasette is still named.
"""

from __future__ import annotations

import sqlite3
import time
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from memory_db.pages.web.shelf import DATABASE, described

FIRST = 5
"""Rows that an answer shows; the question's own page has them all."""

LONGEST_MS = 250
"""How long it may take. Source: ours; a page should answer in 300 ms."""

STEPS = 2_000
"""Instructions of SQLite between two looks at the clock."""


@lru_cache(maxsize=1)
def questions() -> dict[str, dict[str, str]]:
    """The ready questions by name, each with `title`, `description` and `sql`."""
    found: dict[str, dict[str, str]] = described()["databases"][DATABASE]["queries"]
    return found


def ready_rows(db: sqlite3.Connection, name: str, parameters: dict[str, str]) -> dict[str, Any]:
    """The answer of a ready question: `title`, `description`, `columns`, `rows` (the first), `count`, `query`.

    `query` is the end of its address; `rows` is None where it took too long.
    """
    question = questions()[name]
    sql = question["sql"]
    found: dict[str, Any] = {
        "name": name, "title": question["title"], "description": question["description"],
        "query": urlencode(parameters), "columns": [], "rows": None, "count": None,
    }  # fmt: skip
    until = time.monotonic() + LONGEST_MS / 1000
    db.set_progress_handler(lambda: int(time.monotonic() > until), STEPS)
    try:
        first = db.execute(f"select * from ({sql}) limit {FIRST}", Given(parameters))
        found["columns"] = [each[0] for each in first.description]
        found["rows"] = [list(row) for row in first]
        found["count"] = db.execute(f"select count(*) from ({sql})", Given(parameters)).fetchone()[0]
    except sqlite3.OperationalError as error:
        if "interrupted" not in str(error):
            raise
    finally:
        db.set_progress_handler(None, 0)
    return found


class Given(dict[str, str]):
    """Parameters of a query; one that was not given is empty, as in the address of its page."""

    def __missing__(self, name: str) -> str:
        return ""
