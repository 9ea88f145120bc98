"""Entries of before the allow-lists, put right: what nobody said is set aside, and files are kept as their words.

In: a file that was made when unknown attachments were stored as searchable text. Out: entries of the kind `other`
without a text, counted by type in `skipped_records`. Invariants: no row is deleted, for others lead to it; what a
memory or a candidate quotes keeps its text, which is not found any more, and memories that rest on nothing else are
proposed to be retired; a portion and how far it reached are one transaction; a second time changes nothing.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from datetime import datetime
from typing import Any

from memory_db.knowledge.proposals import propose
from memory_db.redact.clean import clean
from memory_db.store.connection import id_list, transaction
from memory_db.store.dates import utc_text
from memory_db.store.findable import SET_ASIDE
from memory_db.transcripts.claude_code import FORMAT
from memory_db.transcripts.client import ATTACHMENTS, CAVEAT, KNOWN, META, NOTICE, SYNTHETIC, type_name, words_of
from memory_db.transcripts.lines import parse

PLACE = "entries of the client"
"""What its row of `scan_progress` is called. A migration makes it in files that have entries, and nobody else."""

PORTION = 1_000

BY = "scan"

REASON = "It rests on what Claude Code told its model, not on anybody's words"

ROWS = """
select e.id, e.role, e.kind, e.text, e.source_id, se.position as line,
    exists (select 1 from memory_sources q where q.entry_id = e.id)
        or exists (select 1 from candidates c where c.entry_id = e.id) as is_quoted
from entries e join sessions s on s.id = e.session_id
left join session_entries se on se.entry_id = e.id and se.session_id = e.session_id
where e.id > ? and s.format = ?
    and (e.role = 'system' and e.kind in ('attachment', 'notice', 'other')
        or e.role = 'assistant' and e.kind = 'notice')
order by e.id limit ?
"""

ONLY_THERE = """
select distinct m.id from memories m join memory_sources q on q.memory_id = m.id
where q.entry_id in ({ids}) and m.status = 'active' and not exists (
    select 1 from memory_sources o left join entries e on e.id = o.entry_id
    where o.memory_id = m.id and (e.id is null or e.kind <> 'other'))
"""

COUNT = """
insert into skipped_records (source_id, type, is_known, lines, first_line, found_at) values (?, ?, ?, ?, ?, ?)
on conflict (source_id, type) do update set lines = lines + excluded.lines
"""

COUNTED_OTHERWISE = "delete from source_problems where reason like 'unknown record type %'"
"""Each was a row of its own; now they are counted by type."""

TYPE = re.compile(r'"type":"([^"\\]{1,100})"')


def is_due(db: sqlite3.Connection) -> bool:
    """Whether entries of before the allow-lists are still to be looked at."""
    return (
        db.execute("select 1 from scan_progress where place = ? and finished_at is null", [PLACE]).fetchone()
        is not None
    )


def portion(db: sqlite3.Connection, *, now: datetime) -> int | None:
    """Puts the next entries right: how many were looked at; None when nothing is left."""
    if not is_due(db):
        return None
    with transaction(db):
        last = db.execute("select last_id from scan_progress where place = ?", [PLACE]).fetchone()[0]
        rows = db.execute(ROWS, [last, FORMAT, PORTION]).fetchall()
        changed = [row for row in rows if put_right(db, row)]
        aside = [row for row in changed if type_of(row) is not None]
        count_types(db, aside, now)
        for [memory_id] in db.execute(ONLY_THERE.format(ids=id_list(row["id"] for row in aside))).fetchall():
            propose(db, "retire", memory_id, reason=REASON, by=BY, now=now)
        if not rows:
            db.execute(COUNTED_OTHERWISE)
        db.execute(
            "update scan_progress set last_id = ?, texts_scanned = texts_scanned + ?,"
            " texts_changed = texts_changed + ?, finished_at = ? where place = ?",
            [rows[-1]["id"] if rows else last, len(rows), len(changed), None if rows else utc_text(now), PLACE],
        )
    return len(rows)


def put_right(db: sqlite3.Connection, row: sqlite3.Row) -> bool:
    """Sets an entry aside, or gives it its words; whether that changed it."""
    if type_of(row) is not None:
        kind, text = SET_ASIDE, row["text"] if row["is_quoted"] else ""
    else:
        attachment = stored_object(row["text"]) if row["kind"] == "attachment" and not row["is_quoted"] else None
        if attachment is None or "truncated" in attachment:
            return False
        kind, text = "attachment", clean("\n".join(words_of(attachment)))[0]
    if (kind, text) == (row["kind"], row["text"]):
        return False
    db.execute("update entries set kind = ?, text = ? where id = ?", [kind, text, row["id"]])
    db.execute("delete from static_vectors where entry_id = ?", [row["id"]])
    return True


def type_of(row: sqlite3.Row) -> str | None:
    """Under which type an entry is counted that is to be set aside; None for one that stays.

    A text that says no type was a plain one: the output of a hook, or what the user selected, stays.
    """
    kind, text = row["kind"], row["text"]
    stored = stored_object(text)
    if kind == "notice":
        if row["role"] == "assistant":
            return SYNTHETIC
        if stored is not None and isinstance(stored.get("type"), str):
            return type_name("system", stored.get("subtype"))
        return META if CAVEAT.match(text) or not NOTICE.match(text) else None
    said = stored_type(stored)
    if kind == "attachment":
        return None if said is None or said in ATTACHMENTS else type_name("attachment", said)
    name = type_name("attachment", said)
    return name if name in KNOWN else type_name(said)


def stored_object(text: str) -> dict[str, Any] | None:
    """The record or attachment that an entry was stored as; None for a plain text."""
    if not text.startswith("{"):
        return None
    try:
        value = parse(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def stored_type(stored: dict[str, Any] | None) -> str | None:
    """The type that a stored record or attachment says, also where only its beginning was kept."""
    if stored is None:
        return None
    beginning = stored.get("truncated")
    if isinstance(beginning, str) and "type" not in stored:
        found = TYPE.search(beginning)
        return found[1] if found else None
    kind = stored.get("type")
    return kind if isinstance(kind, str) else None


def count_types(db: sqlite3.Connection, aside: list[sqlite3.Row], now: datetime) -> None:
    """Counts what was set aside by source and type, as a reader counts what it passes over."""
    counted: Counter[tuple[int, str]] = Counter()
    first: dict[tuple[int, str], int] = {}
    for row in aside:
        if row["source_id"] is not None:
            key = (row["source_id"], type_of(row) or "")
            counted[key] += 1
            first.setdefault(key, row["line"] or 0)
    db.executemany(
        COUNT, [(*key, int(key[1] in KNOWN), number, first[key], utc_text(now)) for key, number in counted.items()]
    )


__all__ = ["PLACE", "is_due", "portion"]
