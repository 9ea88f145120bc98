"""What an agent was shown in a session, and what came of each memory; and where words stand in it.

In: a connection that reads. Out: plain dicts. Invariant: what came of a memory is what `evidence` says of the recall
that showed it.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from memory_db.pages.cache import rows
from memory_db.text.terms import match_term, query_terms

MOST_SHOWN = 6
"""Memories of one recall that a margin names; the recall's page has them all."""

MOST_FOUND = 40
"""Entries that a search within a session lists."""

TO_AGENTS = ("hook", "session-start", "pre-tool-use", "mcp", "ask", "llm")
"""Surfaces whose briefs an agent read, see the view `showings`."""

HITS = """
select h.recall_id, m.uid, v.title,
    (select group_concat(distinct e.kind) from evidence e where e.recall_id = h.recall_id and e.memory_id = m.id
        and e.withdrawn_at is null) as signs
from hits h join memory_versions v on v.id = h.memory_version_id join memories m on m.id = v.memory_id
where h.recall_id in (select value from json_each(?)) and h.rank is not null order by h.recall_id, h.rank
"""

FOUND = """
with found as materialized (
    select rowid as id, snippet(entry_fts, 0, '', '', '…', 24) as words from entry_fts
    where entry_fts match :words and rowid in (select entry_id from session_entries where session_id = :session)
)
select e.uid, e.role, e.kind, e.created_at, f.words, count(*) over () as found
from found f join entries e on e.id = f.id
join session_entries se on se.entry_id = f.id and se.session_id = :session
order by se.position, e.id limit :most
"""


def add_shown(db: sqlite3.Connection, entries: Iterable[dict[str, Any]]) -> None:
    """Gives each recall in the margin of entries the memories it showed: uid, title, and what came of it."""
    recalls = [recall for entry in entries for recall in entry["recalls"]]
    by_recall: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows(db, HITS, [json.dumps([recall["id"] for recall in recalls])]):
        by_recall[row["recall_id"]].append(row)
    for recall in recalls:
        hits = by_recall[recall["id"]]
        is_read = recall["surface"] in TO_AGENTS
        recall["memories"] = [
            {"uid": row["uid"], "title": row["title"], "came_of_it": came_of(row["signs"], is_read)}
            for row in hits[:MOST_SHOWN]
        ]
        recall["more"] = max(0, len(hits) - MOST_SHOWN)


def came_of(signs: str | None, is_read: bool) -> str:
    """What came of a memory that was shown, in a word; nothing where no agent read it."""
    known = set((signs or "").split(","))
    if known & {"wrong", "contradicted"}:
        return "contradicted"
    if known & {"used", "cited", "confirmed"}:
        return "used"
    return "ignored" if is_read else ""


def found_in(db: sqlite3.Connection, session_id: int, words: str) -> dict[str, Any]:
    """The entries of a session that have all the words, in order: `entries` and their `count`. Raises: QueryError."""
    expression = " AND ".join(map(match_term, query_terms(words)))
    found = rows(db, FOUND, {"words": expression, "session": session_id, "most": MOST_FOUND})
    return {"count": found[0]["found"] if found else 0, "entries": found}
