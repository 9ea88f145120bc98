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
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256

from memory_db.extract.rules.addressed import addressed_to, root_of, told_there
from memory_db.extract.rules.around import actions_of, entries_of
from memory_db.extract.rules.backing import what_mended
from memory_db.extract.rules.bare import only_tells
from memory_db.extract.rules.beside_secrets import beside_secrets
from memory_db.extract.rules.error_fixes import SUMMARY, ActionRow, ErrorFix, error_fixes, is_meant, subject_of
from memory_db.extract.rules.exchanges import AgentWord, Exchange, conversation
from memory_db.extract.rules.frames import found_alone
from memory_db.extract.rules.may_change import changing
from memory_db.extract.rules.messages import read_message
from memory_db.extract.rules.overtaken import is_overtaken
from memory_db.extract.rules.phrasing import (
    distinct,
    importance_of,
    keys_of,
    paths_of,
    tags_of,
    tidied,
    within,
)
from memory_db.extract.rules.prose import ProseFinding
from memory_db.extract.rules.replies import PREAMBLE, read_reply
from memory_db.extract.rules.riders import without_riders
from memory_db.extract.rules.said_anew import said_anew
from memory_db.extract.rules.surroundings import MessageFinding
from memory_db.extract.rules.titles import titled
from memory_db.extract.rules.where import goes_on_everywhere, scope_of
from memory_db.helpers import Helpers, Promise
from memory_db.store.connection import connect, file_of, transaction
from memory_db.store.dates import utc_text
from memory_db.text.conditions import condition_of, condition_upon
from memory_db.transcripts.spans import spans_in

METHOD = "rules"

RULES_VERSION = "36"
"""Another version reads every session again; what it finds the same way keeps its uid."""

FAULT_KINDS = frozenset({"fix", "quirk", "failure", "issue"})
"""Kinds of what an agent found to be the cause of some trouble, which the edit that followed may have ended."""

WORTH_ENTRIES = 2_000
"""How many entries must be unread for helpers to be asked, whose start takes as long as reading these. Source: ours."""

GROUP_ENTRIES = 400
"""How many entries a helper reads before it hands over what it found: a fifth of a second's work. Source: ours."""

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

IS_SAID = """
select 1 from entries e join sessions s on s.id = e.session_id
where e.id = :entry_id and s.id = :session_id and s.project_id is :said_in and instr(e.text, :quote) > 0
"""
"""Whether an entry still says what a candidate quotes, in the same project."""

REMEMBER_PROGRESS = """
insert into extraction_progress (session_id, method, version, entry_count, extraction_run_id) values (?, ?, ?, ?, ?)
on conflict (session_id, method) do update set version = excluded.version, entry_count = excluded.entry_count,
    extraction_run_id = excluded.extraction_run_id
"""


@dataclass(slots=True, frozen=True)
class Draft:
    """A candidate without its uid and run; `addressed` are the words that tell which project it is for.

    `paths` are as they were named, until it is known from which folder they are seen.
    """

    entry: sqlite3.Row
    kind: str
    scope: str
    title: str
    text: str
    quote: str
    addressed: str
    condition: str
    keys: list[str]
    paths: list[str]
    tags: list[str]
    importance: int
    rule: str


@dataclass(slots=True, frozen=True)
class Group:
    """Sessions of a file that are read together, by their ids."""

    path: str
    sessions: tuple[int, ...]


Columns = dict[str, object]
"""A candidate as the columns of its row, but for its run."""


Ahead = dict[tuple[int, int], tuple[Promise[Group, list[list[Columns]]], int]]
"""What helpers read of sessions, by id and number of entries: the promise of its group, and its place in that."""


def extract(
    db: sqlite3.Connection, *, now: datetime, progress: Progress | None = None, ahead: Ahead | None = None
) -> dict[str, int]:
    """Reads every session that has unread entries; counts `sessions`, `entries` and new `candidates`.

    Each session is one transaction, begun when it is read. A run without anything to read leaves no row. What helpers
    read `ahead` is taken from them, as long as the file still says it.
    """
    counts = {"sessions": 0, "entries": 0, "candidates": 0}
    waiting = db.execute(TO_READ, {"method": METHOD, "version": RULES_VERSION}).fetchall()
    run_id: int | None = None
    for session in waiting:
        found = found_in(db, session, ahead or {})
        with transaction(db):
            if run_id is None:
                run_id = start_run(db, now)
            added = keep(db, session, found, run_id)
            counts["sessions"] += 1
            counts["entries"] += session["entry_count"]
            counts["candidates"] += added
            db.execute(
                "update extraction_runs set sessions_read = ?, entries_read = ?, candidates_found = ?, finished_at = ?"
                " where id = ?",
                [*counts.values(), utc_text(now) if counts["sessions"] == len(waiting) else None, run_id],
            )
        if progress is not None:
            progress("extract", counts["sessions"], len(waiting))
    return counts


def get_ready(_: None) -> None:
    """What a helper does that is started early: by then it has loaded the rules."""


def look_ahead(db: sqlite3.Connection, helpers: Helpers) -> Ahead:
    """Has helpers read every session that has unread entries; nothing where there are none, or little is unread."""
    path = "" if db.in_transaction else file_of(db)
    waiting = db.execute(TO_READ, {"method": METHOD, "version": RULES_VERSION}).fetchall() if helpers.count else []
    if not path or (not helpers.are_running and sum(row["entry_count"] for row in waiting) < WORTH_ENTRIES):
        return {}
    ahead: Ahead = {}
    for rows in grouped(waiting):
        promise = helpers.begin(read_group, Group(path, tuple(row["id"] for row in rows)))
        ahead |= {(row["id"], row["entry_count"]): (promise, place) for place, row in enumerate(rows)}
    return ahead


def found_in(db: sqlite3.Connection, session: sqlite3.Row, ahead: Ahead) -> list[Columns]:
    """What one session says, from a helper if one has read it as it is now."""
    promised = ahead.get((session["id"], session["entry_count"]))
    return promised[0].get()[promised[1]] if promised else columns_in(db, session["id"])


def grouped(waiting: Sequence[sqlite3.Row]) -> Iterator[list[sqlite3.Row]]:
    """Sessions in groups of about `GROUP_ENTRIES` entries, in their order."""
    rows: list[sqlite3.Row] = []
    for row in waiting:
        rows.append(row)
        if sum(each["entry_count"] for each in rows) >= GROUP_ENTRIES:
            yield rows
            rows = []
    if rows:
        yield rows


def read_group(group: Group) -> list[list[Columns]]:
    """What each session of a group says, as a helper reads it. Raises: DatabaseFileError."""
    with closing(connect(group.path)) as db:
        return [columns_in(db, session_id) for session_id in group.sessions]


def columns_in(db: sqlite3.Connection, session_id: int) -> list[Columns]:
    """What one session says, as columns; changes nothing."""
    found = []
    for each in read_session(db, session_id):
        project_id = addressed_to(db, each.addressed, each.entry["project_id"], message_of(each))
        if project_id is None:
            found.append(columns_of(each, each.entry["project_id"], each.entry["canonical_path"]))
        else:
            found.append(columns_of(elsewhere(each), project_id, root_of(db, project_id)))
    return found


def elsewhere(draft: Draft) -> Draft:
    """A draft as it is told in the project that it is for."""
    text = told_there(draft.text)
    return draft if text == draft.text else replace(draft, text=text, title=titled(text))


def message_of(draft: Draft) -> str:
    """The message that a draft is from, where it is the user's."""
    return str(draft.entry["text"]) if draft.entry["role"] == "user" else ""


def start_run(db: sqlite3.Connection, now: datetime) -> int:
    """A new row of `extraction_runs`."""
    cursor = db.execute(
        "insert into extraction_runs (method, version, started_at) values (?, ?, ?)",
        [METHOD, RULES_VERSION, utc_text(now)],
    )
    return int(cursor.lastrowid or 0)


def read_session(db: sqlite3.Connection, session_id: int) -> list[Draft]:
    """What one session says; changes nothing."""
    entries, actions = entries_of(db, session_id), actions_of(db, session_id)
    talk = conversation(entries, actions, spans_in(db, session_id))
    found = () if talk.is_discussed else agent_drafts(talk.agent_words, actions)
    said = sorted((*message_drafts(talk.exchanges), *found), key=lambda one: one.entry["id"])
    return [*said, *fix_drafts(entries, actions)]


def keep(db: sqlite3.Connection, session: sqlite3.Row, found: Sequence[Columns], run_id: int) -> int:
    """Stores the candidates of one session and how far it was read; the number of new ones.

    A session that was changed since, by forgetting or a merge of projects, is read again.
    """
    if db.execute("select 1 from sessions where id = ?", [session["id"]]).fetchone() is None:
        return 0
    if not all(db.execute(IS_SAID, columns).fetchone() for columns in found):
        found = columns_in(db, session["id"])
    added = sum(db.execute(INSERT_CANDIDATE, columns | {"run_id": run_id}).rowcount for columns in found)
    db.execute(REMEMBER_PROGRESS, [session["id"], METHOD, RULES_VERSION, session["entry_count"], run_id])
    return added


def message_drafts(exchanges: Iterable[Exchange]) -> Iterator[Draft]:
    """What the user says in prompts and in remarks on refused actions."""
    for exchange in exchanges:
        message = exchange.message
        found_here = said_anew(exchange, read_message(exchange))
        for found in (*found_here, *changing(exchange, found_here)):
            text = without_riders(found.text)
            yield drafted(message.entry, found.finding, text, message.offset, exchange.action, found.core)


def agent_drafts(words: Iterable[AgentWord], actions: Sequence[ActionRow]) -> Iterator[Draft]:
    """What the agent found, unless the user's next words say that it is wrong, or an edit changed it again."""
    for word in words:
        for finding in read_reply(word):
            text = text_found(word, finding)
            if text and not is_overtaken(finding.quote, word.entry["id"], actions):
                yield drafted(word.entry, finding, text, 0, None)


def text_found(word: AgentWord, finding: ProseFinding) -> str:
    """What an agent found as a text that stands alone, with the edit that mended it where it was a fault."""
    text = found_alone(word, tidied(PREAMBLE.sub("", finding.quote)))
    mended = what_mended(word, finding.quote) if text and finding.kind in FAULT_KINDS else ""
    return f"{text.rstrip('.')} ({mended})." if mended else text


def drafted(
    entry: sqlite3.Row,
    finding: ProseFinding,
    text: str,
    offset: int,
    last_action: ActionRow | None,
    core: MessageFinding | None = None,
) -> Draft:
    """One finding as a draft of a candidate; its span begins at `offset` of the entry's text.

    `core` is what says most of it, by which it is named and told to be of another project.
    """
    done = last_action.target.replace("\\", "/") if last_action is not None else ""
    quote = entry["text"][finding.start + offset : finding.end + offset]
    assert quote == finding.quote, f"the quote of entry {entry['uid']} is not a slice of its text"
    scope = scope_of(finding, has_project=entry["project_id"] is not None)
    if entry["role"] == "user" and goes_on_everywhere(entry["text"][: finding.start + offset], finding.quote):
        scope = "user"
    text = beside_secrets(text)
    around = []
    if finding.kind == "correction" and last_action is not None:
        around = [subject_of(last_action)]
    return Draft(
        entry=entry,
        kind=finding.kind,
        scope=scope,
        title=titled(beside_secrets(core.text) if core else text),
        text=text,
        quote=finding.quote,
        addressed=core.finding.quote if core else finding.quote,
        condition=condition_of(text, finding.kind) or condition_upon(done, text, finding.kind),
        keys=keys_of(text, finding.kind, around),
        paths=paths_of(finding.quote, None),
        tags=tags_of(text),
        importance=importance_of(finding, is_told=only_tells(finding.rule, text)),
        rule=finding.rule,
    )


def fix_drafts(entries: list[sqlite3.Row], actions: list[ActionRow]) -> Iterator[Draft]:
    """What failed and what cured it, quoted from the result that failed."""
    by_id = {entry["id"]: entry for entry in entries}
    words = [(one["id"], one["role"], one["text"]) for one in entries if one["kind"] in ("prompt", "reply")]
    for fix in error_fixes(actions):
        entry = by_id.get(fix.failed.result_entry_id or -1)
        if entry is None or entry["project_id"] is None or SUMMARY.search(fix.error_line):
            continue
        if is_meant(fix, actions, words):
            continue
        if fix.error_line in entry["text"]:
            yield fix_draft(entry, fix)


def fix_draft(entry: sqlite3.Row, fix: ErrorFix) -> Draft:
    """One pair as a draft of a candidate."""
    text = fix.text
    return Draft(
        entry=entry,
        kind="fix",
        scope="project",
        title=titled(fix.error_line),
        text=text,
        quote=fix.error_line,
        addressed=fix.error_line,
        condition="",
        keys=keys_of(fix.error_line, "fix", [subject_of(fix.failed)]),
        paths=distinct([*fix.paths, *paths_of(fix.error_line, None)])[:10],
        tags=tags_of(text),
        importance=2 if re.search(r"\bassert", fix.error_line, re.IGNORECASE) else 3,
        rule="error then fix",
    )


def columns_of(draft: Draft, project_id: int | None, root: str | None) -> Columns:
    """A draft as the columns of its row, but for its run; shared entries belong to the session that had them first.

    `project_id` is of the project that it is said for, and `root` the folder from which its paths are seen.
    """
    paths = distinct(within(path, root) for path in draft.paths)
    entry = draft.entry
    uid = sha256("\x1f".join((entry["uid"], draft.rule, draft.quote)).encode()).hexdigest()
    return {
        "uid": uid,
        "entry_id": entry["id"],
        "session_id": entry["session_id"],
        "project_id": project_id,
        "said_in": entry["project_id"],
        "kind": draft.kind,
        "scope": draft.scope,
        "title": draft.title,
        "text": draft.text,
        "quote": draft.quote,
        "condition": draft.condition,
        "keys": json.dumps(draft.keys, ensure_ascii=False),
        "paths": json.dumps(paths, ensure_ascii=False),
        "tags": json.dumps(draft.tags, ensure_ascii=False),
        "importance": draft.importance,
        "rule": draft.rule,
        "created_at": entry["created_at"],
    }
