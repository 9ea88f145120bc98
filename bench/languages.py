"""How often a prompt in one of ten languages finds its note in the same language: by the full formula, and in a hook.

`python -m bench languages` measures on bench/data/languages, whose README says how it was made. Each prompt has one
note; `hook` counts only what is at the top of a hook's ranking, among 60 notes of one project. `shown` counts what the
first prompt of a session is really shown, cold: with enough evidence of its own, or nothing.
"""

from __future__ import annotations

import statistics
import tempfile
from collections import Counter, defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.material import NOW
from memory_db.evaluation.datasets import loading, read_dataset
from memory_db.hooks.prompt import PROFILE
from memory_db.models.embedders import MINILM
from memory_db.recall.brief.select import ask
from memory_db.recall.evidence_of_hit import LEAST
from memory_db.recall.question import FIRST_BUDGET_TOKENS, FIRST_LIMIT
from memory_db.recall.search import HOOK_EFFORT, Filters, Question
from memory_db.records import replace

SET = Path(__file__).parent / "data" / "languages"

FIRST = (5, 1)
"""How many hits count: notes of the same language are six, so that the first one says more."""

CHARACTERS = frozenset(("zh", "ja", "ko"))
"""Languages whose words full text cannot tell apart by itself."""

HOOK = Question(
    "", profile=PROFILE, filters=Filters(other_projects=False), limit=FIRST_LIMIT, budget_tokens=FIRST_BUDGET_TOKENS,
    effort=HOOK_EFFORT,
)  # fmt: skip

UNASKED = replace(HOOK, least_evidence=LEAST, least_for_rules=LEAST, is_unasked=True)
"""The same as the hook of a session's first prompt asks."""


def measured() -> dict[str, Any]:
    """Recall by language for the default profile and for what a hook ranks first, of all prompts and of a half.

    `shown` is by language how many prompts there were, how many were shown their note, and how many other notes.
    """
    (part,) = read_dataset(SET, "jsonl").parts
    found: dict[tuple[int, str, str, str], list[bool]] = defaultdict(list)
    shown: dict[str, Counter[str]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory() as folder:
        loaded = loading.load(part, Path(folder) / "languages.db", model=MINILM, now=NOW)
        with closing(loaded.db) as db:
            project_id = db.execute("select id from projects").fetchone()[0]
            titles = {note.uid: note.title for note in part.notes}
            for asked in part.questions:
                language, half = asked.style.split(", ")
                wanted = {titles[uid] for uid in asked.relevant}
                for way, question, semantic in (("default", Question(""), loaded.index), ("hook", HOOK, None)):
                    question = replace(question, query=asked.query, project_id=project_id)
                    answer = ask(db, question, surface="bench", now=NOW, semantic=semantic, log=False)
                    for first in FIRST:
                        met = wanted & {hit.title for hit in answer.shown[:first]}
                        found[first, way, half, language].append(bool(met))
                unasked = replace(UNASKED, query=asked.query, project_id=project_id)
                answer = ask(db, unasked, surface="bench", now=NOW, log=False)
                lines = {hit.title for hit in answer.shown}
                right = len(lines & wanted)
                shown[language].update({"prompts": 1, "right": right, "other notes": len(lines) - right})
    halves = {"": None, ", second half": "second half"}
    figures = {f"recall@{first}{name}": table(found, first, half) for first in FIRST for name, half in halves.items()}
    return figures | {"shown": {language: dict(counts) for language, counts in shown.items()}}


def table(
    found: dict[tuple[int, str, str, str], list[bool]], first: int, only: str | None
) -> dict[str, dict[str, float]]:
    """The share of prompts whose note is among the first hits, by language and together; of one half if it is given."""
    by_language: dict[str, dict[str, list[bool]]] = {}
    for (number, way, half, language), values in found.items():
        if number == first and only in (None, half):
            for name in (language, "Chinese, Japanese, Korean" if language in CHARACTERS else "the others"):
                by_language.setdefault(name, {}).setdefault(way, []).extend(values)
    return {
        name: {way: round(statistics.mean(values), 3) for way, values in ways.items()}
        for name, ways in sorted(by_language.items(), key=lambda item: len(item[0]))
    }
