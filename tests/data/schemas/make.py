"""Makes a small file with the code of a commit: `python make.py OUT [FIRST_MIGRATIONS | FILE_TO_CARRY_ON]`.

Run it where `memory_db` is the code of that commit (`PYTHONPATH` of a checkout). With a number, only so many
migrations are applied, for schemas that were never the newest of a commit; with a file, that one is opened, so migrated
by the code of the commit, and nothing is added. Nothing in the rows is real.
"""

from __future__ import annotations

import gzip
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from sqlite_utils import Database, Migrations

from memory_db.store import connection as opening
from memory_db.store.migrations import migrations
from memory_db.store.schema import open_database

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
THEN = "2026-10-01T10:00:00.000Z"
TEXT = "The database of tern listens on port 5433, not on 5432."

MEMORY = {
    "id": 1, "kind": "environment", "scope": "project", "project_id": 1, "status": "active", "lock_level": "none",
    "importance": 3, "title": "Port of the database", "text": TEXT, "keys": '["port"]', "context": "", "tokens": 16,
    "valid_from": THEN, "changed_by": "user", "change_reason": "added",
}  # fmt: skip
MEMORY_ROW = MEMORY | {
    "uid": "m-port",
    "origin": "user",
    "content_hash": "hash of one",
    "created_at": THEN,
    "updated_at": THEN,
}
VERSION_ROW = MEMORY | {"memory_id": 1, "version": 1, "recorded_from": THEN}
OTHER_ROW = MEMORY_ROW | {"id": 2, "uid": "m-other", "text": "tern is tested with pytest.", "content_hash": "of two"}

ROWS: list[tuple[str, dict[str, object]]] = [
    ("projects", {"id": 1, "name": "tern", "canonical_path": "/home/sam/tern", "created_at": THEN}),
    ("project_aliases", {"project_id": 1, "path": "/home/sam/old/tern", "reason": "moved", "created_at": THEN}),
    ("sources", {"id": 1, "path": "/home/sam/t.jsonl", "format": "claude-code", "size_bytes": 9, "mtime_ns": 1,
                 "state": "read", "found_at": THEN}),
    ("source_problems", {"source_id": 1, "line": 3, "reason": "no JSON", "found_at": THEN}),
    ("sessions", {"id": 1, "uid": "s-one", "format": "claude-code", "project_id": 1, "cwd": "/home/sam/tern"}),
    ("entries", {"id": 1, "uid": "e-one", "session_id": 1, "source_id": 1, "role": "user", "kind": "prompt",
                 "text": "Use port 5433 for the database", "created_at": THEN}),
    ("session_entries", {"session_id": 1, "entry_id": 1, "position": 0}),
    ("actions", {"uid": "a-one", "entry_id": 1, "session_id": 1, "tool": "Bash", "input": "{}", "created_at": THEN}),
    ("api_calls", {"message_uid": "c-one", "session_id": 1, "model": "a-model", "created_at": THEN}),
    ("kinds", {"name": "environment", "description": "Ports", "prior_alpha": 3, "prior_beta": 1,
               "half_life_days": 120}),
    ("extraction_runs", {"id": 1, "method": "rules", "version": "1", "started_at": THEN}),
    ("extraction_progress", {"session_id": 1, "method": "rules", "version": "1", "entry_count": 1}),
    ("candidates", {"id": 1, "uid": "k-one", "extraction_run_id": 1, "entry_id": 1, "project_id": 1,
                    "kind": "environment", "scope": "project", "title": "Port", "text": TEXT,
                    "quote": "Use port 5433", "importance": 3, "rule": "port", "created_at": THEN}),
    ("memories", MEMORY_ROW),
    ("memories", OTHER_ROW),
    ("memory_versions", VERSION_ROW),
    ("memory_versions", VERSION_ROW | {"id": 2, "memory_id": 2, "text": OTHER_ROW["text"]}),
    ("decisions", {"candidate_id": 1, "action": "add", "memory_id": 1, "reason": "new", "decided_by": "gate",
                   "decided_at": THEN}),
    ("memory_sources", {"memory_id": 1, "entry_id": 1, "quote": "Use port 5433", "created_at": THEN}),
    ("memory_paths", {"memory_id": 1, "path": "compose.yml"}),
    ("tags", {"memory_id": 1, "tag": "database"}),
    ("evidence", {"memory_id": 1, "kind": "confirmed", "direction": "for", "weight": 1.0, "source": "entry:e-one",
                  "created_at": THEN}),
    ("profiles", {"id": 1, "name": "own", "version": 1, "weights": '{"keyword": 1.0}', "description": "Words alone",
                  "created_at": THEN}),
    ("recalls", {"id": 1, "uid": "r-one", "query": "which port", "scope": "all", "surface": "cli", "project_id": 1,
                 "session_id": 1, "profile_id": 1, "context": "{}", "features": "{}", "considered_count": 1,
                 "left_out": "{}", "asked_at": THEN, "duration_ms": 1.0}),
    ("hits", {"recall_id": 1, "memory_version_id": 1, "position": 1, "rank": 1, "logged_score": 0.5, "features": "{}",
              "signals": "{}"}),
    ("query_sets", {"id": 1, "name": "own", "description": "Questions of a day", "created_at": THEN}),
    ("labelled_queries", {"id": 1, "query_set_id": 1, "uid": "q-one", "query": "which port", "project_id": 1,
                          "asked_at": THEN}),
    ("judgements", {"labelled_query_id": 1, "memory_id": 1, "relevance": 1, "judged_by": "user", "judged_at": THEN}),
    ("settings", {"name": "hits_days", "value": "90", "changed_at": THEN}),
    ("jobs", {"kind": "index", "key": "all", "state": "done", "created_at": THEN, "changed_at": THEN}),
    ("runs", {"stage": "import", "started_at": THEN, "duration_ms": 1.0, "counts": "{}"}),
    ("edges", {"from_memory_id": 1, "to_memory_id": 2, "kind": "same_topic", "score": 0.5, "reason": "both of tern",
               "created_by": "rules", "created_at": THEN}),
    ("hook_runs", {"hook": "stop", "started_at": THEN, "error": "late", "outcome": "failed", "reason": "deadline",
                   "spool": "spool-1", "line_number": 1}),
    ("model_calls", {"purpose": "extract", "session_id": 1, "model": "a-model", "duration_ms": 1.0,
                     "created_at": THEN}),
    ("portraits", {"kind": "playbook", "project_id": 1, "text": "tern: port 5433", "tokens": 5, "created_by": "user",
                   "created_at": THEN}),
    ("pauses", {"project_id": 1, "created_by": "user", "created_at": THEN}),
    ("instruction_files", {"project_id": 1, "path": "/home/sam/tern/CLAUDE.md", "tokens": 5, "content_hash": "h",
                           "seen_at": THEN}),
    ("audit_log", {"actor": "root", "action": "lock", "target": "m-port", "started_at": THEN}),
    ("review_batches", {"action": "accept", "items": "[]", "decided_by": "user",
                        "decided_at": THEN}),
]  # fmt: skip
"""A few rows; a table or column that a schema has not is left out."""


def put(db: sqlite3.Connection, table: str, values: dict[str, object]) -> None:
    """Adds a row with those of its columns that there are; what a trigger or a seed has added stays."""
    there = {row[1] for row in db.execute(f"pragma table_info({table})")}
    known = {name: value for name, value in values.items() if name in there}
    if known:
        columns = ", ".join(known)
        named = ", ".join(f":{name}" for name in known)
        db.execute(f"insert or ignore into {table} ({columns}) values ({named})", known)


def first_migrations(path: Path, number: int) -> sqlite3.Connection:
    """A file with the first so many migrations."""
    some = Migrations("memory_db")
    db = sqlite3.connect(path, isolation_level=None)
    for migration in list(migrations.pending(Database(db, execute_plugins=False)))[:number]:
        some(name=migration.name)(migration.fn)
    some.apply(Database(db, execute_plugins=False))
    db.execute(f"pragma application_id = {opening.APPLICATION_ID}")
    db.execute(f"pragma user_version = {number}")
    return db


def write(path: Path, make: Callable[[], sqlite3.Connection], *, is_filled: bool) -> None:
    """Makes one, fills it and leaves it without a log beside it."""
    with closing(make()) as db:
        if is_filled:
            for table, values in ROWS:
                put(db, table, values)
        db.execute("pragma wal_checkpoint(truncate)")
        db.execute("pragma journal_mode = delete")
        db.execute("vacuum")


def main(out: Path, what: str) -> None:
    """Writes the packed file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        if what and not what.isdigit():
            path.write_bytes(gzip.decompress(Path(what).read_bytes()))
        if what.isdigit():
            write(path, lambda: first_migrations(path, int(what)), is_filled=True)
        else:
            write(path, lambda: open_database(path, now=NOW), is_filled=not what)
        with path.open("rb") as plain, gzip.GzipFile(out, "wb", mtime=0) as packed:
            shutil.copyfileobj(plain, packed)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "")
