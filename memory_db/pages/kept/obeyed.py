"""In how many sessions agents were shown each memory, and in how many they did as it says: counted once and then on.

In: a connection that reads, perhaps the count before. Out: `Obeyed`. Invariant: its two numbers are the sums of
`sessions_shown` and `sessions_obeyed` in the view `obeyed`.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from memory_db.pages.table_marks import Since
from memory_db.store.connection import id_list, tuples

READERS = """
select id, coalesce(session_uid, uid) from recalls
where surface in ('hook', 'session-start', 'pre-tool-use', 'mcp', 'ask', 'llm'){and_of_recall} order by id
"""
"""The recalls that the view counts, with the session that read them; without one, a recall is read by itself."""

READ = """
select h.recall_id, v.memory_id from hits h cross join memory_versions v on v.id = h.memory_version_id
where h.rank is not null and +h.memory_version_id is not null{and_of_hit}
"""

TOLD = """
select recall_id, memory_id from evidence
where kind in ('cited', 'used') and recall_id is not null and withdrawn_at is null{and_of_hit}
"""

NEW_RECALLS = "select id from recalls where id > ? union select recall_id from hits where id > ?"

GROWING = frozenset({"recalls", "hits", "evidence", "memory_versions"})
"""The tables it rests on. What is taken from one of them is in the books, or was withdrawn."""


@dataclass(frozen=True, slots=True)
class Obeyed:
    """Pairs of a memory and the session that was `shown` it, and those where it was `obeyed`.

    A session is known by the `first` recall that it read; `session_of` has that for each recall.
    """

    shown: frozenset[tuple[int, int]]
    obeyed: frozenset[tuple[int, int]]
    first: dict[str, int]
    session_of: dict[int, int]


NOTHING = Obeyed(frozenset(), frozenset(), {}, {})


def obeyed(db: sqlite3.Connection) -> Obeyed:
    """The count of all recalls."""
    return joined(db, NOTHING, "", "")


def obeyed_on(db: sqlite3.Connection, before: Obeyed, since: Since) -> Obeyed | None:
    """The same, where only recalls came and evidence of what came of them."""
    if since.changed() - GROWING or since.is_in_place("evidence"):
        return None
    recalls = {recall for recall, _, _ in since.evidence(db) if recall is not None}
    recalls.update(recall for (recall,) in tuples(db, NEW_RECALLS, [since.last("recalls"), since.last("hits")]))
    ids = id_list(sorted(recalls))
    return joined(db, before, f" and id in ({ids})", f" and recall_id in ({ids})")


def joined(db: sqlite3.Connection, before: Obeyed, and_of_recall: str, and_of_hit: str) -> Obeyed:
    """What was counted before, and some recalls."""
    first, session_of = dict(before.first), dict(before.session_of)
    for recall, session in tuples(db, READERS.format(and_of_recall=and_of_recall), ()):
        session_of[recall] = first.setdefault(session, recall)
    told = set(tuples(db, TOLD.format(and_of_hit=and_of_hit), ()))
    shown, done = set(before.shown), set(before.obeyed)
    for recall, memory in tuples(db, READ.format(and_of_hit=and_of_hit), ()):
        if (session := session_of.get(recall)) is not None:
            shown.add((memory, session))
            if (recall, memory) in told:
                done.add((memory, session))
    return Obeyed(frozenset(shown), frozenset(done), first, session_of)
