"""Forgetting a memory on a page: what would go, and after it was said twice, the proof that it is gone.

In: a path, a uid, the uid once more as field `confirm`, and field `backups` for copies of the file. Out: dicts for
templates and for JSON. Invariants: the page and `memory-db memory forget` go the same way; nothing goes unless the
uid was typed; what is answered afterwards
and what is kept of it names uids and numbers, never a word of what was forgotten.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memory_db.errors import InputError
from memory_db.knowledge.memories import get_memory
from memory_db.pages.draw.filters import plural
from memory_db.pages.fields import Fields, check_known, first, flag
from memory_db.pages.rehearsing import told
from memory_db.store.connection import connect
from memory_db.upkeep.forget import run as forget
from memory_db.upkeep.forget import target as forgetting
from memory_db.upkeep.forget.preview import preview


def preview_of(db: sqlite3.Connection, path: Path, uid: str) -> dict[str, Any]:
    """What forgetting a memory would take: what happens to each memory and entry, rows by table, texts by place.

    Raises: NotFoundError.
    """
    found = get_memory(db, uid)
    seen = preview(db, path, forgetting.by_uid(db, uid))
    return {"memory": found, **seen.as_dict()}


def forget_memory(path: Path, uid: str, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """Forgets a memory for good, if field `confirm` has its uid; gives what went and what was looked through.

    Field `backups` deletes the copies of the file that hold it too. `left`, `locked` and `copies` have what still does.
    With `dry_run` nothing goes, and what `preview_of` tells is the answer.
    Raises: InputError, NotFoundError, DatabaseFileError, sqlite3.Error.
    """
    check_known(fields, ("confirm", "backups", "dry_run"))
    if flag(fields, "dry_run"):
        with closing(connect(path)) as db:
            seen = preview_of(db, path, uid)
        there = f"/-/memory/memories/{quote(uid, safe='')}/forget"
        return {
            "ok": True,
            "uid": uid,
            "dry_run": True,
            **seen,
            "said": told(would_go(uid, seen), True),
            "there": there,
        }
    with closing(connect(path, write=True)) as db:
        get_memory(db, uid)
        if first(fields, "confirm") != uid:
            raise InputError(
                f"Nothing was forgotten: it cannot be undone, so the uid {uid} has to be given again as confirm."
            )
        backups = first(fields, "backups")
        if backups not in ("", "yes"):
            raise InputError(f"Nothing was forgotten: backups is {backups[:40]!r}. Give yes, or leave it out.")
        done = forget.forget(db, path, forgetting.by_uid(db, uid), now=now, with_copies=backups == "yes")
        searched = db.execute("pragma page_count").fetchone()[0] * db.execute("pragma page_size").fetchone()[0]
        run_id = db.execute("select max(id) from runs where stage = 'forget'").fetchone()[0]
    return {
        "ok": done.is_gone,
        "uid": uid,
        "dry_run": False,
        "rows": dict(sorted(done.rows.items())),
        "repetitions": dict(sorted(done.repetitions.items())),
        "fates": [{"uid": each.uid, "sort": each.sort, "what": each.what, "why": each.why} for each in done.fates],
        "passages": done.passages,
        "bytes_searched": searched,
        "left": done.left,
        "locked": done.locked,
        "copies": done.copies,
        "deleted_copies": done.deleted_copies,
        "new_copy": done.new_copy,
        "sharing": done.sharing,
        "outside": done.outside,
        "run_id": run_id,
        "said": said(uid, done, searched),
        "there": "/-/memory/recall?scope=memories",
    }


def would_go(uid: str, seen: dict[str, Any]) -> str:
    """What forgetting would do, in a line."""
    others = len(set(seen["memories"]) - {uid})
    more = f" with {plural(others, 'other memory', 'other memories')}" if others else ""
    return f"Would forget memory {uid}{more} for good."


def said(uid: str, done: forget.Forgotten, searched: int) -> str:
    """The proof in a line, or what still holds it and what to do."""
    if done.left:
        return (
            f"Forgot memory {uid}, but it is STILL FOUND in {plural(len(done.left), 'place')}. Close what has the file"
            " open, then run `memory-db memory forget --finish`."
        )
    if done.locked or done.copies:
        holding = [
            f"{plural(len(done.locked), 'locked memory', 'locked memories')}, to be forgotten by name"
            * bool(done.locked),
            f"{plural(len(done.copies), 'copy', 'copies')} of the file, to be deleted" * bool(done.copies),
        ]
        return f"Forgot memory {uid}, but it is STILL HELD by {' and '.join(filter(None, holding))}."
    return (
        f"Forgot memory {uid}: looked for {plural(done.passages, 'passage')} in every row, in all {searched:,} bytes"
        " of the file and in its copies, none is left."
    )
