"""Forgetting from a page: a memory, a session or an entry, told first and done once its uid was typed.

In: a path, what sort of thing it is, its uid, the fields of a form or of a JSON body. Out: a dict for the answer.
Invariants: the page, a program and the command line go the same way; nothing is forgotten unless the uid was typed, or
the beginning of it that the page names, and the answer names no word of what was.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memory_db.errors import InputError, NotFoundError
from memory_db.knowledge.memories import get_memory
from memory_db.pages.draw.filters import plural
from memory_db.pages.forms import Fields, check_known, first, flag, note_dry_run
from memory_db.store.connection import connect
from memory_db.upkeep.forget import run as forget
from memory_db.upkeep.forget import target as forgetting
from memory_db.upkeep.forget.preview import preview

MEMORY, SESSION, ENTRY = "memory", "session", "entry"

ADDRESS = {MEMORY: "/-/memory/memories/{}", SESSION: "/-/memory/sessions/{}", ENTRY: "/-/memory/entries/{}"}
"""Where the page of a thing is."""

AFTER = "/-/memory/memories"
"""Where a form leads once a memory is gone; a session and an entry keep their place."""

ABOUT = {
    SESSION: "select uid, coalesce(nullif(title, ''), uid) as text, uid as session from sessions where uid = ?",
    ENTRY: "select e.uid, e.text, s.uid as session from entries e join sessions s on s.id = e.session_id"
           " where e.uid = ?",
}  # fmt: skip

SHORT = 8
"""Characters of a uid that are enough to confirm with: the page names it, so no two can be meant."""


def thing(db: sqlite3.Connection, sort: str, uid: str) -> dict[str, Any]:
    """What is to be forgotten: its sort, uid, text and address, what `confirm` must have (`typed`), and where to go
    `after`. Raises: NotFoundError."""
    if sort == MEMORY:
        text, after = get_memory(db, uid)["text"], AFTER
    else:
        row = db.execute(ABOUT[sort], [uid]).fetchone()
        if row is None:
            raise NotFoundError(f"No {sort} {uid[:80]!r}.")
        text, after = row["text"], ADDRESS[SESSION].format(quote(row["session"], safe=""))
    address = ADDRESS[sort].format(quote(uid, safe=""))
    typed = uid if sort == MEMORY else uid[:SHORT]
    return {"sort": sort, "uid": uid, "text": text, "address": address, "typed": typed, "after": after}


def forget_preview(db: sqlite3.Connection, path: Path, sort: str, uid: str) -> dict[str, Any]:
    """What forgetting it would take: what happens to each memory and entry, rows by table, texts by place.

    Raises: NotFoundError.
    """
    about = thing(db, sort, uid)
    seen = preview(db, path, forgetting.by_uid(db, uid))
    return {"thing": about, **({"memory": get_memory(db, uid)} if sort == MEMORY else {}), **seen.as_dict()}


def forget_thing(path: Path, sort: str, uid: str, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """Forgets it for good, if field `confirm` has its uid, or the beginning of it that the page names; gives what went
    and what was looked through.

    Field `backups` deletes the copies of the file that hold it too, `exports` takes it out of exports that are as they
    were written. `left`, `locked`, `copies` and `exports` have what still does.
    With `dry_run` nothing goes, and what `forget_preview` tells is the answer.
    Raises: InputError, NotFoundError, DatabaseFileError, sqlite3.Error.
    """
    check_known(fields, ("confirm", "backups", "exports", "dry_run"))
    if flag(fields, "dry_run"):
        with closing(connect(path)) as db:
            seen = forget_preview(db, path, sort, uid)
        there = f"{ADDRESS[sort].format(quote(uid, safe=''))}/forget"
        return {
            "ok": True,
            "uid": uid,
            "dry_run": True,
            **seen,
            "said": note_dry_run(would_go(sort, uid, seen), True),
            "there": there,
        }
    with closing(connect(path, write=True)) as db:
        about = thing(db, sort, uid)
        if first(fields, "confirm") not in (uid, about["typed"]):
            raise InputError(
                f"Nothing was forgotten: it cannot be undone, so {about['typed']} has to be given again as confirm."
            )
        backups, exports = says_yes(fields, "backups"), says_yes(fields, "exports")
        done = forget.forget(db, path, forgetting.by_uid(db, uid), now=now, with_copies=backups, with_exports=exports)
        searched = db.execute("pragma page_count").fetchone()[0] * db.execute("pragma page_size").fetchone()[0]
        run_id = db.execute("select max(id) from runs where stage = 'forget'").fetchone()[0]
    return {
        "ok": done.is_gone,
        "uid": uid,
        "sort": sort,
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
        "exports": done.exports,
        "cleaned_exports": done.cleaned_exports,
        "sharing": done.sharing,
        "outside": done.outside,
        "run_id": run_id,
        "said": proof(f"{sort} {uid}", done, searched),
        "there": about["after"],
    }


def says_yes(fields: Fields, name: str) -> bool:
    """Whether a field is yes; left out it is no. Raises: InputError."""
    said = first(fields, name)
    if said not in ("", "yes"):
        raise InputError(f"Nothing was forgotten: {name} is {said[:40]!r}. Give yes, or leave it out.")
    return said == "yes"


def would_go(sort: str, uid: str, seen: dict[str, Any]) -> str:
    """What forgetting would do, in a line."""
    others = len(set(seen["memories"]) - {uid})
    more = f" with {plural(others, 'other memory', 'other memories')}" if others else ""
    return f"Would forget {sort} {uid}{more} for good."


def proof(what: str, done: forget.Forgotten, searched: int) -> str:
    """The proof in a line, or what still holds it and what to do."""
    if done.left:
        return (
            f"Forgot {what}, but it is STILL FOUND in {plural(len(done.left), 'place')}. Close what has the file"
            " open, then run `memory-db memory forget --finish`."
        )
    if done.locked or done.copies or done.exports:
        holding = [
            f"{plural(len(done.locked), 'locked memory', 'locked memories')}, to be forgotten by name"
            * bool(done.locked),
            f"{plural(len(done.copies), 'copy', 'copies')} of the file, to be deleted" * bool(done.copies),
            f"{plural(len(done.exports), 'export', 'exports')}, named below" * bool(done.exports),
        ]
        return f"Forgot {what}, but it is STILL HELD by {' and '.join(filter(None, holding))}."
    return (
        f"Forgot {what}: looked for {plural(done.passages, 'passage')} in every row, in all {searched:,} bytes"
        " of the file and in its copies, none is left."
    )
