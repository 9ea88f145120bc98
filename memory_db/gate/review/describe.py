"""What a decision changed, in words: one line for each thing, made of the recorded effects and the rows themselves.

In: effects as `gate_effects.recording` gives them, while they are in the file. Out: lines for a person. Invariants:
nothing is written; the same effects give the same lines, previewed or done.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import Any

from memory_db.knowledge.effects import COLUMNS, MEMORY

TEXT_CHARACTERS = 120
"""How much of a memory's text a line quotes."""

STATUS = {"superseded": "is replaced", "retired": "is retired: shown no more", "active": "holds again"}

LOCK = {"none": "is unlocked", "promoted": "is locked by evidence", "user": "is locked"}

QUIET = {"valid_to", "tokens", "title", "context"}
"""Columns that change only along with others."""


def described(db: sqlite3.Connection, effects: dict[str, Any]) -> tuple[str, ...]:
    """Lines that say what was changed; one that says so where nothing was."""
    lines = [f"new memory {uid}: {quoted(text_of(db, uid))}" for uid in effects.get("made", ())]
    for uid, (before, after) in effects.get("changed", {}).items():
        lines += changes(db, uid, before, after)
    for one, other, kind in effects.get("edges", ()):
        lines.append(f"{one} {kind.replace('_', ' ')} {other}")
    for one, other in effects.get("contradictions", ()):
        lines.append(f"{one} and {other} contradict each other: that waits for a decision")
    for uid, pattern in effects.get("suppressions", ()):
        lines.append(f"{uid} is held back for questions with {quoted(pattern)}")
    for (uid, kind), count in Counter((row[0], row[1]) for row in effects.get("evidence", ())).items():
        if uid not in effects.get("made", ()):
            lines.append(f"{uid} gains evidence: {kind}" + (f", {count} times" if count > 1 else ""))
    for sort, noun in (("sources", "quote"), ("paths", "file"), ("tags", "tag")):
        counts = Counter(row[0] for row in effects.get(sort, ()) if row[0] not in effects.get("made", ()))
        lines += [f"{uid} gains {count} {noun}{'s' if count > 1 else ''}" for uid, count in counts.items()]
    return tuple(lines) or ("nothing that is known changes",)


def changes(db: sqlite3.Connection, uid: str, before: int, after: int) -> list[str]:
    """Lines on one memory whose columns changed from one version to another."""
    found = db.execute(
        f"select * from memory_versions where memory_id = {MEMORY} and version in (?, ?) order by version",
        [uid, before, after],
    ).fetchall()
    if len(found) < 2:
        return []
    old, new = found
    changed = [name for name in COLUMNS if old[name] != new[name]]
    lines = []
    if "status" in changed:
        lines.append(f"{uid} {STATUS[new['status']]}")
    if "lock_level" in changed:
        lines.append(f"{uid} {LOCK[new['lock_level']]}")
    if "text" in changed:
        lines.append(f"{uid} now says: {quoted(new['text'])}")
    others = [name.replace("_", " ") for name in changed if name not in {"status", "lock_level", "text"} | QUIET]
    if others:
        lines.append(f"{uid} changes its {', '.join(others)}")
    return lines


def text_of(db: sqlite3.Connection, uid: str) -> str:
    """What a memory says."""
    return str(db.execute("select text from memories where uid = ?", [uid]).fetchone()[0])


def quoted(text: str) -> str:
    """A text on one line, cut short."""
    flat = " ".join(text.split())
    return flat if len(flat) <= TEXT_CHARACTERS else flat[: TEXT_CHARACTERS - 1] + "…"
