"""How near to the beginning of a session a memory stands, where a person says so.

In: a memory and a layer. Out: a new version of it. Invariant: without a person's word the view `layers` decides, so
that no layer can be out of date.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime

from memory_db.errors import InputError
from memory_db.knowledge.succession import memory_row
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

LAYERS = (0, 1, 2, 3)

SET = """
update memories set layer_override = ?, changed_by = ?, change_reason = ?, updated_at = ?
where id = ? and layer_override is not ?
"""


def set_layer(db: sqlite3.Connection, uid: str, layer: int | None, *, by: str, now: datetime) -> bool:
    """Puts a memory into a layer, or with None back to where the rules put it; whether that changed anything.

    Raises: NotFoundError, InputError for a layer that there is not, and for a memory that is not active.
    """
    if layer is not None and layer not in LAYERS:
        raise InputError(f"No layer {layer}. There are: {', '.join(map(str, LAYERS))}.")
    with transaction(db):
        memory = memory_row(db, uid)
        if memory["status"] != "active":
            raise InputError(f"Memory {uid} is {memory['status']}: it stands in no layer. Name one that holds.")
        reason = "back to the rules of layers" if layer is None else f"put into layer {layer}"
        values = [layer, clean(by)[0], reason, utc_text(now), memory["id"], layer]
        return db.execute(SET, values).rowcount > 0


def layer_of(db: sqlite3.Connection, uid: str) -> sqlite3.Row:
    """Where an active memory stands: uid, layer, reason, tokens, project. Raises: NotFoundError, InputError."""
    row: sqlite3.Row | None = db.execute("select * from layers where uid = ?", [uid]).fetchone()
    if row is None:
        raise InputError(f"Memory {memory_row(db, uid)['uid']} is not active: it stands in no layer.")
    return row
