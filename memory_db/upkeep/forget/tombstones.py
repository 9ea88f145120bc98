"""What stays of what was forgotten: a hash of its name, and when.

In: rows that are about to go. Out: rows of `forgotten`, by which a merge knows what must not come back, and asks it of
another file. Invariants: no word of what was forgotten can be told from them, for a name tells none either; entries
need none: they keep their place, with nothing said.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime
from hashlib import sha256

from memory_db.store.connection import tuples
from memory_db.store.dates import utc_text

SORTS = {"memory": "memories", "candidate": "candidates", "recall": "recalls"}
"""Sorts of rows that go without a trace, and their tables; each has a `uid`."""


def uid_hash(sort: str, uid: str) -> str:
    """The hash by which a name is known again: 64 hexadecimal digits."""
    return sha256(f"{sort} {uid}".encode("utf-8", "replace")).hexdigest()


def bury(db: sqlite3.Connection, sort: str, ids: str, *, now: datetime) -> None:
    """Notes that rows are forgotten, whose ids are listed or selected. Within a transaction of the caller."""
    uids = tuples(db, f"select uid from {SORTS[sort]} where id in ({ids})", ())
    db.executemany(
        "insert into forgotten (sort, uid_hash, forgotten_at) values (?, ?, ?)"
        " on conflict (sort, uid_hash) do update set forgotten_at = max(forgotten_at, excluded.forgotten_at)",
        [(sort, uid_hash(sort, uid), utc_text(now)) for (uid,) in uids],
    )


def buried(db: sqlite3.Connection, sort: str, schema: str = "main") -> dict[str, str]:
    """When each of a sort was forgotten last, by the hash of its name; of an attached file with its name."""
    sql = f"select uid_hash, forgotten_at from {schema}.forgotten where sort = ?"
    return dict(tuples(db, sql, [sort]))
