"""What a shard says of itself, and of words: what all shards together need before a question is asked of any.

In: an opened shard. Out: `Facts`, and counts by key. Invariant: nothing but numbers, names of projects and stems leaves
the shard.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from memory_db.fleet.numbers import Facts, Key
from memory_db.fleet.opened import Opened
from memory_db.fleet.ranking import size_of
from memory_db.fleet.shard_corpus import entity_ids
from memory_db.index import grams
from memory_db.index.roots import Roots
from memory_db.index.semantic import open_semantic
from memory_db.knowledge.graph.entities import memory_counts
from memory_db.recall import meant
from memory_db.recall.measures import association
from memory_db.store.connection import tuples
from memory_db.text.names.literals import literal_counts
from memory_db.text.terms import match_term
from memory_db.text.wording import VOCABULARIES, FileWords
from memory_db.upkeep.merge.projects import handles

TABLES = ("memory_fts", "entry_fts", "memory_gram_fts", "entry_gram_fts")

PROFILES = "select name, version, id, weights, threshold from profiles"


def facts(shard: Opened) -> Facts:
    """What a shard says of itself."""
    db = shard.db
    semantic = open_semantic(db)
    sizes = {table: size_of(db, table) for table in TABLES}
    found = Facts(
        stamp=shard.stamp(),
        sizes=sizes,
        documents={table: grams.count_all(db, table) for table in TABLES},
        projects=tuple(tuples(db, meant.PLACES, ())),
        handles={project: frozenset(each) for project, each in handles(db).items()},
        keys=Roots.of(db).keys,
        memories_of=dict(tuples(db, meant.MEMORIES, ())),
        sessions_of=dict(tuples(db, meant.SESSIONS, ())),
        active_memories=db.execute("select count(*) from memories where status = 'active'").fetchone()[0],
        has_conditions=db.execute("select 1 from condition_vectors limit 1").fetchone() is not None,
        tied_sessions=association.tied_sessions(db),
        model=semantic.model if semantic else "",
        has_tokens=semantic.has_tokens() if semantic else False,
        profiles=tuple(tuples(db, PROFILES, ())),
        entries=db.execute("select count(*) from entries").fetchone()[0],
    )
    if semantic:
        semantic.refresh()
    return found


def count(shard: Opened, keys: Sequence[Key]) -> list[object]:
    """What a shard has of each key; see `COUNTERS`."""
    return [COUNTERS[str(key[0])](shard, *key[1:]) for key in keys]


def count_words(shard: Opened, table: str, term: str) -> int:
    """In how many texts a term stands."""
    return grams.count(shard.db, table, [match_term(term)])


def is_known(shard: Opened, table: str, word: str) -> int:
    """Whether any text has a word."""
    return int(
        shard.db.execute(f"select 1 from {table} where {table} match ? limit 1", [f'"{word}"']).fetchone() is not None
    )


def count_stem(shard: Opened, table: str, stem: str) -> int:
    """In how many texts a stem is."""
    row = shard.db.execute(f"select doc from {VOCABULARIES[table]} where term = ?", [stem]).fetchone()
    return int(row[0]) if row else 0


def stems_between(shard: Opened, table: str, start: str, end: str, most: int) -> list[tuple[str, int]]:
    """The first stems between two, each with the number of its texts."""
    return FileWords(shard.db).stems_between(table, start, end, most)


def count_literal(shard: Opened, table: str, literal: str) -> int:
    """In how many texts a literal stands."""
    return literal_counts(shard.db, table, [literal])[literal]


def count_newest(shard: Opened, table: str, word: str, most: int) -> int:
    """In how many of the newest texts a word stands."""
    return grams.newest_counts(shard.db, table, [word], most)[1][word] if most and word else 0


def count_condition(shard: Opened, term: str) -> int:
    """How many conditions have a word."""
    return len(shard.postings("condition", term).ids)


def count_entities(shard: Opened, name: str) -> list[tuple[str, str, int]]:
    """Entities of a name, by kind, with the number of memories that name each."""
    ids = entity_ids(shard, [name])
    counted = memory_counts(shard.db, [name])[1]
    return [(kind, found, counted[identifier]) for (kind, found), identifier in ids.items() if identifier in counted]


def count_projects(shard: Opened, term: str) -> list[list[int | None]]:
    """Projects of the first texts that have a term, of memories and of entries."""
    asked = [match_term(term), meant.MOST_TEXTS]
    return [[row[0] for row in tuples(shard.db, sql, asked)] for sql in (meant.OF_MEMORIES, meant.OF_ENTRIES)]


COUNTERS: Mapping[str, Callable[..., object]] = {
    "words": count_words,
    "known": is_known,
    "stem": count_stem,
    "stems between": stems_between,
    "literal": count_literal,
    "newest": count_newest,
    "condition": count_condition,
    "entities": count_entities,
    "projects": count_projects,
}
"""What can be counted, each with what else its key names."""
