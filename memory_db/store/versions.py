"""Which columns of a memory make a version: the one list that triggers, checks, history and reverting read.

The standard library alone.
"""

from __future__ import annotations

VERSIONED = (
    "kind", "scope", "project_id", "status", "lock_level", "importance", "layer_override", "title", "text", "keys",
    "context", "condition", "valid_from", "valid_to",
)  # fmt: skip
"""Columns of a memory whose change opens a version. `tokens` stands beside them: it follows from the text."""


def with_columns(script: str) -> str:
    """A script of SQL with the columns in the place of `{versioned}`, `{new.versioned}` and `{old.versioned}`."""
    for prefix in ("", "new.", "old."):
        script = script.replace(f"{{{prefix}versioned}}", ", ".join(prefix + column for column in VERSIONED))
    return script
