"""What figures rest on, as a short name: the rows that a question, a score or a label of today reads.

In: a connection. Out: a name, another one as soon as anything was read, learnt, judged, asked or set. Invariant: it
costs a count of each table, and never reads a text.
"""

from __future__ import annotations

import hashlib
import sqlite3

RESTS_ON = {
    "entries": "max(id)",
    "memories": "max(id)",
    "memory_versions": "max(id)",
    "recalls": "max(id)",
    "evidence": "max(id) || ' ' || total(withdrawn_at is not null)",
    "contradictions": "max(id)",
    "judgements": "max(judged_at) || ' ' || total(relevance * id)",
    "labelled_queries": "max(id)",
    "suppressions": "max(id) || ' ' || total(ended_at is not null)",
    "edges": "max(id) || ' ' || total(ended_at is not null)",
    "settings where name <> 'default_profile'": "max(changed_at)",
}
"""Tables that a figure rests on, each with what changes besides the number of its rows; a figure is of a profile that
is named, whichever is the default."""

EMBEDDED = "select max(rowid) from embeddings"

HAS_EMBEDDINGS = "select 1 from sqlite_master where name = 'embeddings'"


def state_of(db: sqlite3.Connection) -> str:
    """The name of what figures rest on now: 16 hexadecimal digits."""
    found = [tuple(db.execute(f"select count(*), {what} from {table}").fetchone()) for table, what in RESTS_ON.items()]
    if db.execute(HAS_EMBEDDINGS).fetchone():
        found.append(tuple(db.execute(EMBEDDED).fetchone()))
    return hashlib.sha256(repr(found).encode()).hexdigest()[:16]
