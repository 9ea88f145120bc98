"""Whether a question finds what another project knows: asked at home, and asked from a project next to it.

`python -m bench other_project` asks the developer set and the sample, each question that one project answers three
times: where it belongs, from the next project by name, and from there with the name of its own put before it ("in
tidepool, ..."). `brief` is the share whose answer stands in what a hook shows at the first prompt of a session, `of
another project` how many lines of those briefs are of neither the project that is asked from nor the user.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.developer import OWN
from bench.material import NOW
from bench.questions import BRIEF, vectors
from memory_db.evaluation import query_sets as judging
from memory_db.evaluation.datasets import loading, read_dataset
from memory_db.evaluation.metrics import Labelled, collect, evaluate
from memory_db.hooks.prompt import PROFILE
from memory_db.index.semantic import EmbeddingIndex, open_semantic
from memory_db.models.embedders import MINILM
from memory_db.recall.brief.select import ask
from memory_db.recall.evidence_of_hit import LEAST
from memory_db.recall.question import FIRST_BUDGET_TOKENS, FIRST_LIMIT
from memory_db.recall.search import HOOK_EFFORT, Filters
from memory_db.records import replace
from memory_db.sample.file import SAMPLE_MOMENT, ensure_sample
from memory_db.store.connection import transaction
from memory_db.store.dates import parse_utc
from memory_db.store.presets import PRESETS
from memory_db.store.schema import open_database

WAYS = ("at home", "from another project", "from another project, named")
"""From where questions are asked, and how."""

FULL = {name: PRESETS[name].weights for name in ("default", "keyword_only")}
"""Profiles that rank what the full formula finds."""

METRICS = ("recall@5", "recall@10")

SHOWN = replace(
    BRIEF, limit=FIRST_LIMIT, budget_tokens=FIRST_BUDGET_TOKENS, filters=Filters(other_projects=False),
    least_evidence=LEAST, least_for_rules=LEAST, effort=HOOK_EFFORT,
)  # fmt: skip
"""How the hook asks at the first prompt of a session."""


def measured() -> dict[str, Any]:
    """Recall by set, way and profile; and what the hook shows of it."""
    with tempfile.TemporaryDirectory() as folder:
        with developer(Path(folder)) as (db, index):
            found = {"developer": of_set(db, loading.QUERY_SET, index, NOW)}
        with closing(open_database(ensure_sample(Path(folder)), now=SAMPLE_MOMENT)) as db:
            found["sample"] = of_set(db, judging.SAMPLE_SET, open_semantic(db), SAMPLE_MOMENT)
    return found


@contextmanager
def developer(folder: Path) -> Iterator[tuple[sqlite3.Connection, EmbeddingIndex | None]]:
    """The developer set as a file that can be asked."""
    (part,) = read_dataset(OWN, "jsonl").parts
    with vectors() as cache:
        loaded = loading.load(part, folder / "developer.db", model=MINILM, cache=cache, now=NOW)
        with closing(loaded.db):
            yield loaded.db, loaded.cached


ANSWERED_BY = """
select q.uid, q.query, q.style, q.asked_at, q.id, min(p.id) as project_id, min(p.name) as project
from labelled_queries q join judgements j on j.labelled_query_id = q.id and j.relevance = 1
left join memories m on m.id = j.memory_id left join entries e on e.id = j.entry_id
left join sessions s on s.id = e.session_id left join projects p on p.id = coalesce(m.project_id, s.project_id)
where q.query_set_id = ? group by q.id having count(distinct p.id) = 1 and count(p.id) = count(*) order by q.uid
"""
"""The questions whose answers all belong to one project."""

COPY = """
insert into judgements (labelled_query_id, memory_id, entry_id, relevance, judged_by, judged_at)
select ?, memory_id, entry_id, relevance, judged_by, judged_at from judgements where labelled_query_id = ?
"""


def of_set(db: sqlite3.Connection, name: str, semantic: EmbeddingIndex | None, now: datetime) -> dict[str, Any]:
    """The figures of one query set by way."""
    asked = db.execute(ANSWERED_BY, [judging.query_set(db, name)]).fetchall()
    projects = db.execute("select id, name from projects order by name").fetchall()
    after = {
        here["id"]: following["id"] for here, following in zip(projects, [*projects[1:], projects[0]], strict=True)
    }
    found: dict[str, Any] = {"questions": len(asked)}
    for way in WAYS:
        with transaction(db):
            query_set_id = judging.add_query_set(db, way, description=way, now=now)
            for row in asked:
                text = f"in {row['project']}, {row['query']}" if way == WAYS[2] else row["query"]
                project_id = row["project_id"] if way == WAYS[0] else after[row["project_id"]]
                query_id = judging.add_query(
                    db, query_set_id, row["uid"], text, project_id, row["style"], row["asked_at"]
                )
                db.execute(COPY, [query_id, row["id"]])
        full = collect(db, way, semantic=semantic)
        ranked = {profile: evaluate(full, weights) for profile, weights in FULL.items()}
        ranked["hook"] = evaluate(collect(db, way, asked_like=BRIEF), PRESETS[PROFILE].weights)
        found[way] = {
            profile: {metric: round(figures[metric].value, 3) for metric in METRICS}
            for profile, figures in ranked.items()
        } | {"brief": of_briefs(db, full, asked_at={row["uid"]: row["asked_at"] for row in asked})}
    return found


def of_briefs(db: sqlite3.Connection, labelled: list[Labelled], *, asked_at: dict[str, str]) -> dict[str, float]:
    """What the hook shows of the answers, and how many of its lines are of another project."""
    met, foreign, lines = 0, 0, 0
    memory_ids = dict(db.execute("select id, memory_id from memory_versions").fetchall())
    owners = dict(db.execute("select id, project_id from memory_versions where scope <> 'user'").fetchall())
    sessions = dict(db.execute("select e.id, s.project_id from entries e join sessions s on s.id = e.session_id"))
    for each in labelled:
        question = replace(SHOWN, query=each.query, project_id=each.project_id)
        answer = ask(db, question, surface="bench", now=parse_utc(asked_at[each.uid]), log=False)
        shown = {("memory", memory_ids[hit.memory_version_id]) if hit.memory_version_id else ("entry", hit.entry_id)
                 for hit in answer.shown}  # fmt: skip
        sources = {("entry", entry) for hit in answer.shown for entry in hit.source_entry_ids}
        met += bool((shown | sources) & each.wanted)
        belongs = [
            owners.get(hit.memory_version_id) if hit.memory_version_id else sessions[hit.entry_id]
            for hit in answer.shown
        ]
        foreign += sum(project not in (None, each.project_id) for project in belongs)
        lines += len(belongs)
    return {"answer shown": round(met / len(labelled), 3), "lines": lines, "of another project": foreign}
