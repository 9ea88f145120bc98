"""What a candidate changes of what is known: it replaces a memory, says more than one, or cannot hold beside one.

In: a claim and what stands near it. Out: a `Decision`, or None. Invariants: pure; what is sure replaces, what is likely
goes before a person; what a person locked is out of reach.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from memory_db.extract.files.risks import URL, risk_of_typed
from memory_db.extract.rules.backing import SHOWN
from memory_db.gate.claims import (
    A_PERSON,
    NAMED,
    USERS_KINDS,
    Claim,
    Decision,
    Near,
    Seen,
    covers,
    covers_place,
    in_words,
    is_older,
    is_same_place,
)
from memory_db.text.addresses import addresses, tells_new_address
from memory_db.text.attribute_values import settings_of
from memory_db.text.change_markers import marks
from memory_db.text.moved import flat
from memory_db.text.opposites import GROUP_OF
from memory_db.text.pair_tests import MAY_CHANGE, is_vague
from memory_db.text.perhaps_over import plainly_over
from memory_db.text.relations import CONTRADICTS, EXTENDS, SUPERSEDES, Relation, plain
from memory_db.text.statements import answered, reading, stems
from memory_db.text.verdicts import READ_CHARACTERS, sentences, verdicts
from memory_db.text.verdicts import plain as plain_prompt

ALIKE = ("explicit", "changed_setting")
"""Tests of relations by which a text surely replaces what sets the value that it calls over."""

IS_IT_SO = ": is it so?"
"""How the reason ends of what a person is asked about."""

CHANGES = ("changed_value", "changed_setting", "overwritten")
"""Tests of relations by which a text gives another value of the same."""


def outdated(claim: Claim, seen: Seen) -> Decision | None:
    """A memory that was said later says that this is over: it is kept as history, closed by that memory.

    What it replaced itself it still replaces, so that whatever comes in first, the same holds in the end.
    """
    for near in (*seen.of(SUPERSEDES), *seen.sure(seen.past, SUPERSEDES)):
        later, relation = near.memory, near.relation
        if is_older(claim, later) and covers(later, claim) and relation is not None:
            reason = f"over by the time of {later.uid}, which was said later: {relation.reason}"
            earlier = replaces(claim, seen)
            if earlier is None:
                return Decision("add", None, reason, relation=relation, closed_by=later.id)
            if earlier.action == "supersede":
                return dataclasses.replace(earlier, reason=f"{earlier.reason}; {reason}", closed_by=later.id)
            return earlier
    return None


def replaces(claim: Claim, seen: Seen) -> Decision | None:
    """The user says in so many words that something else is over."""
    found = [near for near in seen.of(SUPERSEDES) if not is_older(claim, near.memory)]
    found = meant(claim, found)
    if not found:
        return takes_back(claim, seen)
    first, relation = found[0].memory, found[0].relation
    assert relation is not None
    also = said_alike(claim, found)
    why_not = not_automatically(claim, found[:1] if also else found)
    if why_not and is_kept_beside(claim, found):
        reason = f"may replace {first.uid} ({relation.reason}), but {why_not}: a person says which holds"
        return Decision("contradicts", first.id, reason, relation=relation)
    if why_not:
        reason = f"would supersede {first.uid} ({relation.reason}), but {why_not}"
        return Decision("propose", first.id, reason, "supersede", A_PERSON, relation=relation)
    names = ", ".join(near.memory.uid for near in (found if also else found[:1]))
    return Decision("supersede", first.id, f"replaces {names}: {relation.reason}", relation=relation, also=also)


def said_alike(claim: Claim, found: Sequence[Near]) -> tuple[int, ...]:
    """The further memories that a claim replaces with the first one, where all say the very value that it calls over.

    None where one of them says something else, or a machine may not replace it: then it may be meant alone.
    """
    gone = [frozenset(stems(phrase)) for phrase in marks(claim.text).gone if is_value(phrase)]
    is_one = all(
        near.relation is not None
        and near.relation.test in ALIKE
        and near.memory.lock_level == "none"
        and covers_place(claim, near.memory)
        and any(value and value <= reading(near.memory.text).terms for value in gone)
        for near in found
    )
    return tuple(near.memory.id for near in found[1:]) if is_one else ()


def is_value(phrase: str) -> bool:
    """Whether what is over is a number or a day of the week, of which something has one."""
    return any(each.isdigit() or GROUP_OF.get(each.removesuffix("s")) == "weekday" for each in phrase.split())


def takes_back(claim: Claim, seen: Seen) -> Decision | None:
    """The user says "that's outdated", and next another value of what one memory sets.

    Where several memories may be meant, or a machine may not replace the one, a person decides as on any contradiction.
    """
    found = [near for near in seen.of(CONTRADICTS) if not is_older(claim, near.memory)]
    if not found or not is_called_over(claim) or not_automatically(claim, found):
        return None
    first, relation = found[0].memory, found[0].relation
    if relation is None or relation.test not in CHANGES:
        return None
    said = Relation(SUPERSEDES, f"{relation.test}, said to be over", relation.reason, min(1.0, relation.score + 0.1))
    return Decision("supersede", first.id, f"replaces {first.uid}: {said.reason}", relation=said)


def is_called_over(claim: Claim) -> bool:
    """Whether the sentence before the quote says that what was just spoken of no longer holds."""
    if not claim.quote:  # added by hand: nothing was said before it
        return False
    before, quote, _ = claim.message.partition(claim.quote)
    before = before[-READ_CHARACTERS:]  # of a longer one a verdict would be read that does not stand beside the quote
    spoken = sentences(plain_prompt(before)) if quote else []
    said = [verdict for verdict in verdicts(before) if verdict.kind == "wrong" and verdict.way in ("that", "known")]
    return any(verdict.is_sure and verdict.sentence == spoken[-1] for verdict in said)


def meant(claim: Claim, found: list[Near]) -> list[Near]:
    """Of memories that a claim may replace, the one that a model names, by its uid or in its own words, if it does."""
    named = [near for near in found if near.relation is not None and near.relation.test == NAMED]
    if named or not claim.hint:
        return named or found
    verbatim = [near for near in found if plain(near.memory.text) == plain(claim.hint)]
    hinted = [near for near in found if near.relation is not None and near.relation.test == "hinted"]
    return verbatim[:1] or hinted or found


def not_automatically(claim: Claim, found: Sequence[Near]) -> str:
    """Why a machine may not replace the first of these memories; '' where it may."""
    first, relation = found[0].memory, found[0].relation
    if len(found) > 1:
        return f"{found[1].memory.uid} may be meant too"
    if first.lock_level != "none":
        return f"{first.uid} is locked"
    if not covers_place(claim, first):
        return f"{first.uid} holds elsewhere too"
    if claim.role != "user":
        return "the user did not say so"
    if relation is not None and relation.test in ("hinted", NAMED):
        said = marks(claim.quote or claim.text)
        if not said.gone and not said.is_changing and not settings_of(claim.quote or claim.text).is_marked:
            return "its words do not say that anything is over"
    return ""


def is_kept_beside(claim: Claim, found: Sequence[Near]) -> bool:
    """Whether what a model says of a likely change is kept beside the memory until a person decides.

    Where it is the user's word, or something backs the agent's, and one memory is meant, of the place or of everywhere:
    what the user says of a project holds there, whatever becomes of the memory elsewhere.
    """
    first = found[0].memory
    is_known = claim.role == "user" or (claim.backing is not None and claim.backing.kind != SHOWN)
    return (
        claim.is_by_model
        and claim.kind != "episode"
        and is_known
        and len(found) == 1
        and first.lock_level == "none"
        and (covers_place(claim, first) or (claim.role == "user" and covers(first, claim)))
    )


def ends(claim: Claim, near: Near) -> bool:
    """Whether the user says later with the words of a memory that what it says is over, which a person is asked."""
    is_later = claim.role == "user" and not is_older(claim, near.memory)
    return is_later and bool(plainly_over(claim.text, near.memory.text))


def says_more(claim: Claim, seen: Seen) -> Decision | None:
    """A memory of the same place is held by this text, which says more.

    Where the memory was said later its words hold, and these are a quote of it.
    """
    for near in seen.of(EXTENDS):
        memory, relation = near.memory, near.relation
        if relation is None or not is_same_place(claim, memory):
            continue
        if ends(claim, near):
            continue  # it says more because a part of it is over: a person is asked
        if is_older(claim, memory):
            reason = f"{memory.uid} was said later, and its words hold; this {relation.reason}{in_words(near)}"
            return Decision("duplicate", memory.id, reason, relation=relation)
        is_shown = claim.backing is not None and claim.backing.kind == SHOWN
        if memory.lock_level != "none" or is_shown:
            why = f"{memory.uid} is locked" if not is_shown else f"nobody said it: {SHOWN}"
            reason = f"would say more than {memory.uid} ({relation.reason}), but {why}"
            return Decision("propose", memory.id, reason, "merge", A_PERSON, relation=relation)
        return Decision("merge", memory.id, f"{memory.uid} {relation.reason}{in_words(near)}", relation=relation)
    return None


def cuts(claim: Claim, seen: Seen) -> Decision | None:
    """The user says that a part of what one memory says is over: the rest of it holds on."""
    found = [near for near in seen.of(CONTRADICTS) if not is_older(claim, near.memory)]
    if len(found) != 1 or claim.is_by_model or not_automatically(claim, found):
        return None
    memory, relation = found[0].memory, found[0].relation
    if relation is None or not relation.rest or not is_same_place(claim, memory):
        return None
    reason = f"{memory.uid} is left with what still holds: it {relation.reason}"
    return Decision("supersede", memory.id, reason, relation=relation, keeps=relation.rest)


CUT_WORD = re.compile(r"\S*…")


def risk_to_judge(claim: Claim, seen: Seen) -> str:
    """Why a person has to judge what a claim says; '' where nobody has to.

    That the user gives the new address of a thing is none, where its owner is known: by a memory or what was answered.
    An address that only the agent names, of an owner that no memory has, stays one.
    """
    said = f"{claim.text}\n{claim.quote}"
    if claim.role == "user" and URL.search(said) and tells_new_address(claim.quote):
        own, asked = owners(claim.quote), owners(answered(claim.text)[0])
        known = {domain for near in seen.near for domain in owners(near.memory.text)}
        if own <= known | asked and asked <= known | own:
            return risk_of_typed(URL.sub(" ", said))
    return risk_of_typed(said)


def owners(text: str) -> set[str]:
    """Whose addresses a text names, as domains; one that was cut leads nowhere."""
    return {each.domain for each in addresses(flat(CUT_WORD.sub(" ", text)))}


def waiting_for_person(claim: Claim, seen: Seen, reason: str, *, or_sighting: bool = False) -> Decision:
    """A claim that waits for a person, with the memory that it would change if there is one."""
    change = replaces(claim, seen) or opposes(claim, seen)
    if change is None:
        return Decision("propose", None, reason, "add", A_PERSON, or_sighting=or_sighting)
    would = change.would or change.action
    said = f"{reason.removesuffix(IS_IT_SO)}; {change.reason}"
    return Decision("propose", change.target, said, would, A_PERSON, relation=change.relation)


def opposes(claim: Claim, seen: Seen) -> Decision | None:
    """It cannot hold together with a memory: both are kept, and a person decides."""
    for near in seen.of(CONTRADICTS):
        if near.relation is not None and (claim.role == "user" or near.memory.kind not in USERS_KINDS):
            reason = f"cannot hold together with {near.memory.uid}: {near.relation.reason}"
            return Decision("contradicts", near.memory.id, reason, relation=near.relation)
    return None


def if_it_changes(claim: Claim, decision: Decision) -> Decision:
    """The decision on a claim; a refusal of one that is kept only where it changes a memory, and changes none."""
    if claim.rule != MAY_CHANGE or decision.action in ("reject", "quarantine", "duplicate"):
        return decision
    is_change = decision.relation is not None and decision.relation.kind in (SUPERSEDES, CONTRADICTS)
    named = tuple(asked for asked in decision.asks if not is_vague(asked.reason))
    is_waiting = decision.action == "propose" and decision.target is not None
    if is_change or named or is_waiting:
        return dataclasses.replace(decision, asks=named)
    return Decision("reject", None, "changes nothing that is known")
