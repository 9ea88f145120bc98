"""Sessions with entries and actions, written row by row."""

from __future__ import annotations

import sqlite3

WHEN = "2026-10-01T10:00:00.000Z"


def add_project(db: sqlite3.Connection, path: str = "/home/sam/code/tidepool") -> int:
    """A project; its id."""
    cursor = db.execute(
        "insert into projects (name, canonical_path, created_at) values (?, ?, ?)", [path.split("/")[-1], path, WHEN]
    )
    return int(cursor.lastrowid or 0)


def add_session(db: sqlite3.Connection, project_id: int | None = None) -> int:
    """An empty session; its id."""
    number = db.execute("select count(*) from sessions").fetchone()[0] + 1
    cursor = db.execute(
        "insert into sessions (uid, format, project_id) values (?, 'claude-code', ?)", [f"session-{number}", project_id]
    )
    return int(cursor.lastrowid or 0)


def add_entry(
    db: sqlite3.Connection, session_id: int, role: str, kind: str, text: str, *, is_sidechain: int = 0
) -> int:
    """An entry at the end of a session; its id."""
    number = db.execute("select count(*) from session_entries where session_id = ?", [session_id]).fetchone()[0] + 1
    cursor = db.execute(
        "insert into entries (uid, session_id, role, kind, is_sidechain, text, created_at)"
        " values (?, ?, ?, ?, ?, ?, ?)",
        [f"entry-{session_id}-{number}", session_id, role, kind, is_sidechain, text, WHEN],
    )
    entry_id = int(cursor.lastrowid or 0)
    db.execute("insert into session_entries values (?, ?, ?)", [session_id, entry_id, number])
    return entry_id


def add_action(
    db: sqlite3.Connection,
    session_id: int,
    entry_id: int,
    result_entry_id: int | None,
    tool: str,
    target: str,
    *,
    is_error: bool,
) -> None:
    """An action of an entry."""
    db.execute(
        "insert into actions (uid, entry_id, result_entry_id, session_id, tool, target, input, is_error, created_at)"
        " values (?, ?, ?, ?, ?, ?, '{}', ?, ?)",
        [f"action-{entry_id}", entry_id, result_entry_id, session_id, tool, target, int(is_error), WHEN],
    )
