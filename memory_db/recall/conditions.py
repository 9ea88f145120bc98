"""Whether a prompt is the task or moment that a memory is for: "push the release" meets "before you push the release".

In: current memories with a condition; a question's words. Out: further members of a pool, and for members the bm25 and
the cosine of their condition alone. Invariant: the standard library is enough.
"""

from __future__ import annotations

import sqlite3

from memory_db.index import signatures
from memory_db.index.signatures import STORED
from memory_db.recall.pool import Pool
from memory_db.recall.scoring import CONDITION_FLOOR
from memory_db.recall.static_similarity import cosines_of
from memory_db.store.connection import id_list
from memory_db.text import static_vectors
from memory_db.text.terms import match_any

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from memory_db.recall.hits import Found
    from memory_db.recall.question import Question

BY_WORDS = 25
"""Memories that the words of their condition bring into a pool, the best bm25 first."""

BY_MEANING = 25
"""Memories that the meaning of their condition brings. Source: ours; few memories have a condition."""


BY_WORDS_SQL = """
select f.rowid from memory_fts f cross join memory_versions v on v.id = f.rowid
where memory_fts match :match{where} order by bm25(memory_fts, 0.0, 0.0, 0.0, 0.0, 1.0) limit :most
"""

WORDS_MET = """
select rowid, -bm25(memory_fts, 0.0, 0.0, 0.0, 0.0, 1.0) from memory_fts
where memory_fts match :match and +rowid in ({ids})
"""
"""The unary plus keeps SQLite from asking the full text once for each id."""


def meet_conditions(db: sqlite3.Connection, question: Question, found: Found, *, admit: bool = True) -> None:
    """Memories whose condition is near the question join the pool; members get what their condition says of it.

    Without `admit` none joins: what a profile gives no weight brings nothing, but is logged.
    """
    pool: Pool = found.pool
    if not pool.terms or db.execute("select 1 from condition_vectors limit 1").fetchone() is None:
        return
    match = f"condition : ({match_any(pool.terms)})"
    vector = static_vectors.text_vector(question.query)
    if admit:
        asked = {**pool.filter.parameters, "match": match, "most": BY_WORDS}
        by_words = [row[0] for row in db.execute(BY_WORDS_SQL.format(where=pool.filter.considered), asked)]
        near = signatures.nearest(db, "conditions", vector, BY_MEANING) if vector else []
        meaning = cosines_of(db, vector, *STORED["conditions"], near) if vector else {}
        pool.admit(db, [*by_words, *(each for each in near if meaning.get(each, 0.0) > CONDITION_FLOOR)])
    words_met = WORDS_MET.format(ids=id_list(pool.bm25))
    found.features["condition_bm25"] = dict(db.execute(words_met, {"match": match}).fetchall())
    if vector:
        found.features["condition_cosine"] = cosines_of(db, vector, *STORED["conditions"], pool.bm25)
