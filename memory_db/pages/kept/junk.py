"""Which memories look like junk: what that rests on is counted once and then on, and the view judges by it.

In: a connection that reads, perhaps what was found before. Out: `Junk`. Invariant: its memories are those that the view
`junk_candidates` lists; numbers from where on something counts stand in the view `junk_limits` alone.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from memory_db.pages.kept.recalls import OF_RECALLS
from memory_db.pages.table_marks import OF_MEMORIES, Since
from memory_db.store.connection import id_list, tuples
from memory_db.store.narrowed import narrowed

FOUND = "select distinct memory_id from junk_signs"

ACTIVE = "select count(*) from memories where status = 'active'"

SHOWINGS = "select memory_id, times_considered, times_shown, times_shown_to_others from memory_showings"

TWINS = "select memory_id, other_id from memory_twins"

DISBELIEVED = "select memory_id, weight_for, weight_against from disbelieved_memories"

CITATIONS = "select citations from citation_rate"

LIMITS = "select least_considered, least_shown from junk_limits"

HITS_SINCE = {
    "hits": "id > :last",
    "memory_versions": "id in (select memory_version_id from main.hits where id > :last)",
}

GIVEN = {
    "memory_twins": "select value ->> 0 as memory_id, value ->> 1 as other_id from json_each(:twins)",
    "memory_showings": "select value ->> 0 as memory_id, value ->> 1 as times_considered, value ->> 2 as times_shown,"
    " value ->> 3 as times_shown_to_others from json_each(:showings)",
    "disbelieved_memories": "select value ->> 0 as memory_id, value ->> 1 as weight_for, value ->> 2 as weight_against"
    " from json_each(:disbelieved)",
    "citation_rate": "select 1.0 * :citations / max(1, :shown) as rate",
}
"""The views that `junk_signs` reads, given as they were counted."""

OF_CITING = frozenset({"cited", "used"})
"""Evidence that an agent made use of what it was shown."""


@dataclass(frozen=True, slots=True)
class Junk:
    """The memories `found`, of how many that are `active`; and by memory what they were judged by: times considered,
    shown, and shown to others than agents, weights for and against, twins; and how many `citations` there are."""

    found: frozenset[int]
    active: int
    showings: dict[int, tuple[int, int, int]]
    disbelieved: dict[int, tuple[float, float]]
    twins: list[tuple[int, int]]
    citations: int


def junk(db: sqlite3.Connection) -> Junk:
    """All of it."""
    showings = {memory: tuple(times) for memory, *times in tuples(db, SHOWINGS, ())}
    disbelieved = {memory: (one, other) for memory, one, other in tuples(db, DISBELIEVED, ())}
    citations = int(db.execute(CITATIONS).fetchone()[0])
    return judged(db, showings, disbelieved, tuples(db, TWINS, ()), citations)


def junk_on(db: sqlite3.Connection, before: Junk, since: Since) -> Junk | None:
    """The same, where recalls came and things were added to some memories."""
    changed = since.memories(db, besides=OF_RECALLS)
    if changed is None or since.is_in_place("evidence"):
        return None
    showings = dict(before.showings)
    begin = narrowed(db, ("memory_showings",), HITS_SINCE)
    for memory, *times in tuples(db, begin + SHOWINGS, {"last": since.last("hits")}):
        was = showings.get(memory, (0, 0, 0))
        showings[memory] = (was[0] + times[0], was[1] + times[1], was[2] + times[2])
    begin = narrowed(db, ("disbelieved_memories",), {"evidence": f"memory_id in ({id_list(sorted(changed))})"})
    others = {memory: weights for memory, weights in before.disbelieved.items() if memory not in changed}
    again = {memory: (one, other) for memory, one, other in tuples(db, begin + DISBELIEVED, ())}
    citations = before.citations + sum(
        recall is not None and kind in OF_CITING for recall, _, kind in since.evidence(db)
    )
    twins = tuples(db, TWINS, ()) if since.changed() & OF_MEMORIES else before.twins
    return judged(db, showings, others | again, twins, citations)


def judged(
    db: sqlite3.Connection,
    showings: dict[int, tuple[int, int, int]],
    disbelieved: dict[int, tuple[float, float]],
    twins: list[tuple[int, int]],
    citations: int,
) -> Junk:
    """What the view finds of what was counted; it is told nothing of memories that are far from being junk."""
    least_considered, least_shown = db.execute(LIMITS).fetchone()
    told = [
        (memory, considered, shown, to_others) for memory, (considered, shown, to_others) in showings.items()
        if shown >= least_shown or memory in disbelieved or (not shown and considered >= least_considered)
    ]  # fmt: skip
    asked = {
        "twins": json.dumps(twins), "showings": json.dumps(told), "citations": citations,
        "shown": sum(shown - to_others for _, shown, to_others in showings.values()),
        "disbelieved": json.dumps([(memory, *weights) for memory, weights in disbelieved.items()]),
    }  # fmt: skip
    begin = narrowed(db, ("junk_signs",), {}, given=GIVEN)
    found = frozenset(ids(tuples(db, begin + FOUND, asked)))
    return Junk(found, int(db.execute(ACTIVE).fetchone()[0]), showings, disbelieved, twins, citations)


def ids(rows: Iterable[tuple[int]]) -> Iterable[int]:
    """The only column of some rows."""
    return (value for (value,) in rows)
