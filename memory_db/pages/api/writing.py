"""What programs change besides what the pages do: a memory added, an exchange taken in, many memories retired at once.

In: a path, the fields of a form or of a JSON body, who sent them, the present. Out: a plain dict with `ok` and `said`.
Invariants: a program goes the same way as the command of the same name; with `dry_run` everything is done as it would
be and then taken back, so that what is told is what would happen; what is locked is never retired with others.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memory_db.errors import InputError, NotFoundError
from memory_db.gate.preview import near_data, near_enough, preview
from memory_db.knowledge import memories
from memory_db.knowledge.retire import restore, retire
from memory_db.knowledge.succession import PERSON
from memory_db.pages.api.reading import LIST_FIELDS, conditions_of, wanted_memories
from memory_db.pages.ask import whole
from memory_db.pages.draw.filters import plural
from memory_db.pages.forms import Fields, bring_index_up_to_date, changing, check_known, first, flag, note_dry_run
from memory_db.store.connection import connect
from memory_db.store.dates import utc_text
from memory_db.transcripts import exchanges
from memory_db.transcripts.exchanges import Exchange
from memory_db.transcripts.projects import project_named

ADD_FIELDS = (
    "text", "kind", "title", "project", "user", "tag", "path", "key", "condition", "importance", "dry_run",
)  # fmt: skip

CAPTURE_FIELDS = (*exchanges.FIELDS, "project", "dry_run")

FILTERS = tuple(name for name in LIST_FIELDS if name not in ("limit", "offset", "status", "locked"))
"""By what memories are retired together: what a list of them is filtered by, and `uid`."""

BATCH = "batch "
"""What stands in a memory's `change_reason` before the name of what it was retired with."""

LISTED = 50
"""Memories that an answer names; `count` has how many there are."""

MOST_REASON = 500

CHOSEN = "select m.uid, m.title, m.lock_level from memories m where {conditions} order by m.id"

OF_BATCH = """
select uid, title, lock_level from memories where status = 'retired' and change_reason like :start || '%' order by id
"""

BY_UID = "select uid, title, lock_level from memories where uid = ?"


def add(path: Path, fields: Fields, *, by: str, now: datetime) -> dict[str, Any]:
    """Adds a memory in a person's words, as `memory-db add` does; its uid, and the memories that stand near.

    Raises: InputError, NotFoundError, DatabaseFileError.
    """
    check_known(fields, ADD_FIELDS)
    dry_run, for_user, project = flag(fields, "dry_run"), flag(fields, "user"), first(fields, "project")
    if for_user == bool(project):
        raise InputError("A memory holds either in every project or in one. Give user: true, or a project.")
    kind, scope = first(fields, "kind") or "convention", "user" if for_user else "project"
    text, importance = first(fields, "text"), whole(first(fields, "importance") or "3", "importance", 5)
    with closing(connect(path)) as db:  # looking around may take a second: nobody waits for it
        project_id = None if for_user else project_named(db, project)
        memories.check_new(db, text, kind=kind, scope=scope, project_id=project_id, importance=importance)
        near = near_enough(preview(db, text, kind=kind, scope=scope, project_id=project_id))
    with changing(path, dry_run=dry_run) as db:
        before = last_id(db)
        uid = memories.add_memory(
            db, text=text, kind=kind, title=first(fields, "title") or None, scope=scope, project_id=project_id,
            tags=given(fields, "tag"), paths=given(fields, "path"), keys=given(fields, "key"),
            condition=first(fields, "condition") if "condition" in fields else None,
            importance=importance, origin="user", changed_by="user", reason=f"added by {by}", now=now,
        )  # fmt: skip
        is_new = last_id(db) != before
    bring_index_up_to_date(path, now, dry_run=dry_run)
    said = f"Added {uid}." if is_new else f"{uid} says this already."
    return {
        "ok": True, "uid": uid, "is_new": is_new, "near": [near_data(each) for each in near], "dry_run": dry_run,
        "said": note_dry_run(said, dry_run), "there": f"/-/memory/memories/{quote(uid, safe='')}",
    }  # fmt: skip


def capture(path: Path, fields: Fields, *, now: datetime) -> dict[str, Any]:
    """Takes in one question and its answer, as `memory-db import exchange` does; given again nothing changes.

    Raises: InputError, ConflictError, NotFoundError, DatabaseFileError.
    """
    check_known(fields, CAPTURE_FIELDS)
    dry_run, project = flag(fields, "dry_run"), first(fields, "project")
    values = {name: (fields.get(name) or ("",))[0] or None for name in exchanges.FIELDS}
    with changing(path, dry_run=dry_run) as db:
        cwd = folder_of(db, project) if project else values["cwd"]
        exchange = Exchange(
            values["prompt"] or "", values["response"] or "", values["model"], values["session"], cwd,
            values["title"], values["said_at"], values["answered_at"],
        )  # fmt: skip
        done = exchanges.capture(db, exchange, now=now)
    said = f"{plural(done.entries_added, 'entry', 'entries')} added to session {done.session_uid}."
    return {
        "ok": True, **done.as_dict(), "dry_run": dry_run, "said": note_dry_run(said, dry_run),
        "there": f"/-/memory/sessions/{quote(done.session_uid, safe='')}",
    }  # fmt: skip


def retire_together(path: Path, fields: Fields, *, by: str, now: datetime) -> dict[str, Any]:
    """Takes every memory out of use that filters (or `uid`) name, but locked ones; only tells which, unless told to.

    `dry_run` is true unless it is given as false. `batch` of the answer names what was done, so that
    `restore_together` can take it back.
    Raises: InputError, NotFoundError, DatabaseFileError.
    """
    check_known(fields, (*FILTERS, "uid", "reason", "dry_run"))
    dry_run, reason = flag(fields, "dry_run", default=True), reason_of(fields)
    if not any(first(fields, name) for name in (*FILTERS, "uid")):
        raise InputError(f"Nothing says which memories. Give at least one of: uid, {', '.join(FILTERS)}.")
    batch = f"{utc_text(now)[:10]}-{sha256(f'{utc_text(now)}{by}'.encode()).hexdigest()[:8]}"

    def work(db: sqlite3.Connection, uid: str) -> bool:
        return retire(db, uid, by=PERSON, reason=f"{BATCH}{batch} by {by}: {reason}".rstrip(": "), now=now)

    with changing(path, dry_run=dry_run) as db:
        chosen = chosen_memories(db, fields, "active", now=now)
        data = worked(db, [row for row in chosen if row["lock_level"] == "none"], work)
    bring_index_up_to_date(path, now, dry_run=dry_run)
    locked = [{"uid": row["uid"], "title": row["title"]} for row in chosen if row["lock_level"] != "none"]
    left = f" {plural(len(locked), 'locked one was', 'locked ones were')} left alone." if locked else ""
    said = f"{plural(data['count'], 'memory', 'memories')} retired.{left}"
    return {
        "ok": True, "batch": None if dry_run else batch, **data, "locked": locked[:LISTED], "dry_run": dry_run,
        "said": note_dry_run(said, dry_run), "there": "/-/memory/memories.json?status=retired",
    }  # fmt: skip


def restore_together(path: Path, fields: Fields, *, by: str, now: datetime) -> dict[str, Any]:
    """Takes retired memories into use again: those of a `batch`, those with a `uid`, or those that filters name.

    `dry_run` is true unless it is given as false.
    Raises: InputError, NotFoundError, DatabaseFileError.
    """
    check_known(fields, (*FILTERS, "uid", "batch", "reason", "dry_run"))
    dry_run, batch = flag(fields, "dry_run", default=True), first(fields, "batch")
    reason = reason_of(fields) or f"restored by {by}"
    if not any(first(fields, name) for name in (*FILTERS, "uid", "batch")):
        raise InputError(f"Nothing says which memories. Give at least one of: batch, uid, {', '.join(FILTERS)}.")

    def work(db: sqlite3.Connection, uid: str) -> bool:
        return bool(restore(db, uid, by=PERSON, reason=reason, now=now))

    with changing(path, dry_run=dry_run) as db:
        if batch:
            chosen = db.execute(OF_BATCH, {"start": f"{BATCH}{like_literally(batch)} "}).fetchall()
            if not chosen:
                raise NotFoundError(f"No memory is retired in batch {batch[:80]!r}. The answer of retire names it.")
        else:
            chosen = chosen_memories(db, fields, "retired", now=now)
        data = worked(db, chosen, work)
    bring_index_up_to_date(path, now, dry_run=dry_run)
    said = f"{plural(data['count'], 'memory', 'memories')} restored."
    return {
        "ok": True,
        **data,
        "dry_run": dry_run,
        "said": note_dry_run(said, dry_run),
        "there": "/-/memory/memories.json",
    }


def chosen_memories(db: sqlite3.Connection, fields: Fields, status: str, *, now: datetime) -> list[sqlite3.Row]:
    """The memories that a bulk change is about. Raises: InputError, NotFoundError."""
    uids = given(fields, "uid")
    if not uids:
        wanted = wanted_memories(db, {**fields, "status": [status]}, now=now)
        return db.execute(CHOSEN.format(conditions=conditions_of(wanted)), wanted).fetchall()
    if any(first(fields, name) for name in FILTERS):
        raise InputError("Name memories by uid or by filters, not by both.")
    found = []
    for uid in dict.fromkeys(uids):
        row = db.execute(BY_UID, [uid]).fetchone()
        if row is None:
            raise NotFoundError(f"No memory {uid[:80]!r}. `memory-db recall` shows uids in brackets.")
        found.append(row)
    return found


def worked(
    db: sqlite3.Connection, chosen: Iterable[sqlite3.Row], work: Callable[[sqlite3.Connection, str], bool]
) -> dict[str, Any]:
    """Does something to each memory; how many it changed, and the first of them."""
    done = [{"uid": row["uid"], "title": row["title"]} for row in chosen if work(db, row["uid"])]
    return {"count": len(done), "memories": done[:LISTED]}


def given(fields: Fields, name: str) -> list[str]:
    """The values of a field that are not empty."""
    return [value.strip() for value in fields.get(name, ()) if value.strip()]


def reason_of(fields: Fields) -> str:
    """Why. Raises: InputError for a long one."""
    reason = first(fields, "reason")
    if len(reason) > MOST_REASON:
        raise InputError(f"A reason of {len(reason):,} characters is too long. Give at most {MOST_REASON}.")
    return reason


def last_id(db: sqlite3.Connection) -> int:
    """The greatest number of a memory."""
    return int(db.execute("select coalesce(max(id), 0) from memories").fetchone()[0])


def folder_of(db: sqlite3.Connection, project: str) -> str:
    """The folder of a project. Raises: NotFoundError."""
    row = db.execute("select canonical_path from projects where id = ?", [project_named(db, project)]).fetchone()
    return str(row["canonical_path"])


def like_literally(text: str) -> str:
    """A text without the characters that `like` reads otherwise."""
    return "".join(character for character in text if character.isalnum() or character == "-")
