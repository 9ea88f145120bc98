"""What a question takes from all shards, as it is told to one of them: `recall` runs there as in any file.

In: a shard, counts of all, and what was decided of the question. Out: the numbers of hits, exactly those of one file.
Invariant: the formula and all that it is made of are `recall`'s; here is only what the file alone cannot know.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memory_db.fleet.numbers import Found, Numbers, Past
from memory_db.fleet.opened import Opened
from memory_db.fleet.ranking import Ranked, ranked
from memory_db.index import grams
from memory_db.index.semantic import Asked, EmbeddingIndex
from memory_db.recall.corpus import Corpus
from memory_db.recall.filters import Filter
from memory_db.recall.gather import Pool
from memory_db.recall.measures.association import History
from memory_db.recall.measures.conditions import Condition
from memory_db.recall.read import Query
from memory_db.text.scripts import is_gram


class ShardCorpus(Corpus):
    """All shards, as one of them knows them."""

    def __init__(self, shard: Opened, numbers: Numbers, found: Found | None = None, past: Past | None = None) -> None:
        super().__init__(shard.db)
        self.shard, self.numbers, self.past = shard, numbers, past
        self.found = found or Found()
        self.met: dict[int, float] = {}

    # ------------------------------------------------------------------ counts

    def documents(self, table: str) -> int:
        return self.numbers.documents[table]

    def counts(self, table: str, terms: Iterable[str]) -> dict[str, int]:
        return counted(self.numbers, table, terms)

    def literal_counts(self, table: str, asked: Iterable[str]) -> dict[str, int]:
        return {literal: self.numbers.literals[table, literal] for literal in asked}

    def newest_counts(self, table: str, words: Iterable[str]) -> tuple[int, dict[str, int]]:
        texts, having = self.numbers.newest[table]
        return texts, {word: having[word] for word in words}

    def entities(self, names: Sequence[str]) -> tuple[int, dict[int, int]]:
        own = entity_ids(self.shard, names)
        # What only other shards name counts too; it has no id here.
        known = {own.get(key, -place): count for place, (key, count) in enumerate(self.numbers.entities.items(), 1)}
        return self.numbers.active_memories, known

    def has_conditions(self) -> bool:
        return self.numbers.has_conditions

    # -------------------------------------------------------------- what is found

    def fill_memories(self, pool: Pool, most: int) -> None:
        for version, own, full, is_shown in self.found.memories:
            if is_shown:
                pool.bm25[version], pool.context_bm25[version] = own, full
            else:
                pool.outdated[version] = full

    def fill_entries(self, pool: Pool, most: int) -> list[int]:
        pool.bm25 = dict(self.found.entries)
        return list(self.found.best)

    def nearest(self, sort: str, vector: bytes, most: int, newest: int | None = None) -> list[int]:
        return list(self.found.near.get(sort, ()))

    def conditions_by_words(self, asked: Condition, wanted: Filter) -> list[int]:
        return list(self.found.conditions)

    def condition_bm25(self, asked: Condition, version_ids: Iterable[int]) -> dict[int, float]:
        wanted = set(version_ids)
        met = ranked_in(self.shard, "condition", tuple(self.numbers.conditions), self.numbers)
        return {
            version: bm25 for version, bm25 in zip(met.ids.tolist(), met.own.tolist(), strict=True) if version in wanted
        }

    # ------------------------------------------------------------ earlier prompts

    def has_prompts(self, near: Sequence[int]) -> bool:
        return self.found.has_prompts

    def alike(self, query: Query, met: Mapping[int, float]) -> dict[int, float]:
        self.met = dict(met)  # which of them count, all shards decide
        return {}

    def supported(self, like: Mapping[int, float]) -> History:
        return self.past.history if self.past else History()

    def brought(self, history: History) -> list[int]:
        return list(self.past.brought) if self.past else []


class ShardIndex(EmbeddingIndex):
    """The vectors of a shard, for a question that was embedded once for all; the nearest were chosen among all."""

    def __init__(self, shard: Opened, model: str, question: Asked, by_model: Mapping[str, Sequence[int]]) -> None:
        super().__init__(shard.db, model)
        self.question, self.by_model = question, by_model

    def asked(self, text: str) -> Asked:
        return self.question

    def search(
        self,
        query: str,
        memory_version_ids: Sequence[int],
        entry_ids: Sequence[int],
        nearest: int,
        among: Sequence[str] = ("memories", "entries"),
    ) -> tuple[dict[int, float], dict[int, float]]:
        if nearest:
            chosen = [self.by_model.get(sort, ()) if sort in among else () for sort in ("memories", "entries")]
            memory_version_ids, entry_ids = [*memory_version_ids, *chosen[0]], [*entry_ids, *chosen[1]]
        return super().search(query, memory_version_ids, entry_ids, 0, among)

    def nearest(self, sort: str, most: int) -> dict[int, float]:
        """Cosine by id of the nearest of this shard."""
        return super().search("", [], [], most, (sort,))[0 if sort == "memories" else 1]


def counted(numbers: Numbers, table: str, terms: Iterable[str]) -> dict[str, int]:
    """In how many texts of all shards each term is, by words or by pairs: as `grams.counts` counts in one file."""
    has_pairs = numbers.documents[grams.GRAM_TEXTS[table].table] > 0
    return {
        term: (0 if is_gram(term) else numbers.words[table, term])
        + (numbers.pairs[table, term] if has_pairs and grams.may_have(term) else 0)
        for term in terms
    }


def ranked_in(shard: Opened, table: str, terms: Sequence[str], numbers: Numbers) -> Ranked:
    """The texts of a shard with any of these words, by the bm25 of all shards."""
    having = numbers.conditions if table == "condition" else {term: numbers.words[table, term] for term in terms}
    return ranked([(term, shard.postings(table, term)) for term in terms], having, numbers.sizes[table])


def entity_ids(shard: Opened, names: Sequence[str]) -> dict[tuple[str, str], int]:
    """The ids here of the entities of these names."""
    marks = ", ".join("?" * len(names))
    rows = shard.db.execute(f"select kind, name, id from entities where name in ({marks})", list(names))
    return {(row[0], row[1]): row[2] for row in rows}
