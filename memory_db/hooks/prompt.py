"""The user-prompt hook: a brief where memory has something to say, silence where not.

In: the event of a prompt. Out: an `Outcome` with the recall to log. The question, its score, its brief and its log are
those of every other surface; this module says how much a hook may ask for.
"""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime

from memory_db.errors import InputError, QueryError
from memory_db.hooks.run import Event, Outcome, project_of, session_of
from memory_db.hooks.skip import EMPTY, NOTICE, SAME_TOPIC, goes_on, skipped, without_notices
from memory_db.recall.brief.procedures import procedures_told
from memory_db.recall.brief.select import ask
from memory_db.recall.search import HOOK_EFFORT, Filters, Question
from memory_db.store.connection import rows_there
from memory_db.text.excerpt import head_and_tail
from memory_db.text.terms import query_terms

SURFACE = "hook"

PROFILE = "hook"
"""The weights for a process that loads no model."""

LIMIT = 6
"""Hits in a brief nobody asked for. Source: ours; what an agent reads at every prompt must be short."""

BUDGET_TOKENS = 400
"""Tokens of such a brief at most. Source: as above."""

KEEP = 20
"""Best hits that are logged though not shown: fewer than elsewhere, for each costs every prompt its time."""


def handle(db: sqlite3.Connection, event: Event, project: str, *, now: datetime) -> Outcome:
    """The brief for a prompt, or silence where nothing reaches the profile's threshold; nothing is logged yet.

    Raises: InputError for a payload without a prompt, sqlite3.Error.
    """
    if not isinstance(prompt := event.values.get("prompt"), str):
        raise InputError("The payload has no text called prompt.")
    text = without_notices(prompt)
    if reason := skipped(text):
        return Outcome("skipped", NOTICE if reason == EMPTY and prompt.strip() else reason)
    if event.silenced:
        return Outcome("silent", event.silenced)
    text, findings = head_and_tail(text)
    try:
        question = question_of(db, event, text, project)
        if stays(db, event.session_uid, text) and not procedures_told(db, question, SURFACE, now):
            return Outcome("skipped", SAME_TOPIC)
        answer = ask(db, question, surface=SURFACE, now=now, log=False, keep=KEEP)
    except QueryError:
        return Outcome("silent", "no word in the prompt")
    answer.findings += findings
    return Outcome("silent" if answer.abstained else "shown", "nothing near enough" * answer.abstained, answer)


def question_of(db: sqlite3.Connection, event: Event, text: str, project: str) -> Question:
    """What a prompt asks, in a hook's bounds.

    Where no project is known nothing but what is known of the user is told: another project's text is nobody's
    business there.
    """
    project_id = project_of(db, project or event.cwd)
    return Question(
        text,
        profile=PROFILE,
        project_id=project_id,
        filters=Filters(other_projects=False, only_project=project_id is None),
        session_id=session_of(db, event.session_uid),
        session_uid=event.session_uid or None,
        limit=LIMIT,
        budget_tokens=BUDGET_TOKENS,
        effort=HOOK_EFFORT,
    )


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
    return goes_on(text, query_terms(text), last[0][0], json.loads(last[0][1]))
