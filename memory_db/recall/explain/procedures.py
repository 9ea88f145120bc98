"""Procedures as plain data: one with the actions behind it, all of a project's, and those that a recall told.

In: a connection, a uid, a project or a recall. Out: dicts. Nothing is written.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

PROCEDURES = """
select v.*, d.normal_form, d.failed_before as failed
from project_procedures v join procedures d on d.id = v.procedure_id
"""

ACTIONS = """
select l.outcome, a.uid, a.target as command, e.uid as entry, s.uid as session, a.created_at
from procedure_actions l join actions a on a.id = l.action_id join entries e on e.id = a.entry_id
join sessions s on s.id = a.session_id
where l.procedure_id = ? order by a.created_at desc, a.id desc, l.position
"""

TOLD = "select uid, text, tokens, reason from recall_procedures where recall_id = ? order by id"


def procedure(db: sqlite3.Connection, uid: str) -> dict[str, Any] | None:
    """A procedure by its uid, with the actions that it rests on, the latest first."""
    row = db.execute(f"{PROCEDURES} where v.uid = ?", [uid]).fetchone()
    if row is None:
        return None
    found = data_of(row) | {"actions": [dict(each) for each in db.execute(ACTIONS, [row["procedure_id"]])]}
    return found


def procedures(db: sqlite3.Connection, project_id: int | None = None) -> list[dict[str, Any]]:
    """All procedures, or those of a project: by project and purpose, of each the one that is shown first on top."""
    rows = db.execute(
        f"{PROCEDURES} where :project is null or v.project_id = :project order by v.project, v.purpose, v.place, v.uid",
        {"project": project_id},
    )
    return [data_of(row) for row in rows]


def shown_in(db: sqlite3.Connection, recall_id: int) -> list[dict[str, Any]]:
    """The procedures that a recall told, each with its line and why."""
    return [dict(row) for row in db.execute(TOLD, [recall_id])]


def data_of(row: sqlite3.Row) -> dict[str, Any]:
    """A row without numbers of the file."""
    names = (
        "uid", "project", "purpose", "command", "place", "reason", "successes", "failures", "failures_since",
        "first_success_at", "last_success_at", "last_used_at", "recent_uses", "preceded_by", "preceded_count",
        "times_shown", "normal_form",
    )  # fmt: skip
    return {name: row[name] for name in names} | {
        "is_working": bool(row["is_working"]),
        "failed_before": json.loads(row["failed"]),
    }
