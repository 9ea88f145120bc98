"""A hit in a brief: what is read of it, and what is decided about it.

In: a hit, which never changes. Out: a `Placement`, filled in and decided on in the modules beside this one. Invariant:
whatever is decided, the hit and its score stay as they were.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import sqlite3

from memory_db.recall.brief.roles import role_of
from memory_db.recall.hits import Hit
from memory_db.recall.scoring import signals
from memory_db.recall.search import Recalled, look_up_cosines
from memory_db.records import dataclass, field

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from memory_db.recall.features import HitFeatures


@dataclass(slots=True)
class Placement:
    """One hit considered for a brief: what a reader sees of it, its signals if it is kept, and its place or the reason.

    What a reader sees is filled in where it is needed: `uid` is empty until then. `replaced` tells of an outdated
    memory that it came after; `contradicted` is the uid of one that says the opposite, where nobody has decided yet;
    `is_contradicted_in_part` where the later one ends a part of what the earlier says and the rest holds, `is_later`
    where it is that one; `value_before` is the one value that the earlier has for it. `perhaps_over` is the uid of a
    later one that may have replaced it, and `why_over` says why.
    `is_at_start`: a session begins with it, and its line says no source: all of them are the user's.
    `is_by_user`: a person added it. `is_trusted`: the user added, said or confirmed it.
    `rank` is its place among the shown, or None with a reason; `role` is the part of
    a brief that it belongs to; what is shown has its reason and what its line costs. `is_kept`: it is logged.
    `older_score` is that of an older memory that it is told in the place of; `lead` is how far it scores above the
    rest and `lead_needed` how far it must, where that was asked (see `standing`).
    `is_exceeded`: the prompt goes beyond a limit that it sets.
    `earlier_prompts` are those behind its association, where somebody reads them.
    """

    hit: Hit
    signals: dict[str, float] = field(default_factory=dict)
    uid: str = ""
    title: str = ""
    text: str = ""
    kind: str = ""
    project: str | None = None
    session_uid: str | None = None
    created_at: str = ""
    valid_to: str | None = None
    tokens: int = 0
    source_entry_ids: frozenset[int] = frozenset()
    replaced: str = ""
    contradicted: str = ""
    is_contradicted_in_part: bool = False
    is_later: bool = False
    perhaps_over: str = ""
    why_over: str = ""
    value_before: str = ""
    is_by_user: bool = False
    is_at_start: bool = False
    is_trusted: bool = False
    rank: int | None = None
    left_out_reason: str | None = None
    role: str = ""
    shown_reason: str = ""
    shown_tokens: int | None = None
    is_kept: bool = False
    evidence: float = 0.0
    older_score: float = 0.0
    lead: float | None = None
    lead_needed: float | None = None
    is_exceeded: bool = False
    line: str = ""
    earlier_prompts: Sequence[Mapping[str, Any]] = ()
    short_uid: str = ""
    entry_ids: frozenset[int] = frozenset()

    @property
    def type(self) -> str:
        """Whether it is a memory or an entry, in one word."""
        return "entry" if self.hit.memory_version_id is None else "memory"

    @property
    def memory_version_id(self) -> int | None:
        """The version of a memory that it is."""
        return self.hit.memory_version_id

    @property
    def entry_id(self) -> int | None:
        """The entry that it is."""
        return self.hit.entry_id

    @property
    def features(self) -> HitFeatures:
        """Its raw numbers."""
        return self.hit.features

    @property
    def is_rule(self) -> bool:
        """Whether it binds the agent wherever it is met: locked, or of a binding kind, and not of elsewhere."""
        features = self.hit.features
        binds = features.lock_level != "none" or role_of(features.kind) == "constraints"
        return binds and features.holds_here()

    @property
    def is_for_it(self) -> bool:
        """Whether it holds here and is for the very act that the question is about, whatever it scores."""
        return self.hit.features.is_for_it() and self.hit.features.holds_here()

    @property
    def is_due(self) -> bool:
        """Whether it is told to a model whatever it scores: it is for the very act, or its limit is exceeded."""
        return self.is_exceeded or self.is_for_it

    @property
    def is_of_sister(self) -> bool:
        """Whether it is known in a sister project, and holds here for no other reason."""
        return bool(self.features.sister_project) and not self.features.holds_here()

    def is_beside(self, other: Placement) -> bool:
        """Whether it is a memory of the other one's session: a rule, and how it is kept to."""
        return self.type == "memory" and bool(self.session_uid) and self.session_uid == other.session_uid

    @property
    def score(self) -> float:
        """Its score."""
        return self.hit.score

    @property
    def standing_score(self) -> float:
        """Its score, or that of what it is told in the place of: who met that one meets this one."""
        return max(self.hit.score, self.older_score)

    @property
    def position(self) -> int:
        """Its place by score, from 1."""
        return self.hit.position

    @property
    def replaces(self) -> tuple[int, ...]:
        """Outdated versions that met the question and that it came after."""
        return self.hit.replaces


def keep_all(db: sqlite3.Connection, recalled: Recalled, placed: Sequence[Placement]) -> None:
    """Keeps hits, with every signal, also those that weigh nothing in this profile."""
    look_up_cosines(db, recalled, [each.hit for each in placed])
    for each in placed:
        each.is_kept = True
        each.signals = signals(recalled.query_features, each.hit.features)


def reason_for(hit: Placement) -> str:
    """Why a hit is shown, in a word or two; mostly its score alone."""
    if hit.features.lock_level == "user":
        return "locked"
    if hit.is_exceeded:
        return "the prompt goes beyond it"
    if hit.contradicted:
        return "open contradiction"
    if hit.features.found_by:
        return f"found by {hit.features.found_by}"
    return "successor of what was met" if hit.replaced else "score"


def in_turn(hits: Sequence[Placement]) -> list[Placement]:
    """Hits in the order in which they are offered to a brief: memories first, by score, each behind what it is told in
    the place of."""
    return sorted(hits, key=lambda hit: (hit.type == "entry", -hit.standing_score, hit.score))
