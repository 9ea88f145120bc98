"""What the rules of the gate look at: a claim, the memories near it, and how it stands to each.

In: a candidate and memories as plain values. Out: `Seen`, all that a rule knows. Invariant: pure; nothing here reads a
file, and a memory that no longer holds stands in no relation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from memory_db.redact.clean import clean
from memory_db.text.clauses import Thresholds
from memory_db.text.relations import Relation, Similarity, Statement, relation
from memory_db.text.statements import jaccard, reading

AGENTS_WORD = "rests on the word of the agent"
"""How the reason begins for what waits for a person until something backs it; a second sighting does."""

USERS_KINDS = ("convention", "correction", "preference")
"""Kinds of what the user wants: how things are, as an agent finds them, does not stand against it."""

HEDGED = re.compile(
    r"^\W*(?:[\w']+\W+){0,3}?(?:maybe|perhaps|probably|possibly|presumably|i guess|i suppose|not sure|i'm not sure)\b"
    r"|\b(?:we|you|i|it|that) (?:might|may|could) (?:also |just |even )?(?:want to|try|switch|consider|be worth)\b"
    r"|\bworth (?:considering|trying|a try|thinking about)\b|\bsomeday\b|\bat some point\b|\bundecided\b",
    re.IGNORECASE,
)
"""Words of somebody who has not made up their mind, where the claim begins."""


@lru_cache(maxsize=2_000)
def cleaned(text: str) -> str:
    """A text as it may be stored, remembered: several steps need the same one."""
    return clean(text)[0]


@dataclass(slots=True, frozen=True)
class Claim:
    """A candidate as the rules of the gate see it.

    `hint`: in words, what it is said to replace; `backing`: what bears out the word of an agent; `unfit`: why its
    exchange shows that it is not to be kept.
    """

    text: str
    kind: str
    scope: str
    project_id: int | None
    quote: str = ""
    rule: str = ""
    role: str = "user"
    is_by_model: bool = False
    is_quote_found: bool = True
    hint: str = ""
    said_at: str = ""
    session_id: int | None = None
    backing: str = ""
    unfit: str = ""


@dataclass(slots=True, frozen=True)
class Neighbour:
    """A memory that may say the same, with the cosine of the vectors, if there are any.

    `said_at` is when it was last said, `ended_at` until when it held, if another one replaced it.
    """

    id: int
    uid: str
    scope: str
    project_id: int | None
    text: str
    status: str = "active"
    kind: str = ""
    lock_level: str = "none"
    said_at: str = ""
    cosine: float | None = None
    ended_at: str = ""


@dataclass(slots=True, frozen=True)
class WaitingCandidate:
    """A candidate that waits for a second sighting."""

    id: int
    uid: str
    text: str
    scope: str
    project_id: int | None
    session_id: int | None
    cosine: float | None = None


@dataclass(slots=True, frozen=True)
class CosineLimits:
    """From which cosine on two texts may be the same, and from which they are about the same."""

    duplicate: float = 0.95
    related: float = 0.6


@dataclass(slots=True, frozen=True)
class Decision:
    """What is done, with which memory, and why.

    A pending one says what `would` be done and what it `waits_for`; `graduates` is the waiting candidate that this
    one is the second sighting of; `relation` how the candidate stands to the target; `closed_by` is the memory that was
    said later and replaces what the candidate says.
    """

    action: str
    target: int | None
    reason: str
    would: str = ""
    waits_for: str = ""
    graduates: int | None = None
    relation: Relation | None = None
    closed_by: int | None = None


@dataclass(slots=True, frozen=True)
class Near:
    """A neighbour with how the claim stands to it."""

    memory: Neighbour
    relation: Relation | None
    similarity: Similarity


@dataclass(slots=True, frozen=True)
class Seen:
    """All that the rules know beside the claim. `past` are neighbours that were replaced, and said after the claim."""

    memories: Sequence[Neighbour] = ()
    near: Sequence[Near] = ()
    waiting: Sequence[WaitingCandidate] = ()
    limits: CosineLimits = field(default_factory=CosineLimits)
    past: Sequence[Near] = ()

    def of(self, kind: str) -> list[Near]:
        """Neighbours to which the claim stands so, the surest first."""
        return self.sure(self.near, kind)

    def sure(self, nears: Sequence[Near], kind: str) -> list[Near]:
        """Those to which the claim stands so, the surest first."""
        found = [near for near in nears if near.relation is not None and near.relation.kind == kind]
        return sorted(found, key=lambda near: (-near.relation.score if near.relation else 0.0, near.memory.id))


def look(
    claim: Claim, neighbours: Iterable[Neighbour], waiting: Iterable[WaitingCandidate], limits: CosineLimits
) -> Seen:
    """What stands near a claim, each with its relation; a memory that no longer holds stands in none."""
    memories = list(neighbours)
    near = [compare(claim, memory, limits) for memory in memories if memory.status == "active"]
    replaced = [memory for memory in memories if memory.status == "superseded" and is_older(claim, memory)]
    past = [compare(claim, memory, limits) for memory in replaced]
    return Seen(memories, near, list(waiting), limits, past)


def is_older(claim: Claim, memory: Neighbour) -> bool:
    """Whether a claim was said before a memory was last said; words without a time are of now."""
    return bool(claim.said_at) and claim.said_at < memory.said_at


def compare(claim: Claim, memory: Neighbour, limits: CosineLimits) -> Near:
    """How a claim stands to a memory."""
    words = jaccard(reading(claim.text).terms, reading(memory.text).terms)
    similarity = Similarity(words, memory.cosine)
    found = relation(
        statement(claim),
        Statement(memory.text, memory.kind, memory.scope, memory.project_id, memory.said_at),
        similarity,
        Thresholds(related_cosine=limits.related),
    )
    return Near(memory, found, similarity)


def statement(claim: Claim) -> Statement:
    """A claim as relations are asked about it."""
    by_user = claim.role == "user"
    return Statement(claim.text, claim.kind, claim.scope, claim.project_id, claim.said_at, by_user, (), claim.hint)
