"""Warm recall against the bare FTS5 query for the same words, in the same run.

`python -m bench.recall_speed [ENTRIES] [MEMORIES]` prints medians and their ratio as JSON.
"""

from __future__ import annotations

import json
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from bench.material import NOW, fill_entries, fill_memories
from memory_db.recall.brief.select import ask
from memory_db.recall.search import Question
from memory_db.store.schema import open_database
from memory_db.text.terms import match_any, query_terms

QUERIES = (
    "which port does the database listen on",
    "how do we deploy to staging",
    "why did the migration fail with multiple heads",
    "which package manager do we use in the front end",
    "terraform state lock error",
    "what did we decide about retries and timeouts",
    "where are the integration tests and how do I run them",
    "rate limit of the public api",
)


def medians_ms(
    rounds: int,
    *works: Callable[[str], object],
    queries: Sequence[str] = QUERIES,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """The median time of each work over all queries. They take turns, so a busy machine slows all alike."""
    times: list[list[float]] = [[] for _ in works]
    for turn in range(rounds + 1):
        for query in queries:
            for taken, work in zip(times, works, strict=True):
                started = clock()
                work(query)
                if turn:  # the first turn warms up
                    taken.append((clock() - started) * 1000)
    return [statistics.median(taken) for taken in times]


def measure(db: sqlite3.Connection, scope: str, table: str, rounds: int = 5) -> dict[str, float]:
    """Medians of the bare query, of recall and of recall with its log, and their ratios to the bare query."""

    def bare(query: str) -> object:
        return db.execute(
            f"select rowid, bm25({table}) from {table} where {table} match ? order by rank limit 10",
            [match_any(query_terms(query))],
        ).fetchall()

    def unlogged(query: str) -> object:
        return ask(db, Question(query, scope=scope), surface="bench", now=NOW, log=False)

    def logged(query: str) -> object:
        return ask(db, Question(query, scope=scope), surface="bench", now=NOW)

    base, without, with_log = medians_ms(rounds, bare, unlogged, logged)
    return {
        "bare_fts5_ms": round(base, 2),
        "recall_ms": round(without, 2),
        "recall_logged_ms": round(with_log, 2),
        "ratio": round(without / base, 2),
        "ratio_logged": round(with_log / base, 2),
    }


def measured(entries: int = 100_000, memories: int = 20_000) -> dict[str, object]:
    """Measures both sorts on files made for it."""
    with tempfile.TemporaryDirectory() as folder:
        with closing(open_database(Path(folder) / "entries.db", now=NOW)) as db:
            fill_entries(db, entries)
            by_entries = measure(db, "entries", "entry_fts")
        with closing(open_database(Path(folder) / "memories.db", now=NOW)) as db:
            fill_memories(db, memories)
            by_memories = measure(db, "memories", "memory_fts")
    return {"entries": {"count": entries, **by_entries}, "memories": {"count": memories, **by_memories}}


if __name__ == "__main__":
    print(json.dumps(measured(*map(int, sys.argv[1:3])), indent=2))
