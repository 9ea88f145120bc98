"""What becomes of a candidate: ordered rules, the first answer wins.

In: a claim, the memories that stand near it, and candidates that wait for a second sighting. Out: a `Decision`.
Invariants: pure; a similarity alone drops nothing and replaces nothing; what a person locked is out of reach.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable

from memory_db.extract.files.facts import is_of_file
from memory_db.extract.files.risks import risk_of_typed
from memory_db.extract.rules.backing import ACCEPTED, ANSWERED, EDIT
from memory_db.extract.rules.beside_secrets import MARKER, says_little
from memory_db.extract.rules.negative_cues import DOUBTS, VETOES
from memory_db.extract.rules.prose import spelt_out
from memory_db.extract.rules.thin import SAYS_LITTLE, is_of_same
from memory_db.gate.asked_changes import asking
from memory_db.gate.change_rules import (
    IS_IT_SO,
    cuts,
    ends,
    if_it_changes,
    opposes,
    outdated,
    replaces,
    risk_to_judge,
    says_more,
    waiting_for_person,
)
from memory_db.gate.claims import (
    A_PERSON,
    A_SIGHTING,
    Claim,
    CosineLimits,
    Decision,
    Near,
    Neighbour,
    Seen,
    WaitingCandidate,
    cleaned,
    covers,
    in_words,
    is_same_place,
    look,
    looked_through,
    same_quote,
    statement,
)
from memory_db.redact.clean import find_injection
from memory_db.text.attribute_values import settings_of
from memory_db.text.names.citations import uids_in
from memory_db.text.of_once import OF_ONCE
from memory_db.text.pair_tests import SAME_TEXT
from memory_db.text.provenance import is_of_several, speaks_to_agent
from memory_db.text.quoting import LEFT_OPEN, OFFERED, PASTED, line_from, sentence_of, unmeant
from memory_db.text.relations import DUPLICATE, EXTENDS, RELATED, Statement, plain, relation
from memory_db.text.statements import answered, reading
from memory_db.text.told import of_others, without_cases

FEWEST_WORDS = 3
FEWEST_CHARACTERS = 12

INFERRED_KINDS = ("behaviour", "pattern")
"""Kinds that are concluded from what was seen, unless the user tells them."""

AGREED = (ACCEPTED, ANSWERED, EDIT)
"""What backs an offer of the agent so that it counts as decided."""

HEDGED = re.compile(
    r"^\W*(?:[\w']+\W+){0,3}?(?:(?<!no )maybe|perhaps|probably|possibly|presumably|i guess|i suppose|not sure)\b"
    r"|\b(?:we|you|i|it|that) (?:might|may|could) (?:also |just |even )?(?:want to|try|switch|consider|be worth)\b"
    r"|\bworth (?:considering|trying|a try|thinking about)\b|\bsomeday\b|\bat some point\b|\bundecided\b",
    re.IGNORECASE,
)
"""Words of somebody who has not made up their mind, where the claim begins."""

ASKING = tuple(cue for cue in VETOES if cue.name in ("question", "asks without a mark", "asks at its end"))
TASK = next(cue for cue in DOUBTS if cue.name == "one-off task")
POINTING = next(cue for cue in DOUBTS if cue.name == "points at something")

Rule = Callable[[Claim, Seen], Decision | None]


def decide(
    claim: Claim,
    neighbours: Iterable[Neighbour] = (),
    waiting: Iterable[WaitingCandidate] = (),
    limits: CosineLimits | None = None,
) -> Decision:
    """The decision on one candidate, by the first rule that has an answer."""
    seen = look(claim, neighbours, waiting, limits or CosineLimits())
    near = seen.of(RELATED)
    beside = f", near {near[0].memory.uid}" if near else ""
    decided = (decision for decision in (rule(claim, seen) for rule in RULES) if decision is not None)
    decision = next(decided, None) or Decision("add", None, f"new {claim.kind}{beside}")
    if seen.refused and decision.action not in ("reject", "quarantine"):
        decision = dataclasses.replace(decision, reason=f"{decision.reason}; {seen.refused}")
    if claim.backing and decision.action not in ("reject", "quarantine", "propose"):
        reason = f"{decision.reason}; backed by {claim.backing.kind}"
        decision = dataclasses.replace(decision, reason=reason, backing=claim.backing)
    return if_it_changes(claim, asking(claim, seen, decision))


# ------------------------------------------------------------------ the claim by itself


def secret(claim: Claim, _: Seen) -> Decision | None:
    """A text that is hardly more than a secret, or that redaction does not get clean."""
    text = cleaned(claim.text)
    left = [finding for finding in looked_through(text)[1] if finding.category in ("secret", "personal")]
    if left:
        return Decision("reject", None, f"still holds a secret after redaction ({left[0].rule})")
    if says_little(text):
        marker = MARKER.findall(text)[0]
        return Decision("reject", None, f"says little once its secret is gone ({marker.strip('[]')})")
    return None


def injection(claim: Claim, _: Seen) -> Decision | None:
    """A text that tries to steer an agent, or hides characters."""
    found = find_injection(claim.text) or find_injection(claim.quote)
    if found:
        return Decision("quarantine", None, f"{found[0].category}: {found[0].rule}")
    return None


def unquoted(claim: Claim, _: Seen) -> Decision | None:
    """A claim of a model whose quote nobody said."""
    if not claim.is_quote_found:
        return Decision("reject", None, "its quote does not stand in the session")
    return None


def echo(claim: Claim, _: Seen) -> Decision | None:
    """What an agent says with the uid of a memory beside it: it was told so by a brief."""
    cited = uids_in(f"{claim.quote} {claim.text}") if claim.role != "user" else []
    return Decision("reject", None, f"an echo: the agent cites {cited[0]} for it") if cited else None


def trivial(claim: Claim, _: Seen) -> Decision | None:
    """A text that is too short to say anything."""
    words = re.findall(r"\w+", claim.text)
    if len(words) < FEWEST_WORDS or len(claim.text.strip()) < FEWEST_CHARACTERS:
        return Decision("reject", None, f"too short: {len(words)} word{'' if len(words) == 1 else 's'}")
    return None


def question(claim: Claim, _: Seen) -> Decision | None:
    """A question."""
    text = claim.text.strip().rstrip("\"')")
    is_quoted = claim.is_by_model and claim.role == "user"
    # of a sentence that is cut the rest tells whether it asks
    said = [claim.quote, sentence_of(claim.message, claim.quote)] if is_quoted else []
    if text.endswith("?") or asks(text.lower()) or (said and all(asks(spelt_out(each)) for each in said)):
        return Decision("reject", None, "a question")
    return None


def asks(lower: str) -> bool:
    """Whether words in lower case are a question, with its mark or without."""
    return any(cue.pattern.search(lower) for cue in ASKING)


def task(claim: Claim, _: Seen) -> Decision | None:
    """A thing to do now, rather than something to know, and what else its exchange shows to be none."""
    if claim.unfit and claim.unfit != PASTED:
        return Decision("reject", None, claim.unfit)
    lower = claim.text.lower()
    is_done = "` became `" in claim.text  # an edit took it up, and the value stays
    if claim.kind != "fix" and not is_done and TASK.pattern.search(lower) and POINTING.pattern.search(lower):
        return Decision("reject", None, "a task for now, not knowledge")
    return None


def not_meant(claim: Claim, seen: Seen) -> Decision | None:
    """What a model quotes from words that state nothing lasting: pasted, supposed, asked, for now, taken back.

    An offer of the agent with a value is a decision once the user agrees to it; one without waits for a person.
    """
    if not claim.is_by_model or claim.kind == "episode":
        return None
    is_said = claim.role in ("user", "assistant")
    reason = unmeant(claim.message, claim.quote, role=claim.role, is_typed=claim.is_typed) if is_said else ""
    if reason in LEFT_OPEN or (claim.unfit == PASTED and not reason):
        return waiting_for_person(claim, seen, (reason or PASTED) + IS_IT_SO)
    if reason == OFFERED and claim.backing is not None and claim.backing.kind in AGREED:
        if settings_of(claim.quote).values:
            return None
        return waiting_for_person(claim, seen, f"an offer of the agent that the user agreed to{IS_IT_SO}")
    return Decision("reject", None, reason) if reason else None


def thinly_said(claim: Claim, seen: Seen) -> Decision | None:
    """What says little, replaces nothing, and is kept in no memory yet: a person says."""
    own = (claim.entry_id, claim.quote)
    quotes = [quote for near in seen.near for quote in near.memory.quotes]
    is_known = any(same_quote(own, quote) and is_of_same(claim.text, quote[1]) for quote in quotes)
    if claim.thin and not claim.hint and not (is_known and claim.thin in (SAYS_LITTLE, OF_ONCE)):
        return waiting_for_person(claim, seen, claim.thin + IS_IT_SO, or_sighting=True)
    return None


# ------------------------------------------------------------------ said before


def duplicate(claim: Claim, seen: Seen) -> Decision | None:
    """The same words in the same scope and project, whatever became of that memory.

    What the user says again after it was superseded waits for a person: they may have gone back to it.
    """
    for memory in seen.memories:
        if memory.status == "retired" and any(same_quote((claim.entry_id, claim.quote), one) for one in memory.quotes):
            return Decision("duplicate", memory.id, f"comes from the words of {memory.uid}, which is retired")
    for memory in same_words(claim, seen):
        same_place = memory.scope == claim.scope and claim.project_id == memory.project_id
        if same_place or memory.scope == claim.scope == "user":
            now = "" if memory.status == "active" else f", which is {memory.status}"
            return back_again(claim, memory) or Decision("duplicate", memory.id, f"said before in {memory.uid}{now}")
    return None


def known_of_user(claim: Claim, seen: Seen) -> Decision | None:
    """The same words, known to hold wherever the user works."""
    for memory in same_words(claim, seen):
        if memory.scope == "user":
            return back_again(claim, memory) or Decision("duplicate", memory.id, f"known of the user in {memory.uid}")
    return None


def same_words(claim: Claim, seen: Seen) -> list[Neighbour]:
    """Memories in the very words of a claim, those that hold first."""
    said = plain(claim.text)
    same = [memory for memory in seen.memories if plain(memory.text) == said]
    return sorted(same, key=lambda memory: memory.status != "active")


def back_again(claim: Claim, memory: Neighbour) -> Decision | None:
    """What is asked where the user says in the same words what another memory had replaced by then."""
    if memory.status != "superseded" or claim.role != "user" or not memory.ended_at < claim.said_at:
        return None
    reason = f"says again what {memory.uid} said, which was superseded since"
    return Decision("propose", memory.id, reason, "add", A_PERSON)


def risky(claim: Claim, seen: Seen) -> Decision | None:
    """What names an address, a place of credentials or a pipe into a shell, asks for something about secrets, or may be
    somebody else's words in the user's mouth.

    However it was said it waits for a person, whose one word keeps it; what a memory says already bears that one out.
    """
    is_tried = claim.kind == "fix" and claim.role != "user"  # what an agent ran is no order of anybody's
    reason = "" if is_tried or is_of_file(claim.rule) else risk_to_judge(claim, seen) or doubt(claim)
    if not reason or any(covers(near.memory, claim) for near in seen.of(DUPLICATE)):
        return None
    return waiting_for_person(claim, seen, reason + IS_IT_SO)


def doubt(claim: Claim) -> str:
    """Why a user's words may be somebody else's: one paragraph of several, told as theirs, or only asked about."""
    if claim.role != "user":
        return ""
    if is_of_several(claim.message) and not speaks_to_agent(claim.message, claim.quote, answers=claim.is_reply):
        return "one paragraph of several, which may be somebody else's"
    before, quote, behind = line_from(claim.message, claim.quote).partition(claim.quote or "\n")
    return of_others(before + quote + without_cases(behind))


def says_no_more(claim: Claim, seen: Seen) -> Decision | None:
    """The same distinctive words, or fewer, with the same values, in a memory that holds wherever this does.

    The words stay as a quote of that memory, and are its text where the user says it later in other words.
    """
    for near in seen.of(DUPLICATE):
        if covers(near.memory, claim) and near.relation is not None and not ends(claim, near):
            if rewords(claim, near):
                reason = f"the later words for {near.memory.uid}: {near.relation.reason}{in_words(near)}"
                return Decision("merge", near.memory.id, reason, relation=near.relation)
            reason = f"{near.memory.uid} says it: {near.relation.reason}{in_words(near)}"
            return Decision("duplicate", near.memory.id, reason, relation=near.relation)
    return None


def rewords(claim: Claim, near: Near) -> bool:
    """Whether the user says later, in other words, what a memory of the same place says; those words hold then."""
    memory, relation = near.memory, near.relation
    return (
        relation is not None
        and relation.test not in SAME_TEXT
        and claim.role == "user"
        and memory.said_at != ""
        and (not claim.said_at or claim.said_at > memory.said_at)
        and memory.lock_level == "none"
        and is_same_place(claim, memory)
        and HEDGED.search(claim.text) is None
        and not risk_of_typed(claim.text)
        and not (claim.is_by_model and claim.kind in INFERRED_KINDS)
    )


def second_sighting(claim: Claim, seen: Seen) -> Decision | None:
    """A candidate of another session that waits says the same: it is kept, and this one is a reason to believe it."""
    for other in seen.waiting:
        if other.session_id is not None and other.session_id == claim.session_id:
            continue
        same_place = other.scope == claim.scope and (claim.scope == "user" or other.project_id == claim.project_id)
        old = Statement(other.text, claim.kind, other.scope, other.project_id)
        found = relation(statement(claim), old) if same_place else None
        if found is not None and found.kind in (DUPLICATE, EXTENDS):
            return Decision(
                "duplicate", None, f"the second sighting of c{other.id}: {found.reason}", graduates=other.id,
                relation=found,
            )  # fmt: skip
    return None


# ------------------------------------------------------------------ not sure enough


def inferred(claim: Claim, seen: Seen) -> Decision | None:
    """How the user works, unless the user says so, and what rests on the agent's word with nothing telling behind it.

    The latter waits for a person, with the memory that it would change, and so does a rule, a wish or a decision that a
    model reads from a reply, unless the user agreed; a second sighting keeps it too.
    """
    if claim.kind in INFERRED_KINDS and (claim.is_by_model or claim.role != "user"):
        return waiting_for_sighting(f"inferred ({claim.kind}): kept once it is seen again")
    is_agents = claim.role == "assistant" or (claim.is_by_model and claim.role != "user")
    if is_agents and claim.kind != "episode" and (doubt_of_it := claim.doubtful_backing):
        reason = f"rests on the word of the agent ({claim.role}){doubt_of_it}"
        return waiting_for_person(claim, seen, reason, or_sighting=True)
    return None


def hedged(claim: Claim, _: Seen) -> Decision | None:
    """What was said by somebody who was not sure."""
    found = HEDGED.search(answered(claim.text)[1]) if claim.kind not in ("fix", "episode") else None
    if found:
        return waiting_for_sighting(f"not sure ({' '.join(found.group().split())[-40:]!r}): kept once it is seen again")
    return None


def waiting_for_sighting(reason: str) -> Decision:
    """Pending until something else says it too."""
    return Decision("propose", None, reason, would="add", waits_for=A_SIGHTING)


def too_alike(claim: Claim, seen: Seen) -> Decision | None:
    """So like a memory, with the same values, that a person should say whether it is the same."""
    for near in seen.of(RELATED):
        cosine = near.similarity.cosine
        is_alike = cosine is not None and cosine >= seen.limits.duplicate
        if is_alike and covers(near.memory, claim) and same_values(claim.text, near.memory.text):
            if any(same_quote((claim.entry_id, claim.quote), quote) for quote in near.memory.quotes):
                reason = f"{near.memory.uid} says it: from the same words{in_words(near)}"
                return Decision("duplicate", near.memory.id, reason, relation=near.relation)
            reason = f"perhaps the same as {near.memory.uid}{in_words(near)}: only the similarity says so"
            return Decision("propose", near.memory.id, reason, "add", A_PERSON, relation=near.relation)
    return None


def same_values(one: str, other: str) -> bool:
    """Whether two texts have the same numbers, names and places, and turn the same things round."""
    first, second = reading(one), reading(other)
    return (first.values, first.places, first.turns) == (second.values, second.places, second.turns)


RULES: tuple[Rule, ...] = (
    secret, injection, unquoted, echo, trivial, question, task, not_meant, duplicate, known_of_user, risky,
    says_no_more, second_sighting, outdated, inferred, thinly_said, hedged, replaces, says_more, cuts, opposes,
    too_alike,
)  # fmt: skip
"""The rules, in the order in which they are asked."""


# ------------------------------------------------------------------ bounds of a machine


def held_back(decision: Decision) -> Decision:
    """What a dry run does in the place of a decision that would change a memory."""
    if decision.action in ("reject", "quarantine"):
        return decision
    would = "contradicts" if decision.keeps else decision.would or decision.action
    reason = f"dry run; would be: {decision.action} ({decision.reason})"
    return Decision("propose", decision.target, reason, would, A_PERSON, relation=decision.relation)


def beyond_cap(decision: Decision, most: int) -> Decision:
    """What waits once a run has changed as many memories as it may; words that say no more are evidence then."""
    if decision.relation is not None and decision.relation.kind == DUPLICATE:
        return Decision("duplicate", decision.target, decision.reason, relation=decision.relation)
    would = "contradicts" if decision.keeps else decision.action
    reason = f"would {decision.action}: {decision.reason}; but this run changed {most} memories already for the session"
    return Decision("propose", decision.target, reason, would, A_PERSON, relation=decision.relation)


DESTRUCTIVE = ("supersede", "merge")
"""Actions that change a memory which was there before."""
