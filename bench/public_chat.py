"""How well profiles find the evidence for questions about long chats.

`python -m bench public_chat --data DIR` reads the JSON files of LoCoMo in DIR (snap-research/locomo, which this
project neither holds nor fetches) and prints, for plain FTS5 and for every preset, the share of a question's
evidence among the best ten turns. Each conversation is a file of its own and each turn an entry.

Source: Maharana et al. 2024, "Evaluating Very Long-Term Conversational Memory of LLM Agents"; categories 1 to 4,
for those of 5 have no answer.
"""

from __future__ import annotations

import json
import re
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import mean
from typing import Any

from memory_db import index
from memory_db.connection import transaction
from memory_db.dates import utc_text
from memory_db.db import open_database
from memory_db.recall import Question, complete, recall
from memory_db.scoring import PRESETS, score
from memory_db.semantic import open_semantic
from memory_db.terms import WORD, match_any, query_terms

BEST = 10
CATEGORIES = (1, 2, 3, 4)
TURN = re.compile(r"D\d+:\d+")
TIME = "%I:%M %p on %d %B, %Y"
NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)

BM25 = "select rowid from entry_fts where entry_fts match ? order by rank limit ?"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the turns that hold its answer."""

    query: str
    evidence: frozenset[str]


def measured(folder: Path) -> dict[str, object]:
    """Shares from 0 to 1 by way of ranking, over all conversations of a folder."""
    found: dict[str, list[float]] = defaultdict(list)
    conversations = [item for path in sorted(folder.rglob("*.json")) for item in json.loads(path.read_text("utf-8"))]
    for conversation in conversations:
        for name, share in shares_of(conversation):
            found[name].append(share)
    shares = {name: round(mean(values), 3) for name, values in found.items()}
    count = len(next(iter(found.values()), []))
    return {"conversations": len(conversations), "questions": count, f"evidence_in_best_{BEST}": shares}


def shares_of(conversation: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """For each question of one conversation and each way of ranking, the share of its evidence among the best."""
    with tempfile.TemporaryDirectory() as place, closing(open_database(Path(place) / "memory.db", now=NOW)) as db:
        fill(db, conversation["conversation"])
        index.run(db, now=NOW)
        for asked in questions(conversation["qa"]):
            for name, best in rankings(db, asked.query):
                yield name, len(asked.evidence & best) / len(asked.evidence)


def fill(db: sqlite3.Connection, conversation: dict[str, Any]) -> None:
    """Stores the turns of one conversation under their own ids, a session for each of its sessions."""
    with transaction(db):
        for name in sorted(name for name in conversation if re.fullmatch(r"session_\d+", name)):
            started = datetime.strptime(conversation[f"{name}_date_time"], TIME).replace(tzinfo=UTC)
            session = db.execute("insert into sessions (uid, format) values (?, 'text')", [name]).lastrowid
            for position, turn in enumerate(conversation[name]):
                text = f"{turn['speaker']}: {turn['text']} {turn.get('blip_caption', '')}".strip()
                entry = db.execute(
                    "insert into entries (uid, session_id, role, kind, text, created_at)"
                    " values (?, ?, 'user', 'prompt', ?, ?)",
                    [turn["dia_id"], session, text, utc_text(started + timedelta(seconds=position))],
                ).lastrowid
                db.execute("insert into session_entries values (?, ?, ?)", [session, entry, position])


def questions(items: Iterable[dict[str, Any]]) -> Iterator[Asked]:
    """The questions that have an answer and evidence."""
    for item in items:
        evidence = frozenset(TURN.findall(" ".join(item.get("evidence") or [])))
        if item["category"] in CATEGORIES and evidence:
            yield Asked(item["question"], evidence)


def rankings(db: sqlite3.Connection, query: str) -> Iterator[tuple[str, set[str]]]:
    """The uids of the best turns, by each way of ranking."""
    every_word = tuple(dict.fromkeys(WORD.findall(query.casefold())))
    for name, terms in (("fts5, every word", every_word), ("fts5, without stop words", query_terms(query))):
        yield name, uids(db, [row[0] for row in db.execute(BM25, [match_any(terms), BEST])])
    recalled = recall(db, Question(query, scope="entries"), now=NOW, semantic=open_semantic(db))
    complete(db, recalled, recalled.hits)
    for name, preset in PRESETS.items():
        ranked = sorted(recalled.hits, key=lambda hit: -score(preset.weights, hit.signals))
        yield name, uids(db, [hit.entry_id or 0 for hit in ranked[:BEST]])


def uids(db: sqlite3.Connection, ids: list[int]) -> set[str]:
    """The uids of entries."""
    return {row[0] for row in db.execute(f"select uid from entries where id in ({','.join(map(str, ids))})")}
