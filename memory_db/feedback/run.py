"""What came of a recall: citations, near-verbatim use, verdicts and corrections, as evidence; and how sessions ended.

    recalls --link--> sessions --story--> signs --> evidence (moves beliefs) | weak_labels (moves none)

In: entries and recalls that are new since the last time. Out: rows of `evidence`, each tied to the entry it was read
from and to the recall that had shown the memory; of `weak_labels`; of `session_outcomes`; proposals to lock what is
believed surely. Invariant: the same entry counts once for the same memory and kind, however often this runs, also where
it was withdrawn; what a tool printed and what a person wrote are no citations; only sessions with something new are
read, whole, so that what is found does not depend on how often this ran while they grew.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from datetime import datetime

from memory_db.feedback import outcomes
from memory_db.feedback.citations import CITED_WITHIN, adopt
from memory_db.feedback.story import story
from memory_db.feedback.usage_signals import UsageSignal, usage_signals_of
from memory_db.knowledge.evidence import add_evidence
from memory_db.knowledge.locks import propose_locks
from memory_db.store.connection import transaction
from memory_db.store.dates import parse_utc, utc_text
from memory_db.text.names.citations import uids_in

__all__ = ["CITED_WITHIN", "run"]

RULES_VERSION = 1
"""Version of the rules: a newer one reads every session again."""

ENTRIES, RECALLS = "feedback entries", "feedback recalls"
"""The rows of `scan_progress` that say how far was read."""

COMMON_SESSIONS, COMMON_SHARE = 5, 0.1
"""A literal said in more sessions than this, and in more than this share of all, is used with or without memory.

Source: ours; of `uv run` and the like half of all sessions have some.
"""

Progress = Callable[[str, int, int | None], None]

LINK = """
update recalls set session_id = (select s.id from sessions s where s.uid = recalls.session_uid)
where session_id is null and session_uid is not null
    and exists (select 1 from sessions s where s.uid = recalls.session_uid)
"""

NAME = """
update recalls set session_uid = (select s.uid from sessions s where s.id = recalls.session_id)
where session_uid is null and session_id is not null
"""

REPLIES = """
select e.id, e.uid, e.text, e.session_id, s.uid as session_uid, e.created_at from entries e
join sessions s on s.id = e.session_id
where e.id > ? and e.kind = 'reply' and e.role = 'assistant' order by e.id
"""

EVER_SHOWN = """
select exists (select 1 from memory_versions v join hits h on h.memory_version_id = v.id and h.rank is not null
    where v.memory_id = ?)
"""

SHOWN_BEFORE = """
select r.id from recalls r
join hits h on h.recall_id = r.id and h.rank is not null
join memory_versions v on v.id = h.memory_version_id and v.memory_id = :memory
where r.asked_at <= :said_at and r.asked_at >= :earliest
order by r.session_id is :session desc, r.asked_at desc, r.id desc
limit 1
"""

NEW_SESSIONS = """
select session_id from entries where id > :entries
union select session_id from recalls where id > :recalls and session_id is not null
order by session_id
"""

MARK = """
insert into scan_progress (place, rules_version, last_id, started_at, finished_at)
values (:place, :version, :last, :now, :now)
on conflict (place) do update set rules_version = excluded.rules_version, last_id = excluded.last_id,
    finished_at = excluded.finished_at
where rules_version <> excluded.rules_version or last_id <> excluded.last_id
"""

LABEL = """
insert into weak_labels (recall_id, memory_id, kind, strength, entry_id, created_at) values (?, ?, ?, ?, ?, ?)
on conflict (recall_id, memory_id, kind) do update set strength = excluded.strength, entry_id = excluded.entry_id,
    created_at = excluded.created_at
where strength <> excluded.strength or entry_id is not excluded.entry_id
"""

EXPLAIN_REPEAT = """
update evidence set recall_id = ? where memory_id = ? and kind = 'repeated' and source = ? and recall_id is null
"""


def run(db: sqlite3.Connection, *, now: datetime, progress: Progress | None = None) -> dict[str, int]:
    """Finds what came of recalls since the last time; counts of what is new.

    `recalls_linked`; `cited`, and `cited_unshown`, which no recall explains; `used`, `wrong`, `confirmed`, `repeated`;
    `weak_labels`; `sessions_judged`; `locks_proposed` and `unlocks_proposed`. The moment of evidence is its entry's.
    """
    counts = Counter(dict.fromkeys(
        ("recalls_linked", "cited", "cited_unshown", "used", "wrong", "confirmed", "repeated", "weak_labels"), 0
    ))  # fmt: skip
    with transaction(db):
        counts["recalls_linked"] = db.execute(LINK).rowcount
        db.execute(NAME)
    ends = {"entries": newest(db, "entries"), "recalls": newest(db, "recalls")}
    entries, recalls = read_to(db, ENTRIES, ends["entries"]), read_to(db, RECALLS, ends["recalls"])
    find_citations(db, entries, counts, now)
    sessions = [row[0] for row in db.execute(NEW_SESSIONS, {"entries": entries, "recalls": recalls})]
    for number, session_id in enumerate(sessions, start=1):
        read_session(db, session_id, counts, now)
        if progress and number % 100 == 0:
            progress("feedback", number, len(sessions))
    found = dict(counts) | outcomes.judge(db, sessions, now=now)
    with transaction(db):
        for place, name in ((ENTRIES, "entries"), (RECALLS, "recalls")):
            db.execute(MARK, {"place": place, "version": RULES_VERSION, "last": ends[name], "now": utc_text(now)})
    return found | propose_locks(db, now=now)


def newest(db: sqlite3.Connection, table: str) -> int:
    """The largest id of a table, 0 where it is empty."""
    return int(db.execute(f"select coalesce(max(id), 0) from {table}").fetchone()[0])


def read_to(db: sqlite3.Connection, place: str, newest_id: int) -> int:
    """Up to which id was read by the rules of today; where rows went meanwhile, everything is read again."""
    sql = "select last_id from scan_progress where place = ? and rules_version = ?"
    row = db.execute(sql, [place, RULES_VERSION]).fetchone()
    return int(row[0]) if row and row[0] <= newest_id else 0


# ------------------------------------------------------------------ citations


def find_citations(db: sqlite3.Connection, after: int, counts: Counter[str], now: datetime) -> None:
    """Counts the replies after an entry that name a memory which some recall had shown."""
    memories: dict[str, int | None] = {}
    for reply in db.execute(REPLIES, [after]).fetchall():
        for uid in uids_in(reply["text"]):
            if uid not in memories:
                memories[uid] = shown_memory(db, uid)
            memory_id = memories[uid]
            if memory_id is not None and not is_counted(db, memory_id, reply["id"]):
                counts["cited" if cite(db, memory_id, reply, now) else "cited_unshown"] += 1


def shown_memory(db: sqlite3.Connection, uid: str) -> int | None:
    """The id of a memory that was ever shown."""
    row = db.execute("select id from memories where uid = ?", [uid]).fetchone()
    return int(row[0]) if row and db.execute(EVER_SHOWN, [row[0]]).fetchone()[0] else None


def is_counted(db: sqlite3.Connection, memory_id: int, entry_id: int) -> bool:
    """Whether a reply was counted for a memory already, also where that was withdrawn."""
    sql = "select 1 from evidence where memory_id = ? and kind = 'cited' and entry_id = ?"
    return db.execute(sql, [memory_id, entry_id]).fetchone() is not None


def cite(db: sqlite3.Connection, memory_id: int, reply: sqlite3.Row, now: datetime) -> bool:
    """Counts one reply for one memory; False where no recall had shown it in the hours before."""
    asked = {
        "memory": memory_id,
        "session": reply["session_id"],
        "said_at": reply["created_at"],
        "earliest": utc_text(parse_utc(reply["created_at"]) - CITED_WITHIN),
    }
    with transaction(db):
        if adopt(db, memory_id, reply):
            return True
        recall = db.execute(SHOWN_BEFORE, asked).fetchone()
        if recall is None:
            return False
        add_evidence(
            db, memory_id, "cited", None, None, f"entry {reply['uid']}", entry_id=reply["id"],
            recall_id=recall["id"], created_at=reply["created_at"], now=now,
        )  # fmt: skip
    return True


# ---------------------------------------------------------------------- signs


def read_session(db: sqlite3.Connection, session_id: int, counts: Counter[str], now: datetime) -> None:
    """Counts what a session tells of the memories that were shown in it."""
    events = story(db, session_id)
    signals = usage_signals_of(events, lambda literal: is_common(db, literal)) if events else []
    if not signals:
        return
    weights = dict(db.execute("select name, weight from evidence_kinds").fetchall())
    with transaction(db):
        for signal in signals:
            if signal.is_weak:
                counts["weak_labels"] += label(db, signal)
            elif is_first(db, signal, session_id):
                counts[signal.kind] += count(db, signal, weights[signal.kind], now)


def label(db: sqlite3.Connection, signal: UsageSignal) -> int:
    """Keeps a weak label; 1 where it is new or has changed."""
    values = [signal.recall_id, signal.memory_id, signal.kind, min(1.0, signal.strength), signal.entry_id, signal.at]
    return db.execute(LABEL, values).rowcount


def is_first(db: sqlite3.Connection, signal: UsageSignal, session_id: int) -> bool:
    """Whether a use is the first of its memory that a session counts; any other sign counts by its entry."""
    if signal.kind != "used":
        return True
    sql = (
        "select 1 from evidence v join entries e on e.id = v.entry_id"
        " where v.memory_id = ? and v.kind = 'used' and e.session_id = ?"
    )
    return db.execute(sql, [signal.memory_id, session_id]).fetchone() is None


def count(db: sqlite3.Connection, signal: UsageSignal, weight: float, now: datetime) -> int:
    """Adds a sign as evidence; 1 where it is new. One that the gate counted is told which recall had shown it."""
    source = f"entry {signal.entry_uid}"
    sql = "select 1 from evidence where memory_id = ? and kind = ? and entry_id = ?"
    if db.execute(sql, [signal.memory_id, signal.kind, signal.entry_id]).fetchone():
        return db.execute(EXPLAIN_REPEAT, [signal.recall_id, signal.memory_id, source]).rowcount
    return int(add_evidence(
        db, signal.memory_id, signal.kind, None, weight * signal.strength, source, entry_id=signal.entry_id,
        recall_id=signal.recall_id, created_at=signal.at, now=now, note=f"read from a session: {signal.way}",
    ))  # fmt: skip


def is_common(db: sqlite3.Connection, literal: tuple[str, ...]) -> bool:
    """Whether so many sessions say a literal that using it proves nothing."""
    phrase = '"' + " ".join(literal) + '"'
    sql = (
        "select count(distinct session_id), (select count(*) from sessions) from entries"
        " where id in (select rowid from entry_fts where entry_fts match ?)"
    )
    said, sessions = db.execute(sql, [phrase]).fetchone()
    return bool(said > COMMON_SESSIONS and said > COMMON_SHARE * sessions)
