"""How many hits of a prompt are new, by how many of its words the prompt before it had asked for already.

`python -m bench.hook_topics` asks the prompts of each session of the sample history in a row, as a hook does. It is
what `hook_skips.SAME_SHARE` comes from: a prompt that brings little new is not asked.
"""

from __future__ import annotations

import json
import sqlite3
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

from bench.material import NOW
from memory_db.errors import QueryError
from memory_db.hooks.prompt import PROFILE
from memory_db.recall.brief.select import ask
from memory_db.recall.question import FIRST_BUDGET_TOKENS, FIRST_LIMIT
from memory_db.recall.search import HOOK_EFFORT, Effort, Filters, Question
from memory_db.sample.file import ensure_sample
from memory_db.store.connection import connect
from memory_db.text.excerpt import HEAD_CHARACTERS
from memory_db.text.terms import query_terms

BOUNDS = (0.0, 0.01, 0.2, 0.35, 0.6, 1.01)
"""Between which shares prompts are put together."""

PROMPTS = (
    "select text from entries where session_id = ? and kind = 'prompt' and is_sidechain = 0 order by created_at, id"
)


def measured() -> list[dict[str, float]]:
    """For each range of shares: how many prompts, and the mean share of their hits that the last brief had not."""
    with tempfile.TemporaryDirectory() as folder, closing(connect(ensure_sample(Path(folder), now=NOW))) as db:
        sessions = db.execute("select id, project_id from sessions order by id").fetchall()
        pairs = [pair for session_id, project_id in sessions for pair in in_a_row(db, session_id, project_id)]
    found = []
    for low, high in pairwise(BOUNDS):
        new = [share_new for shared, share_new in pairs if low <= shared < high]
        found.append({"from": low, "prompts": len(new), "new hits": round(statistics.mean(new), 2) if new else 0.0})
    return found


def in_a_row(db: sqlite3.Connection, session_id: int, project_id: int | None) -> Iterator[tuple[float, float]]:
    """For each prompt after the first: the share of its words asked before, and the share of its hits that are new."""
    words: set[str] = set()
    shown: set[str] = set()
    for (text,) in db.execute(PROMPTS, [session_id]).fetchall():
        question = Question(
            text[:HEAD_CHARACTERS],
            profile=PROFILE,
            project_id=project_id,
            filters=Filters(other_projects=project_id is None),
            limit=FIRST_LIMIT,
            budget_tokens=FIRST_BUDGET_TOKENS,
            effort=Effort(HOOK_EFFORT.most_terms, HOOK_EFFORT.most_memories),
        )
        try:
            terms = query_terms(question.query)
        except QueryError:
            continue
        hits = {hit.uid for hit in ask(db, question, surface="bench", now=NOW, log=False).shown}
        if words and hits:
            yield sum(term in words for term in terms) / len(terms), len(hits - shown) / len(hits)
        words, shown = set(terms), hits


if __name__ == "__main__":
    print(json.dumps(measured(), indent=2))
