"""Edges that rules draw between memories: typed, scored, each with its reason.

In: active memories, their vectors, tags, entities, paths, sessions, open contradictions. Out: rows of `edges` by
`rules`. Invariants: an edge goes from the newer memory to an older one, or from what says a thing to what it is said
of, at most MOST of a kind from each memory; rules look at two memories and at nothing else of the file, so that
reading what changed gives the same as reading all; what stays keeps its row, what goes is ended; an edge that a person
drew or took away is never touched, and what supersedes belongs to `succession`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import datetime

from memory_db.knowledge.graph.inputs import Statements, changed_memories, read_statements, touched
from memory_db.knowledge.graph.rules import MOST, Drawn, draw
from memory_db.store.connection import id_list, transaction
from memory_db.store.dates import utc_text

PLACE = "edges"
"""The row of `scan_progress` that says up to which version of a memory edges were drawn."""

RULES_VERSION = 1
"""Raise it with every change of the rules: all edges are drawn again."""

MOST_SINGLY = 500
"""Changed memories from which on all are drawn again, which is faster then."""

BY_RULES = "rules"

OURS = """
select id, from_memory_id, to_memory_id, kind, score, reason from edges
where ended_at is null and created_by = 'rules' and kind <> 'supersedes'
"""

DECIDED = "select from_memory_id, to_memory_id, kind from edges where created_by <> 'rules'"
"""What a person or a decision said of two memories, ended or not: rules do not say it again."""

INSERT = """
insert or ignore into edges (from_memory_id, to_memory_id, kind, score, reason, created_by, created_at)
values (?, ?, ?, ?, ?, 'rules', ?)
"""

PROGRESS = """
insert into scan_progress (place, rules_version, last_id, texts_scanned, texts_changed, started_at, finished_at)
values (:place, :version, :last_id, :scanned, :changed, :now, :now)
on conflict (place) do update set rules_version = excluded.rules_version, last_id = excluded.last_id,
    texts_scanned = excluded.texts_scanned, texts_changed = excluded.texts_changed,
    started_at = excluded.started_at, finished_at = excluded.finished_at
"""


def refresh(db: sqlite3.Connection, *, now: datetime) -> dict[str, int]:
    """Draws the edges of memories that changed since the last time: counts, as `rebuild` gives them.

    All are drawn again where the rules have changed, or where nobody drew any.
    """
    row = db.execute("select * from scan_progress where place = ?", [PLACE]).fetchone()
    newest = db.execute("select coalesce(max(id), 0) from memory_versions").fetchone()[0]
    if row is None or row["rules_version"] != RULES_VERSION or row["last_id"] > newest:
        return rebuild(db, now=now)
    changed = changed_memories(db, row["last_id"], row["finished_at"])
    if not changed:
        return {"edges_drawn": 0, "edges_ended": 0, "edges_kept": 0}
    return rebuild(db, now=now, memory_ids=changed)


def rebuild(db: sqlite3.Connection, *, now: datetime, memory_ids: Iterable[int] | None = None) -> dict[str, int]:
    """Draws the edges of these memories, or of all: how many were drawn, ended and kept.

    Given memories are drawn with those that they may stand beside now, or stood beside before.
    """
    statements = read_statements(db)
    newest = db.execute("select coalesce(max(id), 0) from memory_versions").fetchone()[0]
    current = {tuple(row)[1:4]: row for row in db.execute(OURS)}
    changed = None if memory_ids is None else set(memory_ids)
    if changed is None or len(changed) > MOST_SINGLY:
        origins = set(statements.by_id) | {key[0] for key in current}
    else:
        origins = touched(db, statements, changed) | {key[0] for key in current if key[1] in changed}
    decided = {tuple(row) for row in db.execute(DECIDED)}
    wanted = wanted_edges(statements, origins, decided)
    standing = {key: row for key, row in current.items() if key[0] in origins}
    kept = {key for key, row in standing.items() if key in wanted and wanted[key] == (row["score"], row["reason"])}
    ended: dict[int, list[int]] = {}
    for key, row in standing.items():
        if key not in kept:
            ended.setdefault(key[0], []).append(row["id"])
    drawn: dict[int, list[tuple[object, ...]]] = {}
    for key, values in wanted.items():
        if key not in kept:
            drawn.setdefault(key[0], []).append((*key, *values))
    counts = {"edges_drawn": sum(map(len, drawn.values())), "edges_ended": sum(map(len, ended.values()))}
    moment = utc_text(now)
    with transaction(db) as lock:
        for origin in sorted({*ended, *drawn}):
            lock.let_others()  # the edges of one memory stay together
            ids = id_list(ended.get(origin, ()))
            db.execute(f"update edges set ended_at = max(created_at, ?) where id in ({ids})", [moment])
            db.executemany(INSERT, [(*values, moment) for values in drawn.get(origin, ())])
        if ended or drawn or not has_progress(db, newest):
            done = {"place": PLACE, "version": RULES_VERSION, "last_id": newest, "scanned": len(origins),
                    "changed": sum(counts.values()), "now": moment}  # fmt: skip
            db.execute(PROGRESS, done)
    return {**counts, "edges_kept": len(kept)}


def has_progress(db: sqlite3.Connection, newest: int) -> bool:
    """Whether the row of progress says already what it would be made to say."""
    sql = "select 1 from scan_progress where place = ? and rules_version = ? and last_id = ?"
    return db.execute(sql, [PLACE, RULES_VERSION, newest]).fetchone() is not None


def wanted_edges(
    statements: Statements, origins: Iterable[int], decided: set[tuple[int, int, str]]
) -> dict[tuple[int, int, str], tuple[float, str]]:
    """(score, reason) of every edge that rules draw from these memories, by (from, to, kind)."""
    wanted: dict[tuple[int, int, str], tuple[float, str]] = {}
    for origin in sorted(origins):
        one = statements.by_id.get(origin)
        if one is None:
            continue
        best: dict[str, list[Drawn]] = {}
        for other, similarity in statements.candidates(origin):
            for edge in draw(one, other, similarity):
                best.setdefault(edge.kind, []).append(edge)
        for edge in statements.contradictions.get(origin, ()):
            best.setdefault(edge.kind, []).append(edge)
        for kind, edges in best.items():
            edges.sort(key=lambda edge: (-edge.score, -edge.to))
            for edge in edges[: MOST.get(kind, len(edges))]:
                if (origin, edge.to, kind) not in decided:
                    wanted[origin, edge.to, kind] = edge.score, edge.reason
    return wanted
