"""What the rules of the gate look at: a claim, the memories near it, and how it stands to each.

In: a candidate and memories as plain values. Out: `Seen`, all that a rule knows. Invariant: pure; nothing here reads a
file, and a memory that no longer holds stands in no relation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from memory_db.extract.rules.backing import ACCEPTED, ANSWERED, BUILT_ON, EDIT, RERUN, SHOWN, Backing
from memory_db.redact.clean import Finding, clean
from memory_db.text.changed_attributes import given_anew
from memory_db.text.clauses import Thresholds
from memory_db.text.names.citations import uids_in
from memory_db.text.relations import (
    CONTRADICTS,
    DUPLICATE,
    RELATED,
    SUPERSEDES,
    Relation,
    Similarity,
    Statement,
    relation,
)
from memory_db.text.statements import answered, jaccard, reading, share

DECIDED_BY = "gate"
"""What decisions of the gate, and changes by it, are signed with."""

A_SIGHTING, A_PERSON = "a second sighting", "a person"
"""What a pending candidate waits for."""

LEAST_RESTATED = 0.5
"""Share of the shorter text's distinctive words that makes two texts on one quote the same. Source: ours."""

LEAST_TOLD = 0.75
"""Share of a model's distinctive words that a memory from the same quote has, from which on nothing of them is lost.

Source: ours.
"""

MOST_COMPARED = 60
"""Characters of a quote by which it is known again within another text. Source: ours."""

ASKED = "asked "
"""How the text of an answer begins, which cannot be understood without its question."""

NAMED = "named"
"""The test by which a model names the memory that a candidate replaces."""

Quote = tuple[int | None, str]
"""An entry and the words of it that somebody kept."""

USERS_KINDS = ("convention", "correction", "preference")
"""Kinds of what the user wants: how things are, as an agent finds them, does not stand against it."""

NEEDS_WORD = {ACCEPTED: (), ANSWERED: (), SHOWN: (*USERS_KINDS, "decision")}
"""Kinds that a backing does not bear out, by its sort, where these are not `USERS_KINDS`: that something went well, or
was built on, tells how things are and not what the user wants; what a tool showed decides nothing either."""

FOUND_KINDS = frozenset({"quirk", "fix", "failure", "issue"})
"""Kinds of how things are, as they were found; what the user wants cannot contradict them, nor they it."""


@lru_cache(maxsize=2_000)
def looked_through(text: str) -> tuple[str, list[Finding]]:
    """A text as it may be stored, and what was found in it, remembered: several steps need the same one."""
    return clean(text)


def cleaned(text: str) -> str:
    """A text as it may be stored."""
    return looked_through(text)[0]


@dataclass(slots=True, frozen=True)
class Claim:
    """A candidate as the rules of the gate see it.

    `hint`: in words or by a uid, what it is said to replace; `message`: the whole entry that the quote is from;
    `backing`: what bears out the word of an agent; `unfit`: why its exchange shows that it is not to be kept, `thin`:
    why it leaves that open; `is_typed`: the user typed the quote for certain; `is_reply`: the agent had said
    something before the message.
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
    entry_id: int | None = None
    message: str = ""
    backing: Backing | None = None
    unfit: str = ""
    thin: str = ""
    is_typed: bool = False
    is_reply: bool = True

    @property
    def doubtful_backing(self) -> str:
        """What is said against the word of an agent: that nothing backs it, or nothing that tells, or tells of that."""
        if self.backing is None:
            return " alone: nothing that followed backs it"
        kind = WITH_ARTICLE.get(self.backing.kind, self.backing.kind)
        if self.is_by_model:
            is_borne_out = self.kind not in NEEDS_WORD.get(self.backing.kind, USERS_KINDS)
            return "" if is_borne_out else f", backed by {kind}, which bears out no {self.kind}"
        is_told = self.backing.kind != ACCEPTED or TAKES_UP.search(self.backing.note.lower()) is not None
        return "" if is_told and self.backing.kind not in TELLS_LITTLE else f", backed by no more than {kind}"


WITH_ARTICLE = {EDIT: f"an {EDIT}", RERUN: f"a {RERUN}"}
"""How the backings are called that are named without an article."""

TELLS_LITTLE = (EDIT, BUILT_ON)
"""Backings by which what rules take from a reply is not known to be worth keeping.

Source: of what rules took from replies of sessions whose writers had seen no rule, readers wanted 11 of 49; of those
that a passing rerun backs two of six, of the others nine of 43 (as the memory labels of bench/data/sessions say).
"""

TAKES_UP = re.compile(
    r"\b(?:good|nice|great) (?:catch|find|one|point|spot)\b|\bwell (?:spotted|caught)\b|\bthat(?:'?s| is| was) it\b|"
    r"\bthere'?s the rub\b|\bmakes sense\b|\bbingo\b|\bexplains (?:it|that|this|why)\b"
)
"""How somebody takes up a finding, and not just what was done."""


@dataclass(slots=True, frozen=True)
class Neighbour:
    """A memory that may say the same, with the cosine of the vectors, if there are any.

    `said_at` is when it was last said, `ended_at` until when it held, if another one replaced it; `quotes` are the
    words that it comes from, and `sessions` those in which the user said them, as far as they are the claim's own.
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
    quotes: Sequence[Quote] = ()
    sessions: frozenset[int] = frozenset()


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
class Asked:
    """A memory that a claim may replace, and why; or that may replace what the claim says, where it `is_later`."""

    memory_id: int
    reason: str
    is_later: bool = False


@dataclass(slots=True, frozen=True)
class Decision:
    """What is done, with which memory, and why.

    A pending one says what `would` be done and what it `waits_for`; `graduates` is the waiting candidate that this
    one is the second sighting of; `relation` how the candidate stands to the target; `closed_by` is the memory that was
    said later and replaces what the candidate says. One that waits for a person is kept by a second sighting too where
    `or_sighting` says so; `backing` is what bears out the word of an agent. One that `widens` makes the target hold
    wherever the user works. `also` are further memories that a supersession replaces, `asks` are memories of
    which a person is asked whether one replaces the other. `keeps` is what the target says from now on, where a
    part of it is over. A merge that `is_wording` only says the target better; one that `restores` brings it back.
    """

    action: str
    target: int | None
    reason: str
    would: str = ""
    waits_for: str = ""
    graduates: int | None = None
    relation: Relation | None = None
    closed_by: int | None = None
    or_sighting: bool = False
    backing: Backing | None = None
    widens: bool = False
    also: tuple[int, ...] = ()
    asks: tuple[Asked, ...] = ()
    keeps: str = ""
    is_wording: bool = False
    restores: bool = False


@dataclass(slots=True, frozen=True)
class Near:
    """A neighbour with how the claim stands to it."""

    memory: Neighbour
    relation: Relation | None
    similarity: Similarity


@dataclass(slots=True, frozen=True)
class Seen:
    """All that the rules know beside the claim. `past` are neighbours that were replaced, and said after the claim.

    `refused`: why the memory that the claim names cannot be replaced by it; '' where it can, or names none.
    """

    memories: Sequence[Neighbour] = ()
    near: Sequence[Near] = ()
    waiting: Sequence[WaitingCandidate] = ()
    limits: CosineLimits = field(default_factory=CosineLimits)
    past: Sequence[Near] = ()
    refused: str = ""

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
    return Seen(memories, near, list(waiting), limits, past, refused(claim, memories))


def named_in(claim: Claim) -> str:
    """The uid of the memory that a claim is said to replace; '' where it names none."""
    return (uids_in(claim.hint) or [""])[0] if claim.hint else ""


def refused(claim: Claim, memories: Sequence[Neighbour]) -> str:
    """Why the memory that a claim names cannot be replaced by it; '' where it can, or none is named."""
    uid = named_in(claim)
    memory = next((memory for memory in memories if memory.uid == uid), None)
    if not uid:
        return ""
    if memory is None:
        return f"it names {uid} as replaced, and there is no such memory"
    if memory.status != "active":
        return f"it names {uid} as replaced, which is {memory.status} already"
    if memory.lock_level != "none":
        return f"it names {uid} as replaced, which is locked"
    if not covers_place(claim, memory):
        return f"it names {uid} as replaced, which holds elsewhere"
    if is_older(claim, memory):
        return f"it names {uid} as replaced, which was said again since"
    return ""


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
    is_named = memory.uid == named_in(claim) and not refused(claim, [memory])
    if is_named and (found is None or found.kind != DUPLICATE):
        found = Relation(SUPERSEDES, NAMED, "named as what it replaces", 0.9)
    elif found is not None and found.kind in (CONTRADICTS, SUPERSEDES) and is_restated(claim, memory, found):
        held = share_of_shorter(claim.text, memory.text)
        kind = DUPLICATE if held >= LEAST_RESTATED and not says_besides(claim, memory) else RELATED
        found = Relation(kind, "restated", "the same words, told once more", held)
    elif found is not None and answers_memory(claim, memory):
        found = Relation(RELATED, "answered", "the words that it answers", 0.5)
    return Near(memory, found, similarity)


def answers_memory(claim: Claim, memory: Neighbour) -> bool:
    """Whether only the words that a claim repeats, to say what it answers, have to do with a memory."""
    asked, said = answered(one_case(claim.text))
    if not asked or any(same_quote((claim.entry_id, claim.quote), quote) for quote in memory.quotes):
        return False
    quotes = [one_case(words) for _, words in memory.quotes if words]
    if any(words[:MOST_COMPARED] in asked and words not in said for words in quotes):
        return True
    is_aside = not asked.startswith(ASKED)
    is_apart = is_aside and reading(said).terms.isdisjoint(reading(memory.text).terms)
    return is_apart and not given_anew(claim.text, memory.text)


def one_case(text: str) -> str:
    """A text on one line in one case, with one sort of quotation marks."""
    return " ".join(text.replace('"', "'").casefold().split())


def is_restated(claim: Claim, memory: Neighbour, found: Relation) -> bool:
    """Whether a claim that seems to stand against a memory comes from the same words, or repeats what the user said.

    The latter where an agent says in the same session what only seems to be turned round: nobody but the user takes
    the user's word back.
    """
    if claim.kind == "episode":
        return False
    if any(same_quote((claim.entry_id, claim.quote), quote) for quote in memory.quotes):
        return True
    is_echo = claim.role != "user" and claim.session_id in memory.sessions
    return is_echo and found.test.startswith("opposed")


def says_besides(claim: Claim, memory: Neighbour) -> bool:
    """Whether a model tells of the same words so much that the memory does not say that it would be lost."""
    return claim.is_by_model and share(reading(claim.text).terms, reading(memory.text).terms) < LEAST_TOLD


def same_quote(one: Quote, other: Quote) -> bool:
    """Whether two quotes are of one entry and overlap, wholly or for the most part."""
    if one[0] is None or one[0] != other[0]:
        return False
    mine, theirs = " ".join(one[1].casefold().split()), " ".join(other[1].casefold().split())
    if not mine or not theirs:
        return False
    return mine in theirs or theirs in mine or share(mine.split(), theirs.split()) >= LEAST_RESTATED


def share_of_shorter(one: str, other: str) -> float:
    """Which share of the distinctive words of the text with fewer of them the other one has."""
    mine, theirs = sorted((reading(one).terms, reading(other).terms), key=len)
    return share(mine, theirs)


def statement(claim: Claim) -> Statement:
    """A claim as relations are asked about it."""
    by_user = claim.role == "user"
    hint = "" if named_in(claim) else claim.hint
    return Statement(claim.text, claim.kind, claim.scope, claim.project_id, claim.said_at, by_user, (), hint)


def is_same_place(claim: Claim, memory: Neighbour) -> bool:
    """Whether a claim and a memory hold in just the same place."""
    return memory.scope == claim.scope and (claim.scope == "user" or memory.project_id == claim.project_id)


def covers(memory: Neighbour, claim: Claim) -> bool:
    """Whether a memory holds wherever the claim does."""
    return memory.scope == "user" or (claim.scope == "project" and memory.project_id == claim.project_id)


def covers_place(claim: Claim, memory: Neighbour) -> bool:
    """Whether a claim holds wherever the memory does."""
    return claim.scope == "user" or (memory.scope == "project" and memory.project_id == claim.project_id)


def in_words(near: Near) -> str:
    """The similarity in words."""
    cosine = near.similarity.cosine
    return f" (similarity {cosine:.2f})" if cosine is not None else ""
