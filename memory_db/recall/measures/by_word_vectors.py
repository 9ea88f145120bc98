"""How near texts are by static word vectors: by the mean of a text, and word by word.

In: what was gathered, complete. Out: numbers by memory version and by entry, of the texts, of what stands around them,
and of their sessions. Invariant: only what has a vector in the file has a number.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import sqlite3

from memory_db.index.signatures import STORED
from memory_db.recall.measures.around import REACH, sources_around
from memory_db.recall.similarity import Cosines, context_cosines, cosines_of, session_cosines, stored_signs
from memory_db.text.word_signs import likenesses

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from memory_db.recall.gather import Gathered

STATIC_CONTEXT = ("static_context_semantic", "static_session_semantic")
"""Signals that look at what stands around each hit: only where a profile gives one of them weight."""

WORD_BY_WORD = ("static_interaction", "static_session_interaction")
"""Signals that compare word by word."""


def vector_cosines(
    db: sqlite3.Connection, vector: bytes, found: Gathered, *, context: bool, as_of: str | None
) -> tuple[Cosines, Cosines]:
    """The same by static word vectors; of what stands around them and of their sessions only if wanted."""
    memories, entries = found.memories, found.entries
    own = cosines_of(db, vector, *STORED["memories"], memories.bm25)
    if not context:
        return Cosines(own), Cosines(cosines_of(db, vector, *STORED["entries"], entries.bm25))
    sources = sources_around(db, memories.bm25, as_of)
    said = {near for _, near, distance, _ in (*entries.around, *sources) if distance <= REACH}
    cosines = cosines_of(db, vector, *STORED["entries"], said)
    return (
        Cosines(own, context_cosines(sources, cosines)),
        Cosines(
            {entry: cosines[entry] for entry in entries.bm25 if entry in cosines},
            context_cosines((row for row in entries.around if row[2]), cosines),
            session_cosines(entries.around, cosines),
        ),
    )


def word_likenesses(db: sqlite3.Connection, found: Gathered) -> tuple[Cosines, Cosines]:
    """How well the question's words are met in each memory and entry, and in the sessions of entries.

    What stands around a text is not looked at: on all labelled sets together it earned no weight.
    """
    if not found.words:
        return Cosines(), Cosines()
    own = likenesses(found.words, stored_signs(db, *STORED["memories"], found.memories.bm25))
    said = likenesses(found.words, stored_signs(db, *STORED["entries"], found.entries.bm25))
    around = [row for row in found.entries.around if row[1] in said]
    return Cosines(own), Cosines(said, session=session_cosines(around, said))
