"""What a person does about the file from the health page: copy it, verify a copy, retain, check, take up dead jobs.

In: a path, the name of an operation, the fields of a form or of a JSON body. Out: a dict for the answer. Invariants:
the page, a program and the command line go the same way; nothing is written over; what cannot be done is refused in
one line and changes nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_db.errors import ConflictError, CorruptError, InputError, NotFoundError
from memory_db.hooks.background import start_worker
from memory_db.pages.draw.filters import number, plural
from memory_db.pages.forms import Fields, changing, check_known, first, flag, note_dry_run, undo_by
from memory_db.store import backup, jobs
from memory_db.store.connection import connect
from memory_db.text.sizes import size
from memory_db.transcripts.projects import project_named
from memory_db.upkeep import backups, history, retention
from memory_db.upkeep import export as exporting
from memory_db.upkeep.check import check as find_disagreements
from memory_db.upkeep.encrypted import readable
from memory_db.upkeep.pipeline import run_stage

Operate = Callable[[Path, Fields, datetime], dict[str, Any]]
"""Does something about a file; what was done, with `said` in one line. Raises: MemoryDBError."""

KNOWN_FIELDS = {"retain": ("dry_run",), "check": ("thorough", "dry_run"), "retry": ("job", "dry_run"),
                "pause": ("go_on", "dry_run")}  # fmt: skip
"""Fields of an operation, where it has any but `dry_run`."""

THERE = "/-/memory/health#operations"

FORMS = {"json": "application/json; charset=utf-8", "md": "text/markdown; charset=utf-8"}
"""Forms of an export by the ending of its file, with their content types."""

YES = ("1", "true", "yes", "on")


def operate(path: Path, name: str, fields: Fields, now: datetime) -> dict[str, Any]:
    """Does an operation of `OPERATIONS`, or with the field `dry_run` tells what it would do. Raises: MemoryDBError."""
    if name not in OPERATIONS:
        raise NotFoundError(f"No operation {name[:40]!r}. There are: {', '.join(OPERATIONS)}.")
    check_known(fields, KNOWN_FIELDS.get(name, ("dry_run",)))
    return {"ok": True, "there": THERE, "dry_run": flag(fields, "dry_run"), **OPERATIONS[name](path, fields, now)}


def copy(path: Path, fields: Fields, now: datetime) -> dict[str, Any]:
    """Copies the file into the folder of backups and verifies the copy."""
    if flag(fields, "dry_run"):
        folder = backup.folder_of(path)
        return {
            "path": str(folder),
            "said": note_dry_run(f"Would copy the file into {folder} and verify the copy.", True),
        }
    with closing(connect(path)) as db:
        key = backups.key_by_settings(db, path)
        made = backups.copy(db, backups.next_target(path, now, key), key)
    line = f"{made.path}: {size(made.bytes)}, {plural(made.rows, 'row')} of {plural(made.tables, 'table')} verified."
    return {"path": str(made.path), "bytes": made.bytes, "tables": made.tables, "rows": made.rows, "said": line}


def verify(path: Path, fields: Fields, now: datetime) -> dict[str, Any]:
    """Reads the newest copy in the folder of backups from end to end."""
    latest = backup.latest(path)
    if latest is None:
        raise NotFoundError(f"There is no backup in {backup.folder_of(path)}. Make one first.")
    if flag(fields, "dry_run"):
        return {"path": str(latest), "said": note_dry_run(f"Would read {latest.name} from end to end.", True)}
    with closing(connect(path)) as db:
        named = backups.named_key_file(db)
    try:
        with readable(latest, path, named) as plain:
            found = backup.verified(plain)
    except CorruptError as error:
        # The copy is damaged, not the file that is served.
        raise ConflictError(str(error)) from error
    line = f"{latest.name} is sound: {plural(found.rows, 'row')} of {plural(found.tables, 'table')}."
    return {
        "path": str(latest),
        "bytes": latest.stat().st_size,
        "tables": found.tables,
        "rows": found.rows,
        "said": line,
    }


def prune(path: Path, fields: Fields, now: datetime) -> dict[str, Any]:
    """Lets old hits go that were not shown and that nobody judged; field `dry_run` only counts them."""
    is_dry_run = flag(fields, "dry_run")
    with closing(connect(path, write=not is_dry_run)) as db:
        if is_dry_run:
            count = retention.would_age(db, now=now)
        else:
            count = run_stage(db, "retention", lambda: retention.run(db, now=now), now=now).counts["hits_aged"]
    line = f"{number(count)} hits {'would be deleted' if is_dry_run else 'were deleted'}."
    return {"hits_aged": count, "said": note_dry_run(line, is_dry_run)}


def check(path: Path, fields: Fields, now: datetime) -> dict[str, Any]:
    """Derives everything again; `findings` lists what disagrees. It mends nothing, so a dry run is the same."""
    with closing(connect(path, write=True)) as db:
        found = find_disagreements(db, thorough=flag(fields, "thorough"))
    line = f"{plural(len(found), 'mismatch', 'mismatches')}." if found else "Everything matches."
    findings = [{"what": each.what, "where": each.where, "detail": each.detail} for each in found]
    return {"findings": findings, "said": note_dry_run(line, flag(fields, "dry_run"))}


def retry(path: Path, fields: Fields, now: datetime) -> dict[str, Any]:
    """Makes dead jobs due again: the one of the field `job`, or `all`."""
    named = first(fields, "job")
    if named != "all" and not (named.isascii() and named.isdecimal() and len(named) < 19):
        raise InputError(f"{named[:40]!r} is no number of a job. Give a number of the view dead_jobs, or all.")
    dry_run = flag(fields, "dry_run")
    with changing(path, dry_run=dry_run) as db:
        if named == "all":
            count = jobs.revive_all(db, now)
        else:
            jobs.revive(db, int(named), now)
            count = 1
    said = note_dry_run(f"{plural(count, 'job')} due again. `memory-db work` takes them up.", dry_run)
    return {"revived": count, "said": said}


def pause(path: Path, fields: Fields, now: datetime) -> dict[str, Any]:
    """Has the reading of a long history wait; with `go_on` it is taken up again, by a worker that is started."""
    is_paused, dry_run = not flag(fields, "go_on"), flag(fields, "dry_run")
    with changing(path, dry_run=dry_run) as db:
        jobs.pause(db, history.HISTORY, history.KEY, now, is_paused=is_paused)
    if not is_paused and not dry_run:
        start_worker(str(path))
    said = "Reading older sessions waits until you go on." if is_paused else "Older sessions are read again."
    undo = undo_by("/-/memory/health/pause", go_on="yes" if is_paused else "")
    return {"paused": is_paused, "there": "/", "said": note_dry_run(said, dry_run), "undo": undo}


OPERATIONS: dict[str, Operate] = {
    "backup": copy, "verify": verify, "retain": prune, "check": check, "retry": retry, "pause": pause,
}  # fmt: skip
"""What can be done from the health page, by name."""


def exported(path: Path, form: str, fields: Fields) -> Iterator[str]:
    """Memories as JSON or Markdown, part by part; fields `project`, `kind` and `all` (replaced and retired ones too).

    The connection belongs to the thread that takes the first part. Raises: NotFoundError, DatabaseFileError.
    """
    with closing(connect(path)) as db:
        memories = exporting.chosen(db, choice(db, fields))
        yield from (exporting.as_json if form == "json" else exporting.as_document)(memories)


def choice(db: sqlite3.Connection, fields: Fields) -> exporting.Choice:
    """Which memories are to be exported. Raises: NotFoundError."""
    kinds = tuple(kind for kind in fields.get("kind", ()) if kind)
    known = {row[0] for row in db.execute("select name from kinds")}
    if unknown := set(kinds) - known:
        raise NotFoundError(f"No kind {min(unknown)[:80]!r}. There are: {', '.join(sorted(known))}.")
    project = first(fields, "project")
    project_id = project_named(db, project) if project else None
    return exporting.Choice(project_id, kinds, (), None, None, first(fields, "all") in YES)
