"""Mending how a memory is worded: the same memory with other words, where what it says stays the same.

In: a memory, its new words, who mends it and why. Out: a new version. Invariants: uid, sources, evidence and the time
since which it holds stay; what it said before stays readable among its versions; what is no longer true is corrected
instead (`memories.correct`), by a memory of its own.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime

from memory_db.errors import InputError
from memory_db.knowledge.effects import change
from memory_db.knowledge.memories import CUT, check_new, find_same, first_line
from memory_db.knowledge.succession import memory_row
from memory_db.models.tokens import count_tokens
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction


def reword(db: sqlite3.Connection, uid: str, text: str, *, reason: str, by: str, now: datetime) -> bool:
    """Gives a memory that holds other words; whether they differ from those it had.

    A title that is the beginning of its words begins as the new ones do.
    Raises: NotFoundError; InputError where it is out of use, the words are empty or steer an agent, or another memory
    of the same place says them already.
    """
    with transaction(db):
        row = memory_row(db, uid)
        if row["status"] != "active":
            raise InputError(f"Memory {uid} is {row['status']}. Only the words of one that holds can be mended.")
        new = clean(text)[0].strip()
        if new == row["text"]:
            return False
        check_new(
            db, new, kind=row["kind"], scope=row["scope"], project_id=row["project_id"], importance=row["importance"]
        )
        same = find_same(db, new, scope=row["scope"], project_id=row["project_id"])
        if same not in (None, uid):
            raise InputError(f"Memory {same} says this already. Retire one of the two instead.")
        is_cut = row["text"].startswith(row["title"].rstrip(CUT))
        title = first_line(new) if is_cut else row["title"]
        change(db, uid, {"text": new, "title": title, "tokens": count_tokens(new)}, reason, by, now)
    return True
