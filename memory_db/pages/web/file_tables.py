"""Every table and view of the file, by what it is about: yours, the log, the machine.

In: a path. Out: a plain dict. Invariants: each table and view stands in one group, those that nobody named in the last;
how many rows a table has is counted, of a view it is not.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from memory_db.pages.cache import cached
from memory_db.pages.web.shelf import DATABASE, described

YOURS, LOG, MACHINE = "Yours", "The log", "The machine"

ABOUT = {
    YOURS: "what is known, what it rests on, and what you decided",
    LOG: "what agents did and cost, what was asked, what ran",
    MACHINE: "indexes, vectors, progress and bookkeeping, and llm's own tables: to look into, not to browse",
}

NAMED: Mapping[str, tuple[str, ...]] = {
    YOURS: (
        "memories", "memory_versions", "memory_sources", "memory_paths", "tags", "evidence", "edges", "contradictions",
        "suppressions", "entities", "memory_entities", "candidates", "decisions", "proposals", "review_batches",
        "projects", "project_aliases", "project_links", "profiles", "query_sets", "labelled_queries", "judgements",
        "eval_runs", "checkpoints", "portraits", "portrait_sources", "settings", "pauses", "forgotten", "exports",
        "current_memories", "memory_origins", "beliefs", "belief_history", "belief_intervals", "preferences",
        "memory_changes", "memory_usage", "memory_tiers", "memory_neighbours", "corrections_given", "review_queue",
        "review_waiting", "conflicts", "decision_log", "candidate_states", "stale_memories", "junk_candidates",
        "quarantined_memories", "memories_without_source", "lock_suggestions", "layers", "never_recalled",
        "shown_never_cited", "profile_weights", "project_procedures", "newest_profiles",
    ),
    LOG: (
        "sources", "source_problems", "sessions", "entries", "session_entries", "spans", "actions", "procedures",
        "procedure_actions", "api_calls", "recalls", "hits", "recall_procedures", "hook_runs", "holdouts",
        "session_outcomes", "runs", "jobs", "model_calls", "prices", "extraction_runs", "scan_findings", "audit_log",
        "skipped_records", "instruction_files", "installations",
        "session_summaries", "session_shown", "showings", "recall_scores", "hit_signals", "profile_scores",
        "recall_health", "hook_speed", "hook_runs_by_reason", "known_but_not_shown", "cited_low_ranked", "obeyed",
        "injection_waste", "workflow_fingerprint", "command_habits", "file_hotspots", "error_lines", "error_fixes",
        "recurring_errors", "call_costs", "token_ledger", "project_costs", "cost_by_source", "cost_anomalies",
        "brief_costs", "recall_savings", "savings", "source_health", "at_risk_transcripts", "dead_jobs",
        "holdout_sessions", "holdout_effect", "unread_sessions", "model_call_costs",
    ),
}  # fmt: skip
"""Tables, then views, in the order in which they are listed."""

THERE = r"""
select name, type from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%'
    and not exists (select 1 from sqlite_master v where v.sql like 'create virtual%'
        and sqlite_master.name like replace(v.name, '_', '\_') || '\_%' escape '\')
order by name
"""
"""What there is, without the tables in which full text keeps its index."""


def tables(path: Path) -> dict[str, Any]:
    """The groups, each with its `tables` (name, description, rows) and `views`. Raises: DatabaseFileError."""
    return {"groups": cached(path, "tables", groups)}


def groups(db: sqlite3.Connection) -> list[dict[str, Any]]:
    """The same from a connection."""
    there = {row["name"]: row["type"] for row in db.execute(THERE)}
    about = descriptions()
    named = {name for names in NAMED.values() for name in names}
    members = {**NAMED, MACHINE: tuple(name for name in there if name not in named)}
    found = []
    for group, names in members.items():
        listed = [
            {"name": name, "type": there[name], "description": about.get(name, ""),
             "rows": db.execute(f'select count(*) from "{name}"').fetchone()[0]
             if there[name] == "table" and group != MACHINE else None}
            for name in names if name in there
        ]  # fmt: skip
        found.append({
            "name": group, "about": ABOUT[group], "is_folded": group == MACHINE,
            "tables": [each for each in listed if each["type"] == "table"],
            "views": [each for each in listed if each["type"] == "view"],
        })  # fmt: skip
    return found


@lru_cache(maxsize=1)
def descriptions() -> dict[str, str]:
    """What metadata.yml says of each table and view."""
    tables = described()["databases"][DATABASE]["tables"]
    return {name: each.get("description", "") for name, each in tables.items()}
