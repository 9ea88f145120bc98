"""What each reason for leaving a hit out means, in sentences: with the numbers that were compared, as they were logged.

In: a reason as the log has it, and what was logged of the hit, of its recall and of what was shown. Out: plain words.
Invariants: reads nothing; a number that was not logged is not told, and the sentence does without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memory_db.knowledge.suppressions import SUPPRESSED
from memory_db.recall.brief import allowed, standing, trust
from memory_db.recall.brief.roles import role_of
from memory_db.recall.evidence_of_hit import LEAST, least_needed, parts
from memory_db.recall.features import HitFeatures, QueryFeatures, logged_as

MEANS = {
    allowed.OVER_LIMIT: "All places were taken by hits that come before it.",
    allowed.BELOW_THRESHOLD: "Its score is below the least one that is shown.",
    allowed.FOREIGN: "The file has hardly any word of the question and nothing similar: a model is shown nothing.",
    allowed.OVER_BUDGET: "It did not fit into what was left of the brief's tokens.",
    allowed.OTHER_PROJECT: "It belongs to another project, and this surface shows nothing of others.",
    allowed.NO_TEXT: "There is no text in it to show, such as of a result that was empty.",
    allowed.SHOWN_EARLIER: "The session had read it already: it was shown earlier.",
    allowed.SAID_HERE: "It was said in this very session, and the agent still has it before it.",
    allowed.NOT_BROUGHT: "A later prompt is told what it names or shares a telling word with; this only resembles it.",
    allowed.SAME_TEXT: "Another hit says the same, and ranked higher.",
    allowed.SOURCE_OF: "A memory made from it ranked higher, and says the same in fewer words.",
    allowed.LITTLE_EVIDENCE: "By itself it has too little to do with the question, whatever lifts its score.",
    allowed.NO_ANSWER: "Taken together the best hits are unlikely to answer, and no line is better than a wrong one.",
    allowed.FAR_BEHIND_BEST: "Others bring more than twice as much that belongs to the question itself.",
    allowed.NO_BETTER: "The tenth hit scores nearly as much: what so many have, such as the project, is no answer.",
    allowed.BEHIND_BEST_LINE: "Another line scores so much more that this one would add nothing.",
    allowed.BESIDE_QUESTION: "Another memory is for just what is asked for; this one only shares words with it.",
    allowed.KNOWN_HERE: "A sister project knows it; the project of the prompt has something as near.",
    allowed.MEMORY_ANSWERS: "A memory with as much evidence, or a procedure, goes before what was only said.",
    allowed.PROCEDURE_SAYS: "The first line says the same command, and how often it succeeded.",
    allowed.OLDER: "Perhaps only one of the two holds; the newer one goes first until you decide: `memory-db review`.",
    allowed.SAME_SAYING: "Another memory says the same in other words, and one line is enough.",
    allowed.SAME_EXCHANGE: "The line of another hit has the same question and answer, or command and result.",
    allowed.SAYS_NOTHING: "It has no words of its own, such as an acknowledgement.",
    allowed.BARE_CALL: "It is a tool call whose result says nothing, or such a result.",
    allowed.REJECTED: "The user did not let the agent do this, and said no more about it.",
    allowed.SAID_EARLIER: "It is the prompt itself, as it was said before, and no answer to it was found.",
    allowed.UNANSWERED: "It asks something, and what was answered is not beside it.",
    allowed.NOTHING_ASKED: "It is no memory but what was once said, which a prompt that gives a task has no use for.",
    allowed.SAID_ALONE: "Nobody answered it and nothing came of it: what is worth knowing in it is a memory.",
    allowed.TOOLS_WORDS: "A tool said it, or a summary: it is told to who asks, and not with a prompt.",
    trust.GIVES_ORDERS: "It asks something of an agent, and the user neither said nor confirmed it.",
    trust.NAMES_ADDRESS: "It names an address, and the user neither said nor confirmed it.",
    trust.NAMES_COMMAND: "It names a command, and nobody ran it here.",
    trust.DISGUISED: "Words in it mix letters that look alike, as somebody does who hides what they say.",
    trust.SPEAKS_AS_USER: "It tells what the user is said to have said; their own words would be a memory.",
    trust.OTHERS_WORDS: "A file, a page, another agent or another program said it, or it was pasted.",
    allowed.OF_THEN: "It is a reply, a task, a fault or an agent's report of a moment that is over.",
    allowed.NOT_CONFIRMED: "A session begins with what the user said or confirmed, and nothing else.",
    allowed.TAKEN_BACK: "The prompt itself says that this no longer holds, or how it is from now on.",
    allowed.RESTS_ON: "It comes from a memory that another one has replaced since, or names it.",
    allowed.STEERS: "Its text gives an agent orders, so it is never put before one.",
    SUPPRESSED: "A person said that it must not be recalled for such questions.",
}
"""What each reason for leaving out means, by its words up to what is filled in."""
MEANS["foreign to the question"] = MEANS[allowed.FOREIGN]  # as logs of earlier versions have it

BY_LEAD = (allowed.NO_BETTER, allowed.BEHIND_BEST_LINE, allowed.BESIDE_QUESTION)
"""Reasons by which a hit may be left out though one that scores less is shown."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What a hit was compared with: its own score and features, its recall's bounds, and the scores beside it.

    `least` is the least score that is shown, `best` that of the best line before lines were compared, as far as known;
    `asked` has the features of the question.
    """

    score: float
    features: Mapping[str, Any]
    context: Mapping[str, Any]
    least: float
    has_model: bool
    best: float | None = None
    shown: int = 0
    asked: Mapping[str, Any] = field(default_factory=dict)


def meaning(reason: str) -> str:
    """What a reason means in general; empty for one that says all there is to say."""
    return next((words for start, words in MEANS.items() if reason.startswith(start.partition("{")[0])), "")


def told(reason: str, of: Compared) -> str:
    """What a reason meant for one hit, with the numbers that decided."""
    if reason == allowed.BELOW_THRESHOLD:
        return f"Its score of {of.score:.3f} is below {of.least:.3f}, under which nothing is shown."
    if reason == allowed.OVER_LIMIT:
        return of_limit(of)
    if reason == allowed.NO_BETTER and "lead" in of.features:
        return of_lead(of)
    if reason == allowed.BEHIND_BEST_LINE and of.best is not None:
        return (f"The best line scores {of.best:.3f}, this one {of.score:.3f}: a line that nobody asked for needs"
                f" {standing.BESIDE_BEST:.0%} of the best one's score"
                f" ({standing.TOGETHER:.0%} where both are memories of one session).")  # fmt: skip
    least = evidence_needed(of.context, of.features, str(of.features.get("kind", "")))
    if reason == allowed.LITTLE_EVIDENCE and least is not None:
        return (f"{meaning(reason)} Its evidence of its own is {of.features.get('evidence', 0.0):.2f}"
                f"{made_of(of.asked, of.features)}, and {least:.2f} is needed.")  # fmt: skip
    return meaning(reason)


def comes_after_memories(of: Compared) -> bool:
    """Whether a hit is an entry of a brief for a model, where memories take their places first."""
    return not of.features.get("is_memory", True) and "least_evidence" in of.context


def of_limit(of: Compared) -> str:
    """Which limit was reached, and by what, where fewer lines are shown than it allows."""
    limit = int(of.context.get("limit", 0))
    said = f"At most {limit} {'line is' if limit == 1 else 'lines are'} shown, and what comes before it took the place"
    said += "" if limit == 1 else "s"
    if comes_after_memories(of):
        said += ": memories take theirs first, and what was only said comes after them, whatever it scores"
    gone = limit - of.shown
    if gone > 0 and of.shown:
        said += (
            f". {gone} of those lines {'were' if gone > 1 else 'was'} taken out afterwards, for a reason of their own"
        )
        said += "; their places stay empty" if gone > 1 else "; its place stays empty"
    return f"{said}."


def of_lead(of: Compared) -> str:
    """By how much a hit leads the tenth, and what it would need."""
    lead, least = float(of.features["lead"]), least_lead(of.features, has_model=of.has_model)
    tenth = max(of.score - lead, 0.0)
    more = f"{lead:.3f} more" if lead > 0 else f"{-lead:.3f} less" if lead < 0 else "as much"
    return (f"Nobody asked for this brief, so a line must stand out: score at least {least:.3f} more than the tenth"
            f" best of all that was considered. That scores {tenth:.3f}, this one {of.score:.3f}: {more}.")  # fmt: skip


def least_lead(features: Mapping[str, Any], *, has_model: bool) -> float:
    """How far above the tenth hit a line that nobody asked for must score: as logged, or where it was not as a memory
    must."""
    least = standing.LEAST_LEAD_WITH_MODEL if has_model else standing.LEAST_LEAD
    return float(features.get("lead_needed", least))


def stays_because(features: Mapping[str, Any], *, has_model: bool) -> str:
    """Why a line was shown though it does not stand out; empty of one that does, or that was not compared."""
    if "lead" not in features or float(features["lead"]) >= least_lead(features, has_model=has_model):
        return ""
    if features.get("lock_level") == "user":
        return "it is locked by you"
    if is_rule(features, str(features.get("kind", ""))):
        return "it is a rule that the prompt clearly meets"
    if features.get("gives_value"):
        return "it gives what the prompt asks for"
    return "the prompt names it"


def holds_here(features: Mapping[str, Any]) -> bool:
    """Whether a hit holds where the question was asked."""
    return bool(features.get("same_project") is not False or features.get("user_scope")
                or features.get("linked_project"))  # fmt: skip


def is_rule(features: Mapping[str, Any], kind: str) -> bool:
    """Whether a hit binds the agent here."""
    binds = features.get("lock_level", "none") != "none" or role_of(kind) == "constraints"
    return binds and holds_here(features)


PART_WORDS = {
    "meaning": "meaning", "words": "words", "literals": "names to the letter", "condition": "its condition",
    "path": "files in play", "entity": "the same file, command or name", "value": "it gives what is asked for",
}  # fmt: skip
"""What evidence of its own is made of, in words."""

LEAST_PART = 0.005
"""What is told of it, and how far a sum may be from what was logged: less would read as 0.00."""

KNOWN_SHARES = (0.0, 0.5, 1.0)
"""Shares of known words that take the place of the logged one, for a long question and in a young file at most."""


def made_of(asked: Mapping[str, Any], features: Mapping[str, Any]) -> str:
    """What the evidence of a hit is made of, in brackets: " (meaning 0.41, words 0.28)".

    Empty where the logged numbers do not give the logged evidence, as of what an older version logged.
    """
    logged = features.get("evidence")
    if logged is None or "best_bm25_memories" not in asked or "is_memory" not in features:
        return ""
    query, hit = QueryFeatures(**logged_as(QueryFeatures, asked)), HitFeatures(**logged_as(HitFeatures, features))
    for least in KNOWN_SHARES:
        found = parts(query, hit, max(query.known_words, least))
        if abs(min(1.0, sum(found.values())) - logged) < LEAST_PART:
            told = [f"{PART_WORDS[name]} {part:.2f}" for name, part in found.items() if part >= LEAST_PART]
            return f" ({', '.join(told)})" if told else ""
    return ""


def evidence_needed(context: Mapping[str, Any], features: Mapping[str, Any], kind: str) -> float | None:
    """The evidence that a hit had to bring for a model that reads it; None where a person asked."""
    if (of_lines := context.get("least_evidence")) is None:
        return None
    if features.get("sister_project") and not holds_here(features):
        return LEAST
    of_rules = context.get("least_for_rules") or of_lines
    return least_needed(of_lines, of_rules, is_rule=is_rule(features, kind), holds_here=holds_here(features)) or 0.0
