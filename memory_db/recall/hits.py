"""What is considered for a question: a `Candidate` while it is gathered and measured, a `Hit` once it has its score.

In: candidates with their raw numbers. Out: hits in order of score. Invariant: a hit never changes; what a brief makes
of it is a record of its own (`brief.placement`).

A hook loads this: the standard library alone.
"""

from __future__ import annotations

from memory_db.recall import scoring
from memory_db.records import dataclass

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_db.recall.features import HitFeatures, QueryFeatures
    from memory_db.recall.profiles import Profile


@dataclass(slots=True)
class Candidate:
    """A version of a memory, or an entry, with the numbers that it is scored by.

    `replaces` are outdated versions that met the question and that this memory came after.
    """

    memory_version_id: int | None
    entry_id: int | None
    features: HitFeatures
    replaces: tuple[int, ...] = ()


@dataclass(slots=True, frozen=True)
class Hit:
    """A candidate with its score; `position` is its place by score, from 1."""

    memory_version_id: int | None
    entry_id: int | None
    features: HitFeatures
    replaces: tuple[int, ...]
    score: float
    position: int

    @property
    def type(self) -> str:
        """Whether it is a memory or an entry, in one word."""
        return "entry" if self.memory_version_id is None else "memory"


def score(profile: Profile, features: QueryFeatures, candidates: Iterable[Candidate | Hit]) -> list[Hit]:
    """Hits by their score under a profile, best first; those scored before get the score of this one."""
    scored = [(scoring.score_of(profile.weights, features, each.features), each) for each in candidates]
    scored.sort(key=in_order)
    return [
        Hit(each.memory_version_id, each.entry_id, each.features, each.replaces, value, position)
        for position, (value, each) in enumerate(scored, start=1)
    ]


def in_order(scored: tuple[float, Candidate | Hit]) -> tuple[float, float, bool, int]:
    """What puts hits in order: the score, words in common; entries before memories, and older rows first."""
    value, each = scored
    return -value, -each.features.bm25, each.memory_version_id is not None, each.memory_version_id or each.entry_id or 0
