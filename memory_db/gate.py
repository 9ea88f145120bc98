"""What becomes of a candidate: one decision with its reason.

In: candidates without a decision, and the memories that say the same. Out:
rows of `decisions`, and memories with their sources and evidence. Invariant:
`decide` is pure and its rules are asked in order, the first answer wins; every
candidate ends with exactly one decision of the gate.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_db.beliefs import STATED_WEIGHT, add_evidence
from memory_db.connection import transaction
from memory_db.dates import utc_text
from memory_db.extract.traps import DOUBTS, VETOES
from memory_db.memories import (
    NewMemory,
    add_condition,
    add_keys,
    add_paths,
    add_source,
    content_hash,
    first_line,
    insert_memory,
    normalised,
)
from memory_db.redact import clean, find_injection

DECIDED_BY = "gate"
BATCH = 500
"""Candidates decided in one transaction."""

FEWEST_WORDS_BESIDE_A_SECRET = 15  # a shorter sentence with a secret in it is about the secret
FEWEST_WORDS = 3
FEWEST_CHARACTERS = 12
CONTEXT_CHARACTERS = 300
"""How much of the entry before and of the one after is kept as a memory's context."""

MARKER = re.compile(r"\[redacted:[a-z0-9-]+\]")

Progress = Callable[[str, int, int | None], None]

UNDECIDED = """
select c.*, e.role, e.uid as entry_uid, r.method
from candidates c
left join entries e on e.id = c.entry_id
join extraction_runs r on r.id = c.extraction_run_id
where not exists (select 1 from decisions d where d.candidate_id = c.id)
order by c.created_at, c.uid
limit ?
"""

NEIGHBOURS = """
select id, uid, scope, project_id, text, status from memories where content_hash = ? order by id
"""

AROUND = """
select e.text
from session_entries here
join session_entries se on se.session_id = here.session_id
join entries e on e.id = se.entry_id
where here.entry_id = :entry and here.session_id = :session and e.is_sidechain = 0 and e.kind in ('prompt', 'reply')
    and {side}
limit 1
"""
BEFORE = AROUND.format(side="se.position < here.position order by se.position desc")
AFTER = AROUND.format(side="se.position > here.position order by se.position")


@dataclass(slots=True, frozen=True)
class Proposal:
    """A candidate as the rules of the gate see it."""

    text: str
    kind: str
    scope: str
    project_id: int | None
    quote: str = ""
    rule: str = ""


@dataclass(slots=True, frozen=True)
class Neighbour:
    """A memory that may say the same."""

    id: int
    uid: str
    scope: str
    project_id: int | None
    text: str
    status: str = "active"


@dataclass(slots=True, frozen=True)
class Decision:
    """What is done, with which memory, and why."""

    action: str
    target: int | None
    reason: str


Rule = Callable[[Proposal, Sequence[Neighbour]], Decision | None]


def decide(candidate: Proposal, neighbours: Iterable[Neighbour] = ()) -> Decision:
    """The decision on one candidate, by the first rule that has an answer."""
    known = list(neighbours)
    for rule in RULES:
        decision = rule(candidate, known)
        if decision is not None:
            return decision
    return Decision("add", None, f"new {candidate.kind}")


def secret(candidate: Proposal, _: Sequence[Neighbour]) -> Decision | None:
    """A text that is hardly more than a secret, or that redaction does not get clean."""
    text = clean(candidate.text)[0]
    left = [finding for finding in clean(text)[1] if finding.category in ("secret", "personal")]
    if left:
        return Decision("reject", None, f"still holds a secret after redaction ({left[0].rule})")
    if MARKER.search(text) and len(re.findall(r"\w+", MARKER.sub("", text))) < FEWEST_WORDS_BESIDE_A_SECRET:
        marker = MARKER.findall(text)[0]
        return Decision("reject", None, f"says little once its secret is gone ({marker.strip('[]')})")
    return None


def injection(candidate: Proposal, _: Sequence[Neighbour]) -> Decision | None:
    """A text that tries to steer an agent, or hides characters."""
    found = find_injection(candidate.text) or find_injection(candidate.quote)
    if found:
        return Decision("quarantine", None, f"{found[0].category}: {found[0].rule}")
    return None


def trivial(candidate: Proposal, _: Sequence[Neighbour]) -> Decision | None:
    """A text that is too short to say anything."""
    words = re.findall(r"\w+", candidate.text)
    if len(words) < FEWEST_WORDS or len(candidate.text.strip()) < FEWEST_CHARACTERS:
        return Decision("reject", None, f"too short: {len(words)} word{'' if len(words) == 1 else 's'}")
    return None


def question(candidate: Proposal, _: Sequence[Neighbour]) -> Decision | None:
    """A question."""
    text = candidate.text.strip().rstrip("\"')")
    if text.endswith("?") or any(cue.pattern.search(text.lower()) for cue in ASKING):
        return Decision("reject", None, "a question")
    return None


def task(candidate: Proposal, _: Sequence[Neighbour]) -> Decision | None:
    """A thing to do now, rather than something to know."""
    lower = candidate.text.lower()
    if candidate.kind != "fix" and TASK.pattern.search(lower) and POINTING.pattern.search(lower):
        return Decision("reject", None, "a task for now, not knowledge")
    return None


def duplicate(candidate: Proposal, neighbours: Sequence[Neighbour]) -> Decision | None:
    """The same words in the same scope and project, whatever became of that memory."""
    said = normalised(candidate.text)
    for memory in neighbours:
        same_place = memory.scope == candidate.scope and candidate.project_id == memory.project_id
        if normalised(memory.text) == said and (same_place or memory.scope == candidate.scope == "user"):
            now = "" if memory.status == "active" else f", which is {memory.status}"
            return Decision("duplicate", memory.id, f"said before in {memory.uid}{now}")
    return None


def known_of_user(candidate: Proposal, neighbours: Sequence[Neighbour]) -> Decision | None:
    """The same words, known to hold wherever the user works."""
    said = normalised(candidate.text)
    for memory in neighbours:
        if memory.scope == "user" and normalised(memory.text) == said:
            return Decision("duplicate", memory.id, f"known of the user in {memory.uid}")
    return None


RULES: tuple[Rule, ...] = (secret, injection, trivial, question, task, duplicate, known_of_user)
"""The rules, in the order in which they are asked."""

ASKING = tuple(cue for cue in VETOES if cue.name in ("question", "asks without a mark"))
TASK = next(cue for cue in DOUBTS if cue.name == "one-off task")
POINTING = next(cue for cue in DOUBTS if cue.name == "points at something")


def run(db: sqlite3.Connection, *, now: datetime, progress: Progress | None = None) -> dict[str, int]:
    """Decides on every candidate that has no decision; the number of each action taken.

    In order of what was said first, so that a rerun gives the same memories.
    """
    counts = {"add": 0, "duplicate": 0, "reject": 0, "quarantine": 0}
    while batch := db.execute(UNDECIDED, [BATCH]).fetchall():
        with transaction(db):
            for candidate in batch:
                counts[settle(db, candidate, now)] += 1
        if progress is not None:
            progress("gate", sum(counts.values()), None)
    return counts


def settle(db: sqlite3.Connection, candidate: sqlite3.Row, now: datetime) -> str:
    """Decides on one candidate and does it; the action."""
    text = clean(candidate["text"])[0].strip()
    project_id = candidate["project_id"] if candidate["scope"] == "project" else None
    proposal = Proposal(text, candidate["kind"], candidate["scope"], project_id, candidate["quote"], candidate["rule"])
    neighbours = [Neighbour(**dict(row)) for row in db.execute(NEIGHBOURS, [content_hash(text)])]
    decision = decide(proposal, neighbours)
    memory_id = decision.target
    if decision.action == "add":
        memory_id = insert_memory(db, memory_of(db, candidate, text, decision.reason), now=now)
        witness(db, memory_id, candidate, "stated", now)
    elif decision.action == "duplicate" and memory_id is not None:
        add_paths(db, memory_id, json.loads(candidate["paths"]), now=now)
        add_keys(db, memory_id, [clean(key)[0] for key in json.loads(candidate["keys"])], DECIDED_BY, now=now)
        add_condition(db, memory_id, clean(candidate["condition"])[0], DECIDED_BY, now=now)
        witness(db, memory_id, candidate, "repeated", now)
    db.execute(
        "insert into decisions (candidate_id, action, memory_id, reason, decided_by, decided_at)"
        " values (?, ?, ?, ?, ?, ?)",
        [candidate["id"], decision.action, memory_id, decision.reason, DECIDED_BY, utc_text(now)],
    )
    return decision.action


def witness(db: sqlite3.Connection, memory_id: int, candidate: sqlite3.Row, kind: str, now: datetime) -> None:
    """Ties a memory to the candidate's quote, and counts it as evidence for the memory."""
    quote, said_at = clean(candidate["quote"])[0], candidate["created_at"]
    new = add_source(
        db,
        memory_id,
        candidate_id=candidate["id"],
        entry_id=candidate["entry_id"],
        quote=quote,
        created_at=said_at,
        now=now,
    )
    if new:
        weight = STATED_WEIGHT[candidate["role"] or "assistant"]
        source = f"entry {candidate['entry_uid']}" if candidate["entry_uid"] else f"candidate {candidate['uid']}"
        add_evidence(
            db, memory_id, kind, "for", weight, source, created_at=said_at, now=now,
            entry_id=candidate["entry_id"],
        )  # fmt: skip


def memory_of(db: sqlite3.Connection, candidate: sqlite3.Row, text: str, reason: str) -> NewMemory:
    """A candidate as the memory that it becomes."""
    return NewMemory(
        text=text,
        title=clean(candidate["title"])[0] or first_line(text),
        kind=candidate["kind"],
        scope=candidate["scope"],
        project_id=candidate["project_id"],
        importance=candidate["importance"],
        condition=clean(candidate["condition"])[0],
        keys=[clean(key)[0] for key in json.loads(candidate["keys"])],
        paths=json.loads(candidate["paths"]),
        tags=json.loads(candidate["tags"]),
        context=surroundings(db, candidate),
        origin="rules" if candidate["method"] == "rules" else "model",
        changed_by=DECIDED_BY,
        reason=reason,
        created_at=candidate["created_at"],
    )


def surroundings(db: sqlite3.Connection, candidate: sqlite3.Row) -> str:
    """What was said before and after the candidate's entry in its session, cut short."""
    where = {"entry": candidate["entry_id"], "session": candidate["session_id"]}
    found = (db.execute(side, where).fetchone() for side in (BEFORE, AFTER))
    return "\n".join(" ".join(row["text"].split())[:CONTEXT_CHARACTERS] for row in found if row)
