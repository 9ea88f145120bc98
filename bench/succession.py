"""What an outdated note does to recall: `python -m bench.succession`.

On bench/data/developer, three ways of knowing that a note is outdated: `linked` to its successor, as `supersedes` says;
`closed`, so that it is not shown but leads nowhere; `unknown`, so that both stand side by side. Asked are the words
that an outdated note has and its successor lacks (the successor is the answer), and the set's own questions whose
answer replaced a note.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.developer import OWN
from bench.material import NOW
from bench.rankings import CACHE
from memory_db.evaluation import metrics as evaluate
from memory_db.evaluation.datasets import loading, read_dataset
from memory_db.evaluation.datasets.records import DatasetQuestion, Note, Part
from memory_db.evaluation.datasets.vector_cache import VectorCache, open_cache
from memory_db.evaluation.metrics import Item, Labelled
from memory_db.index import build as index
from memory_db.models.embedders import MINILM
from memory_db.store.connection import transaction
from memory_db.store.presets import PRESETS
from memory_db.text.terms import query_terms

WORDS = 8
"""Words of a question made from an outdated note: those that its successor lacks, in their order."""

FEWEST_WORDS = 3
"""Fewer do not tell a note from others."""

RECENCY = (0.0, 0.05, 0.1, 0.2)
"""Shares of the score that freshness gets, to see what it does where nothing says what is outdated."""

MODELS = {"default": True, "hook": False}
"""The profiles that are measured, and whether the full model takes part."""


def measured() -> dict[str, Any]:
    """Shares by way of knowing and profile; a line that says so where the set is not there."""
    if not (OWN / "queries.jsonl").is_file():
        return {"skipped": f"no queries.jsonl in {OWN.name}"}
    part = read_dataset(OWN, "jsonl").parts[0]
    cache = open_cache(CACHE.expanduser())
    pairs = {note.uid: note.supersedes for note in part.notes if note.supersedes}
    unlinked = replace(part, notes=tuple(replace(note, supersedes=None) for note in part.notes))
    with tempfile.TemporaryDirectory() as folder:
        hard = of_the_old_alone(part, loaded(unlinked, Path(folder) / "words.db", None))
        figures: dict[str, Any] = {"hard_questions": len(hard), "pairs": len(pairs)}
        for way in ("linked", "closed", "unknown"):
            asked = replace(unlinked if way == "unknown" else part, questions=(*hard, *part.questions))
            with closing(loaded(asked, Path(folder) / f"{way}.db", cache, close=way == "closed")) as db:
                figures[way] = shares(db, asked, pairs)
    return figures


def loaded(part: Part, path: Path, cache: VectorCache | None, *, close: bool = False) -> sqlite3.Connection:
    """The file of a part; with `close` its outdated notes are retired, and so lead nowhere."""
    db = loading.load(part, path, model=MINILM if cache else "none", cache=cache, now=NOW).db
    if close:
        with transaction(db):
            db.execute("update memories set status = 'retired' where status = 'superseded'")
        index.run(db, now=NOW)
    return db


def of_the_old_alone(part: Part, db: sqlite3.Connection) -> list[DatasetQuestion]:
    """A question for each successor, in words that the outdated note has and the successor lacks."""
    notes = {note.uid: note for note in part.notes}
    questions = []
    with closing(db):
        versions = dict(db.execute("select text, id from memory_versions").fetchall())
        for note in part.notes:
            if note.supersedes:
                old = notes[note.supersedes]
                words = [word for word in query_terms(f"{old.title} {old.text}")
                         if not has_word(db, versions[note.text], word)][:WORDS]  # fmt: skip
                if len(words) >= FEWEST_WORDS:
                    questions.append(made_from(old, note, " ".join(words), part.questions[0].asked_at))
    return questions


def has_word(db: sqlite3.Connection, version_id: int, word: str) -> bool:
    """Whether full text finds a word in a memory."""
    found = db.execute("select 1 from memory_fts where memory_fts match ? and rowid = ?", [f'"{word}"', version_id])
    return found.fetchone() is not None


def made_from(old: Note, note: Note, words: str, asked_at: str) -> DatasetQuestion:
    """A question in an outdated note's words, which its successor answers."""
    return DatasetQuestion(f"hard-{note.uid}", words, note.project, asked_at, (note.uid,), (old.uid,), "hard")


def shares(db: sqlite3.Connection, part: Part, pairs: dict[str, str]) -> dict[str, Any]:
    """For each profile: how often the successor is among the first five, and the outdated note above it."""
    semantic = index.open_semantic(db)
    ids = dict(db.execute("select text, id from memories").fetchall())
    items: dict[str, Item] = {note.uid: ("memory", ids[note.text]) for note in part.notes if note.text in ids}
    found: dict[str, Any] = {}
    for name, with_model in MODELS.items():
        labelled = evaluate.collect(db, loading.QUERY_SET, semantic=semantic if with_model else None)
        weights = dict(PRESETS[name].weights)
        found[name] = shares_of(labelled, part, pairs, items, weights)
        found[name]["with_recency"] = {
            str(share): shares_of(labelled, part, pairs, items, with_recency(weights, share))["own"]
            for share in RECENCY
        }
    return found


def with_recency(weights: dict[str, float], share: float) -> dict[str, float]:
    """The weights with that share for freshness, the others scaled to what is left."""
    others = {name: weight for name, weight in weights.items() if name != "recency"}
    total = sum(others.values())
    return {**{name: weight / total * (1 - share) for name, weight in others.items()}, "recency": share}


def shares_of(
    labelled: Iterable[Labelled], part: Part, pairs: dict[str, str], items: dict[str, Item], weights: dict[str, float]
) -> dict[str, Any]:
    """The shares under some weights, for the questions in the old words and for the set's own."""
    asked = {each.uid: each for each in part.questions}
    rows: dict[str, list[tuple[bool, bool]]] = {"hard": [], "own": []}
    recalls = []
    for each in labelled:
        if each.is_negative:
            continue
        places = places_of(each, weights)
        kind = "hard" if asked[each.uid].style == "hard" else "own"
        if kind == "own":
            recalls.append(sum(places.get(item, 99) <= 5 for item in each.wanted) / len(each.wanted))
        for new in asked[each.uid].relevant:
            if new in pairs and pairs[new] not in asked[each.uid].relevant:
                place, old_place = places.get(items[new], 99), places.get(items[pairs[new]], 99)
                rows[kind].append((place <= 5, old_place < place))
    figures: dict[str, Any] = {kind: counted(values) for kind, values in rows.items()}
    figures["own"]["recall@5"] = round(sum(recalls) / len(recalls), 3)
    return figures


def places_of(labelled: Labelled, weights: dict[str, float]) -> dict[Item, int]:
    """The place of everything that is shown."""
    places: dict[Item, int] = {}
    for place, row in enumerate(evaluate.shown(labelled, evaluate.scores(labelled, weights)), start=1):
        for item in labelled.reaches[row]:
            places.setdefault(item, place)
    return places


def counted(rows: Sequence[tuple[bool, bool]]) -> dict[str, Any]:
    """Shares of questions."""
    number = max(1, len(rows))
    return {
        "questions": len(rows),
        "successor@5": round(sum(is_found for is_found, _ in rows) / number, 3),
        "outdated_above": round(sum(is_above for _, is_above in rows) / number, 3),
    }


if __name__ == "__main__":
    print(json.dumps(measured(), indent=2))
