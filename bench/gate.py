"""How many candidates a second the gate decides on in a file that is full already: `python -m bench gate`.

10,000 candidates against 10,000 memories of ten projects: new ones, the same words again, ones that say more, other
values, and replacements in so many words. Making vectors is timed apart, static ones and those of the full
model. A module of its own takes other sizes: `python -m bench.gate MEMORIES CANDIDATES`.
"""

from __future__ import annotations

import json
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

from bench.material import NOW
from memory_db.gate import run as gate
from memory_db.index import build as index
from memory_db.index import texts as indexable
from memory_db.index.neighbours import StaticVectors
from memory_db.knowledge.memories import NewMemory, insert_memory
from memory_db.models.embedders import MINILM, load_embedder
from memory_db.store import settings
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.store.schema import open_database

MEMORIES, CANDIDATES = 10_000, 10_000

PROJECTS = 10

EMBEDDED = 500
"""Texts that the full model is timed on."""

SORTS = (("new", 0.6), ("same", 0.15), ("more", 0.1), ("value", 0.1), ("over", 0.05))
"""What candidates say of a memory, and the share of each."""

AREAS = (
    "invoice search billing mail login stock report upload payment catalogue profile session export import audit"
    " gateway scheduler cache archive coupon shipping refund webhook feed ledger quota consent tenant theme sensor"
).split()
PARTS = (
    "service worker client parser table index queue job page form endpoint importer script suite container pipeline"
    " module helper dashboard fixture migration bundle handler crawler daemon sidecar cluster broker formatter"
).split()
TOOLS = "redis kafka postgres sqlite nginx docker poetry pnpm npm webpack vite pytest jest ruff terraform helm".split()
MOMENTS = (
    "before each release", "after every merge", "on Mondays", "when the tests are green", "during a deploy",
    "in the nightly run", "when a customer asks", "at the end of a sprint",
)  # fmt: skip


def measured(memories: int = MEMORIES, candidates: int = CANDIDATES) -> dict[str, Any]:
    """Candidates a second, what was decided, and the time that vectors take by themselves."""
    chance = random.Random(11)
    with tempfile.TemporaryDirectory() as folder, closing(open_database(Path(folder) / "gate.db", now=NOW)) as db:
        known = fill(db, chance, memories)
        index.make_static(db, indexable.MEMORIES, None)
        texts = propose(db, chance, known, candidates)
        settings.put(db, "gate_most_destructive", str(candidates), now=NOW)
        static_s = timed(lambda: StaticVectors().of(db, texts))
        counts: dict[str, int] = {}
        took_s = timed(lambda: counts.update(gate.run(db, now=NOW)))
    full_s = timed(lambda: load_embedder(MINILM).embed(texts[:EMBEDDED]))
    return {
        "memories": memories,
        "candidates": candidates,
        "seconds": round(took_s, 1),
        "candidates_per_s": round(candidates / took_s),
        "candidates_per_s_without_vectors": round(candidates / max(0.001, took_s - static_s)),
        "static_vectors_per_s": round(candidates / static_s),
        "full_vectors_per_s": round(min(EMBEDDED, len(texts)) / full_s),
        "decisions": {action: count for action, count in counts.items() if count},
    }


def timed(work: Callable[[], object]) -> float:
    """Seconds of the processor that some work takes."""
    started = time.process_time()
    work()
    return time.process_time() - started


def claims(chance: random.Random, count: int) -> list[tuple[str, str, str, int]]:
    """So many statements, each other than the rest: what it is about, a tool, a moment and a number."""
    found: dict[str, tuple[str, str, str, int]] = {}
    while len(found) < count:
        subject = (
            f"{chance.choice(AREAS)} {chance.choice(PARTS)} {chance.choice('abcdefghijklmnop')}{chance.randrange(90)}"
        )
        found.setdefault(subject, (subject, chance.choice(TOOLS), chance.choice(MOMENTS), chance.randrange(1000, 9000)))
    return list(found.values())


def said(claim: tuple[str, str, str, int], sort: str) -> str:
    """A statement, or another one about the same."""
    subject, tool, moment, number = claim
    texts = {
        "known": f"The {subject} is built with {tool} and listens on port {number}.",
        "more": f"The {subject} is built with {tool} and listens on port {number}, checked {moment}.",
        "value": f"The {subject} is built with {tool} and listens on port {number + 1}.",
        "over": f"We no longer build the {subject} with {tool}, it moved to make {moment}.",
        "new": f"Restart the {subject} {moment} to close its {number} stale {tool} connections.",
    }
    return texts["known" if sort == "same" else sort]


def fill(db: sqlite3.Connection, chance: random.Random, count: int) -> list[tuple[str, str, str, int]]:
    """Memories of several projects; what they say."""
    known = claims(chance, count)
    with transaction(db):
        db.executemany(
            "insert into projects (id, name, canonical_path, created_at) values (?, ?, ?, ?)",
            [(number, f"p{number}", f"/bench/p{number}", utc_text(NOW)) for number in range(1, PROJECTS + 1)],
        )
        for number, claim in enumerate(known):
            text = said(claim, "known")
            when = utc_text(NOW - timedelta(days=90, minutes=count - number))
            insert_memory(
                db,
                NewMemory(text, text[:60], "convention", "project", number % PROJECTS + 1, 3, [claim[0]], [], [], "",
                          "rules", "bench", "bench", when),
                now=NOW,
            )  # fmt: skip
    return known


def propose(
    db: sqlite3.Connection, chance: random.Random, known: Sequence[tuple[str, str, str, int]], count: int
) -> list[str]:
    """Candidates of one run, each with the entry of a user that it quotes; their texts."""
    sorts = chance.choices([name for name, _ in SORTS], [share for _, share in SORTS], k=count)
    texts = []
    with transaction(db):
        db.execute("insert into sessions (id, uid, format, project_id) values (1, 'bench', 'claude-code', 1)")
        db.execute("insert into extraction_runs (id, method, version, started_at) values (1, 'rules', '1', ?)",
                   [utc_text(NOW)])  # fmt: skip
        for number, sort in enumerate(sorts, 1):
            place = chance.randrange(len(known))
            text = said(known[place], sort)
            when = utc_text(NOW - timedelta(minutes=count - number))
            db.execute(
                "insert into entries (id, uid, session_id, role, kind, text, created_at)"
                " values (?, ?, 1, 'user', 'prompt', ?, ?)",
                [number, f"e{number}", text, when],
            )
            db.execute("insert into session_entries values (1, ?, ?)", [number, number])
            db.execute(
                "insert into candidates (uid, extraction_run_id, entry_id, session_id, project_id, kind, scope, title,"
                " text, quote, importance, rule, created_at)"
                " values (?, 1, ?, 1, ?, 'convention', 'project', ?, ?, ?, 3, 'bench', ?)",
                [f"c{number:06}", number, place % PROJECTS + 1, text[:60], text, text, when],
            )
            texts.append(text)
    return texts


if __name__ == "__main__":
    print(json.dumps(measured(*map(int, sys.argv[1:])), indent=2))
