"""Taking a memory out of use, and back: it is never deleted, and says why.

In: a memory, who takes it out and why. Out: its status, as a new version. Invariants: a retired memory is shown
nowhere, keeps its text, sources and evidence, and comes back as it was, unless another one in use says the same by now;
what is locked only a person retires.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime

from memory_db.errors import ConflictError, InputError
from memory_db.knowledge.effects import take_correction_back
from memory_db.knowledge.memories import find_same
from memory_db.knowledge.succession import PERSON, REPLACED_BY, memory_row
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

SET_STATUS = """
update memories set status = :status, changed_by = :by, change_reason = :reason, updated_at = :now
where id = :id and status <> :status
"""

REPLACED = "select 1 from edges where to_memory_id = ? and kind = 'supersedes' and ended_at is null"

DRAWN_IN = "exists (select 1 from json_each(effects, '$.edges') where value = json_array(:new, :old, 'supersedes'))"

DECIDED = f"""
select 'x' || id as item from contradictions where state = 'resolved' and {DRAWN_IN}
union all select 'p' || id from proposals where state = 'accepted' and {DRAWN_IN}
union all select cast(id as text) from decisions d where {DRAWN_IN}
    and not exists (select 1 from decisions r where r.reverts_id = d.id)
"""
"""What drew an edge between two memories and can be reverted, as `review revert` names it."""


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

    Raises: NotFoundError; InputError for one that is not retired; ConflictError where another one says the same.
    """
    with transaction(db):
        row = memory_row(db, uid)
        if row["status"] != "retired":
            more = " `memory-db memory get` shows what replaced it." if row["status"] == "superseded" else ""
            raise InputError(f"Memory {uid} is {row['status']}, not retired.{more or ' There is nothing to restore.'}")
        status = "superseded" if db.execute(REPLACED, [row["id"]]).fetchone() else "active"
        if status == "active":
            check_said_once(db, row)
        set_status(db, row, status, by, reason, now)
        return status


def restore_replaced(db: sqlite3.Connection, uid: str, *, by: str, reason: str, now: datetime) -> list[str]:
    """Lets a memory hold again that a person replaced; what was made to replace it is retired. What was done, in lines.

    Raises: NotFoundError; ConflictError where a decision or several memories replaced it, where one of the two changed
    since, and where another memory says the same.
    """
    with transaction(db):
        row = memory_row(db, uid)
        heirs = [each["uid"] for each in db.execute(REPLACED_BY, [row["id"], row["id"]])]
        if len(heirs) != 1:
            how = f"was replaced by {' and '.join(heirs)}" if heirs else "is over, and no memory replaced it"
            raise ConflictError(f"Memory {uid} {how}. Add its text again.")
        decided = db.execute(DECIDED, {"new": heirs[0], "old": uid}).fetchone()
        if decided is not None:
            raise ConflictError(
                f"Memory {uid} was replaced by a decision. `memory-db review revert {decided['item']}` takes it back."
            )
        check_said_once(db, row)
        return take_correction_back(db, uid, heirs[0], reason=reason, by=by, now=now)


def said_by_another(db: sqlite3.Connection, row: sqlite3.Row) -> str | None:
    """The uid of a memory in use that says what one out of use says, where that one holds."""
    return find_same(db, row["text"], scope=row["scope"], project_id=row["project_id"])


def check_said_once(db: sqlite3.Connection, row: sqlite3.Row) -> None:
    """Refuses to bring back what another memory says by now. Raises: ConflictError."""
    if other := said_by_another(db, row):
        raise ConflictError(f"Memory {other} says the same as {row['uid']} and is in use. There is nothing to restore.")


def set_status(db: sqlite3.Connection, row: sqlite3.Row, status: str, by: str, reason: str, now: datetime) -> bool:
    """Gives a memory a status, with the reason; whether it had another one."""
    values = {
        "id": row["id"], "status": status, "by": clean(by)[0], "reason": clean(reason)[0], "now": utc_text(now),
    }  # fmt: skip
    return db.execute(SET_STATUS, values).rowcount > 0
