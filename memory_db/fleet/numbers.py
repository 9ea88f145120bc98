"""What is known of all shards together when a question is asked, and what was decided of it so far; and ids of a fleet.

In: what shards told. Out: records that go to every shard. Invariant: no text of a shard is in them, but words of the
question.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from memory_db.fleet.ranking import Size
from memory_db.index.semantic import Asked
from memory_db.recall.measures.association import History

SHIFT = 40
"""Bits that the ids of one shard have: a trillion rows; what is above them is the shard's place in the catalogue."""

Key = tuple[Hashable, ...]
"""What is counted in a shard: how, in which full text, and of what."""


def shifted(shard: int, identifier: int) -> int:
    """The id of a shard's row among all shards: the shards one after the other, each in the order of its own."""
    return (shard << SHIFT) + identifier


def shard_of(identifier: int) -> int:
    """The shard of a shifted id."""
    return identifier >> SHIFT


def own_id(identifier: int) -> int:
    """The id in its shard of a shifted one."""
    return identifier & ((1 << SHIFT) - 1)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a shard says of itself when it is looked at: `stamp` changes with the file.

    `projects` are (id, name, path, remote) as texts may name them, `handles` what each project is known by,
    `keys` the number by which it goes in ties.
    """

    stamp: tuple[int, ...]
    sizes: Mapping[str, Size]
    documents: Mapping[str, int]
    projects: tuple[tuple[int, str, str, str | None], ...]
    handles: Mapping[int, frozenset[str]]
    keys: Mapping[int, int]
    memories_of: Mapping[int | None, int]
    sessions_of: Mapping[int | None, int]
    active_memories: int
    has_conditions: bool
    tied_sessions: int
    model: str
    has_tokens: bool
    profiles: tuple[tuple[object, ...], ...]
    entries: int


@dataclass(frozen=True, slots=True)
class Numbers:
    """Counts of all shards that are asked.

    Of `words`, `pairs` and `literals` by full text and term; of words that say nothing among the `newest` texts; of
    `conditions` by term, of `entities` by kind and name. `asked` is the question as the `model` reads it.
    """

    sizes: Mapping[str, Size] = field(default_factory=dict)
    documents: Mapping[str, int] = field(default_factory=dict)
    words: Mapping[tuple[str, str], int] = field(default_factory=dict)
    pairs: Mapping[tuple[str, str], int] = field(default_factory=dict)
    literals: Mapping[tuple[str, str], int] = field(default_factory=dict)
    newest: Mapping[str, tuple[int, Mapping[str, int]]] = field(default_factory=dict)
    conditions: Mapping[str, int] = field(default_factory=dict)
    entities: Mapping[tuple[str, str], int] = field(default_factory=dict)
    active_memories: int = 0
    has_conditions: bool = False
    asked: Asked | None = None
    model: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What of one shard is considered: its part of the best of all, by ids of its own.

    `memories` are (version, bm25, bm25 with context, whether it may be shown), `entries` (entry, bm25) with the `best`
    whose neighbours join; `near` the nearest by vectors, `by_model` those by the full model, by sort; `conditions` the
    memories whose condition is met by words; `has_prompts` says whether any shard has an earlier prompt near it.
    """

    memories: tuple[tuple[int, float, float, bool], ...] = ()
    entries: tuple[tuple[int, float], ...] = ()
    best: tuple[int, ...] = ()
    near: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    by_model: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    conditions: tuple[int, ...] = ()
    has_prompts: bool = False


@dataclass(frozen=True, slots=True)
class Past:
    """What earlier prompts of all shards say of one shard's memories, and which of those join the pool."""

    history: History = field(default_factory=History)
    brought: tuple[int, ...] = ()
