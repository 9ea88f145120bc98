"""Spans of entries as rows: made at import, and for what an older version brought in, in portions.

In: entries. Out: rows of `spans` for those that are not wholly of one provenance; of all others
`text.provenance.whole_provenance` tells it by role, kind and tool. Invariants: rows follow from the entry; who
finds none reads the text itself; a portion is one transaction, and stopping after any loses nothing.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from memory_db.store.connection import transaction
from memory_db.text.provenance import PROVENANCE_VERSION, Span, spans_of

PORTION = 2_000
"""Entries read in one transaction."""

MIXED_KINDS = ("prompt", "tool_result")
"""Kinds of entries that may be of more than one provenance."""

UNREAD = f"""
select e.id, e.text, e.role, e.kind, coalesce(a.tool, '') as tool
from entries e
left join (select result_entry_id, min(tool) as tool from actions where result_entry_id is not null
    group by result_entry_id) a on a.result_entry_id = e.id
where e.id > ? and e.id <= ? and e.kind in ({", ".join(f"'{kind}'" for kind in MIXED_KINDS)})
order by e.id limit {PORTION}
"""

INSERT = "insert or ignore into spans (entry_id, start, stop, provenance, tool) values (?, ?, ?, ?, ?)"

OF_SESSION = """
select s.entry_id, s.start, s.stop, s.provenance, s.tool
from session_entries se join spans s on s.entry_id = se.entry_id
where se.session_id = ? order by s.entry_id, s.start
"""

BEGIN = """
insert or ignore into span_progress (version, next_entry_id, last_entry_id)
values (?, 0, (select coalesce(max(id), 0) from entries))
"""


def begin(db: sqlite3.Connection) -> None:
    """Notes which entries were there before this version made spans. Must run inside a transaction."""
    db.execute(BEGIN, [PROVENANCE_VERSION])


def write_spans(db: sqlite3.Connection, entries: Iterable[tuple[int, str, str, str, str]]) -> int:
    """Stores the spans of entries given as (id, text, role, kind, tool); how many rows. Runs inside a transaction."""
    return store(
        db,
        (
            (entry_id, spans_of(text, role, kind, tool))
            for entry_id, text, role, kind, tool in entries
            if kind in MIXED_KINDS
        ),
    )


def store(db: sqlite3.Connection, made: Iterable[tuple[int, Sequence[Span]]]) -> int:
    """Stores spans that are made, by their entry; how many rows. Runs inside a transaction."""
    rows = [(entry_id, span.start, span.end, span.provenance, span.tool) for entry_id, spans in made for span in spans]
    db.executemany(INSERT, rows)
    return len(rows)


def complete(db: sqlite3.Connection) -> int:
    """Makes the spans of all entries that were there before; how many rows."""
    made = 0
    while True:
        with transaction(db):
            begin(db)
            after, last = db.execute(
                "select next_entry_id, last_entry_id from span_progress where version = ?", [PROVENANCE_VERSION]
            ).fetchone()
            portion = db.execute(UNREAD, [after, last]).fetchall() if after < last else []
            if not portion:
                if after < last:
                    note(db, last)
                return made
            ids = json.dumps([row["id"] for row in portion])
            db.execute("delete from spans where entry_id in (select value from json_each(?))", [ids])
            made += write_spans(db, (tuple(row) for row in portion))
            note(db, portion[-1]["id"])


def note(db: sqlite3.Connection, entry_id: int) -> None:
    """Notes up to which entry spans are made."""
    db.execute("update span_progress set next_entry_id = ? where version = ?", [entry_id, PROVENANCE_VERSION])


def spans_in(db: sqlite3.Connection, session_id: int) -> dict[int, list[Span]]:
    """The spans of a session's entries, by the entry's id; entries of one provenance have none."""
    found: dict[int, list[Span]] = {}
    for row in db.execute(OF_SESSION, [session_id]):
        span = Span(row["start"], row["stop"], row["provenance"], row["tool"])
        found.setdefault(row["entry_id"], []).append(span)
    return found
