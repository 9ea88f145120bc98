"""How two files become one, table by table: the one description that the merge follows.

Out: `TABLES`, in the order in which rows are brought. Invariants: every table of the schema stands here, which a test
holds true; a row is told by names that no machine made up for itself, never by its number; what comes of two rows that
say the same does not depend on which file it came from, nor on how often.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

ROWS, MISSING, STAYS, DERIVED, OWN = "rows", "missing", "stays", "derived", "own"
"""Ways to merge a table: by the rules below; only what is not there yet; not at all, for it belongs to a machine; not
at all, for it is made again from what was merged; by a module of its own."""

NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class MergedTable:
    """How the rows of one table are merged.

    `key`: the columns that tell a row; one that refers to another table stands for the row it refers to. `nth`: where
    the key alone tells no row, the column in whose order the first of one file is the first of the other.
    `wins`: which of two rows with one key is taken, by the first rule that tells them apart, such as "latest
    judged_at"; where none does, whichever is greater as text. `columns` go by rules of their own, whichever row wins.
    `stays`: columns that a file does not tell another one. `only`: which rows come. `why` says what a reader must know.
    """

    how: str
    why: str
    key: tuple[str, ...] = ()
    nth: str = ""
    wins: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=lambda: NONE)
    stays: tuple[str, ...] = ()
    only: str = "true"


def rows(
    key: str, why: str, *, wins: str = "", nth: str = "", stays: str = "", only: str = "true", **columns: str
) -> MergedTable:
    """A table that goes by its key, named in a line; the rules of `wins` are parted by commas."""
    rules = tuple(rule.strip() for rule in wins.split(",") if rule.strip())
    return MergedTable(ROWS, why, tuple(key.split()), nth, rules, columns, tuple(stays.split()), only)


def stays(why: str) -> MergedTable:
    """A table of which each machine keeps its own."""
    return MergedTable(STAYS, why)


def derived(why: str) -> MergedTable:
    """A table that is made from others."""
    return MergedTable(DERIVED, why)


def own(module: str, key: str, why: str) -> MergedTable:
    """A table that a module of this room brings; its key is what two files are compared by."""
    return MergedTable(OWN, f"{why} ({module})", tuple(key.split()))


TABLES: Mapping[str, MergedTable] = {
    # ---------------------------------------------------------------- what was read
    "projects": own("projects", "canonical_path", "one by any path that both know, or by their git remote"),
    "project_aliases": own("projects", "path", "every path leads to its project"),
    "sources": rows(
        "path",
        "the further read; a file that the other machine alone has is found missing, and what was read stays",
        wins="largest read_bytes, latest mtime_ns, latest read_at",
        found_at="earliest",
    ),
    "source_problems": rows("source_id line reason", "each problem once", found_at="earliest"),
    "skipped_records": rows("source_id type", "the larger count", wins="largest lines"),
    "sessions": rows("uid", "as the file tells it that has more of it", wins="latest {last_entry}"),
    "entries": rows(
        "uid",
        "each once; where words were taken out of one, they stay out",
        wins="smallest session_id",
        text="scrubbed",
        created_at="earliest",
    ),
    "session_entries": own("sessions", "session_id entry_id", "in the order of the session"),
    "spans": own("vectors", "entry_id start", "with their entry"),
    "actions": rows(
        "session_id uid",
        "the one whose result is known",
        wins="has result_entry_id, has is_error",
    ),
    "api_calls": rows(
        "message_uid request_uid",
        "the last usage",
        wins="largest output_tokens, latest created_at",
    ),
    # ---------------------------------------------------------------- what may be edited by hand
    "kinds": MergedTable(MISSING, "a knob: what is here stays as it is", ("name",)),
    "tiers": MergedTable(MISSING, "a knob: what is here stays as it is", ("name",)),
    "evidence_kinds": MergedTable(MISSING, "a knob: what is here stays as it is", ("name",)),
    "edge_kinds": MergedTable(MISSING, "a knob: what is here stays as it is", ("name",)),
    # ---------------------------------------------------------------- what was proposed, and what is known
    "prompts": rows("name version", "the older row", wins="earliest created_at"),
    "extraction_runs": rows(
        "method version started_at",
        "the one that came further",
        nth="id",
        wins="latest finished_at, largest entries_read",
    ),
    "extraction_progress": rows(
        "session_id method",
        "the later rules, then the further read",
        wins="largest version, largest entry_count",
    ),
    "candidates": rows("uid", "as the earlier run found it", wins="smallest extraction_run_id"),
    "memories": own("histories", "uid", "its present is where its merged history ends"),
    "memory_versions": own(
        "histories",
        "memory_id version",
        "the changes of both files, in their order; the earlier beginning",
    ),
    "decisions": rows(
        "candidate_id action memory_id reason decided_by",
        "those of both files, the latest stands",
        nth="decided_at",
        wins="earliest decided_at",
        decided_at="earliest",
    ),
    "memory_sources": rows(
        "memory_id entry_id quote", "each quote once", nth="created_at", wins="earliest recorded_at"
    ),
    "memory_paths": rows("memory_id path", "each once, unless taken off since", wins="earliest recorded_at"),
    "tags": rows("memory_id tag", "each once, unless taken off since", wins="earliest recorded_at"),
    "removed_parts": own("removed", "memory_id part value recorded_at removed_at", "what either file took off"),
    "edges": rows(
        "from_memory_id to_memory_id kind",
        "one that ended in either file has ended; those of rules are drawn anew",
        nth="created_at",
        wins="earliest created_at",
        only="created_by <> 'rules'",
        created_at="earliest",
        ended_at="earliest",
    ),
    "contradictions": own(
        "contradictions", "memory_id other_memory_id", "a decision outweighs none, the later an older"
    ),
    "proposals": rows(
        "uid",
        "a decision outweighs none, the later an older",
        wins="has decided_at, latest decided_at",
        created_at="earliest",
    ),
    "suppressions": rows("memory_id pattern created_at", "one that ended has ended", nth="id", ended_at="earliest"),
    "entities": rows("kind name", "each once"),
    "memory_entities": derived("read from the memories anew"),
    "project_links": rows("project_id linked_project_id", "each once", wins="earliest created_at"),
    "instruction_files": rows("project_id path content_hash", "each once", wins="latest seen_at"),
    "portraits": rows("kind project_id created_at", "those of both files", nth="id"),
    "portrait_sources": rows("portrait_id memory_version_id", "with their portrait", wins="smallest position"),
    "checkpoints": rows("name created_at", "of two with one name the earlier gets its moment behind it"),
    "review_batches": own("decisions", "action decided_by decided_at", "with the numbers that their items have here"),
    "command_rules": rows("memory_id pattern created_at", "one that ended has ended", nth="id", ended_at="earliest"),
    # ---------------------------------------------------------------- what was asked, and what came of it
    "profiles": own("profiles", "name version", "by what they say; numbered anew in the order in which they were made"),
    "recalls": rows("uid", "as the file tells it that had more taken out", wins="most_forgotten shown_text"),
    "hits": rows("recall_id memory_version_id entry_id", "with their recall"),
    "recall_procedures": rows("recall_id uid", "with their recall", stays="procedure_id"),
    "evidence": rows(
        "memory_id kind source",
        "each reason once; withdrawn in either file is withdrawn",
        wins="earliest recorded_at",
        recorded_at="earliest",
        withdrawn_at="earliest",
    ),
    "query_sets": rows("name", "one by its name", wins="earliest created_at"),
    "labelled_queries": rows("query_set_id uid", "each once", wins="earliest asked_at"),
    "judgements": rows("labelled_query_id memory_id entry_id", "the later word", wins="latest judged_at"),
    "weak_labels": rows("recall_id memory_id kind", "the stronger", wins="largest strength, earliest created_at"),
    "session_outcomes": rows("session_id", "by the later rules", wins="largest rules_version, latest found_at"),
    "holdouts": rows("session_uid", "the first lot", wins="earliest decided_at"),
    "hook_runs": rows(
        "hook started_at session_uid duration_ms outcome",
        "those of both machines",
        nth="id",
        stays="spool line_number",
    ),
    "eval_runs": rows("dataset started_at profile", "those of both files", nth="id"),
    # ---------------------------------------------------------------- what it cost, and logs
    "model_calls": rows(
        "created_at purpose model attempt session_id first_entry_id",
        "the one that had its answer taken out",
        nth="id",
        wins="shortest answer",
    ),
    "prices": rows("model valid_from", "each once", wins="latest source"),
    "runs": rows("stage started_at", "those of both files", nth="id", wins="has error", only="stage <> 'merge'"),
    "audit_log": rows("actor action target started_at", "those of both files", nth="id", wins="latest finished_at"),
    "jobs": rows("kind key", "of pairs that a model was asked about", wins="done state", only="kind = 'judge-pair'"),
    "scan_findings": rows("place field rule start", "each once", wins="earliest found_at", found_at="earliest"),
    "forgotten": rows("sort uid_hash", "what either file forgot", forgotten_at="latest"),
    # ---------------------------------------------------------------- what is made of texts
    "static_vectors": own("vectors", "memory_version_id entry_id", "with the text they were made of"),
    "condition_vectors": own("vectors", "memory_version_id", "with the text they were made of"),
    "token_signs": own("vectors", "memory_version_id entry_id", "with the text they were made of"),
    "prompt_vectors": own("vectors", "entry_id", "with the text they were made of"),
    "signature_blocks": derived("of vectors"),
    "gram_progress": derived("of texts"),
    "span_progress": derived("of entries; those of the other file have their spans by then"),
    "prompt_ties": derived("of prompts and what was done"),
    "memory_ties": derived("of memories and what was done"),
    "tie_progress": derived("of prompts and what was done"),
    "memory_tie_progress": derived("of memories and what was done"),
    "procedures": derived("of actions"),
    "procedure_actions": derived("of actions"),
    "procedure_progress": derived("of actions"),
    "project_mentions": derived("of entries"),
    "likeness_thresholds": derived("fitted to the memories that are there, once they are many more"),
    # ---------------------------------------------------------------- what belongs to a machine
    "settings": stays("each machine has its own, and so the consent to models"),
    "api_tokens": stays("who may reach one server has no business at another"),
    "installations": stays("files on this machine"),
    "exports": stays("files on this machine, which forgetting looks into"),
    "pauses": stays("of the hooks of this machine"),
    "scan_progress": stays("what comes is scanned by the rules of today before it comes"),
    "schema_objects": stays("of this version"),
    "_sqlite_migrations": stays("of this version"),
}
"""Every table. Full text follows by triggers, llm's embeddings come as other vectors do, its own logs row by row."""

LAST_ENTRY = "(select max(e.created_at) from {schema}.entries e where e.session_id = {row}.id)"
"""When the last thing was said of a session, as one file knows it."""

NAMES: Mapping[str, str] = {
    "projects": "canonical_path", "sources": "path", "sessions": "uid", "entries": "uid", "candidates": "uid",
    "memories": "uid", "recalls": "uid", "query_sets": "name", "labelled_queries": "uid", "procedures": "uid",
    "extraction_runs": "started_at || ' ' || method", "prompts": "name || '@' || version",
    "profiles": "name || '@' || version", "portraits": "created_at", "entities": "kind || ' ' || name",
    "decisions": "decided_at", "memory_versions": "recorded_from",
}  # fmt: skip
"""What tells a row of a table that others refer to, where rows are put in order by what they refer to."""
