"""What becomes of candidates: one decision each, with its reason.

In: candidates without a decision, and the memories that stand near them. Out: rows of `decisions`, and what they
changed. Invariants: the rules (see `rules.py`) are pure and asked in order; every candidate ends with exactly one
decision of the gate; what a decision changed is recorded with it; a machine changes at most so many memories a
run for each session.
"""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from memory_db.errors import InputError, ModelError
from memory_db.extract import INTERRUPTED
from memory_db.extract.files.facts import is_of_file
from memory_db.extract.rules.around import Surroundings
from memory_db.extract.rules.bare import bare
from memory_db.extract.rules.thin import thin
from memory_db.extract.rules.unfit import FOR_THE_MOMENT, TASK_FOR_NOW, unfit
from memory_db.gate.apply import CANDIDATE, carry_out
from memory_db.gate.claims import A_PERSON, A_SIGHTING, DECIDED_BY, Claim, Decision, Neighbour
from memory_db.gate.doubts import in_better_words, retire_doubted
from memory_db.gate.everywhere import everywhere
from memory_db.gate.from_files import for_a_person, place_of, within_list
from memory_db.gate.over_elsewhere import Over, copied, over_elsewhere
from memory_db.gate.overwritten import by_its_line
from memory_db.gate.rules import DESTRUCTIVE, RULES, beyond_cap, decide, held_back
from memory_db.gate.run_otherwise import by_its_command
from memory_db.gate.search import CandidateBatch, GateContext, claim_of, embedded_text, open_gate_context
from memory_db.gate.thresholds import has_grown, refit
from memory_db.index.neighbours import StaticVectors, open_vectors
from memory_db.models import tokens
from memory_db.models.embedders import Vector
from memory_db.store import settings
from memory_db.store.connection import transaction
from memory_db.text.of_once import tells_of_once
from memory_db.text.provenance import is_of_several
from memory_db.text.quoting import sentence_of

__all__ = ["ACTIONS", "DECIDED_BY", "RULES", "Claim", "Decision", "Neighbour", "decide", "run"]

BATCH = 500
"""Candidates whose vectors are made together."""

ACTIONS = ("add", "merge", "supersede", "duplicate", "contradicts", "reject", "quarantine", "propose")
"""What may be decided, beside that a decision is reverted."""

Progress = Callable[[str, int, int | None], None]

UNDECIDED = f"""
{CANDIDATE}
where not exists (select 1 from decisions d where d.candidate_id = c.id)
order by c.created_at, c.entry_id, c.uid
limit ?
"""

IS_DECIDED = "select 1 from decisions where candidate_id = ?"

SPENT = f"""
select count(*) from decisions d join candidates c on c.id = d.candidate_id
where d.decided_by = '{DECIDED_BY}' and d.action in ('supersede', 'merge')
    and json_extract(d.effects, '$.is_wording') is null and c.session_id is :session
    and c.extraction_run_id in (select r.id from extraction_runs r
    join extraction_runs own on own.id = :run and own.method = r.method and own.version = r.version
    where not exists (select 1 from extraction_runs whole
        where whole.method = r.method and whole.version = r.version
            and whole.finished_at is not null and whole.error is not '{INTERRUPTED}'
            and whole.id >= min(r.id, own.id) and whole.id < max(r.id, own.id)))
"""
"""What was replaced or rewritten for a session of a run, so that a backfill of many sessions starves none.

One that was killed and those that went on with it count as one run: a kill must not give the machine another allowance.
"""


def run(
    db: sqlite3.Connection, *, now: datetime, progress: Progress | None = None, held_runs: Collection[int] = ()
) -> dict[str, int]:
    """Decides on every candidate that has no decision; the number of each action taken.

    First what a model would not keep of the rules' memories is put before a person; then candidates are decided on in
    order of what was said first, so that a rerun gives the same memories. Candidates of the extraction runs
    `held_runs`, and of those that are dry runs, change nothing and wait for a person.
    Raises: InputError for a setting that holds what it does not accept.
    """
    counts = dict.fromkeys(ACTIONS, 0)
    counts["propose"] += retire_doubted(db, now=now)
    around: GateContext | None = None
    while batch := db.execute(UNDECIDED, [BATCH]).fetchall():
        around = around or open_gate_context(db)
        around, portion = prepared(db, around, batch)
        for number, candidate in enumerate(batch):
            is_held = candidate["extraction_run_id"] in held_runs or bool(candidate["is_dry_run"])
            for action in settle(db, around, portion, number, candidate, now=now, is_held=is_held):
                counts[action] += 1
        if progress is not None:
            progress("gate", sum(counts.values()), None)
    fit(db, around, now=now)
    return counts


def fit(db: sqlite3.Connection, around: GateContext | None, *, now: datetime) -> None:
    """Fits the thresholds to the file where it has grown, also where a run was killed before it came to that."""
    if around is None and has_grown(db, open_vectors(db).name):
        around = open_gate_context(db)
    if around is not None:
        refit(db, around.vectors, around.memories, now=now)


def prepared(
    db: sqlite3.Connection, around: GateContext, batch: Sequence[sqlite3.Row]
) -> tuple[GateContext, CandidateBatch]:
    """Vectors of a batch; by words alone from there on where the model fails. Raises: ModelError.

    What takes a while to load is loaded here, where nobody waits for the write lock.
    """
    tokens.encoding()
    try:
        return around, around.portion(db, batch)
    except ModelError:
        if isinstance(around.vectors, StaticVectors):
            raise
        around = open_gate_context(db, StaticVectors())
        return around, around.portion(db, batch)


def settle(
    db: sqlite3.Connection,
    around: GateContext,
    portion: CandidateBatch,
    number: int,
    candidate: sqlite3.Row,
    *,
    now: datetime,
    is_held: bool,
) -> list[str]:
    """Decides on one candidate and does it; the actions taken, which are two where a waiting one is kept as well.

    What it is judged by is read while others may write, and read again under the lock where somebody did: another run
    may have decided on it meanwhile.
    """
    seen = version_of(db)
    judged = judge(db, around, portion, number, candidate)
    with transaction(db):
        if db.execute(IS_DECIDED, [candidate["id"]]).fetchone():
            return []
        if version_of(db) != seen:
            judged = judge(db, around, portion, number, candidate)
        return finish(db, around, candidate, *judged, portion.vectors[number], now=now, is_held=is_held)


def version_of(db: sqlite3.Connection) -> int:
    """A number that changes when another process has changed the file."""
    return int(db.execute("pragma data_version").fetchone()[0])


def judge(
    db: sqlite3.Connection, around: GateContext, portion: CandidateBatch, number: int, candidate: sqlite3.Row
) -> tuple[Claim, Decision]:
    """What the rules say of one candidate, by what the file holds now; changes nothing."""
    claim = in_exchange(db, around.said, claim_of(candidate), candidate)
    if same := around.said_before(db, claim):
        neighbours: Sequence[Neighbour] = same
        decision = decide(claim, neighbours, (), around.limits)
    else:
        neighbours = around.near(db, portion, number, claim, candidate["project_id"])
        waiting = around.waiting_near(portion, number, candidate["project_id"])
        decision = decide(claim, neighbours, waiting, around.limits)
    if is_of_file(claim.rule):
        known = next((memory.text for memory in neighbours if memory.id == decision.target), "")
        decision = within_list(db, candidate, for_a_person(claim, decision, place_of(db, candidate), known))
    return claim, decision


def finish(
    db: sqlite3.Connection,
    around: GateContext,
    candidate: sqlite3.Row,
    claim: Claim,
    decision: Decision,
    vector: Vector,
    *,
    now: datetime,
    is_held: bool,
) -> list[str]:
    """Carries a decision out, within what a run may change; the actions taken. Runs inside a transaction."""
    decision = by_its_line(db, around.said, candidate, decision)
    decision = by_its_command(db, around.said, candidate, decision)
    if decision.action in DESTRUCTIVE:
        most = settings.get_integer(db, "gate_most_destructive")
        of = {"run": candidate["extraction_run_id"], "session": candidate["session_id"]}
        if db.execute(SPENT, of).fetchone()[0] >= most:
            decision = beyond_cap(decision, most)
    decision = held_back(decision) if is_held else in_better_words(db, claim, everywhere(db, claim, decision))
    done = []
    if decision.graduates is not None:
        kept = promote(db, around, decision.graduates, candidate["uid"], now)
        decision = dataclasses.replace(decision, target=kept)
        done.append("add")
    memory_id, decision = do_or_propose(db, candidate, decision, now)
    note(db, around, candidate, decision, memory_id, vector, now)
    if not is_held and (over := over_elsewhere(db, claim, decision)) is not None:
        done += put_there(db, candidate, claim, over, now)
    return [*done, decision.action]


def put_there(db: sqlite3.Connection, candidate: sqlite3.Row, claim: Claim, over: Over, now: datetime) -> list[str]:
    """Lets a claim wait in another project too, with the memory that is over there by it; the actions taken."""
    copy = copied(db, candidate, claim, over)
    if copy is None:
        return []
    row = db.execute(f"{CANDIDATE} where c.id = ?", [copy[0]]).fetchone()
    carry_out(db, row, copy[1], by=DECIDED_BY, now=now)
    return [copy[1].action]


def in_exchange(db: sqlite3.Connection, said: Surroundings, claim: Claim, candidate: sqlite3.Row) -> Claim:
    """A claim with what its exchange says of it: what backs the word of an agent, why a user's is not to be kept."""
    where = (db, candidate["session_id"], candidate["entry_id"])
    if not claim.is_by_model:
        claim = dataclasses.replace(claim, thin=bare(claim.rule, claim.text))
    if claim.role == "user" and is_of_several(claim.message) and (exchange := said.exchange(*where)) is not None:
        claim = dataclasses.replace(claim, is_reply=not exchange.is_first)
    if claim.is_by_model and claim.role != "user":
        backing = said.backing_of_quote(*where, claim.quote)
        return dataclasses.replace(claim, backing=backing, thin=of_once(claim))
    if claim.role == "assistant":
        return dataclasses.replace(claim, backing=said.backing(*where))
    exchange = said.exchange(*where) if claim.is_by_model and claim.role == "user" else None
    if exchange is None:
        return claim
    why = unfit(exchange, claim.quote)
    if why in (TASK_FOR_NOW, FOR_THE_MOMENT):  # of a sentence that is cut the rest may tell that it lasts
        why = unfit(exchange, sentence_of(claim.message, claim.quote)) and why
    is_typed, why_thin = claim.quote in exchange.message.prose, of_once(claim)
    return dataclasses.replace(
        claim, unfit=why, thin=why_thin or thin(exchange, claim.quote, claim.text), is_typed=is_typed
    )  # fmt: skip


def of_once(claim: Claim) -> str:
    """Why a model's claim lasts no longer than its work; '' where it may, and for an episode, which tells that work."""
    return "" if claim.kind == "episode" else tells_of_once(claim.text)


def do_or_propose(
    db: sqlite3.Connection, candidate: sqlite3.Row, decision: Decision, now: datetime
) -> tuple[int | None, Decision]:
    """Does what was decided, or leaves it to a person where the rows do not allow it: a run never stops at one."""
    db.execute("savepoint deciding")
    try:
        memory_id, _ = carry_out(db, candidate, decision, by=DECIDED_BY, now=now)
    except InputError as trouble:
        db.execute("rollback to deciding")
        reason = f"would {decision.action} ({decision.reason}), but: {trouble}"
        decision = Decision("propose", decision.target, reason, decision.action, A_PERSON, relation=decision.relation)
        memory_id, _ = carry_out(db, candidate, decision, by=DECIDED_BY, now=now)
    db.execute("release deciding")
    return memory_id, decision


def note(
    db: sqlite3.Connection,
    around: GateContext,
    candidate: sqlite3.Row,
    decision: Decision,
    memory_id: int | None,
    vector: Vector,
    now: datetime,
) -> None:
    """Lets the candidates that follow see what was done."""
    is_kept = decision.action in ("add", "contradicts", "supersede", "merge") and decision.closed_by is None
    if is_kept and memory_id is not None:
        around.keep(db, memory_id, embedded_text(candidate), vector, now)
    if decision.widens and memory_id is not None:
        around.keep_text(db, memory_id, now)
    if decision.action == "supersede" and decision.target is not None and not decision.keeps:
        for replaced in (decision.target, *decision.also):
            around.memories.drop(replaced)
    if decision.waits_for == A_SIGHTING or decision.or_sighting:
        around.wait(candidate, vector)


def promote(db: sqlite3.Connection, around: GateContext, candidate_id: int, seen_in: str, now: datetime) -> int:
    """Keeps a candidate that waited for a second sighting; its memory."""
    waiting = db.execute(f"{CANDIDATE} where c.id = ?", [candidate_id]).fetchone()
    decision = Decision("add", None, f"seen twice: here and in candidate {seen_in[:12]}")
    memory_id, _ = carry_out(db, waiting, decision, by=DECIDED_BY, now=now)
    assert memory_id is not None
    around.keep(db, memory_id, embedded_text(waiting), around.no_longer_waits(candidate_id), now)
    return memory_id
