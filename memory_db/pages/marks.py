"""What was said of hits already: marks on the hits of a page.

In: hits in the shape that pages show, and their question. Out: a `verdict` on each. Invariant: a mark shows who judged.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from memory_db import labelling


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
