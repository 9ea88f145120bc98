"""Where texts stand in the file, and how each is made clean: the one list that scans and checks go by.

Out: `PLACES`, every text column that may hold what somebody wrote, and `EXEMPT`, all others with the reason. Invariant:
each text column of each table stands in exactly one of them, which a test holds true.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from memory_db.redact.clean import Finding, clean, redact
from memory_db.redact.clean_json import clean_json
from memory_db.transcripts.sources import path_text

Cleaned = tuple[str, list[Finding]]


def clean_cell(text: str) -> Cleaned:
    """JSON as it may be stored; what is no JSON as text."""
    try:
        value = json.loads(text)
    except ValueError:
        return clean(text)
    cleaned, findings = clean_json(value)
    return (text, []) if cleaned == value else (json.dumps(cleaned, ensure_ascii=False), findings)


def clean_part(text: str) -> Cleaned:
    """A tag, a path or a source that was taken off: the last is JSON."""
    return clean_cell(text) if text.startswith("{") else clean(text)


def clean_path(text: str) -> Cleaned:
    """A path of a source, by which it is found again: marked, so that two files stay two."""
    cleaned = path_text(Path(text))
    return (text, []) if cleaned == text else (cleaned, clean(text)[1])


WAYS: Mapping[str, Callable[[str], Cleaned]] = {
    "text": clean, "json": clean_cell, "part": clean_part, "path": clean_path, "brief": redact,
}  # fmt: skip
"""How a text is made clean; a brief of ours keeps its marks."""


@dataclass(slots=True, frozen=True)
class ScannedTable:
    """The texts of one table. `key` orders its rows; `ways` has a way of `WAYS` for each column.

    `steers` are columns that reach an agent or a person who decides: there, attacks are looked for too.
    """

    table: str
    ways: Mapping[str, str]
    key: str = "id"
    steers: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What its row of `scan_progress` is called; others keep how far they came there too."""
        return f"texts of {self.table}"


def place(table: str, texts: str = "", *, key: str = "id", steers: str = "", **ways: str) -> ScannedTable:
    """A place, its columns named in a line; `ways` are those that are not plain text, such as json='keys paths'."""
    columns = dict.fromkeys(texts.split(), "text")
    columns |= {column: way for way, names in ways.items() for column in names.split()}
    return ScannedTable(table, columns, key, tuple(steers.split()))


PLACES: tuple[ScannedTable, ...] = (
    place("projects", "name canonical_path git_remote"),
    place("project_aliases", "path"),
    place("sources", "state_reason", path="path"),
    place("source_problems", "reason excerpt"),
    place("exports", path="path"),
    place("skipped_records", "type", key="source_id"),
    place("sessions", "agent title cwd git_branch agent_version"),
    place("entries", "text", steers="text"),
    place("actions", "tool target excerpt", json="input"),
    place("procedures", "normal_form command preceded_by", json="failed_before", steers="command"),
    place("api_calls", "model service_tier"),
    place("extraction_runs", "model error"),
    place("extraction_progress", "skip_reason", key="session_id"),
    place("candidates", "title text quote condition supersedes rule", json="keys paths tags",
          steers="title text quote condition keys"),
    # A memory comes before its versions: its change closes one, which is then made clean where it stands.
    place("memories", "title text context condition changed_by change_reason", json="keys",
          steers="title text condition keys"),
    place("memory_versions", "title text context condition changed_by change_reason", json="keys"),
    place("decisions", "reason decided_by", json="effects"),
    place("memory_sources", "quote"),
    place("memory_paths", "path", key="memory_id"),
    place("tags", "tag", key="memory_id"),
    place("removed_parts", part="value"),
    place("evidence", "source note"),
    place("edges", "reason created_by"),
    place("contradictions", "found_by reason quote other_quote note resolved_by", json="effects", steers="note"),
    place("proposals", "text reason proposed_by decided_by", json="effects", steers="text reason"),
    place("suppressions", "pattern reason created_by", steers="pattern reason"),
    place("entities", "name"),
    place("project_links", "created_by", key="project_id"),
    place("project_mentions", "literal"),
    place("portraits", "text model created_by", steers="text"),
    place("checkpoints", "name note created_by", steers="name note"),
    place("prompts", "text"),
    place("model_calls", "answer error", json="left_out"),
    place("profiles", "description leaves_out fitted_on"),
    place("recalls", "query", json="context features left_out", brief="shown_text"),
    place("hits", "left_out_reason shown_reason"),
    place("recall_procedures", "text reason"),
    place("query_sets", "description"),
    place("labelled_queries", "query style"),
    place("judgements", "judged_by"),
    place("eval_runs", "dataset split"),
    place("settings", json="value", key="rowid"),
    place("jobs", "last_error", json="payload"),
    place("runs", "error"),
    place("hook_runs", "error reason"),
    place("session_outcomes", "reason", key="session_id"),
    place("command_rules", "pattern created_by"),
    place("pauses", "created_by"),
    place("installations", "path backup_path", json="added"),
    place("instruction_files", "path"),
    place("audit_log", "actor target said"),
    place("review_batches", "decided_by", json="items"),
    place("api_tokens", "name"),
    place("scan_findings", "place"),
)  # fmt: skip
"""Every place, in the order in which it is scanned."""

MOMENT = "a moment, written by us"
NAME = "one of a few names of ours"
IDENTIFIER = "an identifier that other rows go by: a reader hashes one that redaction would change"
NUMBERS = "numbers by names of ours"
REFUSED = "what redaction would change is refused"

EXEMPT: Mapping[str, str] = {
    "*_at": MOMENT, "*.recorded_from": MOMENT, "*.recorded_to": MOMENT, "*.valid_from": MOMENT, "*.valid_to": MOMENT,
    "*.leased_until": MOMENT, "*.as_of": MOMENT,
    "*.kind": NAME, "*.scope": NAME, "*.status": NAME, "*.state": NAME, "*.format": NAME, "*.role": NAME,
    "*.lock_level": NAME, "*.origin": NAME, "*.direction": NAME, "*.action": NAME, "*.stage": NAME, "*.hook": NAME,
    "*.surface": NAME, "*.resolution": NAME, "*.purpose": NAME, "*.part": NAME, "*.sort": NAME, "*.method": NAME,
    "*.version": NAME, "project_aliases.reason": NAME, "scan_findings.rule": NAME, "scan_findings.category": NAME,
    "scan_findings.field": NAME, "scan_findings.hint": "a number of characters",
    "*.uid": IDENTIFIER, "*.parent_uid": IDENTIFIER, "*.message_uid": IDENTIFIER, "*.request_uid": IDENTIFIER,
    "*.turn_uid": IDENTIFIER, "*.session_uid": IDENTIFIER, "jobs.key": IDENTIFIER,
    "hook_runs.spool": "a file's name, made by us", "*.outcome": NAME, "hits.role": NAME,
    "hook_runs.answered_by": NAME, "project_mentions.how": NAME,
    "command_rules.decision": NAME, "installations.client": NAME, "api_tokens.token_hash": "a hash",
    "exports.what": NAME, "exports.sha256": "a hash",
    "installations.hash_before": "a hash", "installations.hash_after": "a hash",
    "forgotten.uid_hash": "a hash",
    "*.content_hash": "a hash", "*.head_hash": "a hash", "*.file_hash": "a hash", "sources.cursor": NUMBERS,
    "entries.model": "a model's name, made short and clean by the reader", "*.semantic_model": "a model's name",
    "*.static_model": "a model's name", "static_vectors.model": "a model's name",
    "token_signs.model": "a model's name",
    "condition_vectors.model": "a model's name", "signature_blocks.model": "a model's name",
    "model_calls.model": "a model's name that llm knows", "likeness_thresholds.model": "a model's name",
    "procedure_progress.read_to": NUMBERS, "tie_progress.read_to": NUMBERS, "memory_tie_progress.read_to": NUMBERS,
    "prompt_vectors.model": "a model's name", "spans.provenance": NAME, "spans.tool": "as in actions, clean by then",
    "hits.features": NUMBERS, "hits.signals": NUMBERS, "profiles.weights": NUMBERS, "eval_runs.weights": NUMBERS,
    "eval_runs.metrics": NUMBERS, "runs.counts": NUMBERS,
    "profiles.name": REFUSED, "eval_runs.profile": REFUSED, "query_sets.name": REFUSED, "settings.name": REFUSED,
    "kinds.*": "seeded by us, edited by hand", "tiers.*": "seeded by us, edited by hand",
    "evidence_kinds.*": "seeded by us, edited by hand", "edge_kinds.*": "seeded by us, edited by hand",
    "prices.*": "from a public list of prices, or cleaned before", "prompts.name": NAME, "scan_progress.*": NAME,
    "schema_objects.*": "our own SQL", "_sqlite_migrations.*": "our own migrations",
}  # fmt: skip
"""Columns that are not scanned, as patterns of `table.column`, each with the reason."""
