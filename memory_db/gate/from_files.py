"""What was read in a file is never taken as typed by the user: when it waits for a person.

In: a claim with the rule that found it, and what the gate would do. Out: that decision, or a proposal with its reason.
Pure. Invariants: what an agent was shown changes nothing by itself; of a repository that a person asked for, what asks
an agent for something risky waits all the same; words that are known already stay a reason to believe them.
"""

from __future__ import annotations

from memory_db.extract.files.facts import BACKED, ONBOARDED, SHOWN, TO_JUDGE
from memory_db.extract.files.risks import risk_of
from memory_db.gate.claims import Claim, Decision
from memory_db.gate.rules import A_PERSON, DESTRUCTIVE

SETTLED = ("reject", "quarantine")
WAS_SHOWN = "read in a file that an agent was shown"
"""How the reason begins for which a candidate waits until its repository is asked for, or a person decides."""

COMMAND = ": command"
"""How the rule ends that found a command: two commands never contradict each other."""

KEEPING = ("add", "contradicts")
"""What a file that a person asked for may do: no memory is changed by either."""


def for_a_person(claim: Claim, decision: Decision) -> Decision:
    """The decision on a claim from a file, waiting for a person where it has to; any other claim's as it is."""
    if not claim.rule.startswith((ONBOARDED, SHOWN, TO_JUDGE, BACKED)) or decision.action in SETTLED:
        return decision
    if decision.action == "duplicate" and decision.graduates is None:
        return decision
    why = risk_of(f"{claim.text}\n{claim.quote}") or ("it runs something to judge" if is_to_judge(claim) else "")
    would = decision.would or ("add" if decision.graduates is not None else decision.action)
    if not why and not claim.rule.startswith(SHOWN):
        if decision.graduates is not None:
            return Decision("add", None, decision.reason, relation=decision.relation)
        if decision.action == "contradicts" and claim.rule.endswith(COMMAND):
            return Decision("add", None, "a command beside others", relation=decision.relation)
        if decision.action in KEEPING:
            return decision
        why = "it changes a memory" if decision.action in DESTRUCTIVE else "it does not say so for sure"
    said = f"read in a file: {why}" if why else WAS_SHOWN
    return Decision(
        "propose", decision.target, f"{said}; {decision.reason}", would, A_PERSON, relation=decision.relation
    )


def is_to_judge(claim: Claim) -> bool:
    """Whether its reader found something in it that its text does not show, such as what a recipe runs."""
    return claim.rule.startswith(TO_JUDGE)
