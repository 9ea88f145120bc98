"""Which memories may be over by what a claim says, though nothing proves it: a person is asked, and both are kept.

In: a claim, what stands near it, and the decision on it. Out: that decision with at most `MOST_ASKED` `Asked`.
Invariants: pure; nothing is replaced here; what is locked, of another place, or tells what happened once is left alone.
"""

from __future__ import annotations

import dataclasses

from memory_db.gate.change_rules import meant
from memory_db.gate.claims import Asked, Claim, Decision, Near, Seen, covers, covers_place, is_older
from memory_db.text.pair_tests import is_vague
from memory_db.text.perhaps_over import overwritten, perhaps_over, plainly_over
from memory_db.text.relations import DUPLICATE, EXTENDS, PAST, SUPERSEDES
from memory_db.text.statements import answered, reading

MOST_ASKED = 3
"""Memories that one claim puts before a person: what seems to change more than that is too general. Source: ours."""

FEWEST_SHARED = 4
"""Words that a text of one project shares with what held everywhere, where nothing names what is over. Source: ours."""

KEEPS = ("add", "contradicts", "supersede")
"""Actions that make a memory of a claim."""


KNOWN = ("duplicate", "merge")
"""Actions by which a memory that is there already says what a claim says."""


def asking(claim: Claim, seen: Seen, decision: Decision) -> Decision:
    """The decision with what a person is to be asked beside it."""
    is_told = claim.role == "user" or claim.backing is not None or claim.kind == "fix"
    if decision.action in KNOWN and decision.target is not None:
        named = replaced_by_known(claim, seen, decision.target)
        return dataclasses.replace(decision, asks=(named,)) if named else decision
    if decision.action == "propose" and decision.target is None and claim.role == "user":
        return beside_what_it_ends(claim, seen, decision)
    if decision.action not in KEEPS or decision.closed_by is not None or not is_told or claim.kind == "episode":
        return decision
    found = []
    for near in sorted(seen.near, key=lambda near: (-near.similarity.words, near.memory.id)):
        asked = asked_of(claim, near) if near.memory.id not in (decision.target, *decision.also) else None
        if asked is not None:
            found.append(asked)
    return dataclasses.replace(decision, asks=tuple(found[:MOST_ASKED])) if found else decision


def beside_what_it_ends(claim: Claim, seen: Seen, decision: Decision) -> Decision:
    """What waits for a person, with the first memory that is over if it is so."""
    for near in sorted(seen.near, key=lambda near: (-near.similarity.words, near.memory.id)):
        asked = asked_of(claim, near) if claim.kind not in PAST else None
        if asked is not None and not asked.is_later and not is_vague(asked.reason):
            reason = f"{decision.reason}; {near.memory.uid} may be over: {asked.reason}"
            return dataclasses.replace(decision, target=near.memory.id, reason=reason)
    return decision


def replaced_by_known(claim: Claim, seen: Seen, target: int) -> Asked | None:
    """The memory that a model names as replaced by what another memory says by now; None where it names none."""
    if not claim.hint or claim.role != "user":
        return None
    others = [near for near in seen.of(SUPERSEDES) if near.memory.id != target and not is_older(claim, near.memory)]
    for near in meant(claim, others)[:1]:
        if near.memory.lock_level == "none" and covers_place(claim, near.memory) and near.relation is not None:
            return Asked(near.memory.id, near.relation.reason)
    return None


def asked_of(claim: Claim, near: Near) -> Asked | None:
    """What is asked of one memory; None where nothing is."""
    memory, relation = near.memory, near.relation
    if memory.kind in PAST or memory.lock_level != "none":
        return None
    is_held = relation is not None and relation.kind in (DUPLICATE, EXTENDS)
    if is_held and not plainly_over(claim.text, memory.text):
        return None
    if claim.entry_id is not None and any(entry_id == claim.entry_id for entry_id, _ in memory.quotes):
        return None  # one message: the reasons for a change stand beside it
    is_later = is_older(claim, memory)
    is_placed = covers(memory, claim) if is_later else covers_place(claim, memory)
    if not is_placed and (is_later or not covers(memory, claim)):
        return None
    later, earlier = (memory.text, claim.text) if is_later else (claim.text, memory.text)
    # what cured an error tells of the past, but the file stays as it was edited
    reason = overwritten(later, earlier) if claim.kind in PAST else perhaps_over(later, earlier)
    if not reason or (not is_placed and is_vague(reason) and not share_much(later, earlier)):
        return None  # what the user says of one project is seldom news of what holds everywhere
    return Asked(memory.id, reason, is_later)


def share_much(later: str, earlier: str) -> bool:
    """Whether what two texts say themselves has so many words in common that it is of one matter."""
    said, before = (reading(answered(text)[1]).terms for text in (later, earlier))
    return len(said & before) >= FEWEST_SHARED
