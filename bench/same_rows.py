"""What two files are compared by: their rows by names that do not depend on the order of work.

In: a file. Out: rows by table, sorted. Invariant: no id, no moment of a run, no log is among them.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

ROWS = {
    "projects": "select name, canonical_path, git_remote from projects",
    "project_aliases": "select p.canonical_path, a.path, a.reason from project_aliases a join projects p"
    " on p.id = a.project_id",
    "sources": "select path, read_bytes, read_lines, head_hash, state, state_reason from sources",
    "source_problems": "select s.path, p.line, p.reason from source_problems p join sources s on s.id = p.source_id",
    "sessions": "select s.uid, p.canonical_path, f.uid, c.uid, s.agent, s.title, s.cwd, s.git_branch from sessions s"
    " left join projects p on p.id = s.project_id left join sessions f on f.id = s.parent_session_id"
    " left join sessions c on c.id = s.continued_from_id",
    "entries": "select e.uid, s.uid, o.path, e.parent_uid, e.role, e.kind, e.text, e.created_at from entries e"
    " join sessions s on s.id = e.session_id left join sources o on o.id = e.source_id",
    "session_entries": "select s.uid, e.uid, position from session_entries x join sessions s on s.id = x.session_id"
    " join entries e on e.id = x.entry_id",
    "actions": "select s.uid, a.uid, e.uid, r.uid, a.tool, a.target, a.input, a.is_error, a.excerpt from actions a"
    " join sessions s on s.id = a.session_id join entries e on e.id = a.entry_id"
    " left join entries r on r.id = a.result_entry_id",
    "api_calls": "select message_uid, request_uid, s.uid, model, input_tokens, output_tokens, cache_write_5m_tokens,"
    " cache_write_1h_tokens, cache_read_tokens from api_calls c join sessions s on s.id = c.session_id",
    "candidates": "select c.uid, e.uid, p.canonical_path, c.kind, c.scope, c.text, c.quote, c.rule from candidates c"
    " left join entries e on e.id = c.entry_id left join projects p on p.id = c.project_id",
    "decisions": "select c.uid, d.action, m.uid, d.reason from decisions d join candidates c on c.id = d.candidate_id"
    " left join memories m on m.id = d.memory_id",
    "memories": "select m.uid, m.text, m.kind, m.scope, p.canonical_path, m.status, m.valid_from from memories m"
    " left join projects p on p.id = m.project_id",
    "memory_versions": "select m.uid, v.version, v.text, v.status, v.recorded_to is null from memory_versions v"
    " join memories m on m.id = v.memory_id",
    "memory_sources": "select m.uid, c.uid, e.uid, s.quote from memory_sources s join memories m on m.id = s.memory_id"
    " left join candidates c on c.id = s.candidate_id left join entries e on e.id = s.entry_id",
    "memory_paths": "select m.uid, path from memory_paths x join memories m on m.id = x.memory_id",
    "tags": "select m.uid, tag from tags x join memories m on m.id = x.memory_id",
    "evidence": "select m.uid, v.kind, v.direction, v.weight, v.source, v.note from evidence v"
    " join memories m on m.id = v.memory_id",
    "scan_findings": "select rule, category, place, field, start, hint from scan_findings",
    "static_vectors": "select m.uid, v.version, e.uid, hex(x.vector) from static_vectors x"
    " left join memory_versions v on v.id = x.memory_version_id left join memories m on m.id = v.memory_id"
    " left join entries e on e.id = x.entry_id",
    "embeddings": "select c.name, coalesce(m.uid, e.uid), hex(x.content_hash), length(x.embedding) from embeddings x"
    " join collections c on c.id = x.collection_id"
    " left join memory_versions v on c.name like '%memories%' and v.id = cast(x.id as integer)"
    " left join memories m on m.id = v.memory_id"
    " left join entries e on c.name like '%entries%' and e.id = cast(x.id as integer)",
    "token_signs": "select m.uid, v.version, e.uid, x.model, length(x.signs) from token_signs x"
    " left join memory_versions v on v.id = x.memory_version_id left join memories m on m.id = v.memory_id"
    " left join entries e on e.id = x.entry_id",
    "full text of entries": "select e.uid from entry_fts f join entries e on e.id = f.rowid"
    " where entry_fts match 'port OR test OR error'",
    "jobs": "select kind, key, state from jobs",
}
"""What is compared, by names that do not depend on the order of work."""


def rows_of(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Everything worth comparing, in an order of its own."""
    with closing(sqlite3.connect(path)) as db:
        tables = {row[0] for row in db.execute("select name from sqlite_master")}
        return {
            name: sorted(db.execute(sql).fetchall(), key=repr) if name != "embeddings" or name in tables else []
            for name, sql in ROWS.items()
        }
