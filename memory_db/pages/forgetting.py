"""Forgetting a memory on a page: what would go, and after it was said twice, the proof that it is gone.

In: a path, a uid, and the uid once more as field `confirm`. Out: dicts for templates and for JSON. Invariants: the page
and the command `memory-db forget` go the same way; nothing goes unless the uid was typed; what is answered and what is
kept of it names uids and numbers, never a word of what was forgotten.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_db import forget, forgetting
from memory_db.connection import connect
from memory_db.errors import InputError
from memory_db.forget_preview import preview
from memory_db.memories import get_memory
from memory_db.pages.asking import Fields, first
from memory_db.pages.texts import plural


def preview_of(db: sqlite3.Connection, path: Path, uid: str) -> dict[str, Any]:
    """What forgetting a memory would take: rows by table, texts by place, what would stay outside.

    Raises: NotFoundError.
    """
    found = get_memory(db, uid)
    seen = preview(db, path, forgetting.by_uid(db, uid))
    others = [each for each in seen.memories if each != uid]
    return {"memory": found, "others": others, **seen.as_dict()}


def forget_memory(path: Path, uid: str, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """Forgets a memory for good, if field `confirm` has its uid; gives what went and what was looked through.

    `left` has the places where a passage was still found, which must be none.
    Raises: InputError, NotFoundError, DatabaseFileError, sqlite3.Error.
    """
    with closing(connect(path, write=True)) as db:
        get_memory(db, uid)
        if first(fields, "confirm") != uid:
            raise InputError(
                f"Nothing was forgotten: it cannot be undone, so the uid {uid} has to be given again as confirm."
            )
        done = forget.forget(db, path, forgetting.by_uid(db, uid), now=now)
        searched = db.execute("pragma page_count").fetchone()[0] * db.execute("pragma page_size").fetchone()[0]
        run_id = db.execute("select max(id) from runs where stage = 'forget'").fetchone()[0]
    return {
        "ok": not done.left,
        "uid": uid,
        "rows": dict(sorted(done.rows.items())),
        "repetitions": dict(sorted(done.repetitions.items())),
        "passages": done.passages,
        "bytes_searched": searched,
        "left": done.left,
        "outside": done.outside,
        "run_id": run_id,
        "said": said(uid, done, searched),
        "there": "/-/memory/recall?scope=memories",
    }


def said(uid: str, done: forget.Forgotten, searched: int) -> str:
    """The proof in a line."""
    if done.left:
        return (
            f"Forgot memory {uid}, but it is STILL FOUND in {plural(len(done.left), 'place')}. Close what has the file"
            " open, then run `memory-db forget --finish`."
        )
    return (
        f"Forgot memory {uid}: looked for {plural(done.passages, 'passage')} in every row and in all {searched:,} bytes"
        " of the file, none is left."
    )
