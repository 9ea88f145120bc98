"""What one file forgot, forgotten in the other before the two become one.

In: a file, and what another one says that it forgot. Out: memories, candidates, recalls and words of entries gone from
the first, as `forget` takes them out. Invariants: what was said again after it was forgotten stays; hashes are all that
is asked, for the other file no longer knows the words.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memory_db.store.connection import id_list, tuples
from memory_db.store.dates import parse_utc
from memory_db.text.scrubbing import FORGOTTEN
from memory_db.upkeep.forget.places import delete_recalls, uids_shown
from memory_db.upkeep.forget.run import Forgotten, remove
from memory_db.upkeep.forget.target import FORGETS, ForgetTarget, completed, fates_of
from memory_db.upkeep.forget.tombstones import SORTS, buried, uid_hash

BEGUN = """
select m.id, m.uid, (select min(recorded_from) from memory_versions v where v.memory_id = m.id) from memories m
"""

MADE_OF = """
select memory_id from memory_sources group by memory_id
having count(candidate_id) > 0 and sum(candidate_id is null or candidate_id not in ({candidates})) = 0
"""
"""Memories that rest on some candidates and on nothing else."""

CANDIDATES_GO = (
    "update memory_sources set candidate_id = null where candidate_id in ({candidates})",
    "update decisions set reverts_id = null where reverts_id in"
    " (select id from decisions where candidate_id in ({candidates}))",
    "delete from decisions where candidate_id in ({candidates})",
    "delete from candidates where id in ({candidates})",
)


@dataclass(frozen=True, slots=True)
class Graves:
    """What a file forgot: by sort and hash when, the uids of entries that say nothing any more, and when it last forgot
    something at all."""

    by_sort: Mapping[str, Mapping[str, str]]
    entries: frozenset[str]
    last_at: str


def graves_of(db: sqlite3.Connection) -> Graves:
    """What a file says that it forgot."""
    entries = tuples(db, "select uid from entries where text = ?", [FORGOTTEN])
    last = db.execute("select coalesce(max(started_at), '') from runs where stage = 'forget'").fetchone()[0]
    return Graves({sort: buried(db, sort) for sort in SORTS}, frozenset(uid for (uid,) in entries), last)


def forget_too(db: sqlite3.Connection, graves: Graves, *, now: datetime) -> dict[str, int]:
    """Takes out of a file what another one forgot, as of when it did; how many rows went, by table.

    Within a transaction of the caller. `now` is for what the other file no longer says when it forgot.
    """
    gone: Counter[str] = Counter()
    for at, memories in sorted(memories_in(db, graves).items()):
        there = {number for (number,) in tuples(db, f"select id from memories where id in ({id_list(memories)})", ())}
        fates = dict.fromkeys(there, (FORGETS, "forgotten in the other file"))
        target = ForgetTarget("memories", memory_ids=there, is_everywhere=True, fates=fates)
        gone += take_out(db, target, parse_utc(at)) if there else Counter()
    candidates = id_list(candidates_in(db, graves))
    for statement in CANDIDATES_GO if candidates else ():
        number = db.execute(statement.format(candidates=candidates)).rowcount
        gone["candidates"] += number if statement.startswith("delete from candidates") else 0
    if entries := entries_in(db, graves):
        target = ForgetTarget("entries", entry_ids=entries)
        gone += take_out(db, target, parse_utc(graves.last_at) if graves.last_at else now)
    if recalls := id_list(recalls_in(db, graves)):
        gone["recalls"] += delete_recalls(db, recalls)
    return {table: number for table, number in gone.items() if number}


def take_out(db: sqlite3.Connection, target: ForgetTarget, now: datetime) -> Counter[str]:
    """Takes a target out of the rows; how many went, by table."""
    completed(db, target)
    done = Forgotten(target.what, fates=fates_of(db, target))
    remove(db, target, done, uids_shown(done.fates), now=now)
    return Counter(done.rows)


def memories_in(db: sqlite3.Connection, graves: Graves) -> dict[str, set[int]]:
    """Memories of a file that the other one forgot after they were made, or that were made of what it forgot; by when.

    The same words have another name where the project has another path: then the candidate tells it.
    """
    found: dict[str, set[int]] = {}
    at = graves.by_sort["memory"]
    for number, uid, begun in tuples(db, BEGUN, ()) if at else ():
        if begun <= (moment := at.get(uid_hash("memory", uid), "")):
            found.setdefault(moment, set()).add(number)
    buried_too = id_list(candidates_in(db, graves))
    if buried_too:
        last = max(graves.by_sort["candidate"].values())
        found.setdefault(last, set()).update(row[0] for row in tuples(db, MADE_OF.format(candidates=buried_too), ()))
    return found


def candidates_in(db: sqlite3.Connection, graves: Graves) -> list[int]:
    """Candidates of a file that the other one forgot."""
    at = graves.by_sort["candidate"]
    rows = tuples(db, "select id, uid from candidates", ()) if at else ()
    return [number for number, uid in rows if uid_hash("candidate", uid) in at]


def recalls_in(db: sqlite3.Connection, graves: Graves) -> list[int]:
    """Recalls of a file that the other one forgot after they were asked."""
    at = graves.by_sort["recall"]
    rows = tuples(db, "select id, uid, asked_at from recalls", ()) if at else ()
    return [number for number, uid, asked in rows if asked <= at.get(uid_hash("recall", uid), "")]


def entries_in(db: sqlite3.Connection, graves: Graves) -> set[int]:
    """Entries of a file that say something, and in the other one nothing any more."""
    rows = tuples(db, "select id, uid from entries where text <> ?", [FORGOTTEN]) if graves.entries else ()
    return {number for number, uid in rows if uid in graves.entries}
