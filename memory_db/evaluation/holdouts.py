"""Sessions in which memory keeps silent, so that it can be told whether it helps.

In: the uid of a session. Out: its lot, a row of `holdouts` from the first decision on. Invariants: off unless the
setting `holdout_share` is above 0, and then nothing is read but that setting; the lot follows from the session's uid
and the file alone, so that it can be drawn again; a session keeps its lot, whatever the setting becomes later.

A held-out session is shown nothing that memory chose. Locked constraints reach it all the same: a person's orders are
no experiment.
"""

from __future__ import annotations

import sqlite3

from memory_db.errors import InputError

SHARE = "select value from settings where name = 'holdout_share'"

LOT = "select is_held_out from holdouts where session_uid = ?"

SALT = "select coalesce(min(applied_at), '') from _sqlite_migrations where migration_set = 'memory_db'"
"""When the file was made, which nothing changes: two files do not hold out the same sessions."""


def drawn(db: sqlite3.Connection, session_uid: str) -> tuple[bool, tuple[bool, float] | None]:
    """Whether what memory chose is withheld from a session; and the lot with its share where it is to be written down.

    The first question decides it, for good; nothing is written here. False without a uid, and while the setting is 0.
    Raises: InputError where its row is no number from 0 to 1.
    """
    share = held_share(db)
    if not share or not session_uid:
        return False, None
    row = db.execute(LOT, [session_uid]).fetchone()
    if row is not None:
        return bool(row[0]), None
    is_held = lot(db, session_uid) < share
    return is_held, (is_held, share)


def held_share(db: sqlite3.Connection) -> float:
    """The share of sessions to hold out, 0 to 1; 0 is off. Raises: InputError."""
    row = db.execute(SHARE).fetchone()
    if row is None:
        return 0.0
    try:
        share = float(row[0])
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise InputError(
            f"Setting holdout_share holds {str(row[0])[:40]!r}, which is no number from 0 to 1. "
            "Set it again: `memory-db settings holdout_share 0`."
        )
    return share


def lot(db: sqlite3.Connection, session_uid: str) -> float:
    """A number from 0 up to 1 for a session of this file, as if drawn by chance, and always the same."""
    import hashlib  # noqa: PLC0415  # start-up: only the first prompt of a session needs it

    salt = db.execute(SALT).fetchone()[0]
    digest = hashlib.sha256(f"{salt}|{session_uid}".encode(errors="backslashreplace")).digest()
    return int.from_bytes(digest[:7], "big") / 2**56
