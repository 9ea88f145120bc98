"""What a question takes from all texts that are asked together, beyond the one that is looked at: here those of a file.

How many texts have a word, which are the best by words or the nearest in meaning, which project is meant, what earlier
prompts came to: a score depends on all texts through these alone. Who asks many files as one (`fleet`) gives another
corpus, which answers for all of them; every number of a hit is measured in the file that has it.

In: a connection. Out: counts, and ids of that file. Invariant: reads only.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from memory_db.index import grams, signatures
from memory_db.recall import gather, meant, profiles
from memory_db.recall.complete import look_around
from memory_db.recall.measures import association, conditions
from memory_db.text.names import literals
from memory_db.text.wording import FileWords

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from memory_db.recall.filters import Filter
    from memory_db.recall.gather import Gathered, Pool
    from memory_db.recall.meant import Named
    from memory_db.recall.measures.association import History
    from memory_db.recall.measures.conditions import Condition
    from memory_db.recall.profiles import Profile
    from memory_db.recall.read import Query
    from memory_db.recall.similarity import Semantic

YOUNG = 30
"""Texts up to which idf says little: in a file of three notes a word that all of them have tells as much as any.

Source: ours; from some 30 texts on the idf of a word that a third of them have is what it is in a large file.
"""

TEXTS = f"""
select (select count(*) from (select 1 from memory_fts_docsize limit {YOUNG + 1}))
    + (select count(*) from (select 1 from entry_fts_docsize limit {YOUNG + 1}))
"""
"""How many texts a file has, as far as it matters: counting all of a large file takes a hook's time."""


class Corpus:
    """The texts of one file."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self.words = FileWords(db)

    # ------------------------------------------------------------ the question

    def profile(self, name: str) -> Profile:
        """The newest profile of a name. Raises: NotFoundError."""
        return profiles.load_profile(self.db, name)

    def named(self, text: str, home: int | None) -> Named | None:
        """The project that a text names, by a part of its name where it is said in that project alone."""
        return meant.named_in(self.db, text, home) or meant.part_named_in(self.db, text, home)

    def pointed_to(self, home: int | None, terms: Sequence[str], fewest: int) -> frozenset[int]:
        """The projects but the asker's that so many words point to."""
        return meant.pointed_to(self.db, home, terms, fewest)

    def sisters(self, home: int) -> frozenset[int]:
        """The projects that belong together with the asker's."""
        return meant.sisters_of(self.db, home)

    def sisters_spoken_of(self, home: int, sisters: frozenset[int], text: str) -> frozenset[int]:
        """Those of them that a text speaks of."""
        return meant.sisters_spoken_of(self.db, home, sisters, text)

    # ------------------------------------------------------------------ counts

    def documents(self, table: str) -> int:
        """How many texts a full text has."""
        return grams.count_all(self.db, table)

    def counts(self, table: str, terms: Iterable[str]) -> dict[str, int]:
        """In how many texts each term is, by words or by pairs of characters."""
        return grams.counts(self.db, table, terms)

    def literal_counts(self, table: str, asked: Iterable[str]) -> dict[str, int]:
        """In how many texts each literal stands, word by word."""
        return literals.literal_counts(self.db, table, asked)

    def newest_counts(self, table: str, words: Iterable[str]) -> tuple[int, dict[str, int]]:
        """How many of the newest texts there are, at most so many as tell what a word is worth; how many have each."""
        return grams.newest_counts(self.db, table, words)

    def entities(self, names: Sequence[str]) -> tuple[int, dict[int, int]]:
        """How many memories hold; and of the entities of these names, by id, how many memories name each."""
        from memory_db.knowledge.graph import entities  # noqa: PLC0415  # start-up: a hook's profile weighs none

        return entities.memory_counts(self.db, names)

    def is_young(self) -> bool:
        """Whether there are so few texts that idf says little."""
        return bool(self.db.execute(TEXTS).fetchone()[0] <= YOUNG)

    # -------------------------------------------------------------- what is found

    def gathered(self, query: Query, semantic: Semantic | None) -> Gathered:
        """What is considered for a question, with what stands around its entries. Raises: ModelError."""
        found = gather.gather(self.db, query, semantic)
        self.look_around(found.entries)
        return found

    def look_around(self, pool: Pool) -> None:
        """Notes what stands around each entry of a complete pool, and what its session speaks of."""
        look_around(self.db, pool)

    def entry_pool(self, query: Query) -> Pool:
        """The entries to consider for their words, with the neighbours of the best."""
        return gather.entry_pool(self.db, query)

    def fill_memories(self, pool: Pool, most: int) -> None:
        """Puts the memories that full text ranks first into a pool."""
        gather.fill_memories(self.db, pool, most)

    def fill_entries(self, pool: Pool, most: int) -> list[int]:
        """Puts the entries that full text ranks first into a pool; gives those whose neighbours join it."""
        return gather.fill_entries(self.db, pool, most)

    def nearest(self, sort: str, vector: bytes, most: int, newest: int | None = None) -> list[int]:
        """Ids of the texts of a sort whose signs are most like the vector's; see `signatures.nearest`."""
        return signatures.nearest(self.db, sort, vector, most, newest)

    def has_conditions(self) -> bool:
        """Whether any memory has a condition."""
        return self.db.execute("select 1 from condition_vectors limit 1").fetchone() is not None

    def conditions_by_words(self, asked: Condition, wanted: Filter) -> list[int]:
        """Versions of memories whose condition shares most with the question, by bm25 of the condition alone."""
        return conditions.by_words(self.db, asked, wanted)

    def condition_bm25(self, asked: Condition, version_ids: Iterable[int]) -> dict[int, float]:
        """The bm25 of the conditions that share a word with the question."""
        return conditions.condition_bm25(self.db, asked, version_ids)

    # ------------------------------------------------------------ earlier prompts

    def has_prompts(self, near: Sequence[int]) -> bool:
        """Whether any earlier prompt can be compared with a question; `near` are the nearest of this file."""
        return bool(near)

    def alike(self, query: Query, met: Mapping[int, float]) -> dict[int, float]:
        """How much each of the earlier prompts that are most like a question counts for it."""
        return association.likeness(self.db, query, met)

    def supported(self, like: Mapping[int, float]) -> History:
        """What prompts, each with how much it counts, came to."""
        return association.supported(self.db, like)

    def brought(self, history: History) -> list[int]:
        """The versions with the most support, which join a pool."""
        return association.brought_by(history)
