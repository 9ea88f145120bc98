"""The user-prompt hook: a brief where memory has something to say, silence where not.

In: the event of a prompt. Out: a `HookOutcome` with the recall to log. The question, its score, its brief and its log
are those of every other surface; this module says how much a hook may ask for. An agent starts `memory_db/hook.py`,
which leads here by way of `run.py`.
"""

from __future__ import annotations

import os
import sqlite3
from datetime import datetime

from memory_db.errors import InputError, QueryError
from memory_db.hooks.run import HookEvent, HookOutcome, project_of, session_of
from memory_db.hooks.skip import EMPTY, NOTICE, goes_on, skipped, without_notices
from memory_db.recall.brief.allowed import LATER_PROMPT, SAME_TOPIC
from memory_db.recall.brief.log import COMPACTED
from memory_db.recall.brief.procedures import procedure_lines
from memory_db.recall.brief.select import ask, keep_only
from memory_db.recall.evidence_of_hit import LEAST, STRONG
from memory_db.recall.question import FIRST_BUDGET_TOKENS, FIRST_LIMIT
from memory_db.recall.search import HOOK_EFFORT, Filters, Question
from memory_db.records import replace
from memory_db.store.connection import rows_there
from memory_db.store.json_text import loads
from memory_db.text.excerpt import head_and_tail
from memory_db.text.questions import asks
from memory_db.text.terms import query_terms

SURFACE = "hook"

PROFILE = "hook"
"""The weights for a process that loads no model."""

LATER_LIMIT, LATER_BUDGET_TOKENS = 3, 400
"""Hits and tokens at later prompts, which are told what is new and strong, and the rules that they meet.

Source: as for those of the first, `FIRST_LIMIT` and `FIRST_BUDGET_TOKENS`.
"""

FIRST, TOOL = "first", "tool"
"""Values of the setting `prompt_briefs` beside `every`: a session's first prompt alone is told memories, or none is."""

LEFT_TO_TOOLS = "prompt_briefs is tool"

WHICH_PROMPTS = "select value from settings where name = 'prompt_briefs'"

KEEP = 20
"""Best hits that are logged though not shown: fewer than elsewhere, for each costs every prompt its time."""


def handle(db: sqlite3.Connection, event: HookEvent, project: str, *, now: datetime) -> HookOutcome:
    """The brief for a prompt, or silence where nothing reaches the profile's threshold; nothing is logged yet.

    Raises: InputError for a payload without a prompt, sqlite3.Error.
    """
    if not isinstance(prompt := event.values.get("prompt"), str):
        raise InputError("The payload has no text called prompt.")
    text = without_notices(prompt)
    if reason := skipped(text):
        return HookOutcome("skipped", NOTICE if reason == EMPTY and prompt.strip() else reason)
    if event.silenced:
        return HookOutcome("silent", event.silenced)
    which = next((loads(value) for (value,) in rows_there(db, WHICH_PROMPTS)), "every")
    if which == TOOL:
        return HookOutcome("skipped", LEFT_TO_TOOLS)
    text, findings = head_and_tail(text)
    try:
        question = question_of(db, event, text, project)
        only_rules = why_only_rules(db, question, text, which, now)
        model = None
        if event.warm:
            question, model = event.warm.deepened(db, question, now), event.warm.semantic
        answer = ask(db, question, surface=SURFACE, now=now, semantic=model, log=False, keep=KEEP)
    except QueryError:
        return HookOutcome("silent", "no word in the prompt")
    answer.findings += findings
    if only_rules:
        keep_only(answer, only_rules, now, lambda hit: hit.is_rule)
        return HookOutcome("skipped", only_rules) if answer.abstained else HookOutcome("shown", only_rules, answer)
    return HookOutcome("silent" if answer.abstained else "shown", "nothing near enough" * answer.abstained, answer)


def question_of(db: sqlite3.Connection, event: HookEvent, text: str, project: str) -> Question:
    """What a prompt asks, in a hook's bounds.

    Where no project is known nothing but what is known of the user is told: another project's text is nobody's
    business there. What is asked for is looked for in entries too: a rule with the same words would not answer it.
    """
    project_id = project_of(db, project or event.cwd)
    is_first = is_first_prompt(db, event.session_uid)
    return Question(
        text,
        profile=PROFILE,
        project_id=project_id,
        filters=Filters(other_projects=False, only_project=project_id is None),
        session_id=session_of(db, event.session_uid),
        session_uid=event.session_uid or None,
        limit=FIRST_LIMIT if is_first else LATER_LIMIT,
        budget_tokens=FIRST_BUDGET_TOKENS if is_first else LATER_BUDGET_TOKENS,
        least_evidence=LEAST if is_first else LEAST * STRONG,
        least_for_rules=LEAST,
        is_unasked=True,
        session_bytes=size_of(event.transcript_path),
        effort=replace(HOOK_EFFORT, entries_below=None) if asks(text) else HOOK_EFFORT,
    )


IS_LATER = f"""
select 1 from recalls where session_uid = :session and surface = 'hook' and asked_at >= {COMPACTED} limit 1
"""


def is_first_prompt(db: sqlite3.Connection, session_uid: str) -> bool:
    """Whether no prompt of a session was asked yet, or none since its context was made smaller."""
    return not (session_uid and rows_there(db, IS_LATER, {"session": session_uid}))


def size_of(transcript_path: str) -> int | None:
    """How long a session's transcript is, in bytes; None where there is none."""
    try:
        return os.stat(transcript_path).st_size if transcript_path else None
    except (OSError, ValueError):
        return None


def why_only_rules(db: sqlite3.Connection, question: Question, text: str, which: str, now: datetime) -> str:
    """Why a prompt is told nothing but the rules that it meets, or nothing. Raises: QueryError, sqlite3.Error."""
    session_uid = question.session_uid or ""
    if which == FIRST and not is_first_prompt(db, session_uid):
        return LATER_PROMPT
    is_same = stays(db, session_uid, text) and not procedure_lines(db, question, SURFACE, now)
    return SAME_TOPIC if is_same else ""


LAST_RECALL = """
select query, json_extract(features, '$.terms') from recalls
where session_uid = ? and surface in ('hook', 'session-start') order by id desc limit 1
"""
"""What a session's agent was last given unasked. A session that begins anew, after a compaction too, asked nothing."""


def stays(db: sqlite3.Connection, session_uid: str, text: str) -> bool:
    """Whether a prompt goes on with the topic of its session's last recall. Raises: QueryError, sqlite3.Error."""
    last = rows_there(db, LAST_RECALL, [session_uid]) if session_uid else []
    if not last or not last[0][1]:
        return False
    return goes_on(text, query_terms(text), last[0][0], loads(last[0][1]))
