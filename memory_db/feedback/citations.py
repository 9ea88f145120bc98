"""Citations that the hook at the end of a reply counts at once, before the transcript is imported.

In: the text of a reply as the agent's payload has it. Out: rows of `evidence`, of kind `cited`, under a name of the
session and of the text, for the reply has no uid yet. Invariant: a reply counts once for a memory, whoever comes
first: the importer's finding takes over the hook's row (`adopt`), and the hook is silent where that finding is there.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from datetime import datetime, timedelta

from memory_db.knowledge.evidence import add_evidence
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.text.names.citations import uids_in

CITED_WITHIN = timedelta(hours=12)
"""How long before a reply a recall may lie that it cites. Source: ours; a working day's session."""


CITED = """
select m.id, (
    select r.id from recalls r join hits h on h.recall_id = r.id and h.rank is not null
    join memory_versions v on v.id = h.memory_version_id and v.memory_id = m.id
    where r.session_uid = :session and r.asked_at between :earliest and :now
    order by r.id desc limit 1
) as recall_id
from memories m where m.uid in (select value from json_each(:uids)) order by m.id
"""

COUNTED = """
select 1 from evidence v join entries e on e.id = v.entry_id join sessions s on s.id = e.session_id
where v.memory_id = :memory and v.kind = 'cited' and s.uid = :session and e.created_at >= coalesce(
    (select max(p.created_at) from entries p
        where p.session_id = s.id and p.role = 'user' and p.kind = 'prompt'), '')
"""
"""The importer was faster: a reply since the last thing that the user said."""

WAITING = """
select v.id from evidence v
where v.memory_id = :memory and v.kind = 'cited' and v.entry_id is null and v.created_at >= :said_at
    and substr(v.source, 1, length(:prefix)) = :prefix
    and not exists (select 1 from entries p where p.session_id = :session_id and p.role = 'user' and p.kind = 'prompt'
        and p.created_at > :said_at and p.created_at <= v.created_at)
order by v.created_at, v.id limit 1
"""


def citations_in(db: sqlite3.Connection, text: str, session_uid: str, *, now: datetime) -> int:
    """Counts the memories that a reply names and that its session was shown; how many were new."""
    uids = uids_in(text)
    if not uids or not session_uid:
        return 0
    asked = {"session": session_uid, "uids": json.dumps(uids), "now": utc_text(now),
             "earliest": utc_text(now - CITED_WITHIN)}  # fmt: skip
    source = f"{prefix_of(session_uid)}{zlib.crc32(' '.join(text.split()).encode(errors='replace')):08x}"
    new = 0
    with transaction(db):
        for memory_id, recall_id in db.execute(CITED, asked).fetchall():
            known = db.execute(COUNTED, {"memory": memory_id, "session": session_uid}).fetchone()
            if recall_id is not None and not known:
                new += add_evidence(
                    db, memory_id, "cited", None, None, source, recall_id=recall_id, created_at=utc_text(now), now=now
                )
    return new


def prefix_of(session_uid: str) -> str:
    """How the sources of the hook's rows of a session begin."""
    return f"stop {session_uid} "


def adopt(db: sqlite3.Connection, memory_id: int, reply: sqlite3.Row) -> bool:
    """Ties the hook's row for this reply to its entry, also one that was withdrawn; whether there was one.

    `reply` has `id`, `uid`, `session_id`, `session_uid` and `created_at`. The hook runs when the reply has ended and
    before the user says anything more.
    """
    asked = {"memory": memory_id, "said_at": reply["created_at"], "session_id": reply["session_id"],
             "prefix": prefix_of(reply["session_uid"])}  # fmt: skip
    row = db.execute(WAITING, asked).fetchone()
    if row is None:
        return False
    db.execute(
        "update evidence set source = ?, entry_id = ?, created_at = ? where id = ?",
        [f"entry {reply['uid']}", reply["id"], reply["created_at"], row["id"]],
    )
    return True
