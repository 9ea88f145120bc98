"""Taking a memory out of use, and back: it is never deleted, and says why.

In: a memory, who takes it out and why. Out: its status, as a new version. Invariants: a retired memory is shown
nowhere, keeps its text, sources and evidence, and comes back as it was; what is locked only a person retires.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime

from memory_db.errors import InputError
from memory_db.knowledge.succession import PERSON, memory_row
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

SET_STATUS = """
update memories set status = :status, changed_by = :by, change_reason = :reason, updated_at = :now
where id = :id and status <> :status
"""

REPLACED = "select 1 from edges where to_memory_id = ? and kind = 'supersedes' and ended_at is null"


def retire(db: sqlite3.Connection, uid: str, *, by: str, reason: str, now: datetime) -> bool:
    """Takes a memory out of use; whether it was in use.

    Raises: NotFoundError; InputError for a locked one where `by` is no person.
    """
    with transaction(db):
        row = memory_row(db, uid)
        if row["lock_level"] != "none" and by != PERSON:
            raise InputError(f"Memory {uid} is locked. Only a person may retire it: `memory-db memory retire {uid}`.")
        return set_status(db, row, "retired", by, reason, now)


def restore(db: sqlite3.Connection, uid: str, *, by: str, reason: str, now: datetime) -> str:
    """Takes a retired memory into use again; its status: `superseded` where another one has replaced it.

    Raises: NotFoundError; InputError for one that is not retired.
    """
    with transaction(db):
        row = memory_row(db, uid)
        if row["status"] != "retired":
            more = " `memory-db memory get` shows what replaced it." if row["status"] == "superseded" else ""
            raise InputError(f"Memory {uid} is {row['status']}, not retired.{more or ' There is nothing to restore.'}")
        status = "superseded" if db.execute(REPLACED, [row["id"]]).fetchone() else "active"
        set_status(db, row, status, by, reason, now)
        return status


def set_status(db: sqlite3.Connection, row: sqlite3.Row, status: str, by: str, reason: str, now: datetime) -> bool:
    """Gives a memory a status, with the reason; whether it had another one."""
    values = {
        "id": row["id"], "status": status, "by": clean(by)[0], "reason": clean(reason)[0], "now": utc_text(now),
    }  # fmt: skip
    return db.execute(SET_STATUS, values).rowcount > 0
