"""What changed between two moments: memories, contradictions and beliefs.

In: two moments as the file keeps them, and perhaps a project. Out: `Difference`s by sort. Invariant: nothing is
written; only what was recorded after the first moment and by the second one is told.
"""

from __future__ import annotations

import difflib
import re
import sqlite3
from typing import Any

from memory_db.errors import InputError
from memory_db.knowledge.as_of import VERSION_THEN, beliefs_as_of
from memory_db.recall.explain.history import changed

MOVED = 0.05
"""A belief that moved less is not told. Source: ours; one citation moves a decision of the user by .005, one `wrong`
by .16."""

TOUCHED = """
select distinct m.id, m.uid from memory_versions v join memories m on m.id = v.memory_id
where v.recorded_from > :start and v.recorded_from <= :end order by m.id
"""

STATE = f"""
select v.*, m.uid, p.name as project from memory_versions v join memories m on m.id = v.memory_id
left join projects p on p.id = v.project_id where v.memory_id = :id and {VERSION_THEN}
"""

BEGAN = (
    "select changed_by, change_reason, recorded_from from memory_versions where memory_id = ? order by version limit 1"
)

SUCCESSOR = """
select m.uid from edges e join memories m on m.id = e.from_memory_id
where e.to_memory_id = ? and e.kind = 'supersedes' and e.created_at <= ? and (e.ended_at is null or e.ended_at > ?)
order by e.id
"""

CONTRADICTIONS = """
select 'contradiction ' || iif(c.{column} = c.found_at, 'opened', 'resolved') as what, m.uid, o.uid as other,
    c.reason, c.resolution, c.{column} as recorded_at
from contradictions c join memories m on m.id = c.memory_id join memories o on o.id = c.other_memory_id
where c.{column} > :start and c.{column} <= :end and (:project is null or :project in (m.project_id, o.project_id))
order by c.{column}, c.id
"""

SORTS = (
    "added", "changed", "superseded", "retired", "restored", "locked", "unlocked", "contradictions_opened",
    "contradictions_resolved", "beliefs_moved",
)  # fmt: skip
"""What is told, in this order."""

Difference = dict[str, list[dict[str, Any]]]


def diff(db: sqlite3.Connection, start: str, end: str, project_id: int | None = None) -> Difference:
    """What was recorded after one moment and by another, by the names in `SORTS`; of one project if it is given.

    A memory stands under every name that fits it. Raises: InputError if the end is before the start.
    """
    if end < start:
        raise InputError(f"{end} is before {start}. Name the earlier moment first.")
    changes: Difference = {name: [] for name in SORTS}
    for memory_id, uid in db.execute(TOUCHED, {"start": start, "end": end}).fetchall():
        old, new = (db.execute(STATE, {"id": memory_id, "moment": each}).fetchone() for each in (start, end))
        if new is None or project_id not in (None, new["project_id"], old["project_id"] if old else None):
            continue
        for name, row in compared(db, memory_id, old, new, end):
            changes[name].append(
                {"uid": uid, "kind": new["kind"], "project": new["project"], "title": new["title"]} | row
            )
    values = {"start": start, "end": end, "project": project_id}
    changes["contradictions_opened"] = dicts(db, CONTRADICTIONS.format(column="found_at"), values)
    changes["contradictions_resolved"] = dicts(db, CONTRADICTIONS.format(column="resolved_at"), values)
    changes["beliefs_moved"] = moved(db, start, end, project_id)
    return changes


def compared(
    db: sqlite3.Connection, memory_id: int, old: sqlite3.Row | None, new: sqlite3.Row, end: str
) -> list[tuple[str, dict[str, Any]]]:
    """(sort, what is to be said) for each way in which a memory differs."""
    if old is None:  # why it was added, whatever became of it by the end
        began = reason_of(db.execute(BEGAN, [memory_id]).fetchone())
        return [("added", {"text": new["text"], "status": new["status"]} | began)]
    why = reason_of(new)
    found: list[tuple[str, dict[str, Any]]] = []
    changes = changed(old, new)
    if "status" in changes:
        name = {"active": "restored"}.get(new["status"], new["status"])
        by = [row["uid"] for row in db.execute(SUCCESSOR, [memory_id, end, end])] if name == "superseded" else []
        found.append((name, why | ({"superseded_by": by} if name == "superseded" else {})))
    if "lock_level" in changes:
        found.append(("unlocked" if new["lock_level"] == "none" else "locked", {"lock_level": new["lock_level"]} | why))
    rest = {name: pair for name, pair in changes.items() if name not in ("status", "lock_level", "valid_to")}
    if rest:
        text = {"text_diff": text_diff(old["text"], new["text"])} if "text" in rest else {}
        found.append(("changed", {"changes": rest} | text | why))
    return found


def reason_of(version: sqlite3.Row) -> dict[str, Any]:
    """Who made a version, why, and when that was recorded."""
    return {"by": version["changed_by"], "why": version["change_reason"], "recorded_at": version["recorded_from"]}


def moved(db: sqlite3.Connection, start: str, end: str, project_id: int | None) -> list[dict[str, Any]]:
    """Beliefs that moved by more than MOVED, the furthest first."""
    before, after = beliefs_as_of(db, start), beliefs_as_of(db, end)
    rows = db.execute("select uid, title, project_id from memories where status <> 'retired'").fetchall()
    steps = [
        {"uid": row["uid"], "title": row["title"], "before": old["confidence"], "after": new["confidence"]}
        for row in rows
        if project_id in (None, row["project_id"])
        and (old := before.get(row["uid"])) is not None
        and (new := after.get(row["uid"])) is not None
        and abs(new["confidence"] - old["confidence"]) > MOVED
    ]
    return sorted(steps, key=lambda step: (-abs(step["after"] - step["before"]), step["uid"]))


def text_diff(old: str, new: str) -> str:
    """Two texts as one, word by word: what went stands in [-...-], what came in {+...+}."""
    before, after = (re.findall(r"\s+|[^\s]+", text) for text in (old, new))
    parts = []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            parts.append("".join(before[i:j]))
            continue
        parts.append(f"[-{''.join(before[i:j])}-]" if j > i else "")
        parts.append(f"{{+{''.join(after[k:m])}+}}" if m > k else "")
    return "".join(parts)


def dicts(db: sqlite3.Connection, sql: str, values: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows of a query as dicts."""
    return [dict(row) for row in db.execute(sql, values)]
