"""For how many questions something is shown, and for how many that nothing answers, by the evidence of hits.

`python -m bench.evidence` asks the labelled questions of the sample history and of the developer's notes as the first
prompt of a session. For several least amounts of evidence it prints the share of the answerable questions that are
shown something, the share that is shown an answer, lines and tokens, and the share of the others that is kept silent;
`area` is how often an answerable question has a hit with more evidence than one that nothing answers. What the
abstainer silences is silent at each amount.

`python -m bench.evidence --fit [--data DIR]` fits the abstainer's weights and the constants again: see `first_hits`.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bench.developer import OWN
from bench.first_hits import fitted
from bench.material import NOW
from memory_db.errors import QueryError
from memory_db.evaluation import query_sets as judging
from memory_db.evaluation.datasets import loading, read_dataset
from memory_db.evaluation.metrics import reached_by
from memory_db.hooks.prompt import KEEP, PROFILE
from memory_db.recall.brief.select import Answer, ask
from memory_db.recall.evidence_of_hit import LEAST, STRONG
from memory_db.recall.question import FIRST_BUDGET_TOKENS, FIRST_LIMIT
from memory_db.recall.search import HOOK_EFFORT, Filters, Question
from memory_db.sample.file import ensure_sample
from memory_db.store.connection import connect
from memory_db.store.dates import parse_utc

LEASTS = (0.0, 0.18, 0.2, 0.22, LEAST, 0.24, 0.26, 0.3, LEAST * STRONG, 0.4)
"""Least amounts of evidence that are compared; 0 shows what the threshold on the score lets through."""


def measured() -> dict[str, Any]:
    """Figures by set and by least evidence."""
    found = {}
    for name, set_name in (("sample", judging.SAMPLE_SET), ("developer", loading.QUERY_SET)):
        with opened(name) as db:
            rows = {least: asked(db, set_name, least) for least in LEASTS}
        found[name] = {"area": area(rows[0.0])} | {f"{least:.3f}": told(each) for least, each in rows.items()}
    return found


@contextmanager
def opened(name: str) -> Iterator[sqlite3.Connection]:
    """The file of a set, for a while."""
    with tempfile.TemporaryDirectory() as folder:
        if name == "sample":
            with closing(connect(ensure_sample(Path(folder), now=NOW))) as db:
                yield db
            return
        (part,) = read_dataset(OWN, "jsonl").parts
        with closing(loading.load(part, Path(folder) / "notes.db", model="none", now=NOW).db) as db:
            yield db


def asked(db: sqlite3.Connection, name: str, least: float) -> list[tuple[Answer, bool, bool]]:
    """Each question's answer, whether it can be answered, and whether it was."""
    memories = dict(db.execute("select id, memory_id from memory_versions").fetchall())
    found = []
    rows = db.execute("select * from labelled_queries where query_set_id = ?", [judging.query_set(db, name)]).fetchall()
    for row in rows:
        question = Question(
            row["query"], profile=PROFILE, project_id=row["project_id"], filters=Filters(other_projects=False),
            limit=FIRST_LIMIT, budget_tokens=FIRST_BUDGET_TOKENS, effort=HOOK_EFFORT, least_evidence=least,
            least_for_rules=least,
        )  # fmt: skip
        try:
            answer = ask(db, question, surface="bench", now=parse_utc(row["asked_at"]), log=False, keep=KEEP)
        except QueryError:
            continue
        judged = db.execute("select * from judgements where labelled_query_id = ? and relevance = 1", [row["id"]])
        wanted = {("memory", each["memory_id"]) if each["entry_id"] is None else ("entry", each["entry_id"])
                  for each in judged}  # fmt: skip
        reached = {item for hit in answer.shown for item in reached_by(hit, memories)}
        reached |= {("entry", entry_id) for hit in answer.shown for entry_id in hit.entry_ids}
        found.append((answer, bool(wanted), bool(wanted & reached)))
    return found


def told(found: list[tuple[Answer, bool, bool]]) -> dict[str, float]:
    """The figures of one least evidence."""
    answerable = [(answer, reached) for answer, is_answerable, reached in found if is_answerable]
    others = [answer for answer, is_answerable, _ in found if not is_answerable]
    figures = {
        "shown": np.mean([bool(answer.shown) for answer, _ in answerable]),
        "answered": np.mean([reached for _, reached in answerable]),
        "lines": np.mean([len(answer.shown) for answer, _ in answerable]),
        "tokens": np.mean([answer.tokens for answer, _ in answerable]),
        "others silent": np.mean([not answer.shown for answer in others]),
    }
    return {name: round(float(value), 3) for name, value in figures.items()}


def area(found: list[tuple[Answer, bool, bool]]) -> float:
    """How often an answerable question's best hit has more evidence than that of one which nothing answers."""
    best = [(max((hit.evidence for hit in answer.hits if hit.features.holds_here()), default=0.0), is_answerable)
            for answer, is_answerable, _ in found]  # fmt: skip
    one, other = (np.array([value for value, is_one in best if is_one is which]) for which in (True, False))
    return round(float((one[:, None] > other[None, :]).mean()), 3)


def main() -> None:
    """Measures, or fits, and prints it as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.evidence", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--fit", action="store_true", help="fit the abstainer's weights and the constants of evidence")
    parser.add_argument("--data", type=Path, metavar="DIR", help="a folder with public sets")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="keeps what was found, until you empty it")
    given = parser.parse_args()
    print(json.dumps(fitted(given.data, given.cache) if given.fit else measured(), indent=2))


if __name__ == "__main__":
    main()
