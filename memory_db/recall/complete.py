"""What belongs to the members of a pool: the successors of what is outdated, and what stands around an entry.

In: what was gathered. Out: the same, with those that join by an outdated version of theirs, and with what the entries
around a member and in its session say of the question.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import sqlite3

from memory_db.index import grams
from memory_db.recall.gather import Pool, neighbours
from memory_db.recall.measures.ceilings import term_bm25
from memory_db.recall.similarity import NEIGHBOUR_SHARE
from memory_db.store.connection import id_list


def bring_successors(db: sqlite3.Connection, pool: Pool) -> None:
    """The memories that came after the outdated ones, as further members: an old hit brings its successor."""
    if not pool.outdated:
        return
    from memory_db.knowledge.succession import successors  # noqa: PLC0415  # start-up: few prompts meet what is outdated

    where = f"{pool.filter.considered} and {pool.filter.shown}"
    for outdated, successor in successors(db, pool.outdated, where, pool.filter.parameters):
        pool.bm25.setdefault(successor, 0.0)
        pool.replaces.setdefault(successor, []).append(outdated)


def look_around(db: sqlite3.Connection, pool: Pool) -> None:
    """Notes what stands around each entry of a pool that is complete, and what its session speaks of."""
    pool.around = neighbours(db, pool.bm25)
    pool.context_bm25 = window_bm25(db, pool)
    pool.session_keyword = session_keywords(pool)


def window_bm25(db: sqlite3.Connection, pool: Pool) -> dict[int, float]:
    """For each member, bm25 of the text that it makes with its neighbours, whatever its length.

    A term counts once for each entry that has it, by the entry's distance; so a question whose words are spread over
    an answer and what it answers to is met by both together.
    """
    near = id_list({other for _, other, _, _ in pool.around})
    shares = [(entry, other, NEIGHBOUR_SHARE[distance]) for entry, other, distance, _ in pool.around]
    window: dict[int, float] = dict.fromkeys(pool.bm25, 0.0)
    for term in pool.terms:
        holders = grams.holders(db, "entry_fts", term, near)
        times: dict[int, float] = {}
        for entry, share in [(entry, share) for entry, other, share in shares if other in holders]:
            times[entry] = times.get(entry, 0.0) + share
        for entry, number in times.items():
            window[entry] += term_bm25(pool.idf[term], number)
    return window


def session_keywords(pool: Pool) -> dict[int, float]:
    """For each member, how strongly its session speaks of the question: 0 to 1.

    Each of the session's members makes it likelier, as independent signs would: one minus the product of what each
    leaves open.
    """
    if pool.best_bm25 <= 0:
        return {}
    left_open: dict[int, float] = {}
    sessions = {entry: session_id for entry, _, _, session_id in pool.around}
    for entry, session_id in sessions.items():
        left_open[session_id] = left_open.get(session_id, 1.0) * (1 - min(1.0, pool.bm25[entry] / pool.best_bm25))
    return {entry: 1 - left_open[session_id] for entry, session_id in sessions.items()}
