"""Changes to what is known that an agent proposes: save, deprecate, relate, tension. A person decides on each.

In: a delta, and who proposes it. Out: one row that waits in the review queue: a candidate, a proposal, a contradiction.
Invariants: nothing that is known changes; the gate's own rules say what stands near, and refuse what may not be kept;
texts are redacted, and what would steer an agent is refused or quarantined; the same delta again is the same row.
"""

from __future__ import annotations

import dataclasses
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from memory_db.errors import InputError
from memory_db.gate.apply import CANDIDATE, carry_out
from memory_db.gate.claims import A_PERSON, Decision
from memory_db.gate.preview import preview
from memory_db.knowledge import proposals
from memory_db.knowledge.memories import check_steering, first_line
from memory_db.knowledge.succession import SUPERSEDES, memory_row
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.text.relations import CONTRADICTS

OPERATIONS = ("save", "deprecate", "relate", "tension")

METHOD, METHOD_VERSION = "proposed", "1"
"""How the runs are named that proposed candidates belong to."""

MOST_CHARACTERS = 2_000
"""A longer text is no memory. Source: ours: a memory is a sentence or two."""

MOST_WAITING = 200
"""What may wait of one proposer: a person has to read it. Source: ours."""

REFUSING = ("reject", "quarantine")

INSERT = """
insert into candidates (uid, extraction_run_id, session_id, project_id, kind, scope, title, text, quote, importance,
    rule, created_at)
values (:uid, :run, :session, :project, :kind, :scope, :title, :text, :text, 3, :by, :now)
"""

SAME = "select id from candidates where uid = ?"

WAITING = """
select (select count(*) from proposals where state = 'open' and proposed_by = :by)
    + (select count(*) from candidates c join decisions d on d.id = (
        select max(id) from decisions where candidate_id = c.id)
        where c.rule = :by and d.action = 'propose')
"""


@dataclass(slots=True, frozen=True)
class Delta:
    """What is proposed. `memory` and `other` are uids.

    `save`: a text of a kind, in a project or with the scope user. `deprecate`: a memory, and why. `relate`: two
    memories, `kind` a kind of edge. `tension`: two memories that cannot both hold, or a text that says what is open.
    """

    operation: str
    text: str = ""
    memory: str = ""
    other: str = ""
    kind: str = ""
    reason: str = ""
    project_id: int | None = None
    scope: str = "project"
    session_id: int | None = None


@dataclass(slots=True, frozen=True)
class Proposed:
    """What became of a delta: `item` is its name in the review queue; `state` one of waits, known, refused.

    `known` is what was proposed before or is known already; `near` the memory that it is about, replaces or repeats.
    """

    operation: str
    item: str | None
    state: str
    reason: str
    near: str | None = None


def propose(db: sqlite3.Connection, delta: Delta, *, by: str, now: datetime) -> Proposed:
    """Puts a delta before a person.

    Raises: InputError for what cannot be proposed; NotFoundError for a memory that there is not; ModelError.
    """
    if delta.operation not in OPERATIONS:
        raise InputError(f"No operation {delta.operation[:40]!r}. There are: {', '.join(OPERATIONS)}.")
    for text in (delta.text, delta.reason):
        if len(text) > MOST_CHARACTERS:
            raise InputError(f"A text of {len(text):,} characters is too long. Propose at most {MOST_CHARACTERS:,}.")
    check_steering(delta.reason)
    by = clean(by)[0].strip()
    if not by:
        raise InputError("Who proposes it? Leave --by out, or give a name.")
    if db.execute(WAITING, {"by": by}).fetchone()[0] >= MOST_WAITING:
        raise InputError(f"{MOST_WAITING} proposals of {by} wait already. `memory-db review` decides on them.")
    return DOES[delta.operation](db, delta, by, now)


def save(db: sqlite3.Connection, delta: Delta, by: str, now: datetime) -> Proposed:
    """A text as a candidate that waits, with what the gate says of it. Raises: InputError, ModelError."""
    text = clean(delta.text)[0].strip()
    kind = delta.kind or "convention"
    if not text:
        raise InputError("There is no text to keep. Give one sentence that will still be true next month.")
    if db.execute("select 1 from kinds where name = ?", [kind]).fetchone() is None:
        names = ", ".join(row[0] for row in db.execute("select name from kinds order by rowid"))
        raise InputError(f"No kind {kind[:40]!r}. There are: {names}.")
    project = delta.project_id if delta.scope == "project" else None
    if delta.scope == "project" and project is None:
        raise InputError("No project is known here. Name one, or propose it for the user: it holds in every project.")
    key = sha256("\x1f".join((METHOD, delta.scope, str(project), " ".join(text.casefold().split()))).encode())
    uid, decision = key.hexdigest(), None
    if db.execute(SAME, [uid]).fetchone() is None:  # asked before the transaction: vectors take their time
        decision = preview(db, text, kind=kind, scope=delta.scope, project_id=project, said_at=utc_text(now)).decision
    with transaction(db):
        known = db.execute(SAME, [uid]).fetchone()
        if known or decision is None:
            return proposed_from(db, known["id"], is_new=False)
        run = db.execute(
            "insert into extraction_runs (method, version, started_at, finished_at, candidates_found)"
            " values (?, ?, ?, ?, 1)",
            [METHOD, METHOD_VERSION, utc_text(now), utc_text(now)],
        ).lastrowid
        values = {
            "uid": uid, "run": run, "session": delta.session_id, "project": project, "kind": kind,
            "scope": delta.scope, "title": first_line(text), "text": text, "by": by, "now": utc_text(now),
        }  # fmt: skip
        number = int(db.execute(INSERT, values).lastrowid or 0)
        candidate = db.execute(f"{CANDIDATE} where c.id = ?", [number]).fetchone()
        carry_out(db, candidate, held(decision, by, delta.reason), by=by, now=now)
        return proposed_from(db, number, is_new=True)


def held(decision: Decision, by: str, why: str) -> Decision:
    """The same decision waiting for a person; what may not be kept or is known already is rejected at once."""
    said = f"; {clean(why)[0]}" if why else ""
    if decision.action in REFUSING:
        return dataclasses.replace(decision, reason=f"proposed by {by}: {decision.reason}{said}")
    if decision.action == "duplicate":
        return Decision("reject", decision.target, f"proposed by {by}, but known: {decision.reason}")
    would = decision.would or decision.action
    names = {"add": "add it", "contradicts": "keep it beside what it contradicts", "propose": "ask"}.get(would, would)
    reason = f"proposed by {by}, the gate would {names}: {decision.reason}{said}"
    return Decision("propose", decision.target, reason, would, A_PERSON, relation=decision.relation)


def proposed_from(db: sqlite3.Connection, number: int, *, is_new: bool) -> Proposed:
    """What became of a proposed candidate, by its last decision."""
    row = db.execute(
        "select action, memory_uid, reason from decision_log where candidate_id = ? order by decision_id desc limit 1",
        [number],
    ).fetchone()
    if row["action"] == "propose":
        return Proposed("save", f"c{number}", "waits" if is_new else "known", row["reason"], row["memory_uid"])
    state = "refused" if row["action"] in REFUSING and not row["memory_uid"] else "known"
    return Proposed("save", f"c{number}", state, row["reason"], row["memory_uid"])


def deprecate(db: sqlite3.Connection, delta: Delta, by: str, now: datetime) -> Proposed:
    """A memory to be taken out of use. Raises: InputError, NotFoundError."""
    memory = holding(db, delta.memory)
    if not delta.reason.strip():
        raise InputError(f"Why does {delta.memory} no longer hold? Give a reason.")
    return waiting(db, "retire", memory, None, "", delta, by, now)


def relate(db: sqlite3.Connection, delta: Delta, by: str, now: datetime) -> Proposed:
    """An edge between two memories. Raises: InputError, NotFoundError."""
    memory, other = two(db, delta)
    kind = delta.kind or "same_topic"
    if kind == CONTRADICTS:
        return tension(db, delta, by, now)
    kinds = [row[0] for row in db.execute("select name from edge_kinds where name <> ? order by rowid", [SUPERSEDES])]
    if kind not in kinds:
        raise InputError(f"No kind of edge {kind[:40]!r}. There are: {', '.join(kinds)}.")
    if db.execute(
        "select 1 from edges where from_memory_id = ? and to_memory_id = ? and kind = ? and ended_at is null",
        [memory["id"], other["id"], kind],
    ).fetchone():
        return Proposed(
            "relate", None, "known", f"{memory['uid']} {kind} {other['uid']} is drawn already", other["uid"]
        )
    return waiting(db, "relate", memory, other, kind, delta, by, now)


def tension(db: sqlite3.Connection, delta: Delta, by: str, now: datetime) -> Proposed:
    """Two memories that cannot both hold, which a person has to see so first; without two, an issue to be kept.

    Raises: InputError, NotFoundError, ModelError.
    """
    if not delta.memory and not delta.other:
        found = save(db, dataclasses.replace(delta, kind="issue"), by, now)
        return dataclasses.replace(found, operation="tension")
    memory, other = two(db, delta)
    check_steering(delta.text)
    reason = delta.reason or delta.text or "an agent says that they cannot both hold"
    ids = sorted((memory["id"], other["id"]))
    row = db.execute(
        "select id, state, resolution from contradictions where memory_id = ? and other_memory_id = ?", ids
    ).fetchone()
    if row is None:
        first, second = sorted((memory, other), key=lambda each: each["id"])
        explained = dataclasses.replace(delta, operation="tension", reason=reason)
        return waiting(db, "relate", first, second, CONTRADICTS, explained, by, now)
    was = "open already" if row["state"] == "open" else f"resolved as {row['resolution']} already"
    return Proposed("tension", f"x{row['id']}", "known", was, other["uid"])


def waiting(
    db: sqlite3.Connection, kind: str, memory: sqlite3.Row, other: sqlite3.Row | None, text: str, delta: Delta, by: str,
    now: datetime,
) -> Proposed:  # fmt: skip
    """A row of `proposals` for a delta, or what became of the same one before."""
    other_id = other["id"] if other else None
    near = other["uid"] if other else memory["uid"]
    reason = delta.reason or "proposed without a reason"
    number = proposals.propose(
        db, kind, memory["id"], other_memory_id=other_id, text=text, reason=reason, by=by, now=now
    )
    if number is not None:
        return Proposed(delta.operation, f"p{number}", "waits", clean(reason)[0], near)
    key = proposals.natural_key(db, kind, memory["id"], other_id, clean(text)[0])
    row = db.execute("select id, state from proposals where uid = ?", [key]).fetchone()
    was = "waits already" if row["state"] == "open" else f"was {row['state']}"
    return Proposed(delta.operation, f"p{row['id']}", "known", f"proposed before: it {was}", near)


def two(db: sqlite3.Connection, delta: Delta) -> tuple[sqlite3.Row, sqlite3.Row]:
    """Both memories of a delta. Raises: InputError, NotFoundError."""
    if not delta.memory or not delta.other or delta.memory == delta.other:
        raise InputError(f"To {delta.operation} takes two different memories. Give both uids.")
    return holding(db, delta.memory), holding(db, delta.other)


def holding(db: sqlite3.Connection, uid: str) -> sqlite3.Row:
    """A memory that is in use. Raises: NotFoundError; InputError for one that is not active."""
    row = memory_row(db, uid)
    if row["status"] != "active":
        raise InputError(f"Memory {uid} is {row['status']} already. Name one that holds.")
    return row


DOES = {"save": save, "deprecate": deprecate, "relate": relate, "tension": tension}
"""What carries out each operation."""
