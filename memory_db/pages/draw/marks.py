"""What was said of hits already: marks on the hits of a page.

In: hits in the shape that pages show, and their question. Out: a `verdict` on each, and the `belief` of memories.
Invariant: a mark shows who judged.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from memory_db.evaluation import judgements as labelling
from memory_db.recall.brief.allowed import RESTS_ON
from memory_db.recall.brief.exchange import exchange_of
from memory_db.recall.brief.placement import Placement
from memory_db.recall.search import Question


def mark(
    db: sqlite3.Connection,
    hits: Iterable[dict[str, Any]],
    query: str,
    project_id: int | None,
    recall_id: int | None = None,
) -> dict[str, Any]:
    """Gives every hit its `verdict`, None where nobody said anything.

    Gives what a form for more needs: the recall, the id of the set that takes them, and how many hits have a verdict.
    """
    known = labelling.verdicts_on(db, query, project_id)
    judged = 0
    for hit in hits:
        verdict = known.get((hit["type"], hit["uid"]))
        hit["verdict"] = asdict(verdict) if verdict else None
        judged += verdict is not None
    own = db.execute("select id from query_sets where name = ?", [labelling.OWN_SET]).fetchone()
    return {"recall_id": recall_id, "query_set_id": own[0] if own else 0, "judged": judged}


BELIEFS = """
select uid, confidence, evidence_for, evidence_against from beliefs
where memory_id in (select id from memories where uid in (select value from json_each(?)))
"""


def add_beliefs(db: sqlite3.Connection, hits: Iterable[dict[str, Any]]) -> None:
    """Gives every hit its `belief` of today: confidence and how much evidence is for and against; None for entries."""
    hits = list(hits)
    uids = [hit["uid"] for hit in hits if hit["type"] == "memory"]
    known = {row["uid"]: dict(row) for row in db.execute(BELIEFS, [json.dumps(uids)])} if uids else {}
    for hit in hits:
        hit["belief"] = known.get(hit["uid"]) if hit["type"] == "memory" else None


def add_rests_on(
    db: sqlite3.Connection, hits: Iterable[dict[str, Any]], placed: Iterable[Placement], question: Question
) -> None:
    """Gives every hit, as `rests_on`, the uid of the replaced memory that an entry comes from or names; None where it
    rests on none, or the question asks for what held earlier.
    """
    start, _, end = RESTS_ON.partition("{}")
    for hit, each in zip(hits, placed, strict=True):
        hit["rests_on"] = None
        if each.type == "entry" and each.hit.entry_id:
            reason = exchange_of(db, each, question.query, is_past=question.asks_past).reason
            if reason.startswith(start):
                hit["rests_on"] = reason.removeprefix(start).removesuffix(end)
