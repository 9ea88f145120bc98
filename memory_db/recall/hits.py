"""The members of a pool as hits: each with its raw numbers, ready to be scored.

In: what was found for a question, and the moment it is asked as of. Out: `ScoredHit`s without signals or score.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import datetime

from memory_db.knowledge.attributes import attributes_sql
from memory_db.knowledge.belonging import is_linked
from memory_db.knowledge.evidence_weights import EVIDENCE_WEIGHTS
from memory_db.knowledge.graph.proximity import nearness
from memory_db.recall.pool import Pool
from memory_db.recall.scoring import HitFeatures
from memory_db.records import dataclass, field
from memory_db.store.connection import id_list
from memory_db.store.dates import utc_text
from memory_db.text.terms import path_matches

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from typing import Any

    from memory_db.recall.question import Question

ENTRY_HALF_LIFE_DAYS = 180.0
"""Freshness of what was merely said halves in half a year; memories have the half-life of their kind.

Source: the middle of the half-lives of `kinds`; recency weighs little in every profile of ours.
"""


@dataclass(slots=True)
class ScoredHit:
    """One memory or entry considered: what it is, its raw numbers, its signals, its score.

    `position` is its place by score, from 1; `rank` its place among the shown, or None with a reason. `replaces` are
    outdated versions that met the question and that this memory came after; `replaced` tells a reader of one;
    `contradicted` is the uid of a memory that says the opposite, where nobody has decided yet. `is_by_user`: a person
    added it. `role` is the part of a brief that it belongs to; what is shown has its reason and what its line costs.
    """

    type: str
    memory_version_id: int | None
    entry_id: int | None
    features: HitFeatures
    signals: dict[str, float]
    score: float
    uid: str = ""
    title: str = ""
    text: str = ""
    kind: str = ""
    project: str | None = None
    session_uid: str | None = None
    created_at: str = ""
    tokens: int = 0
    source_entry_ids: frozenset[int] = frozenset()
    position: int = 0
    rank: int | None = None
    left_out_reason: str | None = None
    valid_to: str | None = None
    replaces: tuple[int, ...] = ()
    replaced: str = ""
    contradicted: str = ""
    is_by_user: bool = False
    role: str = ""
    shown_reason: str = ""
    shown_tokens: int | None = None


@dataclass(slots=True)
class Found:
    """What was found for one sort of hits before it is scored: the pool, and numbers by name of feature and by id."""

    pool: Pool
    features: dict[str, dict[int, float]] = field(default_factory=dict)

    def of(self, identifier: int) -> dict[str, Any]:
        """The numbers found for one member, what full text says of it included."""
        pool = self.pool
        numbers: dict[str, Any] = {"bm25": pool.bm25[identifier]}
        if identifier in pool.replaces:
            numbers["outdated_bm25"] = max(pool.outdated[old] for old in pool.replaces[identifier])
        for name, values in (
            ("context_bm25", pool.context_bm25),
            ("session_keyword", pool.session_keyword),
            *self.features.items(),
        ):
            if identifier in values:
                numbers[name] = values[identifier]
        return numbers


MEMORY_ROWS = """
select v.id, v.memory_id, v.kind, v.scope, v.project_id, v.importance, v.lock_level, m.origin,
    {linked} as is_linked,
    max(0.0, julianday('{moment}') - julianday(v.valid_from)) as age_days,
    k.half_life_days, k.prior_alpha, k.prior_beta
from memory_versions v join kinds k on k.name = v.kind join memories m on m.id = v.memory_id
where v.id"""

EVIDENCE = f"""
select memory_id, sum(weight_for) as weight_for, sum(weight_against) as weight_against, sum(is_use) as times_used,
    max(kind = 'stated' and said = 1) as stated_by_user, max(said) as said
from ({EVIDENCE_WEIGHTS})
where created_at <= '{{until}}' and {{counts}} and memory_id in ({{ids}}) group by memory_id
"""

COUNTS_NOW = "withdrawn_at is null"
COUNTED_THEN = "recorded_at <= '{until}' and (withdrawn_at is null or withdrawn_at > '{until}')"
"""What was recorded before this was kept has '' for it, which is before any moment."""

TIMES_SHOWN = """
select w.memory_id, count(*) from memory_versions w join hits h on h.memory_version_id = w.id{then}
where h.rank is not null and w.memory_id in ({ids}) group by w.memory_id
"""

ASKED_BY_THEN = " join recalls r on r.id = h.recall_id and r.asked_at <= :as_of"

NO_EVIDENCE = {"weight_for": 0.0, "weight_against": 0.0, "times_used": 0, "stated_by_user": 0, "said": 0}


def memory_hits(
    db: sqlite3.Connection, question: Question, found: Found, paths: tuple[str, ...], moment: datetime
) -> list[ScoredHit]:
    """Hits of the memories in the pool, with their raw numbers."""
    until = utc_text(moment)
    linked = is_linked("v.project_id", project=str(int(question.project_id or 0)), until=f"'{until}'")
    rows = select_in(db, MEMORY_ROWS.format(moment=until, linked=linked), found.pool.bm25)
    ids = id_list(row["memory_id"] for row in rows)
    counts = COUNTED_THEN.format(until=until) if question.filters.as_of else COUNTS_NOW
    evidence = {row[0]: row for row in db.execute(EVIDENCE.format(ids=ids, until=until, counts=counts))}
    factors: dict[str, float] = dict(db.execute("select name, prior_factor from tiers").fetchall())
    then = ASKED_BY_THEN if question.filters.as_of else ""
    times_shown = dict(db.execute(TIMES_SHOWN.format(ids=ids, then=then), {"as_of": question.filters.as_of}).fetchall())
    near = nearness(db, (row["memory_id"] for row in rows), question.session_id, paths, moment)
    in_play: dict[int, float] = {}
    if paths:
        bound = attributes_sql("path", question.filters.as_of)
        in_play = path_matches(db.execute(f"select memory_id, value from ({bound}) where memory_id in ({ids})"), paths)
    hits = []
    for row in rows:
        version_id, memory_id = row["id"], row["memory_id"]
        known = evidence.get(memory_id, NO_EVIDENCE)
        features = HitFeatures(
            is_memory=True,
            kind=row["kind"],
            age_days=row["age_days"],
            half_life_days=row["half_life_days"],
            same_project=None if question.project_id is None else row["project_id"] == question.project_id,
            user_scope=row["scope"] == "user",
            linked_project=True if row["is_linked"] else None,
            path_match=in_play.get(memory_id, 0.0),
            edge_strength=near.get(memory_id),
            importance=row["importance"],
            alpha=row["prior_alpha"] * factors[tier_of(row, known)] + known["weight_for"],
            beta=row["prior_beta"] + known["weight_against"],
            times_shown=times_shown.get(memory_id, 0),
            times_used=known["times_used"],
            lock_level=row["lock_level"],
            stated_by_user=bool(known["stated_by_user"]),
            **found.of(version_id),
        )
        replaces = tuple(found.pool.replaces.get(version_id, ()))
        hits.append(ScoredHit("memory", version_id, None, features, {}, 0.0, replaces=replaces))
    return hits


def tier_of(row: sqlite3.Row, known: sqlite3.Row | dict[str, float]) -> str:
    """How a memory came to be known, as the view `memory_tiers` tells it: the name of a row of `tiers`."""
    if row["lock_level"] == "user" or row["origin"] == "user" or known["said"] == 2:
        return "explicit"
    return "signals" if known["said"] else "inferred"


def entry_hits(
    db: sqlite3.Connection, question: Question, found: Found, paths: tuple[str, ...], moment: datetime
) -> list[ScoredHit]:
    """Hits of the entries in the pool, with their raw numbers."""
    rows = select_in(
        db,
        f"select e.id, e.kind, e.role, max(0.0, julianday('{utc_text(moment)}') - julianday(e.created_at)) as age_days,"
        " s.project_id from entries e"
        " join sessions s on s.id = e.session_id where e.id",
        found.pool.bm25,
    )
    in_play: dict[int, float] = {}
    if paths:
        targets = select_in(db, "select entry_id, target from actions where entry_id", found.pool.bm25)
        in_play = path_matches(targets, paths)
    hits = []
    for row in rows:
        entry_id = row["id"]
        features = HitFeatures(
            is_memory=False,
            kind=row["kind"],
            age_days=row["age_days"],
            half_life_days=ENTRY_HALF_LIFE_DAYS,
            same_project=None if question.project_id is None else row["project_id"] == question.project_id,
            path_match=in_play.get(entry_id, 0.0),
            stated_by_user=row["role"] == "user",
            **found.of(entry_id),
        )
        hits.append(ScoredHit("entry", None, entry_id, features, {}, 0.0))
    return hits


def select_in(db: sqlite3.Connection, sql: str, ids: Iterable[int]) -> list[sqlite3.Row]:
    """Rows of `sql` (which ends in a column's name) where that column is one of the ids."""
    wanted = id_list(ids)
    return db.execute(f"{sql} in ({wanted})").fetchall() if wanted else []
