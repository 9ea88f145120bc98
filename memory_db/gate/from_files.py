"""What was read in a file is never taken as typed by the user: when it waits for a person.

In: a claim with the rule that found it, and what the gate would do. Out: that decision, or a proposal with its reason
and the place. Invariants: nothing is written; what an agent was shown changes nothing by itself; of a repository that a
person asked for, what asks an agent for something risky waits all the same; words that are known already stay a reason
to believe them; a session puts only so much before a person, and the rest is kept as candidates with the reason.
"""

from __future__ import annotations

import json
import re
import sqlite3

from memory_db.extract.files.facts import BACKED, REPOSITORY, SHOWN, SOURCE_MARK, TO_JUDGE, is_of_file
from memory_db.extract.files.risks import risk_of
from memory_db.extract.files.shown import shown_file, within
from memory_db.gate.claims import A_PERSON, Claim, Decision
from memory_db.gate.rules import DESTRUCTIVE

NUMBERED = re.compile(r"^\s*(\d+)(?:→|\t)")
"""How a reading tool numbers the lines of a file."""

PLACE = """
select s.format, o.path, o.cursor, e.text, p.canonical_path,
    a.target, a.tool
from entries e join sessions s on s.id = e.session_id left join projects p on p.id = s.project_id
left join actions a on a.id = (select min(id) from actions where result_entry_id = e.id)
left join sources o on o.id = e.source_id
where e.id = ?
"""

SETTLED = ("reject", "quarantine")
WAS_SHOWN = "an agent was shown it"
"""The reason for which a candidate waits until its repository is asked for, or a person decides."""

MOST_OF_SESSION = 60
"""Candidates from files that wait for a person at once from one session. Source: ours: a person has to read them."""

WAITING_OF_SESSION = """
select count(*) from candidates c join decisions d on d.id = (select max(id) from decisions where candidate_id = c.id)
where c.session_id is ? and d.action = 'propose' and (c.rule like ? or c.rule like ?)
"""

CODE = re.compile(r"`([^`]+)`")
"""What a text shows as code: in that of a command the first is what is typed."""

COMMAND = ": command"
"""How the rule ends that found a command: two commands never contradict each other, and alike ones are two."""

KEEPING = ("add", "contradicts")
"""What a file that a person asked for may do: no memory is changed by either."""


def place_of(db: sqlite3.Connection, candidate: sqlite3.Row) -> str:
    """Where a candidate from a file stands, as `CLAUDE.md:12`; '' where nothing tells it."""
    row = db.execute(PLACE, [candidate["entry_id"]]).fetchone()
    if row is None:
        return ""
    if row["format"] == REPOSITORY:
        path = row["path"].removesuffix(SOURCE_MARK).removeprefix(f"{row['canonical_path']}/")
        line = json.loads(row["cursor"] or "{}").get("lines", {}).get(candidate["uid"], 0)
    else:
        target, roots = str(row["target"] or ""), [str(row["canonical_path"])]
        words = target.split() or [""]
        path = within(shown_file(str(row["tool"]), target), roots) or words[-1].removeprefix(f"{roots[0]}/")
        lines = str(row["text"]).split("\n")
        first = candidate["quote"].split("\n")[0]
        found = next((number for number, text in enumerate(lines) if first in text), 0)
        numbered = NUMBERED.match(lines[found])
        line = int(numbered[1]) if numbered else found + 1
    return f"{path}:{line}" if path and line else path


def for_a_person(claim: Claim, decision: Decision, place: str = "", known: str = "") -> Decision:
    """The decision on a claim from a file, waiting for a person where it has to; any other claim's as it is.

    `known` is the text of the memory that the decision is about.
    """
    if not is_of_file(claim.rule) or decision.action in SETTLED:
        return decision
    if decision.action == "duplicate" and decision.graduates is None:
        if not is_other_command(claim, known):
            return decision
        decision = Decision("add", None, "another command for the same", relation=decision.relation)
    why = risk_of(f"{claim.text}\n{claim.quote}") or ("it runs something to judge" if is_to_judge(claim) else "")
    would = decision.would or ("add" if decision.graduates is not None else decision.action)
    if not why and not claim.rule.startswith((SHOWN, BACKED)):
        if decision.graduates is not None:
            return Decision("add", None, decision.reason, relation=decision.relation)
        if decision.action in ("contradicts", "propose") and claim.rule.endswith(COMMAND):
            return Decision("add", None, "a command beside others", relation=decision.relation)
        if decision.action in KEEPING:
            return decision
        why = "it changes a memory" if decision.action in DESTRUCTIVE else "it does not say so for sure"
    said = f"read in {place or 'a file'}: {why or WAS_SHOWN}"
    return Decision(
        "propose", decision.target, f"{said}; {decision.reason}", would, A_PERSON, relation=decision.relation
    )


def is_other_command(claim: Claim, known: str) -> bool:
    """Whether a repository that a person asked for names a command which the memory that says the same does not."""
    if not claim.rule.endswith(COMMAND) or claim.rule.startswith((SHOWN, BACKED)) or not known:
        return False
    command = CODE.search(claim.text)
    return command is not None and command[1] not in known


def within_list(db: sqlite3.Connection, candidate: sqlite3.Row, decision: Decision) -> Decision:
    """The decision on what an agent was shown; where too much of its session waits already, it goes with that reason.

    It stays a candidate: `review accept` keeps it, and so does onboarding its repository.
    """
    if decision.action != "propose" or not candidate["rule"].startswith((SHOWN, BACKED)):
        return decision
    of = [candidate["session_id"], f"{SHOWN}%", f"{BACKED}%"]
    if db.execute(WAITING_OF_SESSION, of).fetchone()[0] < MOST_OF_SESSION:
        return decision
    reason = f"{decision.reason}; {MOST_OF_SESSION} of its session wait already"
    return Decision("reject", None, reason, relation=decision.relation)


def is_to_judge(claim: Claim) -> bool:
    """Whether its reader found something in it that its text does not show, such as what a recipe runs."""
    return claim.rule.startswith(TO_JUDGE)
