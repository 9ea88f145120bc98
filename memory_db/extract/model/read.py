"""Candidates from sessions by a language model, a portion at a time.

In: a session with entries that a prompt and a model have not read, and a run. Out: candidates with their quotes, the
row of each call, and how far the session was read. Invariants: a portion's candidates, calls, reasons and progress are
one transaction; a candidate's uid follows from session, entry, prompt, kind and text, so that reading again changes
nothing; every text that a model gave passes redaction; a quote that no entry has is kept as not found.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from memory_db.errors import ModelError
from memory_db.extract.model.answers import (
    ORDINARY_IMPORTANCE,
    QUOTE_CHARACTERS,
    SUPERSEDES_CHARACTERS,
    AnswerError,
    ParsedAnswer,
    ProposedMemory,
    line,
    read_answer,
)
from memory_db.extract.model.chunks import PORTION_TOKENS, Chunk, json_line
from memory_db.extract.model.doubts import note_doubts
from memory_db.extract.model.known import Shown, shown_before
from memory_db.extract.model.prompts import Prompt, prompt_row
from memory_db.extract.model.unread import unread
from memory_db.extract.model.whose import other_project
from memory_db.extract.rules.addressed import root_of, told_there
from memory_db.extract.rules.phrasing import keys_of, paths_of, tags_of
from memory_db.extract.rules.titles import titled
from memory_db.models.calls import DEADLINE_S, SOURCE, About, Called, ModelPrompt, call, prepare, record
from memory_db.redact.clean import clean
from memory_db.store import jobs
from memory_db.store.connection import transaction

if TYPE_CHECKING:
    import llm

MOST_ATTEMPTS = 2
"""One answer, and one more that is told what was wrong with the first. Source: memem."""

TOKENS_ATTRIBUTE = "portion_tokens"
"""Attribute of a model of llm that says how many tokens of transcript it can take at once, where that is less."""

AGAIN = "\n\nYour last answer could not be used: {reason} Answer once more, with one JSON object as it was asked for."

Progress = Callable[[str, int, int | None], None]

SESSION = """
select s.uid, s.project_id, p.canonical_path from sessions s left join projects p on p.id = s.project_id where s.id = ?
"""

FIRST_PROMPT = """
select e.id, e.uid, e.text, e.created_at
from session_entries se join entries e on e.id = se.entry_id
where se.session_id = ? and e.kind = 'prompt' and e.role = 'user' and not e.is_sidechain
order by se.position, e.id limit 1
"""

EPISODE_SO_FAR = """
select answer from model_calls
where session_id = ? and purpose = ? and error is null order by id desc limit 1
"""

EPISODE_BEFORE = """
select text from candidates where session_id = ? and kind = 'episode' and rule = ? order by id desc limit 1
"""

INSERT_CANDIDATE = """
insert or ignore into candidates (uid, extraction_run_id, entry_id, session_id, project_id, kind, scope, title, text,
    quote, is_quote_found, condition, keys, paths, tags, importance, supersedes, rule, created_at)
values (:uid, :run_id, :entry_id, :session_id, :project_id, :kind, :scope, :title, :text,
    :quote, :is_quote_found, :condition, :keys, :paths, :tags, :importance, :supersedes, :rule, :created_at)
"""

REMEMBER_PROGRESS = """
insert into extraction_progress (session_id, method, version, entry_count, extraction_run_id, skip_reason)
values (?, ?, ?, ?, ?, ?)
on conflict (session_id, method) do update set version = excluded.version,
    entry_count = case when version = excluded.version then max(entry_count, excluded.entry_count)
        else excluded.entry_count end,
    extraction_run_id = excluded.extraction_run_id, skip_reason = excluded.skip_reason
"""

COUNT_IN_RUN = """
update extraction_runs set sessions_read = sessions_read + :sessions, entries_read = entries_read + :entries,
    candidates_found = candidates_found + :candidates
where id = :run_id
"""

COUNT_CALLS = """
update extraction_runs set
    input_tokens = (select sum(input_tokens) from model_calls where extraction_run_id = :run_id),
    output_tokens = (select sum(output_tokens) from model_calls where extraction_run_id = :run_id),
    cost_nanocents = (select case when count(cost_nanocents) = count(*) then sum(cost_nanocents) end
        from model_calls where extraction_run_id = :run_id)
where id = :run_id
"""


@dataclass(frozen=True, slots=True)
class PortionRead:
    """What came of one portion: `entries` read for the first time, new `candidates`, those among them whose quote no
    entry has, reasons for what was left out of the answer, its calls with their tokens, and whether the session is read
    to its end. `skip_reason`: why nothing was asked; then there are no calls."""

    entries: int
    candidates: int
    quotes_not_found: int
    left_out: tuple[str, ...]
    call_ids: tuple[int, ...]
    input_tokens: int
    output_tokens: int
    is_last: bool
    skip_reason: str = ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call about a portion, and what was wrong with its answer."""

    called: Called
    question: ModelPrompt
    error: str | None
    answer: ParsedAnswer | None


def portion_tokens(model: llm.Model) -> int:
    """How many tokens of transcript a model is given at once."""
    return min(PORTION_TOKENS, int(getattr(model, TOKENS_ATTRIBUTE, PORTION_TOKENS)))


def waiting_portions(
    db: sqlite3.Connection, session_id: int, prompt: Prompt, model_id: str, *, most_tokens: int = PORTION_TOKENS
) -> Iterator[Chunk]:
    """Every portion of a session that a prompt and a model have not read yet, in order; nothing is asked."""
    return unread(
        db, session_id, method=prompt.method(model_id), version=prompt.version, most_tokens=most_tokens,
        fewest_messages=prompt.purpose.fewest_messages,
    )  # fmt: skip


def next_portion(
    db: sqlite3.Connection, session_id: int, prompt: Prompt, model_id: str, *, most_tokens: int = PORTION_TOKENS
) -> Chunk | None:
    """The first portion that is not read yet; None where the session is read to its end."""
    return next(waiting_portions(db, session_id, prompt, model_id, most_tokens=most_tokens), None)


def read_portion(
    db: sqlite3.Connection,
    session_id: int,
    *,
    model: llm.Model,
    prompt: Prompt,
    run_id: int,
    now: datetime,
    job_id: int | None = None,
    progress: Progress | None = None,
    deadline_s: float = DEADLINE_S,
) -> PortionRead:
    """Asks a model about the next portion of a session and stores what comes of it.

    Where the session is read to its end, or the portion is skipped, nobody is asked. The job is done or due again in
    the transaction that stores the portion, so that a killed process leaves no job of a session that is read.
    Raises: ModelError where the model gave no answer, or twice none that can be used; the calls are rows all the same.
    """
    model_id = str(model.model_id)
    portion = next_portion(db, session_id, prompt, model_id, most_tokens=portion_tokens(model))
    if portion is None:
        settle(db, job_id, now, is_last=True)
        return PortionRead(0, 0, 0, (), (), 0, 0, is_last=True)
    attempts: list[Attempt] = []
    if not portion.skip_reason:
        attempts = attempts_at(db, portion, model, prompt, deadline_s)
        prepare(db)
    with transaction(db):
        read = store(db, portion, attempts, prompt, model_id, run_id, now)
        if portion.skip_reason or attempts[-1].answer is not None:
            settle(db, job_id, now, is_last=portion.is_last)
    if attempts and attempts[-1].answer is None:
        raise ModelError(f"{model_id} gave no answer that can be used: {attempts[-1].error}")
    if progress is not None:
        progress("read", read.entries, None)
    return read


def settle(db: sqlite3.Connection, job_id: int | None, now: datetime, *, is_last: bool) -> None:
    """The job of a portion that is read: done, or due again where more of its session is left."""
    if job_id is not None:
        (jobs.finish if is_last else jobs.release)(db, job_id, now)


def attempts_at(
    db: sqlite3.Connection, portion: Chunk, model: llm.Model, prompt: Prompt, deadline_s: float
) -> list[Attempt]:
    """The calls about a portion: one, and another where the answer could not be used. A model that fails is not asked
    again: what has to be waited for is the worker's business."""
    attempts: list[Attempt] = []
    reason, most_tokens = "", portion_tokens(model)
    while len(attempts) < MOST_ATTEMPTS:
        is_shown = prompt.is_shown_known
        shown = shown_before(db, portion, most_tokens, looks_over=prompt.looks_over) if is_shown else Shown()
        question = question_about(db, portion, prompt, shown, reason)
        called = call(model, question, deadline_s=deadline_s)
        answer, error = None, called.error
        if error is None:
            try:
                answer = read_answer(called.text, portion, prompt.purpose.kinds, shown.kept)
            except AnswerError as trouble:
                error = reason = str(trouble)
        attempts.append(Attempt(called, question, error, answer))
        if answer is not None or called.error is not None:
            break
    return attempts


def question_about(db: sqlite3.Connection, portion: Chunk, prompt: Prompt, shown: Shown, reason: str) -> ModelPrompt:
    """What a model is asked about a portion, with the memories `shown`; `reason`: what its last answer lacked."""
    uid = db.execute(SESSION, [portion.session_id]).fetchone()["uid"]
    before = episode_so_far(db, portion, prompt)
    transcript = shown.text + (json_line({"so far": before}) + "\n" if before else "") + portion.text

    def fill(text: str) -> tuple[str, str]:
        system, asked = prompt.filled(text)
        return system, asked + (AGAIN.format(reason=reason) if reason else "")

    first, last = portion.said[0].number, portion.last_number
    reference = f"{SOURCE} entries {first} to {last} of session {uid}"
    return ModelPrompt(fill, transcript, reference, prompt.schema, dict(prompt.template.options or {}))


def episode_so_far(db: sqlite3.Connection, portion: Chunk, prompt: Prompt) -> str:
    """What the answer to the portion before said that the session was about; empty for a first portion."""
    row = db.execute(EPISODE_SO_FAR, [portion.session_id, prompt.name]).fetchone()
    if row is None or portion.read_before == 0:
        return ""
    try:
        return read_answer(row["answer"], portion, prompt.purpose.kinds).episode
    except AnswerError:
        return ""


def store(
    db: sqlite3.Connection,
    portion: Chunk,
    attempts: Sequence[Attempt],
    prompt: Prompt,
    model_id: str,
    run_id: int,
    now: datetime,
) -> PortionRead:
    """Writes the calls about a portion, and what they gave, in one transaction."""
    with transaction(db):
        method, version = prompt.method(model_id), prompt.version
        calls = [record_attempt(db, portion, attempt, prompt, run_id, number, now) for number, attempt in
                 enumerate(attempts, start=1)]  # fmt: skip
        answer = attempts[-1].answer if attempts else None
        rows = [*rows_of(db, portion, answer, prompt, run_id)] if answer else []
        new = [each for each in rows if db.execute(INSERT_CANDIDATE, each).rowcount]
        if answer:
            note_doubts(db, portion, answer.doubts, prompt.method(model_id), run_id, now=now)
        if answer or portion.skip_reason:
            db.execute(
                REMEMBER_PROGRESS,
                [portion.session_id, method, version, portion.last_number, run_id, portion.skip_reason or None],
            )
            counts = {"sessions": int(portion.is_last), "entries": portion.entries, "candidates": len(new)}
            db.execute(COUNT_IN_RUN, {**counts, "run_id": run_id})
        if calls:
            db.execute(COUNT_CALLS, {"run_id": run_id})
    return PortionRead(
        portion.entries, len(new), sum(not each["is_quote_found"] for each in new), answer.left_out if answer else (),
        tuple(calls), sum(attempt.called.input_tokens for attempt in attempts),
        sum(attempt.called.output_tokens for attempt in attempts), portion.is_last, portion.skip_reason,
    )  # fmt: skip


def record_attempt(
    db: sqlite3.Connection, portion: Chunk, attempt: Attempt, prompt: Prompt, run_id: int, number: int, now: datetime
) -> int:
    """The row of one call about a portion."""
    sources = [entry_id for said in portion.said for entry_id, _ in said.sources]
    about = About(
        prompt.name, run_id, prompt_row(db, prompt, now=now), portion.session_id, sources[0], sources[-1], number
    )
    left_out = attempt.answer.left_out if attempt.answer else ()
    return record(db, attempt.called, attempt.question, about, now=now, error=attempt.error, left_out=left_out)


def rows_of(
    db: sqlite3.Connection, portion: Chunk, answer: ParsedAnswer, prompt: Prompt, run_id: int
) -> Iterator[dict[str, object]]:
    """The candidates of an answer as rows, and the session's episode when it is read to its end."""
    session = db.execute(SESSION, [portion.session_id]).fetchone()
    for proposal in answer.proposals:
        yield row_of(db, portion, proposal, session, prompt, run_id)
    first = db.execute(FIRST_PROMPT, [portion.session_id]).fetchone()
    if portion.is_last and answer.episode and first is not None and prompt.name == "extract":
        before = db.execute(EPISODE_BEFORE, [portion.session_id, prompt.name]).fetchone()
        episode = ProposedMemory(
            kind="episode", scope="project", title="", text=answer.episode, quote=first["text"][:QUOTE_CHARACTERS],
            entry_id=first["id"], keys=(), prompts=(), importance=ORDINARY_IMPORTANCE - 1,
            condition="", supersedes=line(before["text"], SUPERSEDES_CHARACTERS) if before else "",
        )  # fmt: skip
        yield row_of(db, portion, episode, session, prompt, run_id)


def row_of(
    db: sqlite3.Connection, portion: Chunk, proposal: ProposedMemory, session: sqlite3.Row, prompt: Prompt, run_id: int
) -> dict[str, object]:
    """A proposal as the columns of its row, every text redacted. What is of no project is the user's."""
    entry = db.execute("select uid, created_at from entries where id = ?", [proposal.entry_id]).fetchone()
    text = said = clean(proposal.text)[0].strip()
    title, project, root = clean(proposal.title)[0], session["project_id"], session["canonical_path"]
    if (other := other_project(db, portion, proposal, project)) is not None:
        project, root = other, root_of(db, other)
        text, title = told_there(text), told_there(title)
    keys = [*(proposal.keys or keys_of(text, proposal.kind)), *proposal.prompts]
    named = f"{proposal.quote}\n{text}"
    parts = (session["uid"], entry["uid"] if entry else "", prompt.name, proposal.kind, said)
    return {
        "uid": sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest(),
        "run_id": run_id,
        "entry_id": proposal.entry_id,
        "session_id": portion.session_id,
        "project_id": project,
        "kind": proposal.kind,
        "scope": proposal.scope if project is not None else "user",
        "title": titled(title or " ".join(text.split())),
        "text": text,
        "quote": clean(proposal.quote)[0],
        "is_quote_found": int(entry is not None),
        "condition": clean(proposal.condition)[0],
        "keys": json.dumps([clean(key)[0] for key in keys], ensure_ascii=False),
        "paths": json.dumps([clean(path)[0] for path in paths_of(named, root)], ensure_ascii=False),
        "tags": json.dumps(tags_of(text), ensure_ascii=False),
        "importance": proposal.importance,
        "supersedes": clean(proposal.supersedes)[0],
        "rule": prompt.name,
        "created_at": entry["created_at"] if entry else portion.said[-1].created_at,
    }
