"""What an import made, as rows without ids: what golden files hold and what two imports are compared by."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

QUERIES = {
    "sessions": """
        select s.uid, s.format, p.canonical_path as project, pa.uid as parent, c.uid as continued_from, s.agent,
            s.title, s.cwd, s.git_branch, s.agent_version
        from sessions s left join projects p on p.id = s.project_id
        left join sessions pa on pa.id = s.parent_session_id left join sessions c on c.id = s.continued_from_id
        order by s.uid""",
    "entries": """
        select e.uid, s.uid as session, e.parent_uid, e.role, e.kind, e.is_sidechain, e.model, e.text, e.image_count,
            e.created_at, se.position
        from entries e join sessions s on s.id = e.session_id
        join session_entries se on se.entry_id = e.id and se.session_id = e.session_id order by s.uid, se.position""",
    "shared": """
        select s.uid as session, e.uid as entry, se.position from session_entries se
        join sessions s on s.id = se.session_id join entries e on e.id = se.entry_id
        where e.session_id <> se.session_id order by s.uid, se.position""",
    "actions": """
        select a.uid, s.uid as session, e.uid as entry, r.uid as result, a.tool, a.target, a.input, a.is_error,
            a.excerpt, a.created_at
        from actions a join sessions s on s.id = a.session_id join entries e on e.id = a.entry_id
        left join entries r on r.id = a.result_entry_id order by s.uid, a.uid""",
    "api_calls": """
        select c.message_uid, c.request_uid, s.uid as session, e.uid as entry, c.model, c.input_tokens,
            c.output_tokens, c.cache_write_5m_tokens, c.cache_write_1h_tokens, c.cache_read_tokens, c.service_tier,
            c.created_at
        from api_calls c join sessions s on s.id = c.session_id left join entries e on e.id = c.entry_id
        order by c.message_uid, c.request_uid""",
    "problems": """
        select q.line, q.reason, q.excerpt from source_problems q join sources s on s.id = q.source_id
        order by s.path, q.line, q.reason""",
    "skipped": """
        select k.type, k.is_known, k.lines, k.first_line from skipped_records k join sources s on s.id = k.source_id
        order by s.path, k.type""",
    "findings": """
        select rule, category, case when entry_id is null then 'line ' || replace(place, rtrim(place,
            '0123456789'), '') else place end as place, field, start from scan_findings
        order by place, field, rule, start""",
    "sources": "select state, state_reason, read_bytes, read_lines, size_bytes, cursor from sources order by path",
    "projects": "select name, canonical_path, git_remote from projects order by canonical_path",
    "aliases": """
        select a.path, p.canonical_path, a.reason from project_aliases a join projects p on p.id = a.project_id
        order by a.path""",
}


def rows(db: sqlite3.Connection, *names: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of these queries (all of them without names)."""
    return {name: [dict(row) for row in db.execute(QUERIES[name])] for name in names or QUERIES}


def everything(db: sqlite3.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table that an import writes, with ids: what a second run must not change."""
    tables = ("projects", "project_aliases", "sources", "source_problems", "skipped_records", "sessions", "entries",
              "session_entries", "actions", "api_calls", "scan_findings")  # fmt: skip
    return {table: [tuple(row) for row in db.execute(f"select * from {table} order by 1, 2")] for table in tables}


def write_jsonl(path: Path, records: list[Any]) -> Path:
    """A transcript of these records; a text is a line as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path.write_text("".join(line + "\n" for line in lines), "utf-8")
    return path


def user(uuid: str, text: Any, session: str = "s1", **more: Any) -> dict[str, Any]:
    """A record of the user."""
    return {
        "type": "user", "uuid": uuid, "sessionId": session, "timestamp": "2026-03-01T10:00:00.000Z",
        "message": {"role": "user", "content": text}, **more,
    }  # fmt: skip


def assistant(uuid: str, text: Any, session: str = "s1", **more: Any) -> dict[str, Any]:
    """A record of the model."""
    return {**user(uuid, text, session, **more), "type": "assistant", "message": {"role": "assistant", "content": text}}
