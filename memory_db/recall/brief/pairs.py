"""Memories that stand against each other: of each pair the newest that holds, which alone is told.

In: the hits of a question that does not ask for the past. Out: the versions that a newer one stands against, and those
newer ones. Invariants: reads only; what a person locked is never the older one, nor is what the user said beside what
they neither said nor confirmed; nobody decides here which one is true,
a person does (`memory-db review`).
"""

from __future__ import annotations

import sqlite3

from memory_db.recall.brief.allowed import BEHIND_BEST_LINE, NO_BETTER, OLDER, READ_BEFORE
from memory_db.recall.brief.fill import fill_in
from memory_db.recall.brief.placement import reason_for

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memory_db.recall.brief.placement import Placement
    from memory_db.recall.search import Question

CURRENT = """
select v.id from memories m join memory_versions v on v.memory_id = m.id and v.recorded_to is null
where m.uid in ({marks})
"""


OF_ITSELF = 0.5
"""Share of the least evidence that the newer of two brings by itself, from which on a prompt is told it alone.

Source: ours; with less the prompt is about what else the older one says, or the two were taken for a pair by mistake.
"""


class Pairs:
    """The older of each pair of memories, by version with the uid of the newer, and the versions of the newer ones.

    One that is over only in part, or may be over, is told with the newer one beside it; at a prompt the newer one is
    told alone where the prompt meets that too. Where the older one is met the newer is, so it has the evidence of both,
    and stands out as the better of them does.
    """

    def __init__(self, db: sqlite3.Connection, question: Question, hits: Sequence[Placement]) -> None:
        self.older: dict[int | None, str] = {}
        self.newer: set[int | None] = set()
        self.beside: list[tuple[Placement, Placement]] = []
        self.instead: list[tuple[Placement, Placement]] = []
        told = {hit.uid for hit in hits if hit.uid}
        others = [each for hit in hits for each in (hit.contradicted, hit.perhaps_over) if each and each not in told]
        self.fetch(db, question, hits, others)
        whole = (hit for hit in hits if hit.contradicted and not hit.is_contradicted_in_part)
        least = OF_ITSELF * (question.least_for_rules or 0.0)
        met = {hit.uid for hit in hits if question.is_unasked and hit.evidence >= least}
        by_uid = {hit.uid: hit for hit in whole if hit.features.holds_here() or hit.is_of_sister}
        for hit in by_uid.values():
            other = by_uid.get(hit.contradicted)
            if other and other.is_of_sister is not hit.is_of_sister:
                continue
            if other and hit.features.lock_level != "user" and is_older(hit, other) and may_silence(other, hit):
                self.older[hit.memory_version_id] = other.uid
                self.stands_for(other, hit)
        known = {hit.uid: hit for hit in hits if hit.uid and hit.features.holds_here()}
        for hit in sorted((each for each in hits if each.features.holds_here()), key=when):
            for uid in (hit.perhaps_over, hit.contradicted if hit.is_contradicted_in_part else ""):
                newer = known.get(uid)
                if newer and is_older(hit, newer) and may_silence(newer, hit):
                    self.stands_for(newer, hit)
                    is_alone = uid in met and hit.features.lock_level != "user" and not hit.is_due
                    (self.instead if is_alone else self.beside).append((hit, newer))

    def stands_for(self, newer: Placement, older: Placement) -> None:
        """Notes that who meets an older memory meets a newer one: it has the evidence of both."""
        self.newer.add(newer.memory_version_id)
        newer.evidence = max(newer.evidence, older.evidence)
        newer.older_score = max(newer.older_score, older.standing_score)

    def put_newer_first(self, hits: Sequence[Placement], line: Callable[[Placement], object]) -> None:
        """Tells the newer of two that stand beside each other, and first, or alone; `line` counts what a hit takes."""
        newer_alone(self.instead, hits)
        newer_first(self.beside, hits)
        for _, newer in self.instead:
            if newer.rank is not None:
                line(newer)  # it says by now what it is told in the place of

    def fetch(self, db: sqlite3.Connection, question: Question, hits: Sequence[Placement], uids: list[str]) -> None:
        """Fills in the other sides that are considered too, but were not filled in yet."""
        if uids:
            rows = db.execute(CURRENT.format(marks=", ".join("?" * len(uids))), uids)
            versions = {row[0] for row in rows}
            fill_in(db, [hit for hit in hits if hit.memory_version_id in versions], question.filters.as_of)


def newer_first(beside: Sequence[tuple[Placement, Placement]], hits: Sequence[Placement]) -> None:
    """Gives the newer of two that stand beside each other, the older one first here, the better rank of both.

    One that was chosen, and then taken out for scoring no better than the rest, comes back: the older one alone would
    mislead.
    """
    for older, newer in beside:
        if older.rank is not None and newer.rank is None and newer.left_out_reason in (NO_BETTER, BEHIND_BEST_LINE):
            newer.rank = 1 + sum(hit.rank is not None for hit in hits)
            newer.shown_reason, newer.left_out_reason = reason_for(newer), None
        if older.rank is not None and newer.rank is not None and older.rank < newer.rank:
            older.rank, newer.rank = newer.rank, older.rank


def newer_alone(instead: Sequence[tuple[Placement, Placement]], hits: Sequence[Placement]) -> None:
    """Tells the newer of two, the older one first here, in the place of both; where the session has read it, neither.

    The pairs come by the age of the older one, so that of a row of changes the newest alone is told. One that may not
    be told for another reason than its score leaves the older one where it is.
    """
    for older, newer in instead:
        comes_back = newer.rank is None and newer.left_out_reason in (NO_BETTER, BEHIND_BEST_LINE)
        is_read = newer.rank is None and newer.left_out_reason in READ_BEFORE
        if older.rank is None or not (comes_back or is_read or newer.rank is not None):
            continue
        if not is_read:
            newer.rank = min(older.rank, newer.rank or older.rank)
            newer.replaced = newer.replaced or (
                "" if newer.contradicted == older.uid else f"perhaps in place of {older.uid}"
            )
            newer.shown_reason, newer.left_out_reason = newer.shown_reason or reason_for(newer), None
        older.rank, older.shown_reason, older.left_out_reason = None, "", OLDER.format(newer.uid)
    told = sorted((hit for hit in hits if hit.rank is not None), key=lambda hit: hit.rank or 0)
    for rank, hit in enumerate(told if instead else (), start=1):
        hit.rank = rank


class NoPairs:
    """No pair, where nobody looks for one."""

    older: Mapping[int | None, str] = {}
    newer: frozenset[int | None] = frozenset()

    def put_newer_first(self, hits: Sequence[Placement], line: Callable[[Placement], object]) -> None:
        """Nothing to put."""


NO_PAIRS = NoPairs()


def may_silence(newer: Placement, older: Placement) -> bool:
    """Whether a newer memory may stand for an older one: the user's words give way to no word of an agent's alone."""
    return newer.is_trusted or not older.is_trusted


def is_older(hit: Placement, other: Placement) -> bool:
    """Whether a memory was said before another one."""
    return when(hit) < when(other)


def when(hit: Placement) -> tuple[str, str]:
    """When a memory was said; of two at one moment always the same one first."""
    return hit.created_at, hit.uid
