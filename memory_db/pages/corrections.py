"""What people corrected, the most often given first: how often, in which sessions, and in which other words.

In: a connection that reads, a moment. Out: plain dicts for home, the page of all, and JSON. Invariants: counts are
those of the view `corrections_given`; each session leads to the first entry in which the correction was given there.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_db.pages.cache import cached, pooled, rows
from memory_db.pages.draw import filters as texts
from memory_db.pages.table_marks import Since
from memory_db.store.connection import id_list, tuples

GIVEN = """
select uid, times_given, sessions, session_uids, uids_alike, last_given_at, count(*) over () as different
from corrections_given
where uid = first_uid order by times_given desc, last_given_at desc, uid limit {most}
"""

CORRECTIONS = "select id from memories where kind = 'correction' and status = 'active'"

MOST_ON_HOME, MOST_LISTED = 3, 100
"""How many home names, and the page lists: the ready question has them all."""

ALIKE = "select uid, title from memories where uid in (select value from json_each(?)) order by id"
"""Memories that count as one correction with another."""

SAID = """
select m.text, p.name as project from memories m left join projects p on p.id = m.project_id where m.uid = ?
"""

HEADING = """
coalesce(nullif(s.title, ''), (select substr(e.text, 1, 200) from session_entries se
    join entries e on e.id = se.entry_id where se.session_id = s.id and e.kind = 'prompt'
    order by se.position limit 1), 'a session without a title') as heading,
(select max(e.created_at) from entries e where e.session_id = s.id) as last_at
"""
"""What a session is called, and when it was last spoken in."""

SESSIONS_OF = f"""
select s.uid, p.name as project, {HEADING}, (
    select e.uid from memories m join memory_sources q on q.memory_id = m.id join entries e on e.id = q.entry_id
    where m.uid in (select value from json_each(:alike)) and e.session_id = s.id order by e.id limit 1
) as entry
from sessions s left join projects p on p.id = s.project_id
where s.uid in (select value from json_each(:sessions)) order by last_at desc nulls last, s.uid
"""
"""Sessions by their uids, the latest first, each with the entry in which one of those memories was said."""


def corrections(path: Path, now: datetime) -> dict[str, Any]:
    """The page of all: `most_given`, up to `MOST_LISTED`, of the `different` ones."""
    found = most_given(path, MOST_LISTED)
    with pooled(path) as db:
        return told(db, found, now)


@dataclass(frozen=True, slots=True)
class Given:
    """Rows of `GIVEN`, and every correction that they were counted from."""

    rows: list[dict[str, Any]]
    corrections: frozenset[int]


def most_given(path: Path, most: int) -> list[dict[str, Any]]:
    """So many rows of `GIVEN`, counted again where a correction changed."""

    def count(db: sqlite3.Connection) -> Given:
        return Given(rows(db, GIVEN.format(most=most)), corrections_of(db, None))

    def count_on(db: sqlite3.Connection, before: Given, since: Since) -> Given | None:
        changed = since.memories(db)
        is_same = changed is not None and changed.isdisjoint(before.corrections) and not corrections_of(db, changed)
        return before if is_same else None

    return cached(path, ("corrections", most), count, by_table=True, onward=count_on).rows


def corrections_of(db: sqlite3.Connection, some: Iterable[int] | None) -> frozenset[int]:
    """The memories that are corrections in use, of some or of all."""
    among = "" if some is None else f" and id in ({id_list(some)})"
    return frozenset(memory for (memory,) in tuples(db, CORRECTIONS + among, ()))


def told(db: sqlite3.Connection, found: Iterable[Mapping[str, Any]], now: datetime) -> dict[str, Any]:
    """Rows of `GIVEN` as `most_given`: each with its text, the sessions it was `given_in` and the memories that say
    much the same (`alike`); and how many `different` there are."""
    most_given, different = [], 0
    for row in found:
        different = row["different"]
        named = {name: row[name] for name in ("uid", "times_given", "sessions", "last_given_at")}
        alike = (row["uids_alike"] or "").split(",")
        asked = {"sessions": json.dumps((row["session_uids"] or "").split(",")), "alike": json.dumps(alike)}
        others = [uid for uid in alike if uid != row["uid"]]
        most_given.append({
            **named, **dict(db.execute(SAID, [row["uid"]]).fetchone()), "ago": texts.ago(row["last_given_at"], now),
            "given_in": rows(db, SESSIONS_OF, asked), "alike": rows(db, ALIKE, [json.dumps(others)]),
        })  # fmt: skip
    return {"different": different, "most_given": most_given}
