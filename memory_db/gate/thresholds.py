"""From which similarity on two memories may be the same, fitted on this file's own memories.

In: how alike each memory is to the nearest one that cannot be the same. Out: thresholds that few of those reach.
Invariants: `fitted_thresholds` is pure; a fit is a row that stays until the file has grown by half, so that a run
which was killed goes on with the thresholds it began with.

No one number separates the same from the related in every file: where all texts are about one subject they are all
alike. What cannot be the same shows how alike texts of this file are by chance.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from memory_db.gate.claims import CosineLimits
from memory_db.index.neighbours import EVERYWHERE, NOWHERE, Nearest, Vectors, load, open_vectors
from memory_db.store import settings
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

FEWEST_PAIRS = 100
"""With fewer memories that have a neighbour elsewhere nothing is fitted."""

GROWTH = 1.5
"""How many times as many memories a file has when it is fitted again."""

DUPLICATE_QUANTILE, RELATED_QUANTILE = 0.995, 0.75
"""Shares of the memories whose nearest text of another project is less alike than the threshold. Source: ours."""

DEFAULT = CosineLimits(0.90, 0.60)
"""Where nothing is fitted. Source: ours; by either sort of vectors the labelled pairs that say the same have medians of
.84 and .88, near misses of .54 and .57 (`python -m bench relations`).
"""

LOWEST_DUPLICATE, HIGHEST_DUPLICATE = 0.85, 0.99
"""Bounds of what is fitted: a small file that speaks of many things must not send everything to a person."""

PORTION = 500
"""Memories compared with all others at once."""

MOST_ASKED = 2_000
"""Memories whose nearest one elsewhere is looked for: in a large file every so-manieth."""


@dataclass(slots=True, frozen=True)
class NearestElsewhere:
    """A memory, the nearest other one, and how alike they are; whether both hold in one place."""

    memory: str
    nearest: str
    similarity: float
    is_same_place: bool
    is_same_kind: bool


def fitted_thresholds(elsewhere: Sequence[float], defaults: CosineLimits = DEFAULT) -> CosineLimits:
    """Thresholds above which hardly a text of another project comes; the defaults where there are too few.

    `elsewhere` has for each memory the cosine of the nearest one that cannot be the same.
    """
    if len(elsewhere) < FEWEST_PAIRS:
        return defaults
    duplicate, related = np.quantile(np.asarray(elsewhere), [DUPLICATE_QUANTILE, RELATED_QUANTILE])
    duplicate = min(HIGHEST_DUPLICATE, max(LOWEST_DUPLICATE, float(duplicate)))
    return CosineLimits(duplicate, min(duplicate, float(related)))


def limits_of(db: sqlite3.Connection, model: str) -> CosineLimits:
    """The thresholds that hold: those that were set, else those that were fitted, else the defaults.

    Raises: InputError for a setting that holds what it does not accept.
    """
    row = db.execute("select duplicate, related from likeness_thresholds where model = ?", [model]).fetchone()
    fitted = CosineLimits(row["duplicate"], row["related"]) if row else DEFAULT
    return CosineLimits(
        settings.get_number(db, "gate_duplicate_likeness") or fitted.duplicate,
        settings.get_number(db, "gate_related_likeness") or fitted.related,
    )


def has_grown(db: sqlite3.Connection, model: str) -> bool:
    """Whether a file has so many more memories than when its thresholds were last fitted that they are fitted anew."""
    count = db.execute("select count(*) from memories where status = 'active'").fetchone()[0]
    row = db.execute("select memories from likeness_thresholds where model = ?", [model]).fetchone()
    return bool(count >= FEWEST_PAIRS and (row is None or count >= GROWTH * row["memories"]))


def refit(db: sqlite3.Connection, vectors: Vectors, memories: Nearest, *, now: datetime) -> bool:
    """Fits the thresholds anew where the file has grown enough; whether it did.

    With too few memories that have a neighbour elsewhere the defaults are stored, until the file has grown again.
    """
    if not has_grown(db, vectors.name):
        return False
    count = int((memories.places[: len(memories.ids)] != NOWHERE).sum())
    elsewhere = [similarity for _, _, similarity in nearest_elsewhere(memories)]
    limits = fitted_thresholds(elsewhere)
    with transaction(db):
        db.execute(
            "insert into likeness_thresholds (model, duplicate, related, pairs, memories, fitted_at)"
            " values (?, ?, ?, ?, ?, ?) on conflict (model) do update set duplicate = excluded.duplicate,"
            " related = excluded.related, pairs = excluded.pairs, memories = excluded.memories,"
            " fitted_at = excluded.fitted_at",
            [vectors.name, limits.duplicate, limits.related, len(elsewhere), count, utc_text(now)],
        )
    return True


def nearest_elsewhere(memories: Nearest) -> list[tuple[int, int, float]]:
    """(memory, the nearest of another project, cosine) for memories of a project that have one; at most MOST_ASKED."""
    step = -(-len(memories.ids) // MOST_ASKED)
    return pairs(memories, range(0, len(memories.ids), max(1, step)), elsewhere=True)


def pairs(memories: Nearest, rows: Sequence[int], *, elsewhere: bool) -> list[tuple[int, int, float]]:
    """(memory, nearest, cosine) for some rows: the nearest of another project, or of all others."""
    count = len(memories.ids)
    vectors, places = memories.vectors[:count], memories.places[:count]
    found: list[tuple[int, int, float]] = []
    for start in range(0, len(rows), PORTION):
        part = np.asarray(rows[start : start + PORTION], dtype=np.int64)
        cosines = vectors[part] @ vectors.T
        hidden = np.broadcast_to(places == NOWHERE, cosines.shape).copy()
        if elsewhere:
            hidden |= (places[None, :] == places[part, None]) | (places == EVERYWHERE)[None, :]
        hidden[np.arange(len(part)), part] = True
        cosines[hidden] = -2.0
        best = cosines.argmax(axis=1)
        for number, (row, other) in enumerate(zip(part.tolist(), best.tolist(), strict=True)):
            is_asked = places[row] != NOWHERE and not (elsewhere and places[row] == EVERYWHERE)
            if is_asked and cosines[number, other] > -2.0:
                found.append((memories.ids[row], memories.ids[other], float(cosines[number, other])))
    return found


def neighbour_similarity(db: sqlite3.Connection, vectors: Vectors | None = None) -> list[NearestElsewhere]:
    """For each memory that holds, the nearest other one, and the nearest of another project: rows for a histogram.

    Raises: ModelError.
    """
    memories = load(db, vectors or open_vectors(db))
    known = {row["id"]: row for row in db.execute("select id, uid, kind, scope, project_id from memories")}
    every = range(len(memories.ids))
    rows = {*pairs(memories, every, elsewhere=False), *pairs(memories, every, elsewhere=True)}
    return [
        NearestElsewhere(
            known[one]["uid"],
            known[other]["uid"],
            similarity,
            known[one]["project_id"] == known[other]["project_id"]
            or "user" in (known[one]["scope"], known[other]["scope"]),
            known[one]["kind"] == known[other]["kind"],
        )
        for one, other, similarity in sorted(rows)
    ]
