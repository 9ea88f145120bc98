"""What economics tells of recalls, led on from what was told before: each recall adds to sums and changes none.

In: a connection that reads, an answer of before and what changed since. Out: the answer of now, or None where more
happened than that recalls came. Invariant: it is what all counted anew would give.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from memory_db.models import savings
from memory_db.models import totals as costs
from memory_db.models.savings import Saved
from memory_db.pages.table_marks import Since
from memory_db.store.connection import id_list, tuples
from memory_db.store.narrowed import narrowed

OF_RECALLS = frozenset({"recalls", "hits"})
"""The tables to which a recall adds."""

OF_NEW_MEMORIES = frozenset({"memories", "memory_versions", "memory_sources", "evidence"})
"""The tables to which a memory adds."""

HAVE_HITS = """
select exists (select 1 from memory_versions v join hits h on h.memory_version_id = v.id where v.memory_id in ({ids}))
"""

HITS_SINCE = """
select v.memory_id, count(*) from hits h not indexed join memory_versions v on v.id = h.memory_version_id
where h.id > ? and h.rank is not null group by v.memory_id
"""

BROUGHT = """
select prompt, version, model, memory_id from prompt_memories where memory_id in ({ids})
"""


def adds_recalls(since: Since) -> bool:
    """Whether nothing changed but that recalls came."""
    return not since.changed() - OF_RECALLS


def adds_new_memories(db: sqlite3.Connection, since: Since) -> bool:
    """Whether nothing changed but that something was added to memories that no recall has met."""
    if since.changed() - OF_NEW_MEMORIES:
        return False
    changed = since.memories(db)
    return changed is not None and not db.execute(HAVE_HITS.format(ids=id_list(sorted(changed)))).fetchone()[0]


def saved_on(db: sqlite3.Connection, before: Saved, since: Since, *, chosen: dict[str, str | None]) -> Saved | None:
    """What memory saved."""
    if adds_recalls(since):
        return savings.saved_on(db, before, since.last("recalls"), **chosen)
    return before if adds_new_memories(db, since) else None


def spent_on(
    db: sqlite3.Connection, before: dict[str, Any], since: Since, *, chosen: dict[str, str | None]
) -> dict[str, Any] | None:
    """What agents and memory cost: a recall adds to the shares that briefs have in it, and costs nothing more."""
    if not adds_recalls(since):
        return None
    columns = ("part_of", "source")
    more = costs.sums(db, columns, **chosen, is_whole=False, after=since.last("recalls"))
    return {**before, "shares": costs.added([*before["shares"], *more], columns)}


def prompts_on(db: sqlite3.Connection, before: list[dict[str, Any]], since: Since) -> list[dict[str, Any]] | None:
    """What came of prompts: their memories may have been shown and cited since."""
    if since.changed() - OF_RECALLS - OF_NEW_MEMORIES or since.is_in_place("evidence"):
        return None
    shown = dict(tuples(db, HITS_SINCE, [since.last("hits")]))
    cited: dict[int, int] = {}
    for _, memory, kind in since.evidence(db):
        if kind == "cited":
            cited[memory] = cited.get(memory, 0) + 1
    if not shown and not cited:
        return before
    rows = {(row["prompt"], row["version"], row["model"]): dict(row) for row in before}
    ids = id_list(sorted({*shown, *cited}))
    begin = narrowed(db, ("prompt_memories",), {
        "candidates": f"id in (select candidate_id from main.decisions where memory_id in ({ids}))"})  # fmt: skip
    for prompt, version, model, memory in tuples(db, begin + BROUGHT.format(ids=ids), ()):
        if row := rows.get((prompt, version, model)):
            row["times_shown"] += shown.get(memory, 0)
            row["times_cited"] += cited.get(memory, 0)
    return list(rows.values())
