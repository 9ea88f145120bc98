"""What the gate would do with a text, and what stands near it: nothing is written.

In: a text with the kind and place that it would have. Out: the decision, and the nearest memories with both
similarities and the relation to each. Invariant: the rules are those of the gate; a person's own words are as the
user's.
"""

from __future__ import annotations

import sqlite3
from dataclasses import asdict, dataclass
from typing import Any

from memory_db.gate.claims import Claim, Decision, Near, look
from memory_db.gate.rules import decide
from memory_db.gate.search import CandidateBatch, open_gate_context
from memory_db.index.neighbours import memory_text
from memory_db.knowledge.memories import first_line
from memory_db.redact.clean import clean

SHOWN = 8


@dataclass(slots=True, frozen=True)
class GatePreview:
    """What would be done, and the memories near the text, the nearest first."""

    decision: Decision
    near: list[Near]
    vectors: str


def preview(
    db: sqlite3.Connection, text: str, *, kind: str, scope: str, project_id: int | None, said_at: str = ""
) -> GatePreview:
    """What the gate would do with words of the user. Raises: ModelError, InputError."""
    cleaned = clean(text)[0].strip()
    claim = Claim(cleaned, kind, scope, project_id if scope == "project" else None, said_at=said_at)
    around = open_gate_context(db)
    made = around.vectors.of(db, [memory_text(first_line(cleaned) if cleaned else "", cleaned)])
    portion = CandidateBatch(made, around.memories.cosines(made), around.waiting.cosines(made))
    neighbours = around.near(db, portion, 0, claim, project_id)
    decision = decide(claim, neighbours, around.waiting_near(portion, 0, project_id), around.limits)
    near = sorted(look(claim, neighbours, (), around.limits).near, key=nearness, reverse=True)
    return GatePreview(decision, near[:SHOWN], around.vectors.name)


def nearness(near: Near) -> tuple[float, float]:
    """What neighbours are sorted by: whichever similarity is greater, then the other."""
    cosine = near.similarity.cosine or 0.0
    return max(near.similarity.words, cosine), near.similarity.words + cosine


def near_enough(found: GatePreview) -> list[Near]:
    """The neighbours that a person should see before adding the same once more: those with a relation."""
    return [near for near in found.near if near.relation is not None]


def near_data(near: Near) -> dict[str, Any]:
    """A neighbour as plain data, with both similarities and the relation to it."""
    return {
        "uid": near.memory.uid,
        "text": near.memory.text,
        "lock_level": near.memory.lock_level,
        "words": round(near.similarity.words, 3),
        "vector": None if near.similarity.cosine is None else round(near.similarity.cosine, 3),
        "relation": asdict(near.relation) if near.relation else None,
    }
