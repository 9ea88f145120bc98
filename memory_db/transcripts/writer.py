"""The common shapes into the tables.

In: the items of one batch and the source they come from. Out: rows, and counts. Invariants: it runs inside the caller's
transaction; the same items written again add nothing; an entry is never overwritten, and one whose uid is taken by
different words gets a uid of its own.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import datetime
from hashlib import sha256

from memory_db.redact.clean import RULES_VERSION, Finding
from memory_db.store.dates import utc_text
from memory_db.text.provenance import DENIAL
from memory_db.text.scrubbing import FORGOTTEN
from memory_db.transcripts import spans
from memory_db.transcripts.client import KNOWN
from memory_db.transcripts.projects import resolve_project
from memory_db.transcripts.records import BLANK, ApiCall, Entry, Item
from memory_db.transcripts.remotes import learn_remotes
from memory_db.transcripts.sessions import lineage, link_continued, write_sessions

CALL_COLUMNS = tuple(field.name for field in fields(ApiCall))

INSERT_ENTRY = """
insert into entries (id, uid, session_id, source_id, parent_uid, role, kind, is_sidechain, model, text, image_count,
    created_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

INSERT_ACTION = """
insert or ignore into actions (uid, entry_id, session_id, tool, target, input, created_at) values (?, ?, ?, ?, ?, ?, ?)
"""

JOIN_RESULT = """
update actions set result_entry_id = ?, is_error = ?, excerpt = ?
where session_id = ? and uid = ? and result_entry_id is null and entry_id <= ?
"""

USAGE_COLUMNS = (
    "output_tokens",
    "input_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "cache_read_tokens",
    "model",
    "service_tier",
)
"""What the records of one answer may tell differently, in the order in which the largest is found."""

UPSERT_CALL = f"""
insert into api_calls (session_id, entry_id, created_at, {", ".join(CALL_COLUMNS)})
values ({", ".join("?" * (len(CALL_COLUMNS) + 3))})
on conflict (message_uid, request_uid) do update set
    {", ".join(f"{name} = excluded.{name}" for name in USAGE_COLUMNS)}
where ({", ".join(f"coalesce(excluded.{name}, '')" for name in USAGE_COLUMNS)})
    > ({", ".join(f"coalesce(api_calls.{name}, '')" for name in USAGE_COLUMNS)})
"""

BEGAN_EARLIER = """
update api_calls set created_at = ? where message_uid = ? and request_uid = ? and created_at > ?
"""

CALLS_WITH_REQUEST = """
select distinct message_uid from api_calls
where request_uid <> '' and message_uid in (select value from json_each(?))
"""

DELETE_WITHOUT_REQUEST = "delete from api_calls where request_uid = '' and message_uid = ?"

INSERT_FINDING = """
insert or ignore into scan_findings (rule, category, rules_version, place, source_id, entry_id, field, start, hint,
    found_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

INSERT_PROBLEM = """
insert or ignore into source_problems (source_id, line, reason, excerpt, found_at) values (?, ?, ?, ?, ?)
"""


COUNT_SKIPPED = """
insert into skipped_records (source_id, type, is_known, lines, first_line, found_at) values (?, ?, ?, ?, ?, ?)
on conflict (source_id, type) do update set lines = lines + excluded.lines, is_known = excluded.is_known
"""


@dataclass(slots=True)
class ImportCounts:
    """What an import found and did. Each line read is an entry (added or known), skipped, or unreadable."""

    files_found: int = 0
    files_read: int = 0
    files_unchanged: int = 0
    files_unreadable: int = 0
    files_ignored: int = 0
    files_missing: int = 0
    files_rewritten: int = 0
    bytes_read: int = 0
    lines: int = 0
    entries_added: int = 0
    entries_known: int = 0
    lines_skipped: int = 0
    lines_unreadable: int = 0
    sessions: int = 0
    sessions_moved: int = 0
    actions: int = 0
    api_calls: int = 0
    problems: int = 0
    findings: int = 0
    images: int = 0

    def as_dict(self) -> dict[str, int]:
        """The counts by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(slots=True, frozen=True)
class Origin:
    """Where items come from: the row of `sources` (None for what was said here), its path, and its sessions' format."""

    source_id: int | None
    path: str
    format: str


@dataclass(slots=True, frozen=True)
class Placed:
    """An entry with the rows it stands for: its own id, that of its session here, and whether it is new."""

    entry: Entry
    entry_id: int
    session_id: int
    uid: str
    is_new: bool


def write_items(db: sqlite3.Connection, origin: Origin, items: list[Item], counts: ImportCounts, now: datetime) -> None:
    """Stores one batch. Must run inside a transaction."""
    found_at = utc_text(now)
    before = {table: last_id(db, table) for table in ("sessions", "actions", "api_calls")}
    spans.begin(db)
    session_ids = write_sessions(db, origin.format, items, lambda cwd: resolve_project(db, cwd, now=now))
    placed = write_entries(db, origin.source_id, [item.entry for item in items if item.entry], session_ids)
    new = [place for place in placed if place.is_new]
    write_actions(db, new)
    join_results(db, new)
    entry_spans(db, new)
    write_calls(db, placed)
    learn_remotes(db, ((place.entry_id, place.entry.text) for place in new if place.entry.results), now)
    counts.findings += write_findings(db, origin, items, new, found_at)
    counts.problems += write_problems(db, origin.source_id, items, found_at)
    count_skipped(db, origin.source_id, items, found_at)
    count_items(items, placed, counts)
    for table, last in before.items():
        setattr(counts, table, getattr(counts, table) + last_id(db, table) - last)


def count_skipped(db: sqlite3.Connection, source_id: int | None, items: list[Item], found_at: str) -> None:
    """Counts records that were passed over, by type: a row each, so that a type that is new is seen."""
    counted: Counter[str] = Counter()
    first: dict[str, int] = {}
    for item in items:
        if item.skipped is not None and item.skipped != BLANK:
            counted[item.skipped] += 1
            first.setdefault(item.skipped, item.line)
    db.executemany(
        COUNT_SKIPPED,
        [(source_id, name, int(name in KNOWN), lines, first[name], found_at) for name, lines in counted.items()],
    )


def last_id(db: sqlite3.Connection, table: str) -> int:
    """The greatest id of a table. Ids are given in order, so two of them tell how many rows came between."""
    return int(db.execute(f"select coalesce(max(id), 0) from {table}").fetchone()[0])


def count_items(items: list[Item], placed: list[Placed], counts: ImportCounts) -> None:
    """Adds what became of each line."""
    added = sum(place.is_new for place in placed)
    counts.lines += len(items)
    counts.entries_added += added
    counts.entries_known += len(placed) - added
    counts.images += sum(place.entry.image_count for place in placed if place.is_new)
    counts.lines_skipped += sum(item.skipped is not None for item in items)
    counts.lines_unreadable += sum(item.entry is None and item.skipped is None for item in items)


def write_entries(
    db: sqlite3.Connection, source_id: int | None, entries: list[Entry], session_ids: dict[str, int]
) -> list[Placed]:
    """Stores the entries that are new and their place in their session; each entry's row, new or not."""
    next_id = last_id(db, "entries") + 1
    known = known_entries(db, (entry.uid for entry in entries))
    placed: list[Placed] = []
    owners: dict[int, int] = {}
    for entry in entries:
        session_id = session_ids[entry.session_uid]
        uid, found = find_place(db, entry, session_id, known)
        if found is None:
            found = known[uid] = (next_id, session_id, entry.text)
            placed.append(Placed(entry, next_id, session_id, uid, True))
            next_id += 1
        else:
            placed.append(Placed(entry, found[0], session_id, uid, False))
            if found[1] != session_id:
                owners.setdefault(session_id, found[1])
    db.executemany(INSERT_ENTRY, (entry_row(place, source_id) for place in placed if place.is_new))
    db.executemany(
        "insert or ignore into session_entries (session_id, entry_id, position) values (?, ?, ?)",
        [(place.session_id, place.entry_id, place.entry.position) for place in placed],
    )
    link_continued(db, owners)
    return placed


Known = dict[str, tuple[int, int, str]]
"""Entries by uid: (id, session id, text)."""


def known_entries(db: sqlite3.Connection, uids: Iterable[str]) -> Known:
    """The entries of these uids that are rows already."""
    rows = db.execute(
        "select uid, id, session_id, text from entries where uid in (select value from json_each(?))",
        [json.dumps(list(uids))],
    )
    return {row["uid"]: (row["id"], row["session_id"], row["text"]) for row in rows}


def find_place(
    db: sqlite3.Connection, entry: Entry, session_id: int, known: Known
) -> tuple[str, tuple[int, int, str] | None]:
    """The uid of an entry, and the row that is already it.

    A resumed session repeats uids with the same words: that is one entry. A
    uid with other words is another entry, and gets a uid that says where it is from.
    What was forgotten stays so, whatever its file says.
    """
    found = known.get(entry.uid)
    if is_it(found, entry):
        return entry.uid, found
    words = sha256(entry.text.encode("utf-8")).hexdigest()[:12]
    for uid in (f"{entry.uid}@{entry.session_uid}", f"{entry.uid}@{entry.session_uid}#{words}"):
        if uid not in known:
            known.update(known_entries(db, [uid]))
        found = known.get(uid)
        if is_it(found, entry):
            break
    return uid, found


def is_it(found: tuple[int, int, str] | None, entry: Entry) -> bool:
    """Whether the row of a uid is an entry, or there is none yet."""
    return found is None or found[2] == entry.text or FORGOTTEN in found[2]


def entry_row(place: Placed, source_id: int | None) -> tuple[object, ...]:
    """An entry in the order of INSERT_ENTRY."""
    entry = place.entry
    return (
        place.entry_id,
        place.uid,
        place.session_id,
        source_id,
        entry.parent_uid,
        entry.role,
        entry.kind,
        int(entry.is_sidechain),
        entry.model,
        entry.text,
        entry.image_count,
        entry.created_at,
    )


def write_actions(db: sqlite3.Connection, placed: list[Placed]) -> None:
    """Stores the tool calls of new entries."""
    db.executemany(
        INSERT_ACTION,
        [
            (act.uid, place.entry_id, place.session_id, act.tool, act.target, act.input, place.entry.created_at)
            for place in placed
            for act in place.entry.actions
        ],
    )


def join_results(db: sqlite3.Connection, placed: list[Placed]) -> None:
    """Joins results to their calls, which may stand in the session that this one continues."""
    lines: dict[int, list[int]] = {}
    rows = []
    for place in placed:
        if place.entry.results and place.session_id not in lines:
            lines[place.session_id] = lineage(db, place.session_id)
        for result in place.entry.results:
            for session_id in lines[place.session_id]:
                is_error, by = int(result.is_error), place.entry_id
                rows.append((by, is_error, result.excerpt, session_id, result.action_uid, by))
    db.executemany(JOIN_RESULT, rows)


def entry_spans(db: sqlite3.Connection, placed: list[Placed]) -> None:
    """Stores where the words of new entries come from."""
    refused = [place.entry_id for place in placed if place.entry.results and DENIAL in place.entry.text]
    tools = {
        row["result_entry_id"]: row["tool"]
        for entry_id in refused
        for row in db.execute("select result_entry_id, tool from actions where result_entry_id = ?", [entry_id])
    }
    spans.store(db, ((place.entry_id, place.entry.spans) for place in placed if place.entry.spans is not None))
    spans.write_spans(
        db,
        (
            (place.entry_id, place.entry.text, place.entry.role, place.entry.kind, tools.get(place.entry_id, ""))
            for place in placed
            if place.entry.spans is None
        ),
    )


def write_calls(db: sqlite3.Connection, placed: list[Placed]) -> None:
    """Stores usage, each answer of a model once, at the time of its first record.

    Usage stands on every record of an answer and grows: the largest is the last, whatever order they are read in. A
    record that does not name its request belongs to the request that another record of its message names.
    """
    first: dict[tuple[str, str], Placed] = {}
    best: dict[tuple[str, str], ApiCall] = {}
    created_at: dict[tuple[str, str], str] = {}
    for place in placed:
        call = place.entry.api_call
        if call is not None:
            key = (call.message_uid, call.request_uid)
            first.setdefault(key, place)
            best[key] = max(best[key], call, key=size_of) if key in best else call
            created_at[key] = min(created_at.get(key, place.entry.created_at), place.entry.created_at)
    named = {message for message, request in first if request}
    unnamed = [message for message, request in first if not request]
    named.update(row["message_uid"] for row in db.execute(CALLS_WITH_REQUEST, [json.dumps(unnamed)]))
    db.executemany(
        UPSERT_CALL,
        [
            (place.session_id, place.entry_id, created_at[key], *(getattr(best[key], name) for name in CALL_COLUMNS))
            for key, place in first.items()
            if key[1] or key[0] not in named
        ],
    )
    db.executemany(BEGAN_EARLIER, [(began, *key, began) for key, began in created_at.items()])
    db.executemany(DELETE_WITHOUT_REQUEST, [(message,) for message, request in first if request])


def size_of(call: ApiCall) -> tuple[int | str, ...]:
    """What makes one record of an answer larger than another."""
    return tuple(getattr(call, name) or (0 if name.endswith("_tokens") else "") for name in USAGE_COLUMNS)


def write_findings(db: sqlite3.Connection, origin: Origin, items: list[Item], new: list[Placed], found_at: str) -> int:
    """Stores what redaction found in new entries, in titles and in excerpts; how many rows are new."""
    rows: list[tuple[object, ...]] = []
    for place in new:
        rows += finding_rows(place.entry.findings, place.uid, origin.source_id, place.entry_id, found_at)
    for item in items:
        found = [*item.findings, *(("excerpt", finding) for one in item.problems for finding in one.findings)]
        rows += finding_rows(found, f"{origin.path}:{item.line}", origin.source_id, None, found_at)
    before = last_id(db, "scan_findings")
    db.executemany(INSERT_FINDING, rows)
    return last_id(db, "scan_findings") - before


def finding_rows(
    findings: list[tuple[str, Finding]], place: str, source_id: int | None, entry_id: int | None, found_at: str
) -> list[tuple[object, ...]]:
    """Findings in the order of INSERT_FINDING; two at the same place of different texts in one field are numbered."""
    seen: Counter[tuple[str, str, int]] = Counter()
    rows: list[tuple[object, ...]] = []
    for field, finding in findings:
        key = (field, finding.rule, finding.start)
        seen[key] += 1
        name = field if seen[key] == 1 else f"{field} {seen[key]}"
        rows.append(
            (finding.rule, finding.category, RULES_VERSION, place, source_id, entry_id, name, finding.start,
             finding.hint, found_at)
        )  # fmt: skip
    return rows


def write_problems(db: sqlite3.Connection, source_id: int | None, items: list[Item], found_at: str) -> int:
    """Stores what could not be understood; how many rows are new."""
    before = last_id(db, "source_problems")
    db.executemany(
        INSERT_PROBLEM,
        [(source_id, one.line, one.reason, one.excerpt, found_at) for item in items for one in item.problems],
    )
    return last_id(db, "source_problems") - before
