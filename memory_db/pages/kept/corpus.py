"""What a question meets in a file, kept while the texts are the same: a page asks one question in many ways.

In: a file, a connection to it, and a question. Out: what `Corpus` gives. Invariant: what is kept rests on the words of
the question, whom it asks and what the profile weighs, never on the moment or on what was shown: the weights of its
sliders, the sides that compare, its JSON and its prose are scored anew from what was met once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING

from memory_db.index.semantic import EmbeddingIndex
from memory_db.pages.cache import cached
from memory_db.recall.corpus import Corpus
from memory_db.records import replace

if TYPE_CHECKING:
    from memory_db.recall.gather import Gathered, Pool
    from memory_db.recall.read import Query
    from memory_db.recall.similarity import Semantic


MOST_QUESTIONS = 8
"""Questions of which a file's server keeps what they met, the last ones: .7 MB each on 200,000 entries."""


class KeptEntries(Corpus):
    """The same of which the entries that a question meets are kept for themselves: most writes add none."""

    def __init__(self, db: sqlite3.Connection, path: Path, key: tuple[Hashable, ...]) -> None:
        super().__init__(db)
        self.path = path
        self.key = key

    def entry_pool(self, query: Query) -> Pool:
        """The entries to consider for their words, with the neighbours of the best."""

        def make(db: sqlite3.Connection) -> Pool:
            here = Corpus(db)
            return here.entry_pool(replace(query, corpus=here))

        pool = cached(self.path, ("entries met", *self.key), make, by_table=True, most=MOST_QUESTIONS)
        return replace(pool, bm25=dict(pool.bm25), outdated=dict(pool.outdated))

    def look_around(self, pool: Pool) -> None:
        """Notes what stands around each entry of a complete pool, and what its session speaks of."""

        def make(db: sqlite3.Connection) -> Pool:
            looked = replace(pool)
            Corpus(db).look_around(looked)
            return looked

        key = ("around entries", *self.key, tuple(pool.bm25))
        looked = cached(self.path, key, make, by_table=True, most=MOST_QUESTIONS)
        pool.around, pool.context_bm25 = looked.around, dict(looked.context_bm25)
        pool.session_keyword = dict(looked.session_keyword)


class KeptCorpus(Corpus):
    """The texts of one file, of which a server keeps what the last questions met."""

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        super().__init__(db)
        self.path = path

    def gathered(self, query: Query, semantic: Semantic | None) -> Gathered:
        model = semantic.model if semantic else ""

        def make(db: sqlite3.Connection) -> Gathered:
            here = KeptEntries(db, self.path, key)
            return here.gathered(replace(query, corpus=here), EmbeddingIndex(db, model) if model else None)

        weighed = frozenset(signal for signal, weight in query.profile.weights.items() if weight)
        # How many are shown, and from which score on, is decided after all this.
        asked = replace(query.question, profile="", limit=1, budget_tokens=None, threshold=None, least_evidence=None,
                        least_for_rules=None)  # fmt: skip
        read = (query.terms, query.literals, str(query.words), query.paths, query.meant)
        key = (asked, read, weighed, model)
        return cached(self.path, ("gathered", *key), make, by_table=True, most=MOST_QUESTIONS).with_own_memories()
