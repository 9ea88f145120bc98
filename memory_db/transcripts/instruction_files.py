"""How many tokens an agent reads of a project's instruction files at the beginning of every session.

In: the folders of known projects, where they are on this disk. Out: rows of `instruction_files`, one for each content
that was seen. Invariants: the words are counted and hashed, never kept; a file that did not change adds nothing; what
cannot be read is passed over.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from memory_db.models.tokens import count_tokens
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

NAMES = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md")
"""Files that agents read whole. Source: Claude Code's documentation of memory files; AGENTS.md is that of others."""

MOST_BYTES = 1_000_000
"""A larger file is no instruction file."""

IMPORTER = "@AGENTS.md"
"""A CLAUDE.md that holds this reads the other too, so that both count; else AGENTS.md is another agent's."""

PUT = """
insert or ignore into instruction_files (project_id, path, tokens, content_hash, seen_at) values (?, ?, ?, ?, ?)
"""

NEWEST = "select content_hash from instruction_files where project_id = ? and path = ? order by id desc limit 1"


def see(db: sqlite3.Connection, *, now: datetime) -> int:
    """Notes the instruction files of every project as they are now; how many are new or changed."""
    added = 0
    for row in db.execute("select id, canonical_path from projects order by id").fetchall():
        for name, text in texts(Path(row["canonical_path"])).items():
            key = sha256(text.encode("utf-8", "replace")).hexdigest()
            newest = db.execute(NEWEST, [row["id"], name]).fetchone()
            if newest is None or newest["content_hash"] != key:
                values = [row["id"], name, count_tokens(text), key, utc_text(now)]
                with transaction(db):
                    added += db.execute(PUT, values).rowcount
    return added


def texts(folder: Path) -> dict[str, str]:
    """The instruction files in a folder by name; AGENTS.md only where it is read by or instead of CLAUDE.md."""
    found: dict[str, str] = {}
    for name in NAMES:
        path = folder / name
        try:
            if folder.is_absolute() and path.is_file() and path.stat().st_size <= MOST_BYTES:
                found[name] = path.read_bytes().decode("utf-8", "replace")
        except (OSError, ValueError):
            continue
    others = [text for name, text in found.items() if name != "AGENTS.md"]
    if others and not any(IMPORTER in text for text in others):
        found.pop("AGENTS.md", None)
    return found
