"""Candidates from entries and actions, without a model.

In: sessions with entries that the rules have not read. Out: rows of
`candidates`, and how far each session was read. Invariant: a candidate's uid
follows from its entry, rule and quote, and its quote is a slice of that entry's
stored text; reading a session again changes nothing.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from memory_db.extract.rules.around import actions_of, entries_of
from memory_db.extract.rules.error_fixes import SUMMARY, ActionRow, ErrorFix, error_fixes, subject_of
from memory_db.extract.rules.exchanges import AgentWord, Exchange, conversation
from memory_db.extract.rules.frames import found_alone
from memory_db.extract.rules.messages import read_message
from memory_db.extract.rules.phrasing import (
    distinct,
    importance_of,
    keys_of,
    paths_of,
    scope_of,
    tags_of,
    tidied,
    within,
)
from memory_db.extract.rules.prose import ProseFinding
from memory_db.extract.rules.replies import PREAMBLE, read_reply
from memory_db.extract.rules.titles import titled
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.text.conditions import condition_of
from memory_db.transcripts.spans import spans_in

METHOD = "rules"

RULES_VERSION = "3"
"""Another version reads every session again; what it finds the same way keeps its uid."""

Progress = Callable[[str, int, int | None], None]

TO_READ = """
select s.id, s.project_id, count(*) as entry_count, p.canonical_path
from sessions s
join session_entries se on se.session_id = s.id
left join projects p on p.id = s.project_id
left join extraction_progress done on done.session_id = s.id and done.method = :method
group by s.id
having done.session_id is null or done.version <> :version or done.entry_count <> count(*)
order by s.id
"""

INSERT_CANDIDATE = """
insert or ignore into candidates (uid, extraction_run_id, entry_id, session_id, project_id, kind, scope, title, text,
    quote, condition, keys, paths, tags, importance, rule, created_at)
values (:uid, :run_id, :entry_id, :session_id, :project_id, :kind, :scope, :title, :text,
    :quote, :condition, :keys, :paths, :tags, :importance, :rule, :created_at)
"""

REMEMBER_PROGRESS = """
insert into extraction_progress (session_id, method, version, entry_count, extraction_run_id) values (?, ?, ?, ?, ?)
on conflict (session_id, method) do update set version = excluded.version, entry_count = excluded.entry_count,
    extraction_run_id = excluded.extraction_run_id
"""


@dataclass(slots=True, frozen=True)
class Draft:
    """A candidate without its uid and run."""

    entry: sqlite3.Row
    kind: str
    scope: str
    title: str
    text: str
    quote: str
    condition: str
    keys: list[str]
    paths: list[str]
    tags: list[str]
    importance: int
    rule: str


def extract(db: sqlite3.Connection, *, now: datetime, progress: Progress | None = None) -> dict[str, int]:
    """Reads every session that has unread entries; counts `sessions`, `entries` and new `candidates`.

    Each session is one transaction, begun when it is read. A run without anything to read leaves no row.
    """
    counts = {"sessions": 0, "entries": 0, "candidates": 0}
    waiting = db.execute(TO_READ, {"method": METHOD, "version": RULES_VERSION}).fetchall()
    run_id: int | None = None
    for session in waiting:
        drafts = read_session(db, session)
        with transaction(db):
            if run_id is None:
                run_id = start_run(db, now)
            found = keep_drafts(db, session, drafts, run_id)
            counts["sessions"] += 1
            counts["entries"] += session["entry_count"]
            counts["candidates"] += found
            db.execute(
                "update extraction_runs set sessions_read = ?, entries_read = ?, candidates_found = ?, finished_at = ?"
                " where id = ?",
                [*counts.values(), utc_text(now) if counts["sessions"] == len(waiting) else None, run_id],
            )
        if progress is not None:
            progress("extract", counts["sessions"], len(waiting))
    return counts


def start_run(db: sqlite3.Connection, now: datetime) -> int:
    """A new row of `extraction_runs`."""
    cursor = db.execute(
        "insert into extraction_runs (method, version, started_at) values (?, ?, ?)",
        [METHOD, RULES_VERSION, utc_text(now)],
    )
    return int(cursor.lastrowid or 0)


def read_session(db: sqlite3.Connection, session: sqlite3.Row) -> list[Draft]:
    """What one session says; changes nothing."""
    entries, actions = entries_of(db, session["id"]), actions_of(db, session["id"])
    talk = conversation(entries, actions, spans_in(db, session["id"]))
    said = sorted((*message_drafts(talk.exchanges), *agent_drafts(talk.agent_words)), key=lambda one: one.entry["id"])
    return [*said, *fix_drafts(entries, actions)]


def keep_drafts(db: sqlite3.Connection, session: sqlite3.Row, drafts: Sequence[Draft], run_id: int) -> int:
    """Stores the candidates of one session and how far it was read; the number of new ones."""
    found = sum(db.execute(INSERT_CANDIDATE, columns_of(draft, run_id)).rowcount for draft in drafts)
    db.execute(REMEMBER_PROGRESS, [session["id"], METHOD, RULES_VERSION, session["entry_count"], run_id])
    return found


def message_drafts(exchanges: Iterable[Exchange]) -> Iterator[Draft]:
    """What the user says in prompts and in remarks on refused actions."""
    for exchange in exchanges:
        message = exchange.message
        for found in read_message(exchange):
            yield drafted(message.entry, found.finding, found.text, message.offset, exchange.action)


def agent_drafts(words: Iterable[AgentWord]) -> Iterator[Draft]:
    """What the agent found, unless the user's next words say that it is wrong."""
    for word in words:
        for finding in read_reply(word):
            text = found_alone(word, tidied(PREAMBLE.sub("", finding.quote)))
            if text:
                yield drafted(word.entry, finding, text, 0, None)


def drafted(entry: sqlite3.Row, finding: ProseFinding, text: str, offset: int, last_action: ActionRow | None) -> Draft:
    """One finding as a draft of a candidate; its span begins at `offset` of the entry's text."""
    quote = entry["text"][finding.start + offset : finding.end + offset]
    assert quote == finding.quote, f"the quote of entry {entry['uid']} is not a slice of its text"
    around = []
    if finding.kind == "correction" and last_action is not None:
        around = [subject_of(last_action)]
    return Draft(
        entry=entry,
        kind=finding.kind,
        scope=scope_of(finding, has_project=entry["project_id"] is not None),
        title=titled(text),
        text=text,
        quote=finding.quote,
        condition=condition_of(text, finding.kind),
        keys=keys_of(text, finding.kind, around),
        paths=paths_of(finding.quote, entry["canonical_path"]),
        tags=tags_of(text),
        importance=importance_of(finding),
        rule=finding.rule,
    )


def fix_drafts(entries: list[sqlite3.Row], actions: list[ActionRow]) -> Iterator[Draft]:
    """What failed and what cured it, quoted from the result that failed."""
    by_id = {entry["id"]: entry for entry in entries}
    for fix in error_fixes(actions):
        entry = by_id.get(fix.failed.result_entry_id or -1)
        if entry is None or entry["project_id"] is None or SUMMARY.search(fix.error_line):
            continue
        if fix.error_line in entry["text"]:
            yield fix_draft(entry, fix)


def fix_draft(entry: sqlite3.Row, fix: ErrorFix) -> Draft:
    """One pair as a draft of a candidate."""
    text = fix.text
    root = entry["canonical_path"]
    return Draft(
        entry=entry,
        kind="fix",
        scope="project",
        title=titled(fix.error_line),
        text=text,
        quote=fix.error_line,
        condition="",
        keys=keys_of(fix.error_line, "fix", [subject_of(fix.failed)]),
        paths=distinct([*(within(path, root) for path in fix.paths), *paths_of(fix.error_line, root)])[:10],
        tags=tags_of(text),
        importance=2 if re.search(r"\bassert", fix.error_line, re.IGNORECASE) else 3,
        rule="error then fix",
    )


def columns_of(draft: Draft, run_id: int) -> dict[str, object]:
    """A draft as the columns of its row; shared entries belong to the session that had them first."""
    entry = draft.entry
    uid = sha256("\x1f".join((entry["uid"], draft.rule, draft.quote)).encode()).hexdigest()
    return {
        "uid": uid,
        "run_id": run_id,
        "entry_id": entry["id"],
        "session_id": entry["session_id"],
        "project_id": entry["project_id"],
        "kind": draft.kind,
        "scope": draft.scope,
        "title": draft.title,
        "text": draft.text,
        "quote": draft.quote,
        "condition": draft.condition,
        "keys": json.dumps(draft.keys, ensure_ascii=False),
        "paths": json.dumps(draft.paths, ensure_ascii=False),
        "tags": json.dumps(draft.tags, ensure_ascii=False),
        "importance": draft.importance,
        "rule": draft.rule,
        "created_at": entry["created_at"],
    }
