"""The rows that stand for what a repository's files say: how far each was read, and each fact's entry and candidate.

In: files and facts. Out: rows of `sources`, `entries` and `candidates`. Invariants: a fact's entry holds its quote and
nothing else of the file, and nothing finds it but its memory; where a fact stands, and whether it still does, is told
by the file's row in `sources`, which counts as read once its facts are settled.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from memory_db.extract.files.facts import REPOSITORY, SOURCE_MARK, FileFact
from memory_db.extract.files.repository import VERSION
from memory_db.extract.files.shown import entry_uid, is_forgotten
from memory_db.extract.rules.run import INSERT_CANDIDATE, METHOD
from memory_db.redact.clean import clean
from memory_db.store.dates import utc_text
from memory_db.store.findable import SET_ASIDE
from memory_db.transcripts.sources import path_text

UNSETTLED = ""
"""In the place of a version: the facts of a file are candidates, and what becomes of them is not decided."""

RUN_VERSION = f"files {VERSION}"

PUT_SOURCE = """
insert into sources (path, format, size_bytes, mtime_ns, cursor, state, state_reason, found_at, read_at)
values (:path, :format, :size, :mtime, :cursor, :state, :reason, :now, :now)
on conflict (path) do update set size_bytes = excluded.size_bytes, mtime_ns = excluded.mtime_ns,
    cursor = excluded.cursor, state = excluded.state, state_reason = excluded.state_reason, read_at = excluded.read_at
"""

INSERT_ENTRY = """
insert or ignore into entries (uid, session_id, source_id, role, kind, text, created_at)
values (?, ?, ?, 'tool', ?, ?, ?)
"""


@dataclass(slots=True)
class KnownFile:
    """What is known of a file: its row, when it was read, and the line of each fact by the fact's uid."""

    path: str
    source_id: int | None = None
    stamp: tuple[int, int] = (-1, -1)
    version: str = ""
    head: str = ""
    lines: dict[str, int] = field(default_factory=dict)
    state: str = "found"

    def is_unchanged(self, stamp: tuple[int, int]) -> bool:
        """Whether the file was read by readers of this version and has not changed since."""
        return self.state == "read" and self.stamp == stamp and self.version == VERSION


def known_files(db: sqlite3.Connection, root: Path) -> dict[str, KnownFile]:
    """The files of a folder that were read before, by their path as seen from it."""
    top = f"{path_text(root)}/"
    found: dict[str, KnownFile] = {}
    for row in db.execute("select * from sources where format = ? order by id", [REPOSITORY]):
        if row["path"].startswith(top):
            path = row["path"].removeprefix(top).removesuffix(SOURCE_MARK)
            cursor = json.loads(row["cursor"] or "{}")
            found[path] = KnownFile(
                path, row["id"], (row["size_bytes"], row["mtime_ns"]), cursor.get("version", ""),
                cursor.get("head", ""), cursor.get("lines", {}), row["state"],
            )  # fmt: skip
    return found


def put_source(
    db: sqlite3.Connection, root: Path, path: str, stamp: tuple[int, int], lines: Mapping[str, int], *, now: datetime,
    head: str = "", state: str = "read", reason: str | None = None,
) -> int:  # fmt: skip
    """Notes that a file was read, and where its facts stand; or why it was not. The number of its row.

    What was read counts as not read until `note_settled`: a run that was killed before that reads it again.
    """
    place = f"{path_text(root)}/{clean(path)[0]}{SOURCE_MARK}"
    cursor = {"version": UNSETTLED if state == "read" else VERSION, "head": head, "lines": dict(lines)}
    values = {
        "path": place, "format": REPOSITORY, "size": stamp[0], "mtime": stamp[1], "state": state, "reason": reason,
        "cursor": json.dumps(cursor), "now": utc_text(now),
    }  # fmt: skip
    db.execute(PUT_SOURCE, values)
    return int(db.execute("select id from sources where path = ?", [place]).fetchone()[0])


def note_settled(db: sqlite3.Connection, source_ids: Iterable[int]) -> None:
    """Notes that all that files say is decided: they are not read again until they change."""
    db.executemany(
        "update sources set cursor = json_set(cursor, '$.version', ?) where id = ?",
        [(VERSION, number) for number in source_ids],
    )


def session_of(db: sqlite3.Connection, project_id: int, canonical_path: str, name: str) -> int:
    """The session that the entries of a project's files belong to."""
    uid = f"files of {canonical_path}"
    db.execute(
        "insert or ignore into sessions (uid, format, project_id, title, cwd) values (?, ?, ?, ?, ?)",
        [uid, REPOSITORY, project_id, f"Files of {name}", canonical_path],
    )
    return int(db.execute("select id from sessions where uid = ?", [uid]).fetchone()[0])


def start_run(db: sqlite3.Connection, now: datetime) -> int:
    """A new row of `extraction_runs`."""
    made = db.execute(
        "insert into extraction_runs (method, version, started_at) values (?, ?, ?)",
        [METHOD, RUN_VERSION, utc_text(now)],
    )
    return int(made.lastrowid or 0)


def finish_run(db: sqlite3.Connection, run_id: int, found: int, now: datetime) -> None:
    """Notes what a run found; one that found nothing new leaves no row."""
    if found:
        db.execute(
            "update extraction_runs set candidates_found = ?, finished_at = ? where id = ?",
            [found, utc_text(now), run_id],
        )
    else:
        db.execute("delete from extraction_runs where id = ?", [run_id])


def add_facts(
    db: sqlite3.Connection, facts: Iterable[FileFact], *, run_id: int, source_id: int, session_id: int, project_id: int,
    root: str, now: datetime, even_forgotten: bool = False,
) -> int:  # fmt: skip
    """Stores the facts of a file that are new as entries and candidates; how many were. Forgotten ones stay so."""
    added = 0
    for fact in facts:
        uid = fact.uid_in(root)
        if db.execute("select 1 from candidates where uid = ?", [uid]).fetchone():
            continue
        entry = entry_uid(uid)
        if is_forgotten(db, uid):
            if not even_forgotten:
                continue
            db.execute("update entries set text = ? where uid = ?", [fact.quote, entry])
        db.execute(INSERT_ENTRY, [entry, session_id, source_id, SET_ASIDE, fact.quote, utc_text(now)])
        entry_id = db.execute("select id from entries where uid = ?", [entry]).fetchone()[0]
        db.execute(
            "insert or ignore into session_entries (session_id, entry_id, position) values (?, ?, ?)",
            [session_id, entry_id, entry_id],
        )
        values = fact.columns(root) | {
            "run_id": run_id, "entry_id": entry_id, "session_id": session_id, "project_id": project_id,
            "rule": fact.onboard_rule, "created_at": utc_text(now),
        }  # fmt: skip
        added += db.execute(INSERT_CANDIDATE, values).rowcount
    return added
