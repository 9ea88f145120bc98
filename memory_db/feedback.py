"""What came of a shown hit: citations in the agent's replies, as evidence; and what beliefs suggest by then.

In: replies that name the uid of a memory. Out: rows of `evidence`, of kind `cited`, each tied to the reply and to the
recall that had shown the memory last before it; proposals to lock what is believed surely. Invariant: the same reply
counts once for the same memory, however often this runs, also where it was withdrawn; what a tool printed and what a
person wrote are no citations.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import datetime, timedelta

from memory_db.beliefs import add_evidence
from memory_db.connection import transaction
from memory_db.dates import parse_utc, utc_text
from memory_db.locks import propose_locks

CITED_WITHIN = timedelta(hours=12)
"""How long before a reply a recall may lie that it cites. Source: ours; a working day's session."""

Progress = Callable[[str, int, int | None], None]

SHOWN = """
select distinct m.id, m.uid from hits h
join memory_versions v on v.id = h.memory_version_id
join memories m on m.id = v.memory_id
where h.rank is not null
order by m.id
"""

CITING = """
select e.id, e.uid, e.text, e.session_id, e.created_at from entries e
where e.id in (select rowid from entry_fts where entry_fts match ?)
    and e.kind = 'reply' and e.role = 'assistant'
    and not exists (select 1 from evidence v where v.memory_id = ? and v.kind = 'cited' and v.entry_id = e.id)
order by e.id
"""

SHOWN_BEFORE = """
select r.id from recalls r
join hits h on h.recall_id = r.id and h.rank is not null
join memory_versions v on v.id = h.memory_version_id and v.memory_id = :memory
where r.asked_at <= :said_at and r.asked_at >= :earliest
order by r.session_id is :session desc, r.asked_at desc, r.id desc
limit 1
"""


def run(db: sqlite3.Connection, *, now: datetime, progress: Progress | None = None) -> dict[str, int]:
    """Finds citations of memories that were shown: counts `cited` anew, and `cited_unshown`, which no recall explains.

    The moment of a citation is that of its reply. Then counts `locks_proposed` and `unlocks_proposed`.
    """
    counts = {"cited": 0, "cited_unshown": 0}
    memories = db.execute(SHOWN).fetchall()
    for number, memory in enumerate(memories, start=1):
        for reply in db.execute(CITING, [f'"{memory["uid"]}"', memory["id"]]).fetchall():
            if memory["uid"] in reply["text"]:
                counts["cited" if cite(db, memory["id"], reply, now) else "cited_unshown"] += 1
        if progress and number % 100 == 0:
            progress("citations", number, len(memories))
    return counts | propose_locks(db, now=now)


def cite(db: sqlite3.Connection, memory_id: int, reply: sqlite3.Row, now: datetime) -> bool:
    """Counts one reply for one memory; False where no recall had shown it in the hours before."""
    asked = {
        "memory": memory_id,
        "session": reply["session_id"],
        "said_at": reply["created_at"],
        "earliest": utc_text(parse_utc(reply["created_at"]) - CITED_WITHIN),
    }
    recall = db.execute(SHOWN_BEFORE, asked).fetchone()
    if recall is None:
        return False
    with transaction(db):
        add_evidence(
            db, memory_id, "cited", None, None, f"entry {reply['uid']}", entry_id=reply["id"],
            recall_id=recall["id"], created_at=reply["created_at"], now=now,
        )  # fmt: skip
    return True
