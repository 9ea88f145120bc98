"""Vectors of the conditions of memories, in rows of `condition_vectors`.

Invariants: the standard library is enough; a vector belongs to the condition of one memory version, goes when that
version goes, and is made again when the condition or the file of word vectors changes.
"""

from __future__ import annotations

import sqlite3

from memory_db.index import static_many
from memory_db.store.connection import transaction
from memory_db.text import static_vectors

BATCH = 1_000
"""Conditions between two commits: a tenth of a second's work."""


MISSING = """
select v.id, v.condition from memory_versions v left join condition_vectors c on c.memory_version_id = v.id
where v.recorded_to is null and v.condition <> '' and c.model is not ? order by v.id limit ?
"""


UPSERT = """
insert into condition_vectors (memory_version_id, model, vector) values (?, ?, ?)
on conflict (memory_version_id) do update set model = excluded.model, vector = excluded.vector
"""


def index_conditions(db: sqlite3.Connection) -> int:
    """Makes the vectors that are missing or of another model: how many. A condition of unknown words gets an empty one.

    Raises: ModelError if the file of word vectors is missing.
    """
    made = 0
    while rows := db.execute(MISSING, [static_vectors.MODEL_ID, BATCH]).fetchall():
        vectors = static_many.vectors_of([row[1] for row in rows])
        with transaction(db):
            db.executemany(
                UPSERT, [(row[0], static_vectors.MODEL_ID, vector) for row, vector in zip(rows, vectors, strict=True)]
            )
        made += len(rows)
    return made
