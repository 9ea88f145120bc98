"""Candidates of the rules and of a model as rows, and what the gate decided on them."""

from __future__ import annotations

import sqlite3

RULES, MODEL = "rules", "extract"


def add_runs(db: sqlite3.Connection) -> None:
    """A run of the rules and one of a model."""
    for number, method in ((1, RULES), (2, MODEL)):
        db.execute("insert into extraction_runs (id, method, version, started_at) values (?, ?, '1', '2026-11-01')",
                   [number, method])  # fmt: skip


def propose(db: sqlite3.Connection, uid: str, text: str, entry: int, *, quote: str = "", by: str = MODEL,
            kind: str = "convention", hint: str = "", scope: str = "project") -> None:  # fmt: skip
    """Adds a candidate from an entry; its quote is the whole entry unless another is given."""
    row = db.execute(
        "select e.session_id, s.project_id, e.created_at, e.text from entries e join sessions s on s.id = e.session_id"
        " where e.id = ?", [entry],
    ).fetchone()  # fmt: skip
    db.execute(
        "insert into candidates (uid, extraction_run_id, entry_id, session_id, project_id, kind, scope, title, text,"
        " quote, keys, paths, tags, importance, rule, created_at, supersedes, is_quote_found)"
        " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '[]', '[]', '[]', 3, ?, ?, ?, 1)",
        [uid, 1 if by == RULES else 2, entry, row["session_id"], row["project_id"], kind, scope, text[:80], text,
         quote or row["text"], by, row["created_at"], hint],
    )  # fmt: skip


def decided(db: sqlite3.Connection, uid: str) -> tuple[str, str]:
    """The last decision on a candidate, and its reason."""
    row = db.execute(
        "select d.action, d.reason from decisions d join candidates c on c.id = d.candidate_id where c.uid = ?"
        " order by d.id desc limit 1", [uid],
    ).fetchone()  # fmt: skip
    return row["action"], row["reason"]
