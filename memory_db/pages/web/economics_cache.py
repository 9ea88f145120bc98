"""What takes long on the economics page, kept until what it was worked out of has changed.

In: a connection that reads, what was chosen. Out: rows as the views have them. Invariants: a hook that showed nothing
changes no state; a state has a number of each table that the answer is made of; no text of a memory is kept.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from memory_db.pages.web.query_cache import part

T = TypeVar("T")

SPENT = (
    "select count(*), max(id) from api_calls",
    "select count(*), max(id), sum(input_tokens + output_tokens), total(cost_nanocents) from model_calls",
    "select * from prices order by id",
    "select count(*), max(id), total(id * project_id), total(parent_session_id) from sessions",
    "select id, name from projects order by id",
    "select count(*), total(read_bytes), max(read_at) from sources",
)
"""What costs of calls rest on. A call is told anew only where more of its source is read."""

SHOWN = (
    "select id, asked_at from recalls where shown_tokens > 0 order by id desc limit 1",
    "select max(id) - count(*) from recalls",
    "select max(id), count(*) from memory_versions",
    "select count(*) from memories",
    "select max(id), count(*) from memory_sources",
    "select max(id) from entries",
    "select max(id), count(*) from instruction_files",
    "select max(id), count(*) from portraits",
)
"""What briefs add to it. A recall that showed nothing adds one to both numbers of the difference."""

USED = (
    "select max(id), count(*), count(withdrawn_at) from evidence",
    "select max(id), count(*) from candidates",
    "select max(id), count(*) from decisions",
    "select max(id), count(*), max(finished_at) from extraction_runs",
)
"""What the use of what was shown adds to both."""

LEVELS = (SPENT, SHOWN, USED)


class Kept:
    """The parts of one page; the states are read when it is made."""

    def __init__(self, db: sqlite3.Connection, chosen: Mapping[str, object]) -> None:
        self.db, self.chosen = db, chosen
        self.states: dict[tuple[str, ...], tuple[Any, ...]] = {}
        so_far: tuple[Any, ...] = ()
        for level in LEVELS:
            so_far += tuple(tuple(map(tuple, db.execute(sql))) for sql in level)
            self.states[level] = so_far

    def part(self, name: str, level: tuple[str, ...], make: Callable[[], T]) -> T:
        """A part of the page by its name, which rests on that level and those before it."""
        key = ("economics", name, *sorted(self.chosen.items()))
        return part(self.db, key, self.states[level], make)

    def rows(
        self, name: str, level: tuple[str, ...], sql: str, more: Mapping[str, object] | None = None
    ) -> list[dict[str, Any]]:
        """The rows of a query as dicts of one's own, kept as a part; `more` are constants that it is given too."""
        values = {**self.chosen, **(more or {})}
        found = self.part(name, level, lambda: [dict(row) for row in self.db.execute(sql, values)])
        return [dict(row) for row in found]
