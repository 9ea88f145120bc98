"""Whether eight files answer exactly as one with their rows: `python -m bench fleet_exact [--data DIR]`.

The sample history, the developer set, and with DIR the first conversation of LoCoMo there (see `locomo`), each cut into
shards (`shards`) and merged into one file. Every question is asked of both: counted are the questions with the same
hits, with the same first twenty in the same order, and the largest difference between two scores of one hit.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.developer import OWN
from bench.locomo import FORM, is_locomo
from bench.material import NOW
from bench.shards import by_name, by_name_in_fleet, catalogue_of, cut_sample, merged_file, shards_of
from memory_db.evaluation.datasets import read_dataset
from memory_db.evaluation.datasets.records import Part
from memory_db.fleet import Fleet, Question, open_fleet
from memory_db.index.semantic import open_semantic
from memory_db.recall.search import recall
from memory_db.sample.build import SESSIONS
from memory_db.store.connection import connect

SHARDS = 8

FIRST = 20

EXACT = 1e-9

Asked = tuple[str, str | None]
"""A question, and the path of the project that it is asked from."""


def measured(data: Path | None = None) -> dict[str, Any]:
    """Figures of each set; LoCoMo's where the folder has one."""
    found: dict[str, Any] = {"shards": SHARDS, "sample": of_sample(), "developer": of_part(first_part(OWN, "jsonl"))}
    paths = [path for path in sorted(data.rglob("*.json")) if is_locomo(path)] if data else []
    if paths:
        found["locomo"] = of_part(first_part(paths[0], FORM))
    return found


def first_part(path: Path, form: str) -> Part:
    """The first part of a data set."""
    return read_dataset(path, form).parts[0]


def of_sample() -> dict[str, Any]:
    """The sample's own questions."""
    lines = (SESSIONS.parent / "queries.jsonl").read_text("utf-8").splitlines()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        return compared(cut_sample(folder, SHARDS, NOW), folder, [(json.loads(line)["query"], None) for line in lines])


def of_part(part: Part) -> dict[str, Any]:
    """The questions of a data set's part, each from its project."""
    asked = [(each.query, each.project and f"/dataset/{each.project}") for each in part.questions]
    with tempfile.TemporaryDirectory() as temporary:
        return compared(shards_of(part, Path(temporary), SHARDS, NOW), Path(temporary), asked)


def compared(shards: list[Path], folder: Path, asked: Iterable[Asked]) -> dict[str, Any]:
    """How shards and the one file with their rows, which is made in a folder, answer."""
    return answers(shards, merged_file(shards, folder / "merged.db", NOW), folder / "fleet.yml", asked)


def answers(shards: list[Path], merged: Path, catalogue: Path, asked: Iterable[Asked]) -> dict[str, Any]:
    """To how many questions shards and one file give the same; the catalogue is written."""
    catalogue_of(shards, catalogue)
    found = {"questions": 0, "hits": 0, "same_hits": 0, f"same_first_{FIRST}": 0, "exact_scores": 0}
    largest = 0.0
    with closing(connect(merged)) as db, open_fleet(catalogue, scheduler="synchronous") as fleet:
        for query, project in asked:
            one, many = both(db, fleet, shards, query, project)
            apart = max((abs(one[name] - many[name]) for name in one.keys() & many.keys()), default=0.0)
            largest = max(largest, apart)
            found["questions"] += 1
            found["hits"] += len(one)
            found["same_hits"] += one.keys() == many.keys()
            found[f"same_first_{FIRST}"] += list(one)[:FIRST] == list(many)[:FIRST]
            found["exact_scores"] += one.keys() == many.keys() and apart <= EXACT
    return {**found, "largest_difference": float(f"{largest:.1e}")}


def both(
    db: sqlite3.Connection, fleet: Fleet, shards: list[Path], query: str, project: str | None
) -> tuple[dict[str, float], dict[str, float]]:
    """The scores of a question's hits by name, best first: of the one file and of the many."""
    home = there = None
    if project is not None:
        home = db.execute("select id from projects where canonical_path = ?", [project]).fetchone()[0]
        there = fleet.project_named(project)
    one = recall(db, Question(query, project_id=home), now=NOW, semantic=open_semantic(db))
    many = fleet.recall(Question(query, project_id=there), now=NOW)
    return (
        {name: hit.score for name, hit in by_name(db, one).items()},
        {name: hit.score for name, hit in by_name_in_fleet(many, shards).items()},
    )
